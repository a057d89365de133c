"""A template set that Python refuses is refused by the core, for the same reason."""

import ctypes
import json
import random
import re
from collections.abc import Callable, Iterator
from ctypes import byref, c_size_t, c_void_p
from pathlib import Path
from typing import Any

import pytest

from native_core import DEFAULT_CACHE, Core, CoreBot
from native_interface import CoreError, Counted
from pocketintent import TemplateError
from pocketintent.runtime.templates.files import read_json
from pocketintent.runtime.templates.template_set import parse_templates

WRONG: tuple[Any, ...] = (
    *([], "a text", 3, None, True, [{"on": ["lamp on"]}]),
    *({"intents": {"on": []}}, {"intents": {"on": {}}}, {"intents": {"on": {"templates": None}}}),
    *({"intents": {"on": "lamp"}}, {"intents": {"on": {"templates": "lamp"}}}),
    *({"intents": {"on": {"templates": []}}}, {"intents": {"on": {"templates": ["a", 3]}}}),
    *({"intents": {"on": {"templates": ["a", None]}}}, {"intents": {"": {"templates": ["a"]}}}),
    *({"intents": {"on": {"templates": ["a", "\u200b"]}}}, {"intents": {" \u2028": 3}}),
    {"intents": {"on": {"templates": ["a", ["b"]]}}},
    {"intents": {"on": {"templates": [{"text": "a"}]}}},
    {"intents": {"on": {"templates": ["a"], "except": None}}},
    {"intents": {"on": {"templates": ["a"], "except": ["b", " "]}}},
    {"intents": {"on": {"templates": ["a"], "except": [True]}}},
    {"intents": {"on": {"templates": ["a"], "threshold": "0.5"}}},
    {"intents": {"on": {"templates": ["a"], "threshold": None}}},
    {"intents": {"on": {"templates": ["a"], "threshold": 1.5}}},
    {"intents": {"on": {"templates": ["a"], "threshold": -2}}},
    {"intents": {"on": {"templates": ["a"], "threshold": True}}},
    {"intents": {"on": {"templates": ["a"], "q": 1}}},
    {"intents": {"on": {"templates": ["a"]}, "off": {"templates": [""]}}},
    *({"intents": {}, "threshold": 1.01}, {"intents": {}, "margin": -0.1}, {"intents": {}, "q": 0}),
    *({"intents": {}, "margin": 2.5}, {"intents": {}, "margin": [1]}, {"intents": {}, "": 1}),
    *({"intents": {}, "learn_names": 1}, {"intents": {}, "learn_names": None}),
    *({"intents": {}, "language": ""}, {"intents": {}, "$schema": 3}, {"intents": {}, "none": "a"}),
    *({"intents": {}, "none": ["a", ""]}, {"intents": {}, "background": [3]}),
    *({"intents": {}, "background": {"a": 1}}, {"intents": {}, "none": None}),
    *({"intents": [], "threshold": 0.5}, {"intents": "a"}, {"threshold": 0.5}, {"none": {}}),
    *({"on": []}, {"on": "lamp"}, {"on": None}, {"on": [3]}, {"on": ["a", " "]}, {"": ["a"]}),
    *({"on": {"templates": ["a"]}}, {"on": [{"text": 3}]}, {"on": [{"text": "a"}, {}]}),
    *({"on": [{"text": "a", "lang": "en"}]}, {"on": [{"text": " "}]}, {"$schema": "", "on": ["a"]}),
    *({"on": ["a", ["b"]]}, {"$schema": 1}, {"on": ["a"], "\u200b": ["b"]}),
    {"learn_names": 1, "intents": {"": 3}, "none": 4, "q": 5, "threshold": 7},
    {"none": 4, "intents": {"on": {"except": 1, "threshold": 9, "templates": 3}}},
)
NOT_JSON: tuple[bytes, ...] = (
    *(b"", b" \n\t", b"\xef\xbb\xbf", b"{", b'{"on"', b'{"on": ["a"', b'{"on": ["a"]} x', b"nul"),
    *(
        b'{"on": ["a",]}',
        b'{"on": ["a"],}',
        b"{'on': ['a']}",
        b'{"on" ["a"]}',
        b'{"on": ["a" "b"]}',
    ),
    *(b'{"on": ["\x01"]}', b'{"on": ["\\x"]}', b'{"on": ["\\ud800"]}', b'{"on": ["\\u12g4"]}'),
    *(b'{"on": [NaN]}', b'{"on": [01]}', b'{"on": [1.]}', b'{"on": [-]}', b'{"on" [1]}', b"+1"),
    *(b'{"on":\n ["a"],\n  "off" ["b"]}', b'{"\xc3\xa4": ["a"], x}', b'{"on": ["a"]}\n}'),
    *(b"[" * 40, b'{"a":' * 30, b'{"on": ["a\nb"]}', b"lights_on,turn on", b"on:\n - a"),
)
REPEATED: tuple[bytes, ...] = (
    b'{"on": ["a"], "on": ["b"]}',
    b'{"on": ["a"], "on": ["a"], "a": [1], "a": 2}',
    b'{"intents": {"z": {"templates": ["a"]}, "a": 1, "a": 2, "z": 3}}',
    b'{"intents": {"on": {"templates": ["a"], "templates": ["b"]}, "on": 1}}',
    b'{"on": [{"text": "a", "text": "b"}]}',
)


