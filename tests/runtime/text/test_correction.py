import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.text.correction import (
    KEPT_WORDS,
    MAX_TOKENS,
    Corrector,
    correction_settings,
    join_tokens,
    one_edit,
    read_settings,
)
from pocketintent.runtime.text.tokenizer import MAX_CHARS, simple_tokenize
from pocketintent.runtime.text.vocabulary import (
    MAX_LETTERS,
    MIN_LETTERS,
    LostWords,
    Vocabulary,
)

DOCS = Path(__file__).resolve().parents[3] / "docs"
VECTORS: list[dict[str, Any]] = [
    json.loads(line)
    for line in (DOCS / "correction_vectors.jsonl").read_text("utf-8").split("\n")[:-1]
]

LETTERS = "abc"
SHORT_WORDS = st.text(alphabet=LETTERS, min_size=1, max_size=5)
TEXTS = st.text(alphabet="abcABC '+1éß日.J\u030c\uff40", max_size=40)


def _distance(first: str, second: str) -> int:
    """Edits from one word to another (optimal string alignment), by the whole table."""
    table = [
        [i + j if i * j == 0 else 0 for j in range(len(second) + 1)] for i in range(len(first) + 1)
    ]
    for i, char in enumerate(first, 1):
        for j, other in enumerate(second, 1):
            costs = [
                table[i - 1][j] + 1,
                table[i][j - 1] + 1,
                table[i - 1][j - 1] + (char != other),
            ]
            if i > 1 and j > 1 and char == second[j - 2] and first[i - 2] == other:
                costs.append(table[i - 2][j - 2] + 1)
            table[i][j] = min(costs)
    return table[-1][-1]


def _plain_read(word: str, texts: Sequence[str], words: Sequence[str]) -> str:
    """The specification: every known word is compared with the word."""
    tokens = [token for text in texts for token in simple_tokenize(text)]
    own_words = sorted(set(tokens), key=lambda own_word: (-tokens.count(own_word), own_word))
    is_plain = word.isascii() and word.isalpha() and 3 <= len(word) <= 16
    if word in own_words or word in words or not is_plain:
        return word
    near = [known for known in (*own_words, *words) if _distance(word, known) == 1]
    return near[0] if near else word


@given(
    st.lists(SHORT_WORDS, max_size=8),
    st.lists(SHORT_WORDS, max_size=8, unique=True),
    st.lists(SHORT_WORDS, min_size=1, max_size=6),
)
def test_a_text_is_read_as_by_comparing_every_known_word(
    own_words: list[str], words: list[str], tokens: list[str]
) -> None:
    texts = [" ".join(own_words[:4]), " ".join(own_words[4:])]
    corrected = Corrector(texts, Vocabulary(words))(" ".join(tokens))
    assert corrected.split() == [_plain_read(token, texts, words) for token in tokens]


@given(TEXTS, st.lists(SHORT_WORDS, max_size=8, unique=True), TEXTS)
def test_correction_changes_only_unknown_words_by_one_edit_and_once(
    text: str, words: list[str], own_text: str
) -> None:
    correct = Corrector([own_text], Vocabulary(words))
    before, after = simple_tokenize(text), simple_tokenize(correct(text))
    known_words = {*words, *simple_tokenize(own_text)}
    assert len(before) == len(after)
    for token, read in zip(before, after, strict=True):
        assert token == read or (token not in known_words and read in known_words)
        assert _distance(token, read) <= 1
    assert correct(correct(text)) == correct(text)


@given(TEXTS)
def test_a_text_of_known_words_stays_as_it_is(text: str) -> None:
    assert Corrector([], Vocabulary(list(dict.fromkeys(simple_tokenize(text)))))(text) is text


@given(st.text(alphabet="abcd", min_size=1, max_size=8))
def test_the_words_within_one_edit_are_54_for_each_letter_and_25(word: str) -> None:
    words = one_edit(word)
    assert len(words) == 54 * len(word) + 25
    assert all(_distance(word, other) <= 1 for other in words)


# Beyond these characters are a few that the tokenizer reads otherwise in their normal form.
@given(st.text(st.characters(max_codepoint=0x148), max_size=30))
def test_joined_tokens_are_split_into_the_same_tokens(text: str) -> None:
    tokens = simple_tokenize(text)
    assert simple_tokenize(join_tokens(tokens)) == tokens


def test_words_of_the_bot_come_before_the_vocabulary_and_the_frequent_first() -> None:
    words = Vocabulary(["lane", "land", "lamb"])
    assert Corrector([], words)("lan lamx") == "lane lamb"
    assert Corrector(["lamp lamp", "lank"], words)("lan lamx") == "lank lamp"
    assert Corrector(["lamp", "lame"], words)("lamx") == "lame"  # as frequent: by its letters


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Swicth OFF the lmap!", "switch off the lamp"),
        ("don't swtch it", "don't switch it"),
        ("swwitch 3rd +", "switch 3 rd +"),
        ("fof", "off"),
        ("of", "of"),  # too short
        ("swötch", "swötch"),  # not of the letters a to z
        ("Switch off", "Switch off"),  # nothing is corrected
    ],
)
def test_what_is_corrected(text: str, expected: str) -> None:
    words = Vocabulary(["switch", "off", "the", "lamp", "don", "'t", "it", "3", "rd", "+"])
    assert Corrector([], words)(text) == expected


