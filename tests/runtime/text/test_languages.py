import json
from pathlib import Path
from typing import Any

import pytest

from pocketintent.runtime.errors import ModelFileError, PocketIntentError
from pocketintent.runtime.text.languages import (
    NEGATIONS,
    any_negated,
    check_language,
    is_negated,
    language_warning,
    languages_entry,
    negations_of,
    read_languages,
    read_negations,
    speaks,
)
from pocketintent.runtime.text.tokenizer import simple_tokenize


@pytest.mark.parametrize("tag", ["en", "EN", "deu", "pt-BR", "zh-Hant-TW", "es-419"])
def test_language_tags_are_accepted_as_they_are(tag: str) -> None:
    assert check_language(tag) == tag


@pytest.mark.parametrize(
    "tag", ["", "e", "english", "en_GB", "en-", "en-GB\n", "日本", "12", " en"]
)
def test_other_texts_are_no_language_tags(tag: str) -> None:
    with pytest.raises(PocketIntentError, match="not a language tag; write a code such as en"):
        check_language(tag)


def test_the_entry_names_each_language_once_and_is_left_out_without_any() -> None:
    assert languages_entry(["en", "de", "en"]) == {"languages": ["en", "de"]}
    assert languages_entry([]) == {}
    with pytest.raises(PocketIntentError, match="'German'"):
        languages_entry(["en", "German"])


def test_the_languages_of_a_manifest_are_read() -> None:
    assert read_languages({"languages": ["en", "de-CH"]}) == ["en", "de-CH"]
    assert read_languages({"kind": "static"}) == []


@pytest.mark.parametrize("entry", ["en", None, 3, ["en", 3], ["English"], {"en": True}])
def test_another_entry_is_refused(entry: Any) -> None:
    with pytest.raises(ModelFileError, match="languages must be a list of language tags"):
        read_languages({"languages": entry})


@pytest.mark.parametrize("tag", ["en", "EN", "en-GB", "en_US", "de-AT"])
def test_a_variety_counts_as_its_language(tag: str) -> None:
    assert speaks(["en-US", "de"], tag)


@pytest.mark.parametrize("tag", ["fr", "eng", "english", "e", ""])
def test_another_language_is_not_spoken(tag: str) -> None:
    assert not speaks(["en", "de"], tag)


DOCS = Path(__file__).resolve().parents[3] / "docs"
VECTORS: list[dict[str, Any]] = [
    json.loads(line)
    for line in (DOCS / "negation_vectors.jsonl").read_text("utf-8").split("\n")[:-1]
]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: ascii(vector["text"][:20]))
def test_the_vectors_of_the_specification_hold(vector: dict[str, Any]) -> None:
    assert simple_tokenize(vector["text"]) == vector["tokens"]
    assert is_negated(vector["text"], NEGATIONS["en"]) == bool(vector["negation"])


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


def test_a_language_that_the_model_does_not_speak_is_a_warning() -> None:
    warning = language_warning("de-CH", {"languages": ["en", "fr"]})
    assert warning is not None
    assert "'de-CH'" in warning and "the model speaks en, fr" in warning


@pytest.mark.parametrize(
    ("language", "manifest"),
    [
        ("en-GB", {"languages": ["en"]}),
        ("en", {"languages": ["de", "en-US"]}),
        (None, {"languages": ["de"]}),
        ("en", {}),
    ],
)
def test_a_language_that_is_spoken_or_not_known_is_no_warning(
    language: str | None, manifest: dict[str, list[str]]
) -> None:
    assert language_warning(language, manifest) is None
