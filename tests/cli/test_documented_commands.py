"""The commands that the pages and the Makefile show are commands, and have these options."""

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pocketintent.cli.commands import CommandParser
from pocketintent.cli.main import build_parser

REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = [
    REPOSITORY / "README.md",
    REPOSITORY / "Makefile",
    *sorted((REPOSITORY / "docs").rglob("*.md")),
    *sorted((REPOSITORY / "sdk" / "pocketintent" / "assets").glob("*.md")),
]
_COMMAND = re.compile(r"(?<!from)(?:^|[ `\t])(?:pocketintent|\$\(POCKETINTENT\)) ([a-z][^`|<>;#]*)")


def shown_commands(page: Path) -> Iterator[list[str]]:
    """The words after ``pocketintent`` in code blocks, spans of code and recipes."""
    text = page.read_text("utf-8").replace("\\\n", " ")
    code = re.findall(r"^(?: {4}|\t).*$|`pocketintent [^`\n]+`", text, re.MULTILINE)
    for line in code:
        for match in _COMMAND.finditer(line):
            yield match.group(1).split()


def find_parser(words: list[str]) -> tuple[argparse.ArgumentParser, list[str]]:
    """The parser of a command, and the words after its name."""
    parser: argparse.ArgumentParser = build_parser()
    while True:
        if isinstance(parser, CommandParser):
            assert not parser.renamed, " ".join(words)
            parser.fill()
        below = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
        if not below or not words or words[0] not in below[0].choices:
            assert not below or not words or not words[0][0].islower(), " ".join(words)
            return parser, words
        parser, words = below[0].choices[words[0]], words[1:]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_the_commands_of_a_page_have_the_options_that_it_shows(page: Path) -> None:
    for command in shown_commands(page):
        parser, words = find_parser(command)
        if "…" in words[:1]:  # any of several commands
            continue
        options = {word.partition("=")[0] for word in words if re.match(r"--[a-z]", word)}
        assert options <= set(parser._option_string_actions), " ".join(command)


def test_the_readme_shows_commands() -> None:
    names = {command[0] for command in shown_commands(REPOSITORY / "README.md")}
    assert {"match", "build"} <= names
