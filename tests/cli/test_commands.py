import argparse
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from pocketintent.cli.commands import RENAMED, Command, CommandParser
from pocketintent.cli.main import build_parser, main
from pocketintent.cli.options.settings import read_settings


@pytest.fixture
def parser(monkeypatch: pytest.MonkeyPatch) -> argparse.ArgumentParser:
    """A parser with the command ``greet``, whose module counts its calls."""
    module = types.ModuleType("greeting")
    module.calls = 0  # type: ignore[attr-defined]

    def add_arguments(parser: argparse.ArgumentParser) -> None:
        module.calls += 1  # type: ignore[attr-defined]
        parser.add_argument("name")
        parser.add_argument("--loudly", action="store_true")

    module.__doc__ = (
        "Greet people.\n\nWraps to the width\nof "
        + "the terminal. " * 9
        + "\n\nExamples:\n  greet Ada\n"
    )
    module.add_arguments = add_arguments  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "greeting", module)
    commands = (Command("greet", "greeting", "say hello"), Command("x", "no.such.module", "fail"))
    return CommandParser(prog="prog", command=Command("prog", "pocketintent.cli", "", commands))


def test_a_command_is_filled_once_and_only_when_it_is_chosen(
    parser: argparse.ArgumentParser, capsys: pytest.CaptureFixture[str]
) -> None:
    module = sys.modules["greeting"]
    with pytest.raises(SystemExit):
        parser.parse_args(["--help"])
    assert module.calls == 0
    assert "greet     say hello" in capsys.readouterr().out
    assert parser.parse_args(["greet", "Ada"]).name == "Ada"
    assert parser.parse_args(["greet", "Bob"]).name == "Bob"
    assert module.calls == 1


def test_the_help_of_a_command_comes_from_its_module(
    parser: argparse.ArgumentParser,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    with pytest.raises(SystemExit):
        parser.parse_args(["greet", "--help"])
    text = capsys.readouterr().out
    assert text.startswith("usage: prog greet")
    assert "Greet people. Wraps to the width of the" in text and "examples:\n  greet Ada" in text
    assert max(map(len, text.splitlines())) <= 100


def test_other_distributions_are_looked_up_only_where_they_may_add_commands(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    groups: list[str] = []
    more = SimpleNamespace(load=lambda: (Command("greet", "greeting", "say hello"),))

    def look_up(group: str) -> dict[str, SimpleNamespace]:
        groups.append(group)
        return {"train": more}

    monkeypatch.setattr("pocketintent.cli.commands.installed_plugins", look_up)
    args = build_parser().parse_args(["match", "--templates", "bot.json", "a text"])
    assert args.texts == ["a text"] and not groups
    with pytest.raises(SystemExit):
        build_parser().parse_args(["train", "--help"])
    assert "greet" in capsys.readouterr().out
    assert groups == ["pocketintent.commands"]


def test_an_unknown_option_is_refused_with_the_usage_of_its_command(
    parser: argparse.ArgumentParser,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for option, hint in (("--lodly", "; did you mean --loudly?"), ("--xyz=1", "")):
        with pytest.raises(SystemExit):
            parser.parse_args(["greet", "Ada", option])
        message = capsys.readouterr().err
        assert message.startswith("usage: prog greet")
        assert message.endswith(f"error: unrecognized arguments: {option}{hint}\n")


def _leaves(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """The parsers without subcommands below a parser."""
    if isinstance(parser, CommandParser):
        parser.fill()
    below = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
    if not below:
        yield parser
    for action in below:
        for child in action.choices.values():
            yield from _leaves(child)


def test_every_command_has_a_description_and_runs() -> None:
    names = []
    for parser in _leaves(build_parser()):
        names.append(parser.prog)
        assert parser.description, parser.prog
        assert callable(parser.get_default("run")), parser.prog
    assert len(names) == len(set(names)) > 15


MOST_OPTIONS = 212
"""Options of the whole command, without those of other distributions."""


def test_the_command_has_few_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pocketintent.cli.commands.installed_plugins", lambda group: {})
    actions = [action for parser in _leaves(build_parser()) for action in parser._actions]
    options = [action for action in actions if action.option_strings and action.dest != "help"]
    assert len(options) <= MOST_OPTIONS


@pytest.mark.parametrize("old", RENAMED)
def test_a_command_that_was_renamed_says_what_it_is_now(
    old: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pocketintent.cli.commands.installed_plugins", lambda group: {})
    for more in (["--help"], ["file", "--option", "1"]):
        with pytest.raises(SystemExit, match="2"):
            main([*old.split(), *more])
        printed = capsys.readouterr()
        assert f"`pocketintent {old}` is now `{RENAMED[old]}`" in printed.err
        assert printed.out == ""


@pytest.mark.parametrize(
    "command",
    [
        ["compress"],
        *(
            ["train", method]
            for method in ("starspace", "charemb", "contextual", "distil", "finish", "targets")
        ),
    ],
    ids=" ".join,
)
def test_the_written_settings_of_a_command_are_read_back(
    command: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "settings.toml"
    assert main([*command, "--write-settings", str(path)]) == 0
    args = build_parser().parse_args([*command, "--write-settings", "--settings", str(path)])
    for settings in args.settings_classes:
        assert read_settings(args, settings) == settings()


def test_a_mistyped_command_is_told_what_may_be_meant(capsys: pytest.CaptureFixture[str]) -> None:
    for argv, meant in ((["evalaute"], "evaluate"), (["train", "starspce"], "starspace")):
        with pytest.raises(SystemExit) as end:
            main(argv)
        message = capsys.readouterr().err.splitlines()[-1]
        assert end.value.code == 2 and f"did you mean {meant}?" in message
        assert not any(f" {old}," in message for old in ("combine", "compare", "glove"))
