import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.runtime.text import ngram_counts as module
from pocketintent.runtime.text.ngram_counts import (
    NUM_BUCKETS,
    count_ngrams,
    count_ngrams_of_texts,
)
from pocketintent.runtime.text.ngrams import fnv1a
from pocketintent.runtime.text.tokenizer import simple_tokenize

DOCS = Path(__file__).resolve().parents[3] / "docs"
VECTORS: list[dict[str, Any]] = [
    json.loads(line) for line in (DOCS / "ngram_vectors.jsonl").read_text("utf-8").split("\n")[:-1]
]


def _plain_counts(text: str) -> np.ndarray:
    """The specification, n-gram by n-gram."""
    counts = np.zeros(512, np.float32)
    for token in simple_tokenize(text):
        bracketed = f"<{token}>"
        for n in (2, 3, 4, 5):
            for start in range(len(bracketed) - n + 1):
                value = fnv1a(bracketed[start : start + n].encode())
                counts[value % 512] += -1 if value >= 2**31 else 1
    return counts


@given(st.text(max_size=60))
def test_counts_are_those_of_the_specification(text: str) -> None:
    counts = count_ngrams(text)
    assert counts.dtype == np.float32 and counts.shape == (NUM_BUCKETS,)
    assert np.array_equal(counts, _plain_counts(text))


@given(st.lists(st.text(max_size=20), max_size=6))
def test_the_counts_of_several_texts_are_those_of_each(texts: list[str]) -> None:
    counts = count_ngrams_of_texts(texts)
    assert counts.shape == (len(texts), NUM_BUCKETS)
    for row, text in zip(counts, texts, strict=True):
        assert np.array_equal(row, count_ngrams(text))


@pytest.mark.parametrize("text", ["", "  ", "\x00", "...", "\ud800"])
def test_a_text_without_tokens_has_no_counts(text: str) -> None:
    assert not count_ngrams(text).any()


@pytest.mark.parametrize("text", ["light" * 900, "😀 é 日本 don't", "a" * 33])
def test_long_words_and_any_script_follow_the_specification(text: str) -> None:
    assert np.array_equal(count_ngrams(text), _plain_counts(text))


def test_the_cache_has_a_limit_and_changes_no_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    slots = module._Slots()
    monkeypatch.setattr(module, "_slots", slots)
    monkeypatch.setattr(module, "_CACHED_WORDS", 12)
    for number in range(40):
        text = f"again {number} {number % 9} {'long' * 10}"
        assert np.array_equal(count_ngrams(text), _plain_counts(text))
        assert len(slots) <= 12
        assert str(number % 9) in slots
        assert "long" * 10 not in slots


def test_counts_depend_on_the_words_and_not_on_their_order() -> None:
    assert np.array_equal(count_ngrams("lights on"), count_ngrams("on LIGHTS!"))
    assert not np.array_equal(count_ngrams("lights on"), count_ngrams("lights of"))


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: ascii(vector["text"][:20]))
def test_the_vectors_of_the_specification_hold(vector: dict[str, Any]) -> None:
    counts = count_ngrams(vector["text"])
    assert [[place, counts[place]] for place in np.flatnonzero(counts)] == vector["counts"]
    assert simple_tokenize(vector["text"]) == vector["tokens"]
    for token, hashes in zip(vector["tokens"], vector["hashes"], strict=True):
        bracketed = f"<{token}>"
        grams = [bracketed[i : i + n] for n in (2, 3, 4, 5) for i in range(len(bracketed) - n + 1)]
        assert [fnv1a(gram.encode()) for gram in grams] == hashes


def test_the_vectors_have_what_ports_get_wrong() -> None:
    tokens = {token for vector in VECTORS for token in vector["tokens"]}
    assert any(len(token) >= 40 for token in tokens)
    assert {"'t", "é", "😀", "灯"} <= tokens | {char for token in tokens for char in token}
    assert any("\ud800" in vector["text"] for vector in VECTORS)
