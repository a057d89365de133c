import json
import re
import unicodedata
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.text.characters import (
    MAX_UNKNOWN_WORDS,
    CharVocabulary,
    limit_unknown_words,
    normalise_chars,
)

SEPARATORS = {"Cc", "Cf", "Cs", "Zs", "Zl", "Zp"}


def plain(text: str, max_chars: int) -> str:
    """The specification of docs/charemb.md, step by step."""
    text = text[:4096]
    for mark in "\u2019\u2018\u02bc\u0060\u00b4":
        text = text.replace(mark, "'")
    text = unicodedata.normalize("NFKC", text).lower()
    out = ""
    for char in text:
        separates = char == "_" or unicodedata.category(char) in SEPARATORS
        out += " " if separates else char
    return re.sub(" +", " ", out).strip(" ")[:max_chars].rstrip(" ")


TEXTS = st.text() | st.text(st.characters(max_codepoint=127)) | st.text("aB_ \t\0`\u2019İß\ufb01")


@given(TEXTS, st.integers(1, 12))
def test_the_fast_path_is_the_specification(text: str, max_chars: int) -> None:
    assert normalise_chars(text, max_chars) == plain(text, max_chars)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Machine_Learning", "machine learning"),
        ("  two\t\nlines ", "two lines"),
        ("don\u2019t", "don't"),
        ("ﬁne \uff21\uff22", "fine ab"),
        ("a\0b\u200dc\ud800d", "a b c d"),
        ("", ""),
        ("___ \u00a0", ""),
        ("abcde fghij", "abcde"),
        ("🙂", "🙂"),
    ],
)
def test_a_text_is_read_so(text: str, read: str) -> None:
    assert normalise_chars(text, 6) == read[:6].rstrip()


def test_the_published_vectors_hold() -> None:
    path = Path(__file__).resolve().parents[3] / "docs" / "charemb_vectors.jsonl"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(lines) == 50
    for line in lines:
        assert normalise_chars(line["text"], line["max_chars"]) == line["read"], line


def test_a_megabyte_is_cut() -> None:
    assert len(normalise_chars("é " * 500_000, 10**9)) <= 4096


def test_a_character_that_is_not_known_has_number_0() -> None:
    vocabulary = CharVocabulary("ab ", max_chars=10)
    assert len(vocabulary) == 4
    assert vocabulary.numbers("A_bx") == [1, 3, 2, 0]


@pytest.mark.parametrize("text", ["", "x", "xyz 🙂", "   ", "\0", "_"])
def test_a_text_without_a_known_character_has_no_numbers(text: str) -> None:
    assert CharVocabulary("ab ", max_chars=10).numbers(text) == []


@given(st.sets(st.characters(exclude_categories=()), max_size=20))
def test_the_characters_survive_a_file(characters: set[str]) -> None:
    vocabulary = CharVocabulary("".join(sorted(characters)), max_chars=5)
    again = CharVocabulary.from_code_points(vocabulary.code_points(), 5)
    assert again.characters == vocabulary.characters


@pytest.mark.parametrize(
    ("points", "max_chars", "message"),
    [([97, 97], 5, "twice"), ([0x110000], 5, "not a code point"), ([97], 0, "max_chars")],
)
def test_what_cannot_be_a_vocabulary_is_refused(
    points: list[int], max_chars: int, message: str
) -> None:
    with pytest.raises(ModelFileError, match=message):
        CharVocabulary.from_code_points(np.array(points, np.uint32), max_chars)


MANY = [f"w{number}" for number in range(MAX_UNKNOWN_WORDS)]


def test_a_text_of_few_words_is_returned_as_it_is() -> None:
    assert limit_unknown_words(MANY) is MANY
    tokens = MANY * 9
    assert limit_unknown_words(tokens) is tokens


def test_words_after_the_limit_are_left_out_wherever_they_occur() -> None:
    tokens = [*MANY, "new", "w0", "on", "new", "w0", "other"]
    assert limit_unknown_words(tokens) == [*MANY, "w0", "w0"]
    assert limit_unknown_words(tokens, {"on"}) == [*MANY, "w0", "on", "w0"]


@given(st.lists(st.integers(0, 400), max_size=600), st.sets(st.integers(0, 400), max_size=200))
def test_it_keeps_known_words_and_the_first_unknown_ones(
    numbers: list[int], known: set[int]
) -> None:
    tokens = [str(number) for number in numbers]
    table = {str(number) for number in known}
    limited = limit_unknown_words(tokens, table)
    first: list[str] = []
    expected = []
    for token in tokens:
        if token not in table and token not in first:
            if len(first) == MAX_UNKNOWN_WORDS:
                continue
            first.append(token)
        expected.append(token)
    assert limited == expected
    assert limit_unknown_words(limited, table) == limited
