"""A template set for an open bot: the bot that Python builds of it, whatever was before."""

import json
import random
from collections.abc import Iterator
from ctypes import byref, c_size_t, create_string_buffer
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from native_core import SMALL_MODELS, Core, CoreBot
from native_edits import add, assert_equal, assert_saves_alike, open_both, remove
from native_interface import CoreError
from pocketintent import IntentRecognizer
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.files.model_file import load_model
from pocketintent.runtime.files.shipped_models import find_model
from shared_fixtures import EXPORTED_TEMPLATES

NEAR = 1e-5
"""Largest difference of nearly all scores."""
DECISIONS: tuple[dict[str, Any], ...] = (
    {},
    {"search": "exact"},
    {"decision": "nearest"},
    {"decision": "nearest", "search": "exact", "correct": False},
    {"decision": "nearest+centroid"},
)
WORDS = [*("turn", "switch", "put", "the", "my", "lights", "lamp", "music", "on", "off", "up")]
WORDS += [*("please", "some", "jazz", "play", "pizza", "don't", "not", "zzz")]
NAMES = ["lightsOn", "play_jazz", "pizza-now", "doNotDisturb", "Äpfel", "card_not_working"]


def random_texts(rng: random.Random, least: int, most: int) -> list[str]:
    count = rng.randrange(least, most)
    return [" ".join(rng.choices(WORDS, k=rng.randrange(1, 7))) for _ in range(count)]


def random_set(rng: random.Random) -> dict[str, Any]:
    """A set in one of the three forms."""
    names = rng.sample(NAMES, rng.randrange(1, len(NAMES)))
    form = rng.randrange(4)
    if form == 0:
        return {name: random_texts(rng, 1, 6) for name in names}
    if form == 1:
        return {n: [{"text": text} for text in random_texts(rng, 1, 6)] for n in names}
    intents: dict[str, Any] = {name: {"templates": random_texts(rng, 1, 6)} for name in names}
    for intent in intents.values():
        if rng.random() < 0.4:
            intent["except"] = random_texts(rng, 0, 4)
        if rng.random() < 0.3:
            intent["threshold"] = rng.choice([-1, 0.3, 1])
    settings = {
        "threshold": 0.4,
        "margin": 0.1,
        "learn_names": rng.random() < 0.5,
        "language": rng.choice(["en", "en-GB", None]),
        "none": random_texts(rng, 0, 4),
        "background": random_texts(rng, 0, 4),
        "$schema": "templates.schema.json",
    }
    kept = {key: settings[key] for key in settings if rng.random() < 0.5}
    return {**kept, "intents": intents}


def changed(rng: random.Random, form: dict[str, Any]) -> dict[str, Any]:
    """The set with another text in one of its intents, or without an intent."""
    form = json.loads(json.dumps(form))
    intents = form["intents"] if isinstance(form.get("intents"), dict) else form
    if not intents:
        return random_set(rng)
    name = rng.choice(list(intents))
    if rng.random() < 0.2:
        del intents[name]
        return form
    texts = intents[name]["templates"] if intents is not form else intents[name]
    (text,) = random_texts(rng, 1, 2)
    texts[rng.randrange(len(texts))] = {"text": text} if isinstance(texts[0], dict) else text
    return form


def codes_of(path: Path) -> NDArray[Any]:
    codes: NDArray[Any] = load_model(path).tensors["bot.index.rows.codes"]
    return codes


