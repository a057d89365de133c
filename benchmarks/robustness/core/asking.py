"""What the core says of bot files and texts, in a process of its own: a crash ends that alone."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

SANITIZER_OPTIONS = {
    "ASAN_OPTIONS": "allocator_may_return_null=1:max_allocation_size_mb=2048:detect_leaks=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}
"""Too large a request of memory is answered by NULL, as malloc does."""
OPEN = "done"
"""The status of a bot file that is open."""


class Case(NamedTuple):
    """A bot file, and texts to ask it."""

    content: bytes
    """The bot file."""
    texts: Sequence[str]
    """The texts."""
    instructions: str = ""
    """The set of instructions to compute with; the best if the machine does not have it."""


class Reply(NamedTuple):
    """What the core says of a case."""

    status: str
    """The status of opening in words, such as ``OPEN``; "" if the process ended."""
    message: str
    """What is wrong with the file; the end of stderr if the process ended."""
    answers: list[dict[str, Any]]
    """Match, ranking, text as read and tokens of each text of an open bot."""


def encode(text: str) -> bytes:
    """UTF-8; half of a surrogate pair in three bytes, which are none."""
    return text.encode("utf-8", "surrogatepass")


def ask(program: Sequence[str | Path], cases: Sequence[Case]) -> tuple[list[Reply], str]:
    """The replies of ``sdk/native/fuzz/answers.c``; after a crash it is started again.

    Args:
        program: The words that call the compiled program.
        cases: What it is asked.

    Returns:
        A reply to each case; and what the process said at its end, such as a leak, or "".

    """
    replies: list[Reply] = []
    while True:
        lines, status, errors = _run(program, cases[len(replies) :])
        for start in range(0, len(lines) // 3 * 3, 3):
            opened, answers = lines[start + 1 : start + 3]
            replies.append(Reply(opened["status"], opened["message"], answers))
        if len(replies) == len(cases):
            return replies, errors or "it ended with an error" if status else ""
        replies.append(Reply("", errors or f"it ended with status {status}", []))


def _run(program: Sequence[str | Path], cases: Sequence[Case]) -> tuple[list[Any], int, str]:
    """The lines that the process wrote, its exit status, and the beginning of its stderr."""
    with tempfile.TemporaryFile() as requests, tempfile.TemporaryFile() as errors:
        for case in cases:
            texts = b"".join(map(_sized, map(encode, case.texts)))
            requests.write(b"K" + _sized(case.instructions.encode()))
            requests.write(b"B" + _sized(case.content) + b"M" + _sized(texts))
        requests.seek(0)
        environment = os.environ | SANITIZER_OPTIONS
        run = subprocess.run(
            program,
            stdin=requests,
            stdout=subprocess.PIPE,
            stderr=errors,
            env=environment,
            check=False,
        )
        errors.seek(0)
        report = errors.read(6000).decode(errors="replace")
    return list(_read_lines(run.stdout.split(b"\n")[:-1])), run.returncode, report


def _read_lines(lines: Iterable[bytes]) -> Iterable[Any]:
    return (json.loads(line.decode("utf-8", "surrogatepass")) for line in lines)


def _sized(content: bytes) -> bytes:
    return len(content).to_bytes(4, "little") + content
