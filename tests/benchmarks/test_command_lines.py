"""Every script of the benchmarks starts, and its docstring shows its own name."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
SCRIPTS = sorted(
    path
    for path in (REPOSITORY / "benchmarks").glob("*.py")
    if '__name__ == "__main__"' in path.read_text("utf-8")
)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_shows_its_help(script: Path) -> None:
    if script.stem in ("convrr_intents", "neural", "training", "torch_encoders"):
        pytest.importorskip("torch")
    sources = [str(REPOSITORY / root) for root in ("sdk", "export")]
    result = subprocess.run(
        [sys.executable, str(script), "--help"],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([*sources, *filter(None, sys.path)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert script.name in result.stdout
    docstring = ast.get_docstring(ast.parse(script.read_text("utf-8")))
    assert f"python benchmarks/{script.name}" in (docstring or "")
