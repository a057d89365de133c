"""Small products run in one thread, whatever the number of cores and the load of the machine."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from pocketintent import IntentRecognizer
from pocketintent.runtime.decision.logistic import solver
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.encoders.transformer_layers import TransformerMean
from pocketintent.runtime.threads import one_blas_thread

TEMPLATES = {"on": ["turn on the lights", "lamp on"], "off": ["turn off the lights", "lamp off"]}


def _blas_threads() -> list[int]:
    """The threads of NumPy's own BLAS; another test may have loaded that of SciPy."""
    pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    return [pool["num_threads"] for pool in pools if "numpy" in pool["filepath"]]


@pytest.fixture(autouse=True)
def two_threads() -> Iterator[None]:
    """BLAS may use two threads outside of the blocks."""
    with threadpool_limits(2, user_api="blas"):
        if not _blas_threads() or set(_blas_threads()) != {2}:
            pytest.skip("the number of BLAS threads cannot be set")
        yield


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, list[int]]]:
    """What is computed, with the BLAS threads at that time."""
    calls: list[tuple[str, list[int]]] = []

    def watch(owner: Any, name: str) -> None:
        function = getattr(owner, name)

        def noted(*args: Any) -> Any:
            calls.append((name, _blas_threads()))
            return function(*args)

        monkeypatch.setattr(owner, name, noted)

    watch(StaticEncoder, "encode_batch")
    watch(solver, "_minimise")
    return calls


def test_a_fit_an_edit_a_batch_and_an_explanation_run_in_one_thread(
    tiny_encoder: StaticEncoder, seen: list[tuple[str, list[int]]]
) -> None:
    recognizer = IntentRecognizer(tiny_encoder, TEMPLATES)
    assert {name for name, _ in seen} == {"encode_batch", "_minimise"}
    recognizer.add_intent("music", ["play some jazz"])
    recognizer.match_batch(["lamp on", "jazz"])
    recognizer.explain("turn the lamp on")

    assert all(threads == [1] * len(threads) for _, threads in seen)
    assert set(_blas_threads()) == {2}


def test_a_transformer_reads_a_text_in_one_thread(
    transformer_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recognizer = IntentRecognizer.load(TEMPLATES, transformer_model)
    threads: list[list[int]] = []
    read = TransformerMean._read_equal

    def noted(*args: Any) -> Any:
        threads.append(_blas_threads())
        return read(*args)

    monkeypatch.setattr(TransformerMean, "_read_equal", noted)
    recognizer.match("turn on the lamp")
    assert threads == [[1] * len(_blas_threads())]
    assert set(_blas_threads()) == {2}


def test_a_match_leaves_the_threads_alone(
    tiny_encoder: StaticEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    recognizer = IntentRecognizer(tiny_encoder, TEMPLATES)
    monkeypatch.setattr("pocketintent.runtime.decision.bot.one_blas_thread", None)

    assert recognizer.match("lamp on").intent == "on"


def test_the_threads_are_back_after_blocks_of_two_threads_that_overlap() -> None:
    entered, leave = threading.Event(), threading.Event()

    def stay() -> None:
        with one_blas_thread():
            entered.set()
            leave.wait()

    other = threading.Thread(target=stay)
    with one_blas_thread():
        other.start()
        assert entered.wait(60)
        assert set(_blas_threads()) == {1}
    leave.set()
    other.join()
    assert set(_blas_threads()) == {2}


def test_a_block_within_a_block_ends_with_the_outer_one() -> None:
    with one_blas_thread():
        with one_blas_thread():
            pass
        assert set(_blas_threads()) == {1}
    assert set(_blas_threads()) == {2}


def test_the_threads_are_back_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError), one_blas_thread():
        1 // 0  # noqa: B018
    assert set(_blas_threads()) == {2}
