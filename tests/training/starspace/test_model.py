"""The gradients of a batch against loops over words, and what a step makes of them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
import numpy as np  # noqa: E402

from pocketintent.runtime.errors import PocketIntentError  # noqa: E402
from pocketintent.runtime.text.ngrams import ngram_buckets  # noqa: E402
from pocketintent.training.corpora.encoded import EncodedCorpus  # noqa: E402
from pocketintent.training.starspace.data import BagBatch, BagBatches, Bags, WordBatch  # noqa: E402
from pocketintent.training.starspace.model import BatchGradients, StarSpace  # noqa: E402
from pocketintent.training.starspace.settings import StarSpaceSettings  # noqa: E402

WORDS = [f"word{letter}" for letter in "abcdefghij"]
LOSSES = st.sampled_from(["margin", "softmax"])


def make_model(settings: StarSpaceSettings, num_labels: int = 0) -> StarSpace:
    return StarSpace(settings, WORDS, num_labels=num_labels)


def plain_compose(
    model: StarSpace, words: "torch.Tensor", ngrams: "torch.Tensor | None"
) -> "list[torch.Tensor]":
    """Every row's embedding, one row after the other."""
    settings, rows = model.settings, list(words)
    if ngrams is not None:
        for row, word in enumerate(WORDS):
            buckets = ngram_buckets(word, settings.min_n, settings.max_n, settings.num_buckets)
            rows[row] = rows[row] + sum(ngrams[bucket] for bucket in buckets) / len(buckets)
    return rows


def plain_loss(
    settings: StarSpaceSettings,
    left: "torch.Tensor",
    right: "torch.Tensor",
    negatives: "list[torch.Tensor]",
) -> "torch.Tensor":
    """The loss of one example."""
    if not negatives:
        return torch.zeros((), requires_grad=True)
    if settings.loss == "softmax":
        rivals = torch.stack([right, *negatives])
        return -(rivals @ left).log_softmax(0)[0]

    def unit(vector: "torch.Tensor") -> "torch.Tensor":
        # The value is the unit vector, the derivative is the identity.
        return vector + (vector / vector.norm() - vector).detach()

    def cosine(one: "torch.Tensor", other: "torch.Tensor") -> "torch.Tensor":
        return unit(one) @ unit(other)

    hinges = [settings.margin - cosine(left, right) + cosine(left, n) for n in negatives]
    violations = torch.stack(hinges).clamp(min=0)
    if settings.violations == "mean":
        return violations.sum() / violations.count_nonzero().clamp(min=1)
    return violations.sum()


def plain_bag(settings: StarSpaceSettings, rows: "list[torch.Tensor]") -> "torch.Tensor":
    """The sum of a bag, divided by its size in value and not in its derivative."""
    total = torch.stack(rows).sum(0)
    if settings.loss == "margin":
        return total
    return total + (total / len(rows) ** settings.bag_power - total).detach()


def plain_word_loss(
    settings: StarSpaceSettings, batch: WordBatch, rows: "list[torch.Tensor]"
) -> "list[torch.Tensor]":
    shift = 0 if settings.share_sides else len(WORDS)
    losses = []
    for slots, sentences, wrong in zip(batch.slots, batch.sentences, batch.negatives, strict=True):
        for place, word in enumerate(slots):
            if sentences[place] < 0:
                continue
            context = [
                rows[slots[near]]
                for near in range(place - settings.window, place + settings.window + 1)
                if 0 <= near < len(slots) and near != place and sentences[near] == sentences[place]
            ]
            if not context:
                continue
            negatives = [rows[negative + shift] for negative in wrong if negative != word]
            right = rows[word + shift]
            losses.append(plain_loss(settings, plain_bag(settings, context), right, negatives))
    return losses


