import numpy as np
import pytest

from pocketintent.runtime.arrays import empty_aligned, read_tensor
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
