"""The documentation of the laboratory."""

from pathlib import Path

from commands.settings_checks import check_tables

DOCS = Path(__file__).resolve().parents[1] / "docs"
NUM_TABLES = 8


def test_the_tables_of_the_docs_are_those_of_the_settings() -> None:
    assert check_tables(DOCS) == NUM_TABLES
