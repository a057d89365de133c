"""The one-file model: save, load and verify. The specification is ``docs/model-file.md``."""

from __future__ import annotations

import hashlib
import json
import math
import mmap
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from pocketintent.runtime.arrays import check_numbers
from pocketintent.runtime.errors import ModelFileError, check_version
from pocketintent.runtime.files.regular import open_regular

FORMAT_VERSION = 1
METADATA_KEY = "pocketintent"
BOT = "bot"
"""Manifest entry of a bot file and, with a dot, prefix of its tensors; see ``docs/model-file.md``.
A model file with this entry is a bot file, and can still be used as a model."""
MAX_HEADER_BYTES = 100_000_000
"""Limit of the safetensors library on the header."""

_SIZES = {"U8": "u1", "I8": "i1", "U16": "<u2", "I16": "<i2", "F16": "<f2", "U32": "<u4"}
_SIZES |= {"I32": "<i4", "F32": "<f4", "U64": "<u8", "I64": "<i8", "F64": "<f8", "BOOL": "?"}
DTYPES = {name: np.dtype(code) for name, code in _SIZES.items()}
"""The dtypes of tensors by their names in a header."""
_DTYPE_NAMES = {dtype: name for name, dtype in DTYPES.items()}


@dataclass(frozen=True)
class ModelFile:
    """The content of a model file."""

    path: Path
    """The file."""
    manifest: dict[str, Any]
    """The JSON manifest: format version, kind, tokenizer, dimensions, training, quality."""
    tensors: dict[str, NDArray[Any]]
    """Read-only views of one memory map, by name."""

    def without(self, entry: str) -> ModelFile:
        """The file without a manifest entry, and without the tensors that it is the prefix of."""
        manifest = {key: value for key, value in self.manifest.items() if key != entry}
        names = [name for name in self.tensors if not name.startswith(f"{entry}.")]
        return ModelFile(self.path, manifest, {name: self.tensors[name] for name in names})


def save_model(
    path: str | os.PathLike[str], manifest: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]
) -> None:
    """Write a model file; a save that fails or is killed leaves the old file whole.

    OSError if the file cannot be written; else as :func:`model_content`.
    """
    from pocketintent.runtime.files.atomic import write_atomically  # not for a match

    write_atomically(path, model_content(path, manifest, tensors))


def model_content(
    path: str | os.PathLike[str], manifest: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]
) -> bytes:
    """The bytes of a model file.

    The manifest has JSON values, among them ``kind``; ``format_version`` and ``sha256`` are added.
    The tensors are arrays by name, each with a dtype of ``DTYPES``. ModelFileError, which names the
    path, if a part cannot be stored.
    """
    from safetensors.numpy import save  # not for a match

    arrays = {name: np.asarray(array, order="C") for name, array in tensors.items()}
    for name, array in arrays.items():
        if array.dtype not in _DTYPE_NAMES or name == "__metadata__":
            raise ModelFileError(
                f"{path}: tensor {name!r} of {array.dtype} cannot be stored in a model file"
            )
    try:
        check_numbers(arrays)
    except ModelFileError as error:
        raise ModelFileError(f"{path}: a model with this tensor is not saved: {error}") from error
    # Read again, so that the hash is of the values that a reader gets.
    content = orjson.loads(_canonical_json({**manifest, "format_version": FORMAT_VERSION}))
    if not isinstance(content.get("kind"), str):
        raise ModelFileError(f"{path}: the manifest needs 'kind', the name of the encoder's kind")
    content["sha256"] = _digest(content, arrays)
    metadata = {METADATA_KEY: orjson.dumps(content, option=orjson.OPT_SORT_KEYS).decode()}
    return save(arrays, metadata)


