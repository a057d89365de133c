"""A corpus for the tests of several methods of training."""

import json
from pathlib import Path

import pytest


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.jsonl"
    rows = [
        {"text": f"{verb} the {noun}", "intent": verb}
        for verb in ("play", "stop", "find")
        for noun in ("song", "film", "jazz", "news")
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    return path
