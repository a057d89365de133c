"""The commands that the laboratory's pages show are commands, and have these options."""

from pathlib import Path

import pytest

from commands.shown_commands import check_command, shown_commands
from pocketintent.cli.main import build_parser
from pocketintent_lab.cli.main import build_parser as build_lab_parser

LAB = Path(__file__).resolve().parents[2]
PAGES = sorted((LAB / "docs").rglob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(LAB)))
def test_the_commands_of_a_page_have_the_options_that_it_shows(page: Path) -> None:
    for program, words in shown_commands(page):
        check_command(build_lab_parser if program.endswith("-lab") else build_parser, words)


def test_the_pages_show_commands_of_the_laboratory() -> None:
    programs = {program for page in PAGES for program, _ in shown_commands(page)}
    assert programs == {"pocketintent", "pocketintent-lab"}
