"""What is wrong is said by an exception of the right class, and the recogniser stays as it was."""

import json
from pathlib import Path
from typing import Any

import pytest

from jvm_library import Library


@pytest.fixture
def files(tmp_path: Path, lamp_path: Path, exportable_models: dict[str, Path]) -> dict[str, Path]:
    """Files that are no bot, by what is wrong with them."""
    content = lamp_path.read_bytes()
    contents = {
        "cut": content[:-9],
        "altered": content[:-1] + bytes([content[-1] ^ 1]),
        "empty": b"",
        "text": b"turn on the lamp",
        "new": content.replace(rb"format_version\":1", rb"format_version\":9"),
    }
    assert contents["new"] != content
    paths = {name: tmp_path / f"{name}.safetensors" for name in contents}
    for name, data in contents.items():
        paths[name].write_bytes(data)
    return paths | {"model": exportable_models["static"]}


def test_files_that_are_no_bot(library: Library, files: dict[str, Path]) -> None:
    ways = ("open", "open_array", "open_part", "open_mapped")
    asked = [(way, path) for path in files.values() for way in ways]
    asked.remove(("open_mapped", files["empty"]))  # Java maps no empty file
    for request, answer in zip(asked, library.answer(asked), strict=True):
        assert answer["error"] == "ModelFileException", request
        assert len(answer["message"]) > 10


def test_files_that_cannot_be_read(library: Library, tmp_path: Path) -> None:
    missing = tmp_path / "missing 🙂.safetensors"
    answers = library.answer(
        [("open", missing), ("open", tmp_path), ("open", ""), ("from_templates", missing, "{}")]
    )
    assert [answer["error"] for answer in answers] == ["LoadException"] * 4
    assert missing.name in answers[0]["message"]


def test_a_path_with_nul_is_none(library: Library, lamp_path: Path) -> None:
    answers = library.answer(
        [("open", f"{lamp_path}\0"), ("open", lamp_path), ("save", f"{lamp_path}\0x")]
    )
    assert answers[0]["error"] == answers[2]["error"] == "LoadException"


EDITS: dict[str, tuple[Any, ...]] = {
    "a name of no visible character": ("add", "\u200b", "", "1", "text"),
    "a new intent without templates": ("add", "new", "", "0"),
    "a blank template": ("add", "new", "", "2", "text", " "),
    "a threshold of 3": ("add", "on", "3.0", "0"),
    "no number": ("add", "on", "NaN", "0"),
    "half a pair in a template": ("add", "on", "", "1", "lamp \ud800"),
    "half a pair in a name": ("add", "\udc00", "", "1", "lamp"),
    "an intent that is not there": ("remove", "missing"),
    "no JSON": ("set", "{"),
    "half a pair in JSON": ("set", '{"on": ["lamp \ud800"]}'),
    "a list": ("set", "[]"),
    "an unknown key": ("set", '{"intents": {}, "treshold": 1}'),
}


def test_edits_that_break_the_format(library: Library, lamp_path: Path) -> None:
    asked = [("match", "lamp off"), ("facts",), ("templates",)]
    edits = [request for edit in EDITS.values() for request in (edit, *asked)]
    _, *answers = library.answer([("open", lamp_path), *asked, *edits])
    before, answers = answers[:3], answers[3:]
    for number, what in enumerate(EDITS):
        answer, *after = answers[4 * number : 4 * number + 4]
        assert answer["error"] == "TemplateException", what
        assert len(answer["message"]) > 5
        assert after == before


def test_a_message_is_whole_in_any_script(library: Library, lamp_path: Path) -> None:
    name = "🙂é漢" * 100
    answers = library.answer([("open", lamp_path), ("remove", "🙂é漢"), ("remove", name)])
    assert "🙂é漢" in answers[1]["message"]
    assert "\ufffd" not in answers[2]["message"]


def test_a_bot_is_saved_into_no_missing_folder(
    library: Library, lamp_path: Path, tmp_path: Path
) -> None:
    missing = tmp_path / "missing" / "bot.safetensors"
    answers = library.answer([("open", lamp_path), ("save", missing), ("match", "lamp off")])
    assert answers[1]["error"] == "LoadException"
    assert answers[2]["nearest"] == "off"


def test_nothing_is_done_after_close(library: Library, lamp_path: Path, tmp_path: Path) -> None:
    calls: list[tuple[Any, ...]] = [
        *(("match", "lamp"), ("rank", "lamp", "1"), ("read", "lamp"), ("encode", "lamp")),
        *(("facts",), ("templates",), ("add", "x", "", "1", "x"), ("remove", "on")),
        *(("set", json.dumps({"x": ["x"]})), ("save", tmp_path / "x"), ("save_bytes", tmp_path)),
    ]
    answers = library.answer([("open", lamp_path), ("close",), *calls, ("close",)])
    assert answers[:2] == [None, None]
    assert [answer["error"] for answer in answers[2:-1]] == ["ClosedException"] * len(calls)
    assert answers[-1] is None


def test_a_ranking_has_at_least_one_place(library: Library, lamp_path: Path) -> None:
    answers = library.answer([("open", lamp_path), *(("rank", "lamp", n) for n in (0, -1))])
    assert [answer["error"] for answer in answers[1:]] == ["IllegalArgumentException"] * 2