def is_model_file(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins as model files do; no for a path that cannot be read.

    Bytes 4 to 7, the upper half of the header's size, are zero, as in no JSON text.
    """
    try:
        with open_regular(path, buffering=8) as file:
            return file.read(8)[4:] == bytes(4)
    except (OSError, ValueError):
        return False


def load_model(path: str | os.PathLike[str]) -> ModelFile:
    """Open a model file by memory map and verify all of it.

    The tensors stay valid when :func:`save_model` replaces the file; do not shorten it in use.

    ModelFileError if it is missing, not a pocketintent model, truncated, altered or written by a
    newer version, or if a number is NaN, infinite or too large.
    """
    path = Path(path)
    return read_model(path, map_file(path))


def read_model(path: Path, buffer: mmap.mmap, is_verified: bool = False) -> ModelFile:
    """The model file of a memory map; its numbers and their hash are right if ``is_verified``."""
    try:
        header, start = _read_header(buffer)
        manifest = _read_manifest(header.pop("__metadata__", {}))
        tensors = _read_tensors(header, buffer, start)
        if is_verified:
            return ModelFile(path, manifest, tensors)
        if manifest.get("sha256") != _digest(manifest, tensors):
            raise ModelFileError(
                "it was altered or damaged: its SHA-256 does not match its content"
            )
        check_numbers(tensors)
    except ModelFileError as error:
        raise ModelFileError(f"{path} cannot be used as a model: {error}") from error
    return ModelFile(path, manifest, tensors)


def map_file(path: Path) -> mmap.mmap:
    """The memory map of a file, read only; ModelFileError if it cannot be read."""
    try:
        with open_regular(path) as file:
            size = os.fstat(file.fileno()).st_size
            if size >= 8:
                return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError as error:
        raise ModelFileError(f"{path}: there is no such model file") from error
    except OSError as error:
        raise ModelFileError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:  # a name with a NUL, or a lone surrogate
        raise ModelFileError(f"{os.fspath(path)!r} cannot be read: {error}") from error
    raise ModelFileError(f"{path} is not a model file: it has only {size} bytes")


def _read_header(buffer: mmap.mmap) -> tuple[dict[str, Any], int]:
    """The header's JSON, and the position of the first tensor."""
    length = int.from_bytes(buffer[:8], "little")
    if length > MAX_HEADER_BYTES or buffer[8:9] != b"{":
        hint = "; a template file is given as templates" if buffer[:8].lstrip()[:1] == b"{" else ""
        raise ModelFileError(f"it is not a safetensors file{hint}")
    if length > len(buffer) - 8:
        raise ModelFileError(
            f"it is truncated: the header needs {length} bytes and {len(buffer) - 8} are left"
        )
    header = _parse_json(buffer[8 : 8 + length], "the header")
    if not isinstance(header, dict):
        raise ModelFileError("its header is not a JSON object")
    return header, 8 + length


def _read_manifest(metadata: object) -> dict[str, Any]:
    text = metadata.get(METADATA_KEY) if isinstance(metadata, dict) else None
    if not isinstance(text, str):
        raise ModelFileError(
            f"it is a safetensors file of another program: its metadata has no {METADATA_KEY!r}"
        )
    manifest = _parse_json(text.encode("utf-8", "surrogatepass"), "the manifest")
    if not isinstance(manifest, dict):
        raise ModelFileError("its manifest is not a JSON object")
    check_version(manifest.get("format_version"), FORMAT_VERSION, "its format")
    if not isinstance(manifest.get("kind"), str):
        raise ModelFileError("its manifest does not name the encoder's kind")
    return manifest


def _read_tensors(header: dict[str, Any], buffer: mmap.mmap, start: int) -> dict[str, NDArray[Any]]:
    """Views of the tensors, which must fill the rest of the file without gap or overlap."""
    checked = {name: _check_entry(name, entry) for name, entry in header.items()}
    end = 0
    for name, (dtype, shape, begin, stop) in sorted(checked.items(), key=lambda e: e[1][2:]):
        if begin != end or stop - begin != math.prod(shape) * dtype.itemsize:
            raise ModelFileError(
                f"the offsets of tensor {name!r} do not fit its shape or the tensor before it"
            )
        end = stop
    if end != len(buffer) - start:
        left = len(buffer) - start
        what = "truncated" if left < end else "longer than its tensors"
        raise ModelFileError(f"it is {what}: the tensors take {end} bytes, the file has {left}")
    try:
        return {
            name: np.ndarray(shape, dtype, buffer, start + begin)
            for name, (dtype, shape, begin, _) in checked.items()
        }
    except ValueError as error:  # an empty tensor whose other axes are too large for NumPy
        raise ModelFileError(f"a tensor has an impossible shape: {error}") from error


def _check_entry(name: str, entry: object) -> tuple[np.dtype[Any], tuple[int, ...], int, int]:
    """The dtype, shape, begin and end of one tensor of the header."""
    if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data_offsets"}:
        raise ModelFileError(f"tensor {name!r} must have dtype, shape and data_offsets")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise ModelFileError(f"tensor {name!r} has the unknown dtype {dtype!r}")
    if not _are_sizes(shape) or len(shape) > 8:
        raise ModelFileError(f"tensor {name!r} has a shape that is not a list of up to 8 sizes")
    if not _are_sizes(offsets) or len(offsets) != 2:
        raise ModelFileError(f"tensor {name!r} has data_offsets that are not a pair of positions")
    return DTYPES[dtype], tuple(shape), offsets[0], offsets[1]


def _are_sizes(values: object) -> bool:
    # A size of 2**62 or more fits no file and could overflow NumPy's integers; bool is not a size.
    return isinstance(values, list) and all(type(v) is int and 0 <= v < 2**62 for v in values)


def _parse_json(data: bytes, what: str) -> Any:
    """Parse JSON without repeated keys; by the standard parser, since orjson keeps the last."""
    try:
        return json.loads(data.decode(), object_pairs_hook=_once, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"{what} is not valid JSON: {error}") from error


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ModelFileError("a key appears twice")
    return result


def _no_constant(name: str) -> None:
    raise ModelFileError(f"{name} is not allowed in JSON")


def _digest(manifest: Mapping[str, Any], tensors: Mapping[str, NDArray[Any]]) -> str:
    """SHA-256 in hex of the canonical manifest, without ``sha256``, and of all tensors."""
    sha = hashlib.sha256(_canonical_json({k: v for k, v in manifest.items() if k != "sha256"}))
    for name in sorted(tensors):
        array = tensors[name]
        sha.update(_canonical_json([name, _DTYPE_NAMES[array.dtype], list(array.shape)]))
        sha.update(array.reshape(-1).view(np.uint8).data)
    return sha.hexdigest()


def _canonical_json(value: Any) -> bytes:
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)
    except TypeError as error:
        raise ModelFileError(
            f"the manifest or a name cannot be written as JSON: {error}"
        ) from error
