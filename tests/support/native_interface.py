"""What the functions of the C core take and give, by ctypes."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from ctypes import CFUNCTYPE, c_char, c_double, c_int, c_size_t, c_void_p
from typing import Any

STATUSES = ("ok", "argument", "memory", "file", "model", "templates", "unsupported", "size")


class Text(ctypes.Structure):
    """``pintent_text``."""

    _fields_ = (("data", c_void_p), ("size", c_size_t))


class Message(ctypes.Structure):
    """``pintent_message``."""

    _fields_ = (("text", c_char * 512),)


class Addition(ctypes.Structure):
    """``pintent_addition``."""

    _fields_ = (
        ("name", Text),
        ("templates", c_void_p),
        ("num_templates", c_size_t),
        ("counter_examples", c_void_p),
        ("num_counter_examples", c_size_t),
        ("threshold", c_double),
        ("has_threshold", c_int),
    )


ALLOCATE = CFUNCTYPE(c_void_p, c_void_p, c_size_t)
RELEASE = CFUNCTYPE(None, c_void_p, c_void_p, c_size_t)


class Allocator(ctypes.Structure):
    """``pintent_allocator``."""

    _fields_ = (("allocate", ALLOCATE), ("release", RELEASE), ("context", c_void_p))


class Counted:
    """An allocator that counts its calls, and fails at one of them."""

    def __init__(self, fails_at: int = -1) -> None:
        self.calls, self.sizes, self.kept = 0, dict[int, int](), dict[int, Any]()
        self._fails_at, self._counts = fails_at, True
        self.struct = Allocator(ALLOCATE(self._allocate), RELEASE(self._release), None)

    def _allocate(self, _: Any, size: int) -> int | None:
        self.calls += self._counts
        if self._counts and self.calls - 1 == self._fails_at:
            return None
        block = ctypes.create_string_buffer(size + 16)
        place = (ctypes.addressof(block) + 15) & ~15
        self.sizes[place], self.kept[place] = size, block
        return place

    def _release(self, _: Any, memory: int, size: int) -> None:
        assert self.sizes.pop(memory) == size
        del self.kept[memory]

    @contextmanager
    def paused(self) -> Iterator[None]:
        """In the block no call is counted, and none fails."""
        self._counts = False
        yield
        self._counts = True


class CoreError(Exception):
    """A call that did not end with PINTENT_OK; ``status`` is the name of its status."""

    def __init__(self, status: int, message: str = "") -> None:
        super().__init__(f"{STATUSES[status]}: {message}")
        self.status = STATUSES[status]
        self.message = message


def text_of(data: bytes) -> Text:
    return Text(ctypes.cast(ctypes.c_char_p(data), c_void_p), len(data))


def texts_of(texts: Iterable[str | bytes]) -> Any:
    given = [encode(text) if isinstance(text, str) else text for text in texts]
    return (Text * len(given))(*map(text_of, given))


def encode(text: str) -> bytes:
    """UTF-8; half of a surrogate pair in three bytes, which are none."""
    return text.encode("utf-8", "surrogatepass")
