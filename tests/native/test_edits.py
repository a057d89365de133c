"""Edits of the C core give the bots that Python's edits give, and are refused where those are."""

import ctypes
import json
import random
import threading
from collections.abc import Callable
from ctypes import byref, c_size_t, c_void_p
from pathlib import Path
from typing import Any

import pytest

from native_core import DEFAULT_CACHE, SMALL_MODELS, Core, CoreBot
from native_edits import Both, add, assert_equal, assert_saves_alike, open_both, remove
from native_interface import CoreError, Counted
from pocketintent import IntentRecognizer, TemplateError
from pocketintent.runtime.files.model_file import load_model
from shared_fixtures import EXPORTED_TEMPLATES, NEGATIONS

DECISIONS: tuple[dict[str, Any], ...] = (
    {},
    {"search": "exact"},
    {"decision": "nearest"},
    {"decision": "nearest", "search": "exact", "correct": False},
    {"decision": "nearest+centroid"},
)
WORDS = [*("turn", "switch", "put", "the", "my", "lights", "lamp", "music", "on", "off", "up")]
WORDS += [*("please", "some", "jazz", "play", "pizza")]
COUNTER_EXAMPLES = [*NEGATIONS, "lights are nice", "never mind", "is the lamp on", "not me"]


def random_texts(rng: random.Random, count: int) -> list[str]:
    return [" ".join(rng.choices(WORDS, k=rng.randrange(1, 7))) for _ in range(count)]


def random_edit(both: Both, rng: random.Random, names: list[str]) -> Both:
    """One edit by chance: a new intent, more of an old one, or its end."""
    intents = list(both[0].intents)
    kind = rng.randrange(6)
    if kind < 2 or not intents:
        return add(both, rng.choice(names), random_texts(rng, rng.randrange(1, 5)))
    name = rng.choice(intents)
    if kind == 2:
        return remove(both, name)
    exceptions = rng.sample(COUNTER_EXAMPLES, rng.randrange(3))
    threshold = rng.choice([None, 0.3, 0.62])
    templates = random_texts(rng, rng.randrange(3))
    if not templates and not exceptions and threshold is None:
        templates = ["zzz"]
    return add(both, name, templates, threshold, exceptions)


@pytest.mark.parametrize("settings", DECISIONS, ids=str)
@pytest.mark.parametrize("model", SMALL_MODELS)
def test_random_edits_of_small_models_are_those_of_python(
    core: Core,
    exportable_models: dict[str, Path],
    tmp_path: Path,
    model: str,
    settings: dict[str, Any],
) -> None:
    templates = json.loads(json.dumps(EXPORTED_TEMPLATES))
    names = ["lightsOn", "play_jazz", "pizza-now", "doNotDisturb", "Äpfel", "card_not_working"]
    for seed in range(2):
        rng = random.Random(seed)
        texts = [*random_texts(rng, 60), *COUNTER_EXAMPLES, "lihgts on", "", "q"]
        given = {"intents": {}} if seed else templates
        start = IntentRecognizer.load(given, exportable_models[model], **settings)
        both = open_both(core, start, tmp_path)
        for _ in range(8):
            both = random_edit(both, rng, names)
            assert_equal(both, texts[:: rng.randrange(1, 4)])
        assert_equal(both, texts)
        assert_saves_alike(core, both, texts[::4], tmp_path)
        both[1].close()


@pytest.mark.parametrize(
    ("name", "model", "share"),
    [("banking_support", "tiny", 1), ("travel", "fast", 1), ("smart_home", "default", 8)],
)
def test_edits_of_shipped_sets_are_those_of_python(
    core: Core, tmp_path: Path, data_dir: Path, name: str, model: str, share: int
) -> None:
    start = IntentRecognizer.load(name, model)
    first, second, third = list(start.intents)[:3]
    lines = (data_dir / "intents" / "clinc150" / "valid.jsonl").read_text("utf-8").split("\n")[:-1]
    texts = [json.loads(line)["text"] for line in random.Random(0).sample(lines, 600)]
    texts += [text for intent in start.templates.intents.values() for text in intent.templates]
    texts = texts[::share]
    both = open_both(core, start, tmp_path)
    both = add(both, "play_jazz", ["play some jazz", "put on miles davis", "jazz please"], 0.4)
    both = add(both, first, ["a new way to say it"], None, ["this is not what i want", "no idea"])
    assert_equal(both, texts)
    both = remove(both, second)
    both = add(both, third, [], 0.7)
    both = add(both, third, [], None, ["of another kind"])
    assert_equal(both, texts[::2])
    both = remove(both, first)
    assert_saves_alike(core, both, texts[::3], tmp_path)
    both[1].close()


