import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.text.negations import (
    NEGATIONS,
    any_negated,
    is_negated,
    negation_flag,
    negations_of,
    read_negations,
)
from pocketintent.runtime.text.tokenizer import simple_tokenize

DOCS = Path(__file__).resolve().parents[3] / "docs"
VECTORS: list[dict[str, Any]] = [
    json.loads(line)
    for line in (DOCS / "negation_vectors.jsonl").read_text("utf-8").split("\n")[:-1]
]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: ascii(vector["text"][:20]))
def test_the_vectors_of_the_specification_hold(vector: dict[str, Any]) -> None:
    assert simple_tokenize(vector["text"]) == vector["tokens"]
    assert is_negated(vector["text"], NEGATIONS["en"]) == bool(vector["negation"])
    flag = negation_flag(vector["text"], NEGATIONS["en"])
    assert (flag.dtype, flag.tolist()) == (np.float32, [vector["negation"]])


def test_the_specification_lists_the_words() -> None:
    specification = (DOCS / "decision.md").read_text("utf-8")
    assert all(f"`{word}`" in specification for word in NEGATIONS["en"])


@pytest.mark.parametrize("word", sorted(NEGATIONS["en"] - {"'t"}))
def test_each_word_is_a_token_of_the_tokenizer(word: str) -> None:
    assert simple_tokenize(word) == [word]


@pytest.mark.parametrize("language", [None, "", "en", "EN", "en-GB", "en_US"])
def test_a_language_without_a_name_and_every_english_has_english_negations(
    language: str | None,
) -> None:
    assert negations_of(language) == NEGATIONS["en"]


@pytest.mark.parametrize("language", ["de", "eng", "pt-BR", "x"])
def test_another_language_has_none_and_no_text_of_it_is_negated(language: str) -> None:
    assert negations_of(language) == frozenset()
    assert not any_negated(["not", "do not"], negations_of(language))


def test_one_negated_text_among_several_is_enough() -> None:
    assert any_negated(["lamp on", "not the lamp"], NEGATIONS["en"])
    assert not any_negated(["lamp on", "knot"], NEGATIONS["en"])
    assert not any_negated([], NEGATIONS["en"])


@pytest.mark.parametrize("entry", [None, [], "not", {"not": 1}, [1], ["not", None]])
def test_an_entry_without_words_is_refused(entry: Any) -> None:
    with pytest.raises(ModelFileError, match="negations of the bot must be a list of at least one"):
        read_negations(entry, "the bot")


def test_the_words_of_an_entry_are_read() -> None:
    assert read_negations(["nicht", "nie"], "the bot") == {"nicht", "nie"}
