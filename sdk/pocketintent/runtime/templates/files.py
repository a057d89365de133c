"""Template files and the templates of bot files: finding, reading and saving them."""

from __future__ import annotations

import difflib
import json
import os
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from pocketintent.runtime.errors import (
    ModelFileError,
    PocketIntentError,
    TemplateError,
    list_names,
    shorten,
)
from pocketintent.runtime.files.model_file import BOT, ModelFile, is_model_file, load_model
from pocketintent.runtime.files.regular import read_regular
from pocketintent.runtime.templates.template_set import TemplateSet, parse_templates

SUFFIX, BOT_SUFFIX = _SUFFIXES = ".json", ".safetensors"
"""How the names of the template files and bot files end that a recogniser saves."""

TEMPLATES = "templates"
"""Name of a bot file's tensor with the templates, below the prefix of the bot."""

MAX_DEPTH = 16
"""Levels of brackets beyond which a file counts as nested too deep."""

_BRACKET_OR_STRING = re.compile(r'[\[\]{}]|"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)

_FOREIGN_SUFFIXES = {".csv": "CSV", ".tsv": "TSV", ".yml": "YAML", ".yaml": "YAML"}
_YAML_LINE = re.compile(r"---|- |[\w.-]+:( |$)")

TemplateSource = str | os.PathLike[str] | Mapping[str, Any] | TemplateSet
"""A path, also of a bot file, the name of a shipped set, a mapping in one of the three forms, or a
set."""


def load_templates(source: TemplateSource) -> TemplateSet:
    """A new template set of a source; of a bot file, its templates alone are used.

    TemplateError if there is no such file or shipped set, or it breaks the format; ModelFileError
    for a damaged bot file, or a model without templates.
    """
    if isinstance(source, TemplateSet):
        return parse_templates(source.to_dict(), "template set")
    if isinstance(source, Mapping):
        return parse_templates(source)
    if not isinstance(source, str | os.PathLike):
        raise TemplateError(
            "templates must be a path, the name of a shipped set, a mapping or a TemplateSet, not "
            f"{type(source).__name__}"
        )
    path = find_templates(source)
    return parse_templates(read_templates_file(path), str(path))


def read_templates_file(path: Path) -> Any:
    """The decoded JSON of a template or bot file, not checked; errors as of the two readers."""
    return read_form(load_model(path)) if is_model_file(path) else read_json(path)


def find_templates(source: str | os.PathLike[str]) -> Path:
    """Find the file of a path or of a shipped set's name; an existing file wins over a name."""
    path = Path(source)
    if path.exists() and not path.is_dir():
        return path
    shipped = bundled_templates()
    if str(source) in shipped:
        return shipped[str(source)]
    if str(source) and path.is_dir():
        raise TemplateError(
            f"{path} is a folder; name the template file (JSON) in it, or give an exported folder "
            "as the model, with a backend (onnxruntime or tflite)"
        )
    files: list[str] = []
    with suppress(OSError, ValueError):
        files = [str(file) for file in sorted(path.parent.iterdir()) if file.suffix in _SUFFIXES]
    near = difflib.get_close_matches(str(source), [*files, *shipped], n=1)
    meant = f"did you mean {near[0]}? " if near else ""
    raise TemplateError(
        f"{path}: no such file, and no shipped set of this name; {meant}shipped: "
        f"{list_names(shipped)}"
    )


def bundled_templates() -> dict[str, Path]:
    """The template sets that ship with the package: name to file, in alphabetical order."""
    package = Path(__file__).resolve().parents[2]
    folder = package / "templates"  # where an installation puts them
    if not folder.is_dir():
        folder = package.parents[1] / "templates"  # a checkout keeps them at its root
    files = sorted(folder.glob("*.json"))
    return {file.stem: file for file in files if not file.name.endswith(".schema.json")}


def read_json(path: Path) -> Any:
    """Read a JSON file strictly: UTF-8, no repeated keys, no NaN; TemplateError has the place."""
    try:
        data = read_regular(path)
    except OSError as error:
        raise TemplateError(f"{path}: cannot be read: {error.strerror}") from error
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TemplateError(f"{path}: line {line} is not UTF-8; save the file as UTF-8") from error
    if not text.strip():
        raise TemplateError(f'{path} is empty; write {{"lights_on": ["turn on the lights"]}}')
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError as error:
        _check_depth(text, path)
        if (kind := _foreign_kind(text, path)) is not None:
            raise TemplateError(
                f"{path} looks like {kind}; templates are read as JSON alone, so write each intent "
                'with its texts: {"lights_on": ["turn on the lights", "lights on please"]}'
            ) from error
        place = f"line {error.lineno}, column {error.colno}"
        raise TemplateError(
            f"{path}: not JSON at {place}: {error.msg}; names and texts stand in double quotes, "
            "with a comma between two of them and none after the last"
        ) from error
    try:
        # orjson keeps the last of two equal keys, which would lose templates silently.
        return json.loads(text, object_pairs_hook=_unique_keys)
    except (ValueError, RecursionError) as error:
        _check_depth(text, path)
        raise TemplateError(f"{path}: {error}") from error


def find_bot_file(source: object) -> Path | None:
    """The path of a source of templates that is a bot or model file by its content; or None."""
    if isinstance(source, str | os.PathLike) and is_model_file(source):
        return Path(source)
    return None


def choose_model(
    source: object, model: str | os.PathLike[str] | None
) -> str | os.PathLike[str] | None:
    """The model to use with a source of templates: a bot file itself, otherwise ``model``.

    PocketIntentError if the source is a bot file or a model file, and ``model`` is named too.
    """
    path = find_bot_file(source)
    if path is None:
        return model
    if model is not None:
        raise PocketIntentError(
            f"{path} is given as a bot file, which contains its model, but the model {model} is "
            "given too; leave out the model, or give the templates as JSON"
        )
    return path


def save_templates(template_set: TemplateSet, path: str | os.PathLike[str]) -> None:
    """Check a set and write it in the long form; a killed write leaves the old file whole.

    Raises TemplateError if the set breaks the format, and OSError if it cannot be written.
    """
    from pocketintent.runtime.files.atomic import write_atomically  # not for a match

    checked = parse_templates(template_set.to_dict(), f"saving {os.fspath(path)}")
    data = orjson.dumps(checked.to_dict(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    write_atomically(path, data, keep_permissions=True)


def templates_tensor(template_set: TemplateSet) -> dict[str, NDArray[Any]]:
    """The tensor ``templates``, uint8 [num_bytes]: the checked set in the long form, as JSON."""
    checked = parse_templates(template_set.to_dict(), "template set")
    return {TEMPLATES: np.frombuffer(orjson.dumps(checked.to_dict()), np.uint8)}


def read_form(model: ModelFile) -> Any:
    """The decoded JSON of a bot file's templates, in the long form, not checked further.

    Raises ModelFileError if the file is no bot file, or the tensor is damaged.
    """
    if BOT not in model.manifest:
        raise ModelFileError(
            f"{model.path} is a model without templates; make a bot file of it: pocketintent build "
            f"my_bot.json --model {model.path} --out my_bot.safetensors"
        )
    name = f"{BOT}.{TEMPLATES}"
    tensor = model.tensors.get(name)
    if tensor is None or tensor.dtype != np.uint8 or tensor.ndim != 1:
        raise ModelFileError(f"{model.path}: {name} is missing or not uint8 [num_bytes]")
    try:
        form = orjson.loads(tensor.tobytes())
    except orjson.JSONDecodeError as error:
        raise ModelFileError(f"{model.path}: {name} is not JSON: {error}") from error
    # The short forms could be read too, but not by other runtimes.
    if not isinstance(form, Mapping) or not isinstance(form.get("intents"), Mapping):
        raise ModelFileError(f"{model.path}: {name} is {shorten(form)}; the long form is expected")
    return form


def _check_depth(text: str, path: Path) -> None:
    """Raise TemplateError with the place of the first bracket beyond ``MAX_DEPTH``, if any."""
    depth = 0
    for match in _BRACKET_OR_STRING.finditer(text):
        bracket = match.group()
        depth += (bracket in "[{") - (bracket in "]}")
        if depth > MAX_DEPTH:
            start = match.start()
            line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
            raise TemplateError(
                f"{path}: not JSON for templates: nested too deep at line {line}, column "
                f"{column}; a template set has at most 4 levels"
            )


def _foreign_kind(text: str, path: Path) -> str | None:
    """The format of another tool that a text is in, by the file's name or its first line."""
    if (kind := _FOREIGN_SUFFIXES.get(path.suffix.lower())) is not None:
        return kind
    first_line = text.strip().splitlines()[0]
    if first_line[0] in '{["':
        return None
    if _YAML_LINE.match(first_line):
        return "YAML"
    return "CSV" if any(separator in first_line for separator in ",;\t") else None


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise ValueError(f"{shorten(key)} appears twice in one object; merge the two")
        seen.add(key)
    return dict(pairs)
