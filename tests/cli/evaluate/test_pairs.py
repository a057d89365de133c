import json
from pathlib import Path

import pytest

from pocketintent.cli.main import build_parser


@pytest.mark.parametrize("named", [False, True])
def test_the_correlations_of_a_table_are_printed(
    named: bool, tiny_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "phrases.csv"
    head = "left,right,mine" if named else "anchor,target,score"
    path.write_text(f"{head}\nlight,lamp,1.0\nlight,music,0.0\npizza,food,0.75\n")
    options = ["--a", "left", "--b", "right", "--score", "mine"] if named else []
    args = build_parser().parse_args(
        ["evaluate", "pairs", str(path), "--model", str(tiny_model), *options]
    )
    assert args.run(args) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["file"], report["model"]) == (str(path), str(tiny_model))
    assert report["pairs"] == 3
    assert report["pearson"] > 0.9
    assert report["columns"] == head.split(",")
