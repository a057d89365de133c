"""Threads: products of small matrices stay in one, and an object that several fill is copied."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

_is_set = threading.Lock()


class FilledOnUse:
    """An object that may be copied and pickled while other threads fill its cached properties."""

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__.copy()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep NumPy's BLAS at one thread in a block.

    A BLAS that splits a small product waits for the slowest of its threads, which other work on the
    machine delays: a load then takes ten times as long, a text twenty times. One thread also makes
    results independent of the number of cores. The number belongs to the process: the first thread
    that enters sets it and sets it back, and one that enters meanwhile changes nothing.
    """
    if not _is_set.acquire(blocking=False):
        yield
        return
    try:
        with _controller().limit(limits=1, user_api="blas"):
            yield
    finally:
        _is_set.release()


@cache
def _controller() -> Any:
    """The thread pools of the process, as they are when the first block begins."""
    from threadpoolctl import ThreadpoolController  # not for a match of words

    return ThreadpoolController()
