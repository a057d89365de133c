from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.text.tokenizer import SIMPLE_SPEC, simple_tokenize
from pocketintent.training.vectors.table import TermVectors
from pocketintent_lab.evaluation.similarity.word_tables import (
    has_terms,
    known_tokens,
    read_tokenizer_spec,
    table_encoder,
)

TERMS = ["we", "use", "machine", "learning", "machine_learning", "machine_learning_model", "model"]


def table(terms: list[str], seed: int = 0) -> TermVectors:
    rng = np.random.default_rng(seed)
    return TermVectors(terms, rng.normal(size=(len(terms), 5)).astype(np.float32))


def unit_sum(vectors: TermVectors, tokens: list[str]) -> FloatArray:
    rows = dict(zip(vectors.terms, vectors.vectors, strict=True))
    total: FloatArray = np.sum([rows[token] for token in tokens if token in rows], axis=0)
    return total / np.linalg.norm(total)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("We use machine learning!", ["we", "use", "machine_learning"]),
        ("machine learning model", ["machine_learning_model"]),
        ("machine-learning models", ["machine_learning"]),
        ("machine we learning", ["machine", "we", "learning"]),
    ],
)
def test_the_longest_term_counts_as_one_word(text: str, tokens: list[str]) -> None:
    vectors = table(TERMS)
    vector = table_encoder(vectors).encode(text)
    np.testing.assert_allclose(vector, unit_sum(vectors, tokens), atol=1e-6)


def test_without_joining_terms_are_never_looked_up() -> None:
    vectors = table(TERMS)
    vector = table_encoder(vectors, join_terms=False).encode("we use machine learning")
    expected = unit_sum(vectors, ["we", "use", "machine", "learning"])
    np.testing.assert_allclose(vector, expected, atol=1e-6)


def test_spaces_in_terms_are_underscores_and_the_first_of_equal_terms_counts() -> None:
    vectors = table(["machine learning", "model", "machine_learning"])
    encoder = table_encoder(vectors)
    assert encoder.vocabulary.words == ["machine_learning", "model"]
    expected = vectors.vectors[0] / np.linalg.norm(vectors.vectors[0])
    np.testing.assert_allclose(encoder.encode("machine learning"), expected, atol=1e-6)


def test_underscores_that_join_no_words_change_nothing() -> None:
    vectors = table(["__init__", "a__b", "a", "b", "init", "_"])
    vector = table_encoder(vectors).encode("a b init")
    np.testing.assert_allclose(vector, unit_sum(vectors, ["a", "b", "init"]), atol=1e-6)
    assert not has_terms(vectors)
    assert has_terms(table(["a_b"]))
    assert has_terms(table(["a b"]))


WORDS = st.lists(st.sampled_from("abcd"), min_size=1, max_size=8)


@given(st.lists(WORDS, max_size=6), WORDS)
def test_joining_keeps_all_words_and_yields_only_known_terms(
    terms: list[list[str]], words: list[str]
) -> None:
    names = list(dict.fromkeys(["a", "b", *("_".join(term) for term in terms)]))
    encoder = table_encoder(table(names))
    tokens = encoder.tokenize(" ".join(words))
    assert [word for token in tokens for word in token.split("_")] == words
    unknown = [token for token in tokens if token not in encoder.vocabulary]
    assert set(unknown) <= {"c", "d"}
    assert known_tokens(encoder, [" ".join(words)]) == pytest.approx(1 - len(unknown) / len(words))


def test_the_share_of_known_tokens_counts_the_words_of_terms() -> None:
    encoder = table_encoder(table(TERMS))
    assert known_tokens(encoder, ["we love machine learning", "deep"]) == pytest.approx(3 / 5)
    assert known_tokens(encoder, ["", "..."]) == 0.0


def test_the_tokenizer_comes_from_a_model_or_is_the_simple_one(
    tiny_encoder: StaticEncoder, tiny_model: Path, tmp_path: Path
) -> None:
    text = tmp_path / "vectors.txt"
    text.write_text("lamp 1 0\n")
    assert read_tokenizer_spec(tiny_model) == tiny_encoder.tokenizer_spec
    assert read_tokenizer_spec(text) == SIMPLE_SPEC
    assert table_encoder(table(TERMS)).tokenize("a b") == simple_tokenize("a b")
