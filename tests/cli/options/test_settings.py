import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

from commands.settings_files import settings_file
from pocketintent.cli.commands import Command, CommandParser
from pocketintent.cli.options.settings import (
    add_settings,
    given_settings,
    read_settings,
    render_settings,
)
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.settings import Settings as Base
from pocketintent.settings import setting


@dataclass(frozen=True)
class Settings(Base):
    mode: Literal["word", "text"] = setting("word", "`word` or `text`")
    rate: float = setting(1e-8, "50% of it", above=0)
    max_words: int | None = setting(None, "a limit", least=1, unit="words")
    shared: bool = setting(True, "a switch")


@dataclass(frozen=True)
class More(Base):
    width: int = setting(3, "a width", least=1, most=9)


def parser(*options: str) -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(prog="train")
    add_settings(result, Settings, options=options or None)
    add_settings(result, More, options=())
    result.set_defaults(parser=result)
    return result


def test_without_options_and_file_the_settings_have_their_defaults() -> None:
    args = parser().parse_args([])
    assert read_settings(args, Settings) == Settings()
    assert given_settings(args, Settings) == {}


def test_options_are_read_by_their_types() -> None:
    words = ["--mode", "text", "--rate", "2", "--max-words", "3", "--no-shared"]
    settings = read_settings(parser().parse_args(words), Settings)
    assert settings == Settings("text", 2.0, 3, False)


def test_only_the_named_fields_have_an_option() -> None:
    with pytest.raises(SystemExit):
        parser("rate").parse_args(["--mode", "text"])
    assert read_settings(parser("rate").parse_args(["--rate", "2"]), Settings) == Settings(rate=2)


def test_an_option_wins_over_the_file_and_the_file_over_a_preset() -> None:
    file = settings_file(mode="text", rate=2, max_words=7, width=4)
    args = parser().parse_args([*file, "--max-words", "3"])
    args.preset_values = lambda _: {"rate": 9.0, "shared": False}
    settings = read_settings(args, Settings)
    assert settings == Settings("text", 2.0, 3, False)
    assert isinstance(settings.rate, float)
    assert read_settings(args, More) == More(4)


@pytest.mark.parametrize("words", [["--mode", "letter"], ["--max-words", "x"], ["--rotate"]])
def test_other_words_are_refused(words: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parser().parse_args(words)
    assert caught.value.code == 2


def test_the_help_has_the_meaning_and_the_default() -> None:
    text = parser().format_help()
    for words in ("50% of it (1e-8)", "a limit (none)", "a switch (on)", "`text` (word)"):
        assert words in text


def test_the_written_file_has_every_setting_and_reads_as_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "settings.toml"
    for words in (["--write-settings"], ["--write-settings", str(path)]):
        args = parser().parse_args([*words, "--rate", "0.25", "--max-words", "8"])
        assert args.run(args) == 0
    text = path.read_text()
    assert text == capsys.readouterr().out
    assert text.startswith("# Settings of `train`.\n\n# `word` or `text` (one of word, text)\n")
    assert "# a limit (in words; at least 1)\nmax_words = 8\n" in text
    args = parser().parse_args(["--settings", str(path)])
    assert read_settings(args, Settings) == Settings(rate=0.25, max_words=8)
    assert given_settings(args, More) == {"width": 3}


def test_a_setting_without_a_value_is_a_comment() -> None:
    assert "\n# max_words = …" in render_settings(Settings())


def test_settings_are_written_without_the_other_arguments_of_a_command() -> None:
    result = parser()
    result.add_argument("corpus")
    result.add_argument("--out", required=True)
    args = result.parse_args(["--write-settings"])
    assert args.run(args) == 0


BAD_FILES = [
    ("rate = 1\nmax_word = 3\n", "line 2: unknown key 'max_word'; did you mean 'max_words'?"),
    ("zzz = 1", "line 1: unknown key 'zzz'; known keys: mode, rate, max_words, shared, width"),
    ("\n\n[rate]\nx = 1", "line 3: rate must be a number"),
    ('mode = "letter"', "line 1: mode must be one of word, text, not 'letter'"),
    ("mode = true", "line 1: mode must be one of word, text, not True"),
    ("# a note\nwidth = 10", "line 2: width must be at least 1 and at most 9, not 10"),
    ("width = 1.5", "line 1: width must be a whole number, not 1.5"),
    ("width = true", "line 1: width must be a number, not True"),
    ("shared = 1", "line 1: shared must be true or false, not 1"),
    (f"rate = {10**400}", "line 1: rate must be at most 2147483647, not a number of more"),
    ("rate = nan", "line 1: rate must be a finite number"),
    ("rate = ", "not valid TOML: Invalid value"),
    (b"\xff", "not UTF-8 at byte 0"),
]


@pytest.mark.parametrize(("content", "message"), BAD_FILES, ids=lambda part: repr(part)[:30])
def test_a_bad_file_is_refused_by_name_and_line(
    content: str | bytes, message: str, tmp_path: Path
) -> None:
    path = tmp_path / "settings.toml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    args = parser().parse_args(["--settings", str(path)])
    with pytest.raises(PocketIntentError) as caught:
        read_settings(args, Settings)
    assert str(caught.value).startswith(f"{path}")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("option", "advice"),
    [
        ("--no-shared", "write `shared = false` into FILE.toml"),
        ("--max-words=3", "write `max_words = …` into FILE.toml"),
        ("--rat", "did you mean --rate?"),
    ],
)
def test_an_option_that_is_a_setting_of_a_file_says_so(
    option: str, advice: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Module:
        @staticmethod
        def add_arguments(parser: Any) -> None:
            add_settings(parser, Settings, options=("rate", "mode"))
            parser.allow_abbrev = False

    monkeypatch.setattr("pocketintent.cli.commands.import_module", lambda name: Module)
    command = Command("prog", "prog", "", (Command("train", "module", ""),))
    root = CommandParser(prog="prog", command=command)
    with pytest.raises(SystemExit):
        root.parse_args(["train", option])
    assert advice in capsys.readouterr().err
