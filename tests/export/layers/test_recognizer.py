from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("torch")

import torch

from pocketintent.runtime.arrays import unit_rows
from pocketintent.runtime.decision.nearest import NearestScorer, Similarity
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.graphs.inputs import GraphInputs
from pocketintent.runtime.index.indexed_templates import IndexedTemplates
from pocketintent_export.export import Scoring
from pocketintent_export.kinds.static import StaticModule
from pocketintent_export.layers.recognizer import RecognizerModule
from pocketintent_export.layers.similarities import Scores

MakeEncoder = Callable[..., StaticEncoder]
MakeIndex = Callable[..., IndexedTemplates]

SHAPES: dict[str, tuple[dict[str, Any], dict[str, Any] | None]] = {
    "alike": ({}, {}),
    "no n-grams": ({}, None),
    "no norms": ({"normalised": False}, {"normalised": False}),
    "one codebook for all positions": ({"per_position": False}, {"per_position": False}),
    "shared codebook for n-grams alone": ({}, {"per_position": False}),
    "other widths": ({"size": 100}, {"size": 5}),
    "other sub-vectors": ({"sub_dim": 3}, {"sub_dim": 4, "size": 256}),
    "norms of the words alone": ({}, {"normalised": False}),
    "norms of the n-grams alone": ({"normalised": False}, {}),
}
TEXTS = ["aaab", "aaab aaac aaab", "aabd unheard aaaa", "unheard", "x", "AAAD aaad!", "", "?!"]
SCORINGS: list[Scoring] = ["table", "decoded"]
SIMILARITIES: list[Similarity] = ["nearest", "nearest+centroid"]


def _batch(encoder: StaticEncoder, texts: Sequence[str]) -> tuple[torch.Tensor, torch.Tensor]:
    """The slots of the texts, padded to the longest."""
    inputs = GraphInputs(encoder.tokenizer_spec, encoder.vocabulary, encoder.ngram_settings)
    slots = [own for text in texts if (own := inputs(text).slots) is not None]
    length = max(1, *(len(own.ids) for own in slots))
    ids, weights = np.zeros((len(texts), length), np.int32), np.zeros((len(texts), length), "f4")
    for row, own in enumerate(slots):
        ids[row, : len(own.ids)], weights[row, : len(own.ids)] = own.ids, own.weights
    return torch.from_numpy(ids), torch.from_numpy(weights)


def _queries(num: int, dim: int = 12, seed: int = 5) -> np.ndarray:
    return unit_rows(np.random.default_rng(seed).normal(size=(num, dim)).astype(np.float32))


@pytest.mark.parametrize("shapes", SHAPES.values(), ids=SHAPES)
def test_the_encoder_module_gives_the_encoders_vectors(
    make_encoder: MakeEncoder, shapes: tuple[dict[str, Any], dict[str, Any] | None]
) -> None:
    encoder = make_encoder(*shapes)

    vectors = StaticModule(encoder)(*_batch(encoder, TEXTS))

    assert vectors.dtype == torch.float32
    np.testing.assert_allclose(vectors.numpy(), encoder.encode_batch(TEXTS), atol=1e-6)


@pytest.mark.parametrize("scoring", SCORINGS)
@pytest.mark.parametrize("keep_codes", [True, False])
@pytest.mark.parametrize("per_position", [True, False])
@pytest.mark.parametrize("size", [7, 256])
def test_scores_are_those_of_the_index(
    make_index: MakeIndex, scoring: Scoring, keep_codes: bool, per_position: bool, size: int
) -> None:
    index = make_index([3, 1, 4], per_position=per_position, size=size)
    queries = _queries(5)

    module = Scores(index, scoring, keep_codes)
    scores = module(torch.from_numpy(queries))

    expected = np.stack([index.scores(query) for query in queries], axis=1)
    np.testing.assert_allclose(scores.numpy(), expected, atol=1e-5)


class _Given(torch.nn.Module):
    """An encoder that returns the weights as the vector, so that a test chooses the query."""

    def forward(self, ids: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        return weights


def _recognize(
    indexed: IndexedTemplates, queries: np.ndarray, similarity: Similarity, scoring: Scoring
) -> tuple[np.ndarray, np.ndarray]:
    scorer = NearestScorer(indexed, similarity)
    module = RecognizerModule(_Given(), indexed, scorer, scoring, keep_codes=True)
    ids = torch.zeros(queries.shape, dtype=torch.int32)
    scores, templates = module(ids, torch.from_numpy(queries))
    assert (scores.dtype, templates.dtype) == (torch.float32, torch.int32)
    return scores.numpy(), templates.numpy()


@pytest.mark.parametrize("scoring", SCORINGS)
@pytest.mark.parametrize("similarity", SIMILARITIES)
@given(
    # More than 32 templates of an intent are compared in several blocks.
    counts=st.lists(st.integers(1, 6) | st.integers(30, 100), min_size=1, max_size=6),
    batch=st.integers(1, 4),
    seed=st.integers(0, 999),
)
@settings(max_examples=25)
def test_the_recogniser_module_finds_what_a_search_finds(
    make_index: MakeIndex,
    similarity: Similarity,
    scoring: Scoring,
    counts: list[int],
    batch: int,
    seed: int,
) -> None:
    indexed = make_index(counts, seed=seed)
    scorer = NearestScorer(indexed, similarity)
    queries = _queries(batch, seed=seed)

    scores, templates = _recognize(indexed, queries, similarity, scoring)

    assert scores.shape == templates.shape == (batch, len(counts))
    bounds = indexed.bounds
    for query, row_scores, row_templates in zip(queries, scores, templates, strict=True):
        every = indexed.scores(query)
        for hit in scorer.search("", query, len(counts)):
            assert row_scores[hit.intent] == pytest.approx(hit.score, abs=1e-5)
            template = int(row_templates[hit.intent])
            assert bounds[hit.intent] <= template < bounds[hit.intent + 1]
            # Two templates that differ only by rounding are equally good answers.
            same = every[template] == pytest.approx(every[hit.row], abs=1e-5)
            assert template == hit.row or same


@pytest.mark.parametrize("scoring", SCORINGS)
def test_of_equal_templates_the_first_is_the_nearest(
    make_index: MakeIndex, scoring: Scoring
) -> None:
    indexed = make_index([5, 70])
    assert indexed.codes is not None
    indexed.codes[:] = indexed.codes[:, :1]
    indexed.scales[:] = indexed.scales[0]

    _, templates = _recognize(indexed, _queries(3), "nearest", scoring)

    np.testing.assert_array_equal(templates, [[0, 5]] * 3)


@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_the_whole_recogniser_goes_from_slots_to_the_runtimes_answer(
    make_encoder: MakeEncoder, make_index: MakeIndex, similarity: Similarity
) -> None:
    encoder, indexed = make_encoder({}, {}), make_index([2, 3, 1])
    scorer = NearestScorer(indexed, similarity)
    module = RecognizerModule(StaticModule(encoder), indexed, scorer, "decoded", True)
    texts = [text for text in TEXTS if encoder.encode(text).any()]

    scores, templates = module(*_batch(encoder, texts))

    for row, text in enumerate(texts):
        best = scorer.search(text, encoder.encode(text), 1)[0]
        assert int(scores[row].argmax()) == best.intent
        assert float(scores[row, best.intent]) == pytest.approx(best.score, abs=1e-5)
        assert int(templates[row, best.intent]) == best.row
