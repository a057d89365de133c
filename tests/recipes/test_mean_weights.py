"""recipes/mean_weights.py: the mean of models that were trained from one start."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pocketintent.runtime.files.model_file import load_model, save_model

RECIPE = Path(__file__).resolve().parents[2] / "recipes" / "mean_weights.py"


def write(path: Path, weights: list[float], counts: int = 3, **entries: Any) -> Path:
    tensors = {"w": np.array(weights, np.float32), "counts": np.array([counts], np.uint8)}
    save_model(path, {"kind": "static", "training": {"of": path.name}, **entries}, tensors)
    return path


def run(*models: Path, out: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(RECIPE), *map(str, models), "--out", str(out)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_mean_has_the_records_of_all(tmp_path: Path) -> None:
    models = [write(tmp_path / f"{n}.safetensors", [n, 2.0 * n]) for n in (1, 2, 6)]
    assert run(*models, out=tmp_path / "mean.safetensors").returncode == 0
    mean = load_model(tmp_path / "mean.safetensors")
    np.testing.assert_allclose(mean.tensors["w"], [3, 6], rtol=1e-6)
    assert mean.tensors["counts"].tolist() == [3]
    names = [record["of"] for record in mean.manifest["training"]["models"]]
    assert names == ["1.safetensors", "2.safetensors", "6.safetensors"]


@pytest.mark.parametrize(
    ("weights", "counts", "entries", "message"),
    [
        ([1.0], 3, {}, "b.safetensors: its tensors are not those of"),
        ([1.0, 2.0], 4, {}, "b.safetensors: counts is not that of"),
        ([1.0, 2.0], 3, {"kind": "transformer"}, "b.safetensors: a model of other settings than"),
    ],
)
def test_a_model_of_another_start_is_named(
    tmp_path: Path, weights: list[float], counts: int, entries: dict[str, Any], message: str
) -> None:
    one = write(tmp_path / "a.safetensors", [1.0, 2.0])
    other = write(tmp_path / "b.safetensors", weights, counts, **entries)
    result = run(one, other, out=tmp_path / "mean.safetensors")
    assert result.returncode == 1
    assert message in result.stderr
    assert not (tmp_path / "mean.safetensors").exists()
