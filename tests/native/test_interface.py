"""What the header promises: statuses, memory, buffers, threads, and a stable interface."""

import ctypes
import re
import sys
import threading
from collections.abc import Callable, Iterator
from ctypes import byref, c_char_p, c_size_t, c_void_p
from pathlib import Path

import pytest

from native_building import CORE, HOOKS, compile_c
from native_core import CHARACTER_MODELS, SMALL_MODELS, Core, CoreBot
from native_interface import Addition, Allocator, CoreError, Counted, Text
from pocketintent import IntentRecognizer

HEADER = CORE / "include" / "pocketintent.h"
ARGUMENT, MEMORY, TEMPLATES, UNSUPPORTED, SIZE = 1, 2, 5, 6, 7

MakeOnce = Callable[[str, Callable[[Path], object]], Path]
STRUCTURES = {"text": 16, "candidate": 40, "match": 112, "allocator": 24, "message": 512}
STRUCTURES["addition"] = 64
"""Sizes on 64-bit systems, part of the ABI promise."""


@pytest.fixture
def paths(small_models: dict[str, Path], tmp_path: Path) -> dict[str, Path]:
    """A bot file of each small model."""
    templates = {"on": ["turn on the lamp", "lamp on"], "off": ["lamp off"], "music": ["play"]}
    paths = {}
    for kind in (*SMALL_MODELS, *CHARACTER_MODELS):
        paths[kind] = tmp_path / f"{kind}.safetensors"
        IntentRecognizer.load(templates, small_models[kind]).save(paths[kind])
    return paths


@pytest.fixture
def bot(core: Core, paths: dict[str, Path]) -> Iterator[CoreBot]:
    with core.open(paths["transformer"]) as bot:
        yield bot


def test_a_library_without_edits_refuses_them(make_once: MakeOnce, paths: dict[str, Path]) -> None:
    def build(path: Path) -> None:
        flags = [] if sys.platform == "win32" else ["-fPIC"]
        compile_c(HOOKS, path, "-O1", "-shared", "-DPINTENT_NO_EDITS", *flags)

    core = Core(make_once("native_core_without_edits.so", build))
    with core.open(paths["static"]) as bot:
        expected = bot.match("lamp on")
        calls: list[Callable[[], object]] = [
            lambda: bot.add_intent("jazz", ["play"]),
            lambda: bot.remove_intent("on"),
            lambda: bot.set_templates({"on": ["lamp"]}),
            lambda: bot.save(paths["static"].with_name("saved.safetensors")),
        ]
        for call in calls:
            with pytest.raises(CoreError, match="without edits") as error:
                call()
            assert error.value.status == "unsupported"
        size = c_size_t()
        put = core.lib.pintent_templates_json
        assert put(bot.bot, None, c_size_t(0), byref(size)) == UNSUPPORTED
        assert put(None, None, c_size_t(0), byref(size)) == ARGUMENT
        assert core.lib.pintent_save_buffer(bot.bot, None, c_size_t(0), byref(size)) == UNSUPPORTED
        assert core.lib.pintent_save_buffer(None, None, c_size_t(0), byref(size)) == ARGUMENT
        assert bot.match("lamp on") == expected
    with core.open_model(paths["static"]) as bot:
        assert bot.match("lamp on")["reason"] == "no_templates"


def test_a_library_without_characters_refuses_networks_over_them(
    make_once: MakeOnce, paths: dict[str, Path]
) -> None:
    def build(path: Path) -> None:
        flags = [] if sys.platform == "win32" else ["-fPIC"]
        compile_c(HOOKS, path, "-O1", "-shared", "-DPINTENT_NO_CHARACTERS", *flags)

    without = Core(make_once("native_core_without_characters.so", build))
    for kind in ("static", "contextual", "transformer"):
        with without.open(paths[kind]) as bot:
            assert bot.match("lamp on")["intent"] == "on"
    for kind in ("words", "text", "combined"):
        with pytest.raises(CoreError, match="without networks over characters") as error:
            without.open(paths[kind])
        assert error.value.status == "unsupported"


