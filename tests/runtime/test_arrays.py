import numpy as np
import pytest

from pocketintent.runtime.arrays import empty_aligned, read_tensor, stack_rows, sum_rows
from pocketintent.runtime.errors import ModelFileError

TENSORS = {"half": np.zeros((2, 3), np.float16)}


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


def test_a_tensor_of_the_right_type_and_shape_is_returned_as_it_is() -> None:
    for shape in (None, (2, 3)):
        assert read_tensor(TENSORS, "half", ["float32", "float16"], shape) is TENSORS["half"]


def test_another_tensor_is_refused_with_what_it_must_be() -> None:
    with pytest.raises(ModelFileError, match=r"^tensor bias is missing; it must be float32$"):
        read_tensor(TENSORS, "bias", ["float32"])
    message = (
        r"^tensor half of the index is float16 \[2, 3\]; it must be float32 or uint8 \[2, 3\]$"
    )
    with pytest.raises(ModelFileError, match=message):
        read_tensor(TENSORS, "half", ["float32", "uint8"], (2, 3), "the index")
    with pytest.raises(ModelFileError, match=r"is float16 \[2, 3\]; it must be float16 \[6\]"):
        read_tensor(TENSORS, "half", ["float16"], (6,))
