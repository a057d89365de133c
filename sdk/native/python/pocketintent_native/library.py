"""The shared library: where it is, and its functions by ctypes, as ``pocketintent.h`` has them."""

from __future__ import annotations

import ctypes
import struct
import sys
from ctypes import POINTER, c_char, c_char_p, c_double, c_float, c_int, c_size_t, c_void_p
from functools import cache
from pathlib import Path
from typing import Any

_NAMES = {"win32": "pocketintent.dll", "darwin": "libpocketintent.dylib"}
LIBRARY = Path(__file__).with_name(_NAMES.get(sys.platform, "libpocketintent.so"))
"""The file of the library, in the package."""

CANDIDATE = struct.Struct("@PNPNd")
"""``pintent_candidate``: data and size of the intent and of the template, and the score."""
MATCH = struct.Struct("@PNPNPNdPNPNddii")
"""``pintent_match``: the intent, the nearest candidate, the runner-up, margin, reason, and whether
there is a runner-up. Reading it at once takes a third of the time of a ctypes structure."""

UNSUPPORTED = 6
"""The status of a valid file with a part that the core cannot run."""


class Text(ctypes.Structure):
    """``pintent_text``."""

    _fields_ = (("data", c_void_p), ("size", c_size_t))


class Message(ctypes.Structure):
    """``pintent_message``."""

    _fields_ = (("text", c_char * 512),)


class NativeError(Exception):
    """A call of the core that failed; the message says why.

    Args:
        status: A ``pintent_status``.
        message: What is wrong; empty for the general words of the status.
    """

    def __init__(self, status: int, message: str = "") -> None:
        super().__init__(message or load_library().status_text(status).decode())
        self.status = status

    @property
    def is_unsupported(self) -> bool:
        """Whether the bot file is valid, and the core cannot run a part of it."""
        return self.status == UNSUPPORTED


_BOT, _SCRATCH, _PLACE, _SIZE = c_void_p, c_void_p, c_void_p, c_size_t
_TEXT = (_BOT, _SCRATCH, c_char_p, _SIZE)
_OPENED = (c_void_p, POINTER(c_void_p), POINTER(Message))
_FUNCTIONS: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "open": (c_int, (c_char_p, *_OPENED)),
    "open_buffer": (c_int, (_PLACE, _SIZE, *_OPENED)),
    "open_model": (c_int, (c_char_p, *_OPENED)),
    "close": (None, (_BOT,)),
    "add_intent": (c_int, (_BOT, _PLACE, POINTER(c_void_p), POINTER(Message))),
    "remove_intent": (c_int, (_BOT, c_char_p, _SIZE, POINTER(c_void_p), POINTER(Message))),
    "set_templates": (c_int, (_BOT, c_char_p, _SIZE, POINTER(c_void_p), POINTER(Message))),
    "templates_json": (c_int, (_BOT, _PLACE, _SIZE, POINTER(c_size_t))),
    "save": (c_int, (_BOT, c_char_p, POINTER(Message))),
    "save_buffer": (c_int, (_BOT, _PLACE, _SIZE, POINTER(c_size_t))),
    "scratch_new": (c_int, (_BOT, _SIZE, POINTER(c_void_p))),
    "scratch_free": (None, (_SCRATCH,)),
    "match_text": (c_int, (*_TEXT, _PLACE)),
    "rank": (c_int, (*_TEXT, _SIZE, _PLACE, POINTER(c_size_t))),
    "read": (c_int, (*_TEXT, POINTER(Text))),
    "encode": (c_int, (*_TEXT, POINTER(c_float), _SIZE)),
    "num_intents": (c_size_t, (_BOT,)),
    "intent": (Text, (_BOT, _SIZE)),
    "threshold": (c_double, (_BOT, _SIZE)),
    "dim": (c_size_t, (_BOT,)),
    "kind": (c_char_p, (_BOT,)),
    "decision": (c_char_p, (_BOT,)),
    "instructions": (c_char_p, (_BOT,)),
    "version": (c_char_p, ()),
    "status_text": (c_char_p, (c_int,)),
    "reason_text": (c_char_p, (c_int,)),
}
"""Result and arguments of each function, by its name after ``pintent_``."""


class Library:
    """The functions of the library, each an attribute named after it without ``pintent_``.

    ctypes releases the interpreter's lock while one runs.
    """

    def __init__(self, path: Path) -> None:
        library = ctypes.CDLL(str(path))
        for name, (result, arguments) in _FUNCTIONS.items():
            function = getattr(library, f"pintent_{name}")
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)
        self.version: str = library.pintent_version().decode()

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)  # tells a type checker that the functions are attributes


@cache
def load_library() -> Library:
    """The library, loaded on first use; ImportError if it cannot be."""
    try:
        return Library(LIBRARY)
    except (OSError, AttributeError) as error:
        raise ImportError(
            f"the library of pocketintent-native cannot be loaded: {error}"
        ) from error
