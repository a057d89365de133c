from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from index_rows import index_of, make_groups, make_query
from pocketintent.compression.codebooks import fit_quantizer
from pocketintent.runtime.arrays import unit_rows
from pocketintent.runtime.decision.nearest import NearestScorer, Similarity
from pocketintent.runtime.decision.scoring import Hit
from pocketintent.runtime.index.indexed_templates import MAX_DECODED
from pocketintent.runtime.quantization.quantizer import Quantizer


def _scorer(
    groups: Sequence[np.ndarray],
    similarity: Similarity,
    quantizer: Quantizer | None = None,
    max_decoded: int = MAX_DECODED,
) -> NearestScorer:
    """The scorer of intents with these rows: vectors, or codes of the quantiser."""
    return NearestScorer(index_of(groups, quantizer, max_decoded), similarity)


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
    groups, query = make_groups(counts, seed=seed), make_query()

    found = _scorer(groups, similarity).search("", query, limit)

    _assert_same(found, _plain_search(groups, query, similarity, limit))


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("max_decoded", [0, 1 << 20], ids=["look-ups", "product"])
@pytest.mark.parametrize("per_position", [False, True])
@given(counts=COUNTS, seed=st.integers(0, 20))
def test_a_table_search_is_a_plain_search_of_the_decoded_rows_at_unit_length(
    similarity: Similarity, max_decoded: int, per_position: bool, counts: list[int], seed: int
) -> None:
    groups, query = make_groups(counts, seed=seed), make_query()
    quantizer = fit_quantizer(
        np.concatenate(groups),
        sub_dim=4,
        codebook_size=8,
        per_position=per_position,
        normalised=False,
    )
    codes = [quantizer.assign(group) for group in groups]
    decoded = [unit_rows(quantizer.decode_codes(group)) for group in codes]

    found = _scorer(codes, similarity, quantizer, max_decoded).search("", query, 3)

    _assert_same(found, _plain_search(decoded, query, similarity, 3))


def test_the_first_of_equal_intents_wins() -> None:
    group = make_groups([2])[0]

    hits = _scorer([group, group], "nearest").search("", group[0], 2)

    assert [(hit.intent, hit.row) for hit in hits] == [(0, 0), (1, 2)]


def test_a_template_finds_itself_with_a_score_of_one() -> None:
    groups = make_groups([3, 4])

    hit = _scorer(groups, "nearest").search("", groups[1][2], 1)[0]

    assert (hit.intent, hit.row) == (1, 5)
    assert hit.score == pytest.approx(1, abs=1e-6)


def test_no_similarity_is_above_one() -> None:
    groups = make_groups([40, 40])
    scorer = _scorer(groups, "nearest")
    queries = np.concatenate([group[:-1] for group in groups])
    assert (scorer.indexed.score_block(queries).max(axis=1) > 1).any()  # rounding
    assert all(scorer.search("", query, 1)[0].score <= 1 for query in queries)
    block = scorer.search_block([""] * len(queries), queries, 2)
    assert all(hit.score <= 1 for hits in block for hit in hits)


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
    groups = make_groups(counts, seed=seed)
    quantizer = fit_quantizer(
        np.concatenate(groups),
        sub_dim=4,
        codebook_size=8,
        per_position=per_position,
        normalised=False,
    )
    codes = [quantizer.assign(group) for group in groups]
    queries = np.array([make_query(seed=seed + i) for i in range(num_queries)], np.float32)
    queries = queries.reshape(num_queries, 16)
    for scorer in (
        _scorer(groups, similarity),
        _scorer(codes, similarity, quantizer, max_decoded),
    ):
        block = scorer.search_block([""] * num_queries, queries, 3)

        assert len(block) == num_queries
        for query, hits in zip(queries, block, strict=True):
            _assert_same(hits, scorer.search("", query, 3))


def test_in_a_block_the_single_search_decides_a_tie(monkeypatch: pytest.MonkeyPatch) -> None:
    group = make_groups([2])[0]
    asked: list[np.ndarray] = []
    search = NearestScorer.search

    def count(scorer: NearestScorer, text: str, query: np.ndarray, limit: int) -> list[Hit]:
        asked.append(query)
        return search(scorer, text, query, limit)

    monkeypatch.setattr(NearestScorer, "search", count)
    block = _scorer([group, group[[1, 0, 2]]], "nearest").search_block(["", ""], group[:2], 2)

    assert len(asked) == 2
    assert [[hit.intent for hit in hits] for hits in block] == [[0, 1], [0, 1]]
    assert [[hit.row for hit in hits] for hits in block] == [[0, 3], [1, 2]]
