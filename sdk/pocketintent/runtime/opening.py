"""From the names of templates and a model to a bot: what ``IntentRecognizer.load`` opens."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Literal, cast, get_args

from pocketintent.runtime.arguments import check_choice, check_flag
from pocketintent.runtime.bot_file import Bot, load_bot, read_bot, with_settings
from pocketintent.runtime.decision.building import build_state
from pocketintent.runtime.decision.registry import DECISIONS, DEFAULT_DECISION, Decision
from pocketintent.runtime.encoders.contract import Encoder, ModelEncoder
from pocketintent.runtime.encoders.registry import load_encoder, naming_damage
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.graphs.encoder import GraphEncoder
from pocketintent.runtime.graphs.folder import ExportedFolder, open_exported
from pocketintent.runtime.index.indexing import Search
from pocketintent.runtime.templates.files import (
    TemplateSource,
    choose_model,
    find_bot_file,
    load_templates,
)

Backend = Literal["numpy", "onnxruntime", "tflite"]


def open_bot(
    templates: TemplateSource | None,
    model: str | os.PathLike[str] | None,
    decision: Decision | None,
    search: Search | None,
    correct: bool | None,
    backend: Backend,
) -> tuple[Bot, Mapping[str, Any]]:
    """Open what a recogniser needs; see :meth:`IntentRecognizer.load` for arguments and errors.

    Returns:
        The bot, and the manifest of its model or exported folder.
    """
    if decision is not None:
        check_choice("decision", decision, DECISIONS)
    if search is not None:
        check_choice("search", search, get_args(Search))
    if correct is not None:
        check_flag("correct", correct)
    if (path := find_bot_file(templates)) is not None:
        choose_model(templates, model)
        if backend != "numpy":
            raise PocketIntentError(
                f"{path} is a bot file, which runs with the backend numpy; the backend {backend!r} "
                "needs a folder made of it by `pocketintent export`"
            )
        bot = load_bot(path)
        assert isinstance(bot.encoder, ModelEncoder)
        return with_settings(bot, decision, search, correct), bot.encoder.manifest
    if backend != "numpy":
        if model is None:
            raise PocketIntentError(
                f"the backend {backend!r} needs an exported folder as the model"
            )
        return _open_folder(open_exported(model, backend), templates, decision, search, correct)
    encoder = load_encoder(model)
    if templates is None:
        raise PocketIntentError(
            "no templates; give a file, a shipped set or a mapping. A bot file has templates if it "
            "is given as the templates; an exported folder needs a backend"
        )
    bot = _build_bot(encoder, templates, decision, search, correct is not False)
    return bot, encoder.manifest


def _open_folder(
    folder: ExportedFolder,
    templates: TemplateSource | None,
    decision: Decision | None,
    search: Search | None,
    correct: bool | None,
) -> tuple[Bot, Mapping[str, Any]]:
    """The bot of an exported folder; nothing is encoded or fitted for its own templates."""
    manifest, encoder, stored = folder.manifest, GraphEncoder(folder), folder.state()
    folder_decision = cast(Decision | None, manifest.choice("decision", DECISIONS))
    decision = decision or folder_decision
    correct = folder.corrects if correct is None else correct
    if templates is not None or stored is None:
        templates = folder.templates() if templates is None else templates
        return _build_bot(encoder, templates, decision, search, correct), manifest.entries
    with naming_damage(stored, "bot"):
        bot = read_bot(encoder, folder.templates(), stored.manifest, stored.tensors, correct)
    return with_settings(bot, decision, search), manifest.entries


def _build_bot(
    encoder: Encoder,
    templates: TemplateSource,
    decision: Decision | None,
    search: Search | None,
    correct: bool,
) -> Bot:
    """The bot of a model and templates, which are encoded and fitted."""
    chosen, kept = decision or DEFAULT_DECISION, search or "table"
    state = build_state(encoder, load_templates(templates), chosen, kept, correct=correct)
    return Bot(encoder, chosen, kept, state, correct)
