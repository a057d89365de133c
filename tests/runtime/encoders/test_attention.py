from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pocketintent.compression.codebooks import encode_matrix, fit_quantizer
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.combined import Attention, TableAttention
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.quantization.matrices import DenseMatrix

DIM = 8


def make_rows(num_rows: int = 40) -> FloatArray:
    rows = np.random.default_rng(0).normal(0, 1, (num_rows, DIM)).astype(np.float32)
    rows *= np.linspace(0.2, 3, num_rows, dtype=np.float32)[:, None]
    return rows


def plain_attention(rows: FloatArray, query: FloatArray, attention: Attention) -> FloatArray:
    """The formula over all words, with the softmax in double precision."""
    if not query.any():
        return query
    keys = np.array([row / np.linalg.norm(row) if row.any() else row for row in rows], np.float64)
    scores = keys @ (query / np.linalg.norm(query)) / attention.temperature
    weights = np.exp(scores - scores.max())
    answer = weights @ rows / weights.sum()
    mixed = attention.share * answer + (1 - attention.share) * query
    length = attention.weight * np.linalg.norm(query)
    return np.asarray(length * mixed / np.linalg.norm(mixed), np.float32)


@pytest.mark.parametrize("temperature", [0.01, 0.05, 1])
def test_many_queries_have_the_answers_of_single_ones(
    temperature: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pocketintent.runtime.encoders.combined._QUERIES_AT_ONCE", 12)
    attend = TableAttention(DenseMatrix(make_rows()), Attention(temperature=temperature))
    queries = np.random.default_rng(0).normal(0, 2, (30, DIM)).astype(np.float32)
    queries[20] = 0

    together = attend(queries)

    for query, result in zip(queries, together, strict=True):
        np.testing.assert_allclose(result, attend(query[None])[0], atol=1e-5)


class CountedProducts(np.ndarray[Any, np.dtype[np.float32]]):
    """A matrix that counts its products."""

    count = 0

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **settings: Any) -> Any:
        CountedProducts.count += ufunc is np.matmul
        arrays = [np.asarray(each) if each is self else each for each in inputs]
        return getattr(ufunc, method)(*arrays, **settings)


def test_many_queries_that_all_words_answer_are_one_product() -> None:
    attend = TableAttention(DenseMatrix(make_rows()), Attention(temperature=1))
    queries = np.random.default_rng(0).normal(0, 2, (100, DIM)).astype(np.float32)
    expected = attend(queries)
    rows, scales = attend._decoded
    attend.__dict__["_decoded"] = rows.view(CountedProducts), scales
    CountedProducts.count = 0

    np.testing.assert_array_equal(attend(queries), expected)

    assert CountedProducts.count == 2  # the scores, and the answers


@given(
    seed=st.integers(0, 1000),
    share=st.floats(0.01, 1),
    weight=st.floats(0.01, 1),
    temperature=st.floats(0.005, 1),
    quantised=st.booleans(),
)
@settings(max_examples=60)
def test_the_attention_is_the_softmax_over_all_words(
    seed: int, share: float, weight: float, temperature: float, quantised: bool
) -> None:
    rows, attention = make_rows(), Attention(share, temperature, weight)
    rows[3] = 0
    table = (
        encode_matrix(rows, fit_quantizer(rows, sub_dim=2, codebook_size=8)) if quantised else None
    )
    queries = np.random.default_rng(seed).normal(0, 2, (5, DIM)).astype(np.float32)
    queries[2] = 0
    original_queries = queries.copy()
    results = TableAttention(table or DenseMatrix(rows), attention)(queries)
    decoded = table.decode() if table else rows
    expected = [plain_attention(decoded, query, attention) for query in queries]
    np.testing.assert_allclose(results, expected, atol=2e-4)
    assert not results[2].any()
    np.testing.assert_array_equal(queries, original_queries)


def test_a_query_near_one_word_turns_into_that_word() -> None:
    rows = make_rows()
    attend = TableAttention(DenseMatrix(rows), Attention(share=1, temperature=0.01, weight=0.5))
    query = 0.3 * rows[7:8] / np.linalg.norm(rows[7]) + 0.01
    (result,) = attend(query)
    length = np.linalg.norm(result)
    np.testing.assert_allclose(length, 0.5 * np.linalg.norm(query), rtol=1e-5)
    np.testing.assert_allclose(result / length, rows[7] / np.linalg.norm(rows[7]), atol=1e-2)


def test_a_batch_equals_its_queries_one_by_one() -> None:
    attend = TableAttention(DenseMatrix(make_rows()), Attention())
    queries = make_rows(19)[:, ::-1].copy()
    single = np.concatenate([attend(query[None]) for query in queries])
    np.testing.assert_allclose(attend(queries), single, atol=1e-5)
    assert attend(queries[:0]).shape == (0, DIM)


@pytest.mark.parametrize("value", [0, -0.1, 1.5, float("nan"), "0.5", True, None])
@pytest.mark.parametrize("name", ["share", "temperature", "weight"])
def test_settings_out_of_range_are_refused(name: str, value: Any) -> None:
    with pytest.raises(ModelFileError, match=f"attention: {name} must be above 0"):
        Attention(**{name: value})


@pytest.mark.parametrize(
    "entry", [None, [], {}, {"share": 0.5}, {"share": 1, "temperature": 1, "x": 1}]
)
def test_a_manifest_without_its_settings_is_refused(entry: object) -> None:
    with pytest.raises(ModelFileError, match="attention must have share, temperature, weight"):
        Attention.from_manifest(entry)


@pytest.mark.parametrize("words", [None, 12])
def test_settings_survive_the_manifest(words: int | None) -> None:
    attention = Attention(0.25, 0.5, 0.75, words)
    assert Attention.from_manifest(attention.to_manifest()) == attention
    assert ("words" in attention.to_manifest()) == (words is not None)


@pytest.mark.parametrize("words", [0, -3, 2.0, "5", True])
def test_a_bad_number_of_answering_words_is_refused(words: Any) -> None:
    with pytest.raises(ModelFileError, match="attention: words must be 1 or more"):
        Attention(words=words)


@pytest.mark.parametrize("quantised", [False, True])
def test_only_the_first_words_answer_if_their_number_is_limited(quantised: bool) -> None:
    rows, queries = make_rows(), make_rows(6)[:, ::-1].copy()
    quantizer = fit_quantizer(rows, sub_dim=2, codebook_size=8)
    table, first = (
        encode_matrix(part, quantizer) if quantised else DenseMatrix(part)
        for part in (rows, rows[:12])
    )
    limited = TableAttention(table, Attention(words=12))(queries)
    np.testing.assert_allclose(limited, TableAttention(first, Attention())(queries), atol=1e-6)
    assert np.abs(limited - TableAttention(table, Attention())(queries)).max() > 1e-3
    every = TableAttention(table, Attention(words=1000))(queries)
    np.testing.assert_array_equal(every, TableAttention(table, Attention())(queries))
