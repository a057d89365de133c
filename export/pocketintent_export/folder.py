"""The files of an exported folder other than its graphs; ``docs/export.md`` describes them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from pocketintent.recognizer import IntentRecognizer
from pocketintent.runtime.bot_file import bot_parts
from pocketintent.runtime.decision.bot import Bot
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.graphs.features import TextFeatures
from pocketintent.runtime.graphs.folder import CONFORMANCE, LABELS, STATE, VOCABULARY
from pocketintent.runtime.graphs.inputs import GraphInputs
from pocketintent.runtime.graphs.manifest import MANIFEST
from pocketintent.runtime.templates.template_set import TemplateSet
from pocketintent.runtime.text.characters import NORMALISATION
from pocketintent.runtime.text.languages import languages_entry, read_languages


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


def write_texts(
    folder: Path, inputs: GraphInputs, templates: TemplateSet, lines: Sequence[Mapping[str, Any]]
) -> None:
    """Write the vocabulary, if there is one, the labels and the conformance file."""
    if inputs.slots is not None:
        words = inputs.slots.vocabulary.words
        (folder / VOCABULARY).write_bytes("\n".join(words).encode())
    (folder / LABELS).write_bytes(_to_json(_labels(templates), indent=True))
    (folder / CONFORMANCE).write_bytes(b"".join(map(_to_json, lines)))


def write_state(folder: Path, recognizer: IntentRecognizer, templates: TemplateSet) -> None:
    """Write what the runtime in Python needs beside the graphs and ``labels.json``."""
    encoder, correct = recognizer.encoder, recognizer.correct
    settings = recognizer.decision, recognizer.search, correct
    bot = Bot(encoder, templates, *settings, recognizer.indexed, recognizer.scorer)
    manifest, tensors = bot_parts(bot)
    if (background := encoder.background) is not None:
        background.add_to(manifest, tensors)
    save_model(folder / STATE, {"kind": "export", **manifest}, tensors)


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write the manifest, with the size and SHA-256 of every other file."""
    files = {}
    for path in sorted(folder.iterdir()):
        if path.name != MANIFEST:
            files[path.name] = describe_file(path)
    (folder / MANIFEST).write_bytes(_to_json({**manifest, "files": files}, indent=True))


def describe_file(path: Path) -> dict[str, Any]:
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


def describe_inputs(encoder: ModelEncoder, inputs: GraphInputs) -> dict[str, Any]:
    """The manifest's entries that describe how a text becomes the graphs' inputs."""
    ngrams = None if inputs.slots is None else inputs.slots.ngram_settings
    characters = inputs.characters
    return {
        "kind": encoder.kind,
        "dim": encoder.dim,
        **languages_entry(read_languages(encoder.manifest)),
        "reads": "text" if inputs.tokenize is None else "words",
        "max_length": inputs.max_length,
        "max_tokens": None if inputs.slots is None else inputs.slots.max_tokens,
        "tokenizer": None if inputs.tokenize is None else encoder.tokenizer_spec,
        "ngrams": None if ngrams is None else ngrams.to_manifest(),
        "characters": None
        if characters is None
        else {
            "normalisation": NORMALISATION,
            "max_chars": characters.max_chars,
            "known": characters.characters,
        },
    }


def artifacts(
    file_format: str,
    dim: int,
    num_intents: int,
    inputs: GraphInputs,
    text_features: TextFeatures,
) -> dict[str, Any]:
    """The entry ``artifacts``: the file, the inputs and the outputs of each graph."""
    fixed = file_format == "tflite"
    batch = 1 if fixed else "batch"
    slots = inputs.max_length if fixed and inputs.max_length else "length"
    chars = inputs.characters.max_chars if fixed and inputs.characters else "length"
    input_tensors = {
        "ids": _tensor("ids", "int32", batch, slots),
        "weights": _tensor("weights", "float32", batch, slots),
        "token_numbers": _tensor("token_numbers", "int32", batch, slots),
        "spelt": _tensor("spelt", "float32", batch, dim),
        "characters": _tensor("characters", "int32", batch, chars),
        "lengths": _tensor("lengths", "int32", batch),
    }
    text_inputs = [input_tensors[name] for name in inputs.names]
    sizes = text_features.sizes.items()
    features = [_tensor(name, "float32", batch, size) for name, size in sizes]
    graphs = {
        "encoder": (text_inputs, [_tensor("vector", "float32", batch, dim)]),
        "recognizer": (
            text_inputs + features,
            [
                _tensor("scores", "float32", batch, num_intents),
                _tensor("templates", "int32", batch, num_intents),
            ],
        ),
    }
    if inputs.spells:
        word_inputs = [input_tensors["characters"], input_tensors["lengths"]]
        graphs["characters"] = word_inputs, [_tensor("vectors", "float32", batch, dim)]
    return {
        name: {"file": f"{name}.{file_format}", "inputs": graph_inputs, "outputs": outputs}
        for name, (graph_inputs, outputs) in graphs.items()
    }


def _to_json(value: Any, indent: bool = False) -> bytes:
    """A value, which may contain NumPy arrays and numbers, as a line of JSON or indented JSON."""
    option = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_APPEND_NEWLINE
    return orjson.dumps(value, option=option | (orjson.OPT_INDENT_2 if indent else 0))


def _tensor(name: str, dtype: str, *shape: str | int) -> dict[str, Any]:
    return {"name": name, "dtype": dtype, "shape": list(shape)}
