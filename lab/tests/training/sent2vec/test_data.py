from collections.abc import Callable

import numpy as np
import pytest

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.corpora.encoded import EncodedCorpus
from pocketintent_lab.training.sent2vec.data import SentenceBatch, SentenceBatches, bigram_buckets
from pocketintent_lab.training.sent2vec.settings import Sent2VecSettings

MakeCorpus = Callable[..., EncodedCorpus]
NUM_WORDS = 30
COUNTS = np.arange(NUM_WORDS, 0, -1)
SETTINGS = Sent2VecSettings(batch_tokens=20, num_buckets=50, negatives=3)


@pytest.fixture(scope="module")
def corpus(make_corpus: MakeCorpus) -> EncodedCorpus:
    rng = np.random.default_rng(0)
    return make_corpus(
        [[rng.integers(0, NUM_WORDS, rng.integers(1, 9)).tolist()] for _ in range(60)]
    )


def sentences(batch: SentenceBatch) -> list[tuple[int, ...]]:
    bounds = np.flatnonzero(np.diff(batch.owners)) + 1
    return [tuple(part.tolist()) for part in np.split(batch.words, bounds)]


def test_an_epoch_has_every_sentence_whole_and_once_except_single_words(
    corpus: EncodedCorpus,
) -> None:
    batches = SentenceBatches(corpus, COUNTS, SETTINGS)
    bounds = zip(corpus.sentences[:-1], corpus.sentences[1:], strict=True)
    expected = [tuple(corpus.ids[a:b].tolist()) for a, b in bounds if b - a > 1]
    epochs = []
    for epoch in (0, 1, 0):
        batches.start_epoch(epoch)
        parts = [batches.batch(number) for number in range(len(batches))]
        assert max(len(part.words) for part in parts) < 20 + 8
        epochs.append([sentence for part in parts for sentence in sentences(part)])
    assert epochs[0] == epochs[2] != epochs[1]
    assert sorted(epochs[0]) == sorted(epochs[1]) == sorted(expected)
    assert batches.words_per_epoch == sum(map(len, expected))


def test_a_batch_depends_on_seed_epoch_and_number_alone(corpus: EncodedCorpus) -> None:
    first, second = (SentenceBatches(corpus, COUNTS, SETTINGS) for _ in range(2))
    for number in range(len(first)):
        first.batch(number)
    one, other = first.batch(2), second.batch(2)
    for name in ("words", "owners", "bigrams", "places", "predicted", "negatives"):
        assert np.array_equal(getattr(one, name), getattr(other, name))


def test_bigrams_are_pairs_of_neighbours_in_a_sentence(corpus: EncodedCorpus) -> None:
    batch = SentenceBatches(corpus, COUNTS, SETTINGS).batch(0)
    inside = [i for i in range(len(batch.words) - 1) if batch.owners[i] == batch.owners[i + 1]]
    assert batch.places.tolist() == inside
    pairs = batch.words[batch.places], batch.words[batch.places + 1]
    assert batch.bigrams.tolist() == bigram_buckets(*pairs, 50).tolist()
    without = SentenceBatches(corpus, COUNTS, Sent2VecSettings(num_buckets=0)).batch(0)
    assert len(without.bigrams) == len(without.places) == 0


def test_buckets_are_even_and_depend_on_the_order_of_the_words() -> None:
    first, second = np.divmod(np.arange(10_000), 100)
    buckets = bigram_buckets(first, second, 20)
    assert buckets.min() == 0 and buckets.max() == 19
    assert np.bincount(buckets).std() < 50
    assert (bigram_buckets(second, first, 1000) != bigram_buckets(first, second, 1000)).mean() > 0.9


def test_every_word_is_predicted_unless_frequent_words_are_skipped(
    make_corpus: MakeCorpus,
) -> None:
    corpus = make_corpus([[[0, 0, 0, 1]]] * 3000)
    counts = np.array([9000, 1000])
    assert SentenceBatches(corpus, counts, SETTINGS).batch(0).predicted.all()
    settings = Sent2VecSettings(subsample=0.1, batch_tokens=12_000)
    batch = SentenceBatches(corpus, counts, settings).batch(0)
    assert batch.predicted[batch.words == 1].all()
    share = batch.predicted[batch.words == 0].mean()
    assert share == pytest.approx((0.1 / 0.9) ** 0.5 + 0.1 / 0.9, abs=0.03)


def test_a_corpus_of_single_words_is_an_error(make_corpus: MakeCorpus) -> None:
    with pytest.raises(PocketIntentError, match="no sentence of two known words"):
        SentenceBatches(make_corpus([[[1]], [[2]]]), COUNTS, SETTINGS)