def test_a_library_without_files_reads_and_writes_memory(
    make_once: MakeOnce, core: Core, paths: dict[str, Path]
) -> None:
    def build(path: Path) -> None:
        flags = [] if sys.platform == "win32" else ["-fPIC"]
        compile_c(HOOKS, path, "-O1", "-shared", "-DPINTENT_NO_FILES", *flags)

    without = Core(make_once("native_core_without_files.so", build))
    path = paths["static"]
    for call in (without.open, without.open_model):
        with pytest.raises(CoreError, match="without files") as error:
            call(path)
        assert error.value.status == "unsupported"
    data = path.read_bytes()
    with without.open_buffer(data, len(data)) as bot, bot.add_intent("jazz", ["jazz"]) as edited:
        assert bot.match("lamp on")["intent"] == "on"
        with pytest.raises(CoreError, match="without files") as error:
            edited.save(path.with_name("saved.safetensors"))
        assert error.value.status == "unsupported"
        size = c_size_t()
        without.lib.pintent_save_buffer(edited.bot, None, c_size_t(0), byref(size))
        room = ctypes.create_string_buffer(size.value)
        assert without.lib.pintent_save_buffer(edited.bot, room, size, byref(size)) == 0
        with core.open_buffer(room, size.value) as saved:
            found, expected = saved.match("jazz"), edited.match("jazz")
            assert found["intent"] == expected["intent"] == "jazz"
            assert found["score"] == pytest.approx(expected["score"], abs=1e-5)


def test_null_arguments_give_a_status(core: Core, bot: CoreBot) -> None:
    lib, out = core.lib, c_void_p()
    room = ctypes.create_string_buffer(256)
    one, zero, size = c_size_t(1), c_size_t(0), c_size_t()
    assert lib.pintent_open(None, None, byref(out), None) == ARGUMENT
    assert lib.pintent_open(b"x", None, None, None) == ARGUMENT
    assert lib.pintent_open_buffer(None, one, None, byref(out), None) == ARGUMENT
    assert lib.pintent_open(b"x", byref(Allocator()), byref(out), None) == ARGUMENT
    assert lib.pintent_open_model(None, None, byref(out), None) == ARGUMENT
    assert lib.pintent_open_model(b"x", None, None, None) == ARGUMENT
    assert lib.pintent_open_model_buffer(None, one, None, byref(out), None) == ARGUMENT
    assert lib.pintent_scratch_new(None, zero, byref(out)) == ARGUMENT
    assert lib.pintent_scratch_new(bot.bot, zero, None) == ARGUMENT
    for each, scratch in ((None, bot.scratch), (bot.bot, None), (None, None)):
        assert lib.pintent_match_text(each, scratch, b"x", one, room) == ARGUMENT
        assert lib.pintent_rank(each, scratch, b"x", one, one, room, byref(size)) == ARGUMENT
        assert lib.pintent_read(each, scratch, b"x", one, room) == ARGUMENT
        assert lib.pintent_encode(each, scratch, b"x", one, room, one) == ARGUMENT
        json = each, scratch, b"x", one, room, one, byref(size)
        assert lib.pintent_match_json(*json) == ARGUMENT
    assert lib.pintent_match_text(bot.bot, bot.scratch, None, one, room) == ARGUMENT
    assert lib.pintent_match_text(bot.bot, bot.scratch, None, zero, room) == 0
    assert lib.pintent_match_text(bot.bot, bot.scratch, b"x", one, None) == ARGUMENT
    assert lib.pintent_rank(bot.bot, bot.scratch, b"x", one, zero, room, byref(size)) == ARGUMENT
    assert (
        lib.pintent_match_json(bot.bot, bot.scratch, b"x", one, None, one, byref(size)) == ARGUMENT
    )
    assert lib.pintent_encode(bot.bot, bot.scratch, b"x", one, room, one) == SIZE
    add, remove, save = lib.pintent_add_intent, lib.pintent_remove_intent, lib.pintent_save_buffer
    text = Text(None, 1)
    broken = [Addition(text), Addition(Text(), None, 1), Addition(Text(), None, 0, None, 1)]
    broken.append(Addition(Text(), ctypes.addressof(text), 1))
    for addition in broken:
        assert add(bot.bot, byref(addition), byref(out), None) == ARGUMENT
    assert add(None, byref(Addition()), byref(out), None) == ARGUMENT
    assert add(bot.bot, None, byref(out), None) == ARGUMENT
    assert add(bot.bot, byref(Addition()), None, None) == ARGUMENT
    assert remove(None, b"on", c_size_t(2), byref(out), None) == ARGUMENT
    assert remove(bot.bot, None, one, byref(out), None) == ARGUMENT
    assert remove(bot.bot, b"on", c_size_t(2), None, None) == ARGUMENT
    replace = lib.pintent_set_templates
    assert replace(None, b"{}", c_size_t(2), byref(out), None) == ARGUMENT
    assert replace(bot.bot, None, one, byref(out), None) == ARGUMENT
    assert replace(bot.bot, b"{}", c_size_t(2), None, None) == ARGUMENT
    assert replace(bot.bot, None, zero, byref(out), None) == TEMPLATES
    put = lib.pintent_templates_json
    assert put(None, room, one, byref(size)) == put(bot.bot, room, one, None) == ARGUMENT
    assert put(bot.bot, None, one, byref(size)) == ARGUMENT
    assert lib.pintent_save(None, b"x", None) == lib.pintent_save(bot.bot, None, None) == ARGUMENT
    assert save(None, room, one, byref(size)) == save(bot.bot, room, one, None) == ARGUMENT
    assert save(bot.bot, None, one, byref(size)) == ARGUMENT
    lib.pintent_close(None)
    lib.pintent_scratch_free(None)
    assert lib.pintent_num_intents(None) == lib.pintent_dim(None) == 0
    assert lib.pintent_kind(None) == lib.pintent_decision(None) == b""
    assert lib.pintent_intent(bot.bot, c_size_t(99)).data is None


