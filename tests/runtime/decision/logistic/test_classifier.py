import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent import IntentRecognizer
from pocketintent.compression.background import fit_background
from pocketintent.runtime.decision.logistic.scorer import Calibration, Classifier, LogisticScorer
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.templates.files import load_templates
from pocketintent.runtime.templates.template_set import TemplateSet, parse_templates
from pocketintent.runtime.text.languages import is_negated
from pocketintent.runtime.text.ngram_counts import NUM_BUCKETS, count_ngrams_of_texts

EDIT_TOLERANCE = 0.02
"""Largest difference of a score after edits from that of a fit from scratch."""


def make_set() -> TemplateSet:
    return load_templates("smart_home")


def classifier(recognizer: IntentRecognizer) -> Any:
    scorer = recognizer.scorer
    assert isinstance(scorer, LogisticScorer)
    return scorer.classifier


def scores(recognizer: IntentRecognizer, texts: list[str]) -> np.ndarray:
    """The score of each intent, by name in alphabetical order."""
    names = len(recognizer.intents)
    rows = [sorted((c.intent, c.score) for c in recognizer.rank(t, names)) for t in texts]
    return np.array([[score for _, score in row] for row in rows])


TEXTS = ["switch the lamp off please", "what is the time", "lights", "play some jazz loudly"]


@pytest.mark.parametrize("own_codebook", [False, True])
def test_equal_sets_in_any_order_have_equal_weights(own_codebook: bool) -> None:
    first, second = make_set(), make_set()
    generator = random.Random(1)
    for intent in second.intents.values():
        generator.shuffle(intent.templates)
        generator.shuffle(intent.counter_examples)
    second.intents = dict(generator.sample(list(second.intents.items()), len(second.intents)))
    second.none = second.none[::-1]
    encoder = load_encoder("fast")
    assert isinstance(encoder, ModelEncoder)
    if own_codebook:
        encoder = encoder.replace(template_quantizer=None)
    one, other = (IntentRecognizer(encoder, s) for s in (first, second))
    order = [classifier(other).names.index(name) for name in classifier(one).names]
    assert np.array_equal(classifier(one).weights, classifier(other).weights[order])
    assert classifier(one).calibration == classifier(other).calibration


def test_edits_lead_to_the_scores_of_a_fit_from_scratch() -> None:
    encoder, templates = load_encoder("fast"), make_set()
    recognizer = IntentRecognizer(encoder, templates)
    recognizer.add_intent("play_chess", ["play chess with me", "start a game of chess"])
    recognizer.remove_intent("lights_dim")
    recognizer.add_intent("lights_on", ["some light, please"], counter_examples=["not the light"])
    recognizer.add_intent("play_chess", ["your move, chess computer"])
    scratch = IntentRecognizer(encoder, recognizer.templates)
    assert np.abs(scores(recognizer, TEXTS) - scores(scratch, TEXTS)).max() < EDIT_TOLERANCE
    assert scores(recognizer, TEXTS).shape == (len(TEXTS), len(templates.intents))


def test_scores_are_probabilities_and_a_template_is_recognised() -> None:
    recognizer = IntentRecognizer.load("smart_home")
    everything = scores(recognizer, TEXTS)
    assert (everything >= 0).all() and (everything <= 1).all()
    for name, intent in recognizer.templates.intents.items():
        match = recognizer.match(intent.templates[0])
        assert match.nearest == name and match.template == intent.templates[0]


def test_a_counter_example_lowers_its_intent_and_none_lowers_all(
    tiny_encoder: StaticEncoder,
) -> None:
    intents = {
        "on": {"templates": ["turn on the light", "lamp on", "put the lamp on"]},
        "off": {"templates": ["turn off the light", "lamp off", "switch the lamp off"]},
    }
    text = "please hear the lamp on"

    def score(extra: dict[str, Any], against: list[str]) -> dict[str, float]:
        edited = {name: dict(entry) for name, entry in intents.items()}
        if against:
            edited["on"]["except"] = against
        recognizer = IntentRecognizer(tiny_encoder, {"intents": edited, **extra})
        return {c.intent: c.score for c in recognizer.rank(text)}

    plain = score({}, [])
    assert score({}, [text])["on"] < plain["on"]
    assert score({"none": [text]}, [])["on"] < plain["on"]
    assert score({"background": [text]}, []) == score({"none": [text]}, [])


