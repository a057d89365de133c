"""Every script of the benchmarks starts, and its docstring shows its own name."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
SCRIPTS = {
    ".".join(path.relative_to(REPOSITORY).with_suffix("").parts): path
    for path in sorted((REPOSITORY / "benchmarks").rglob("*.py"))
    if '__name__ == "__main__"' in path.read_text("utf-8")
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_shows_its_help(script: str) -> None:
    sources = [str(REPOSITORY / root) for root in (".", "sdk", "export")]
    result = subprocess.run(
        [sys.executable, "-m", script, "--help"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([*sources, *filter(None, sys.path)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert script.rpartition(".")[2] in result.stdout
    docstring = ast.get_docstring(ast.parse(SCRIPTS[script].read_text("utf-8")))
    assert f"python -m {script}" in (docstring or "")