@pytest.mark.parametrize("settings", DECISIONS, ids=str)
@pytest.mark.parametrize("model", SMALL_MODELS)
def test_random_sets_give_the_bots_of_python_from_any_bot(
    core: Core,
    exportable_models: dict[str, Path],
    tmp_path: Path,
    model: str,
    settings: dict[str, Any],
) -> None:
    rng = random.Random(f"{model} {settings}")
    encoder = load_encoder(exportable_models[model])
    start = IntentRecognizer(encoder, EXPORTED_TEMPLATES, **settings)
    bot = open_both(core, start, tmp_path)[1]
    fresh = open_both(core, IntentRecognizer(encoder, {}, **settings), tmp_path)[1]
    texts = [*random_texts(rng, 40, 41), "lihgts on", "", "q"]
    form = random_set(rng)
    for number in range(6):
        form = changed(rng, form) if number % 3 else random_set(rng)
        with bot:
            bot = bot.set_templates(form)
        with fresh.set_templates(form) as other:
            assert bot.to_bytes() == other.to_bytes()
        expected = IntentRecognizer(encoder, form, **settings)
        assert_equal((expected, bot), texts)
        assert bot.templates == expected.templates.to_dict()
    assert_saves_alike(core, (expected, bot), texts, tmp_path)
    both = add((expected, bot), NAMES[0], ["a new text", "lamp"], 0.4, ["don't", "of no use"])
    assert_equal(both, texts)
    both = remove(both, NAMES[0])
    assert_equal(both, texts)
    with both[1].set_templates(form) as again, fresh.set_templates(form) as other:
        assert again.to_bytes() == other.to_bytes()
    both[1].close()
    fresh.close()


@pytest.mark.parametrize(
    ("names", "model", "share"),
    [
        (("smart_home", "banking_support", "travel", "small_talk"), "tiny", 1),
        (("travel", "smart_home"), "fast", 1),
        (("smart_home",), "default", 8),
    ],
)
def test_shipped_sets_on_shipped_models_give_the_bots_of_python(
    core: Core, tmp_path: Path, names: tuple[str, ...], model: str, share: int
) -> None:
    path = tmp_path / "bot.safetensors"
    bot = core.open_model(find_model(model))
    differences = []
    for name in names:
        expected = IntentRecognizer.load(name, model, backend="numpy")
        with bot:
            bot = bot.set_templates(expected.templates.to_dict())
        expected.save(path)
        (tmp_path / "ours.safetensors").write_bytes(bot.to_bytes())
        assert np.array_equal(codes_of(path), codes_of(tmp_path / "ours.safetensors"))
        texts = ["i have not been there", "call me a cab", "lihgts of plaese", "what a day"]
        for intent in expected.templates.intents.values():
            texts += [*intent.templates[::share], *intent.counter_examples[::share]]
        differences += [assert_equal((expected, bot), [text]) for text in texts]
    assert np.quantile(differences, 0.98) < NEAR
    bot.close()


@pytest.fixture
def lamp(core: Core, lamp_path: Path) -> Iterator[CoreBot]:
    with core.open(lamp_path) as bot:
        yield bot


def test_a_bot_without_intents_is_that_of_python(
    core: Core, exportable_models: dict[str, Path], lamp_path: Path, tmp_path: Path
) -> None:
    path = tmp_path / "empty.safetensors"
    for model in SMALL_MODELS:
        expected = IntentRecognizer.load({}, exportable_models[model])
        expected.save(path)
        with core.open_model(exportable_models[model]) as bot:
            assert bot.to_bytes() == path.read_bytes()
            assert bot.match("lamp on") == expected.match("lamp on").to_dict()
            assert bot.match("lamp on")["reason"] == "no_templates"
            assert bot.rank("lamp on", 3) == [] and bot.intents == []
            assert np.allclose(bot.encode("lamp on"), expected.encoder.encode("lamp on"), atol=1e-5)
            assert bot.read("lamp on") == expected.read("lamp on")
            added = bot.add_intent("jazz", ["play some jazz"])
            assert added.match("play some jazz")["nearest"] == "jazz"
            added.close()
            with bot.set_templates({}) as empty:
                assert empty.to_bytes() == bot.to_bytes()
    # Of a bot file the model alone.
    with core.open_model(lamp_path) as bot, core.open_model(exportable_models["contextual"]) as own:
        content = bot.to_bytes()
        assert content == own.to_bytes()
    for path in (lamp_path, exportable_models["contextual"]):
        data = path.read_bytes()
        with core.open_model_buffer(data, len(data)) as bot:
            assert bot.to_bytes() == content


