import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.runtime.arrays import unit_rows
from pocketintent.runtime.index.hits import Hit
from pocketintent.runtime.index.matching import ExactIndex, Similarity, TableIndex
from pocketintent.runtime.index.template_rows import (
    add_centroid,
    fit_template_quantizer,
    quantization_errors,
)
from pocketintent.runtime.quantization.quantizer import Quantizer


def _groups(counts: list[int], dim: int = 16, seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [
        add_centroid(unit_rows(rng.normal(size=(count, dim)).astype(np.float32)))
        for count in counts
    ]


def _query(dim: int = 16, seed: int = 9) -> np.ndarray:
    return unit_rows(np.random.default_rng(seed).normal(size=(1, dim)).astype(np.float32))[0]


def _plain_search(
    groups: list[np.ndarray], query: np.ndarray, similarity: Similarity, limit: int
) -> list[Hit]:
    """One template after the other, in double precision."""
    hits, row = [], 0
    for intent, group in enumerate(groups):
        scores = [float(np.dot(vector.astype(np.float64), query)) for vector in group]
        best = max(range(len(scores) - 1), key=scores.__getitem__)
        score = scores[best]
        if similarity == "nearest+centroid":
            score = (score + scores[-1]) / 2
        hits.append(Hit(intent, score, row + best))
        row += len(group) - 1
    return sorted(hits, key=lambda hit: -hit.score)[:limit]


def _assert_same(found: list[Hit], expected: list[Hit]) -> None:
    assert [(hit.intent, hit.row) for hit in found] == [(hit.intent, hit.row) for hit in expected]
    np.testing.assert_allclose(
        [hit.score for hit in found], [hit.score for hit in expected], atol=1e-5
    )


COUNTS = st.lists(st.integers(1, 6), min_size=1, max_size=6)
SIMILARITIES: list[Similarity] = ["nearest", "nearest+centroid"]


@pytest.mark.parametrize("similarity", SIMILARITIES)
@given(counts=COUNTS, seed=st.integers(0, 99), limit=st.integers(1, 8))
def test_an_exact_search_finds_what_a_plain_one_finds(
    similarity: Similarity, counts: list[int], seed: int, limit: int
) -> None:
    groups, query = _groups(counts, seed=seed), _query()

    found = ExactIndex(groups).search(query, similarity, limit)

    _assert_same(found, _plain_search(groups, query, similarity, limit))


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("max_decoded", [0, 1 << 20], ids=["look-ups", "product"])
@pytest.mark.parametrize("per_position", [False, True])
@given(counts=COUNTS, seed=st.integers(0, 20))
def test_a_table_search_is_a_plain_search_of_the_decoded_rows_at_unit_length(
    similarity: Similarity, max_decoded: int, per_position: bool, counts: list[int], seed: int
) -> None:
    groups, query = _groups(counts, seed=seed), _query()
    quantizer = Quantizer.fit(
        np.concatenate(groups),
        sub_dim=4,
        codebook_size=8,
        per_position=per_position,
        normalised=False,
    )
    codes = [quantizer.assign(group) for group in groups]
    decoded = [unit_rows(quantizer.decode_codes(group)) for group in codes]

    found = TableIndex(codes, quantizer, max_decoded).search(query, similarity, 3)

    _assert_same(found, _plain_search(decoded, query, similarity, 3))


@pytest.mark.parametrize("codebook_size", [16, 256, 300])
@pytest.mark.parametrize("num_templates", [1, 511, 513, 1100])
def test_sums_of_look_ups_equal_dot_products_with_decoded_templates(
    codebook_size: int, num_templates: int
) -> None:
    groups = _groups([num_templates, 2])
    quantizer = Quantizer.fit(
        np.concatenate(groups), sub_dim=4, codebook_size=codebook_size, normalised=False
    )
    codes = [quantizer.assign(group) for group in groups]
    decoded = [unit_rows(quantizer.decode_codes(group)) for group in codes]
    rows = np.concatenate([decoded[0][:-1], decoded[1][:-1], decoded[0][-1:], decoded[1][-1:]])

    scores = TableIndex(codes, quantizer, 0).scores(_query())

    np.testing.assert_allclose(scores, rows @ _query(), atol=1e-5)
    np.testing.assert_allclose(scores, TableIndex(codes, quantizer).scores(_query()), atol=0)


def test_the_first_of_equal_intents_wins() -> None:
    group = _groups([2])[0]

    hits = ExactIndex([group, group]).search(group[0], "nearest", 2)

    assert [(hit.intent, hit.row) for hit in hits] == [(0, 0), (1, 2)]


def test_a_template_finds_itself_with_a_score_of_one() -> None:
    groups = _groups([3, 4])

    hit = ExactIndex(groups).search(groups[1][2], "nearest", 1)[0]

    assert (hit.intent, hit.row) == (1, 5)
    assert hit.score == pytest.approx(1, abs=1e-6)


def test_no_similarity_is_above_one() -> None:
    groups = _groups([40, 40])
    index = ExactIndex(groups)
    queries = np.concatenate([group[:-1] for group in groups])
    assert (index.score_block(queries).max(axis=1) > 1).any()  # rounding
    assert all(index.search(query, "nearest", 1)[0].score <= 1 for query in queries)
    assert (index.search_block(queries, "nearest", 2).scores <= 1).all()


def test_a_centroid_is_the_unit_mean_and_templates_that_cancel_out_have_their_first() -> None:
    a, b = np.eye(2, 3, dtype=np.float32)

    np.testing.assert_allclose(add_centroid(np.stack([a, b]))[-1], (a + b) / np.sqrt(2), atol=1e-7)
    np.testing.assert_array_equal(add_centroid(np.stack([a, -a]))[-1], a)


def test_few_templates_are_quantised_without_loss_and_many_with_little() -> None:
    few = _groups([1], dim=32)[0]
    many = _groups([400], dim=32)[0]
    for vectors, largest in ((few, 1e-6), (many, 0.03)):
        quantizer = fit_template_quantizer(vectors)
        errors = quantization_errors(vectors, quantizer.assign(vectors), quantizer)
        assert errors.mean() < largest
        assert len(quantizer.codebook) == 1


def test_an_odd_dimension_has_codes_of_one_number() -> None:
    vectors = _groups([5], dim=7)[0]

    assert fit_template_quantizer(vectors).sub_dim == 1


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("max_decoded", [0, 1 << 20], ids=["look-ups", "product"])
@pytest.mark.parametrize("per_position", [False, True])
@given(counts=COUNTS, seed=st.integers(0, 20), num_queries=st.integers(0, 7))
def test_a_block_of_queries_finds_what_each_query_finds(
    similarity: Similarity,
    max_decoded: int,
    per_position: bool,
    counts: list[int],
    seed: int,
    num_queries: int,
) -> None:
    groups = _groups(counts, seed=seed)
    quantizer = Quantizer.fit(
        np.concatenate(groups),
        sub_dim=4,
        codebook_size=8,
        per_position=per_position,
        normalised=False,
    )
    codes = [quantizer.assign(group) for group in groups]
    queries = np.array([_query(seed=seed + i) for i in range(num_queries)], np.float32)
    queries = queries.reshape(num_queries, 16)
    for index in (ExactIndex(groups), TableIndex(codes, quantizer, max_decoded)):
        block = index.search_block(queries, similarity, 3)

        assert len(block.intents) == num_queries
        columns = zip(block.intents, block.scores, block.rows, strict=True)
        for query, hits in zip(queries, columns, strict=True):
            _assert_same([*map(Hit, *hits)], index.search(query, similarity, 3))


def test_in_a_block_the_single_search_decides_a_tie(monkeypatch: pytest.MonkeyPatch) -> None:
    group = _groups([2])[0]
    index = ExactIndex([group, group[[1, 0, 2]]])
    asked: list[np.ndarray] = []
    search = index.search

    def count(query: np.ndarray, similarity: Similarity, limit: int) -> list[Hit]:
        asked.append(query)
        return search(query, similarity, limit)

    monkeypatch.setattr(index, "search", count)
    block = index.search_block(group[:2], "nearest", 2)

    assert len(asked) == 2
    assert block.intents.tolist() == [[0, 1], [0, 1]]
    assert block.rows.tolist() == [[0, 3], [1, 2]]
