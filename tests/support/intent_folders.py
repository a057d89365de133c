"""A data set of intents for the tests of evaluation."""

import json
from pathlib import Path

import pytest

TRAIN = {
    "lights_on": ["turn on the light", "switch on the lamp", "lights on please", "lamp on"],
    "lights_off": ["turn off the light", "switch off the lamp", "lights off", "lamp off please"],
    "music": ["play music", "hear a song", "play jazz please", "put the song"],
    "food": ["order pizza", "hungry eat pasta", "order food please"],
    "greet": ["hello"],
}
TEST = {
    "lights_on": ["switch the light on", "could you turn the lamp on"],
    "lights_off": ["put the light off"],
    "music": ["hear jazz", "zzz unheard words"],
    "food": ["eat pizza"],
    "unseen": ["lock the door"],
}
OUTSIDE = ["freezing cold", "open the gate", "bye thanks"]


def write_utterances(path: Path, intents: dict[str, list[str]]) -> None:
    rows = [{"text": text, "intent": name} for name, texts in intents.items() for text in texts]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture(scope="session")
def intent_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny, unbalanced data set: one intent has one template, another only queries."""
    folder = tmp_path_factory.mktemp("intents") / "tiny"
    folder.mkdir()
    write_utterances(folder / "train.jsonl", TRAIN)
    write_utterances(folder / "test.jsonl", TEST)
    write_utterances(folder / "valid.jsonl", {name: texts[:1] for name, texts in TEST.items()})
    outside = "".join(json.dumps({"text": text, "intent": None}) + "\n" for text in OUTSIDE)
    for split in ("valid", "test"):
        (folder / f"oos_{split}.jsonl").write_text(outside, encoding="utf-8")
    return folder
