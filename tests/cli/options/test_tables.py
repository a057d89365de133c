from pathlib import Path

import pytest

from pocketintent.cli.options.tables import MODULES, main, rewrite_tables
from pocketintent.runtime.errors import PocketIntentError

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGES = {
    "training.md": ["StarSpaceSettings", "FinishSettings"],
    "family.md": ["GloveSettings", "Sent2VecSettings"],
    "infersent.md": ["InferSentSettings"],
    "distil.md": ["DistilSettings"],
    "contextual.md": ["ContextualSettings"],
    "multiresolution.md": ["ConvrrSettings"],
    "charemb.md": ["CharEmbSettings"],
    "terms.md": ["TermSettings"],
    "vectors.md": ["WordSettings"],
    "neural.md": ["MaskedLmSettings", "TuningSettings"],
}


@pytest.mark.parametrize("page", PAGES)
def test_the_tables_of_the_docs_are_those_of_the_settings(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    for name in PAGES[page]:
        assert (
            text.count(f"<!-- settings: {name} -->\n| setting | default | allowed | meaning |\n")
            == 1
        )
    # When it fails: python -m pocketintent.cli.options.tables docs/*.md
    assert rewrite_tables(text) == text


def test_every_settings_class_has_a_table() -> None:
    assert sorted(name for names in PAGES.values() for name in names) == sorted(MODULES)


def test_a_row_has_options_default_allowed_values_and_meaning() -> None:
    table = rewrite_tables("<!-- settings: StarSpaceSettings -->\n<!-- end -->\n")
    assert "| `window` | 5 words | at least 1 | context words on each side of a word |" in table
    assert "| `share_sides` | on |  | word mode" in table
    assert "| `max_words` | none |" in table
    assert "| `max_norm` | 1 |" in table
    assert "| `mode` | `word` | `word`, `sentence`, `labelled` |" in table


def test_pages_are_rewritten_in_place_and_the_text_around_a_table_is_kept(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n\n<!-- settings: TermSettings -->\nold\n<!-- end -->\n\nafter\n")
    main([str(page)])
    text = page.read_text()
    assert text.startswith("before\n\n<!-- settings: TermSettings -->\n| setting |")
    assert text.endswith("|\n<!-- end -->\n\nafter\n")
    assert "old" not in text


def test_a_mark_of_an_unknown_class_is_refused() -> None:
    with pytest.raises(PocketIntentError, match="unknown settings class 'NoSettings'"):
        rewrite_tables("<!-- settings: NoSettings -->\n<!-- end -->")
