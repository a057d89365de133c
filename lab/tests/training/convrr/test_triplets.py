import numpy as np
import pytest

torch = pytest.importorskip("torch")
from pocketintent_lab.training.convrr.triplets import (  # noqa: E402
    distances,
    hard_triplet_loss,
    semi_hard_triplet_loss,
)

DISTANCE = [[0.1, 0.5, 0.3, 0.9], [0.6, 0.2, 0.8, 0.7]]
POSITIVE = [[True, True, False, False], [True, False, False, False]]
NEGATIVE = [[False, False, True, True], [False, True, True, True]]


def triplets() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return torch.tensor(DISTANCE), torch.tensor(POSITIVE), torch.tensor(NEGATIVE)


def test_distances_are_euclidean() -> None:
    rng = np.random.default_rng(0)
    rows = torch.nn.functional.normalize(torch.from_numpy(rng.normal(size=(5, 3))), dim=1)
    expected = torch.cdist(rows[:2], rows[2:])
    np.testing.assert_allclose(distances(rows[:2], rows[2:]), expected, atol=1e-6)


def test_hard_mining_takes_the_farthest_positive_and_the_nearest_negative() -> None:
    loss, num = hard_triplet_loss(*triplets(), margin=0.5)
    assert num == 2
    assert loss.item() == pytest.approx((0.5 + 0.5 - 0.3) + (0.5 + 0.6 - 0.2))


def test_semi_hard_mining_takes_the_nearest_negative_beyond_each_positive() -> None:
    loss, num = semi_hard_triplet_loss(*triplets(), margin=0.5)
    assert num == 3
    first = (0.5 + 0.1 - 0.3) + (0.5 + 0.5 - 0.9)
    assert loss.item() == pytest.approx(first + (0.5 + 0.6 - 0.7))


def test_semi_hard_mining_takes_the_farthest_negative_where_all_are_nearer() -> None:
    distance, positive, negative = triplets()
    distance[1, 0] = 2.0
    loss, _ = semi_hard_triplet_loss(distance[1:], positive[1:], negative[1:], margin=0.5)
    assert loss.item() == pytest.approx(0.5 + 2.0 - 0.8)


@pytest.mark.parametrize("function", [hard_triplet_loss, semi_hard_triplet_loss])
def test_queries_without_a_positive_or_a_negative_do_not_count(function: object) -> None:
    distance, positive, negative = triplets()
    distance.requires_grad_()
    for left_out in ((positive & False, negative), (positive, negative & False)):
        loss, num = function(distance, *left_out, 1.0)  # type: ignore[operator]
        assert num == 0 and loss.item() == 0
        loss.backward()
