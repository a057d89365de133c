"""A folder that ``pocketintent export`` wrote: its files, verified, and the objects they describe.

``docs/exported-folder.md`` describes the files. This module runs in Python what an app in another
language runs; ``pocketintent export`` writes the folder.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any

from pocketintent.runtime.background import Background, check_background
from pocketintent.runtime.errors import UPGRADE, ModelFileError, list_names, shorten
from pocketintent.runtime.files.model_file import ModelFile, load_model
from pocketintent.runtime.graphs.backends import GRAPHS, Graph
from pocketintent.runtime.graphs.features import TEXT_FEATURES, TextFeatures
from pocketintent.runtime.graphs.inputs import GraphInputs, Speller
from pocketintent.runtime.graphs.manifest import (
    MANIFEST,
    Manifest,
    parse_json,
    read_bytes,
    read_manifest,
)
from pocketintent.runtime.templates.template_set import TemplateSet, parse_templates
from pocketintent.runtime.text.correction import read_settings
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.runtime.text.vocabulary import LostWords, Vocabulary

LABELS = "labels.json"
VOCABULARY = "vocabulary.txt"
LOST_WORDS = "lost_words.bin"
CONFORMANCE = "conformance.jsonl"
STATE = "state.safetensors"
"""What the Python runtime needs beside the graphs: the model's background, the codes of the
templates, and what the decision has fitted on them."""
BACKENDS = {"onnxruntime": "onnx", "tflite": "tflite"}
"""Format of the graphs that each backend runs."""


@dataclass(frozen=True)
class ExportedFolder:
    """An exported folder; its files other than the manifest are read when they are used."""

    path: Path
    """The folder."""
    manifest: Manifest
    """Its manifest."""

    def read(self, name: str) -> bytes:
        """The bytes of a file; a ModelFileError if its SHA-256 is not the one in the manifest."""
        entry = self.manifest.entry("files", dict).get(name)
        if not isinstance(entry, dict):
            raise ModelFileError(f"{self.manifest.path} lists no file {name!r}")
        content = read_bytes(self.path / name)
        if hashlib.sha256(content).hexdigest() != entry.get("sha256"):
            raise ModelFileError(
                f"{self.path / name} was altered or damaged: its SHA-256 differs from the one in "
                f"{MANIFEST}; export again"
            )
        return content

    def graph(self, artifact: str) -> Graph:
        """The graph ``"encoder"``, ``"recognizer"`` or ``"characters"``, ready to run.

        A MissingExtraError if the package that runs it is not installed; a ModelFileError if it is
        missing or damaged, cannot be run, or does not fit the manifest.
        """
        name = f"{artifact}.{self.manifest.file_format}"
        content, path = self.read(name), self.path / name
        inputs, outputs = (self.manifest.tensors(artifact, side) for side in ("inputs", "outputs"))
        graph = GRAPHS[self.manifest.file_format](content, path)
        graph.expect(inputs, outputs)
        return graph

    def inputs(self) -> GraphInputs:
        """From a text to the graphs' inputs; a ModelFileError if a file or setting is unusable."""
        manifest = self.manifest
        names = set(manifest.tensors("encoder", "inputs"))
        characters = manifest.characters() if names & {"spelt", "characters"} else None
        reads = manifest.entry("reads", str)
        if reads != ("text" if "characters" in names else "words"):
            raise manifest.error(
                f"reads is {reads!r}, but the graphs take {', '.join(sorted(names))}"
            )
        if reads == "text":
            return GraphInputs(None, characters=characters)
        spec, ngrams = manifest.entry("tokenizer", dict), manifest.entries.get("ngrams")
        max_length, max_tokens = manifest.limit("max_length"), manifest.limit("max_tokens")
        if ("token_numbers" in names) != (max_tokens is not None):
            raise manifest.error(
                "max_tokens must be a whole number if the graphs take token_numbers, and null "
                f"otherwise, not {max_tokens!r}"
            )
        vocabulary = self._vocabulary() if "ids" in names else None
        with manifest.naming():
            if vocabulary is None:
                return GraphInputs(spec, characters=characters)
            settings = None if ngrams is None else NgramSettings.from_manifest(ngrams)
            return GraphInputs(spec, vocabulary, settings, max_length, max_tokens, characters)

    def features(self) -> TextFeatures:
        """What only the recogniser graph takes; a ModelFileError if it is unknown here."""
        manifest = self.manifest
        inputs = (manifest.tensors(graph, "inputs") for graph in ("recognizer", "encoder"))
        names = next(inputs).keys() - next(inputs).keys()
        unknown = names - TEXT_FEATURES.keys()
        if unknown:
            raise manifest.error(f"the recogniser takes {list_names(unknown)}; {UPGRADE}")
        settings = manifest.entries.get("features", {})
        is_object = isinstance(settings, dict) and all(
            isinstance(entry, dict) for entry in settings.values()
        )
        if not is_object or settings.keys() != names:
            raise manifest.error(
                f"'features' is {shorten(settings)}, and the recogniser takes "
                f"{list_names(names)}; {UPGRADE}"
            )
        with manifest.naming():
            return TextFeatures(settings)

    @property
    def corrects(self) -> bool:
        """Whether typing errors are corrected; a ModelFileError if by other rules than here."""
        return self._correction() is not None

    def _correction(self) -> tuple[frozenset[str], list[int]] | None:
        """The settings of the correction, see :func:`read_settings`; None without correction."""
        settings = self.manifest.entries.get("correction")
        with self.manifest.naming(remedy=f"; {UPGRADE}"):
            return None if settings is None else read_settings(settings)

    def state(self) -> ModelFile | None:
        """What the runtime needs beside the graphs; None if the folder has no such file."""
        if STATE not in self.manifest.entry("files", dict):
            return None
        self.read(STATE)  # compares the hash
        return load_model(self.path / STATE)

    def background(self) -> Background | None:
        """The background of the exported model, if any; a ModelFileError if it is damaged."""
        if (state := self.state()) is None:
            return None
        try:
            background = Background.read(state.manifest, state.tensors)
            check_background(background, self.manifest.dim)
        except ModelFileError as error:
            raise ModelFileError(f"{state.path}: {error}") from error
        return background

    def speller(self, inputs: GraphInputs) -> Speller | None:
        """The function from spelt words to the sum of their vectors; None without such words."""
        if not inputs.spells:
            return None
        graph = self.graph("characters")
        inputs.probe(graph, words=True)
        return Speller(graph, self.manifest.dim)

    def templates(self) -> TemplateSet:
        """The templates of the recogniser graph, with their thresholds and the margin.

        A ModelFileError if their file is missing or damaged; a TemplateError if they are invalid.
        """
        path = self.path / LABELS
        labels = parse_json(self.read(LABELS), path)
        try:
            intents = {intent.pop("name"): _given(intent) for intent in labels.pop("intents")}
            entries = _given(labels)
        except (KeyError, TypeError, AttributeError) as error:
            raise ModelFileError(f"{path}: not the labels of an export") from error
        return parse_templates(entries | {"intents": intents}, str(path))

    def _vocabulary(self) -> Vocabulary:
        content, lost = self.read(VOCABULARY), self._lost_words()
        try:
            return Vocabulary(content.decode().split("\n") if content else [], lost)
        except ValueError as error:
            raise ModelFileError(f"{self.path / VOCABULARY}: {error}") from error

    def _lost_words(self) -> LostWords:
        """The words that the exported model has lost."""
        settings = self._correction()
        ends = list(accumulate(settings[1])) if settings else []
        if not ends:
            return LostWords()
        content = self.read(LOST_WORDS)
        if ends[-1] != len(content):
            raise self.manifest.error(
                f"the filters of 'lost_words' have {ends[-1]} bytes, and {LOST_WORDS} has "
                f"{len(content)}"
            )
        return LostWords([content[a:b] for a, b in zip([0, *ends], ends, strict=False)])


