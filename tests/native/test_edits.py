"""Edits and saves of the C core give the bots that Python's edits and saves give."""

import ctypes
import json
import os
import random
import stat
import threading
from collections.abc import Callable, Iterable
from ctypes import byref, c_size_t, c_void_p
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from native_core import DEFAULT_CACHE, Core, CoreBot, CoreError, Counted, encode
from pocketintent import IntentRecognizer, TemplateError
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.files.model_file import load_model
from pocketintent.runtime.quantization.lbg import draw_rows, fit_lbg
from pocketintent.runtime.templates.template_set import words_of_name
from shared_fixtures import EXPORTED_TEMPLATES, NEGATIONS

TOLERANCE = 1e-4
"""Largest difference of a score between the two after some edits: rounding, grown in the solver."""
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

Both = tuple[IntentRecognizer, CoreBot]


def open_both(core: Core, recognizer: IntentRecognizer, folder: Path) -> Both:
    """Both on one saved bot, since a file rounds nothing that an edit starts from."""
    path = folder / "opened.safetensors"
    recognizer.save(path)
    return IntentRecognizer.load(path), core.open(path)


def add(both: Both, *arguments: Any) -> Both:
    recognizer, bot = both
    recognizer.add_intent(*arguments)
    with bot:
        return recognizer, bot.add_intent(*arguments)


def remove(both: Both, name: str) -> Both:
    recognizer, bot = both
    recognizer.remove_intent(name)
    with bot:
        return recognizer, bot.remove_intent(name)


def assert_equal(both: Both, texts: Iterable[str]) -> float:
    """Each text has the same match, unless rounding decides; returns the largest difference."""
    recognizer, bot = both
    assert bot.intents == list(recognizer.intents)
    largest = 0.0
    for text in texts:
        expected, found = recognizer.match(text).to_dict(), bot.match(text)
        largest = max(largest, abs(found["score"] - expected["score"]))
        assert largest < TOLERANCE, (text, expected, found)
        nearest = expected["nearest"]
        limit = recognizer.templates.threshold_of(nearest) if nearest else 2.0
        close_calls = [expected["score"] - limit, expected["margin"] or (1.0, 0.0)[nearest is None]]
        if min(map(abs, close_calls)) > TOLERANCE or nearest is None:
            for key in ("intent", "template", "nearest", "reason"):
                assert found[key] == expected[key], (text, expected, found)
    return largest


def assert_saves_alike(core: Core, both: Both, texts: list[str], folder: Path) -> None:
    """Each reads the other's file, answers as the other, and saves the bytes that it read."""
    recognizer, bot = both
    ours, theirs, again = (folder / f"{name}.safetensors" for name in ("ours", "theirs", "again"))
    bot.save(ours)
    recognizer.save(theirs)
    read = IntentRecognizer.load(ours)
    assert read.templates == recognizer.templates
    assert_equal((read, bot), texts)
    with core.open(theirs) as opened:
        assert_equal((recognizer, opened), texts)
        opened.save(again)
        assert again.read_bytes() == theirs.read_bytes()
    first, second = load_model(ours), load_model(theirs)
    assert first.tensors.keys() == second.tensors.keys()
    for name, tensor in second.tensors.items():
        assert first.tensors[name].shape == tensor.shape
        if not name.startswith("bot."):
            assert np.array_equal(first.tensors[name], tensor)
    read.save(again)
    assert again.read_bytes() == ours.read_bytes()


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
@pytest.mark.parametrize("model", ["static", "contextual", "transformer"])
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


def test_a_codebook_is_fitted_where_python_fits_one(core: Core, tmp_path: Path) -> None:
    encoder: Any = load_encoder("tiny")
    encoder.template_quantizer = encoder.table.template_quantizer = None
    both = open_both(core, IntentRecognizer(encoder, {"intents": {}}), tmp_path)
    texts = ["play some jazz", "lamp on", "what is the time"]
    both = add(both, "lamp", ["lamp on", "turn on the lamp please"])
    both = add(both, "jazz", texts[:1])
    assert_equal(both, texts)
    assert_saves_alike(core, both, texts, tmp_path)
    both = remove(remove(both, "lamp"), "jazz")
    assert_saves_alike(core, both, texts, tmp_path)
    both[1].close()
    # Too large an error, of more sub-vectors than are sampled.
    recognizer = IntentRecognizer(encoder, "smart_home")
    recognizer.indexed.max_error = 1e-3
    both = add(open_both(core, recognizer, tmp_path), "jazz", texts[:1])
    assert_saves_alike(core, both, texts, tmp_path)
    # A vector that is as near to two centroids may go to either, and so may all that follows.
    errors = [
        load_model(tmp_path / f"{name}.safetensors").tensors["bot.index.errors"].sum()
        for name in ("ours", "theirs")
    ]
    assert errors[0] == pytest.approx(errors[1], rel=0.02)
    both[1].close()


