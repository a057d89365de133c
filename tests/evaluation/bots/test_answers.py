from pathlib import Path
from typing import Any

import orjson
import pytest

from pocketintent.evaluation.bots.answers import (
    BotAnswers,
    evaluate_bots,
    read_bots,
    summarise_answers,
)
from pocketintent.runtime.decision.results import Match
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError

LIGHTS = {"templates": ["turn on the light", "lamp on"], "phrasings": ["lights on please"]}
MUSIC = {"templates": ["play music", "hear a song"], "phrasings": ["play jazz", "a song please"]}
HOME = {
    "intents": {"lights": LIGHTS, "music": MUSIC},
    "foreign": {"other_subjects": ["order pizza"], "own_subject": ["switch off", "sound"]},
}
QUIET = {"intents": {"lights": LIGHTS | {"phrasings": []}}}


def write_bots(folder: Path, **bots: Any) -> Path:
    for name, bot in bots.items():
        (folder / f"{name}.json").write_bytes(orjson.dumps(bot))
    return folder


def match(nearest: str | None, score: float, intent: str | None = None) -> Match:
    return Match(intent, score, None, nearest, None, None, None)


def test_phrasings_and_foreign_texts_are_counted_and_averaged_over_bots() -> None:
    busy = BotAnswers(
        [
            ("on", match("on", 0.9, "on")),
            ("on", match("off", 0.8, "off")),
            ("off", match("off", 0.3)),
            ("off", match(None, 0.0)),
        ],
        {"other_subjects": [match("on", 0.7, "on"), match("on", 0.1)], "own_subject": []},
    )
    calm = BotAnswers([("hi", match("hi", 0.6, "hi"))], {"own_subject": [match("hi", 0.2)]})
    row = summarise_answers([busy, calm, BotAnswers([], {})])
    assert row["right"] == {"count": 2, "mean": (1 / 4 + 1) / 2, "std": pytest.approx(0.5303301)}
    assert (row["refused"]["count"], row["refused"]["mean"]) == (2, 2 / 4 / 2)
    assert (row["other"]["count"], row["other"]["mean"]) == (1, 1 / 4 / 2)
    assert (row["in_front"]["count"], row["in_front"]["mean"]) == (3, (2 / 4 + 1) / 2)
    assert row["accepted"] == {
        "other_subjects": {"count": 1, "mean": 0.5, "std": 0.0},
        "own_subject": {"count": 0, "mean": 0.0, "std": 0.0},
    }
    assert sum(part["in_scope"] for part in row["bins"]) == 5
    assert sum(part["out_of_scope"] for part in row["bins"]) == 2


def test_one_threshold_for_all_bots_accepts_five_percent_of_the_texts_on_other_subjects() -> None:
    scores = [position / 100 for position in range(40)]
    bots = [
        BotAnswers(
            [("on", match("on", score)) for score in (0.375, 0.38, 0.385)],
            {"other_subjects": [match("on", score) for score in scores[part::2]]},
        )
        for part in range(2)
    ]
    figure = summarise_answers(bots)["right_at_5_percent"]
    assert sum(score >= figure["threshold"] for score in scores) == 2  # 0.38 and 0.39 of 40
    assert 0.37 < figure["threshold"] <= 0.375
    assert (figure["count"], figure["mean"]) == (6, 1.0)


def test_bots_without_texts_on_other_subjects_have_no_figures_of_them() -> None:
    row = summarise_answers([BotAnswers([("on", match("on", 0.9, "on"))], {})])
    assert row["accepted"] == {} and row["right"]["mean"] == 1
    assert not {"right_at_5_percent", "ece_third"} & row.keys()


def test_a_folder_of_bots_is_measured(tiny_encoder: StaticEncoder, tmp_path: Path) -> None:
    bots = read_bots(write_bots(tmp_path, home=HOME, quiet=QUIET))
    steps: list[str] = []
    report = evaluate_bots(tiny_encoder, bots, progress=steps.append)
    assert steps == ["home", "quiet"]
    assert (report["num_bots"], report["num_phrasings"]) == (2, 3)
    assert report["num_foreign"] == {"other_subjects": 1, "own_subject": 2}
    (row,) = report["results"]
    assert row["shots"] is None
    assert row["in_front"] == {"count": 3, "mean": 1.0, "std": 0.0}
    assert sum(row[key]["count"] for key in ("right", "refused", "other")) == 3
    assert 0 <= row["ece_third"] <= 1


def test_templates_names_threshold_and_margin_decide(
    tiny_encoder: StaticEncoder, tmp_path: Path
) -> None:
    bots = read_bots(write_bots(tmp_path, home=HOME))
    report = evaluate_bots(tiny_encoder, bots, shots=[1, 2])
    assert [row["shots"] for row in report["results"]] == [1, 2]
    whole = evaluate_bots(tiny_encoder, bots)["results"][0]
    assert report["results"][1] == whole | {"shots": 2}
    assert report["results"][0]["bins"] != whole["bins"]
    assert evaluate_bots(tiny_encoder, bots, learn_names=False)["results"][0] != whole
    (open_row,) = evaluate_bots(tiny_encoder, bots, threshold=0.0)["results"]
    assert open_row["refused"]["count"] == 0
    assert open_row["accepted"]["other_subjects"]["count"] == 1
    for limits in ({"threshold": 1.0}, {"threshold": 0.0, "margin": 2.0}):
        (closed,) = evaluate_bots(tiny_encoder, bots, **limits)["results"]
        assert closed["refused"]["count"] == 3
        assert closed["right_at_5_percent"] == whole["right_at_5_percent"]


@pytest.mark.parametrize(
    ("bots", "message"),
    [
        ({}, r"there is no bot with phrasings; a bot is a JSON file of \{\"intents\""),
        ({"quiet": QUIET}, "there is no bot with phrasings"),
        ({"home": HOME, "bad": {"intents": {}}}, r"bad\.json: \"intents\" is empty"),
        ({"bad": {"intents": {"": LIGHTS}}}, r"bad\.json: .*name"),
    ],
)
def test_a_folder_with_a_bad_bot_or_without_phrasings_is_refused(
    bots: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(PocketIntentError, match=message):
        read_bots(write_bots(tmp_path, **bots))
