"""How the core in C is compiled for checks: with or without sanitizers, for this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

CORE = Path(__file__).resolve().parents[3] / "sdk" / "native"
FUZZ = CORE / "fuzz"
FLAGS = ("-std=c11", "-ffp-contract=fast", "-fvisibility=hidden")
WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Werror")
UNDEFINED = ("-fsanitize=undefined", "-fno-sanitize-recover=all")
SANITIZERS = ("-O1", "-g", "-fno-omit-frame-pointer", "-fsanitize=address", *UNDEFINED)
"""Flags of a build in which memory errors and undefined behaviour end the process."""


class NoCompilerError(Exception):
    """There is no C compiler; the message says how to get one."""


def find_compiler() -> list[str]:
    """The words that call a C compiler: gcc, or zig."""
    if (gcc := shutil.which(os.environ.get("CC", "gcc"))) is not None:
        return [gcc]
    if find_spec("ziglang") is None:
        raise NoCompilerError("no C compiler: install gcc, or `pip install ziglang`")
    return [sys.executable, "-m", "ziglang", "cc"]


def compile_core(source: Path, target: Path, *flags: str, compiler: Sequence[str] = ()) -> Path:
    """Compile one file that includes the core; a warning is an error.

    Args:
        source: The file.
        target: The program or library.
        flags: More flags of the compiler.
        compiler: The words that call the compiler; by default those of :func:`find_compiler`.
    """
    call = [*(compiler or find_compiler()), *FLAGS, *WARNINGS, *flags, str(source)]
    run = subprocess.run(
        [*call, "-o", str(target), "-lm"], capture_output=True, text=True, check=False
    )
    if run.returncode:
        raise RuntimeError(run.stderr)
    return target


def compile_answers(target: Path, *flags: str) -> Path:
    """The program of ``sdk/native/fuzz/answers.c``.

    Args:
        target: The program.
        flags: More flags of the compiler, such as ``SANITIZERS``; zig has no AddressSanitizer, and
            does without.
    """
    if "ziglang" in find_compiler():
        flags = tuple(flag for flag in flags if flag != "-fsanitize=address")
    return compile_core(FUZZ / "answers.c", target, *flags)
