"""The Kotlin library in use: threads, memory, the collector, coroutines, Java."""

import sys
from pathlib import Path

import pytest

from jvm_library import Library
from pocketintent import IntentRecognizer, __version__

# What is left of the memory of the process is that of the core.
STEADY = [
    "-Xms48m",
    "-Xmx48m",
    "-XX:+UseSerialGC",
    "-XX:+AlwaysPreTouch",
    "-XX:TieredStopAtLevel=1",
]
linux = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")


@pytest.mark.parametrize("kind", ["contextual", "transformer"])
def test_sixteen_readers_beside_edits_see_no_half_of_one(
    library: Library, exportable_models: dict[str, Path], tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "bot.safetensors"
    templates = {"on": ["turn on the lamp", "lamp on"], "off": ["lamp off"], "um": ["um um"]}
    IntentRecognizer.load(templates, exportable_models[kind]).save(path)
    done = library.run("threads", path)
    assert done["edits"] == 6
    assert done["matches"] >= 6 * 50 * 16


def test_a_recogniser_is_closed_beside_matches_and_edits(library: Library, lamp_path: Path) -> None:
    assert library.run("closing", lamp_path) == {"closed": 1200}


@linux
def test_memory_does_not_grow_by_opening_and_closing(library: Library, lamp_path: Path) -> None:
    one_arena = {"MALLOC_ARENA_MAX": "1"}
    measured = library.run("close", lamp_path, 10_000, options=STEADY, variables=one_arena)
    assert measured["grown"] < 4 << 20, measured


def test_no_more_scratches_are_kept_than_processors(library: Library, lamp_path: Path) -> None:
    options = ["-XX:ActiveProcessorCount=3"]
    assert library.run("scratches", lamp_path, 20, options=options) == 3


@linux
def test_forgotten_recognisers_are_ended(library: Library, lamp_path: Path) -> None:
    measured = library.run("forget", lamp_path, 2_000)
    assert measured["left"] == 0
    assert measured["most"] < 500  # of 2,000, which would take a gigabyte
    assert measured["resident"] < 500 << 20


def test_the_collector_ends_nothing_that_is_in_use(library: Library, lamp_path: Path) -> None:
    done = library.run("collect", lamp_path, 2.0)
    assert done["matches"] > 20
    assert done["wrong"] == 0


def test_functions_that_suspend(library: Library, lamp_path: Path) -> None:
    assert library.run("suspend", lamp_path) == "done"


def test_every_call_from_java(library: Library, lamp_path: Path, tmp_path: Path) -> None:
    saved = tmp_path / "saved.safetensors"
    assert library.run("java", lamp_path, saved) == "done"
    assert list(IntentRecognizer.load(saved).intents) == ["off", "jazz"]


def test_jni_finds_nothing_wrong(library: Library, lamp_path: Path, tmp_path: Path) -> None:
    saved = tmp_path / "saved.safetensors"
    assert library.lines("java", lamp_path, saved, options=["-Xcheck:jni"]) == ["done"]


def test_the_library_may_lie_on_the_path_of_libraries(
    library: Library, lamp_path: Path, tmp_path: Path
) -> None:
    options = [f"-Djava.library.path={library.folder / 'native'}"]
    options += [f"-Djava.io.tmpdir={tmp_path / 'missing'}"]
    assert library.run("java", lamp_path, tmp_path / "saved", options=options) == "done"


def test_nothing_is_left_in_the_temporary_folder(
    library: Library, lamp_path: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    options = [f"-Djava.io.tmpdir={folder}"]
    assert library.run("java", lamp_path, tmp_path / "saved", options=options) == "done"
    assert list(folder.iterdir()) == []


def test_the_version_is_that_of_python(library: Library) -> None:
    assert library.run("version") == __version__
