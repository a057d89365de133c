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
    with ours.open("a") as file:
        figure = {"count": 3, "mean": 0.7, "std": 0.2}
        row = {"shots": None, "in_front": figure}
        file.write(json.dumps({"dataset": "test", "num_bots": 4, "results": [row]}))
    points = read_points([("default", ours), (None, others)], 10, "logistic")
    assert [(own.name, own.accuracy) for own in points["snips"]] == [
        ("default", 0.6),
        ("minilm", 0.7),
    ]
    assert points["snips"][0].size == find_model("default").stat().st_size / 1e6
    assert [own[2:] for own in points["bots, free phrasings"]] == [(0.7, 0)]
    out = tmp_path / "plot.png"
    times = ["--times", "default=2300", "minilm=500"]
    assert main([f"default={ours}", str(others), *times, "--plot", str(out)]) == 0
    assert out.read_bytes().startswith(b"\x89PNG")


def test_rows_without_a_name_are_refused(tmp_path: Path) -> None:
    ours = report(tmp_path / "ours.jsonl", "pocketintent", 0.5)
    with pytest.raises(PocketIntentError, match=r"ours\.jsonl: say whose rows these are"):
        read_points([(None, ours)], 10, "logistic")


def test_a_system_without_a_size_is_refused() -> None:
    with pytest.raises(PocketIntentError, match="the size of 'other' is not known"):
        size_of("other")
