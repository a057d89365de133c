import json
from pathlib import Path

import pytest

from pocketintent.cli.main import build_parser, main


def test_sts_prints_the_correlations(
    tiny_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "sts.jsonl"
    pairs = [("light", "lamp", 5), ("light", "music", 0), ("pizza", "food", 4.5)]
    path.write_text("\n".join(json.dumps({"a": a, "b": b, "score": s}) for a, b, s in pairs))
    assert main(["evaluate", "sts", str(path), "--model", str(tiny_model)]) == 0
    report = json.loads(capsys.readouterr().out)
    correlations = {"pearson", "spearman", "kendall_b", "kendall_c"}
    assert report.keys() == {"file", "model", *correlations, "pairs", "columns"}
    assert (report["file"], report["model"]) == (str(path), str(tiny_model))
    assert report["pearson"] > 0.9


@pytest.mark.parametrize("named", [False, True])
def test_the_correlations_of_a_table_are_printed(
    named: bool, tiny_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "phrases.csv"
    head = "left,right,mine" if named else "anchor,target,score"
    path.write_text(f"{head}\nlight,lamp,1.0\nlight,music,0.0\npizza,food,0.75\n")
    options = ["--a", "left", "--b", "right", "--score", "mine"] if named else []
    args = build_parser().parse_args(
        ["evaluate", "sts", str(path), "--model", str(tiny_model), *options]
    )
    assert args.run(args) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["file"], report["model"]) == (str(path), str(tiny_model))
    assert report["pairs"] == 3
    assert report["pearson"] > 0.9
    assert report["columns"] == head.split(",")
