"""The core in C as a backend: the answers of NumPy, from threads, copies, forks and after edits."""

import copy
import multiprocessing
import os
import pickle
import random
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from copies import copies
from pocketintent import IntentRecognizer, Match, TemplateError
from pocketintent.runtime.native.bot import NativeBot

TOLERANCE = 1e-5
KINDS = ("static", "contextual", "transformer", "words", "text", "combined")
TEMPLATES = {
    "intents": {
        "lights_on": {"templates": ["turn on the lights", "lamp on"], "except": ["no lamp on"]},
        "lights_off": {"templates": ["turn off the lights", "lamp off"], "threshold": 0.6},
        "music": {"templates": ["play some jazz", "play a song"]},
    },
    "none": ["close the gate"],
    "margin": 0.05,
}
TEXTS = ["lamp on please", "turn teh lihgts off", "play musci", "no lamp on", "close the gate"]
TEXTS += ["", " ", "\0", "zzz", "\ud800 lamp", "ＬＡＭＰ on", "x" * 4000, "lamp of on " * 200]


def assert_same(found: Match, expected: Match) -> None:
    """Equal, but for scores, which are within ``TOLERANCE``, and what rounding alone decides."""
    assert found.score == pytest.approx(expected.score, abs=TOLERANCE)
    assert (found.margin is None) == (expected.margin is None)
    if expected.margin is None or expected.margin > TOLERANCE:
        names = ("intent", "template", "nearest", "reason")
        assert [getattr(found, n) for n in names] == [getattr(expected, n) for n in names]
        if expected.runner_up is not None:
            assert found.runner_up is not None
            assert found.runner_up.score == pytest.approx(expected.runner_up.score, abs=TOLERANCE)


def assert_all_same(
    found: IntentRecognizer, expected: IntentRecognizer, texts: Iterable[str] = TEXTS
) -> None:
    texts = list(texts)
    assert found.backend == "native" and expected.backend == "numpy"
    for text, match in zip(texts, found.match_batch(texts), strict=True):
        assert match == found.match(text)
        assert_same(match, expected.match(text))
        assert found.read(text) == expected.read(text)
        scores = [candidate.score for candidate in expected.rank(text, 9)]
        ranking = found.rank(text, 9)
        assert [candidate.score for candidate in ranking] == pytest.approx(scores, abs=TOLERANCE)
        assert len(found.rank(text, limit=1)) == min(1, len(ranking))


@pytest.fixture
def bot_file(exportable_models: dict[str, Path], tmp_path: Path) -> Path:
    path = tmp_path / "bot.safetensors"
    IntentRecognizer.load(TEMPLATES, exportable_models["contextual"], backend="numpy").save(path)
    return path


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize("decision", ["logistic", "nearest", "nearest+centroid"])
@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_answers_as_numpy(
    exportable_models: dict[str, Path], kind: str, decision: Any
) -> None:
    model = exportable_models[kind]
    found = IntentRecognizer.load(TEMPLATES, model, decision=decision)
    assert_all_same(
        found, IntentRecognizer.load(TEMPLATES, model, decision=decision, backend="numpy")
    )
    assert found.decision == decision and found.encoder.dim == 32


@pytest.mark.usefixtures("native")
@pytest.mark.parametrize("model", ["fast", "tiny", "default"])
@pytest.mark.parametrize("name", ["smart_home", "banking_support", "travel", "small_talk"])
def test_shipped_sets_answer_as_numpy(name: str, model: str, tmp_path: Path) -> None:
    expected = IntentRecognizer.load(name, model, backend="numpy")
    expected.save(tmp_path / "bot.safetensors")
    rng = random.Random(0)
    texts = [text for intent in expected.templates.intents.values() for text in intent.templates]
    words = " ".join(texts).split()
    texts = rng.sample(texts, 10) + [" ".join(rng.choices(words, k=n % 9 + 1)) for n in range(15)]
    found = IntentRecognizer.load(tmp_path / "bot.safetensors")
    assert_all_same(found, expected, texts)


@pytest.mark.usefixtures("native")
def test_a_bot_file_opens_without_the_numpy_side(bot_file: Path) -> None:
    recognizer = IntentRecognizer.load(bot_file)
    assert recognizer.match("lamp on").intent == "lights_on"
    assert recognizer.intents == ("lights_on", "lights_off", "music") and recognizer.margin == 0.05
    assert "numpy" not in vars(recognizer._bot)
    assert recognizer.explain("lamp on").match.intent == "lights_on"
    assert "numpy" in vars(recognizer._bot)


