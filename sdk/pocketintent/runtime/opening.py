"""From names of files to a bot, what ``IntentRecognizer.load`` opens; and back to a file."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
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

Backend = Literal["numpy", "onnxruntime", "tflite"]

# What a model file with templates does not need is imported where it is used.


def open_bot(
    templates: TemplateSource | None,
    model: str | os.PathLike[str] | None,
    decision: Decision | None,
    search: Search | None,
    correct: bool | None,
    backend: Backend,
) -> Bot:
    """The bot of the arguments of :meth:`IntentRecognizer.load`, whose caller gets the warning."""
    check_choice("backend", backend, get_args(Backend))
    if decision is not None:
        check_choice("decision", decision, DECISIONS)
    if search is not None:
        check_choice("search", search, get_args(Search))
    if correct is not None:
        check_flag("correct", correct)
    manifest: Mapping[str, Any]
    if (path := find_bot_file(templates)) is not None:
        from pocketintent.runtime.bot_file import load_bot, with_settings

        choose_model(templates, model)
        if backend != "numpy":
            raise PocketIntentError(
                f"{path} is a bot file, which runs with the backend numpy; the backend {backend!r} "
                "needs a folder made of it by `pocketintent export`"
            )
        bot = with_settings(load_bot(path), decision, search, correct)
        assert isinstance(bot.encoder, ModelEncoder)
        manifest = bot.encoder.manifest
    elif backend != "numpy":
        bot, manifest = _open_folder(templates, model, decision, search, correct, backend)
    else:
        encoder = load_encoder(model)
        if templates is None:
            raise _no_templates(model)
        settings = decision or DEFAULT_DECISION, search or "table", correct is not False
        bot = build_bot(encoder, load_templates(templates), *settings)
        manifest = encoder.manifest
    if (warning := language_warning(bot.templates.language, manifest)) is not None:
        warnings.warn(warning, PocketIntentWarning, stacklevel=3)
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


def save_by_suffix(path: str | os.PathLike[str], bot: Bot) -> None:
    """Save a bot file or its templates; see :meth:`IntentRecognizer.save`."""
    check_path("path", path)
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    if suffix == BOT_SUFFIX:
        from pocketintent.runtime.bot_file import save_bot

        save_bot(path, bot)
    elif suffix == SUFFIX:
        save_templates(bot.templates, path)
    else:
        raise PocketIntentError(
            f"{os.fspath(path)!r}: the name of a template file ends in {SUFFIX}, that of "
            f"a bot file in {BOT_SUFFIX}"
        )
