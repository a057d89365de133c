"""Two processes that train together, as torchrun starts them: this one leads, another follows."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

SOURCES = Path(__file__).resolve().parents[2] / "sdk"


@contextmanager
def joined_by(code: str, *arguments: str) -> Iterator[None]:
    """Run code in a second process, while the block runs as the first of the same group.

    Args:
        code: Python source; it does the block's work once more.
        arguments: What it finds in ``sys.argv``.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    group = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    group["OMP_NUM_THREADS"] = "1"
    second = subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        env=os.environ
        | group
        | {"RANK": "1", "LOCAL_RANK": "1"}
        | {"PYTHONPATH": os.pathsep.join([str(SOURCES), *filter(None, sys.path)])},
        stderr=subprocess.PIPE,
        text=True,
    )
    distributed = pytest.importorskip("torch.distributed")
    try:
        with pytest.MonkeyPatch.context() as environment:
            for name, value in (group | {"RANK": "0", "LOCAL_RANK": "0"}).items():
                environment.setenv(name, value)
            yield
    finally:
        distributed.destroy_process_group()
        _, errors = second.communicate(timeout=60)
    assert second.returncode == 0, errors
