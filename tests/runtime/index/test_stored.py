from typing import Any

import numpy as np
import pytest

from pocketintent import ModelFileError
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.index.building import Search, index_templates
from pocketintent.runtime.index.indexed_templates import IndexedTemplates
from pocketintent.runtime.index.stored import index_parts, read_index
from pocketintent.runtime.templates.template_set import TemplateSet, parse_templates

TEMPLATES = {
    "on": ["turn on the lights", "xyzzy", "lamp on", "lamp on"],
    "unknown": ["plugh"],
    "off": ["lamp off"],
}


@pytest.fixture
def templates() -> TemplateSet:
    return parse_templates(TEMPLATES)


def _read(
    indexed: IndexedTemplates, templates: TemplateSet, search: Search = "table", **changes: Any
) -> IndexedTemplates:
    """The index after a round trip, with other settings or tensors; None leaves one out."""
    settings, tensors = index_parts(templates, indexed)
    for name, value in changes.items():
        part: dict[str, Any] = settings if name in ("rows", "max_error") else tensors
        part[name] = value
        if value is None:
            del part[name]
    return read_index(templates, search, 32, settings, tensors)


@pytest.mark.parametrize("search", ["table", "exact"])
def test_an_index_is_read_as_it_was(
    tiny_encoder: StaticEncoder, templates: TemplateSet, search: Search
) -> None:
    indexed = index_templates(tiny_encoder, templates, search)
    again = _read(indexed, templates, search)

    assert (
        (again.names, again.texts)
        == (indexed.names, indexed.texts)
        == (
            ("on", "off"),
            ("turn on the lights", "lamp on", "lamp on", "lamp off"),
        )
    )
    assert again.max_error == indexed.max_error
    for name, intent in indexed.intents.items():
        assert again.intents[name].error == intent.error
        assert np.array_equal(again.intents[name].rows, intent.rows)
    query = tiny_encoder.encode("the lamp")
    assert np.array_equal(again.scores(query), indexed.scores(query))


@pytest.mark.parametrize("search", ["table", "exact"])
def test_an_index_without_rows_is_read(tiny_encoder: StaticEncoder, search: Search) -> None:
    for templates in (TemplateSet(), parse_templates({"unknown": ["xyzzy"]})):
        again = _read(index_templates(tiny_encoder, templates, search), templates, search)

        assert (again.names, again.texts) == ((), ())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"known": None}, r"known of the index is missing; it must be uint8 \[6\]"),
        ({"known": np.ones(5, np.uint8)}, r"is uint8 \[5\]; it must be uint8 \[6\]"),
        ({"known": np.ones(6, np.uint8)}, "the index has 6 rows; 9 are expected"),
        ({"known": np.zeros(6, np.uint8)}, "the index has 6 rows; 0 are expected"),
        (
            {"errors": np.zeros(3, np.float32)},
            r"errors of the index is float32 \[3\]; it must be float32 \[2\]",
        ),
        (
            {"errors": np.zeros(2)},
            r"errors of the index is float64 \[2\]; it must be float32 \[2\]",
        ),
        ({"rows": None}, "the index has 0 rows; 6 are expected"),
        ({"rows": [1]}, r"the index has \[1\] as rows; an object is expected"),
        ({"rows": {"num": 6, "dim": 32}}, "rows.embedding is missing"),
        ({"max_error": -1}, "max_error of the index is -1; it must be a number from 0"),
        ({"max_error": "much"}, "max_error of the index is 'much'"),
    ],
)
def test_parts_that_do_not_fit_are_refused(
    tiny_encoder: StaticEncoder, templates: TemplateSet, changes: Any, message: str
) -> None:
    indexed = index_templates(tiny_encoder, templates, "table")

    with pytest.raises(ModelFileError, match=message):
        _read(indexed, templates, **changes)


def test_rows_of_the_other_search_and_of_another_size_are_refused(
    tiny_encoder: StaticEncoder, templates: TemplateSet
) -> None:
    table = index_templates(tiny_encoder, templates, "table")
    exact = index_templates(tiny_encoder, templates, "exact")
    settings, tensors = index_parts(templates, exact)

    with pytest.raises(ModelFileError, match="do not fit the search 'exact'"):
        _read(table, templates, "exact")
    with pytest.raises(ModelFileError, match="do not fit the search 'table'"):
        _read(exact, templates, "table")
    with pytest.raises(ModelFileError, match="has 32 dimensions, but the model has 64"):
        read_index(templates, "exact", 64, settings, tensors)
    tensors["rows.embedding"] = tensors["rows.embedding"] * np.float32(2)
    with pytest.raises(ModelFileError, match="not of unit length"):
        read_index(templates, "exact", 32, settings, tensors)
