"""The documentation: its imports, its links and the paths that it names resolve."""

import ast
import importlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import pocketintent
from pocketintent import IntentRecognizer

REPOSITORY = Path(__file__).resolve().parent.parent
PAGES = [
    REPOSITORY / "README.md",
    REPOSITORY / "CONTRIBUTING.md",
    REPOSITORY / "CHANGELOG.md",
    *sorted((REPOSITORY / "docs").rglob("*.md")),
    *sorted((REPOSITORY / "lab" / "docs").rglob("*.md")),
    *sorted((REPOSITORY / "sdk" / "pocketintent" / "assets").glob("*.md")),
]


def page_id(path: Path) -> str:
    return str(path.relative_to(REPOSITORY))


def imports(page: Path) -> Iterator[tuple[str, str | None]]:
    """The modules and names that the code of a page imports from this package."""
    text = page.read_text("utf-8")
    for statement in re.findall(
        r"^\s*((?:from|import) pocketintent\w*(?:[.\w]*) ?(?:import (?:\([^)]*\)|[^\n#]*))?)",
        text,
        re.MULTILINE,
    ):
        for node in ast.walk(ast.parse(statement)):
            if isinstance(node, ast.ImportFrom):
                assert node.module is not None
                yield from ((node.module, alias.name) for alias in node.names)
            elif isinstance(node, ast.Import):
                yield from ((alias.name, None) for alias in node.names)


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_import_of_a_page_resolves(page: Path, request: pytest.FixtureRequest) -> None:
    for module, name in imports(page):
        if module == "pocketintent_native":
            request.getfixturevalue("native")
        loaded = importlib.import_module(module)
        assert name is None or hasattr(loaded, name), f"{module} has no {name}"


def test_the_pages_show_imports() -> None:
    assert ("pocketintent", "IntentRecognizer") in imports(REPOSITORY / "README.md")


def without_code(page: Path) -> str:
    """The text of a page without code, where brackets are no links."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`\n]*`", "", text)


@cache
def anchors(page: Path) -> frozenset[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    names: set[str] = set()
    for heading in re.findall(r"^#{1,6} +(.*?) *#*$", text, re.MULTILINE):
        title = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        anchor = re.sub(r"[^\w\- ]", "", title).replace(" ", "-")
        number = next(n for n in range(99) if (f"{anchor}-{n}" if n else anchor) not in names)
        names.add(f"{anchor}-{number}" if number else anchor)
    return frozenset(names)


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_relative_link_of_a_page_resolves(page: Path) -> None:
    for target in re.findall(r"\]\(<?([^)\s>]+)>?[^)]*\)", without_code(page)):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        path = (page.parent / file).resolve() if file else page
        assert path.is_relative_to(REPOSITORY) and path.exists(), f"{target}: no such file"
        assert not anchor or anchor in anchors(path), f"{target}: no such heading"


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_every_path_of_the_repository_that_a_page_names_is_there(page: Path) -> None:
    """Also paths of modules that a page shortens, such as ``runtime/text/ngrams.py``."""
    if page.name == "CHANGELOG.md":
        return  # it speaks of earlier versions
    roots = "benchmarks|demo_app|docs|export|lab|sdk|templates|tests"
    named = re.findall(rf"`((?:{roots})/[\w./-]+|[\w/]+/\w+\.py)`", page.read_text("utf-8"))
    starts = ["", "sdk/pocketintent", "export/pocketintent_export", *REPOSITORY.glob("lab/*")]
    missing = [
        path for path in named if not any((REPOSITORY / start / path).exists() for start in starts)
    ]
    assert missing == []


def test_the_page_on_python_has_every_public_name() -> None:
    page = (REPOSITORY / "docs/python.md").read_text("utf-8")
    methods = [name for name in dir(IntentRecognizer) if not name.startswith("_")]
    names = {*pocketintent.__all__, *methods} - {"__version__", "from_bot"}
    assert [name for name in sorted(names) if not re.search(rf"`(\w+\.)?{name}\b", page)] == []
