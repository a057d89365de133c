import json
from pathlib import Path

import pytest

from benchmarks.accuracy.typing_errors import main

TEXTS = {
    "light": ["turn on the light", "the light is off", "light on please"],
    "music": ["play music", "hear a song", "play a song please"],
}


def test_a_teacher_corrects_the_words_of_the_model(
    tiny_model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"text": text, "intent": name} for name, texts in TEXTS.items() for text in texts]
    for split in ("train", "test"):
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / f"{split}.jsonl").write_text(lines)
    corpus = tmp_path / "chats.txt"
    corpus.write_text("order pizza please\nopen the gate\nplay a game\nthe song is on\n")
    given = [tmp_path, "--teacher", tiny_model, "--model", tiny_model, "--corpus", corpus]
    assert main([*map(str, given), "--runs", "1", "--shots", "3", "--errors", "0,2"]) == 0
    results = json.loads(capsys.readouterr().out)["results"]
    assert [(row["system"], row["errors"]) for row in results] == [
        *(("model", 0), ("model", 2)),
        *(("teacher", 0), ("teacher", 2)),
    ]
    assert results[2]["accuracy"] == {"mean": 1.0, "std": 0.0}
