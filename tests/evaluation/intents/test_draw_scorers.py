from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.compression.background import fit_background
from pocketintent.evaluation.intents import draw_scorers
from pocketintent.evaluation.intents.datasets import (
    IntentData,
    draw_templates,
    load_intent_data,
)
from pocketintent.evaluation.intents.draw_scorers import SEARCHES, DrawScorers, EmbeddedTexts
from pocketintent.evaluation.records import Utterance
from pocketintent.recognizer import IntentRecognizer
from pocketintent.runtime.arrays import FloatArray, unit_rows
from pocketintent.runtime.background import Background
from pocketintent.runtime.decision.registry import DECISIONS, Decision
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.index.building import Search
from pocketintent.runtime.templates.template_set import words_of_name


class Table:
    """An encoder of made vectors, one for each text."""

    template_quantizer = None
    background = None
    known_words = None

    def __init__(self, vectors: dict[str, FloatArray]) -> None:
        self.vectors, self.dim = vectors, len(next(iter(vectors.values())))
        self.calls = 0

    def encode(self, text: str) -> FloatArray:
        return self.vectors[text]

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        self.calls += 1
        return np.array([self.vectors[text] for text in texts], np.float32)


def make_data(groups: Sequence[FloatArray], queries: FloatArray) -> tuple[Table, IntentData]:
    """A data set of made vectors, whose intents have the templates of the groups."""
    vectors, train, asked = {}, [], []
    for label, group in enumerate(groups):
        for row, vector in enumerate(group):
            vectors[f"template {label} {row}"] = vector
            train.append(Utterance(f"template {label} {row}", f"intent {label}"))
    for row, vector in enumerate(queries):
        vectors[f"query {row}"] = vector
        asked.append(Utterance(f"query {row}", "intent 0"))
    return Table(vectors), IntentData.from_utterances("made", "test", train, asked, False)


def plain_scores(query: FloatArray, groups: Sequence[FloatArray], decision: str) -> list[float]:
    scores = []
    for group in groups:
        score = max(float(query @ template) for template in group)
        if decision == "nearest+centroid":
            mean = group.mean(axis=0)
            score = (score + float(query @ mean) / float(np.linalg.norm(mean))) / 2
        scores.append(score)
    return scores


def background(encoder: StaticEncoder) -> Background:
    lines = ["open the gate", "bye thanks", "freezing cold", "lock the door please"]
    return fit_background(encoder.encode_batch(lines), lines, 4)


@given(st.integers(0, 10_000), st.integers(1, 5), st.sampled_from(["nearest", "nearest+centroid"]))
def test_scores_equal_a_plain_loop(seed: int, num_intents: int, decision: Decision) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, num_intents).tolist()
    groups = [unit_rows(rng.standard_normal((size, 6)).astype(np.float32)) for size in sizes]
    queries = unit_rows(rng.standard_normal((7, 6)).astype(np.float32))
    encoder, data = make_data(groups, queries)
    draw = draw_templates(data.train_labels, 5, run=0)
    best = DrawScorers(encoder, data, draw, [decision]).answer(data.query_texts)[decision]
    for query, label, score in zip(queries, best.labels, best.scores, strict=True):
        expected = plain_scores(query, groups, decision)
        assert score == pytest.approx(max(expected), abs=1e-5)
        assert expected[label] == pytest.approx(max(expected), abs=1e-5)


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("decision", DECISIONS)
@pytest.mark.parametrize("with_background", [False, True])
def test_answers_are_those_of_the_recogniser(
    search: Search,
    decision: Decision,
    with_background: bool,
    tiny_encoder: StaticEncoder,
    intent_dir: Path,
) -> None:
    encoder = tiny_encoder
    if with_background:
        encoder = encoder.replace(background=background(encoder))
    data = load_intent_data(intent_dir)
    draw = draw_templates(data.train_labels, 3, run=1)
    texts = [*data.query_texts, *data.train_texts]
    scorers = DrawScorers(EmbeddedTexts(encoder, texts), data, draw, search=search)
    best = scorers.answer(texts)[decision]
    templates: dict[str, list[str]] = {}
    for index, label in zip(draw.indices, draw.labels, strict=True):
        templates.setdefault(data.intents[label], []).append(data.train_texts[index])
    recognizer = IntentRecognizer(encoder, templates, decision=decision, search=search)
    for text, label, score in zip(texts, best.labels, best.scores, strict=True):
        match = recognizer.match(text)
        assert data.intents[label] == (match.nearest or data.intents[0])
        assert score == pytest.approx(match.score, abs=1e-5)


def test_texts_are_encoded_once_and_answered_in_blocks(
    intent_dir: Path, tiny_encoder: StaticEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = load_intent_data(intent_dir)
    names = [words_of_name(name) for name in data.intents]
    encoder = Table(
        {text: tiny_encoder.encode(text) for text in data.train_texts + data.query_texts + names}
    )
    embedded = EmbeddedTexts(encoder, data.train_texts, data.query_texts)
    draws = [draw_templates(data.train_labels, 2, run) for run in range(3)]
    whole = [DrawScorers(embedded, data, draw).answer(data.query_texts) for draw in draws]
    assert encoder.calls == 3  # the last for the names
    monkeypatch.setattr(draw_scorers, "TEXTS_AT_ONCE", 2)
    for draw, answers in zip(draws, whole, strict=True):
        blocks = DrawScorers(embedded, data, draw).answer(data.query_texts)
        for decision, best in answers.items():
            np.testing.assert_array_equal(blocks[decision].labels, best.labels)
            np.testing.assert_allclose(blocks[decision].scores, best.scores, atol=1e-6)


def test_a_text_without_a_known_word_gets_the_first_label_and_no_score() -> None:
    zeros, unit = np.zeros(2, np.float32), np.array([0, 1], np.float32)
    encoder, data = make_data([-unit[None], unit[None]], np.stack([unit, zeros]))
    draw = draw_templates(data.train_labels, 1, run=0)
    for best in DrawScorers(encoder, data, draw).answer(data.query_texts).values():
        assert best.labels.tolist() == [1, 0]
        assert best.scores[1] == 0
    encoder, data = make_data([zeros[None]], unit[None])
    draw = draw_templates(data.train_labels, 1, run=0)
    for best in DrawScorers(encoder, data, draw).answer(data.query_texts).values():
        assert (best.labels.tolist(), best.scores.tolist()) == ([0], [0])


def test_templates_that_cancel_out_leave_the_other_intent_its_queries() -> None:
    opposite, other = np.array([[1, 0], [-1, 0]], np.float32), np.array([[0, 1]], np.float32)
    encoder, data = make_data([opposite, other], np.array([[0.6, 0.8]], np.float32))
    draw = draw_templates(data.train_labels, 2, run=0)
    best = DrawScorers(encoder, data, draw).answer(data.query_texts)["nearest+centroid"]
    assert best.labels.tolist() == [1]
    assert best.scores[0] == pytest.approx(0.8)
