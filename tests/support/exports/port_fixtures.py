"""The programs that run the examples."""

import os
import shutil
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def tflite_python() -> Path:
    """The Python of the environment with tflite-runtime."""
    named = os.environ.get("POCKETINTENT_TFLITE_PYTHON")
    default = REPOSITORY / ".venv-tflite" / "bin" / "python"
    python = Path(named) if named else default
    if not python.is_file():
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        reason = f"no tflite-runtime at {python}; `make pytest` sets it up"
        if sys.version_info >= (3, 12):
            reason = f"tflite-runtime has no wheels for Python {version}, and none is at {python}"
        pytest.skip(reason)
    return python


@pytest.fixture(scope="session")
def node() -> str:
    path = shutil.which("node")
    if path is None:
        pytest.skip("node is not installed")
    return path
