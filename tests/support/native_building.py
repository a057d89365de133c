"""How the C core is built for tests."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CORE = Path(__file__).resolve().parents[2] / "sdk" / "native"
HOOKS = CORE / "tests" / "hooks.c"
COMMAND = CORE / "command" / "main.c"
FLAGS = ["-std=c11", "-ffp-contract=fast", "-fvisibility=hidden"]
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Werror"]


def find_compiler() -> list[str]:
    """The words that call a C compiler: gcc, or zig; the test is skipped without one."""
    if (gcc := shutil.which(os.environ.get("CC", "gcc"))) is not None:
        return [gcc]
    try:
        import ziglang  # type: ignore[import-not-found]  # noqa: F401
    except ImportError:
        pytest.skip("no C compiler: install gcc, or `pip install ziglang`")
    return [sys.executable, "-m", "ziglang", "cc"]


def compile_c(source: Path, target: Path, *flags: str) -> Path:
    """Compile one file; the test fails with the compiler's words if it warns."""
    call = [*find_compiler(), *FLAGS, *WARNINGS, *flags, str(source), "-o", str(target), "-lm"]
    run = subprocess.run(call, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return target