def test_no_vector_is_computed_twice(core: Core, exportable_models: dict[str, Path]) -> None:
    form: dict[str, Any] = {
        "intents": {
            "lights_on": {"templates": ["lights on", "turn it on"], "except": ["not on", "zzz"]},
            "music": {"templates": ["play", "jazz please"]},
        },
        "none": ["never mind"],
        "background": ["good morning"],
    }
    # Both names, and that of the negated counter-example.
    num_texts = 4 + 2 + 1 + 1 + 2 + 1
    later = json.loads(json.dumps(form))
    later["intents"]["music"]["templates"][0] = "put on some music"
    with core.open_model(exportable_models["transformer"]) as model:
        bot, fresh = model.set_templates(form), model.set_templates(later)
    kept = core.lib.hook_kept_vectors
    assert kept(bot.bot, False) == kept(fresh.bot, False) == num_texts
    later_bot = bot.set_templates(later)
    assert later_bot.to_bytes() == fresh.to_bytes()
    assert kept(later_bot.bot, False) == num_texts
    # With the vectors of other texts it would be another bot.
    kept(bot.bot, True)
    with bot.set_templates(later) as wrong:
        assert wrong.to_bytes() != fresh.to_bytes()
        assert kept(wrong.bot, False) == num_texts
    # Edits of an intent hand the vectors on, and those of a bot that was opened keep none.
    with later_bot.add_intent("music", [], 0.3) as same, same.remove_intent("music") as less:
        assert kept(same.bot, False) == num_texts
        assert kept(less.bot, False) == num_texts - 3
    for each in (bot, fresh, later_bot):
        each.close()


def test_all_forms_of_a_set_give_one_bot(core: Core, lamp: CoreBot) -> None:
    texts = {"on": ["lamp on"], "Äpfel \U0001f34e": ['put "on"\n', "\u200btürn on\\"]}
    long = {"intents": {name: {"templates": listed} for name, listed in texts.items()}}
    objects = {name: [{"text": text} for text in listed] for name, listed in texts.items()}
    mixed = {"$schema": None, "on": texts["on"], "Äpfel \U0001f34e": objects["Äpfel \U0001f34e"]}
    plain = json.dumps(texts, ensure_ascii=False, indent=1).encode()
    with lamp.set_templates(long) as bot:
        assert bot.templates == {"threshold": 0.5, "margin": 0.0, **long}
        assert bot.templates == IntentRecognizer(load_encoder("tiny"), long).templates.to_dict()
        for form in (texts, objects, mixed, plain, b"\xef\xbb\xbf \r\n\t" + plain + b"\n"):
            with lamp.set_templates(form) as other:
                assert other.to_bytes() == bot.to_bytes()


def test_the_old_bot_stays_and_may_go_first(core: Core, lamp: CoreBot) -> None:
    before = lamp.to_bytes(), lamp.match("lamp on")
    bots = [lamp.set_templates({"on": ["lamp on"], f"music{n}": ["play"]}) for n in range(3)]
    bots.append(bots[2].set_templates({"x": ["off"]}))
    for n in (2, 0, 1):
        bots[n].close()
    assert bots[3].match("off")["nearest"] == "x"
    assert (lamp.to_bytes(), lamp.match("lamp on")) == before
    bots[3].close()


def test_the_json_of_a_set_fits_or_says_its_length(core: Core, lamp: CoreBot) -> None:
    length, call = c_size_t(), core.lib.pintent_templates_json
    assert call(lamp.bot, None, c_size_t(0), byref(length)) == 7
    for capacity in (1, length.value):
        room = create_string_buffer(b"\x7f" * length.value, length.value + 4)
        assert call(lamp.bot, room, c_size_t(capacity), byref(length)) == 7
        assert room.raw[capacity:] == (b"\x7f" * length.value + b"\0" * 4)[capacity:]
    room = create_string_buffer(b"\x7f" * (length.value + 4))
    assert call(lamp.bot, room, c_size_t(length.value + 1), byref(length)) == 0
    assert json.loads(room.value)["intents"] == lamp.templates["intents"]
    assert len(room.value) == length.value
    with pytest.raises(CoreError):
        lamp.set_templates(b"")
