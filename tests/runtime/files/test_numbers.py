from pathlib import Path

import numpy as np
import pytest

from benchmarks.robustness.hostile_files.models import Parts, seal
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.files.model_file import load_model, save_model
from pocketintent.runtime.files.numbers import LARGEST, check_numbers


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