def _given(entries: dict[str, Any]) -> dict[str, Any]:
    """Entries without those that are null, which stand for a default."""
    return {key: value for key, value in entries.items() if value is not None}


def open_exported(path: str | os.PathLike[str], backend: str | None = None) -> ExportedFolder:
    """Open an exported folder and check its manifest.

    ``backend`` is the one that will run the graphs, ``"onnxruntime"`` or ``"tflite"``; None for any
    format. ModelFileError for another one, no exported folder, or one of a later version.
    """
    folder = Path(path)
    if not folder.is_dir():
        problem = (
            "is a file, not an exported folder" if folder.exists() else "there is no such folder"
        )
        runs = "This reads" if backend is None else f"Backend {backend!r} runs"
        raise ModelFileError(
            f"{folder}: {problem}. {runs} an exported model: pocketintent export "
            f"--templates FILE --format {BACKENDS.get(backend or '', 'onnx')} --out FOLDER"
        )
    manifest = read_manifest(folder)
    file_format = manifest.file_format
    if backend is not None and file_format != BACKENDS[backend]:
        right = next(name for name, runs in BACKENDS.items() if runs == file_format)
        raise ModelFileError(
            f"{folder} contains {file_format} graphs, which backend {right!r} runs, not {backend!r}"
        )
    return ExportedFolder(folder, manifest)
