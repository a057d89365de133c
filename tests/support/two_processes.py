"""A second interpreter, which trains together with this one as torchrun's processes do.

It starts at its first use and serves all tests after that, as importing torch takes seconds.
"""

import atexit
import functools
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[2] / "sdk"

# Libraries print to file 1 as well, so the answers get a copy of it and file 1 becomes file 2.
_SERVE = """
import json, os, sys, traceback
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)
for line in sys.stdin:
    job = json.loads(line)
    os.environ.update(job["environment"])
    sys.argv[1:] = job["arguments"]
    error = ""
    try:
        exec(job["code"], {"__name__": "__main__"})
    except BaseException:
        error = traceback.format_exc()
    torch = sys.modules.get("torch")
    if torch is not None and torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()
    print(json.dumps(error), file=answers, flush=True)
"""


class _SecondProcess:
    """An interpreter that runs one piece of code after another."""

    def __init__(self) -> None:
        paths = os.pathsep.join([str(SOURCES), *filter(None, sys.path)])
        self._process = subprocess.Popen(
            [sys.executable, "-c", _SERVE],
            env=os.environ | {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        atexit.register(self.end)

    def send(self, code: str, arguments: tuple[str, ...], environment: Mapping[str, str]) -> None:
        assert self._process.stdin is not None
        job = {"code": code, "arguments": arguments, "environment": dict(environment)}
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()

    def answer(self) -> str:
        """The traceback of the code once it has run; empty if there was no error."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            return f"the second process ended with status {self.wait()}"
        error: str = json.loads(line)
        return error

    def wait(self) -> int:
        _second_process.cache_clear()
        return self._process.wait()

    def end(self) -> None:
        self._process.kill()
        self.wait()


_second_process = functools.cache(_SecondProcess)


@contextmanager
def joined_by(code: str, *arguments: str) -> Iterator[None]:
    """Run code in the second process, while the block runs as the first of the same group.

    Args:
        code: Python source; it does the block's work once more.
        arguments: Its ``sys.argv[1:]``.
    """
    distributed = pytest.importorskip("torch.distributed")
    # As torchrun does, this process hosts the store of the group, on any free port.
    store = distributed.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)
    group = {
        **{"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(store.port)},
        **{"TORCHELASTIC_USE_AGENT_STORE": "True", "TORCHELASTIC_RESTART_COUNT": "0"},
    }
    second = _second_process()
    second.send(code, arguments, group | {"RANK": "1", "LOCAL_RANK": "1"})
    try:
        with pytest.MonkeyPatch.context() as environment:
            for name, value in (group | {"RANK": "0", "LOCAL_RANK": "0"}).items():
                environment.setenv(name, value)
            yield
    except BaseException:
        second.end()  # it may wait for this process
        raise
    finally:
        if distributed.is_initialized():
            distributed.destroy_process_group()
    error = second.answer()
    assert not error, error


def status_after(code: str, *arguments: str) -> int:
    """The exit status of the second process, after code that kills it.

    Args:
        code: Python source; it runs outside of a group.
        arguments: Its ``sys.argv[1:]``.
    """
    second = _second_process()
    second.send(code, arguments, {"WORLD_SIZE": "1", "RANK": "0"})
    return second.wait()
