"""The export: a folder with graphs, vocabulary, labels and the utterances that prove it."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, get_args

from pocketintent import __version__
from pocketintent.runtime.decision.matching import Decision
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError, require
from pocketintent.runtime.files.atomic import new_folder
from pocketintent.runtime.files.shipped_models import find_model
from pocketintent.runtime.graphs.folder import (
    CONFORMANCE,
    FORMAT_VERSION,
    LABELS,
    VOCABULARY,
    open_exported,
)
from pocketintent.runtime.graphs.inputs import GraphInputs
from pocketintent.runtime.recognizer import IntentRecognizer
from pocketintent.runtime.templates.files import TemplateSource
from pocketintent.runtime.templates.template_set import IntentTemplates, TemplateSet
from pocketintent.runtime.text.characters import NORMALISATION
from pocketintent_export.conformance import make_conformance
from pocketintent_export.exportable import (
    CutEncoder,
    Exportable,
    graph_inputs,
    load_exportable,
    reads_text,
    table_of,
)
from pocketintent_export.folder import (
    artifacts,
    check_target,
    labels,
    to_json,
    write_manifest,
)
from pocketintent_export.proof import prove

Format = Literal["onnx", "tflite"]
Scoring = Literal["decoded", "table"]
Progress = Callable[[str], None]
"""Called with what is being done."""

MAX_LENGTH = 128
"""Slots of a TFLite graph: an utterance of 60 words of which a tenth are unknown fits."""
MAX_WORD_CHARS, MAX_TEXT_CHARS = 32, 128
"""Characters of a TFLite graph that reads words, and of one that reads whole texts."""
MODULES = {
    "onnx": ("torch", "onnx", "onnxscript", "onnxruntime"),
    "tflite": ("torch", "litert_torch", "ai_edge_litert"),
}
"""What each format needs."""


def export_folder(
    out: str | os.PathLike[str],
    templates: TemplateSource,
    model: str | os.PathLike[str] | None = None,
    *,
    file_format: Format = "onnx",
    decision: Decision = "nearest+centroid",
    scoring: Scoring = "decoded",
    max_length: int = MAX_LENGTH,
    max_chars: int | None = None,
    seed: int = 0,
    progress: Progress = lambda stage: None,
) -> dict[str, Any]:
    """Export a recogniser, and prove that it equals the runtime.

    Args:
        out: The folder to make; it must not be there, or be empty. There is never half of it.
        templates: A template file, the name of a shipped set, a mapping, or a set.
        model: A model file or the name of a shipped model; the default model when None.
        file_format: ``"onnx"`` or ``"tflite"``.
        decision: How an intent is scored; see :class:`pocketintent.IntentRecognizer`.
        scoring: ``"decoded"`` multiplies the decoded templates, ``"table"`` sums look-ups in a
            table of similarities; the scores are the same.
        max_length: Slots of a TFLite graph; those of an ONNX graph are free.
        max_chars: Characters of a word, or of a text, that a TFLite graph of a character
            network reads, at most the model's own number; None for ``MAX_WORD_CHARS`` or
            ``MAX_TEXT_CHARS``. An ONNX graph reads the model's own number.
        seed: Seed of the conformance utterances.
        progress: Called at each stage.

    Returns:
        The report: files with their bytes, what the encoder's graphs take of the model's bytes,
        and the largest differences of the proof.

    Raises:
        PocketIntentError: An argument, the model or the templates cannot be used, the folder
            cannot be made, a package is missing, or the proof fails.
        OSError: The folder cannot be written.
    """
    started = time.monotonic()
    _check_arguments(file_format, scoring, max_length, max_chars)
    target = check_target(out)
    source = find_model(model)
    encoder = load_exportable(source)
    inputs = graph_inputs(encoder)
    if file_format == "tflite":
        default = MAX_TEXT_CHARS if reads_text(encoder) else MAX_WORD_CHARS
        inputs = graph_inputs(encoder, max_length, default if max_chars is None else max_chars)
    progress("encoding the templates")
    recognizer = IntentRecognizer(CutEncoder(encoder, inputs), templates, decision=decision)
    known = _known_templates(recognizer)
    progress("making the conformance utterances")
    lines = make_conformance(recognizer, inputs, seed)
    manifest = {
        "format_version": FORMAT_VERSION,
        "format": file_format,
        "decision": decision,
        "scoring": scoring,
        **_describe_inputs(encoder, inputs),
        "artifacts": artifacts(file_format, encoder.dim, len(known.intents), inputs),
        "model": _describe(source),
        "versions": _versions(file_format),
        "template_codebook": _template_codebook(recognizer),
    }
    with new_folder(target) as folder:
        if inputs.slots is not None:
            words = inputs.slots.vocabulary.words
            (folder / VOCABULARY).write_bytes("\n".join(words).encode())
        (folder / LABELS).write_bytes(to_json(labels(known), indent=True))
        (folder / CONFORMANCE).write_bytes(b"".join(to_json(line) for line in lines))
        _write_graphs(folder, encoder, recognizer, manifest, progress)
        write_manifest(folder, manifest)
        progress(f"proving the graphs on {len(lines)} utterances")
        proof = prove(open_exported(folder), recognizer.encoder, known, lines)
        write_manifest(folder, manifest | {"proof": proof.to_dict()})
    sizes = {path.name: path.stat().st_size for path in sorted(target.iterdir())}
    to_model = {
        f"{name}_to_model": round(sizes[artifact["file"]] / manifest["model"]["bytes"], 4)
        for name, artifact in manifest["artifacts"].items()
        if name != "recognizer"
    }
    return {
        "out": str(out),
        "format": file_format,
        "intents": len(known.intents),
        "templates": len(recognizer.indexed.texts),
        "left_out": _left_out(recognizer),
        "bytes": sizes,
        **to_model,
        "proof": proof.to_dict(),
        "seconds": round(time.monotonic() - started, 1),
    }


def _check_arguments(
    file_format: str, scoring: str, max_length: int, max_chars: int | None
) -> None:
    for name, value, choices in (
        ("format", file_format, get_args(Format)),
        ("scoring", scoring, get_args(Scoring)),
    ):
        if value not in choices:
            raise PocketIntentError(f"{name} {value!r} is not one of {', '.join(choices)}")
    for name, number in (("max_length", max_length), ("max_chars", max_chars)):
        if number is not None and number < 1:
            raise PocketIntentError(f"{name} {number} is less than 1")
    for module in MODULES[file_format]:
        # Found, not imported: the converters take seconds to import.
        if importlib.util.find_spec(module) is None:
            require(module, "export")


def _describe_inputs(encoder: Exportable, inputs: GraphInputs) -> dict[str, Any]:
    """The entries of the manifest that say how a text becomes the graphs' inputs."""
    table, characters = table_of(encoder), inputs.characters
    return {
        "kind": encoder.kind,
        "dim": encoder.dim,
        "reads": "text" if inputs.tokenize is None else "words",
        "max_length": inputs.max_length,
        "tokenizer": None if inputs.tokenize is None else encoder.tokenizer_spec,
        "ngrams": None if table is None else table.ngram_settings,
        "characters": None
        if characters is None
        else {
            "normalisation": NORMALISATION,
            "max_chars": characters.max_chars,
            "known": characters.characters,
        },
    }


