import numpy as np
import pytest

from pocketintent.runtime.arrays import empty_aligned


@pytest.mark.parametrize("shape", [(3, 5), (150, 256), (1,)])
def test_an_aligned_array_begins_at_a_cache_line(shape: tuple[int, ...]) -> None:
    arrays = [empty_aligned(*shape) for _ in range(8)]
    for number, array in enumerate(arrays):
        array[...] = number
    for number, array in enumerate(arrays):
        assert array.shape == shape and array.dtype == np.float32
        assert array.flags.c_contiguous and array.ctypes.data % 64 == 0
        assert (array == number).all()
