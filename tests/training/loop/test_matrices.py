import numpy as np
import pytest

torch = pytest.importorskip("torch")
from pocketintent.compression.codebooks import encode_matrix, fit_quantizer  # noqa: E402
from pocketintent.runtime.quantization.matrices import DenseMatrix, QuantizedMatrix  # noqa: E402
from pocketintent.training.loop.matrices import CodedRows, FloatRows, make_rows  # noqa: E402

CPU = torch.device("cpu")
NUMBERS = np.array([1, 4, 39])
VECTORS = np.random.default_rng(0).standard_normal((40, 8)).astype(np.float32)


def quantised(*, per_position: bool = True, normalised: bool = True) -> QuantizedMatrix:
    quantizer = fit_quantizer(
        VECTORS, sub_dim=2, codebook_size=4, per_position=per_position, normalised=normalised
    )
    return encode_matrix(VECTORS, quantizer)


def descend(
    table: FloatRows | CodedRows, optimizer: torch.optim.Optimizer, target: np.ndarray
) -> float:
    """One step of rows 1, 4 and 39 towards targets; returns the squared error before it."""
    optimizer.zero_grad()
    error = (table.take(NUMBERS) - torch.from_numpy(target)).square().sum()
    error.backward()
    optimizer.step()
    return error.item()


def test_rows_of_floats_are_those_of_the_matrix_and_learn() -> None:
    table = FloatRows(VECTORS, CPU)
    np.testing.assert_array_equal(table.take(NUMBERS).detach().numpy(), VECTORS[NUMBERS])
    optimizer = torch.optim.Adam(table.parameters(), 0.05)
    errors = [descend(table, optimizer, np.zeros((3, 8), np.float32)) for _ in range(100)]
    assert errors[-1] < 0.01 * errors[0]
    others = np.setdiff1d(np.arange(40), NUMBERS)
    np.testing.assert_array_equal(table.to_matrix().decode()[others], VECTORS[others])


@pytest.mark.parametrize("per_position", [True, False])
@pytest.mark.parametrize("normalised", [True, False])
def test_coded_rows_are_those_of_the_matrix_and_keep_their_codes(
    per_position: bool, normalised: bool
) -> None:
    matrix = quantised(per_position=per_position, normalised=normalised)
    table = CodedRows(matrix, CPU)
    np.testing.assert_allclose(table.take(NUMBERS).detach(), matrix.rows(NUMBERS), atol=1e-6)
    optimizer = torch.optim.Adam(table.parameters(), 0.02)
    errors = [descend(table, optimizer, VECTORS[NUMBERS]) for _ in range(30)]
    assert errors[-1] < errors[0]
    trained = table.to_matrix()
    assert trained.codes is matrix.codes
    assert (trained.norms is None) == (matrix.norms is None)
    np.testing.assert_allclose(
        trained.rows(NUMBERS), table.take(NUMBERS).detach().numpy(), atol=5e-3
    )


@pytest.mark.parametrize("matrix", [DenseMatrix(VECTORS), quantised()])
def test_a_checkpoint_restores_the_rows(matrix: DenseMatrix | QuantizedMatrix) -> None:
    table, again = make_rows(matrix, CPU), make_rows(matrix, CPU)
    descend(table, torch.optim.Adam(table.parameters(), 0.02), np.zeros((3, 8), np.float32))
    again.load_state_dict({name: tensor.clone() for name, tensor in table.state_dict().items()})
    np.testing.assert_array_equal(again.to_matrix().decode(), table.to_matrix().decode())


@pytest.mark.parametrize("matrix", [DenseMatrix(VECTORS), quantised(), quantised(normalised=False)])
def test_the_whole_matrix_has_all_rows(matrix: DenseMatrix | QuantizedMatrix) -> None:
    table = make_rows(matrix, CPU)
    all_rows = table.take(np.arange(len(VECTORS))).detach().numpy()
    np.testing.assert_array_equal(table.whole().detach().numpy(), all_rows)
