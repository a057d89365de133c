"""The rows of the tokens against one product of all counts."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from sys import getsizeof

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.runtime.decision.logistic import ngram_logits
from pocketintent.runtime.decision.logistic.ngram_logits import MOST_TOKENS, NgramLogits
from pocketintent.runtime.text.ngram_counts import NUM_BUCKETS

NUM_INTENTS = 5
ROW_BYTES = 4 * NUM_INTENTS + ngram_logits._OVERHEAD


def make() -> NgramLogits:
    rng = np.random.default_rng(0)
    weights = rng.normal(size=(NUM_INTENTS, NUM_BUCKETS)).astype(np.float32)
    return NgramLogits(weights, rng.uniform(1, 8, NUM_BUCKETS).astype(np.float32))


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=40), max_size=40))
def test_the_rows_of_the_tokens_give_what_one_product_gives(tokens: Sequence[str]) -> None:
    logits = make()
    assert np.allclose(logits.of_tokens(tokens), logits.plain(tokens), atol=1e-5)


def test_they_are_the_same_to_the_bit_whatever_rows_are_kept() -> None:
    first, second = make(), make()
    second.of_tokens(["lights", "the", "off", "turn", "some", "other", "words"])
    tokens = ["turn", "the", "lights", "off"]
    assert np.array_equal(first.of_tokens(tokens), second.of_tokens(tokens))
    assert np.array_equal(first.of_tokens(tokens), second.of_tokens(tokens))


def test_a_text_without_tokens_adds_nothing() -> None:
    for logits in make().of_tokens([]), make().plain([]):
        assert logits.shape == (NUM_INTENTS,) and not logits.any()


def test_the_rows_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ngram_logits, "_MAX_BYTES", ROW_BYTES * 10)
    logits = make()
    for number in range(100):
        logits.of_tokens([f"word{number}"])
        assert 1 <= len(logits) <= 10


def test_the_rows_of_few_intents_take_no_more_memory_than_allowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    most = 1 << 18
    monkeypatch.setattr(ngram_logits, "_MAX_BYTES", most)
    logits, sizes = make(), []
    for number in range(5000):
        logits.of_tokens([f"word{number}"])
        if number % 100 == 0:
            rows = sum(getsizeof(token) + getsizeof(row) for token, row in logits.items())
            sizes.append(rows + getsizeof(logits))
    assert most / 2 < max(sizes) < most


def test_long_texts_and_long_tokens_keep_no_rows() -> None:
    logits = make()
    logits.of_tokens([f"word{number}" for number in range(MOST_TOKENS + 1)])
    logits.of_tokens(["x" * 33])
    assert not logits
    logits.of_tokens([f"word{number}" for number in range(MOST_TOKENS)])
    assert len(logits) == MOST_TOKENS


def test_copies_and_pickles_have_no_rows() -> None:
    logits = make()
    tokens = ["lights", "on"]
    expected = logits.of_tokens(tokens)
    for other in copy.deepcopy(logits), pickle.loads(pickle.dumps(logits)):
        assert not other
        assert np.array_equal(other.of_tokens(tokens), expected)


def test_threads_share_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ngram_logits, "_MAX_BYTES", ROW_BYTES * 8)
    logits, plain = make(), make()
    texts = [[f"w{number % 20}", f"w{number % 7}"] for number in range(400)]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(logits.of_tokens, texts))
    for tokens, result in zip(texts, results, strict=True):
        assert np.allclose(result, plain.plain(tokens), atol=1e-5)
