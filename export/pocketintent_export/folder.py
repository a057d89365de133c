"""The files of an exported folder other than its graphs: ``docs/exported-folder.md``."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import orjson

from pocketintent.runtime.bot_file import bot_parts
from pocketintent.runtime.decision.bot import Bot
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.graphs.features import TextFeatures
from pocketintent.runtime.graphs.folder import CONFORMANCE, LABELS, LOST_WORDS, STATE, VOCABULARY
from pocketintent.runtime.graphs.inputs import GraphInputs
from pocketintent.runtime.graphs.manifest import FORMAT_VERSION, MANIFEST
from pocketintent.runtime.templates.template_set import TemplateSet
from pocketintent.runtime.text.characters import NORMALISATION
from pocketintent.runtime.text.correction import correction_settings
from pocketintent.runtime.text.languages import languages_entry, read_languages
from pocketintent_export.formats import Format, GraphTensor, Scoring, package_versions


def check_target(path: str | os.PathLike[str]) -> Path:
    """The absolute path of a folder that can be created: new, or empty.

    A PocketIntentError if it is a file, not empty or the current folder, or has no parent.
    """
    target = Path(os.path.abspath(path))
    if not target.parent.is_dir():
        raise PocketIntentError(f"{path}: there is no folder {target.parent} to put it in")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        problem = "not empty" if target.is_dir() else "a file"
        raise PocketIntentError(f"{path} is {problem}: name a new or an empty folder")
    if target.exists() and target.samefile(os.curdir):
        raise PocketIntentError(f"{path} is the current folder, which is replaced: name another")
    return target


def write_files(
    folder: Path, bot: Bot, inputs: GraphInputs, lines: Sequence[Mapping[str, Any]]
) -> None:
    """Write all files but the graphs and the manifest.

    They are the vocabulary and the filters of lost words, if there are any, the labels, the
    conformance file, and what the runtime in Python needs beside the graphs and the labels.
    """
    if inputs.vocabulary is not None:
        (folder / VOCABULARY).write_bytes("\n".join(inputs.vocabulary.words).encode())
    words = bot.encoder.known_words if bot.correct else None
    if words is not None and words.lost.filters:
        (folder / LOST_WORDS).write_bytes(b"".join(words.lost.filters))
    (folder / LABELS).write_bytes(_to_json(_labels(bot.templates), indent=True))
    (folder / CONFORMANCE).write_bytes(b"".join(map(_to_json, lines)))
    manifest, tensors = bot_parts(bot)
    if (background := bot.encoder.background) is not None:
        background.add_to(manifest, tensors)
    save_model(folder / STATE, {"kind": "export", **manifest}, tensors)


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write the manifest, with the size and SHA-256 of every other file."""
    paths = sorted(path for path in folder.iterdir() if path.name != MANIFEST)
    files = {path.name: _describe_file(path) for path in paths}
    (folder / MANIFEST).write_bytes(_to_json({**manifest, "files": files}, indent=True))


def _describe_file(path: Path) -> dict[str, Any]:
    """Size and SHA-256 of a file."""
    content = path.read_bytes()
    return {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def _labels(templates: TemplateSet) -> dict[str, Any]:
    """The content of ``labels.json``: intents and templates, in the order of the graph."""
    return {
        "language": templates.language,
        "threshold": templates.threshold,
        "margin": templates.margin,
        "learn_names": templates.learn_names,
        "intents": [
            {
                "name": name,
                "threshold": intent.threshold,
                "templates": intent.templates,
                "except": intent.counter_examples,
            }
            for name, intent in templates.intents.items()
        ],
        "none": templates.none,
        "background": templates.background,
    }


def describe(
    bot: Bot,
    encoder: ModelEncoder,
    inputs: GraphInputs,
    file_format: Format,
    scoring: Scoring,
    model: Path,
) -> dict[str, Any]:
    """The manifest of a bot and its model file, without the proof and the other files."""
    assert bot.scorer is not None
    characters, ngrams, quantizer = inputs.characters, inputs.ngram_settings, bot.indexed.quantizer
    words = bot.encoder.known_words if bot.correct else None
    return {
        "format_version": FORMAT_VERSION,
        "format": file_format,
        "decision": bot.decision,
        "scoring": scoring,
        "kind": encoder.kind,
        "dim": encoder.dim,
        **languages_entry(read_languages(encoder.manifest)),
        "reads": "text" if inputs.tokenize is None else "words",
        "max_length": inputs.max_length,
        "max_tokens": inputs.max_tokens,
        "tokenizer": None if inputs.tokenize is None else encoder.tokenizer_spec,
        "ngrams": None if ngrams is None else ngrams.to_manifest(),
        "characters": None
        if characters is None
        else {
            "normalisation": NORMALISATION,
            "max_chars": characters.max_chars,
            "known": characters.characters,
        },
        "features": bot.scorer.text_features,
        "correction": None if words is None else correction_settings(words),
        "artifacts": _artifacts(file_format, bot, inputs, TextFeatures(bot.scorer.text_features)),
        "model": _describe_file(model),
        "versions": package_versions(file_format),
        "template_codebook": None if quantizer is None else quantizer.codebook,
    }


def _artifacts(
    file_format: Format, bot: Bot, inputs: GraphInputs, features: TextFeatures
) -> dict[str, Any]:
    """The entry ``artifacts``: the file, the inputs and the outputs of each graph."""
    dim, num_intents = bot.encoder.dim, len(bot.indexed.names)
    fixed = file_format == "tflite"
    slots = inputs.max_length if fixed and inputs.max_length else "length"
    chars = inputs.characters.max_chars if fixed and inputs.characters else "length"

    def tensor(name: str, dtype: Literal["int32", "float32"], *shape: str | int) -> GraphTensor:
        return GraphTensor(name, dtype, (1 if fixed else "batch", *shape))

    characters = [tensor("characters", "int32", chars), tensor("lengths", "int32")]
    of_text = [
        tensor("ids", "int32", slots),
        tensor("weights", "float32", slots),
        tensor("token_numbers", "int32", slots),
        tensor("spelt", "float32", dim),
        *characters,
    ]
    of_text = [own for own in of_text if own.name in inputs.names]
    of_features = [tensor(name, "float32", size) for name, size in features.sizes.items()]
    scores = [tensor("scores", "float32", num_intents), tensor("templates", "int32", num_intents)]
    graphs = {
        "encoder": (of_text, [tensor("vector", "float32", dim)]),
        "recognizer": (of_text + of_features, scores),
    }
    if inputs.spells:
        graphs["characters"] = characters, [tensor("vectors", "float32", dim)]
    return {
        name: {"file": f"{name}.{file_format}", "inputs": graph_inputs, "outputs": outputs}
        for name, (graph_inputs, outputs) in graphs.items()
    }


def _to_json(value: Any, indent: bool = False) -> bytes:
    """A value, which may contain NumPy arrays and numbers, as a line of JSON or indented JSON."""
    option = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_APPEND_NEWLINE
    return orjson.dumps(value, option=option | (orjson.OPT_INDENT_2 if indent else 0))
