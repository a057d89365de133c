"""Teachers that a file describes: neural embeddings, joined encoders, ensembles of mixtures.

The product reads the file and calls the function of its kind with the content and the options of
every teacher. Paths in a file are relative to it; the name of a shipped model is one too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError, require, shorten
from pocketintent.settings import list_settings
from pocketintent.training.teachers.encoders import is_transformer
from pocketintent.training.teachers.loader import load_teacher
from pocketintent_lab.training.multires.encoder import load_ensemble
from pocketintent_lab.training.neural.settings import (
    BLUEPRINTS,
    Blueprint,
    NeuralSettings,
    TuningSettings,
)
from pocketintent_lab.training.teachers.concatenated import ConcatenatedEncoder

_TUNING = tuple(setting.name for setting in list_settings(TuningSettings))


def load_mixtures(
    path: Path, content: Mapping[str, Any], *, texts: Iterable[str] = (), **options: Any
) -> Encoder:
    """A multi-resolution ensemble; the IDF of its words is counted on the texts."""
    return load_ensemble(path, texts)


def load_joined(path: Path, content: Mapping[str, Any], **options: Any) -> Encoder:
    """The encoders of ``teachers``, whose unit vectors are put end to end.

    Args:
        path: The file.
        content: ``kind = "joined"`` and ``teachers``, a list of at least two paths.
        options: The options of :func:`load_teacher`, for each of them.

    Raises:
        PocketIntentError: The content is bad, or a teacher cannot be used.
    """
    _check_keys(path, content, ("teachers",))
    names = content.get("teachers")
    if not isinstance(names, list) or len(names) < 2 or not all(map(_is_name, names)):
        raise PocketIntentError(f"{path}: teachers must be a list of at least two paths")
    return ConcatenatedEncoder([load_teacher(_beside(path, name), **options) for name in names])


def load_neural(
    path: Path,
    content: Mapping[str, Any],
    *,
    device: str = "cpu",
    max_tokens: int = 128,
    precision: str = "float32",
    **options: Any,
) -> Encoder:
    """Neural embeddings by a masked language model, in float32.

    Args:
        path: The file.
        content: ``kind = "neural"`` and ``model``, the folder of the masked language model; and,
            where they differ from the defaults of :class:`NeuralSettings`, ``form``, ``layers``,
            ``blueprints`` such as ``["2,1", "1,1"]``, and the fields of :class:`TuningSettings`.
        device: Torch device of the model.
        max_tokens: Longer texts are split by sentences.
        precision: ``"float32"``.
        options: Those of other teachers, which have no effect.

    Raises:
        PocketIntentError: The content is bad, or the folder has no such model.
    """
    _check_keys(path, content, ("model", "form", "layers", "blueprints", *_TUNING))
    name = content.get("model")
    if not _is_name(name):
        raise PocketIntentError(f"{path}: model must be the folder of a masked language model")
    if precision != "float32":
        raise PocketIntentError(f"{path}: neural embeddings require --precision float32")
    try:
        settings = _neural_settings(content)
        settings.check()
    except PocketIntentError as error:
        raise PocketIntentError(f"{path}: {error}") from error
    folder = _beside(path, str(name))
    if not (folder.is_dir() and is_transformer(folder)):
        raise PocketIntentError(
            f"{folder}: neural embeddings need the folder of a masked language model, as "
            "transformers saves it"
        )
    require("torch", "train")
    from pocketintent_lab.training.neural.encoder import NeuralEncoder
    from pocketintent_lab.training.neural.masked_model import MaskedModel

    return NeuralEncoder(MaskedModel(folder, device=device, max_tokens=max_tokens), settings)


def _neural_settings(content: Mapping[str, Any]) -> NeuralSettings:
    for name in ("layers", "blueprints"):
        values = content.get(name, [])
        if not isinstance(values, list) or not all(map(_is_name, values)):
            raise PocketIntentError(f"{name} must be a list of strings, not {shorten(values)}")
    return NeuralSettings(
        content.get("form", NeuralSettings.form),
        tuple(content.get("layers", NeuralSettings.layers)),
        tuple(map(Blueprint.parse, content["blueprints"]))
        if "blueprints" in content
        else BLUEPRINTS,
        TuningSettings(**{name: content[name] for name in _TUNING if name in content}),
    )


def _check_keys(path: Path, content: Mapping[str, Any], allowed: Collection[str]) -> None:
    for key in content:
        if key not in ("kind", *allowed):
            raise PocketIntentError(
                f"{path}: unknown key {key!r}; the keys are kind, {', '.join(allowed)}"
            )


def _is_name(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _beside(path: Path, name: str) -> Path:
    """The path of a teacher: beside the file if it is there, otherwise as it is written."""
    beside = path.parent / name
    return beside if beside.exists() else Path(name)
