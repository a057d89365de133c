import numpy as np
import pytest

from pocketintent.runtime.arrays import empty_aligned, stack_rows, sum_rows


@pytest.mark.parametrize("shape", [(3, 5), (150, 256), (1,)])
def test_an_aligned_array_begins_at_a_cache_line(shape: tuple[int, ...]) -> None:
    arrays = [empty_aligned(*shape) for _ in range(8)]
    for number, array in enumerate(arrays):
        array[...] = number
    for number, array in enumerate(arrays):
        assert array.shape == shape and array.dtype == np.float32
        assert array.flags.c_contiguous and array.ctypes.data % 64 == 0
        assert (array == number).all()


@pytest.mark.parametrize("count", [1, 2, 63, 64, 65, 1024, 1025, 3000])
def test_rows_are_stacked_and_summed(count: int) -> None:
    matrix = np.random.default_rng(count).integers(-9, 9, (count, 5)).astype(np.float32)
    rows = list(matrix)
    np.testing.assert_array_equal(stack_rows(rows), matrix)
    assert stack_rows(rows).dtype == np.float32
    total = sum_rows(matrix)
    assert total.dtype == np.float32 and total.flags.writeable
    np.testing.assert_array_equal(total, matrix.sum(axis=0))
