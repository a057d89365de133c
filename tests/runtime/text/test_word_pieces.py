import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.text.correction import Corrector
from pocketintent.runtime.text.tokenizer import (
    MAX_CHARS,
    PIECES_SPEC,
    SIMPLE_SPEC,
    get_tokenizer,
    known_words,
    simple_tokenize,
)
from pocketintent.runtime.text.vocabulary import Vocabulary
from pocketintent.runtime.text.word_pieces import INSIDE, MAX_PIECE, WordPieces

DOCS = Path(__file__).resolve().parents[3] / "docs"
VECTORS: list[dict[str, Any]] = [
    json.loads(line)
    for line in (DOCS / "word_piece_vectors.jsonl").read_text(encoding="utf-8").splitlines()
]
LETTERS = "abc\u00e9\U00010348"
WORDS = st.text(st.sampled_from(LETTERS), min_size=1, max_size=9)
PIECES = st.lists(
    st.tuples(st.sampled_from(["", INSIDE]), st.text(st.sampled_from(LETTERS), max_size=4))
    .map("".join)
    .filter(bool),
    unique=True,
    max_size=20,
)
SINGLE_LETTERS = [*LETTERS, *(INSIDE + letter for letter in LETTERS)]


def split(words: list[str], vocabulary: list[str]) -> list[str]:
    return WordPieces(Vocabulary(vocabulary))(words)


def by_the_rules(word: str, vocabulary: list[str]) -> list[str]:
    """The specification: of the entries that fit at a place, the longest."""
    if word in vocabulary:
        return [word]
    found, place = [], 0
    while place < len(word):
        prefix = INSIDE if place else ""
        rest = prefix + word[place:]
        fitting = [
            entry
            for entry in vocabulary
            if rest.startswith(entry) and len(prefix) < len(entry) <= 64
        ]
        if fitting:
            found.append(max(fitting, key=len))
            place += len(found[-1]) - len(prefix)
        else:
            place += 1
    return found


def without_prefix(piece: str) -> str:
    return piece.removeprefix(INSIDE)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: ascii(vector["text"])[:40])
def test_the_vectors_of_the_specification_hold(vector: dict[str, Any]) -> None:
    tokenize = get_tokenizer(PIECES_SPEC, Vocabulary(vector["vocabulary"]))
    assert tokenize(vector["text"]) == vector["tokens"]


def test_the_port_in_the_specification_passes_the_vectors() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    page = (DOCS / "tokenizer.md").read_text(encoding="utf-8")
    ports = "".join(re.findall(r"```js\n(.*?)```", page, re.DOTALL))
    check = (
        f"const found = {json.dumps(VECTORS)}.map(({{ vocabulary, text }}) =>"
        " wordPieces(tokenize(text), new Set(vocabulary))); console.log(JSON.stringify(found))"
    )
    run = subprocess.run(
        [node, "-"], input=ports + check, capture_output=True, text=True, check=True
    )
    assert json.loads(run.stdout) == [vector["tokens"] for vector in VECTORS]


@given(word=WORDS, vocabulary=PIECES)
def test_any_word_is_split_by_the_rules(word: str, vocabulary: list[str]) -> None:
    assert split([word], vocabulary) == by_the_rules(word, vocabulary)


@given(word=WORDS, vocabulary=PIECES)
def test_the_pieces_make_up_a_word_whose_letters_are_all_pieces(
    word: str, vocabulary: list[str]
) -> None:
    pieces = split([word], list(dict.fromkeys([*vocabulary, *SINGLE_LETTERS])))
    assert pieces[0] == word[: len(pieces[0])]
    assert all(piece.startswith(INSIDE) for piece in pieces[1:])
    assert "".join(map(without_prefix, pieces)) == word


@given(word=WORDS, vocabulary=PIECES)
def test_a_word_of_the_vocabulary_is_one_piece(word: str, vocabulary: list[str]) -> None:
    assert split([word], list(dict.fromkeys([*vocabulary, word]))) == [word]


