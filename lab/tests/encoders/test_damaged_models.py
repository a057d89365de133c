"""Damaged model files of the laboratory's kinds, by the harness of the benchmarks."""

from pathlib import Path

import pytest

from benchmarks.robustness.damaged_files import check_model, run
from benchmarks.robustness.hostile_files.models import parts_of
from pocketintent.runtime.files.model_file import load_model


def test_damaged_files_are_refused_or_give_finite_scores(
    tmp_path: Path,
    infersent_model: Path,
    adapted_models: dict[str, Path],
    capfd: pytest.CaptureFixture[str],
) -> None:
    contents = [load_model(path) for path in (infersent_model, *adapted_models.values())]
    models = [parts_of(content.manifest, content.tensors) for content in contents]
    results = run(check_model(models), 500, 10**6, tmp_path)
    assert results["failed"] == 0, capfd.readouterr().err
    assert results["refused"] > 160
    assert results["opened"] > 25
