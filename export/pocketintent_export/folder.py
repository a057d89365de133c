"""The files of an exported folder beside its graphs; ``docs/export.md`` describes them."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.graphs.folder import MANIFEST
from pocketintent.runtime.graphs.inputs import GraphInputs
from pocketintent.runtime.templates.template_set import TemplateSet
from pocketintent.runtime.text.characters import NORMALISATION


def check_target(path: str | os.PathLike[str]) -> Path:
    """The folder to make, after a check that it can be made.

    Raises:
        PocketIntentError: It is a file or not empty, or its parent is no folder.
    """
    target = Path(os.path.abspath(path))
    if not target.parent.is_dir():
        raise PocketIntentError(f"{path}: there is no folder {target.parent} to put it in")
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        what = "not empty" if target.is_dir() else "a file"
        raise PocketIntentError(f"{path} is {what}: name a new folder, or an empty one")
    return target


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write the manifest, with the size and SHA-256 of every other file."""
    files = {}
    for path in sorted(folder.iterdir()):
        if path.name != MANIFEST:
            content = path.read_bytes()
            sha256 = hashlib.sha256(content).hexdigest()
            files[path.name] = {"bytes": len(content), "sha256": sha256}
    (folder / MANIFEST).write_bytes(to_json({**manifest, "files": files}, indent=True))


def labels(templates: TemplateSet) -> dict[str, Any]:
    """The content of ``labels.json``: intents and templates in the order of the graph."""
    return {
        "language": templates.language,
        "threshold": templates.threshold,
        "margin": templates.margin,
        "intents": [
            {"name": name, "threshold": intent.threshold, "templates": intent.templates}
            for name, intent in templates.intents.items()
        ],
    }


def describe_inputs(encoder: ModelEncoder, inputs: GraphInputs) -> dict[str, Any]:
    """The manifest's entries for the step from a text to the graphs' inputs."""
    ngrams = None if inputs.slots is None else inputs.slots.ngram_settings
    characters = inputs.characters
    return {
        "kind": encoder.kind,
        "dim": encoder.dim,
        "reads": "text" if inputs.tokenize is None else "words",
        "max_length": inputs.max_length,
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


def artifacts(file_format: str, dim: int, num_intents: int, inputs: GraphInputs) -> dict[str, Any]:
    """What the manifest says of the graphs: file, inputs and outputs."""
    fixed = file_format == "tflite"
    batch = 1 if fixed else "batch"
    slots = inputs.max_length if fixed and inputs.max_length else "length"
    chars = inputs.characters.max_chars if fixed and inputs.characters else "length"
    known = {
        "ids": _tensor("ids", "int32", batch, slots),
        "weights": _tensor("weights", "float32", batch, slots),
        "spelt": _tensor("spelt", "float32", batch, dim),
        "characters": _tensor("characters", "int32", batch, chars),
        "lengths": _tensor("lengths", "int32", batch),
    }
    text = [known[name] for name in inputs.names]
    tensors = {
        "encoder": (text, [_tensor("vector", "float32", batch, dim)]),
        "recognizer": (
            text,
            [
                _tensor("scores", "float32", batch, num_intents),
                _tensor("templates", "int32", batch, num_intents),
            ],
        ),
    }
    if inputs.spells:
        word = [known["characters"], known["lengths"]]
        tensors["characters"] = word, [_tensor("vectors", "float32", batch, dim)]
    return {
        name: {"file": f"{name}.{file_format}", "inputs": taken, "outputs": given}
        for name, (taken, given) in tensors.items()
    }


def to_json(value: Any, indent: bool = False) -> bytes:
    """One JSON line, or indented JSON for people; NumPy arrays and numbers are written too."""
    option = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_APPEND_NEWLINE
    return orjson.dumps(value, option=option | (orjson.OPT_INDENT_2 if indent else 0))


def _tensor(name: str, dtype: str, *shape: str | int) -> dict[str, Any]:
    return {"name": name, "dtype": dtype, "shape": list(shape)}
