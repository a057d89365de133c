import json
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")
from benchmarks.accuracy.calibration_curve import expected_threshold, main, read_points
from pocketintent.runtime.decision.logistic.calibration import expected_sigmoid


def line(model: str, formula: str, num_templates: float, threshold: float) -> str:
    found = {"mean": threshold, "std": 0.5}
    sizes = {"num_intents": 8.0, "num_templates": num_templates, "fitted_threshold": found}
    own = sizes if formula == "now" else {}
    return json.dumps({"model": model, "bots": "train", "size": "all", "formula": formula} | own)


def test_the_points_are_those_of_the_calibration_of_now(tmp_path: Path) -> None:
    file, plot = tmp_path / "calibration.jsonl", tmp_path / "curve.png"
    rows = [line("tiny", "now", 6, -3.1), line("tiny", "size", 6, 0), line("fast", "now", 3, -4)]
    file.write_text("\n".join(rows), encoding="utf-8")
    points = read_points(file)
    assert [(point.model, point.num_templates, point.threshold) for point in points] == [
        ("tiny", 6, -3.1),
        ("fast", 3, -4),
    ]
    assert main([str(file), "--plot", str(plot)]) == 0
    assert plot.read_bytes().startswith(b"\x89PNG")


def test_the_lines_are_the_formula_of_the_runtime() -> None:
    for sizes in ((3, 1), (8, 6), (150, 12)):
        expected = expected_sigmoid(*sizes)
        at_threshold = expected.slope * expected_threshold(*sizes) + expected.intercept
        assert at_threshold == pytest.approx(0)
