from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.runtime.errors import PocketIntentError
from pocketintent_lab.training.terms.counter import BoundedCounter


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=12)), st.integers(2, 9))
def test_counts_are_within_the_documented_bounds(batches: list[list[str]], limit: int) -> None:
    counter = BoundedCounter(limit)
    true = Counter(key for batch in batches for key in batch)
    for batch in batches:
        counter.add(batch)
        assert len(counter) <= limit
    counted = dict(counter.items())
    for key, count in true.items():
        assert count - counter.max_missed <= counted.get(key, 0) <= count
        assert count <= counter.max_missed or key in counted
    assert counted.keys() <= true.keys()
    if len(true) <= limit:
        assert counted == true
        assert counter.max_missed == 0


def test_a_limit_below_2_is_rejected() -> None:
    with pytest.raises(PocketIntentError, match="room for 2 keys"):
        BoundedCounter(1)