@given(word=WORDS, vocabulary=PIECES)
def test_nothing_but_code_points_without_a_piece_is_left_out(
    word: str, vocabulary: list[str]
) -> None:
    pieces = split([word], vocabulary)
    assert set(pieces) <= set(vocabulary)
    read = iter(word)  # what is read is what the word has, in its order
    assert all(letter in read for letter in "".join(map(without_prefix, pieces)))
    known = [letter for letter in word[1:] if INSIDE + letter in vocabulary]
    assert len("".join(map(without_prefix, pieces))) >= len(known)


@given(words=st.lists(WORDS), vocabulary=PIECES)
def test_the_pieces_of_words_are_those_of_each_word_in_order(
    words: list[str], vocabulary: list[str]
) -> None:
    one_by_one = [piece for word in words for piece in split([word], vocabulary)]
    assert split(words, vocabulary) == one_by_one


@given(text=st.text(st.characters(exclude_categories=[])))
def test_a_text_is_read_as_the_words_of_the_tokenizer_simple(text: str) -> None:
    vocabulary = Vocabulary([*"abcxyz 'é", "##a", "the", "🙂"])
    tokens = get_tokenizer(PIECES_SPEC, vocabulary)(text)
    assert tokens == WordPieces(vocabulary)(simple_tokenize(text))
    assert all(token in vocabulary for token in tokens)


class CountingVocabulary(Vocabulary):
    """A vocabulary that counts how often a word is looked up in it."""

    count = 0

    def __contains__(self, word: object) -> bool:
        CountingVocabulary.count += 1
        return super().__contains__(word)


def test_the_longest_word_takes_a_bounded_number_of_look_ups() -> None:
    pieces = WordPieces(CountingVocabulary(["x" * 4200, INSIDE + "y" * 4200]))
    CountingVocabulary.count = 0
    assert pieces(["z" * MAX_CHARS]) == []
    assert CountingVocabulary.count <= 1 + MAX_PIECE * MAX_CHARS


def test_a_word_of_4096_letters_has_as_many_pieces() -> None:
    assert split(["a" * MAX_CHARS], ["a", "##a"]) == ["a"] + ["##a"] * (MAX_CHARS - 1)


def test_a_vocabulary_is_needed() -> None:
    with pytest.raises(ModelFileError, match="'word_pieces' needs a model with a table of words"):
        get_tokenizer(PIECES_SPEC)


@pytest.mark.parametrize("change", [{"version": 2}, {"max_chars": 99}, {"version": None}])
def test_another_version_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ModelFileError, match=r"this runtime has .*word_pieces"):
        get_tokenizer(PIECES_SPEC | change, Vocabulary(["a"]))


def test_the_specification_names_the_tokenizer_and_its_limit() -> None:
    section = (DOCS / "tokenizer.md").read_text(encoding="utf-8").partition("## `word_pieces`")[2]
    assert json.dumps(PIECES_SPEC) in section
    assert f"{MAX_PIECE} code points" in section


def test_whole_words_are_the_words_to_correct() -> None:
    vocabulary = Vocabulary(["light", "##light", "##s", "on"]).select(np.arange(3))
    words = known_words(PIECES_SPEC, vocabulary)
    assert words is not None and words.words == ["light"]
    assert words.lost is vocabulary.lost
    assert known_words(SIMPLE_SPEC, vocabulary) is vocabulary
    assert known_words({"name": "tweet"}, vocabulary) is None


def test_a_typing_error_is_corrected_to_a_whole_word_and_never_to_a_piece() -> None:
    vocabulary = Vocabulary(["##lamp", "light", "##lights"])
    words = known_words(PIECES_SPEC, vocabulary)
    assert words is not None
    correct = Corrector([], words)
    assert correct("the lihgt") == "the light"
    assert correct("the lapm") == "the lapm"