@pytest.mark.usefixtures("native")
def test_edits_then_match_as_numpy(bot_file: Path, tmp_path: Path) -> None:
    both = [IntentRecognizer.load(bot_file, backend=name) for name in ("native", "numpy")]  # type: ignore[arg-type]
    edits: list[Callable[[IntentRecognizer], object]] = [
        lambda r: r.add_intent("heat", ["warmer please", "warm the music"], 0.3, ["no heat"]),
        lambda r: r.remove_intent("music"),
        lambda r: setattr(r, "threshold", 0.9),
        lambda r: setattr(r, "margin", 0.0),
        lambda r: setattr(r, "templates", {"a": ["lamp on"], "b": ["play jazz"]}),
        lambda r: setattr(r, "templates", {"a": ["qqq"]}),
    ]
    for edit in edits:
        for recognizer in both:
            edit(recognizer)
        assert_all_same(both[0], both[1], [*TEXTS, "warmer lamp"])
    both[0].save(tmp_path / "edited.safetensors")
    assert IntentRecognizer.load(tmp_path / "edited.safetensors").templates == both[1].templates
    with pytest.raises(TemplateError):
        both[0].remove_intent("z")


@pytest.mark.usefixtures("native")
def test_other_settings_than_those_of_the_bot_file(bot_file: Path) -> None:
    settings: dict[str, Any] = {"decision": "nearest", "search": "exact", "correct": False}
    found = IntentRecognizer.load(bot_file, **settings)
    assert (found.decision, found.search, found.correct) == ("nearest", "exact", False)
    assert_all_same(found, IntentRecognizer.load(bot_file, **settings, backend="numpy"))


@pytest.mark.usefixtures("native")
def test_a_file_that_is_replaced_while_it_is_open_changes_nothing(bot_file: Path) -> None:
    recognizer = IntentRecognizer.load(bot_file)
    expected = recognizer.match("lamp on")
    other = IntentRecognizer.load({"x": ["pizza"]}, "tiny", backend="numpy")
    other.save(bot_file)
    recognizer.margin = 0.05
    assert recognizer.match("lamp on") == expected and "lights_on" in recognizer.intents


@pytest.mark.usefixtures("native")
@copies
def test_a_copy_answers_alike_and_is_edited_alone(
    bot_file: Path, make_copy: Callable[[Any], Any]
) -> None:
    recognizer = IntentRecognizer.load(bot_file)
    copied = make_copy(recognizer)
    assert copied.backend == "native"
    for text in TEXTS:
        assert_same(copied.match(text), recognizer.match(text))
    copied.remove_intent("music")
    assert "music" in recognizer.intents and recognizer.rank("play jazz")[0].intent == "music"


def test_a_pickle_is_read_without_the_package(
    native: Path, bot_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recognizer = IntentRecognizer.load(bot_file)
    data = pickle.dumps(recognizer)
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "pocketintent_native", None)
        copied = pickle.loads(data)
        assert copied.backend == "numpy"
        assert_same(copied.match("lamp on"), recognizer.match("lamp on"))
    with pytest.raises(TypeError, match="cannot be copied or pickled"):
        assert isinstance(recognizer._bot, NativeBot)
        copy.copy(recognizer._bot.core)


@pytest.mark.usefixtures("native")
def test_threads_match_while_others_edit(bot_file: Path) -> None:
    recognizer, errors, done = IntentRecognizer.load(bot_file), list[object](), threading.Event()
    texts = [text for text in TEXTS if len(text) < 100]
    kept = {text: recognizer.match(text) for text in texts}

    def match() -> None:
        while not done.is_set():
            errors.extend(t for t in texts if recognizer.match(t) != kept[t])

    threads = [threading.Thread(target=match) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(15):
        recognizer.templates = recognizer.templates  # a new core, and the same answers
    done.set()
    for thread in threads:
        thread.join()
    assert errors == []
    assert isinstance(recognizer._bot, NativeBot)
    assert len(recognizer._bot.core._scratches) <= 4


def _answers(recognizer: IntentRecognizer, results: Any) -> None:
    results.put([recognizer.match(text) for text in TEXTS])


@pytest.mark.usefixtures("native")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_matches(bot_file: Path) -> None:
    recognizer = IntentRecognizer.load(bot_file)
    expected = [recognizer.match(text) for text in TEXTS]
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    child = context.Process(target=_answers, args=(recognizer, results))
    child.start()
    assert results.get(timeout=60) == expected
    child.join(60)
    assert child.exitcode == 0


@pytest.mark.usefixtures("native")
def test_a_text_that_is_no_string_is_a_type_error(bot_file: Path) -> None:
    recognizer = IntentRecognizer.load(bot_file)
    for call in (recognizer.match, recognizer.rank, recognizer.read):
        with pytest.raises(TypeError, match="a text must be a str, not bytes"):
            call(b"lamp")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="match_batch takes a list"):
        recognizer.match_batch("lamp")


def test_an_import_loads_no_core(native: Path) -> None:
    code = "import sys, pocketintent.recognizer, pocketintent.cli.main as m; m.build_parser()\n"
    code += "print('pocketintent_native' in sys.modules)"
    paths = os.pathsep.join([str(native), *filter(None, sys.path)])
    run = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout == "False\n"