@pytest.mark.parametrize(
    "templates",
    [
        {"on": ["lamp on"], "off": ["turn off the light", "lamp off"]},
        {"on": ["lamp on", "light on"], "same": ["light on", "lamp on"]},
        {"on": ["lamp on", "zzz"], "unknown": ["qqq", "xyzzy"]},
        {"intents": {"on": {"templates": ["lamp on", "lights on"], "except": ["lamp on"]}}},
        {"intents": {"on": {"templates": ["lamp on"]}}, "none": ["zzz"], "background": ["lamp on"]},
        {"on": ["lamp on"]},
    ],
    ids=["one template", "equal intents", "unknown words", "contradiction", "unknown none", "one"],
)
@pytest.mark.parametrize("with_background", [False, True])
def test_odd_sets_have_finite_scores_and_the_same_ones_in_a_batch(
    tiny_encoder: StaticEncoder, templates: Any, with_background: bool
) -> None:
    encoder = tiny_encoder
    if with_background:
        lines = ["hello my friend", "play a song", "i am hungry", "open the gate"]
        encoder = encoder.replace(background=fit_background(encoder.encode_batch(lines), lines, 4))
    recognizer = IntentRecognizer(encoder, templates)
    texts = ["lamp on", "please lamp on now", "order pizza", "zzz", ""]
    matches = [recognizer.match(text) for text in texts]
    assert matches[0].template == "lamp on"
    assert [m.reason for m in matches[3:]] == ["unknown_words"] * 2
    for one, other in zip(matches, recognizer.match_batch(texts), strict=True):
        assert 0 <= one.score <= 1
        assert (one.intent, one.template, one.reason) == (
            other.intent,
            other.template,
            other.reason,
        )
        assert one.score == pytest.approx(other.score, abs=1e-4)


def random_classifier(dim: int) -> Classifier:
    rng = np.random.default_rng(0)
    weights = rng.standard_normal((3, dim + NUM_BUCKETS + 2)).astype(np.float32)
    of_buckets = rng.uniform(1, 8, NUM_BUCKETS).astype(np.float32)
    names = ("on", "off", "play")
    return Classifier(names, weights, Calibration(1.5, -0.5), of_buckets, frozenset({"not"}))


@given(st.text(st.characters(codec="utf-8"), max_size=60) | st.just("do not turn it off"))
def test_a_text_by_itself_has_the_logits_that_it_has_in_a_batch(text: str) -> None:
    own = random_classifier(dim=4)
    vector = np.array([0.1, -0.5, 0.7, 0.5], np.float32)
    counts, negated = count_ngrams_of_texts([text]), is_negated(text, own.negations)
    block = own.logit_block(vector[None], counts, [negated])
    np.testing.assert_allclose(own.logits(vector, text), block[0], atol=1e-4)


def test_a_thousand_intents_are_fitted_and_told_apart(tiny_encoder: StaticEncoder) -> None:
    words = tiny_encoder.vocabulary.words
    templates = {f"{a} {b}": [f"{a} {a} {b}"] for i, a in enumerate(words) for b in words[i + 1 :]}
    templates = dict(list(templates.items())[:1000])
    assert len(templates) > 900
    recognizer = IntentRecognizer(tiny_encoder, parse_templates(templates))
    match = recognizer.match(next(iter(templates.values()))[0])
    assert match.template == next(iter(templates.values()))[0]


def test_on_real_data_it_is_more_accurate_than_the_nearest_template(data_dir: Path) -> None:
    from pocketintent.evaluation.intents.datasets import draw_templates, load_intent_data

    data = load_intent_data(data_dir / "intents" / "snips", "valid")
    draw = draw_templates(data.train_labels, 5, 0)
    intents: dict[str, list[str]] = {}
    for index, label in zip(draw.indices, draw.labels, strict=True):
        intents.setdefault(data.intents[label], []).append(data.train_texts[index])
    right = {}
    for decision in ("logistic", "nearest+centroid"):
        recognizer = IntentRecognizer.load(intents, "fast", decision=decision)  # type: ignore[arg-type]
        matches = recognizer.match_batch(data.query_texts)
        expected = [data.intents[label] for label in data.query_labels]
        right[decision] = np.mean([m.nearest == e for m, e in zip(matches, expected, strict=True)])
    assert right["logistic"] > right["nearest+centroid"] > 0.8
