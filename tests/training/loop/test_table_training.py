import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
from pocketintent.training.loop import table_training  # noqa: E402
from pocketintent.training.loop.table_training import (  # noqa: E402
    SparseRows,
    cached_parts,
    sum_rows,
)


def dense_step(
    table: "torch.Tensor",
    squares: "torch.Tensor | None",
    gradient: "torch.Tensor",
    learning_rate: float,
    max_norm: float | None,
) -> None:
    """The same step with a gradient for every row, one row after the other."""
    for row, slope in enumerate(gradient):
        if not slope.any():
            continue
        scale = 1.0
        if squares is not None:
            squares[row] += (slope**2).mean()
            scale = float(squares[row]) ** -0.5
        table[row] -= learning_rate * scale * slope
        if max_norm is not None and table[row].norm() > max_norm:
            table[row] *= max_norm / table[row].norm()


def test_squares_can_be_given_and_the_bound_can_end_at_a_row() -> None:
    rows = SparseRows(torch.zeros(4, 2), adagrad=True, max_norm=1.0, num_bounded=2)
    gradient = torch.tensor([[4.0, 0.0], [4.0, 0.0]])
    rows.step(torch.tensor([1, 2]), gradient, 1.0, torch.tensor([4.0, 1.0]))
    torch.testing.assert_close(rows.squares, torch.tensor([0.0, 4.0, 1.0, 0.0]))
    expected = torch.tensor([[0.0, 0.0], [-1.0, 0.0], [-4.0, 0.0], [0.0, 0.0]])
    torch.testing.assert_close(rows.table, expected)


@given(st.integers(0, 2**32), st.booleans(), st.sampled_from([None, 0.5, 2.0]), st.integers(1, 12))
@settings(max_examples=60)
def test_steps_equal_those_of_a_dense_table(
    seed: int, adagrad: bool, max_norm: float | None, num_rows: int
) -> None:
    generator = torch.Generator().manual_seed(seed)
    table = torch.randn(num_rows, 4, generator=generator)
    sparse = SparseRows(table.clone(), adagrad=adagrad, max_norm=max_norm)
    squares = torch.zeros(num_rows) if adagrad else None
    for learning_rate in (0.5, 0.2, 0.1):
        indices = torch.randint(num_rows, (5,), generator=generator)
        values = torch.randn(5, 4, generator=generator)
        sparse.step(*sum_rows(indices, values), learning_rate)
        gradient = torch.zeros_like(table).index_add_(0, indices, values)
        dense_step(table, squares, gradient, learning_rate, max_norm)
        torch.testing.assert_close(sparse.table, table)
        if squares is not None:
            torch.testing.assert_close(sparse.squares, squares)


@pytest.mark.parametrize("adagrad", [False, True])
def test_rows_without_a_gradient_are_unchanged(adagrad: bool) -> None:
    before = torch.full((5, 3), 7.0)  # longer than max_norm, which only touched rows obey
    rows = SparseRows(before.clone(), adagrad=adagrad, max_norm=1.0)
    rows.step(torch.tensor([1, 3]), torch.ones(2, 3), 0.1)
    assert torch.equal(rows.table[[0, 2, 4]], before[[0, 2, 4]])
    torch.testing.assert_close(rows.table[[1, 3]].norm(dim=1), torch.ones(2))


def test_a_gradient_of_zeros_changes_nothing() -> None:
    rows = SparseRows(torch.ones(2, 3), adagrad=True)
    rows.step(torch.tensor([0, 1]), torch.zeros(2, 3), 0.1)
    assert torch.equal(rows.table, torch.ones(2, 3))


@pytest.mark.parametrize("adagrad", [False, True])
def test_a_restored_table_continues_like_the_first_one(adagrad: bool) -> None:
    first = SparseRows(torch.ones(3, 2), adagrad=adagrad)
    first.step(torch.tensor([0, 2]), torch.ones(2, 2), 0.3)
    second = SparseRows(torch.zeros(3, 2), adagrad=adagrad)
    second.load_state_dict(first.state_dict())
    for table in (first, second):
        table.step(torch.tensor([2]), torch.full((1, 2), 0.5), 0.2)
    assert torch.equal(first.table, second.table)


@pytest.mark.parametrize("own_squares", [False, True])
def test_a_step_in_parts_equals_a_step_at_once(
    monkeypatch: pytest.MonkeyPatch, own_squares: bool
) -> None:
    generator = torch.Generator().manual_seed(0)
    table, gradient = torch.randn(9, 3, generator=generator), torch.randn(7, 3, generator=generator)
    squares = torch.rand(7, generator=generator) if own_squares else None
    tables = []
    for cached_values in (1 << 17, 6):  # all rows at once, then two at a time
        monkeypatch.setattr(table_training, "_CACHED_VALUES", cached_values)
        rows = SparseRows(table.clone(), adagrad=True, max_norm=1.0)
        for _ in range(2):
            rows.step(torch.tensor([8, 0, 3, 1, 7, 5, 2]), gradient, 0.1, squares)
        tables.append(rows)
    assert torch.equal(tables[0].table, tables[1].table)
    assert torch.equal(tables[0].squares, tables[1].squares)


def test_parts_cover_all_rows_in_order_and_wide_tables_have_a_row_a_part() -> None:
    def lengths(num_rows: int, dim: int) -> list[int]:
        parts = list(cached_parts(num_rows, torch.empty(1, dim)))
        assert [place for part in parts for place in range(num_rows)[part]] == list(range(num_rows))
        return [len(range(num_rows)[part]) for part in parts]

    assert lengths(0, 300) == []
    assert lengths(1000, 300) == [436, 436, 128]
    assert lengths(2, 1 << 20) == [1, 1]


def test_values_of_one_index_are_summed_in_rising_order_of_indices() -> None:
    rows, sums = sum_rows(torch.tensor([4, 1, 4]), torch.tensor([[1.0], [2.0], [3.0]]))
    assert rows.tolist() == [1, 4]
    assert sums.tolist() == [[2.0], [4.0]]