def test_vectors_are_drawn_and_clustered_as_in_python(core: Core) -> None:
    for first, second in ((9000, 60_000), (20_000, 9_500), (100, 500_000), (30_000, 12_000)):
        marks = (ctypes.c_bool * first)(), (ctypes.c_bool * second)()
        sizes = c_size_t(8192), c_size_t(8192)
        arguments = marks[0], c_size_t(first), sizes[0], marks[1], c_size_t(second), sizes[1]
        assert core.lib.hook_draw(*arguments)
        rng = np.random.default_rng(0)
        for found, count in zip(marks, (first, second), strict=True):
            drawn = draw_rows(np.arange(count, dtype=np.float32)[:, None], 8192, rng)
            assert np.flatnonzero(found).tolist() == drawn[:, 0].tolist()
    rng = np.random.default_rng(5)
    for num, dim, size in ((40, 2, 256), (300, 1, 16), (2000, 2, 256), (500, 3, 48)):
        vectors = rng.normal(size=(num, dim)).astype(np.float32)
        vectors[num // 2 :] = vectors[: num - num // 2]  # some are equal
        codebook = np.empty((size, dim), np.float32)
        places = [array.ctypes.data_as(c_void_p) for array in (vectors, codebook)]
        sizes_of = c_size_t(num), c_size_t(dim), c_size_t(size)
        assert core.lib.hook_fit_lbg(places[0], *sizes_of, places[1])
        np.testing.assert_allclose(codebook, fit_lbg(vectors, size), atol=1e-5)


def test_numbers_are_rounded_to_half_precision_as_in_numpy(core: Core) -> None:
    core.lib.hook_to_half.argtypes = [ctypes.c_float]
    rng = np.random.default_rng(0)
    halves = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float32)
    between = (halves[:-1] + halves[1:]) / 2
    numbers = np.concatenate(
        [between, np.nextafter(between, 0), halves[:500], rng.normal(size=500)]
    )
    for number in [*numbers[::7].astype(np.float32).tolist(), 65504.0, 65519.9, -1e-8, -2.5]:
        assert core.lib.hook_to_half(number) == int(np.float16(number).view(np.uint16)), number


def test_names_are_read_as_in_python(core: Core) -> None:
    rng = random.Random(0)
    points = [chr(point) for point in range(0x110000) if not 0xD800 <= point < 0xE000]
    cased = [char for char in points if char.isupper() or char.islower() or char.lower() != char]
    names = ["openURLAgain", "cardArrival", "ÄpfelUndBirnen", "A", "aB" * 4000, "", "ABc"]
    names += ["".join(rng.choices(rng.choice([cased, points]), k=40)) for _ in range(3000)]
    names += ["a".join(cased[n : n + 50]) for n in range(0, len(cased), 50)]
    names += ["B".join(cased[n : n + 50]) for n in range(0, len(cased), 50)]
    for name in names:
        data = encode(name)
        room = ctypes.create_string_buffer(2 * len(data) + 8)
        size = core.lib.hook_words_of_name(data, c_size_t(len(data)), room)
        assert room.raw[:size].decode() == words_of_name(name), ascii(name)


@pytest.fixture
def lamp_path(exportable_models: dict[str, Path], tmp_path: Path) -> Path:
    path = tmp_path / "lamp.safetensors"
    templates = {"on": ["turn on the lamp", "lamp on"], "off": ["lamp off"]}
    IntentRecognizer.load(templates, exportable_models["contextual"]).save(path)
    return path


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


def test_a_save_replaces_a_file_whole_or_not_at_all(core: Core, lamp_path: Path) -> None:
    folder = lamp_path.parent
    with core.open(lamp_path) as bot:
        link = folder / "link.safetensors"
        link.symlink_to(lamp_path)
        before = lamp_path.read_bytes()
        bot.save(link)  # the file that is open, by a link
        assert link.is_symlink() and lamp_path.read_bytes() == before
        assert bot.match("lamp on")["nearest"] == "on"
        mode = stat.S_IMODE(lamp_path.stat().st_mode)
        assert mode == 0o666 & ~current_umask()
        pipe = folder / "pipe"
        os.mkfifo(pipe)
        for path, reason in (
            (folder, "it is a folder"),
            (folder / "none" / "x.safetensors", "No such file"),
            (lamp_path / "x", "Not a directory"),
            (pipe, "it is a device, a pipe or a socket"),
        ):
            with pytest.raises(CoreError, match=reason) as error:
                bot.save(path)
            assert error.value.status == "file"
        assert not list(folder.glob(".*.tmp"))
        size = c_size_t()
        save = core.lib.pintent_save_buffer
        assert save(bot.bot, None, c_size_t(0), byref(size)) == 7
        assert size.value == len(before)
        for capacity in (1, size.value - 1):
            room = ctypes.create_string_buffer(b"\x7f" * 16, size.value + 1)
            assert save(bot.bot, room, c_size_t(capacity), byref(size)) == 7
            assert room.raw[:16] == b"\x7f" * 16
        room = ctypes.create_string_buffer(size.value)
        assert save(bot.bot, room, size, byref(size)) == 0
        assert room.raw == before
        with core.open_buffer(room, size.value) as opened:
            edited = opened.add_intent("music", ["play"])
            assert edited.match("play")["nearest"] == "music"
            edited.close()


def current_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


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
