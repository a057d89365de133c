import numpy as np
import pytest

torch = pytest.importorskip("torch")
from pocketintent.training.corpora.word_counts import CountedVocabulary  # noqa: E402
from pocketintent.training.distil.pipeline import (  # noqa: E402
    TextBatches,
    WordSums,
    prepare_texts,
)
from pocketintent.training.distil.settings import DistilSettings  # noqa: E402
from pocketintent.training.teachers.targets import (  # noqa: E402
    TargetTexts,
    TextData,
    initial_word_vectors,
)
from pocketintent.training.vectors.table import TermVectors  # noqa: E402


def some_texts(num_texts: int = 20, num_words: int = 9, dim: int = 5) -> TargetTexts:
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 6, num_texts)
    targets = rng.standard_normal((num_texts, dim)).astype(np.float32)
    targets /= np.linalg.norm(targets, axis=1, keepdims=True)
    ids = rng.integers(0, num_words, lengths.sum())
    return TargetTexts(ids, np.append(0, lengths.cumsum()), targets)


def test_gradients_equal_autograd() -> None:
    texts = some_texts()
    vectors = np.random.default_rng(1).standard_normal((9, 5)).astype(np.float32)
    gradients = WordSums(DistilSettings(dim=5), vectors).gradients(texts)
    table = torch.tensor(vectors, requires_grad=True)
    sums = torch.stack(
        [
            table[torch.from_numpy(texts.ids[first:last])].sum(0)
            for first, last in zip(texts.offsets, texts.offsets[1:], strict=False)
        ]
    )
    targets = torch.from_numpy(texts.targets)
    loss = (1 - torch.nn.functional.cosine_similarity(sums, targets)).sum()
    loss.backward()
    assert int(gradients.num_examples) == 20
    assert float(gradients.loss) == pytest.approx(loss.item(), abs=1e-4)
    assert table.grad is not None
    torch.testing.assert_close(gradients.values, table.grad[gradients.rows], atol=1e-5, rtol=1e-4)
    unused = set(range(9)) - set(gradients.rows.tolist())
    assert not table.grad[sorted(unused)].any()


def test_a_sum_of_zeros_has_a_finite_gradient() -> None:
    texts = TargetTexts(np.array([0]), np.array([0, 1]), np.array([[1, 0]], np.float32))
    gradients = WordSums(DistilSettings(dim=2), np.zeros((1, 2), np.float32)).gradients(texts)
    assert torch.isfinite(gradients.values).all()


def test_an_epoch_has_every_text_once_and_depends_on_seed_and_epoch_alone() -> None:
    texts = some_texts()
    batches = TextBatches(texts, DistilSettings(batch_size=6))
    assert (len(batches), batches.words_per_epoch) == (4, len(texts.ids))
    epochs = []
    for epoch in (0, 1, 0):
        batches.start_epoch(epoch)
        epochs.append(np.concatenate([batches.batch(i).targets for i in range(4)]))
    assert not np.array_equal(epochs[0], epochs[1])
    assert np.array_equal(epochs[0], epochs[2])
    assert sorted(map(tuple, epochs[1].tolist())) == sorted(map(tuple, texts.targets.tolist()))


def test_mean_cosine_is_the_same_with_any_batch_size() -> None:
    texts = some_texts()
    vectors = np.random.default_rng(1).standard_normal((9, 5)).astype(np.float32)
    small = WordSums(DistilSettings(dim=5, batch_size=3), vectors).mean_cosine(texts)
    assert small == pytest.approx(WordSums(DistilSettings(dim=5), vectors).mean_cosine(texts))


def test_a_word_begins_at_its_own_target_or_at_the_mean_of_its_texts() -> None:
    terms = ["play", "play jazz", "stop jazz jazz"]
    vectors = np.array([[1, 0], [0, 1], [0.6, 0.8]], np.float32)
    settings = DistilSettings(dim=2, min_count=1, validation=0.0)
    data = prepare_texts(TermVectors(terms, vectors), settings)
    alone, with_play, with_stop = data.training.targets
    initial = dict(
        zip(
            data.words.words,
            initial_word_vectors(data.training, data.words.counts, 0.0),
            strict=True,
        )
    )
    np.testing.assert_allclose(initial["play"], alone, atol=1e-6)
    np.testing.assert_allclose(initial["stop"], with_stop, atol=1e-6)
    mean = with_play + 2 * with_stop
    np.testing.assert_allclose(initial["jazz"], mean / np.linalg.norm(mean), atol=1e-6)


def test_frequent_words_begin_short() -> None:
    words = CountedVocabulary(["the", "lamp"], np.array([90, 10]))
    texts = TargetTexts(np.array([0, 1]), np.array([0, 1, 2]), np.eye(2, dtype=np.float32))
    data = TextData(words, texts, texts.take(np.empty(0, np.int64)))
    lengths = np.linalg.norm(initial_word_vectors(data.training, data.words.counts, 0.1), axis=1)
    np.testing.assert_allclose(lengths, [0.1, 0.5], atol=1e-6)
