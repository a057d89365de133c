from pathlib import Path

import pytest

from commands.settings_checks import check_tables
from commands.settings_tables import main, rewrite_tables
from pocketintent.runtime.errors import PocketIntentError

DOCS = Path(__file__).resolve().parents[1] / "docs"
NUM_TABLES = 6
MARK = "<!-- settings: pocketintent.training.starspace.settings.StarSpaceSettings -->"


def test_the_tables_of_the_docs_are_those_of_the_settings() -> None:
    assert check_tables(DOCS) == NUM_TABLES


def test_a_row_has_options_default_allowed_values_and_meaning() -> None:
    table = rewrite_tables(f"{MARK}\n<!-- end -->\n")
    assert "| `window` | 5 words | at least 1 | context words on each side of a word |" in table
    assert "| `share_sides` | on |  | word mode" in table
    assert "| `max_words` | none |" in table
    assert "| `max_norm` | 1 |" in table
    assert "| `mode` | `word` | `word`, `sentence`, `labelled` |" in table


def test_pages_are_rewritten_in_place_and_the_text_around_a_table_is_kept(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"before\n\n{MARK}\nold\n<!-- end -->\n\nafter\n")
    main([str(page)])
    text = page.read_text()
    assert text.startswith(f"before\n\n{MARK}\n| setting |")
    assert text.endswith("|\n<!-- end -->\n\nafter\n")
    assert "old" not in text


@pytest.mark.parametrize("name", ["no_module.Settings", "pocketintent.settings.NoSettings"])
def test_a_mark_of_an_unknown_class_is_refused(name: str) -> None:
    with pytest.raises(PocketIntentError, match=f"no settings class {name}: "):
        rewrite_tables(f"<!-- settings: {name} -->\n<!-- end -->")
