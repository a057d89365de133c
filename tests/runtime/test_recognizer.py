import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest

import pocketintent
from lights_bot import LONG, TEMPLATES, Make
from pocketintent import (
    IntentRecognizer,
    ModelFileError,
    PocketIntentError,
    PocketIntentWarning,
)
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.files.model_file import save_model


def test_a_text_has_the_intent_of_its_nearest_template(make: Make) -> None:
    match = make().match("the lamp off please")

    assert match.intent == match.nearest == "lights_off"
    assert match.template == "lamp off please"
    assert match.reason is None
    assert match.runner_up is not None
    assert match.runner_up.intent == "lights_on"
    assert match.margin == pytest.approx(match.score - match.runner_up.score)


@pytest.mark.parametrize("text", [t for texts in TEMPLATES.values() for t in texts])
def test_a_template_is_its_own_nearest_with_a_score_of_one(make: Make, text: str) -> None:
    match = make(decision="nearest").match(text)

    assert match.template == text
    assert match.score == pytest.approx(1.0, abs=1e-3)


def test_the_two_decisions_score_by_template_and_by_its_mean_with_the_centroid(
    tiny_encoder: StaticEncoder,
) -> None:
    text = "switch the lamp on"
    query = tiny_encoder.encode(text)
    templates = tiny_encoder.encode_batch(TEMPLATES["lights_on"])
    centroid = templates.mean(axis=0)
    nearest = float((templates @ query).max())
    to_centroid = float(centroid @ query / np.linalg.norm(centroid))

    def score(decision: Any) -> float:
        recognizer = IntentRecognizer(tiny_encoder, LONG, decision=decision, search="exact")
        return recognizer.match(text).score

    assert score("nearest") == pytest.approx(nearest, abs=1e-5)
    assert score("nearest+centroid") == pytest.approx((nearest + to_centroid) / 2, abs=1e-5)


def test_a_vector_of_tiny_numbers_is_a_known_text(make: Make) -> None:
    recognizer = make(decision="nearest")
    vector = recognizer.encoder.encode("lamp off please") * np.float32(1e-30)
    match = recognizer._bot.match_vector("lamp off please", vector)
    assert match.nearest == "lights_off" and match.reason == "below_threshold"


def test_under_the_threshold_there_is_no_intent_but_a_nearest_one(make: Make) -> None:
    recognizer = make(decision="nearest")
    recognizer.threshold = 0.99

    match = recognizer.match("lamp off")

    assert match.intent is None
    assert match.nearest == "lights_off"
    assert match.reason == "below_threshold"
    assert recognizer.templates.threshold == 0.99


def test_a_counter_example_is_refused_word_for_word(make: Make) -> None:
    intents = {name: {"templates": texts} for name, texts in TEMPLATES.items()}
    intents["lights_on"]["except"] = ["the lights on please"]
    recognizer = make({"intents": intents, "none": ["hear music"]})
    for text, nearest in (("The lights ON, please!", "lights_on"), ("hear music", "play_music")):
        for match in (recognizer.match(text), *recognizer.match_batch([text])):
            assert (match.intent, match.reason) == (None, "counter_example")
            assert match.nearest == nearest
    assert recognizer.match("lights on please").reason != "counter_example"
    recognizer.add_intent("greet", ["hello"], counter_examples=["bye"])
    assert recognizer.match("hear music").reason == "counter_example"
    recognizer.remove_intent("lights_on")
    assert recognizer.match("the lights on please").reason != "counter_example"


def test_an_intents_own_threshold_goes_before_the_sets(make: Make) -> None:
    intents = {
        "lights_on": {"templates": TEMPLATES["lights_on"], "threshold": 1.0},
        "lights_off": {"templates": TEMPLATES["lights_off"], "threshold": -1.0},
    }
    recognizer = make({"threshold": 0.5, "intents": intents})

    assert recognizer.match("light on").reason == "below_threshold"
    recognizer.threshold = 1.0
    assert recognizer.match("lamp off").intent == "lights_off"


def test_within_the_margin_of_the_runner_up_a_match_is_ambiguous(make: Make) -> None:
    recognizer = make()
    match = recognizer.match("lamp off")
    assert match.margin is not None
    recognizer.margin = min(match.margin + 0.01, 2.0)

    refused = recognizer.match("lamp off")

    assert refused.intent is None
    assert refused.nearest == "lights_off"
    assert refused.reason == "ambiguous"


