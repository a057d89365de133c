"""Who names whom, in strings and comments too, which import-linter cannot see."""

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
LABORATORY = "pocketintent_" + "lab"
ABOVE = re.compile(
    r"pocketintent\.(bot|cli|compression|evaluation|training)\b|pocketintent_(?!native\b)\w"
)


def names(folder: str, pattern: re.Pattern[str]) -> list[str]:
    """The places of a folder's Python files where a pattern is."""
    return [
        f"{path.relative_to(REPOSITORY)}, line {number}"
        for path in sorted((REPOSITORY / folder).rglob("*.py"))
        for number, line in enumerate(path.read_text("utf-8").split("\n"), 1)
        if pattern.search(line)
    ]


def test_the_runtime_names_no_package_above_it() -> None:
    assert names("sdk/pocketintent/runtime", ABOVE) == []


@pytest.mark.parametrize(
    "folder", ["sdk", "export", "demo_app", "benchmarks", "tests", "docs/examples"]
)
def test_the_product_names_nothing_of_the_laboratory(folder: str) -> None:
    assert names(folder, re.compile(LABORATORY)) == []
