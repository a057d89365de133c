"""From names of files to a bot, what ``IntentRecognizer.load`` opens; and back to a file."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, cast, get_args

from pocketintent.runtime.arguments import check_choice, check_flag, check_path
from pocketintent.runtime.decision.bot import Bot, build_bot
from pocketintent.runtime.decision.registry import DECISIONS, DEFAULT_DECISION, Decision
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.registry import load_encoder, naming_damage
from pocketintent.runtime.errors import PocketIntentError, PocketIntentWarning
from pocketintent.runtime.files.model_file import BOT, load_model
from pocketintent.runtime.files.shipped_models import find_model
from pocketintent.runtime.index.building import Search
from pocketintent.runtime.native.bot import AnyBot, native_bot, numpy_bot, open_native
from pocketintent.runtime.templates.files import (
    BOT_SUFFIX,
    SUFFIX,
    TemplateSource,
    choose_model,
    find_bot_file,
    load_templates,
    save_templates,
)
from pocketintent.runtime.text.languages import language_warning

Backend = Literal["auto", "native", "numpy", "onnxruntime", "tflite"]
_OWN: tuple[Backend, ...] = ("auto", "native", "numpy")
"""The backends that run models; the others run exported graphs."""
MOST_COPIED = 64 << 20
"""Largest model file, in bytes, that ``auto`` copies for the core."""

# What a model file with templates does not need is imported where it is used.


def open_bot(
    templates: TemplateSource | None,
    model: str | os.PathLike[str] | None,
    decision: Decision | None,
    search: Search | None,
    correct: bool | None,
    backend: Backend,
) -> AnyBot:
    """The bot of the arguments of :meth:`IntentRecognizer.load`, whose caller gets the warning."""
    check_choice("backend", backend, get_args(Backend))
    if decision is not None:
        check_choice("decision", decision, DECISIONS)
    if search is not None:
        check_choice("search", search, get_args(Search))
    if correct is not None:
        check_flag("correct", correct)
    bot: AnyBot
    manifest: Mapping[str, Any]
    if (path := find_bot_file(templates)) is not None:
        choose_model(templates, model)
        if backend not in _OWN:
            raise PocketIntentError(
                f"{path} is a bot file, which runs with the backend numpy; the backend {backend!r} "
                "needs a folder made of it by `pocketintent export`"
            )
        bot, manifest = _open_bot_file(path, decision, search, correct, backend)
    elif backend not in _OWN:
        bot, manifest = _open_folder(templates, model, decision, search, correct, backend)
    else:
        encoder = load_encoder(model)
        if templates is None:
            raise _no_templates(model)
        settings = decision or DEFAULT_DECISION, search or "table", correct is not False
        built = build_bot(encoder, load_templates(templates), *settings)
        is_large = find_model(model).stat().st_size > MOST_COPIED
        bot = _with_backend(built, "numpy" if backend == "auto" and is_large else backend)
        manifest = encoder.manifest
    if (warning := language_warning(bot.templates.language, manifest)) is not None:
        warnings.warn(warning, PocketIntentWarning, stacklevel=3)
    return bot


def _open_bot_file(
    path: Path,
    decision: Decision | None,
    search: Search | None,
    correct: bool | None,
    backend: Backend,
) -> tuple[AnyBot, Mapping[str, Any]]:
    """The bot of a bot file, and the model's manifest.

    Without other settings the core opens it alone, and the NumPy runtime waits until it is needed.
    """
    from pocketintent.runtime.bot_file import load_bot, with_settings

    if backend != "numpy" and (decision, search, correct) == (None, None, None):
        try:
            return open_native(path)
        except PocketIntentError:
            bot = load_bot(path)  # or its errors, which are those of every backend
            if backend == "native":
                raise
            backend = "numpy"
    else:
        bot = with_settings(load_bot(path), decision, search, correct)
    assert isinstance(bot.encoder, ModelEncoder)
    return _with_backend(bot, backend), bot.encoder.manifest


def _with_backend(bot: Bot, backend: Backend) -> AnyBot:
    """The bot with the core, if the backend is native, or auto and the core can run it."""
    if backend == "numpy":
        return bot
    try:
        return native_bot(bot)
    except PocketIntentError:
        if backend == "native":
            raise
        return bot


def _no_templates(model: str | os.PathLike[str] | None) -> PocketIntentError:
    if model is not None and BOT in load_model(find_model(model)).manifest:
        return PocketIntentError(
            f"{model} is a bot file, which has templates and model: write "
            f"IntentRecognizer.load({os.fspath(model)!r})"
        )
    return PocketIntentError(
        "no templates; give a file, a shipped set or a mapping. A bot file has templates if it "
        "is given as the templates; an exported folder needs a backend"
    )


def _open_folder(
    templates: TemplateSource | None,
    model: str | os.PathLike[str] | None,
    decision: Decision | None,
    search: Search | None,
    correct: bool | None,
    backend: Backend,
) -> tuple[Bot, Mapping[str, Any]]:
    """The bot of an exported folder; nothing is encoded or fitted for its own templates."""
    from pocketintent.runtime.bot_file import read_bot, with_settings
    from pocketintent.runtime.graphs.encoder import GraphEncoder
    from pocketintent.runtime.graphs.folder import open_exported

    if model is None:
        raise PocketIntentError(f"the backend {backend!r} needs an exported folder as the model")
    folder = open_exported(model, backend)
    manifest, encoder, stored = folder.manifest, GraphEncoder(folder), folder.state()
    own_decision = cast(Decision | None, manifest.choice("decision", DECISIONS))
    decision = decision or own_decision
    correct = folder.corrects if correct is None else correct
    if templates is not None or stored is None:
        chosen = load_templates(folder.templates() if templates is None else templates)
        settings = decision or DEFAULT_DECISION, search or "table", correct
        return build_bot(encoder, chosen, *settings), manifest.entries
    folder.features()  # refuses those that the stored classifier may have, and this runtime has not
    with naming_damage(stored, "bot"):
        bot = read_bot(encoder, folder.templates(), stored.manifest, stored.tensors, correct)
    return with_settings(bot, decision, search), manifest.entries


def save_by_suffix(path: str | os.PathLike[str], bot: AnyBot) -> None:
    """Save a bot file or its templates; see :meth:`IntentRecognizer.save`."""
    check_path("path", path)
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    if suffix == BOT_SUFFIX:
        from pocketintent.runtime.bot_file import save_bot

        save_bot(path, numpy_bot(bot))
    elif suffix == SUFFIX:
        save_templates(bot.templates, path)
    else:
        raise PocketIntentError(
            f"{os.fspath(path)!r}: the name of a template file ends in {SUFFIX}, that of "
            f"a bot file in {BOT_SUFFIX}"
        )
