import json
from pathlib import Path

import pytest

pytest.importorskip("torch")
from benchmarks.accuracy.adaptation import main

UTTERANCES = {
    "on": ["turn on the light", "lamp on please", "put the lights on"],
    "music": ["play some jazz", "hear music", "play a song"],
}


def test_a_line_for_each_number_of_templates(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "toy"
    folder.mkdir()
    rows = [
        json.dumps({"text": text, "intent": name})
        for name, texts in UTTERANCES.items()
        for text in texts
    ]
    for split in ("train", "test"):
        (folder / f"{split}.jsonl").write_text("\n".join(rows))
    options = ["--sets", "toy", "--shots", "2", "3", "--runs", "2", "--epochs", "2"]
    files = ["--teacher", "tiny", "--model", "tiny", "--intents", tmp_path]
    assert main([*map(str, files), *options]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["shots"] for line in lines] == [2, 3]
    for line in lines:
        gain = line["after"]["mean"] - line["before"]["mean"]
        assert line["gain"]["mean"] == pytest.approx(gain)
    # With all utterances as templates there is nothing to lose.
    assert lines[1]["before"]["mean"] == lines[1]["after"]["mean"] == 1


def test_a_model_is_adapted_to_each_bot_of_a_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    intents = {name: {"templates": texts, "phrasings": texts} for name, texts in UTTERANCES.items()}
    (tmp_path / "home.json").write_text(json.dumps({"intents": intents}))
    files = ["--teacher", "fast", "--model", "tiny", "--bots", tmp_path]
    assert main([*map(str, files)]) == 0
    (line,) = map(json.loads, capsys.readouterr().out.splitlines())
    # The phrasings are the templates, so nothing is gained, but the scores are others.
    assert line["before"]["in_front"]["count"] == line["after"]["in_front"]["count"] == 6
    assert line["before"]["bins"] != line["after"]["bins"]
