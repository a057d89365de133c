import json
from pathlib import Path

import pytest

from pocketintent.cli.main import main


def test_oos_prints_auroc_and_threshold(
    tiny_model: Path, intent_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--model", str(tiny_model), "--shots", "2", "--runs", "2"]
    assert main(["evaluate", "oos", str(intent_dir), *options]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["model"] == str(tiny_model)
    assert report["results"][0]["auroc"]["mean"] == 1.0
    assert report["results"][0]["oos_recall"]["mean"] == 1.0