def test_a_tie_goes_to_the_first_intent_when_no_margin_is_asked_for(make: Make) -> None:
    recognizer = make({"first": ["lamp on"], "second": ["lamp on"]})

    match = recognizer.match("lamp on")

    assert match.intent == "first"
    assert match.margin == 0


def test_one_intent_alone_has_no_runner_up_and_no_margin(make: Make) -> None:
    recognizer = make({"only": ["lamp on"]})
    recognizer.margin = 0.5
    match = recognizer.match("lamp on")

    assert match.intent == "only"
    assert match.runner_up is None
    assert match.margin is None
    assert recognizer.match_batch(["lamp on"])[0].intent == "only"


@pytest.mark.parametrize(
    ("templates", "text", "reason"),
    [
        (TEMPLATES, "lamp off", None),
        (TEMPLATES, "play", "below_threshold"),
        (TEMPLATES, "zzz", "unknown_words"),
        ({"only": ["lamp on"]}, "lamp on", None),
        ({"only": ["lamp on"]}, "", "unknown_words"),
        ({"intents": {}}, "lamp on", "no_templates"),
    ],
)
def test_a_match_is_plain_json_whatever_its_reason(
    make: Make, templates: Any, text: str, reason: str | None
) -> None:
    recognizer = make(templates, decision="nearest")
    recognizer.threshold = 0.99 if reason == "below_threshold" else 0.5

    for match in (recognizer.match(text), *recognizer.match_batch([text])):
        assert match.reason == reason
        assert (match.margin is None) == (match.runner_up is None)
        line = match.to_dict()
        assert list(line) == [
            *("intent", "score", "template", "nearest", "runner_up", "margin", "reason"),
        ]
        assert json.loads(json.dumps(line, allow_nan=False)) == line
        assert orjson.loads(orjson.dumps(match)) == line
    ranking = [candidate.to_dict() for candidate in recognizer.rank(text)]
    assert json.loads(json.dumps(ranking, allow_nan=False)) == ranking


@pytest.mark.parametrize(
    "text", ["", "  \n\t", "\N{GRINNING FACE}", "\0", "\ud800", "zzz", "!?", "\u202e", "x" * 10**6]
)
def test_a_text_of_which_nothing_is_known_has_no_intent(make: Make, text: str) -> None:
    match = make().match(text)

    assert match == pocketintent.Match(None, 0.0, None, None, None, None, "unknown_words")
    assert make().rank(text) == []


def test_a_megabyte_is_matched(make: Make) -> None:
    assert make().match("lamp off " * 120_000).intent == "lights_off"


@pytest.mark.parametrize("text", [None, 3, b"lamp on", ["lamp on"]])
def test_what_is_no_string_is_a_type_error(make: Make, text: Any) -> None:
    with pytest.raises(TypeError, match="must be a str, not"):
        make().match(text)
    with pytest.raises(TypeError, match="must be a str, not"):
        make().rank(text)


def test_a_ranking_has_one_candidate_an_intent_by_falling_score(make: Make) -> None:
    recognizer = make()
    match, ranking = recognizer.match("lamp off"), recognizer.rank("lamp off", limit=9)

    assert sorted(c.intent for c in ranking) == sorted(TEMPLATES)
    assert [c.score for c in ranking] == sorted((c.score for c in ranking), reverse=True)
    assert (ranking[0].intent, ranking[0].score) == (match.nearest, match.score)
    assert ranking[1] == match.runner_up
    assert recognizer.rank("lamp off", limit=1) == ranking[:1]
    with pytest.raises(PocketIntentError, match="limit must be a whole number from 1, not 0"):
        recognizer.rank("lamp off", limit=0)
    for limit in (2.5, "3", True):
        with pytest.raises(PocketIntentError, match="limit must be a whole number from 1"):
            recognizer.rank("lamp off", limit=limit)  # type: ignore[arg-type]


