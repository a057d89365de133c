import json
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")
from benchmarks.accuracy.size_plot import main, read_points, size_of
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.shipped_models import find_model


def report(path: Path, system: str, accuracy: float) -> Path:
    rows = [
        {
            "system": system,
            "shots": shots,
            "decision": decision,
            "accuracy": {"mean": accuracy + shots / 100, "std": 0.01},
        }
        for shots in (5, 10)
        for decision in ("logistic", "nearest")
    ]
    path.write_text(json.dumps({"dataset": "snips", "results": rows}) + "\n")
    return path


def test_a_report_gives_one_point_of_each_system(tmp_path: Path) -> None:
    ours = report(tmp_path / "ours.jsonl", "pocketintent", 0.5)
    others = report(tmp_path / "others.jsonl", "minilm", 0.6)
    points = read_points([ours, others], {str(ours): "default"}, 10, "logistic")["snips"]
    assert [(point.name, point.accuracy) for point in points] == [("default", 0.6), ("minilm", 0.7)]
    assert points[0].size == find_model("default").stat().st_size / 1e6
    out = tmp_path / "plot.png"
    assert main([str(ours), str(others), "--names", f"default={ours}", "--plot", str(out)]) == 0
    assert out.read_bytes().startswith(b"\x89PNG")


def test_a_system_without_a_size_is_refused() -> None:
    with pytest.raises(PocketIntentError, match="the size of 'other' is not known"):
        size_of("other")
