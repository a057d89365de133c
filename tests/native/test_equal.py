"""The C core answers as Python does, with the shipped sets and with small models of each kind."""

import json
import random
import string
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from native_core import CHARACTER_MODELS, DEFAULT_CACHE, SMALL_MODELS, Core, CoreBot
from native_texts import HOSTILE, every_script, typing_errors
from pocketintent import IntentRecognizer
from pocketintent.bot.build import keep_for_bot
from pocketintent.runtime.encoders.contract import ModelEncoder
from shared_fixtures import EXPORTED_TEMPLATES, NEGATIONS

TOLERANCE = 1e-5
WORDS = [
    *("turn", "on", "off", "the", "lights", "lamp", "music"),
    *("jazz", "pizza", "hello", "play", "some", "please"),
]
SETS = ("smart_home", "banking_support", "travel", "small_talk")
MODELS = ("tiny", "fast", "default")
INSTRUCTIONS = ("plain", "sse2", "neon", "dotprod", "avx2", "avx512")
CHOICES = (
    {},
    {"decision": "nearest"},
    {"decision": "nearest", "search": "exact"},
    {"decision": "nearest+centroid"},
    {"search": "exact", "correct": False},
)
SaveBot = Callable[..., tuple[IntentRecognizer, Path]]


def assert_equal(bot: CoreBot, recognizer: IntentRecognizer, texts: Iterable[str]) -> None:
    """Each text has the same match, unless rounding alone decides; scores within ``TOLERANCE``."""
    for text in texts:
        expected, found = recognizer.match(text).to_dict(), bot.match(text)
        assert found["score"] == pytest.approx(expected["score"], abs=TOLERANCE), text
        margin, runner_up = expected["margin"], expected["runner_up"]
        assert (margin is None) == (found["margin"] is None)
        if margin is not None:
            assert found["margin"] == pytest.approx(margin, abs=2 * TOLERANCE)
        if margin is not None and margin < TOLERANCE:
            continue
        for key in ("intent", "template", "nearest", "reason"):
            assert found[key] == expected[key], (text, expected, found)
        if runner_up is not None:
            assert found["runner_up"]["score"] == pytest.approx(runner_up["score"], abs=TOLERANCE)


def assert_parts_equal(bot: CoreBot, recognizer: IntentRecognizer, texts: Iterable[str]) -> None:
    """Texts are read and encoded as in Python, and their intents ranked."""
    assert bot.intents == list(recognizer.intents)
    for text in texts:
        assert bot.read(text) == recognizer.read(text)
        vector = recognizer.encoder.encode(text)
        np.testing.assert_allclose(bot.encode(text), vector, atol=TOLERANCE)
        expected, found = recognizer.rank(text, 3), bot.rank(text, 3)
        scores = [candidate.score for candidate in expected]
        assert [c["score"] for c in found] == pytest.approx(scores, abs=TOLERANCE)


@pytest.fixture
def save_bot(tmp_path: Path) -> SaveBot:
    """Returns a recogniser of templates, a model and settings, and its bot file."""

    def save(templates: Any, model: Any, **settings: Any) -> tuple[IntentRecognizer, Path]:
        recognizer = IntentRecognizer.load(templates, model, **settings)
        path = tmp_path / "bot.safetensors"
        recognizer.save(path)
        return recognizer, path

    return save


@pytest.mark.parametrize("settings", CHOICES, ids=str)
@pytest.mark.parametrize("name", SMALL_MODELS)
def test_small_models_answer_as_in_python(
    core: Core,
    exportable_models: dict[str, Path],
    save_bot: SaveBot,
    name: str,
    settings: dict[str, Any],
) -> None:
    templates = json.loads(json.dumps(EXPORTED_TEMPLATES))
    templates["intents"]["lights_on"]["except"] += NEGATIONS
    recognizer, path = save_bot(templates, exportable_models[name], **settings)
    rng = random.Random(0)
    given = [text for entry in templates["intents"].values() for text in entry["templates"]]
    texts = [*HOSTILE, *given, *NEGATIONS, *(typing_errors(t, rng) for t in given * 10)]
    words = " ".join(given).split()
    texts += [" ".join(rng.choices(words, k=rng.randrange(1, 14))) for _ in range(100)]
    with core.open(path) as bot:
        for instructions in INSTRUCTIONS:
            bot.use_kernels(instructions)
            assert_equal(bot, recognizer, texts)
        assert_parts_equal(bot, recognizer, texts)