def test_the_negation_goes_and_comes_with_its_counter_examples(core: Core, tmp_path: Path) -> None:
    head: dict[str, Any] = {"none": ["never mind", "thanks a lot"], "margin": 0.05}
    head |= {"background": ["the weather is fine today"], "threshold": 0.4}
    for language, learn_names in (("en-GB", True), ("de", True), (None, False)):
        form: dict[str, Any] = {
            "learn_names": learn_names,
            "margin": 0.05,
            "threshold": 0.4,
            **head,
        }
        form["intents"] = {
            "lights_on": {"templates": ["turn on the lights", "lights on"], "threshold": 0.3},
            "lights_off": {"templates": ["turn off the lights", "lights off", "off with them"]},
        }
        form |= {"language": language} if language else {}
        both = open_both(core, IntentRecognizer.load(form, "tiny"), tmp_path)
        texts = ["do not turn on the lights", "lights on", "never mind", "i have not been there"]
        both = add(both, "lights_on", [], None, ["don't turn on the lights"])
        assert_equal(both, texts)
        both = add(both, "isNotWorking", ["the lamp is broken"], None, ["the lamp is not broken"])
        assert_equal(both, texts)
        assert_saves_alike(core, both, texts, tmp_path)
        assert json.loads(bytes(load_model(tmp_path / "ours.safetensors").tensors["bot.templates"]))
        both = remove(remove(both, "lights_on"), "isNotWorking")
        assert_equal(both, texts)
        assert_saves_alike(core, both, texts, tmp_path)
        both[1].close()


WRONG: list[tuple[Any, ...]] = [
    *(
        ("", ["a"]),
        ("\u200b", ["a"]),
        ("x", []),
        ("on", []),
        ("x", [], 0.5),
        ("x", [], None, ["b"]),
    ),
    *(("x", ["a", " "]), ("x", ["a"], 1.5), ("on", [], -1.01), ("on", [], float("nan"))),
    *(("x", ["a"], None, [""]), ("on", [], None, ["b", "\n\t"])),
]


@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_an_edit_is_refused_for_the_reason_of_python(
    core: Core, lamp_path: Path, wrong: tuple[Any, ...]
) -> None:
    recognizer = IntentRecognizer.load(lamp_path)
    with pytest.raises(TemplateError) as expected:
        recognizer.add_intent(*wrong)
    with core.open(lamp_path) as bot:
        before = bot.match("lamp on")
        with pytest.raises(CoreError) as error:
            bot.add_intent(*wrong)
        assert error.value.status == "templates"
        assert bot.match("lamp on") == before
    reason = str(expected.value).split(" (problems")[0]
    if "threshold" in reason:
        reason = reason[: reason.index("threshold")]
    assert error.value.message.startswith(reason) or "invisible" in error.value.message


def test_unknown_intents_and_texts_that_are_not_utf8_are_refused(
    core: Core, lamp_path: Path
) -> None:
    with core.open(lamp_path) as bot:
        with pytest.raises(CoreError, match="no intent 'of'; known: on, off"):
            bot.remove_intent("of")
        with pytest.raises(CoreError, match="no intent ''; known: on, off"):
            bot.remove_intent("\ud800")
        with pytest.raises(CoreError, match=f"intent '{'é' * 40}' has no templates"):
            bot.add_intent("é" * 300, [])
        for wrong in (b"\xff", b"\xed\xa0\x80", b"a\xc3"):
            lists: list[tuple[Any, ...]] = [(wrong, ["a"]), ("x", [wrong])]
            for arguments in [*lists, ("on", [], None, [wrong])]:
                with pytest.raises(CoreError) as error:
                    bot.add_intent(*arguments)
                assert error.value.status == "templates"