def test_whether_to_correct_must_be_a_flag(make: Make) -> None:
    with pytest.raises(PocketIntentError, match="correct must be True or False, not 1"):
        IntentRecognizer(make().encoder, TEMPLATES, correct=1)  # type: ignore[arg-type]
    with pytest.raises(PocketIntentError, match="correct must be True or False, not 0"):
        IntentRecognizer.load("smart_home", correct=0)  # type: ignore[arg-type]


def test_templates_without_a_known_word_are_kept_but_never_matched(make: Make) -> None:
    recognizer = make({"odd": ["zzz"], "mixed": ["qqq", "lamp on"]})

    assert recognizer.intents == ("odd", "mixed")
    assert [c.intent for c in recognizer.rank("lamp on")] == ["mixed"]
    assert recognizer.match("lamp on").template == "lamp on"


def test_a_language_that_the_model_does_not_speak_is_one_warning_when_it_is_opened(
    tiny_encoder: StaticEncoder, tmp_path: Path
) -> None:
    manifest, tensors = tiny_encoder.to_model_file_parts()
    save_model(tmp_path / "m", manifest | {"languages": ["en"]}, tensors)
    german, british = ({"language": tag, "intents": {}} for tag in ("de", "en-GB"))

    with pytest.warns(PocketIntentWarning, match="'de', but the model speaks en") as caught:
        IntentRecognizer.load(german, tmp_path / "m")
    assert [warning.filename for warning in caught] == [__file__]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        IntentRecognizer.load(british, tmp_path / "m")


def test_a_model_whose_languages_are_not_tags_is_refused(
    tiny_encoder: StaticEncoder, tmp_path: Path
) -> None:
    manifest, tensors = tiny_encoder.to_model_file_parts()
    save_model(tmp_path / "m", manifest | {"languages": "en"}, tensors)
    with pytest.raises(ModelFileError, match=r"/m: the manifest's languages must be a list"):
        IntentRecognizer.load("smart_home", tmp_path / "m")


def test_a_recogniser_is_opened_from_files(tiny_model: Path, tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text('{"lights_on": ["lamp on"]}')

    recognizer = IntentRecognizer.load(templates=str(tmp_path / "t.json"), model=tiny_model)

    assert recognizer.match("the lamp on").intent == "lights_on"
    assert IntentRecognizer.load("smart_home", tiny_model).match("").intent is None


def test_settings_that_do_not_exist_are_refused(tiny_encoder: StaticEncoder) -> None:
    with pytest.raises(PocketIntentError, match="decision 'best' is not one of logistic, nearest"):
        IntentRecognizer(tiny_encoder, LONG, decision="best")  # type: ignore[arg-type]
    with pytest.raises(PocketIntentError, match="search 'fast' is not one of table"):
        IntentRecognizer(tiny_encoder, LONG, search="fast")  # type: ignore[arg-type]


def test_a_typing_error_changes_nothing_in_a_match(make: Make) -> None:
    recognizer = make()
    clean, misspelt = "turn on the lights please", "Trun on teh lihgts plaese"

    assert recognizer.read(misspelt) == clean
    assert recognizer.match(misspelt) == recognizer.match(clean)
    assert recognizer.match_batch([misspelt]) == recognizer.match_batch([clean])
    assert recognizer.rank(misspelt) == recognizer.rank(clean)
    assert recognizer.explain(misspelt) == recognizer.explain(clean)


@pytest.mark.parametrize("decision", ["logistic", "nearest", "nearest+centroid"])
def test_without_correction_a_text_is_read_as_it_is(make: Make, decision: Any) -> None:
    corrected, plain = make(decision=decision), make(decision=decision, correct=False)

    assert plain.read("trun the lihgts") == "trun the lihgts"
    assert plain.match("turn on the lights") == corrected.match("turn on the lights")
    assert plain.match("lihgts").reason == "unknown_words"
    assert corrected.match("lihgts").reason != "unknown_words"


def test_only_a_string_is_read(make: Make) -> None:
    with pytest.raises(TypeError):
        make().read(b"lamp")  # type: ignore[arg-type]


def test_the_name_of_a_model_is_not_a_model() -> None:
    with pytest.raises(
        TypeError, match=r"not 'default': IntentRecognizer\.load\(templates, model\)"
    ):
        IntentRecognizer("default", "smart_home")  # type: ignore[arg-type]
