import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def folder(exported: Callable[..., Path], tmp_path: Path) -> Path:
    """An ONNX folder that a test may damage."""
    return Path(shutil.copytree(exported("onnx"), tmp_path / "copy"))
