"""What is handed to the core: texts, paths, and the addition to an intent."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable
from ctypes import c_char_p, c_double, c_int, c_size_t, c_void_p

from pocketintent_native.library import Text


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


def encode(text: str) -> bytes:
    """UTF-8; half of a surrogate pair in three bytes, which the core reads as no code point."""
    if not isinstance(text, str):
        raise TypeError(f"a text must be a str, not {type(text).__name__}")
    return text.encode("utf-8", "surrogatepass")


def encode_path(path: str | os.PathLike[str]) -> bytes:
    """The name of a file as the core takes it: in UTF-8 on Windows, elsewhere as it is."""
    name = os.fspath(path)
    return name.encode("utf-8", "surrogateescape") if os.name == "nt" else os.fsencode(name)


class Texts:
    """Texts in the memory of the caller, for as long as the object lives."""

    def __init__(self, texts: Iterable[str]) -> None:
        if isinstance(texts, str):
            raise TypeError("the texts of an intent must be a list of str, not a str")
        self._kept = [encode(text) for text in texts]
        places = [ctypes.cast(c_char_p(data), c_void_p).value for data in self._kept]
        self.items = (Text * len(places))(*map(Text, places, map(len, self._kept)))

    @property
    def address(self) -> int:
        """Where the ``pintent_text`` of the first one is."""
        return ctypes.addressof(self.items)
