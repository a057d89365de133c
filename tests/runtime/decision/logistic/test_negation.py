"""The feature of negated texts: where it is used, and what it does."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pocketintent import IntentRecognizer, load_encoder
from pocketintent.compression.background import fit_background
from pocketintent.runtime.decision.logistic.examples import FeatureMaker
from pocketintent.runtime.decision.logistic.scorer import (
    NEGATION_SCALE,
    Classifier,
    LogisticScorer,
    bucket_weights,
)
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.files.shipped_models import bundled_models
from pocketintent.runtime.templates.files import bundled_templates, load_templates
from pocketintent.runtime.templates.template_set import TemplateSet, parse_templates
from pocketintent.runtime.text.languages import NEGATIONS, is_negated
from pocketintent.runtime.text.ngram_counts import NUM_BUCKETS

RESOURCES = Path(__file__).parents[3] / "resources"
TEMPLATES: dict[str, Any] = {
    "on": {"templates": ["turn on the light", "lamp on", "put the lamp on"]},
    "off": {"templates": ["turn off the light", "lamp off", "switch the lamp off"]},
}
NEGATION = "don't put the lamp on"
FORBIDDEN = {
    "default": {False: 9, True: 9},
    "fast": {False: 10, True: 10},
    "tiny": {False: 9, True: 9},
}
"""Of 40 negated commands, how many get the forbidden intent, without and with the counter-examples
that the sets ship with (`benchmarks.accuracy.negation`); 36 to 39 without the negations."""


def with_counter_examples(*texts: str, **entries: Any) -> TemplateSet:
    """A small set with counter-examples of the intent ``on``."""
    intents = TEMPLATES | {"on": TEMPLATES["on"] | {"except": list(texts)}}
    return parse_templates({"intents": intents, **entries})


def classifier_of(recognizer: IntentRecognizer) -> Classifier:
    scorer = recognizer.scorer
    assert isinstance(scorer, LogisticScorer)
    return scorer.classifier


def negate(name: str, *, keep_own: bool = True) -> TemplateSet:
    """A shipped set with negations of its commands as counter-examples, beside its own or alone."""
    templates = load_templates(name)
    negations = json.loads((RESOURCES / "negated_counter_examples.json").read_bytes())[name]
    for intent_name, intent in templates.intents.items():
        own = intent.counter_examples if keep_own else []
        intent.counter_examples = [*own, *negations.get(intent_name, ())]
    return templates


@pytest.fixture(scope="module")
def negated_set() -> TemplateSet:
    return negate("smart_home")


@pytest.mark.parametrize(
    "templates",
    [
        with_counter_examples("lamp on in the film"),
        with_counter_examples("nothing on the lamp", "knot"),
        with_counter_examples("lamp off", none=["never mind"], background=["not now"]),
        with_counter_examples(NEGATION, language="de"),
        parse_templates({"on": ["the lamp is not on"], "off": ["the lamp is not off"]}),
    ],
    ids=["none", "pronoun", "none and background", "another language", "templates alone"],
)
def test_a_set_without_a_negated_counter_example_does_not_look_for_negations(
    tiny_encoder: StaticEncoder, templates: TemplateSet
) -> None:
    recognizer = IntentRecognizer(tiny_encoder, templates)
    classifier = classifier_of(recognizer)
    assert not classifier.negations and not classifier.of_negation.any()
    assert classifier.weights.shape == (2, tiny_encoder.dim + NUM_BUCKETS + 1)
    assert recognizer.scorer is not None
    assert list(recognizer.scorer.text_features) == ["ngram_counts"]


@pytest.mark.parametrize("name", sorted(bundled_templates()))
def test_the_shipped_sets_do_not_look_for_negations(name: str) -> None:
    assert not classifier_of(IntentRecognizer.load(name, "tiny")).negations


@pytest.mark.parametrize("language", [None, "en", "en-GB"])
def test_a_negated_counter_example_gives_its_intent_alone_a_weight(
    tiny_encoder: StaticEncoder, language: str | None
) -> None:
    entries = {} if language is None else {"language": language}
    classifier = classifier_of(
        IntentRecognizer(tiny_encoder, with_counter_examples(NEGATION, **entries))
    )
    assert classifier.negations == NEGATIONS["en"]
    assert classifier.weights.shape == (2, tiny_encoder.dim + NUM_BUCKETS + 2)
    on, off = classifier.of_negation[[classifier.names.index(name) for name in ("on", "off")]]
    assert on < 0 and off == 0


@pytest.mark.parametrize("model", bundled_models())
@pytest.mark.parametrize("keep_own", [False, True])
def test_it_turns_negated_commands_away_and_keeps_the_commands(model: str, keep_own: bool) -> None:
    encoder = load_encoder(model)
    negated = plain = 0
    for name, commands in json.loads((RESOURCES / "negated_commands.json").read_bytes()).items():
        recognizer = IntentRecognizer(encoder, negate(name, keep_own=keep_own))
        for command in commands:
            negated += recognizer.match(command["text"]).intent == command["not"]
            plain += recognizer.match(command["plain"]).intent == command["not"]
    assert negated <= FORBIDDEN[model][keep_own]
    assert plain == 40


def test_the_negated_texts_of_other_intents_keep_their_scores() -> None:
    templates = load_templates("smart_home")
    texts = ["i don't want it so bright", "the door is not shut", "why is there no music playing"]
    before = IntentRecognizer.load(templates).match_batch(texts)
    templates.intents["vacuum_start"].counter_examples.append("do not clean the floor")
    after = IntentRecognizer.load(templates).match_batch(texts)
    assert [match.intent for match in before] == [match.intent for match in after]
    assert [m.score for m in before] == pytest.approx([m.score for m in after], abs=0.02)


@pytest.mark.parametrize("text", ["Don\u2019t put the lamp on!", "dont put the lamp on", NEGATION])
def test_all_spellings_of_a_contraction_lower_the_score(
    tiny_encoder: StaticEncoder, text: str
) -> None:
    recognizer = IntentRecognizer(
        tiny_encoder, with_counter_examples("do not turn on the light"), correct=False
    )
    scores = [recognizer.rank(t)[0].score for t in ("put the lamp on", text)]
    assert scores[1] < scores[0] - 0.05


def test_a_batch_has_the_scores_of_its_texts(negated_set: TemplateSet) -> None:
    recognizer = IntentRecognizer(load_encoder(None), negated_set)
    texts = ["don't turn on the lights", "turn on the lights", "no", "", "never play jazz again"]
    for one, other in zip(map(recognizer.match, texts), recognizer.match_batch(texts), strict=True):
        assert (one.intent, one.template, one.reason) == (
            other.intent,
            other.template,
            other.reason,
        )
        assert one.score == pytest.approx(other.score, abs=1e-5)


def test_an_edit_switches_it_on_and_off(tiny_encoder: StaticEncoder) -> None:
    recognizer = IntentRecognizer(tiny_encoder, {"intents": TEMPLATES})
    plain = classifier_of(recognizer)

    recognizer.add_intent("on", [], counter_examples=[NEGATION])
    added = classifier_of(recognizer)
    assert added.negations and added.of_negation.any()
    scratch = IntentRecognizer(tiny_encoder, recognizer.templates)
    _assert_same_scores(recognizer, scratch)

    recognizer.add_intent("music", ["play some jazz", "play music"])
    assert classifier_of(recognizer).negations == added.negations

    recognizer.remove_intent("on")
    recognizer.remove_intent("music")
    recognizer.add_intent("on", TEMPLATES["on"]["templates"])
    removed = classifier_of(recognizer)
    assert not removed.negations and removed.weights.shape == plain.weights.shape
    _assert_same_scores(recognizer, IntentRecognizer(tiny_encoder, {"intents": TEMPLATES}))


def _assert_same_scores(one: IntentRecognizer, other: IntentRecognizer) -> None:
    for text in ("put the lamp on", "don't put the lamp on", "not now", "lamp off please"):
        scores = [{c.intent: c.score for c in recognizer.rank(text)} for recognizer in (one, other)]
        assert scores[0] == pytest.approx(scores[1], abs=0.02)


def test_the_order_of_counter_examples_does_not_change_a_weight(
    tiny_encoder: StaticEncoder,
) -> None:
    texts = [NEGATION, "never turn on the light", "lamp on the table"]
    one, other = (
        classifier_of(IntentRecognizer(tiny_encoder, with_counter_examples(*order)))
        for order in (texts, texts[::-1])
    )
    assert np.array_equal(one.weights, other.weights)


def test_an_explanation_shows_what_the_negation_takes_from_the_score(
    negated_set: TemplateSet,
) -> None:
    recognizer = IntentRecognizer(load_encoder(None), negated_set)
    explanation = recognizer.explain("please don't play the radio")
    shares = {word.word: word.share for word in explanation.words}
    assert list(shares) == ["please", "don't", "play", "the", "radio"]
    assert shares["don't"] == min(shares.values()) < -0.05

    # The whole text has the score of the match, apostrophe and all.
    scores = {c.intent: c.score for c in recognizer.rank("please play the radio", 20)}
    nearest = explanation.match.nearest
    assert nearest is not None
    expected = explanation.match.score - scores[nearest]
    assert shares["don't"] == pytest.approx(expected, abs=1e-4)


def test_texts_have_the_feature_and_background_lines_an_estimate(
    tiny_encoder: StaticEncoder,
) -> None:
    lines = ["do not play", "play some jazz", "don't turn it", "never", "hello my good friend"]
    background = fit_background(tiny_encoder.encode_batch(lines), lines, len(lines))
    weights = bucket_weights(background)
    maker, plain = (FeatureMaker(weights, words) for words in (NEGATIONS["en"], frozenset[str]()))
    vectors = tiny_encoder.encode_batch(lines)

    flags = NEGATION_SCALE * np.array([1, 0, 1, 1, 0], np.float32)
    for features, others in (
        (maker.of_texts(lines, vectors), plain.of_texts(lines, vectors)),
        (maker.of_background(background), plain.of_background(background)),
    ):
        assert features.dtype == np.float32
        np.testing.assert_array_equal(features[:, -1], flags)
        np.testing.assert_array_equal(features[:, :-1], others)


def test_negated_texts_that_are_not_for_a_bot_resemble_its_background() -> None:
    templates = negate("banking_support")  # with templates such as "i can't log in"
    others = [
        text
        for name in set(bundled_templates()) - {"banking_support"}
        for intent in load_templates(name).intents.values()
        for text in intent.templates
        if is_negated(text, NEGATIONS["en"])
    ]
    matches = IntentRecognizer.load(templates).match_batch(others)
    assert len(others) >= 20
    assert sum(match.intent is not None for match in matches) <= len(others) / 10
