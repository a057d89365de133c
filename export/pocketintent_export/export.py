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
from pocketintent.runtime.encoders import DEFAULT_MODEL, StaticEncoder, load_encoder
from pocketintent.runtime.errors import PocketIntentError, require
from pocketintent.runtime.exported import (
    CONFORMANCE,
    FORMAT_VERSION,
    LABELS,
    VOCABULARY,
    open_exported,
)
from pocketintent.runtime.matching import Decision
from pocketintent.runtime.quantizer import QuantizedMatrix
from pocketintent.runtime.recognizer import IntentRecognizer
from pocketintent.runtime.templates import IntentTemplates, TemplateSet, TemplateSource
from pocketintent.runtime.token_inputs import TokenInputs
from pocketintent_export.conformance import CutEncoder, make_conformance
from pocketintent_export.folder import (
    artifacts,
    check_target,
    labels,
    new_folder,
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
    seed: int = 0,
    progress: Progress = lambda stage: None,
) -> dict[str, Any]:
    """Export a recogniser, and prove that it equals the runtime.

    Args:
        out: The folder to make; it must not be there, or be empty. There is never half of it.
        templates: A template file, the name of a shipped set, a mapping, or a set.
        model: A model file; the model of the package when None.
        file_format: ``"onnx"`` or ``"tflite"``.
        decision: How an intent is scored; see :class:`pocketintent.IntentRecognizer`.
        scoring: ``"decoded"`` multiplies the decoded templates, ``"table"`` sums look-ups in a
            table of similarities; the scores are the same.
        max_length: Slots of a TFLite graph; those of an ONNX graph are free.
        seed: Seed of the conformance utterances.
        progress: Called at each stage.

    Returns:
        The report: files with their bytes, the encoder's size against the model's, and the
        largest differences of the proof.

    Raises:
        PocketIntentError: An argument, the model or the templates cannot be used, the folder
            cannot be made, a package is missing, or the proof fails.
    """
    started = time.monotonic()
    _check_arguments(file_format, scoring, max_length)
    target = check_target(out)
    source = DEFAULT_MODEL if model is None else Path(model)
    encoder = _load_exportable(source)
    inputs = TokenInputs(
        encoder.vocabulary,
        encoder.tokenizer_spec,
        encoder.ngram_settings,
        max_length if file_format == "tflite" else None,
    )
    progress("encoding the templates")
    recognizer = IntentRecognizer(CutEncoder(encoder, inputs), templates, decision=decision)
    known = _known_templates(recognizer)
    progress("making the conformance utterances")
    lines = make_conformance(recognizer, inputs, seed)
    manifest = {
        "format_version": FORMAT_VERSION,
        "format": file_format,
        "kind": encoder.kind,
        "dim": encoder.dim,
        "max_length": inputs.max_length,
        "decision": decision,
        "scoring": scoring,
        "tokenizer": encoder.tokenizer_spec,
        "ngrams": encoder.ngram_settings,
        "artifacts": artifacts(file_format, encoder.dim, len(known.intents), inputs.max_length),
        "model": _describe(source),
        "versions": _versions(file_format),
        "template_codebook": _template_codebook(recognizer),
    }
    with new_folder(target) as folder:
        (folder / VOCABULARY).write_bytes("\n".join(encoder.vocabulary.words).encode())
        (folder / LABELS).write_bytes(to_json(labels(known), indent=True))
        (folder / CONFORMANCE).write_bytes(b"".join(to_json(line) for line in lines))
        _write_graphs(folder, encoder, recognizer, manifest, progress)
        write_manifest(folder, manifest)
        progress(f"proving the graphs on {len(lines)} utterances")
        proof = prove(open_exported(folder), recognizer.encoder, known, lines)
        write_manifest(folder, manifest | {"proof": proof.to_dict()})
    sizes = {path.name: path.stat().st_size for path in sorted(target.iterdir())}
    ratio = sizes[f"encoder.{file_format}"] / manifest["model"]["bytes"]
    return {
        "out": str(out),
        "format": file_format,
        "intents": len(known.intents),
        "templates": len(recognizer.indexed.texts),
        "left_out": _left_out(recognizer),
        "bytes": sizes,
        "encoder_to_model": round(ratio, 4),
        "proof": proof.to_dict(),
        "seconds": round(time.monotonic() - started, 1),
    }


def _check_arguments(file_format: str, scoring: str, max_length: int) -> None:
    for name, value, choices in (
        ("format", file_format, get_args(Format)),
        ("scoring", scoring, get_args(Scoring)),
    ):
        if value not in choices:
            raise PocketIntentError(f"{name} {value!r} is not one of {', '.join(choices)}")
    if max_length < 1:
        raise PocketIntentError(f"max_length {max_length} is less than 1")
    for module in MODULES[file_format]:
        # Found, not imported: the converters take seconds to import.
        if importlib.util.find_spec(module) is None:
            require(module, "export")


def _load_exportable(source: Path) -> StaticEncoder:
    encoder = load_encoder(source)
    if not isinstance(encoder, StaticEncoder):
        kind = getattr(encoder, "kind", type(encoder).__name__)
        raise PocketIntentError(f"{source}: encoders of kind {kind!r} cannot be exported")
    for matrix in (encoder.words, encoder.ngrams):
        if matrix is not None and not isinstance(matrix, QuantizedMatrix):
            raise PocketIntentError(
                f"{source}: the model is not compressed, and an export holds codes; make one "
                f"first: pocketintent compress {source} --out small.safetensors"
            )
    return encoder


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
    encoder: StaticEncoder,
    recognizer: IntentRecognizer,
    manifest: dict[str, Any],
    progress: Progress,
) -> None:
    from pocketintent_export.modules import ENCODER_MODULES, RecognizerModule
    from pocketintent_export.writers import WRITERS

    write = WRITERS[manifest["format"]]
    module = ENCODER_MODULES[encoder.kind](encoder)
    modules = {
        "encoder": module,
        "recognizer": RecognizerModule(
            module,
            recognizer.indexed,
            manifest["decision"],
            manifest["scoring"],
            keep_codes=manifest["format"] == "tflite",
        ),
    }
    for name, artifact in manifest["artifacts"].items():
        progress(f"converting the {name}")
        outputs = [output["name"] for output in artifact["outputs"]]
        write(modules[name], outputs, folder / artifact["file"], manifest["max_length"])
