"""Programs that some tests need, and which skip them where they are not installed."""

import importlib.util
import shutil
import sys

import pytest

from shared_fixtures import REPOSITORY


def find(*names: str, packages: str) -> str:
    """The first of some programs; the test is skipped without one."""
    for name in names:
        if (path := shutil.which(name)) is not None:
            return path
    pytest.skip(f"no {names[0]}: apt-get install {packages}")


def find_zig() -> list[str]:
    """The words that call zig's C compiler; the test is skipped without it."""
    made = REPOSITORY / ".venv-native" / "bin" / "python"
    if importlib.util.find_spec("ziglang") is not None:
        return [sys.executable, "-m", "ziglang"]
    if made.exists():
        return [str(made), "-m", "ziglang"]
    pytest.skip("no zig: `make native` installs it")
