from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.text.ngrams import ngram_buckets
from pocketintent.training.contextual.data import (
    ContextualData,
    prepare_texts,
    rows_of,
)
from pocketintent.training.contextual.settings import ContextualSettings
from pocketintent.training.vectors.table import TermVectors

SETTINGS = ContextualSettings(dim=4, num_buckets=50, validation=0.0, batch_words=6)
TEXTS = ["play jazz", "play some jazz", "zebra", "stop it", "stop xyzzy now", "..."]


def prepare(
    texts: list[str] = TEXTS,
    settings: ContextualSettings = SETTINGS,
    paraphrases: Sequence[Path] = (),
) -> ContextualData:
    vectors = np.random.default_rng(0).standard_normal((len(texts), 4)).astype(np.float32)
    return prepare_texts(TermVectors(texts, vectors), settings, paraphrases=paraphrases)


def test_frequent_words_and_single_words_get_vectors_and_the_others_are_spelt() -> None:
    data = prepare()
    assert set(data.words.words) == {"play", "jazz", "stop", "zebra"}
    assert len(data.offsets) - 1 == 8  # with some, it, xyzzy and now
    assert data.num_left_out == 1


def test_each_word_has_the_buckets_of_its_ngrams() -> None:
    data = prepare()
    number = data.words.words.index("zebra")
    own = data.buckets[data.offsets[number] : data.offsets[number + 1]]
    assert own.tolist() == ngram_buckets("zebra", 3, 5, 50)


def test_a_batch_names_the_rows_that_its_tokens_need() -> None:
    data = prepare()
    text = data.training.take(np.array([4]))  # stop xyzzy now
    batch = rows_of(data, text.ids, np.array([True, False, False]))
    assert batch.word_places.shape == (3,)
    assert batch.words.tolist() == []
    assert batch.spelt.tolist() == [0, 1, 2]
    ends = [*batch.bags[1:], len(batch.bucket_places)]
    bags = [
        batch.buckets[batch.bucket_places[start:end]].tolist()
        for start, end in zip(batch.bags, ends, strict=True)
    ]
    read = [bags[number] for number in batch.spelt_words]
    assert read == [ngram_buckets(word, 3, 5, 50) for word in ("stop", "xyzzy", "now")]


def test_words_of_paraphrases_are_numbered_and_spelt(paraphrases: list[Path]) -> None:
    data = prepare(paraphrases=paraphrases)
    assert data.paraphrases is not None
    names = [*data.words.words, *data.strangers]
    assert [names[number] for number in data.paraphrases.bots[0].texts[0]] == ["play", "jazz"]
    lamp = data.paraphrases.groups[1][0][0]
    assert names[lamp] == "lamp" and lamp >= len(data.words)
    own = data.buckets[data.offsets[lamp] : data.offsets[lamp + 1]]
    assert own.tolist() == ngram_buckets("lamp", 3, 5, 50)


def test_long_texts_are_cut() -> None:
    data = prepare(["a b c d e f", "a b", "c d"], replace(SETTINGS, max_length=3))
    assert sorted(data.training.lengths.tolist()) == [2, 2, 3]


def test_rotated_targets_keep_their_similarities() -> None:
    data = prepare()
    rotation, _ = np.linalg.qr(np.random.default_rng(1).standard_normal((4, 4)))
    turned = data.turn(rotation.astype(np.float32)).training.targets
    own = data.training.targets
    np.testing.assert_allclose(turned @ turned.T, own @ own.T, atol=1e-5)
    assert np.abs(turned - own).max() > 0.01


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"width": 4}, "width must be an odd number, not 4"),
        ({"min_n": 5, "max_n": 3}, "min_n must be at most max_n, 3, not 5"),
        ({"hidden": 0}, "hidden must be"),
        ({"unknown": 1.5}, "unknown must be"),
    ],
)
def test_settings_that_are_not_allowed(changes: dict[str, int], message: str) -> None:
    with pytest.raises(PocketIntentError, match=message):
        replace(SETTINGS, **changes).check()


def test_targets_that_cannot_be_used() -> None:
    with pytest.raises(PocketIntentError, match="dim 9 is more than the 4"):
        prepare(settings=replace(SETTINGS, dim=9))
    with pytest.raises(PocketIntentError, match="1 usable texts"):
        prepare(["play", "..."])
