"""What the studio, `sdk/web/studio`, must say as the Python package does: inputs and answers.

    python tests/support/studio_vectors.py     writes sdk/web/tests/studio/vectors.json

`tests/bot/test_studio_vectors.py` compares the file with the package as it is, and
`sdk/web/tests/studio/` the studio with the file.
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pocketintent.bot.answers import Answer, count_answers
from pocketintent.bot.limits import choose_limits
from pocketintent.bot.report import evaluate_bot
from pocketintent.bot.template_checks import check_templates
from pocketintent.bot.utterances import Utterance, find_warnings, read_labelled
from pocketintent.recognizer import IntentRecognizer
from pocketintent.runtime.decision.results import Candidate, Match
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.templates.template_set import parse_templates

REPOSITORY = Path(__file__).resolve().parents[2]
FILE = REPOSITORY / "sdk" / "web" / "tests" / "studio" / "vectors.json"

SHIPPED = [
    *(f"templates/{name}.json" for name in ("banking_support", "small_talk", "smart_home")),
    "templates/travel.json",
    *(f"docs/examples/library/{name}.json" for name in ("first", "second")),
]

MADE: list[Any] = [
    {},
    {"on": ["lamp on"]},
    {"on": ["!?", "42"], "off": ["lamp off", "Lamp OFF!", "lights out"]},
    {"on": ["lamp on", "light on"], "off": ["lamp on", "it's dark", "it’s dark"]},
    {"none": ["a b", "c d"], "templates": ["e f", "g h"], "margin": ["i", "j"]},
    {"PlayMusic": ["jazz", "a song"], "play_music": ["play music", "rock"], "openURLAgain": ["x"]},
    {"intents": {"a": {"templates": ["don't go", "stay"], "except": ["never leave", "go"]}}},
    {
        "language": "de-AT",
        "intents": {"a": {"templates": ["don't go", "stay"], "except": ["never leave"]}},
    },
    {
        "language": "en_GB",
        "learn_names": False,
        "intents": {
            "lights_on": {
                "templates": ["lights on", "isnt it dark", "turn (on|off) the {lamp}", "<b>x</b>"],
                "except": ["Lights on.", "...", "lights on", "not now", "[x]"],
                "threshold": 0.25,
            },
            "lights_off": {"templates": ["lights on", "off"], "except": ["lights off"]},
        },
        "none": ["lights off", "OFF", "off!", "?", "what time is it"],
        "background": ["ok", "off", "OFF", "lights on", "hm"],
    },
    {
        "intents": {
            "lights_on": {"templates": ["lamp on", "lights off"], "except": ["lights on"]},
            "lights_off": {"templates": ["lamp off", "dark"]},
        },
        "none": ["lights on", "lights off please", "lamp off"],
        "background": ["lamp off"],
    },
    {"it's": ['say "it\'s"', 'say "x"', "tab\there", "zwj \u200d here"], "😀": ["😀", "😀 a", "é"]},
    {"long": [f"{word} " * 40 for word in ("one", "two 'quoted", "three \"q\" 'r'")] * 2},
    {"日本": ["電気をつけて", "電気を つけて", "ﬁne", "fine"], "ΑΣ": ["ΟΔΟΣ", "οδος", "οδοσ"]},
    {f"i{n}": ["same"] for n in range(120)},
]
"""Valid sets with something to find."""

BROKEN: list[Any] = [
    [],
    "text",
    None,
    {"intents": {"a": []}},
    {"intents": {"a": {"template": ["x"]}}},
    {"intents": {"a": {"templates": []}, "b": {"templates": "x", "except": "y"}}},
    {"intents": {"a": {"templates": ["x", "", 3, None, "\u200b", "\ud800"]}}, "nonne": []},
    {"intents": {"a": {"templates": ["x"], "threshold": 2}}, "margin": -1, "threshold": "high"},
    {"intents": {" ": {"templates": ["x"]}}, "learn_names": 1, "language": "", "$schema": 3},
    {"threshold": 0.5, "lights": ["on"], "off": {"text": "x"}},
    {"lights": [{"text": "on"}, {"txt": "off"}, {"text": 3, "intent": "x"}]},
    {"none": None, "intents": {"a": {"templates": ["x"]}}, "background": [["x"], True]},
    {"a": [1] * 150},
]
"""Sets that break the format."""

TABLES: dict[str, str] = {
    "plain.csv": "lamp on,on\nlamp off,off\n what is it ,\n",
    "header.csv": 'TEXT , Intent,subject,note\nlamp on,on,,x\n"a, ""b""",,own,\nz,,other,y\n',
    "tabs.tsv": "text\tintent\r\nlamp, on\ton\r\n\r\noff\toff\r\n",
    "excel.csv": 'text;intent\n"one\r\ntwo";on\noff;off\n',
    "mark.csv": "\ufefftext,intent\nlamp on,on\n",
    "lines.jsonl": '{"text": "lamp on", "intent": "on"}\n\n{"text": "x", "intent": null}\n',
    "lines.txt": '  {"text": "x", "intent": null, "subject": "own"}',
    "empty.csv": "",
    "header_only.csv": "text,intent\n",
    "twice.csv": "text,intent,text\na,b,c\n",
    "width.csv": "lamp on,on\nlamp, on,on\n",
    "one.csv": "lamp on\n",
    "quote.csv": 'lamp on,on\n"lamp" on,on\n',
    "open.csv": 'lamp on,on\n\n"lamp on,on\nx,y\n',
    "subject.csv": "text,intent,subject\nx,,mine\n",
    "unknown.csv": "lamp on,on\nlamp off,offf\n",
    "first.csv": "words,meaning\nlamp on,on\n",
    "far.csv": "text,intent\nx,dim_the_lights\n",
    "quoted_lines.csv": 'a,on\n"b\nc\nd",off\n"e" f,on\n',
}
"""Files of utterances for a bot with the intents `on` and `off`, by name."""

