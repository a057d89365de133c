"""A folder that ``pocketintent export`` made: read, verified, and run as an encoder.

Its files are described in ``docs/export.md``. It is read here to run in Python what an app in
another language runs; the export itself is ``pocketintent_export``.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from pocketintent.runtime.errors import ModelFileError, PocketIntentError
from pocketintent.runtime.graphs.backends import GRAPHS, Graph
from pocketintent.runtime.graphs.inputs import GraphInputs, Speller
from pocketintent.runtime.graphs.slots import TokenInputs
from pocketintent.runtime.quantization.quantizer import Quantizer
from pocketintent.runtime.templates.template_set import TemplateSet, parse_templates
from pocketintent.runtime.text.characters import NORMALISATION, CharVocabulary
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.runtime.text.tokenizer import get_tokenizer
from pocketintent.runtime.text.vocabulary import Vocabulary

FORMAT_VERSION = 1
MANIFEST = "manifest.json"
LABELS = "labels.json"
VOCABULARY = "vocabulary.txt"
CONFORMANCE = "conformance.jsonl"
BACKENDS = {"onnxruntime": "onnx", "tflite": "tflite"}
"""The format that each backend runs."""


@dataclass(frozen=True)
class ExportedFolder:
    """The folder, of which only the manifest has been read."""

    path: Path
    """Where it is."""
    manifest: dict[str, Any]
    """Formats, inputs, hashes and settings."""

    @property
    def max_length(self) -> int | None:
        """Slots of the graphs' inputs; None when their number is free, or there are none.

        Raises:
            ModelFileError: The manifest's entry is no such number.
        """
        value = self.manifest.get("max_length")
        if value is not None and (type(value) is not int or value < 1):
            raise self._refuse(f"'max_length' is {value!r}, no number from 1")
        return value

    def entry(self, key: str, kind: type) -> Any:
        """An entry of the manifest.

        Raises:
            ModelFileError: It is missing, or not of this kind.
        """
        value = self.manifest.get(key)
        if not isinstance(value, kind):
            raise self._refuse(f"{key!r} is {value!r}, no {kind.__name__}")
        return value

    def read(self, name: str) -> bytes:
        """The bytes of one of its files.

        Raises:
            ModelFileError: The file is missing, or not what was exported.
        """
        listed = self.entry("files", dict).get(name)
        if not isinstance(listed, dict):
            raise ModelFileError(f"{self.path / MANIFEST} lists no file {name!r}")
        content = _read_bytes(self.path / name)
        if hashlib.sha256(content).hexdigest() != listed.get("sha256"):
            raise ModelFileError(
                f"{self.path / name} was altered or damaged: its SHA-256 is not that of "
                f"{MANIFEST}; export again"
            )
        return content

    def graph(self, artifact: str) -> Graph:
        """The graph ``"encoder"``, ``"recognizer"`` or ``"characters"``, ready to run.

        Raises:
            MissingExtraError: What runs graphs of this format is not installed.
            ModelFileError: The graph is missing, damaged, or cannot be run.
        """
        name = f"{artifact}.{self.entry('format', str)}"
        content = self.read(name)
        return GRAPHS[self.manifest["format"]](content, self.path / name)

    def inputs(self) -> GraphInputs:
        """The step from a text to the graphs' inputs, as the manifest describes it.

        Raises:
            ModelFileError: The vocabulary is missing or damaged, or a setting cannot be used.
        """
        names = self._input_names("encoder")
        characters = self._characters() if names & {"spelt", "characters"} else None
        reads = self.entry("reads", str)
        if reads != ("text" if "characters" in names else "words"):
            raise self._refuse(
                f"reads is {reads!r}, but the graphs take {', '.join(sorted(names))}"
            )
        if reads == "text":
            return GraphInputs(None, None, characters)
        spec, ngrams = self.entry("tokenizer", dict), self.manifest.get("ngrams")
        vocabulary = self._vocabulary() if "ids" in names else None
        try:
            if vocabulary is None:
                return GraphInputs(get_tokenizer(spec), None, characters)
            settings = None if ngrams is None else NgramSettings.from_manifest(ngrams)
            slots = TokenInputs(vocabulary, spec, settings, self.max_length)
        except PocketIntentError as error:
            raise self._refuse(str(error)) from error
        return GraphInputs(slots.tokenize, slots, characters)

    def speller(self, inputs: GraphInputs) -> Speller | None:
        """What gives the vectors of words that are spelt out, where the inputs have such words.

        Raises:
            MissingExtraError: What runs graphs of this format is not installed.
            ModelFileError: The graph is missing, damaged, or cannot be run.
        """
        return Speller(self.graph("characters"), self.entry("dim", int)) if inputs.spells else None

    def _input_names(self, artifact: str) -> set[str]:
        """The inputs of a graph."""
        try:
            return {entry["name"] for entry in self.manifest["artifacts"][artifact]["inputs"]}
        except (KeyError, TypeError) as error:
            raise self._refuse(f"artifacts does not list the inputs of {artifact!r}") from error

    def _vocabulary(self) -> Vocabulary:
        content = self.read(VOCABULARY)
        try:
            return Vocabulary(content.decode().split("\n") if content else [])
        except ValueError as error:
            raise ModelFileError(f"{self.path / VOCABULARY}: {error}") from error

    def _characters(self) -> CharVocabulary:
        entry = self.entry("characters", dict)
        known, max_chars = entry.get("known"), entry.get("max_chars")
        if not isinstance(known, str) or type(max_chars) is not int:
            raise self._refuse("characters must have normalisation, max_chars and known")
        if entry.get("normalisation") != NORMALISATION:
            raise self._refuse(
                f"normalisation {entry.get('normalisation')!r} is not known here; this runtime "
                f"has {NORMALISATION!r}"
            )
        try:
            return CharVocabulary(known, max_chars)
        except PocketIntentError as error:
            raise self._refuse(str(error)) from error

    def _refuse(self, message: str) -> ModelFileError:
        return ModelFileError(f"{self.path / MANIFEST}: {message}")

    def templates(self) -> TemplateSet:
        """The templates that the recogniser graph holds, with thresholds and margin."""
        labels = _parse(self.read(LABELS), self.path / LABELS)
        try:
            intents = {intent.pop("name"): intent for intent in labels.pop("intents")}
        except (KeyError, TypeError, AttributeError) as error:
            raise ModelFileError(f"{self.path / LABELS}: not the labels of an export") from error
        kept = {
            name: {key: value for key, value in intent.items() if value is not None}
            for name, intent in intents.items()
        }
        head = {key: value for key, value in labels.items() if value is not None}
        return parse_templates(head | {"intents": kept}, str(self.path / LABELS))

    def template_quantizer(self) -> Quantizer | None:
        """The codebook of the templates, so that edits on the device are quantised alike."""
        values = self.manifest.get("template_codebook")
        if values is None:
            return None
        try:
            codebook = np.array(values, np.float32)
            return Quantizer(codebook, self.entry("dim", int), normalised=False)
        except (TypeError, ValueError) as error:
            raise self._refuse(f"template_codebook: {error}") from error


def open_exported(path: str | os.PathLike[str], backend: str | None = None) -> ExportedFolder:
    """Open an exported folder.

    Args:
        path: The folder.
        backend: The backend that is to run it, to be checked against its format.

    Returns:
        The folder, with its manifest read and checked.

    Raises:
        ModelFileError: It is no exported folder, a newer one, or of another backend's format.
    """
    folder = Path(path)
    if not folder.is_dir():
        wanted = BACKENDS.get(backend or "", "onnx")
        found = "is a file, no exported folder" if folder.exists() else "there is no such folder"
        raise ModelFileError(
            f"{folder}: {found}. Backend {backend!r} runs an exported model: "
            f"pocketintent export --templates FILE --format {wanted} --out FOLDER"
        )
    manifest = _parse(_read_bytes(folder / MANIFEST), folder / MANIFEST)
    version = manifest.get("format_version") if isinstance(manifest, dict) else None
    if type(version) is not int or manifest.get("format") not in tuple(GRAPHS):
        raise ModelFileError(f"{folder / MANIFEST} is not the manifest of an export")
    if version > FORMAT_VERSION:
        raise ModelFileError(
            f"{folder}: its format version is {version} and this pocketintent reads up to "
            f"{FORMAT_VERSION}; upgrade: pip install --upgrade pocketintent"
        )
    if backend is not None and manifest["format"] != BACKENDS[backend]:
        right = next(name for name, made in BACKENDS.items() if made == manifest["format"])
        raise ModelFileError(
            f"{folder} holds {manifest['format']} graphs, which backend {right!r} runs, "
            f"not {backend!r}"
        )
    return ExportedFolder(folder, manifest)


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ModelFileError(f"{path} cannot be read: {error.strerror}") from error


def _parse(content: bytes, path: Path) -> Any:
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise ModelFileError(f"{path} is not JSON: {error}") from error
