import numpy as np
import pytest

torch = pytest.importorskip("torch")
from pocketintent_lab.training.sent2vec.data import SentenceBatch  # noqa: E402
from pocketintent_lab.training.sent2vec.model import Sent2Vec  # noqa: E402
from pocketintent_lab.training.sent2vec.settings import Sent2VecSettings  # noqa: E402

NUM_WORDS, NUM_BUCKETS = 12, 5


def some_batch(num_buckets: int) -> SentenceBatch:
    """Sentences of two words and more; 20 words, so that the second group is not full."""
    rng = np.random.default_rng(0)
    owners = np.repeat(np.arange(4), (2, 9, 3, 6))
    places = np.flatnonzero(owners[1:] == owners[:-1]) if num_buckets else np.empty(0, np.int64)
    return SentenceBatch(
        rng.integers(0, NUM_WORDS, 20),
        owners,
        rng.integers(0, max(num_buckets, 1), len(places)),
        places,
        np.arange(20) % 7 != 3,
        rng.integers(0, NUM_WORDS, (2, 4)),
    )


def loss_by_definition(table: "torch.Tensor", batch: SentenceBatch) -> "torch.Tensor":
    """The loss; the gradient of a mean is passed on to its members whole."""
    loss = torch.zeros(())
    for place, word in enumerate(batch.words.tolist()):
        if not batch.predicted[place]:
            continue
        own = batch.owners == batch.owners[place]
        context = [int(batch.words[i]) for i in np.flatnonzero(own) if i != place]
        context += [
            2 * NUM_WORDS + int(bucket)
            for bucket, start in zip(batch.bigrams, batch.places, strict=True)
            if own[start] and place not in (start, start + 1)
        ]
        members = table[context].sum(0)
        mean = (members / len(context)).detach() + members - members.detach()
        negatives = [n for n in batch.negatives[place // 16].tolist() if n != word]
        scores = table[NUM_WORDS + torch.tensor([word, *negatives])] @ mean
        signs = torch.tensor([1.0] + [-1.0] * len(negatives))
        loss = loss - torch.nn.functional.logsigmoid(signs * scores).sum()
    return loss


@pytest.mark.parametrize("num_buckets", [0, NUM_BUCKETS])
def test_gradients_equal_autograd(num_buckets: int) -> None:
    settings = Sent2VecSettings(dim=6, num_buckets=num_buckets)
    model = Sent2Vec(settings, NUM_WORDS)
    model.words.table.normal_(generator=torch.Generator().manual_seed(0))
    batch = some_batch(num_buckets)
    before = model.words.table.clone()
    gradients = model.gradients(batch)
    assert torch.equal(model.words.table, before)
    table = before.clone().requires_grad_()
    loss = loss_by_definition(table, batch)
    loss.backward()
    assert float(gradients.loss) == pytest.approx(loss.item(), rel=1e-5)
    assert int(gradients.num_examples) == batch.predicted.sum()
    assert table.grad is not None
    torch.testing.assert_close(gradients.values, table.grad[gradients.rows], atol=1e-5, rtol=1e-4)
    unused = set(range(len(table))) - set(gradients.rows.tolist())
    assert not table.grad[sorted(unused)].any()


def test_a_sentence_of_two_words_has_no_bigram_as_context() -> None:
    model = Sent2Vec(Sent2VecSettings(dim=6, num_buckets=NUM_BUCKETS), NUM_WORDS)
    batch = SentenceBatch(
        np.array([3, 4]),
        np.zeros(2, np.int64),
        np.array([1]),
        np.array([0]),
        np.ones(2, np.bool_),
        np.array([[7]]),
    )
    model.words.table.normal_(generator=torch.Generator().manual_seed(0))
    gradients = model.gradients(batch)
    bigram = gradients.rows.tolist().index(2 * NUM_WORDS + 1)
    assert gradients.values[bigram].abs().max() < 1e-6
    assert torch.isfinite(gradients.values).all()


def test_targets_begin_at_zero_and_the_model_has_the_context_rows() -> None:
    model = Sent2Vec(Sent2VecSettings(dim=6, num_buckets=NUM_BUCKETS), NUM_WORDS)
    assert not model.words.table[NUM_WORDS : 2 * NUM_WORDS].any()
    assert torch.equal(model.word_embeddings(), model.words.table[:NUM_WORDS])
    assert 0.1 < float(model.word_embeddings().abs().max()) * 6 <= 1
