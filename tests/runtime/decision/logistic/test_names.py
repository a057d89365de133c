"""The names of the intents as examples of them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pocketintent import IntentRecognizer, load_encoder
from pocketintent.evaluation.intents.datasets import load_intent_data
from pocketintent.evaluation.intents.few_shot import evaluate_system
from pocketintent.evaluation.intents.systems import EncoderSystem
from pocketintent.runtime.decision.logistic.examples import FeatureMaker, make_examples
from pocketintent.runtime.decision.logistic.scorer import Classifier, LogisticScorer
from pocketintent.runtime.decision.logistic.solver import NO_INTENT
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.index.building import index_templates
from pocketintent.runtime.templates.template_set import parse_templates
from pocketintent.runtime.text.ngram_counts import NUM_BUCKETS

BOT = {
    "card_arrival": ["it still has not come", "how long do i have to wait"],
    "ExchangeRate": ["how much is a euro in dollars", "convert pounds to yen"],
    "top_up": ["put fifty on it please", "how do i add money"],
}


def bot(intents: dict[str, list[str]], **settings: Any) -> dict[str, Any]:
    return {"intents": {name: {"templates": t} for name, t in intents.items()}, **settings}


def classifier_of(recognizer: IntentRecognizer) -> Classifier:
    scorer = recognizer.scorer
    assert isinstance(scorer, LogisticScorer)
    return scorer.classifier


def score(recognizer: IntentRecognizer, text: str, intent: str) -> float:
    ranking = recognizer.rank(text, limit=len(recognizer.intents))
    return next(candidate.score for candidate in ranking if candidate.intent == intent)


@pytest.mark.parametrize(
    ("text", "intent"),
    [("when does my card arrive", "card_arrival"), ("the exchange rate please", "ExchangeRate")],
)
def test_the_words_of_a_name_are_recognised(text: str, intent: str) -> None:
    with_names = IntentRecognizer.load(bot(BOT))
    without = IntentRecognizer.load(bot(BOT, learn_names=False))
    match = with_names.match(text)
    assert match.intent == intent
    assert match.template in BOT[intent]
    assert 1 - score(with_names, text, intent) < (1 - score(without, text, intent)) / 10


def test_names_of_unknown_words_change_nothing(tiny_encoder: StaticEncoder) -> None:
    """The encoder has no n-grams, so that it knows nothing of these names."""
    templates = {"qwx_1": ["turn on", "lamp on"], "Zzy": ["jazz", "play a song"]}
    one, other = (
        IntentRecognizer(tiny_encoder, parse_templates(bot(templates, learn_names=learn)))
        for learn in (True, False)
    )
    assert np.array_equal(classifier_of(one).weights, classifier_of(other).weights)
    assert classifier_of(one).calibration == classifier_of(other).calibration


@pytest.mark.parametrize("decision", ["nearest", "nearest+centroid"])
def test_the_other_decisions_read_templates_alone(decision: Any) -> None:
    one, other = (
        IntentRecognizer.load(bot(BOT, learn_names=learn), decision=decision)
        for learn in (True, False)
    )
    assert one.rank("exchange rate", 3) == other.rank("exchange rate", 3)


def test_a_bot_file_keeps_the_setting_and_edits_follow_it(tmp_path: Path) -> None:
    path = tmp_path / "bot.safetensors"
    for learn in (True, False):
        IntentRecognizer.load(bot(BOT, learn_names=learn)).save(path)
        opened = IntentRecognizer.load(path)
        opened.add_intent("lost_pin", ["what were the four digits"])
        whole = BOT | {"lost_pin": ["what were the four digits"]}
        fresh = IntentRecognizer.load(bot(whole, learn_names=learn))
        text = "i lost the pin"
        difference = score(opened, text, "lost_pin") - score(fresh, text, "lost_pin")
        assert abs(difference) < 0.02
        assert opened.match(text).intent == ("lost_pin" if learn else None)


def test_where_a_counter_example_is_negated_so_is_the_name(tiny_encoder: StaticEncoder) -> None:
    intents = {
        "lamp_on": {"templates": ["turn on the light"], "except": ["don't turn on the light"]},
        "lock_not_on": {"templates": ["close the gate"], "except": ["do not lock"]},
        "play_song": {"templates": ["hear jazz", "music"], "except": ["jazz off"]},
    }
    template_set = parse_templates({"intents": intents})
    maker = FeatureMaker(np.ones(NUM_BUCKETS, np.float32), frozenset({"'t", "not"}))
    indexed = index_templates(tiny_encoder, template_set, "exact")
    found = make_examples(tiny_encoder, template_set, indexed, sorted(intents), maker)
    negated_name = maker.of_texts(["not lamp on"], tiny_encoder.encode_batch(["not lamp on"]))[0]
    is_negated_name = (found.features[:, :-1] == negated_name).all(axis=1)
    assert np.count_nonzero(is_negated_name) == 1
    assert found.labels[is_negated_name] == NO_INTENT
    assert found.counter_examples[is_negated_name] == 0
    # A name that is a negation is not negated, nor is one without negated counter-examples.
    assert np.bincount(found.counter_examples[found.counter_examples >= 0]).tolist() == [2, 1, 1]
    assert found.labels[found.is_name].tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", ["clinc150", "banking77"])
def test_names_help_where_there_are_few_templates(data_dir: Path, name: str) -> None:
    """On the validation utterances, with one template per intent, by a tenth and more."""
    system = EncoderSystem(load_encoder("tiny"), ["logistic"])
    accuracies = []
    for learn in (True, False):
        data = load_intent_data(data_dir / "intents" / name, "valid", learn_names=learn)
        ((row,),) = evaluate_system(system, data, shots=[1], runs=1)
        accuracies.append(row["accuracy"]["mean"])
    assert accuracies[0] > accuracies[1] + 0.1