def plain_bag_loss(
    settings: StarSpaceSettings, batch: BagBatch, rows: "list[torch.Tensor]"
) -> "list[torch.Tensor]":
    def bag(bags: Bags, number: int) -> "torch.Tensor":
        return plain_bag(settings, [rows[row] for row in bags.ids[bags.owners == number]])

    count = len(batch.left.keys)
    size = count // len(batch.negatives)
    losses = []
    for number in range(count):
        wrong = batch.negatives[number // size]
        negatives = [
            bag(batch.right, n) for n in wrong if batch.right.keys[n] != batch.right.keys[number]
        ]
        left, right = bag(batch.left, number), bag(batch.right, number)
        losses.append(plain_loss(settings, left, right, negatives))
    return losses


def check_against_loops(
    model: StarSpace, batch: WordBatch | BagBatch, gradients: BatchGradients
) -> None:
    words = model.words.table.clone().requires_grad_()
    ngrams = None if model.ngrams is None else model.ngrams.table.clone().requires_grad_()
    plain = plain_word_loss if isinstance(batch, WordBatch) else plain_bag_loss
    losses = plain(model.settings, batch, plain_compose(model, words, ngrams))
    assert int(gradients.num_examples) == len(losses)
    loss = torch.stack(losses).sum() if losses else torch.zeros(())
    torch.testing.assert_close(gradients.loss, loss.detach(), rtol=1e-4, atol=1e-4)
    if loss.requires_grad:
        loss.backward()
    gradient = torch.zeros_like(words) if words.grad is None else words.grad
    dense = torch.zeros_like(words).detach().index_add_(0, gradients.rows, gradients.values)
    assert len(gradients.rows.unique()) == len(gradients.rows)
    torch.testing.assert_close(dense, gradient, rtol=1e-4, atol=1e-4)
    # An SGD step of length one moves both tables by their gradients.
    before = words.detach(), None if ngrams is None else ngrams.detach()
    model.step(gradients, 1.0)
    torch.testing.assert_close(before[0] - model.words.table, gradient, rtol=1e-4, atol=1e-4)
    if ngrams is not None and ngrams.grad is not None:
        assert model.ngrams is not None and before[1] is not None
        moved = before[1] - model.ngrams.table
        torch.testing.assert_close(moved, ngrams.grad, rtol=1e-4, atol=1e-4)


def check_squares(model: StarSpace, batch: WordBatch | BagBatch) -> None:
    """Compare the squares of single examples with a loop, where no example uses a row twice."""
    words = model.words.table.clone().requires_grad_()
    plain = plain_word_loss if isinstance(batch, WordBatch) else plain_bag_loss
    losses = plain(model.settings, batch, list(words))
    expected = torch.zeros(len(words))
    for loss in losses:
        (gradient,) = torch.autograd.grad(loss, words, retain_graph=True, allow_unused=True)
        if gradient is not None:
            expected += gradient.square().mean(1)
    gradients = model.gradients(batch)
    assert gradients.squares is not None and expected.any()
    squares = torch.zeros(len(words)).index_add_(0, gradients.rows, gradients.squares)
    torch.testing.assert_close(squares, expected, rtol=1e-4, atol=1e-5)
    model.step(gradients, 0.1)
    torch.testing.assert_close(model.words.squares, squares)


PER_EXAMPLE = StarSpaceSettings(
    dim=4, margin=0.7, init_scale=1.0, accumulate="example", share_sides=False
)


@pytest.mark.parametrize(
    "options",
    [{}, {"violations": "mean"}, {"loss": "softmax"}, {"loss": "softmax", "bag_power": 0.5}],
)
def test_adagrad_can_accumulate_the_squares_of_single_examples(options: dict[str, Any]) -> None:
    run = replace(PER_EXAMPLE, **options)
    slots = np.array([[0, 1, 2, 3, 4], [5, 2, 1, 9, -1]])
    sentences = np.array([[0, 0, 0, 0, 0], [1, 1, 2, 2, -1]])
    wrong = np.array([[1, 6, 7], [5, 8, 9]])
    check_squares(make_model(run), WordBatch(slots, sentences, wrong))
    left = Bags(np.array([0, 1, 2, 3, 4]), np.array([0, 0, 1, 1, 1]), np.array([0, 1]))
    labels = np.arange(4)
    right = Bags(len(WORDS) + labels, labels, labels)
    run = replace(run, mode="labelled")
    check_squares(make_model(run, 4), BagBatch(left, right, np.array([[2, 3]])))


def test_the_squares_of_single_examples_reach_the_ngrams() -> None:
    model = make_model(replace(PER_EXAMPLE, num_buckets=50))
    batch = WordBatch(np.array([[0, 1, 2]]), np.zeros((1, 3), np.int64), np.array([[5]]))
    gradients = model.gradients(batch)
    model.step(gradients, 0.1)
    assert model.ngrams is not None and model.ngrams.squares is not None
    assert gradients.squares is not None
    expected = torch.zeros(50)
    for row, square in zip(gradients.rows.tolist(), gradients.squares, strict=True):
        if row < len(WORDS):  # targets have no n-grams
            run = model.settings
            buckets = ngram_buckets(WORDS[row], run.min_n, run.max_n, run.num_buckets)
            for bucket in buckets:
                expected[bucket] += square / len(buckets) ** 2
    torch.testing.assert_close(model.ngrams.squares, expected)


@pytest.mark.parametrize("bound_targets", [True, False])
def test_targets_are_bounded_on_demand(bound_targets: bool) -> None:
    run = StarSpaceSettings(
        dim=4, init_scale=1.0, margin=0.7, share_sides=False, bound_targets=bound_targets
    )
    model = make_model(run)
    batch = WordBatch(np.array([[0, 1, 2]]), np.zeros((1, 3), np.int64), np.array([[5, 6]]))
    gradients = model.gradients(batch)
    model.step(gradients, 5.0)
    lengths = model.words.table[gradients.rows].norm(dim=1)
    is_target = gradients.rows >= len(WORDS)
    assert (lengths[~is_target] < 1.0001).all()
    assert bool((lengths[is_target] > 1.1).any()) is not bound_targets


@given(
    st.integers(0, 2**32),
    LOSSES,
    st.booleans(),
    st.sampled_from([0, 50]),
    st.integers(1, 4),
    st.sampled_from(["sum", "mean"]),
    st.sampled_from([0.0, 0.5]),
)
@settings(max_examples=40)
def test_word_gradients_equal_a_loop_over_words(
    seed: int,
    loss: str,
    share_sides: bool,
    num_buckets: int,
    window: int,
    violations: str,
    bag_power: float,
) -> None:
    run = StarSpaceSettings(
        dim=4,
        loss=loss,
        share_sides=share_sides,
        num_buckets=num_buckets,
        window=window,
        violations=violations,
        bag_power=bag_power,
        margin=0.7,
        init_scale=1.0,
        optimizer="sgd",
        max_norm=None,
        seed=seed,
    )
    rng = np.random.default_rng(seed)
    slots = rng.integers(0, len(WORDS), (3, 9))
    sentences = np.sort(rng.integers(0, 3, (3, 9)), axis=1)  # neighbours share a sentence
    sentences += 3 * np.arange(3)[:, None]
    slots[1, 6:] = sentences[1, 6:] = -1  # padding
    sentences[rng.random((3, 9)) < 0.2] = -1  # subsampled words
    batch = WordBatch(slots, sentences, rng.integers(0, len(WORDS), (3, 3)))
    model = make_model(run)
    check_against_loops(model, batch, model.gradients(batch))


@pytest.mark.parametrize("num_buckets", [0, 50])
@pytest.mark.parametrize("loss", ["margin", "softmax"])
@pytest.mark.parametrize("mode", ["sentence", "labelled"])
@pytest.mark.parametrize("source", [False, True])
def test_bag_gradients_equal_a_loop_over_examples(
    make_corpus: Callable[..., EncodedCorpus], mode: str, loss: str, num_buckets: int, source: bool
) -> None:
    rng = np.random.default_rng(5)
    documents = [
        [rng.integers(0, len(WORDS), rng.integers(2, 5)).tolist() for _ in range(number % 3 + 1)]
        for number in range(40)
    ]
    run = StarSpaceSettings(
        mode=mode,
        loss=loss,
        violations="mean" if source else "sum",
        bag_power=0.5 if source else 0.0,
        dim=4,
        margin=0.7,
        init_scale=1.0,
        negatives=3,
        num_buckets=num_buckets,
        optimizer="sgd",
        max_norm=None,
        batch_tokens=160,
    )
    labelled = mode == "labelled"
    labels = rng.integers(0, 3, len(documents)).tolist()
    counts = np.bincount(labels) if labelled else None
    corpus = make_corpus(documents, labels if labelled else None)
    batches = BagBatches(corpus, counts, len(WORDS), run)
    assert len(batches) > 1
    for number in range(len(batches)):
        model = make_model(run, 3 if labelled else 0)
        batch = batches.batch(number)
        check_against_loops(model, batch, model.gradients(batch))


def test_rows_that_a_batch_did_not_use_are_unchanged() -> None:
    run = StarSpaceSettings(dim=3, init_scale=1.0, share_sides=False)
    model = make_model(run)
    before = model.words.table.clone()
    batch = WordBatch(np.array([[1, 2, 3]]), np.zeros((1, 3), np.int64), np.array([[5, 6]]))
    model.step(model.gradients(batch), 0.1)
    moved = (model.words.table != before).any(1).nonzero().flatten().tolist()
    assert set(moved) <= {1, 2, 3, 11, 12, 13, 15, 16}
    assert {1, 2, 3} <= set(moved)


def test_composed_embeddings_add_the_mean_of_the_ngrams_to_words_alone() -> None:
    run = StarSpaceSettings(dim=3, num_buckets=20, init_scale=1.0, share_sides=False)
    model = make_model(run)
    assert model.ngrams is not None
    rows = torch.stack(plain_compose(model, model.words.table, model.ngrams.table))
    torch.testing.assert_close(model.compose(torch.arange(2 * len(WORDS))), rows)
    torch.testing.assert_close(model.word_embeddings(), rows[: len(WORDS)])
    assert torch.equal(model.compose(torch.tensor([12])), model.words.table[[12]])
    torch.testing.assert_close(model.compose(torch.tensor([4, 4, 0])), rows[[4, 4, 0]])


def test_the_seed_decides_where_a_model_starts() -> None:
    tables = [make_model(StarSpaceSettings(dim=4, seed=seed)).words.table for seed in (1, 1, 2)]
    assert torch.equal(tables[0], tables[1])
    assert not torch.equal(tables[0], tables[2])


def test_a_model_checks_its_settings() -> None:
    with pytest.raises(PocketIntentError, match="dim"):
        make_model(StarSpaceSettings(dim=0))
