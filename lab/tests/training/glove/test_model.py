import numpy as np
import pytest

torch = pytest.importorskip("torch")
from pocketintent.training.loop import table_training  # noqa: E402
from pocketintent_lab.training.glove.data import PairBatch  # noqa: E402
from pocketintent_lab.training.glove.model import Glove, ValueRows  # noqa: E402
from pocketintent_lab.training.glove.settings import GloveSettings  # noqa: E402

SETTINGS = GloveSettings(dim=5, x_max=10.0)
# Also a word with itself, a pair twice, and a count above x_max.
BATCH = PairBatch(
    np.array([0, 1, 2, 2, 0]), np.array([1, 3, 2, 4, 1]), np.array([3, 0.5, 4, 20, 3], np.float32)
)


def loss_by_definition(table: "torch.Tensor", batch: PairBatch, num_words: int) -> "torch.Tensor":
    loss = torch.zeros(())
    for one, other, count in zip(batch.one, batch.other, batch.counts, strict=True):
        for word, context in {(one, other), (other, one)}:
            left, right = table[int(word)], table[num_words + int(context)]
            product = left[:-1] @ right[:-1] + left[-1] + right[-1]
            weight = min(1.0, float(count) / SETTINGS.x_max) ** SETTINGS.alpha
            loss = loss + weight / 2 * (product - float(np.log(count))) ** 2
    return loss


def test_gradients_equal_autograd() -> None:
    model = Glove(SETTINGS, 5)
    model.words.table.normal_(generator=torch.Generator().manual_seed(0))
    before = model.words.table.clone()
    gradients = model.gradients(BATCH)
    assert torch.equal(model.words.table, before)
    table = before.clone().requires_grad_()
    loss = loss_by_definition(table, BATCH, 5)
    loss.backward()
    assert float(gradients.loss) == pytest.approx(loss.item(), rel=1e-5)
    assert int(gradients.num_examples) == 9  # the word with itself has one direction
    assert table.grad is not None
    torch.testing.assert_close(gradients.values, table.grad[gradients.rows], atol=1e-5, rtol=1e-4)
    unused = set(range(10)) - set(gradients.rows.tolist())
    assert not table.grad[sorted(unused)].any()


def test_a_word_is_the_sum_of_its_two_embeddings_without_the_biases() -> None:
    model = Glove(SETTINGS, 5)
    table = model.words.table
    torch.testing.assert_close(model.word_embeddings(), table[:5, :5] + table[5:, :5])


def test_adagrad_has_an_accumulator_for_each_value() -> None:
    model = Glove(SETTINGS, 5)
    gradients = model.gradients(BATCH)
    before = model.words.table.clone()
    model.step(gradients, 0.1)
    step = 0.1 * gradients.values / (1 + gradients.values.square()).sqrt()
    torch.testing.assert_close(model.words.table[gradients.rows], before[gradients.rows] - step)
    model.step(gradients, 0.1)
    step = 0.1 * gradients.values / (1 + 2 * gradients.values.square()).sqrt() + step
    torch.testing.assert_close(model.words.table[gradients.rows], before[gradients.rows] - step)


def test_gradients_in_parts_equal_those_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    results = []
    for cached_values in (1 << 17, 12):  # all pairs at once, then two directions at a time
        monkeypatch.setattr(table_training, "_CACHED_VALUES", cached_values)
        results.append(Glove(SETTINGS, 5).gradients(BATCH))
    assert torch.equal(results[0].rows, results[1].rows)
    assert torch.equal(results[0].values, results[1].values)
    assert torch.equal(results[0].loss, results[1].loss)


def test_each_value_is_scaled_by_the_squares_of_its_own_gradients() -> None:
    rows = ValueRows(torch.zeros(2, 2))
    gradient = torch.tensor([[0.0, 3.0]])
    for _ in range(2):
        rows.step(torch.tensor([1]), gradient, 1.0)
    torch.testing.assert_close(rows.squares, torch.tensor([[1.0, 1.0], [1.0, 19.0]]))
    expected = torch.tensor([[0.0, 0.0], [0.0, -3 / 10**0.5 - 3 / 19**0.5]])
    torch.testing.assert_close(rows.table, expected)


def test_a_step_in_parts_equals_a_step_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = torch.Generator().manual_seed(0)
    table, gradient = torch.randn(9, 3, generator=generator), torch.randn(7, 3, generator=generator)
    tables = []
    for cached_values in (1 << 17, 6):  # all rows at once, then two at a time
        monkeypatch.setattr(table_training, "_CACHED_VALUES", cached_values)
        rows = ValueRows(table.clone(), max_norm=1.0)
        for _ in range(2):
            rows.step(torch.tensor([8, 0, 3, 1, 7, 5, 2]), gradient, 0.1)
        tables.append(rows)
    assert torch.equal(tables[0].table, tables[1].table)
    assert torch.equal(tables[0].squares, tables[1].squares)