@pytest.fixture
def lamp(core: Core, lamp_path: Path) -> Iterator[CoreBot]:
    with core.open(lamp_path) as bot:
        yield bot


def reason_of_core(bot: CoreBot, data: bytes) -> str | None:
    """Why the core refuses a set, without the word before it; None if it takes it."""
    try:
        bot.set_templates(data).close()
    except CoreError as error:
        assert error.status == "templates", error
        assert error.message.startswith("templates: ")
        return error.message.removeprefix("templates: ")
    return None


def reason_of_python(data: bytes, path: Path) -> str | None:
    """Why Python refuses a file with the set."""
    path.write_bytes(data)
    try:
        parse_templates(read_json(path), str(path))
    except TemplateError as error:
        return str(error).removeprefix(str(path)).removeprefix(":").strip()
    return None


def plain(reason: str) -> str:
    """A reason without what the two say in their own ways.

    These are how many problems there are, what was meant by a key, and names that are invisible.
    """
    reason = re.sub(r" \(problems in all.*", "", reason).removeprefix("the text ")
    reason = re.sub(r"intent '[^']*': the name", "intent: the name", reason)
    return re.sub(r"; (did you mean|known keys).*", "", reason)


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: json.dumps(wrong)[:60])
def test_a_set_that_breaks_the_format_is_refused_for_the_reason_of_python(
    lamp: CoreBot, tmp_path: Path, wrong: Any
) -> None:
    data = json.dumps(wrong).encode()
    before = lamp.to_bytes()
    expected = reason_of_python(data, tmp_path / "set.json")
    found = reason_of_core(lamp, data)
    assert expected is not None and found is not None
    assert plain(found) == plain(expected)
    assert lamp.to_bytes() == before


@pytest.mark.parametrize("data", NOT_JSON, ids=str)
def test_json_that_cannot_be_read_names_the_line_of_python(
    lamp: CoreBot, tmp_path: Path, data: bytes
) -> None:
    expected = reason_of_python(data, tmp_path / "set.json")
    found = reason_of_core(lamp, data)
    assert expected is not None and found is not None
    if line := re.search(r"line (\d+)", expected):
        assert f"line {line[1]}, column " in found
    else:
        assert "empty" in expected or "looks like" in expected
        assert ("empty" in found) == ("empty" in expected)


def test_a_column_counts_characters(lamp: CoreBot) -> None:
    places = {
        '{"on": ["a"],\n "öff": ["b" "c"]}': (2, 14),
        '{"on": ["ä" 3]}': (1, 13),
        '{"on": [nil]}': (1, 9),
        '{"on": ["a"]} 3': (1, 15),
        '\ufeff{"on": [1.x]}': (1, 11),
        '{"on": ["a"],\r\n\r\n off: 3}': (3, 2),
        "[" * 17: (1, 17),
    }
    for text, (line, column) in places.items():
        with pytest.raises(CoreError, match=f"not JSON at line {line}, column {column}: "):
            lamp.set_templates(text.encode())


@pytest.mark.parametrize("data", REPEATED, ids=str)
def test_a_repeated_key_is_named(lamp: CoreBot, tmp_path: Path, data: bytes) -> None:
    assert reason_of_core(lamp, data) == reason_of_python(data, tmp_path / "set.json")


def test_a_line_that_is_not_utf8_is_named(lamp: CoreBot, tmp_path: Path) -> None:
    for data in (b"\xff", b'{"on":\n["a\xc3"]}', b'{"on": ["\xed\xa0\x80"]}', b'\n\n{"\xf4\x90'):
        found = reason_of_core(lamp, data)
        assert found == reason_of_python(data, tmp_path / "set.json")
        assert found is not None and "is not UTF-8" in found


