from collections.abc import Sequence

import numpy as np
import pytest

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders import word_cache
from pocketintent.runtime.encoders.word_cache import WordCache


class Embedder:
    """Embeds a word as its length, and notes each call."""

    def __init__(self) -> None:
        self.calls: list[Sequence[str]] = []

    def __call__(self, words: Sequence[str]) -> FloatArray:
        self.calls.append(words)
        return np.array([[len(word)] for word in words], np.float32)


def test_the_missing_words_are_computed_together_in_order_and_once() -> None:
    embed = Embedder()
    cache = WordCache(embed, 1)

    vectors = cache(["b", "aaa", "b"])

    assert vectors["b"] == 1 and vectors["aaa"] == 3
    assert cache(iter(["aaa", "cc"]))["cc"] == 2
    assert cache(["aaa", "b"])["b"] == 1
    assert cache([]) is not None
    assert embed.calls == [["aaa", "b"], ["cc"]]


def test_a_call_has_all_its_words_however_small_the_cache(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(word_cache, "WORD_CACHE", 3)
    cache = WordCache(Embedder(), 1)
    for words in ("a bb", "bb ccc d", "a bb ccc d eeeee", "d a", "a bb ccc", "e"):
        vectors = cache(words.split())
        assert {word: vectors[word].item() for word in words.split()} == {
            word: len(word) for word in words.split()
        }
        assert len(cache) <= 3


@pytest.mark.parametrize(("size", "kept"), [(1, 3), (5, 2), (11, 0)])
def test_fewer_large_vectors_are_kept(
    size: int, kept: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(word_cache, "WORD_CACHE", 3)
    monkeypatch.setattr(word_cache, "MAX_NUMBERS", 10)
    cache = WordCache(Embedder(), size)
    for words in ("a", "bb a", "a ccc", "dddd a bb ccc"):
        vectors = cache(words.split())
        assert all(vectors[word].item() == len(word) for word in words.split())
        assert len(cache) <= kept
