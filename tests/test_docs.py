"""The documentation: its imports and links resolve, and its sentences are English."""

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
    *sorted((REPOSITORY / "docs").glob("*.md")),
    *sorted((REPOSITORY / "docs" / "comparison").glob("*/*.md")),
    *sorted((REPOSITORY / "sdk" / "pocketintent" / "assets").glob("*.md")),
]
WRITTEN = ("sdk", "export", "demo_app", "benchmarks", "templates", "tests", "docs")
SUFFIXES = {".py", ".md", ".json", ".mjs"}

# Built from parts, so that this file does not contain them.
BANNED = [
    " ".join(words)
    for words in [
        ("in", "plain", "words"),
        ("makes", "no", "sense"),
        ("What", "is", "none"),
        ("stand", "on", "each", "other"),
        ("stored", "in", "less", "than", "floats"),
    ]
] + ["a" + "new", "Asking" + "Module", chr(0xAB), chr(0xBB)]


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
def test_every_import_of_a_page_resolves(page: Path) -> None:
    for module, name in imports(page):
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


def written_files() -> list[Path]:
    """All files that people read: code, pages and templates."""
    inner = (path for folder in WRITTEN for path in (REPOSITORY / folder).rglob("*"))
    top = (REPOSITORY / name for name in ("Makefile", "pyproject.toml"))
    pages = (path for path in inner if path.suffix in SUFFIXES and path.is_file())
    return sorted({*pages, *top, *PAGES})


@pytest.mark.parametrize("phrase", BANNED, ids=ascii)
def test_a_phrase_that_is_not_english_is_nowhere(phrase: str) -> None:
    places = [
        f"{path.relative_to(REPOSITORY)}:{number}"
        for path in written_files()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if phrase in line
    ]
    assert places == []


def test_the_page_on_python_has_every_public_name() -> None:
    page = (REPOSITORY / "docs/python.md").read_text("utf-8")
    methods = [name for name in dir(IntentRecognizer) if not name.startswith("_")]
    names = {*pocketintent.__all__, *methods} - {"__version__", "from_bot"}
    assert [name for name in sorted(names) if not re.search(rf"`(\w+\.)?{name}\b", page)] == []