def test_missing_memory_is_a_status_and_leaves_the_bot(core: Core, lamp_path: Path) -> None:
    lib, content = core.lib, lamp_path.read_bytes()

    def edit(memory: Counted) -> list[int]:
        """Statuses of an edit, a removal and a save; all is freed."""
        bot, statuses = c_void_p(), list[int]()
        data = ctypes.create_string_buffer(content, len(content))
        size = c_size_t(len(content))
        with memory.paused():
            opened = lib.pintent_open_buffer(data, size, byref(memory.struct), byref(bot), None)
            assert opened == 0
            each = CoreBot(lib, bot, DEFAULT_CACHE)
            expected = each.match("lamp on")
        calls: list[Callable[[], Any]] = [
            lambda: each.add_intent("jazz", ["play", "lamp"], 0.5, ["don't play"]).close(),
            lambda: each.remove_intent("on").close(),
            lambda: each.save(lamp_path.with_name("saved.safetensors")),
        ]
        for call in calls:
            try:
                call()
                statuses.append(0)
            except CoreError as error:
                assert error.status == "memory"
                statuses.append(2)
        assert each.match("lamp on") == expected
        each.close()
        assert not memory.sizes
        return statuses

    memory = Counted()
    assert edit(memory) == [0, 0, 0]
    total = memory.calls
    failed = [edit(Counted(fails_at=call)) for call in range(total)]
    assert {2} < {status for statuses in failed for status in statuses}
    assert all(statuses.count(2) <= 1 for statuses in failed)
    assert not list(lamp_path.parent.glob(".*.tmp"))


def test_a_bot_lives_as_long_as_its_scratches_and_its_model_as_long_as_a_bot(
    core: Core, lamp_path: Path
) -> None:
    recognizer = IntentRecognizer.load(lamp_path)
    bots = [core.open(lamp_path)]
    bots.append(bots[0].add_intent("music", ["play"]))
    bots.append(bots[1].remove_intent("on"))
    for bot in (bots[1], bots[0]):  # the handles go before their scratches
        core.lib.pintent_close(bot.bot)
    assert bots[0].match("lamp on")["intent"] == recognizer.match("lamp on").intent
    core.lib.pintent_scratch_free(bots[0].scratch)
    core.lib.pintent_scratch_free(bots[1].scratch)
    recognizer.add_intent("music", ["play"])
    recognizer.remove_intent("on")
    assert_equal((recognizer, bots[2]), ["play", "lamp off", "lamp on"])
    bots[2].close()


def test_eight_readers_match_beside_edits(core: Core, lamp_path: Path) -> None:
    texts = ["lamp on", "turn off teh lamp", "play", "q q"] * 3
    current = [core.open(lamp_path)]
    expected = {current[0].bot.value: [current[0].match(text) for text in texts]}
    lock, wrong, done = threading.Lock(), list[Any](), threading.Event()

    def read() -> None:
        while not done.is_set():
            with lock:
                bot = current[-1].bot
                answers = expected[bot.value]
                each = CoreBot(core.lib, bot, 1 << 16)  # which keeps the bot
            found = [each.match(text) for text in texts]
            wrong.extend(pair for pair in zip(found, answers, strict=True) if pair[0] != pair[1])
            core.lib.pintent_scratch_free(each.scratch)

    readers = [threading.Thread(target=read) for _ in range(8)]
    for reader in readers:
        reader.start()
    for number in range(24):
        old = current[-1]
        edited = old.remove_intent("music") if number % 2 else old.add_intent("music", ["play"])
        answers = [edited.match(text) for text in texts]
        with lock:
            expected[edited.bot.value] = answers
            current.append(edited)
            old.close()
    done.set()
    for reader in readers:
        reader.join()
    current[-1].close()
    assert not wrong