def test_a_scratch_of_another_bot_is_refused(
    core: Core, bot: CoreBot, paths: dict[str, Path]
) -> None:
    room = ctypes.create_string_buffer(256)
    with core.open(paths["static"]) as other:
        status = core.lib.pintent_match_text(bot.bot, other.scratch, b"x", c_size_t(1), room)
        assert status == ARGUMENT


def test_json_that_does_not_fit_says_its_length(core: Core, bot: CoreBot) -> None:
    length, text = c_size_t(), b"lamp on"
    call = core.lib.pintent_match_json
    start = bot.bot, bot.scratch, text, c_size_t(len(text))
    assert call(*start, None, c_size_t(0), byref(length)) == SIZE
    for capacity in (1, length.value // 2, length.value):
        room = ctypes.create_string_buffer(b"\x7f" * length.value, length.value + 8)
        assert call(*start, room, c_size_t(capacity), byref(length)) == SIZE
        assert room.raw[capacity:] == (b"\x7f" * length.value + b"\0" * 8)[capacity:]
    room = ctypes.create_string_buffer(length.value + 1)
    assert call(*start, room, c_size_t(length.value + 1), byref(length)) == 0
    assert len(room.value) == length.value


@pytest.mark.parametrize("kind", [*SMALL_MODELS, *CHARACTER_MODELS])
def test_a_match_allocates_nothing_and_closing_frees_all(
    core: Core, paths: dict[str, Path], kind: str
) -> None:
    memory, bot, scratch = Counted(), c_void_p(), c_void_p()
    lib, path = core.lib, str(paths[kind]).encode()
    assert lib.pintent_open(path, byref(memory.struct), byref(bot), None) == 0
    assert lib.pintent_scratch_new(bot, c_size_t(1 << 20), byref(scratch)) == 0
    calls, room = memory.calls, ctypes.create_string_buffer(1 << 12)
    for text in (b"lamp on", b"swich teh lmap", "ＬＡＭＰ ﷺ 漢字".encode(), b"\xff", b"q " * 5000):
        size = c_size_t(len(text))
        assert lib.pintent_match_text(bot, scratch, text, size, room) == 0
        assert lib.pintent_read(bot, scratch, text, size, room) == 0
    assert memory.calls == calls
    lib.pintent_scratch_free(scratch)
    lib.pintent_close(bot)
    assert not memory.sizes


@pytest.mark.parametrize("kind", ["contextual", "transformer", "words", "attention"])
def test_without_memory_there_is_a_status_and_no_leak(
    core: Core, paths: dict[str, Path], kind: str
) -> None:
    lib, path = core.lib, str(paths[kind]).encode()
    for fails_at in range(100):
        memory, bot, scratch = Counted(fails_at), c_void_p(), c_void_p()
        status = lib.pintent_open(path, byref(memory.struct), byref(bot), None)
        if status == 0:
            status = lib.pintent_scratch_new(bot, c_size_t(0), byref(scratch))
            lib.pintent_scratch_free(scratch)
            lib.pintent_close(bot)
        assert not memory.sizes
        if status == 0:
            assert fails_at > 4
            return
        assert status == MEMORY
    raise AssertionError("opening never ends")


def test_a_buffer_is_read_in_place_and_at_any_address(core: Core, paths: dict[str, Path]) -> None:
    for path in paths.values():
        content = path.read_bytes()
        with core.open(path) as bot:
            expected = bot.match("lamp on")
        for offset in (0, 1, 2, 3):
            room = ctypes.create_string_buffer(len(content) + 8)
            place = ctypes.addressof(room) + offset
            ctypes.memmove(place, content, len(content))
            with core.open_buffer(c_void_p(place), len(content)) as bot:
                assert bot.match("lamp on") == expected
    with pytest.raises(CoreError, match="only 3 bytes"):
        core.open_buffer(b"abc", 3)


def test_bytes_that_are_not_utf8_separate_words(bot: CoreBot) -> None:
    expected = bot.match("lamp on")
    for bad in (b"\xff", b"\xc3", b"\xe2\x82", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\x80"):
        assert bot.match(b"lamp" + bad + b"on" + bad) == expected


@pytest.mark.parametrize("kind", ["contextual", "combined"])
def test_threads_share_a_bot(core: Core, paths: dict[str, Path], kind: str) -> None:
    texts = ["lamp on", "turn off teh lamp", "play", "q q", "ＬＡＭＰ"] * 40
    with core.open(paths[kind]) as first:
        expected = [first.match(text) for text in texts]
        wrong: list[str] = []

        def match_all() -> None:
            each = CoreBot(first.lib, first.bot, 1 << 16)
            found = [each.match(text) for text in texts]
            wrong.extend(text for text, a, b in zip(texts, expected, found, strict=True) if a != b)
            each.lib.pintent_scratch_free(each.scratch)

        threads = [threading.Thread(target=match_all) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


def declared() -> set[str]:
    """The functions that the header declares."""
    code = re.sub(r"/\*.*?\*/", "", HEADER.read_text("utf-8"), flags=re.DOTALL)
    return set(re.findall(r"\b(pintent_\w+)\(", code))


def test_the_interface_stays(core: Core) -> None:
    listed = (CORE / "tests" / "symbols.txt").read_text().split()
    assert sorted(declared()) == listed
    for name in listed:
        assert hasattr(core.lib, name)
    if ctypes.sizeof(c_void_p) == 8:
        sizes = [core.lib.hook_sizes(c_size_t(n)) for n in range(len(STRUCTURES))]
        assert dict(zip(STRUCTURES, sizes, strict=True)) == STRUCTURES
    assert ctypes.sizeof(Text) == core.lib.hook_sizes(c_size_t(0))


def test_the_header_is_short_and_compiles_alone(core: Core, tmp_path: Path) -> None:
    assert len(HEADER.read_text().splitlines()) <= 400
    source = tmp_path / "alone.c"
    source.write_text(f'#include "{HEADER}"\nint main(void) {{ return 0; }}\n')
    compile_c(source, tmp_path / "alone", "-pedantic")


def test_the_instructions_are_those_of_the_processor(bot: CoreBot) -> None:
    flags = Path("/proc/cpuinfo")
    names = set(flags.read_text("utf-8").split()) if flags.exists() else set()
    found = bot.lib.pintent_instructions(bot.bot).decode()
    assert ("avx2" in names) <= (found in ("avx2", "avx512"))
    assert ({"avx512f", "avx512dq", "avx512bw", "avx512vl"} <= names) == (found == "avx512")


def test_the_kept_words_are_those_of_python(core: Core) -> None:
    from pocketintent.runtime.text.correction import KEPT_WORDS
    from pocketintent.runtime.text.languages import NEGATIONS

    header = (CORE / "src" / "kept_words.h").read_text()
    words = re.findall(r'"([\w\']+)",', header)
    assert words == [*sorted(KEPT_WORDS), *sorted(NEGATIONS["en"])]
    assert list(NEGATIONS) == ["en"]


def test_modules_have_one_subject() -> None:
    for path in (CORE / "src").glob("*.c"):
        assert len(path.read_text().splitlines()) <= 300, path.name
        assert path.read_text().startswith("/* "), path.name


def test_versions(core: Core) -> None:
    from pocketintent import __version__

    assert core.lib.pintent_version().decode() == __version__
    core.lib.pintent_status_text.restype = c_char_p
    core.lib.pintent_reason_text.restype = c_char_p
    assert core.lib.pintent_status_text(2) == b"there is no memory"
    assert core.lib.pintent_status_text(99) == b"unknown status"
    assert [core.lib.pintent_reason_text(n) for n in range(6)] == [
        *(b"", b"counter_example", b"below_threshold", b"ambiguous", b"unknown_words"),
        b"no_templates",
    ]
