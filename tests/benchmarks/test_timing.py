import numpy as np
import pytest

from benchmarks.timing import CLOCKS, measure, processor


@pytest.mark.parametrize("clock", CLOCKS)
def test_every_call_gets_every_text_in_turns_and_a_time(clock: str) -> None:
    calls: list[tuple[str, str]] = []
    texts = [f"text {number}" for number in range(7)]
    functions = {
        name: (lambda text, name=name: calls.append((name, text)))  # type: ignore[misc]
        for name in ("a", "b")
    }

    times = measure(functions, texts, 3, warm_up=["warm", "up"], clock=clock)

    assert {name: len(row) for name, row in times.items()} == {"a": 7, "b": 7}
    assert all(row.dtype == np.float64 and (row >= 0).all() for row in times.values())
    for name in functions:
        assert [text for own, text in calls if own == name and "text" in text] == texts
    turns = [name for name, text in calls[4:] if text == "warm"]
    assert turns == ["a", "b"] * 3


def test_preparations_come_before_each_call_of_their_name() -> None:
    calls: list[str] = []
    measure(
        {"a": lambda text: calls.append(f"a {text}"), "b": lambda text: calls.append(f"b {text}")},
        ["x", "y"],
        1,
        warm_up=[],
        before={"a": lambda: calls.append("before a")},
    )
    assert calls == ["before a", "a x", "before a", "a y", "b x", "b y"]


def test_the_processor_has_a_name() -> None:
    assert processor()
