from pathlib import Path

import numpy as np
import pytest

from benchmarks.robustness.hostile_files.models import Parts, seal
from pocketintent.runtime.arrays import LARGEST, check_numbers, empty_aligned, read_tensor
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.files.model_file import load_model, save_model

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


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e6, -1e6])
def test_a_number_that_leads_to_nan_is_refused(
    tmp_path: Path, dtype: type[np.floating], value: float
) -> None:
    array = np.zeros((3, 2), dtype)
    with np.errstate(over="ignore"):
        array[1, 1] = value
    path = tmp_path / "model"
    with pytest.raises(ModelFileError, match="tensor 'words' has a number that is NaN, infinite"):
        save_model(path, {"kind": "static"}, {"words": array})
    assert not path.exists()
    path.write_bytes(seal(Parts({"kind": "static", "format_version": 1}, {"words": array})))
    with pytest.raises(ModelFileError, match=f"{path}.*tensor 'words' has a number"):
        load_model(path)


def test_the_largest_numbers_whole_numbers_and_empty_arrays_are_accepted() -> None:
    arrays = [np.array([LARGEST, -LARGEST, 1e-8], kind) for kind in ("f2", "f4", "f8")]
    arrays += [np.zeros((0, 3), np.float32), np.array([1 << 40]), np.array(True)]
    check_numbers({str(number): array for number, array in enumerate(arrays)})
