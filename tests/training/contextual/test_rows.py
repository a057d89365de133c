import numpy as np
import pytest

torch = pytest.importorskip("torch")
from pocketintent.runtime.quantization.matrices import DenseMatrix, QuantizedMatrix  # noqa: E402
from pocketintent.runtime.quantization.quantizer import Quantizer  # noqa: E402
from pocketintent.training.contextual.rows import CodedRows, FloatRows, make_rows  # noqa: E402
from pocketintent.training.loop.devices import Workers  # noqa: E402

CPU = torch.device("cpu")
VECTORS = np.random.default_rng(0).standard_normal((40, 8)).astype(np.float32)


def quantised(*, per_position: bool = True, normalised: bool = True) -> QuantizedMatrix:
    quantizer = Quantizer.fit(
        VECTORS, sub_dim=2, codebook_size=4, per_position=per_position, normalised=normalised
    )
    return QuantizedMatrix.encode(VECTORS, quantizer)


def descend(table: FloatRows | CodedRows, numbers: list[int], target: np.ndarray) -> float:
    """One step towards targets; returns the squared error before it."""
    optimizer = torch.optim.Adam(table.parameters, 0.02) if table.parameters else None
    rows = table.take(np.array(numbers))
    error = (rows.values - torch.from_numpy(target)).square().sum()
    error.backward()
    if optimizer is not None:
        optimizer.step()
    table.step(rows, 0.02, 1, Workers())
    return error.item()


def test_a_step_of_float_rows_is_a_step_of_adam() -> None:
    table = FloatRows(VECTORS, CPU)
    target = np.zeros((3, 8), np.float32)
    plain = torch.nn.Parameter(torch.from_numpy(VECTORS[[3, 5, 7]].copy()))
    optimizer = torch.optim.Adam([plain], 0.02, betas=(0.9, 0.99))
    for _ in range(5):
        descend(table, [3, 5, 7], target)
        optimizer.zero_grad()
        plain.square().sum().backward()
        optimizer.step()
    vectors = table.to_matrix().decode()
    np.testing.assert_allclose(vectors[[3, 5, 7]], plain.detach().numpy(), atol=1e-5)
    others = np.setdiff1d(np.arange(40), [3, 5, 7])
    np.testing.assert_array_equal(vectors[others], VECTORS[others])


@pytest.mark.parametrize("per_position", [True, False])
@pytest.mark.parametrize("normalised", [True, False])
def test_coded_rows_are_those_of_the_matrix_and_keep_their_codes(
    per_position: bool, normalised: bool
) -> None:
    matrix = quantised(per_position=per_position, normalised=normalised)
    table = CodedRows(matrix, CPU)
    numbers = np.array([1, 4, 39])
    np.testing.assert_allclose(
        table.take(numbers).values.detach().numpy(), matrix.rows(numbers), atol=1e-6
    )
    target = VECTORS[numbers]
    errors = [descend(table, numbers.tolist(), target) for _ in range(30)]
    assert errors[-1] < errors[0]
    trained = table.to_matrix()
    assert trained.codes is matrix.codes
    assert (trained.norms is None) == (matrix.norms is None)
    np.testing.assert_allclose(
        trained.rows(numbers), table.take(numbers).values.detach().numpy(), atol=5e-3
    )


@pytest.mark.parametrize("matrix", [DenseMatrix(VECTORS), quantised()])
def test_a_checkpoint_restores_the_rows(matrix: DenseMatrix | QuantizedMatrix) -> None:
    table, again = make_rows(matrix, CPU), make_rows(matrix, CPU)
    descend(table, [0, 2], np.zeros((2, 8), np.float32))
    again.load_state({name: tensor.clone() for name, tensor in table.state().items()})
    np.testing.assert_array_equal(again.to_matrix().decode(), table.to_matrix().decode())
