import threading
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.runtime.graphs import inputs as graph_inputs
from pocketintent.runtime.graphs.inputs import GraphInputs, Speller
from pocketintent.runtime.text.characters import CharVocabulary
from pocketintent.runtime.text.tokenizer import SIMPLE_SPEC
from pocketintent.runtime.text.vocabulary import Vocabulary

WORDS = ["turn", "on", "light"]
CHARACTERS = CharVocabulary(" abcdefghijklmnopqrstuvwxyz", max_chars=8)
TABLE = Vocabulary(WORDS)
STATIC = GraphInputs(SIMPLE_SPEC, TABLE, max_length=3)
COMBINED = GraphInputs(SIMPLE_SPEC, TABLE, max_length=3, characters=CHARACTERS)
SPELT = GraphInputs(SIMPLE_SPEC, characters=CHARACTERS)
WHOLE = GraphInputs(None, characters=CHARACTERS)


class StubGraph:
    """A graph whose vector is the length of a word and the sum of its character numbers."""

    def __init__(self) -> None:
        self.words: list[list[int]] = []

    def run(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        assert inputs["characters"].dtype == inputs["lengths"].dtype == np.int32
        assert inputs["lengths"].shape == ()
        self.words.append(inputs["characters"].tolist())
        return {"vectors": np.array([inputs["lengths"], inputs["characters"].sum()], np.float32)}


@pytest.mark.parametrize(
    ("inputs", "names", "spells"),
    [
        (STATIC, ("ids", "weights"), False),
        (COMBINED, ("ids", "weights", "spelt"), True),
        (SPELT, ("spelt",), True),
        (WHOLE, ("characters", "lengths"), False),
    ],
)
def test_the_arrays_have_the_names_that_the_graphs_take(
    inputs: GraphInputs, names: tuple[str, ...], spells: bool
) -> None:
    assert (inputs.names, inputs.spells) == (names, spells)
    for text in ("turn the lamp on", "", "turn on", "🙂"):
        arrays = inputs(text).arrays(Speller(StubGraph(), 2) if spells else None)
        assert tuple(arrays) == names
        assert {array.dtype.name for array in arrays.values()} <= {"int32", "float32"}


def test_a_combined_model_spells_the_words_that_its_table_lacks() -> None:
    inputs = COMBINED("turn abc the on abc 🙂!")

    assert inputs.slots is not None
    assert inputs.slots[0].tolist() == [0, 1]
    assert inputs.words == [[2, 3, 4], [21, 9, 6], [2, 3, 4]]
    assert inputs.arrays(Speller(StubGraph(), 2))["spelt"].tolist() == [9, 9 + 36 + 9]


def test_words_that_are_spelt_out_take_no_slot_and_are_not_cut_with_them() -> None:
    inputs = COMBINED("abc turn on light on abc turn")

    assert inputs.slots is not None
    assert inputs.slots[0].tolist() == [0, 1, 2]
    assert inputs.words == [[2, 3, 4]] * 2


def test_without_a_table_every_word_is_spelt_out() -> None:
    assert SPELT("On, abc!").words == [[16, 15], [2, 3, 4]]
    assert SPELT("extraordinarily").words == [CHARACTERS.numbers("extraord")]
    assert SPELT("日本 🙂").words == []


def test_a_text_is_read_as_a_whole() -> None:
    inputs = WHOLE("On_ABC, Pizza")

    assert inputs.tokens is None
    assert inputs.characters == CHARACTERS.numbers("on abc, ")
    assert inputs.arrays()["lengths"] == 7
    assert not WHOLE("").arrays()["characters"].size


@given(words=st.lists(st.lists(st.integers(0, 26), min_size=1, max_size=5), max_size=8))
def test_each_word_is_run_once_and_counts_as_often_as_it_occurs(words: list[list[int]]) -> None:
    graph = StubGraph()
    spell = Speller(graph, 2)

    for _ in range(2):
        total = spell(words)
        assert total.dtype == np.float32
        assert total.tolist() == [sum(map(len, words)), sum(map(sum, words))]
    assert sorted(graph.words) == sorted(map(list, {tuple(word) for word in words}))


def test_the_vectors_of_the_latest_words_are_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_inputs, "_WORD_CACHE", 2)
    graph = StubGraph()
    spell = Speller(graph, 2)

    for word in ([1], [2], [1], [3], [1], [2]):
        assert spell([word]).tolist() == [1, word[0]]
    assert graph.words == [[1], [2], [3], [2]]


def test_threads_share_a_speller() -> None:
    spell, errors = Speller(StubGraph(), 2), []

    def run(first: int) -> None:
        for number in range(200):
            if spell([[first], [number]]).tolist() != [2, first + number]:
                errors.append(number)

    threads = [threading.Thread(target=run, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
