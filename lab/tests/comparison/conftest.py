"""The files and the plan of a small comparison."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pocketintent_lab.comparison.plan import Plan, read_plan

PLAN = """\
title = "A <small> comparison"
seeds = [0, 1]

[corpora.chats]
files = ["chats.txt"]

[corpora.sts]
pairs = ["pairs.jsonl"]

[measure]
sts = "pairs.jsonl"
intents = ["intents"]
shots = [1]
draws = 1
decisions = ["nearest"]

[curves]
epochs = [1, 3]
shares = [50, 100]
corpora = ["chats"]

[[algorithms]]
name = "CBOW"
train = "words"
options = {epochs = 3, min-count = 1}

[[algorithms]]
name = "own"
train = "sent2vec"
corpora = ["chats"]
epochs = []

[compression]
algorithm = "own"
corpus = "chats"
keep = [2, 5]
sub-dims = [2]
codebook-sizes = [2, 4]
variants = ["shared", "rotated"]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the files that ``PLAN`` names, and the plan as ``plan.toml``."""
    data = tmp_path / "data"
    (data / "intents").mkdir(parents=True)
    texts = ["turn on the lamp", "turn off the lamp", "play music", "stop the music"]
    (data / "chats.txt").write_text("\n".join(texts * 5) + "\n\n")
    pairs = [{"a": texts[i], "b": texts[i - 1], "score": i} for i in range(4)]
    write_lines(data / "pairs.jsonl", pairs)
    utterances = [{"text": text, "intent": text.split()[-1]} for text in texts]
    for split in ("train", "valid"):
        write_lines(data / "intents" / f"{split}.jsonl", utterances)
    (data / "plan.toml").write_text(PLAN)
    return data


@pytest.fixture
def plan_of(folder: Path) -> Callable[..., Plan]:
    """Reads ``PLAN`` with parts of its text replaced: ``plan_of(("old", "new"), …)``."""

    def read(*changes: tuple[str, str]) -> Plan:
        content = PLAN
        for old, new in changes:
            assert old in content
            content = content.replace(old, new)
        (folder / "plan.toml").write_text(content)
        return read_plan(folder / "plan.toml")

    return read


def write_lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
