"""The commands that the pages and the Makefile show are commands, and have these options."""

from pathlib import Path

import pytest

from commands.shown_commands import check_command, shown_commands
from pocketintent.cli.main import build_parser

REPOSITORY = Path(__file__).resolve().parents[2]
PAGES = [
    REPOSITORY / "README.md",
    REPOSITORY / "Makefile",
    *sorted((REPOSITORY / "docs").rglob("*.md")),
    *sorted((REPOSITORY / "sdk" / "pocketintent" / "assets").glob("*.md")),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_the_commands_of_a_page_have_the_options_that_it_shows(page: Path) -> None:
    for program, words in shown_commands(page):
        if not program.endswith("-lab"):
            check_command(build_parser, words)


def test_the_readme_shows_commands() -> None:
    names = {words[0] for _, words in shown_commands(REPOSITORY / "README.md")}
    assert {"match", "build"} <= names