@pytest.mark.parametrize("name", ["words", "text", "combined", *CHARACTER_MODELS])
def test_characters_are_read_as_in_python(
    core: Core, small_models: dict[str, Path], save_bot: SaveBot, name: str
) -> None:
    recognizer, path = save_bot(EXPORTED_TEMPLATES, small_models[name])
    rng = random.Random(7)
    given = [t for intent in recognizer.templates.intents.values() for t in intent.templates]
    share = 5 if name in CHARACTER_MODELS else 1
    texts = [typing_errors(" ".join(rng.choices(given, k=2)), rng) for _ in range(1000 // share)]
    texts += [
        *HOSTILE,
        *every_script()[::share],
        "漢字 㐀㐁",
        "x" * 399 + " y",
        "_a__b_",
        "a " * 2000,
    ]
    letters = [f"{a}{b}" for a in string.ascii_lowercase for b in string.ascii_lowercase]
    texts += [" ".join(rng.choices(letters, k=400)) for _ in range(3)]  # too many words to read
    texts += [
        "a " * 2000,
        "q" * 41 + " " + "q" * 41 + " z",
        " ".join("w" * n for n in range(1, 60)),
    ]
    for instructions, step in (("avx512", 1), ("plain", 5)):
        with core.open(path, 1 << 16) as bot:
            bot.use_kernels(instructions)
            assert_equal(bot, recognizer, texts[::step])
            assert_parts_equal(bot, recognizer, texts[:: 7 * step])


@pytest.mark.parametrize("name", ["words", "attention"])
def test_what_words_a_cache_keeps_changes_no_vector(
    core: Core, small_models: dict[str, Path], save_bot: SaveBot, name: str
) -> None:
    _, path = save_bot(EXPORTED_TEMPLATES, small_models[name])
    rng = random.Random(8)
    words = ["".join(rng.choices("abcde", k=rng.randrange(1, 50))) for _ in range(900)]
    texts = [" ".join(rng.choices(words, k=rng.randrange(1, 60))) for _ in range(80)]
    with core.open(path) as bot:
        expected = [bot.encode(text) for text in texts]
    for cache in (0, 1 << 14):
        with core.open(path, cache) as bot:
            for text, vector in zip(texts, expected, strict=True):
                assert np.array_equal(bot.encode(text), vector)


@pytest.mark.parametrize("search", ["table", "exact"])
@pytest.mark.parametrize("decision", ["nearest", "nearest+centroid"])
@pytest.mark.parametrize("name", SETS)
def test_the_nearest_templates_of_shipped_sets_are_those_of_python(
    core: Core, save_bot: SaveBot, name: str, decision: str, search: str
) -> None:
    recognizer, path = save_bot(name, "tiny", decision=decision, search=search)
    rng = random.Random(7)
    given = [t for intent in recognizer.templates.intents.values() for t in intent.templates]
    texts = rng.sample(given, 30)
    texts += [typing_errors(text, rng) for text in texts]
    texts += [" ".join(rng.choices(" ".join(given).split(), k=6)) for _ in range(30)]
    for cache in (DEFAULT_CACHE, 0):  # by a scan, and by look-ups or all rows
        with core.open(path, cache) as bot:
            for instructions in INSTRUCTIONS:
                bot.use_kernels(instructions)
                assert_equal(bot, recognizer, texts)
            assert_parts_equal(bot, recognizer, texts[::9])


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", SETS)
def test_shipped_sets_answer_as_in_python(
    core: Core, save_bot: SaveBot, name: str, model: str
) -> None:
    recognizer, path = save_bot(name, model)
    rng = random.Random(0)
    given = [t for intent in recognizer.templates.intents.values() for t in intent.templates]
    texts = rng.sample(given, 100)
    texts += [typing_errors(text, rng) for text in texts] + HOSTILE
    texts += every_script()[:: 1 if model == "tiny" else 4]
    with core.open(path) as bot:
        assert_equal(bot, recognizer, texts)
        assert_parts_equal(bot, recognizer, texts[::25])
        bot.use_kernels("plain")
        assert_equal(bot, recognizer, texts[::10])


@pytest.mark.parametrize("model", MODELS)
def test_texts_of_data_sets_are_answered_as_in_python(
    core: Core, save_bot: SaveBot, data_dir: Path, model: str
) -> None:
    recognizer, path = save_bot("banking_support", model)
    rng = random.Random(0)
    texts = []
    for name in ("banking77", "clinc150"):
        lines = (data_dir / "intents" / name / "valid.jsonl").read_text("utf-8").split("\n")[:-1]
        texts += [json.loads(line)["text"] for line in rng.sample(lines, 250)]
    with core.open(path) as bot:
        assert_equal(bot, recognizer, [*texts, *(typing_errors(t, rng) for t in texts[:200])])


def test_fewer_words_and_lost_words(core: Core, tmp_path: Path) -> None:
    full = IntentRecognizer.load("travel", "tiny")
    assert isinstance(full.encoder, ModelEncoder)
    encoder = keep_for_bot(full.encoder, full.templates, 1000)
    recognizer, path = IntentRecognizer(encoder, full.templates), tmp_path / "bot.safetensors"
    recognizer.save(path)
    rng = random.Random(4)
    given = [t for intent in recognizer.templates.intents.values() for t in intent.templates]
    words = list(full.encoder.known_words or ())
    texts = [typing_errors(" ".join(rng.choices(words, k=3)), rng) for _ in range(150)]
    with core.open(path) as bot:
        assert_equal(bot, recognizer, [*given[:50], *texts])
        assert [bot.read(text) for text in texts] == [recognizer.read(text) for text in texts]


def test_a_bot_of_many_rows_is_searched_by_its_table(core: Core, save_bot: SaveBot) -> None:
    rng = random.Random(5)
    intents = {
        f"intent_{n}": [" ".join(rng.choices(WORDS, k=5)) for _ in range(40)] for n in range(12)
    }
    for decision in ("nearest", "nearest+centroid"):
        recognizer, path = save_bot(intents, "tiny", decision=decision)
        texts = [" ".join(rng.choices(WORDS, k=6)) for _ in range(60)]
        for cache in (0, DEFAULT_CACHE):  # by look-ups, and by a scan
            with core.open(path, cache) as bot:
                assert_equal(bot, recognizer, texts)


def test_logistic_scans_many_templates_of_an_intent(core: Core, save_bot: SaveBot) -> None:
    rng = random.Random(8)
    words = [*WORDS, "stop"]
    intents = {
        f"intent_{n}": [" ".join(rng.choices(words[n * 4 : n * 4 + 7], k=5)) for _ in range(90)]
        for n in range(3)
    }
    recognizer, path = save_bot(intents, "tiny")
    texts = [" ".join(rng.choices(words, k=6)) for _ in range(60)]
    for cache in (0, DEFAULT_CACHE):  # row by row, and by a scan
        with core.open(path, cache) as bot:
            for instructions in INSTRUCTIONS:
                bot.use_kernels(instructions)
                assert_equal(bot, recognizer, texts)


@pytest.mark.parametrize("templates", [{}, {"a": ["\u200b \u2026"]}, {"a": ["qqq"], "b": ["lamp"]}])
def test_bots_with_few_known_templates(
    core: Core, exportable_models: dict[str, Path], save_bot: SaveBot, templates: Any
) -> None:
    for model in ("transformer", "static", "words", "text", "combined"):
        recognizer, path = save_bot(templates or {"intents": {}}, exportable_models[model])
        with core.open(path) as bot:
            assert_equal(bot, recognizer, ["lamp", "", "qqq", "turn on the lamp"])
            assert_parts_equal(bot, recognizer, ["lamp", ""])


def test_the_cache_changes_no_answer(
    core: Core, exportable_models: dict[str, Path], save_bot: SaveBot
) -> None:
    recognizer, path = save_bot("smart_home", "tiny")
    rng = random.Random(6)
    words = [f"w{n}ord" for n in range(700)] + " ".join(HOSTILE[:8]).split()
    texts = [" ".join(rng.choices(words, k=30)) for _ in range(60)]
    for cache in (0, 1 << 16, 3 << 20):
        with core.open(path, cache) as bot:
            assert_equal(bot, recognizer, texts)
