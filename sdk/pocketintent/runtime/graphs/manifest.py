"""The manifest of a folder that ``pocketintent export`` wrote: ``docs/exported-folder.md``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from pocketintent.runtime.arrays import MAX_DIM, check_numbers
from pocketintent.runtime.errors import ModelFileError, check_version
from pocketintent.runtime.files.regular import read_regular
from pocketintent.runtime.graphs.backends import GRAPHS, TensorSpec
from pocketintent.runtime.quantization.quantizer import Quantizer
from pocketintent.runtime.text.characters import NORMALISATION, CharVocabulary

FORMAT_VERSION = 1
"""Version of the folder's format; folders of a later version are refused."""
MANIFEST = "manifest.json"
"""Name of the manifest's file."""


@dataclass(frozen=True)
class Manifest:
    """The entries of a manifest, each checked when it is used."""

    path: Path
    """The manifest's file, for error messages."""
    entries: dict[str, Any]
    """Formats, inputs, hashes and settings."""

    @property
    def file_format(self) -> str:
        """Format of the graphs: ``"onnx"`` or ``"tflite"``."""
        file_format: str = self.entries["format"]
        return file_format

    @property
    def dim(self) -> int:
        """Size of the sentence vectors; a ModelFileError unless it is from 1 to ``MAX_DIM``."""
        value = self.entries.get("dim")
        if type(value) is not int or not 1 <= value <= MAX_DIM:
            raise self.error(f"'dim' must be a whole number from 1 to {MAX_DIM}, not {value!r}")
        return value

    def entry(self, key: str, kind: type) -> Any:
        """An entry of a Python type; a ModelFileError if it is missing or of another type."""
        value = self.entries.get(key)
        if not isinstance(value, kind):
            raise self.error(f"{key!r} must be of type {kind.__name__}, not {value!r}")
        return value

    def choice(self, key: str, choices: tuple[str, ...]) -> str | None:
        """An entry with one of several words, or None; a ModelFileError otherwise."""
        value: str | None = self.entries.get(key)
        if value is not None and value not in choices:
            raise self.error(f"{key!r} must be one of {', '.join(choices)}, not {value!r}")
        return value

    def limit(self, key: str) -> int | None:
        """A whole number from 1; None if there is no limit. Raises a ModelFileError otherwise."""
        value = self.entries.get(key)
        if value is not None and (type(value) is not int or value < 1):
            raise self.error(f"{key!r} must be a whole number from 1, not {value!r}")
        return value

    def tensors(self, artifact: str, kind: str) -> dict[str, TensorSpec]:
        """The ``"inputs"`` or ``"outputs"`` of a graph, by name; a ModelFileError without them."""
        try:
            entries = self.entries["artifacts"][artifact][kind]
            return {entry["name"]: _tensor_spec(entry) for entry in entries}
        except (KeyError, TypeError) as error:
            raise self.error(f"artifacts does not describe the {kind} of {artifact!r}") from error

    def characters(self) -> CharVocabulary:
        """The characters that the graphs read; a ModelFileError if the entry is unusable."""
        entry = self.entry("characters", dict)
        known_characters, max_chars = entry.get("known"), entry.get("max_chars")
        if not isinstance(known_characters, str) or type(max_chars) is not int:
            raise self.error("characters must have normalisation, max_chars and known")
        if entry.get("normalisation") != NORMALISATION:
            raise self.error(
                f"unknown normalisation {entry.get('normalisation')!r}; this runtime supports "
                f"{NORMALISATION!r}"
            )
        with self.naming():
            return CharVocabulary(known_characters, max_chars)

    def template_quantizer(self) -> Quantizer | None:
        """The codebook of the templates, for edited ones; a ModelFileError if it is none."""
        values = self.entries.get("template_codebook")
        if values is None:
            return None
        with self.naming("template_codebook: "), np.errstate(over="ignore"):
            codebook = np.array(values, np.float32)
            check_numbers({"template_codebook": codebook})
            return Quantizer(codebook, self.dim, normalised=False)

    @contextmanager
    def naming(self, place: str = "", remedy: str = "") -> Iterator[None]:
        """Turn the errors of a bad entry into ModelFileErrors that name the manifest's file."""
        try:
            yield
        except (TypeError, ValueError) as error:
            raise self.error(f"{place}{error}{remedy}") from error

    def error(self, message: str) -> ModelFileError:
        """The error to raise for a bad entry; its message names the manifest's file."""
        return ModelFileError(f"{self.path}: {message}")


def read_manifest(folder: Path) -> Manifest:
    """The manifest of an exported folder; a ModelFileError if none or of a later version."""
    path = folder / MANIFEST
    entries = parse_json(read_bytes(path), path)
    version = entries.get("format_version") if isinstance(entries, dict) else None
    if type(version) is not int or entries.get("format") not in tuple(GRAPHS):
        raise ModelFileError(f"{path} is not the manifest of an export")
    check_version(version, FORMAT_VERSION, f"{folder}: its format")
    return Manifest(path, entries)


def _tensor_spec(entry: Mapping[str, Any]) -> TensorSpec:
    """The tensor of an entry; a size that is a word is free."""
    shape = tuple(None if isinstance(size, str) else size for size in entry["shape"])
    if any(size is not None and type(size) is not int for size in shape):
        raise TypeError("a size is a whole number or a word")
    return TensorSpec(entry["dtype"], shape)


def read_bytes(path: Path) -> bytes:
    """The bytes of a file; a ModelFileError if it cannot be read."""
    try:
        return read_regular(path)
    except OSError as error:
        raise ModelFileError(f"{path} cannot be read: {error.strerror}") from error


def parse_json(content: bytes, path: Path) -> Any:
    """The JSON value of a file's content; a ModelFileError if it is not JSON."""
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise ModelFileError(f"{path} is not JSON: {error}") from error
