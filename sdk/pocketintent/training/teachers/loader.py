"""Opening a teacher: a pocketintent model, an ONNX graph, a transformer, or what a file says."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import orjson

from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.errors import PocketIntentError, install_command, require, shorten
from pocketintent.runtime.files.regular import read_regular
from pocketintent.runtime.files.shipped_models import bundled_models
from pocketintent.runtime.plugins import installed_plugins
from pocketintent.training.teachers.encoders import (
    OnnxTeacher,
    TeacherPrecision,
    TransformerTeacher,
    find_graph,
    is_transformer,
)

MAX_TOKENS = 128

_TOML = "tomllib" if sys.version_info >= (3, 11) else "tomli"


def load_teacher(
    path: str | Path,
    *,
    device: str = "cpu",
    threads: int = 1,
    max_tokens: int = MAX_TOKENS,
    precision: TeacherPrecision = "float32",
    texts: Iterable[str] = (),
) -> Encoder:
    """Open a sentence encoder; nothing is downloaded.

    ``path`` is a pocketintent model file; an ``.onnx`` file with ``tokenizer.json`` beside it; a
    folder with both (the graph as ``model.onnx``, ``onnx/model.onnx`` or the only one); the folder
    of a Hugging Face transformer, also if it has a graph; or a ``.json`` or ``.toml`` file, whose
    kind an installed plug-in knows.

    ``device`` and ``precision``, of the weights, are those of a transformer, ``threads`` of the CPU
    those of a graph. Texts are cut to ``max_tokens``, by default 128. In ``texts`` the teacher of a
    description may count words.

    The vector of a text is the mean of its tokens' last states, or the first token's state where
    ``1_Pooling/config.json`` requires it, at unit length; a graph that outputs one vector for each
    text does its own pooling. Raises PocketIntentError if there is no encoder that can be used, and
    MissingExtraError if a package is missing.
    """
    path = Path(path)
    if path.is_dir():
        if is_transformer(path):
            return TransformerTeacher(
                path, device=device, max_tokens=max_tokens, precision=precision
            )
        return OnnxTeacher(find_graph(path), path, threads=threads, max_tokens=max_tokens)
    if path.suffix == ".onnx":
        return OnnxTeacher(path, path.parent, threads=threads, max_tokens=max_tokens)
    if not path.exists() and str(path) not in bundled_models():
        raise PocketIntentError(
            f"{path}: there is no such teacher; give a pocketintent model, an .onnx file, or the "
            "folder of a graph or of a Hugging Face transformer"
        )
    if path.suffix in (".json", ".toml"):
        settings = {"device": device, "threads": threads, "max_tokens": max_tokens}
        return _load_file(path, **settings, precision=precision, texts=texts)
    return load_encoder(path)


def _load_file(path: Path, **settings: Any) -> Encoder:
    """The encoder that a description names, by the plug-in of its kind."""
    try:
        text = read_regular(path).decode()
        is_toml = path.suffix == ".toml"
        content = require(_TOML, "train").loads(text) if is_toml else orjson.loads(text)
    except OSError as error:
        raise PocketIntentError(f"{path}: cannot be read: {error.strerror or error}") from error
    except ValueError as error:  # of decoding, TOML or JSON
        raise PocketIntentError(f"{path}: not {path.suffix[1:].upper()}: {error}") from error
    plugins = installed_plugins("pocketintent.teachers")
    keys = content if isinstance(content, dict) else {}
    kind = keys.get("kind", next((name for name in plugins if name in keys), None))
    if not isinstance(kind, str) or kind not in plugins:
        known = f"descriptions of teachers need the laboratory: {install_command(folder='./lab')}"
        if plugins:
            known = f"the kinds are {', '.join(plugins)}"
        raise PocketIntentError(f"{path}: the kind of teacher is {shorten(kind)}; {known}")
    encoder: Encoder = plugins[kind].load()(path, content, **settings)
    return encoder
