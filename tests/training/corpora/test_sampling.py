import numpy as np
import pytest

from pocketintent.training.corpora.sampling import FrequencySampler


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0])
def test_negatives_follow_the_power_of_their_counts(power: float) -> None:
    counts = np.array([1, 10, 100, 1000])
    draws = FrequencySampler(counts, power).draw(np.random.default_rng(1), (50, 400))
    assert draws.shape == (50, 400)
    counted = np.bincount(draws.ravel(), minlength=4)
    expected = draws.size * counts**power / (counts**power).sum()
    assert (
        float(((counted - expected) ** 2 / expected).sum()) < 16.3
    )  # chi-square, 3 degrees, 0.1 %
