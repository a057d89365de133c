"""A folder of intents for the tests of several tasks."""

import json
from pathlib import Path

import pytest

TRAIN = {
    "lights": ["turn on the light", "switch off the lamp", "lights on please"],
    "music": ["play music", "hear a song", "play jazz please"],
}


@pytest.fixture
def intent_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "rooms"
    folder.mkdir()
    rows = [{"text": text, "intent": name} for name, texts in TRAIN.items() for text in texts]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    for split in ("train", "valid", "test"):
        (folder / f"{split}.jsonl").write_text(lines)
    for split in ("valid", "test"):
        (folder / f"oos_{split}.jsonl").write_text('{"text": "order pizza", "intent": null}\n')
    return folder
