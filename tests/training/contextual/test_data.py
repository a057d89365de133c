from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.text.ngrams import ngram_buckets
from pocketintent.training.contextual.data import (
    ContextualData,
    TextBatches,
    make_batch,
    prepare_texts,
)
from pocketintent.training.contextual.settings import ContextualSettings
from pocketintent.training.corpora.encoded import cut
from pocketintent.training.vectors.table import TermVectors

SETTINGS = ContextualSettings(dim=4, num_buckets=50, validation=0.0, batch_words=6)
TEXTS = ["play jazz", "play some jazz", "zebra", "stop it", "stop xyzzy now", "..."]


def prepare(texts: list[str] = TEXTS, settings: ContextualSettings = SETTINGS) -> ContextualData:
    vectors = np.random.default_rng(0).standard_normal((len(texts), 4)).astype(np.float32)
    return prepare_texts(TermVectors(texts, vectors), settings)


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
    batch = make_batch(data, text, np.array([True, False, False]))
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


def test_an_epoch_has_every_text_once_in_batches_of_about_equally_many_words() -> None:
    texts = [" ".join(["word"] * (1 + i % 4)) + f" a{i % 7}" for i in range(60)]
    data = prepare(texts)
    settings = replace(SETTINGS, unknown=0.0, batch_words=20)
    batches = TextBatches(data, settings)
    own = [batches.batch(i).texts for i in range(batches.start_epoch(3))]
    assert sum(len(texts) for texts in own) == 60
    assert sum(len(texts.ids) for texts in own) == len(data.training.ids)
    assert all(15 <= len(texts.ids) <= 25 for texts in own)
    assert any(len(set(texts.lengths.tolist())) > 1 for texts in own)
    again = TextBatches(data, settings)
    again.start_epoch(3)
    assert again.batch(5).texts.ids.tolist() == own[5].ids.tolist()


@given(st.lists(st.integers(1, 40), min_size=1, max_size=200), st.integers(1, 100))
def test_batches_are_parts_of_the_order(lengths: list[int], batch_words: int) -> None:
    order = np.random.default_rng(0).permutation(len(lengths))
    batches = cut(order, np.array(lengths)[order], batch_words)
    assert np.concatenate(batches).tolist() == order.tolist()
    assert all(len(batch) for batch in batches)
    longest = max(lengths)
    assert all(sum(lengths[i] for i in batch) < batch_words + longest for batch in batches)


def test_a_batch_has_at_most_2048_texts() -> None:
    sizes = [len(batch) for batch in cut(np.arange(5000), np.ones(5000, np.int64), 10_000)]
    assert sum(sizes) == 5000
    assert max(sizes) <= 2048


def test_a_share_of_the_words_is_read_by_ngrams() -> None:
    data = prepare(["play jazz"] * 400 + ["stop", "play", "jazz"])
    batches = TextBatches(data, replace(SETTINGS, unknown=0.25, batch_words=10_000))
    sizes = [batches.batch(i) for i in range(batches.start_epoch(0))]
    spelt = sum(len(batch.spelt) for batch in sizes) / sum(b.word_places.size for b in sizes)
    assert 0.15 < spelt < 0.35


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