REPORTS = [
    ("templates/smart_home.json", "docs/examples/smart_home_utterances.csv"),
    ("docs/examples/library/first.json", "docs/examples/library/utterances.csv"),
    ("docs/examples/library/second.json", "docs/examples/library/new_utterances.csv"),
]
"""Bots of the model ``tiny`` and the utterances that they are tested with."""

ON_OFF = {"on": ["lamp on", "light on"], "off": ["lamp off", "light off"]}


def make_vectors() -> dict[str, Any]:
    """The inputs with the answers of the package."""
    return {
        "checks": [
            *({"file": name, "warnings": _check(_read_json(name))} for name in SHIPPED),
            *({"set": made, "warnings": _check(made)} for made in MADE),
        ],
        "forms": [{"set": each, "error": _error(parse_templates, each)} for each in BROKEN],
        "tables": [_read(name, content) for name, content in TABLES.items()],
        "limits": [_limits(seed) for seed in range(24)],
        "reports": [_report(*names) for names in REPORTS],
    }


def write_vectors() -> None:
    """Write the file, a case on each line."""
    groups = (
        f'"{group}": [\n' + ",\n".join(map(json.dumps, cases)) + "\n]"
        for group, cases in make_vectors().items()
    )
    FILE.write_text("{\n" + ",\n".join(groups) + "\n}\n", "utf-8")


def _read_json(name: str) -> Any:
    return json.loads((REPOSITORY / name).read_text("utf-8"))


def _check(templates: Any) -> list[str]:
    return check_templates(parse_templates(templates))


def _error(call: Callable[..., object], *values: object) -> str | None:
    try:
        call(*values)
    except PocketIntentError as error:
        return str(error)
    return None


def _read(name: str, content: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(content.encode())
        result: dict[str, Any] = {"name": name, "content": content, "utterances": None}

        def read() -> None:
            found = read_labelled(path, list(ON_OFF), "bot.json")
            result["utterances"] = [asdict(utterance) for utterance in found]
            result["warnings"] = find_warnings(found, parse_templates(ON_OFF))

        error = _error(read)
        return {**result, "error": error and error.replace(f"{folder}/", "")}


def _report(templates: str, utterances: str) -> dict[str, Any]:
    """What a test of a bot says, without single scores, which other processors round otherwise."""
    recognizer = IntentRecognizer.load(REPOSITORY / templates, "tiny", backend="numpy")
    labelled = read_labelled(REPOSITORY / utterances, recognizer.intents, templates)
    report, matrix = evaluate_bot(recognizer, labelled)
    figures = {key: report[key] for key in report["choice"]["before"]}
    counts = {"choice": report["choice"], "confusion": matrix.counts.tolist()}
    more = {"warnings": report["warnings"], **counts}
    return {"templates": templates, "utterances": utterances, "figures": figures, **more}


def _limits(seed: int) -> dict[str, Any]:
    """Answers of chance, with what they would choose."""
    draw = random.Random(seed)
    names = ["a", "b", "c"][: draw.choice([1, 2, 3])]
    own = {"threshold": draw.choice([0.25, 0.6])} if seed % 3 == 0 else {}
    templates = parse_templates(
        {
            "threshold": draw.choice([0.5, 0.333, -0.2, 0.7]),
            "margin": draw.choice([0.0, 0.105, 0.3]),
            "intents": {
                name: {"templates": ["x"], **(own if name == "a" else {})} for name in names
            },
        }
    )
    answers = [_answer(draw, names) for _ in range(draw.choice([0, 1, 7, 30]))]
    limits = choose_limits(answers, templates)
    figures = count_answers(answers)
    return {
        "set": templates.to_dict(),
        "answers": [asdict(answer) for answer in answers],
        "limits": limits._asdict(),
        "figures": figures,
    }


def _answer(draw: random.Random, names: list[str]) -> Answer:
    intent = draw.choice([*names, None])
    subject = draw.choice(["own", "other", None]) if intent is None else None
    utterance = Utterance(draw.choice(["one", "two", "three"]), intent, subject)
    if draw.random() < 0.1:
        return Answer(utterance, Match(None, 0.0, None, None, None, None, "unknown_words"))
    nearest = draw.choice(names)
    score = draw.choice([round(draw.random(), 2), draw.random()])
    others = [name for name in names if name != nearest]
    runner_up = Candidate(draw.choice(others), score * draw.random(), "y") if others else None
    margin = None if runner_up is None else score - runner_up.score
    reason: Any = draw.choice([None, None, "below_threshold", "ambiguous", "counter_example"])
    given = None if reason else nearest
    return Answer(utterance, Match(given, score, "x", nearest, runner_up, margin, reason))


if __name__ == "__main__":
    write_vectors()