def _known_templates(recognizer: IntentRecognizer) -> TemplateSet:
    """The templates that the graph holds, in its order."""
    templates, indexed = recognizer.templates, recognizer.indexed
    if indexed.index is None:
        raise PocketIntentError(
            "there is no template to export: the set is empty, or the model knows no word of it"
        )
    templates.intents = {
        name: IntentTemplates(list(rows.texts), templates.intents[name].threshold)
        for name, rows in indexed.intents.items()
    }
    return templates


def _left_out(recognizer: IntentRecognizer) -> list[str]:
    """Templates in which the model knows no word, which can never match."""
    known = set(recognizer.indexed.texts)
    intents = recognizer.templates.intents.values()
    return [text for intent in intents for text in intent.templates if text not in known]


def _template_codebook(recognizer: IntentRecognizer) -> Any:
    quantizer = recognizer.indexed.quantizer
    return None if quantizer is None else quantizer.codebook


def _describe(source: Path) -> dict[str, Any]:
    content = source.read_bytes()
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def _versions(file_format: str) -> dict[str, str]:
    packages = [module.replace("_", "-") for module in MODULES[file_format]]
    return {"pocketintent": __version__} | {name: version(name) for name in packages}


def _write_graphs(
    folder: Path,
    encoder: Exportable,
    recognizer: IntentRecognizer,
    manifest: dict[str, Any],
    progress: Progress,
) -> None:
    from pocketintent_export.encoders.characters import characters_module
    from pocketintent_export.encoders.static import encoder_module
    from pocketintent_export.layers.recognizer import RecognizerModule
    from pocketintent_export.writers.convert import WRITERS, GraphInput

    file_format = manifest["format"]
    max_chars = None
    if file_format == "tflite" and manifest["characters"] is not None:
        max_chars = manifest["characters"]["max_chars"]
    module = encoder_module(encoder, file_format, max_chars)
    modules = {
        "encoder": module,
        "recognizer": RecognizerModule(
            module,
            recognizer.indexed,
            manifest["decision"],
            manifest["scoring"],
            keep_codes=file_format == "tflite",
        ),
    }
    if "characters" in manifest["artifacts"]:
        assert not isinstance(encoder, StaticEncoder)
        modules["characters"] = characters_module(encoder, file_format, max_chars)
    for name, artifact in manifest["artifacts"].items():
        progress(f"converting the {name}")
        inputs = [
            GraphInput(given["name"], given["dtype"], tuple(given["shape"]))
            for given in artifact["inputs"]
        ]
        outputs = [output["name"] for output in artifact["outputs"]]
        WRITERS[file_format](modules[name], inputs, outputs, folder / artifact["file"])
