import json
import shutil
from pathlib import Path

import pytest

from benchmarks.accuracy.calibration import main
from pocketintent import load_encoder
from pocketintent.evaluation.bots.answers import evaluate_bots, read_bots

SMALL_BOTS = Path(__file__).resolve().parents[2] / "resources" / "small_bots"


def test_each_formula_is_fitted_and_measured_on_other_bots(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("gym", "hotel", "pizza", "dentist"):
        shutil.copy(SMALL_BOTS / f"{name}.json", tmp_path)
    options = ["--model", "tiny", "--sizes", "all", "3x2", "--folds", "2", "--accepted", "0.1"]
    assert main([str(tmp_path), *options, "--check", str(tmp_path)]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    found = {(line["formula"], line["size"]): line for line in lines}
    assert found.keys() == {
        (formula, size) for formula in ("now", "size", "background") for size in ("all", "3x2")
    }
    (row,) = evaluate_bots(load_encoder("tiny"), read_bots(tmp_path))["results"]
    now = found["now", "all"]
    for key in ("right", "refused", "other", "in_front"):
        assert now[key] == row[key]["mean"]
    assert now["ece_third"] == pytest.approx(row["ece_third"], abs=1e-3)
    for formula in ("size", "background"):
        line = found[formula, "all"]
        assert line["in_front"] == now["in_front"]
        assert {"constants", "shift_of_folds", "slope_of_folds"} < line.keys()


def test_the_fitted_shift_accepts_the_share_that_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("hotel", "parcel", "pizza"):
        shutil.copy(SMALL_BOTS / f"{name}.json", tmp_path)
    accepted = []
    for share in ("0.05", "0.3"):
        options = ["--model", "tiny", "--sizes", "all", "--folds", "2", "--accepted", share]
        # The bots are checked with the constants of all, which are fitted on the same bots.
        check = tmp_path.parent / f"check{share}"
        shutil.copytree(tmp_path, check)
        assert main([str(tmp_path), *options, "--check", str(check)]) == 0
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        accepted += [
            line["accepted"]["other_subjects"]
            for line in lines
            if line["bots"] == check.name and line["formula"] == "size"
        ]
    assert 0 < accepted[0] <= 0.05 and 0.2 < accepted[1] <= 0.3


def test_the_constants_are_fitted_on_whole_bots(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([str(SMALL_BOTS), "--sizes", "3x3"])
    assert "fitted on whole bots; add `all`" in capsys.readouterr().err
