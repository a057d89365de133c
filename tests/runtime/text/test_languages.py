from typing import Any

import pytest

from pocketintent.runtime.errors import ModelFileError, PocketIntentError
from pocketintent.runtime.text.languages import (
    check_language,
    languages_entry,
    read_languages,
    speaks,
)


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