def test_a_long_name_is_cut_between_characters(lamp: CoreBot) -> None:
    for length in range(70, 90):
        name = "a" * (length % 3) + "ä" * length
        with pytest.raises(CoreError, match=r"templates: intent 'a{0,2}ä+' has no templates;"):
            lamp.set_templates({name: []})
        with pytest.raises(CoreError, match=r"templates: intent 'a{0,2}ä+': unknown key '漢+';"):
            lamp.set_templates({"intents": {name: {"漢" * length: 1}}})


def mutated(rng: random.Random, value: Any) -> Any:
    """A value with one of its parts replaced, removed or moved to another key."""
    odd = [None, True, 0, -0.5, 2, "", " ", "a", [], ["b"], {}, {"text": "c"}, {"templates": ["d"]}]
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key = rng.choice(list(value))
        part = value[key]
        rest = {k: v for k, v in value.items() if k != key or rng.random() < 0.7}
        keys = ["intents", "none", "threshold", "margin", "on", "text", "templates", "except", ""]
        return rest | {rng.choice(keys) if rng.random() < 0.2 else key: mutated(rng, part)}
    if isinstance(value, list) and value and rng.random() < 0.7:
        place = rng.randrange(len(value))
        return [*value[:place], mutated(rng, value[place]), *value[place + 1 :]]
    return rng.choice(odd)


def test_sets_by_chance_are_refused_by_both_or_by_none(lamp: CoreBot, tmp_path: Path) -> None:
    rng = random.Random(5)
    starts: list[Any] = [
        {"on": ["lamp on", "on"], "off": ["off"]},
        {"on": [{"text": "lamp on"}], "off": [{"text": "off"}]},
        {
            "language": "en",
            "threshold": 0.4,
            "margin": 0.1,
            "learn_names": False,
            "intents": {
                "on": {"templates": ["lamp on"], "except": ["who is on"], "threshold": 0.3},
                "off": {"templates": ["off", "lamp off"]},
            },
            "none": ["never mind"],
            "background": ["hello"],
        },
    ]
    taken = refused = 0
    for number in range(900):
        value = mutated(rng, rng.choice(starts))
        value = mutated(rng, value) if number % 3 == 0 else value
        data = bytearray(json.dumps(value, indent=rng.choice([None, 1])).encode())
        if number % 4 == 0 and data:
            data[rng.randrange(len(data))] = rng.choice(b'",:{}[]1a\\ \n\xc3')
        expected = reason_of_python(bytes(data), tmp_path / "set.json")
        found = reason_of_core(lamp, bytes(data))
        assert (expected is None) == (found is None), (bytes(data), expected, found)
        taken, refused = taken + (found is None), refused + (found is not None)
        is_json = expected is not None and not re.match("not JSON|looks like", expected)
        if is_json and expected is not None and found is not None:
            assert plain(found) == plain(expected), bytes(data)
    assert taken > 50 and refused > 300


def test_missing_memory_is_a_status_and_leaves_the_bot(core: Core, lamp_path: Path) -> None:
    lib, content = core.lib, lamp_path.read_bytes()
    data, size = ctypes.create_string_buffer(content, len(content)), c_size_t(len(content))
    form = json.dumps({"intents": {"on": {"templates": ["lamp on"], "except": ["don't \\n"]}}})

    def try_all(memory: Counted) -> list[str]:
        bot, statuses = c_void_p(), list[str]()
        status = lib.pintent_open_model_buffer(data, size, byref(memory.struct), byref(bot), None)
        if status:
            assert status == 2 and bot.value is None and not memory.sizes
            return ["memory"]
        with memory.paused():
            each = CoreBot(lib, bot, DEFAULT_CACHE)
            old = each.set_templates({"on": ["lamp on", "on"], "jazz": ["play"]})
            expected = old.match("lamp on")
        calls: list[Callable[[], CoreBot]] = [
            lambda: each.set_templates(form.encode()),
            lambda: old.set_templates(form.encode()),
            lambda: old.add_intent("jazz", [], 0.4),
        ]
        for call in calls:
            try:
                call().close()
                statuses.append("ok")
            except CoreError as error:
                statuses.append(error.status)
        assert old.match("lamp on") == expected
        each.close()
        old.close()
        assert not memory.sizes
        return statuses

    memory = Counted()
    assert try_all(memory) == ["ok"] * 3
    failed = [try_all(Counted(fails_at=call)) for call in range(memory.calls)]
    assert all(statuses.count("memory") <= 1 for statuses in failed)
    assert {"ok", "memory"} == {status for statuses in failed for status in statuses}
    assert sum("memory" in statuses for statuses in failed) > len(failed) // 2
