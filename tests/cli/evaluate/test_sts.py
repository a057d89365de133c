import json
from pathlib import Path

import pytest

from pocketintent.cli.main import main


def test_sts_prints_the_correlations(
    tiny_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "sts.jsonl"
    pairs = [("light", "lamp", 5), ("light", "music", 0), ("pizza", "food", 4.5)]
    path.write_text("\n".join(json.dumps({"a": a, "b": b, "score": s}) for a, b, s in pairs))
    assert main(["evaluate", "sts", str(path), "--model", str(tiny_model)]) == 0
    report = json.loads(capsys.readouterr().out)
    correlations = {"pearson", "spearman", "kendall_b", "kendall_c"}
    assert report.keys() == {"file", "model", *correlations, "pairs"}
    assert (report["file"], report["model"]) == (str(path), str(tiny_model))
    assert report["pearson"] > 0.9
