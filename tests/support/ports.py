"""Running the examples of the docs as an app runs them: on a folder, without pocketintent."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
PYTHON_PORT = DOCS / "examples" / "recognise.py"
JAVASCRIPT_PORT = DOCS / "examples" / "recognise.mjs"

# Runs a script in a process that cannot import pocketintent, wherever it is installed.
ISOLATED = """\
import runpy, sys
for package in ("pocketintent", "pocketintent_export", "orjson", "safetensors"):
    sys.modules[package] = None
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""

MODELS = ["static", "words", "text", "combined", "contextual", "infersent", "convrr"]
"""The fixture ``exported`` has a folder of each."""
FOLDERS = [*((model, False) for model in MODELS), ("static", True)]
"""A model, and whether the folder's bot looks for negations."""
each_folder = pytest.mark.parametrize(("model", "negated"), FOLDERS)


LATER: list[dict[str, Any]] = [
    {"format_version": 2},
    {"correction": {"version": 3}},
    {"features": {"ngram_counts": {}, "smell": {}}},
]
"""Entries of a manifest that a port cannot read."""
LATER_MESSAGES = [
    "format version 2; this program reads up to 1",
    "correction version 3; this program reads up to 2",
    "this program lacks the feature smell",
]
"""What a port says of them."""


def run(*command: object, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONUTF8": "1"}
    return subprocess.run(
        [str(part) for part in command],
        capture_output=True,
        encoding="utf-8",
        input=stdin,
        env=environment,
        timeout=120,
        check=False,
    )


def recognise(
    *arguments: object, python: object = sys.executable, stdin: str | None = None
) -> subprocess.CompletedProcess[str]:
    return run(python, "-c", ISOLATED, PYTHON_PORT, *arguments, stdin=stdin)


def run_javascript(node: str, code: str, *arguments: object) -> list[str]:
    """The lines that code prints; its last arguments are the path of the port and these."""
    result = run(node, "--input-type=module", "-e", code, "--", JAVASCRIPT_PORT, *arguments)
    assert result.returncode == 0, result.stderr
    return result.stdout.split("\n")[:-1]


def read_lines(path: Path) -> list[Any]:
    """The objects of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text("utf-8").split("\n")[:-1]]
