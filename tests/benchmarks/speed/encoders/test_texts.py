import json
from pathlib import Path

import pytest

from benchmarks.speed.encoders.texts import KINDS, draw_texts
from pocketintent import PocketIntentError


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Six texts of each kind, in the files of the public data sets."""
    numbers = ["one", "two", "three", "four", "five", "six"]
    intents = tmp_path / "intents" / "clinc150"
    intents.mkdir(parents=True)
    rows = [{"text": f"show number {number}", "intent": "show"} for number in numbers]
    for split in ("train", "test"):
        (intents / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    phrases = [*numbers, *(f"number {number}" for number in numbers)]
    document = {"id": "1", "text": "; ".join(phrases), "keyphrases": phrases}
    (tmp_path / "terms").mkdir()
    (tmp_path / "terms" / "inspec.jsonl").write_text(json.dumps(document) + "\n")
    return tmp_path


def test_each_kind_comes_with_each_number_of_errors(data: Path) -> None:
    drawn = list(draw_texts(data, [0, 1], timed=2, others=3))

    assert [(texts.kind, texts.errors) for texts in drawn] == [
        (k, n) for n in (0, 1) for k in KINDS
    ]
    for texts in drawn:
        assert (len(texts.timed), len(texts.others)) == (2, 3)
        assert not set(texts.timed) & set(texts.others)
    clean, misspelt = drawn[:3], drawn[3:]
    for before, after in zip(clean, misspelt, strict=True):
        assert all(a != b for a, b in zip(before.timed, after.timed, strict=True))
    assert all(" " not in text for text in clean[0].timed)
    assert all(" " in text for text in clean[1].timed)


def test_too_few_texts_are_refused_with_both_numbers(data: Path) -> None:
    with pytest.raises(PocketIntentError, match="7 words are asked for; the data have 6"):
        list(draw_texts(data, [0], timed=4, others=3))
