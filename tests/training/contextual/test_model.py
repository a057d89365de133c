import numpy as np
import pytest

torch = pytest.importorskip("torch")
from pocketintent.runtime.arrays import unit_rows  # noqa: E402
from pocketintent.runtime.encoders.contextual.encoder import ContextReader  # noqa: E402
from pocketintent.training.contextual.model import (  # noqa: E402
    ContextModel,
    scale,
)

SIZES = [(5, 3), (5, 5), (4, 1), (3, 7)]


def random_model(hidden: int, width: int, dim: int = 6) -> ContextModel:
    torch.manual_seed(0)
    model = ContextModel(dim, hidden, width)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0, 0.5)
    return model


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("lengths", [[1], [2, 2], [3, 1, 9], [1, 1, 4, 2, 1]])
def test_the_runtime_computes_what_was_trained(sizes: tuple[int, int], lengths: list[int]) -> None:
    model = random_model(*sizes)
    rng = np.random.default_rng(len(lengths))
    texts = [rng.standard_normal((length, 6)).astype(np.float32) for length in lengths]
    owners = torch.from_numpy(np.repeat(np.arange(len(lengths)), lengths))
    with torch.no_grad():
        expected = model(torch.from_numpy(np.concatenate(texts)), owners, len(texts)).numpy()
    reader = ContextReader(model.to_network())
    sums = np.stack([reader.read_vectors(text.copy()) for text in texts])
    np.testing.assert_allclose(unit_rows(sums), expected, atol=1e-5)


@pytest.mark.parametrize("sizes", SIZES)
def test_a_network_of_the_runtime_can_be_trained_on(sizes: tuple[int, int]) -> None:
    model = random_model(*sizes)
    again = ContextModel.from_network(model.to_network())
    for own, other in zip(model.parameters(), again.parameters(), strict=True):
        np.testing.assert_array_equal(own.detach().numpy(), other.detach().numpy())


@pytest.mark.parametrize("sizes", SIZES)
def test_a_new_network_is_the_sum_of_its_words(sizes: tuple[int, int]) -> None:
    x = torch.randn(3, 5, 6)
    owners = torch.arange(3).repeat_interleave(5)
    with torch.no_grad():
        vectors = ContextModel(6, *sizes)(x.flatten(0, 1), owners, 3)
    np.testing.assert_allclose(
        vectors.numpy(), torch.nn.functional.normalize(x.sum(1)).numpy(), atol=1e-5
    )


def test_the_gradient_of_the_scale_is_that_of_its_formula() -> None:
    x = torch.randn(4, 6, dtype=torch.float32, requires_grad=True)
    weights = torch.randn(4, 6)
    (scale(x) * weights).sum().backward()
    own = x.grad.clone()
    x.grad = None
    plain = x / (x.square().mean(-1, keepdim=True) + 1e-6).sqrt()
    (plain * weights).sum().backward()
    np.testing.assert_allclose(own.numpy(), x.grad.numpy(), atol=1e-5)
