"""The commands that pages show, and whether they have the options that they are shown with."""

import argparse
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from pocketintent.cli.commands import CommandParser

Build = Callable[[], argparse.ArgumentParser]
_NAME = r"(?:pocketintent(?:-lab)?|\$\(POCKETINTENT\))"
_COMMAND = re.compile(rf"(?<!from)(?:^|[ `\t])({_NAME}) ([a-z][^`|<>;#]*)")


def shown_commands(page: Path) -> Iterator[tuple[str, list[str]]]:
    """The commands in code blocks, spans of code and recipes: the program, and the words after."""
    text = page.read_text("utf-8").replace("\\\n", " ")
    code = re.findall(r"^(?: {4}|\t).*$|`pocketintent(?:-lab)? [^`\n]+`", text, re.MULTILINE)
    for line in code:
        for match in _COMMAND.finditer(line):
            yield match.group(1), match.group(2).split()


def check_command(build_parser: Build, words: list[str]) -> None:
    """Assert that the words after a program's name are a command, with options that it has."""
    parser, rest = _find_parser(build_parser(), words)
    if "…" in rest[:1]:  # any of several commands
        return
    options = {word.partition("=")[0] for word in rest if re.match(r"--[a-z]", word)}
    assert options <= set(parser._option_string_actions), " ".join(words)


def _find_parser(
    parser: argparse.ArgumentParser, words: list[str]
) -> tuple[argparse.ArgumentParser, list[str]]:
    """The parser of a command, and the words after its name."""
    while True:
        if isinstance(parser, CommandParser):
            parser.fill()
        below = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
        if not below or not words or words[0] not in below[0].choices:
            assert not below or not words or not words[0][0].islower(), " ".join(words)
            return parser, words
        parser, words = below[0].choices[words[0]], words[1:]