def test_longer_words_later_tokens_and_longer_texts_stay_as_they_are() -> None:
    longest = "a" * MAX_LETTERS
    correct = Corrector([], Vocabulary(["lamp", longest, longest + "a", "a" * (MIN_LETTERS - 1)]))
    assert correct("b" + longest[1:]) == longest
    assert correct("b" + longest) == "b" + longest
    assert correct("lamp " * (MAX_TOKENS - 1) + "lmap lmap").split()[-2:] == ["lamp", "lmap"]
    fits = "lmap " + "+" * ((MAX_CHARS - 4) // 2)
    assert correct(fits).startswith("lamp + +")
    assert correct(fits + "+") == fits + "+"


@pytest.mark.parametrize("text", ["don\uff40t lmap", "\u1fef lmap", "\u0149 lmap", "J\u030c lmap"])
def test_a_text_that_would_get_other_tokens_stays_as_it_is(text: str) -> None:
    correct = Corrector([], Vocabulary(["don", "lamp"]))
    assert simple_tokenize(join_tokens(simple_tokenize(text))) != simple_tokenize(text)
    assert correct(text) is text
    assert correct("\uff07 lmap") == "lamp"


class CountingVocabulary(Vocabulary):
    """Counts the words that are looked up."""

    lookups = 0

    def first(self, words: Iterable[str]) -> str | None:
        listed = list(words)
        self.lookups += len(listed)
        return super().first(listed)


def test_the_work_for_a_text_of_unknown_words_is_bounded() -> None:
    consonants = "bcdfghjklmnpqrstvwxz"
    for length in (MIN_LETTERS, 8, MAX_LETTERS, MAX_LETTERS + 1):
        tail = "q" * (length - 2)
        text = " ".join(a + b + tail for a in consonants for b in consonants)[:MAX_CHARS]
        words = CountingVocabulary(["the"])
        assert Corrector([], words)(text) is text
        assert words.lookups <= MAX_TOKENS * (54 * MAX_LETTERS + 25)
        assert (words.lookups > 0) == (length <= MAX_LETTERS)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["text"][:30])
def test_the_vectors_for_ports_hold(vector: dict[str, Any]) -> None:
    lost = LostWords()
    for words in vector.get("lost_words", []):
        lost = lost.with_words(words)
    assert [bits.hex() for bits in lost.filters] == vector.get("filters", [])
    kept_words = frozenset(vector.get("kept_words", []))
    correct = Corrector(vector["own_texts"], Vocabulary(vector["vocabulary"], lost), kept_words)
    assert simple_tokenize(correct(vector["text"])) == vector["tokens"]


@pytest.mark.parametrize(
    "text",
    [
        *("i aint cancelling my order", "I AIN'T cancelling", "it wont switch", "you cant do that"),
        *("i dont want it", "she isnt here", "you mustn't", "they wouldnt", "youre wrong"),
        *("cannot", "never", "whats up", "thatll do", "i shouldve", "neither"),
    ],
)
def test_negations_and_contractions_stay_as_they_are(text: str) -> None:
    near = "she this paint pain want wart can not dent done is in it must never mist whole other"
    words = Vocabulary(
        [*near.split(), *["they", "wouldst", "here", "yours", "what", "that", "should"]]
    )
    assert Corrector(["paint the wall", "i want my order"], words)(text) is text


def test_words_that_a_pruned_model_has_lost_stay_as_they_are() -> None:
    words = Vocabulary(["want", "cat", "lamp", "boat", "über"]).select(np.array([0, 2]))
    assert words.words == ["want", "lamp"]
    assert Corrector([], words)("wart a cat or boat lam") == "want a cat or boat lamp"
    fewer = words.select(np.array([0]))
    assert Corrector([], fewer)("cat lamp boat wan") == "cat lamp boat want"
    assert len(fewer.lost.filters) == 2


def test_an_exported_folder_of_version_1_keeps_no_words() -> None:
    limits = {"min_letters": 3, "max_letters": 16, "max_tokens": 64}
    assert read_settings({"version": 1, **limits}) == (frozenset(), [])
    settings = correction_settings(Vocabulary(["lamp", "boat"]).select(np.array([0])))
    assert settings["version"] == 2
    assert read_settings(settings) == (KEPT_WORDS, settings["lost_words"])


@pytest.mark.parametrize(
    "change",
    [
        {"version": 3},
        {"version": True},
        {"min_letters": 2},
        {"kept_words": "aint"},
        {"kept_words": [1]},
        {"lost_words": None},
        {"lost_words": [0]},
        {"lost_words": [2.0]},
    ],
)
def test_other_rules_of_correction_are_refused(change: dict[str, Any]) -> None:
    settings = correction_settings(Vocabulary(["lamp"]))
    for bad in (settings | change, change, None, [settings]):
        with pytest.raises(ModelFileError, match="'correction' is"):
            read_settings(bad)
