from pathlib import Path

import numpy as np
import orjson
import pytest

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.teachers.paraphrases import ALONE, Paraphrases, read_paraphrases


def encode(text: str) -> list[int]:
    return [len(word) for word in text.replace(".", "").split()]


def test_bots_and_groups_are_read(paraphrases: list[Path]) -> None:
    found = read_paraphrases(paraphrases, encode)
    assert found is not None
    (bot,) = found.bots
    assert bot.labels.tolist() == [0, 0, 0, 1, 1, 1, ALONE, ALONE]  # "..." has no word
    assert bot.texts[0] == [4, 4]
    assert found.groups == [[[4, 4], [4, 4], [4]], [[4], [3, 4]]]
    assert read_paraphrases([], encode) is None


def test_a_bot_or_several_groups_are_drawn(paraphrases: list[Path]) -> None:
    found = read_paraphrases(paraphrases, encode)
    assert found is not None
    rng = np.random.default_rng(0)
    drawn = [found.draw(rng) for _ in range(40)]
    bots = [own for own in drawn if own is found.bots[0]]
    assert 8 < len(bots) < 32
    groups = next(own for own in drawn if own is not found.bots[0])
    assert len(groups.texts) == 5 and sorted(np.bincount(groups.labels)) == [2, 3]


def test_either_kind_may_be_missing(paraphrases: list[Path]) -> None:
    rng = np.random.default_rng(0)
    found = read_paraphrases(paraphrases, encode)
    assert found is not None
    for _ in range(8):
        assert Paraphrases(found.bots, []).draw(rng) is found.bots[0]
        assert len(Paraphrases([], found.groups).draw(rng).texts) == 5


def test_sixteen_of_many_groups_are_compared() -> None:
    groups = [[[number], [number, 0]] for number in range(100)]
    drawn = Paraphrases([], groups).draw(np.random.default_rng(0))
    assert len(set(drawn.labels.tolist())) == 16
    for label in range(16):
        first, second = (drawn.texts[place] for place in np.flatnonzero(drawn.labels == label))
        assert first[0] == second[0]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"text": "play"}, r'groups\.jsonl, line 2: "texts" must be a list of texts'),
        ({"texts": ["play", 3]}, r'groups\.jsonl, line 2: "texts" must be a list of texts'),
        ({"texts": ["play", "..."]}, r"line 2: a group has at least two texts"),
        ([], r"groups\.jsonl, line 2"),
    ],
)
def test_a_bad_line_is_refused_with_its_place(line: object, message: str, tmp_path: Path) -> None:
    path = tmp_path / "groups.jsonl"
    path.write_bytes(orjson.dumps({"texts": ["a b", "b a"]}) + b"\n" + orjson.dumps(line))
    with pytest.raises(PocketIntentError, match=message):
        read_paraphrases([path], encode)
