"""Reading gensim's pickles without running what a pickle may name.

An ordinary unpickler imports and calls whatever the file names. This one imports nothing: for the
few names that gensim's vectors need it has classes and functions of its own, and a file with any
other name is refused.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.errors import PocketIntentError

_BROKEN = (
    pickle.UnpicklingError, EOFError, AttributeError, IndexError, KeyError, TypeError, ValueError,
    OverflowError, MemoryError, RecursionError,
)  # fmt: skip
"""What the unpickler raises for a damaged file."""


class PickledObject:
    """An object of gensim: its attributes alone.

    Attributes:
        state: The attributes by name.
    """

    state: Mapping[str, Any] = MappingProxyType({})

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        if not isinstance(state, dict):
            raise ValueError("the attributes of an object are not a dictionary")
        self.state = state


class PickledArray:
    """An array of numbers.

    Attributes:
        array: The numbers, set after the object is made.
    """

    array: NDArray[Any] = np.empty(0)

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        _, shape, dtype, is_fortran, data = state
        self.array = _to_array(data, dtype, shape, "F" if is_fortran else "C")


class _PickledType:
    """The type of an array's numbers."""

    def __init__(self, code: str, *_: object) -> None:
        self.dtype = np.dtype(str(code))

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        order = state[1]
        self.dtype = self.dtype.newbyteorder(order if order in "<>" else "=")


def load_object(file: BinaryIO, path: Path) -> PickledObject:
    """Read the object of a pickle.

    Args:
        file: The unpacked file, at its beginning.
        path: Its name, for messages.

    Raises:
        PocketIntentError: The file is damaged, contains another object or names anything that
            vectors do not need; the message has the byte.
    """
    unpickler = _Unpickler(_Reader(file), path)
    try:
        loaded = unpickler.load()
    except _BROKEN as error:
        raise PocketIntentError(
            f"{path}, byte {file.tell()}: the pickle is truncated or damaged: {error}"
        ) from error
    if not isinstance(loaded, PickledObject):
        raise PocketIntentError(
            f"{path}: the pickle contains {type(loaded).__name__!r} instead of gensim's "
            "KeyedVectors"
        )
    return loaded


class _Reader:
    """A file without a buffer that is read ahead, so that its position is the unpickler's."""

    def __init__(self, file: BinaryIO) -> None:
        self.read = file.read
        self.readline = file.readline


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: _Reader, path: Path) -> None:
        super().__init__(file)
        self._path = path

    def find_class(self, module: str, name: str) -> Any:
        """Return the stand-in of a name; nothing is imported."""
        if module.startswith("gensim.models.") and name in _GENSIM_CLASSES:
            return PickledObject
        # NumPy 2 renamed its module.
        stand_in = _STAND_INS.get((module.replace("numpy._core.", "numpy.core."), name))
        if stand_in is None:
            raise PocketIntentError(
                f"{self._path}: the pickle contains {module}.{name}, which word vectors do not "
                "need and which is not read, because a pickle can run any code; of a model of "
                "gensim, save the vectors alone: model.wv.save(FILE)"
            )
        return stand_in

    def persistent_load(self, pid: object) -> Any:
        """Refuse references to objects outside the file."""
        raise pickle.UnpicklingError("it refers to an object outside the file")


def _to_array(data: bytes, dtype: object, shape: tuple[int, ...], order: str) -> NDArray[Any]:
    """An array from its bytes, which must be as many as its shape needs."""
    if not isinstance(dtype, _PickledType) or dtype.dtype.kind not in "fiub":
        raise ValueError("an array does not consist of numbers")
    return np.frombuffer(data, dtype.dtype).reshape(shape, order="F" if order == "F" else "C")


def _from_buffer(data: bytes, dtype: object, shape: tuple[int, ...], order: str) -> PickledArray:
    pickled = PickledArray()
    pickled.array = _to_array(data, dtype, shape, order)
    return pickled


def _scalar(dtype: object, data: bytes) -> Any:
    return _to_array(data, dtype, (), "C").item()


def _latin1(text: str, encoding: str) -> bytes:
    """The bytes of a pickle of protocol 2, which stores them as text."""
    if encoding != "latin1":
        raise ValueError(f"bytes are stored as {encoding!r}")
    return text.encode("latin1")


class _ArrayType:
    """Stands for ``numpy.ndarray``, which is named but not used."""


def _new_array(*_: object) -> PickledArray:
    return PickledArray()


_GENSIM_CLASSES = {
    "EuclideanKeyedVectors",
    "FastTextKeyedVectors",
    "KeyedVectors",
    "Vocab",
    "Word2VecKeyedVectors",
}
_STAND_INS: dict[tuple[str, str], Callable[..., Any] | type] = {
    ("__builtin__", "frozenset"): frozenset,
    ("builtins", "frozenset"): frozenset,
    ("_codecs", "encode"): _latin1,
    ("numpy", "dtype"): _PickledType,
    ("numpy", "ndarray"): _ArrayType,
    ("numpy.core.multiarray", "_reconstruct"): _new_array,
    ("numpy.core.multiarray", "scalar"): _scalar,
    ("numpy.core.numeric", "_frombuffer"): _from_buffer,
}
