"""The bot file: a model, templates, their index and the fitted decision in one model file.

The specification is ``docs/model-file.md``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

from numpy.typing import NDArray

from pocketintent.runtime.arrays import Parts
from pocketintent.runtime.decision.bot import Bot, build_bot, make_corrector
from pocketintent.runtime.decision.registry import DECISIONS, Decision, read_scorer
from pocketintent.runtime.encoders.contract import Encoder, ModelEncoder
from pocketintent.runtime.encoders.parts import manifest_entry
from pocketintent.runtime.encoders.registry import encoder_of, naming_damage
from pocketintent.runtime.errors import ModelFileError, PocketIntentError, check_version, shorten
from pocketintent.runtime.files.model_file import (
    BOT,
    ModelFile,
    load_model,
    model_content,
    save_model,
)
from pocketintent.runtime.index.building import Search
from pocketintent.runtime.index.stored import index_parts, read_index
from pocketintent.runtime.templates.files import read_form, templates_tensor
from pocketintent.runtime.templates.template_set import TemplateSet, parse_templates

VERSION = 1
"""Version of the manifest entry ``bot``."""

_INDEX, _DECISION, _CORRECT = "index", "decision", "correct"


def save_bot(path: str | os.PathLike[str], bot: Bot) -> None:
    """Write or replace a bot file, as :func:`save_model` does; else as :func:`bot_content`."""
    save_model(path, *_file_parts(path, bot))


def bot_content(bot: Bot) -> bytes:
    """The bytes of a bot's file; PocketIntentError if the encoder is an exported graph."""
    return model_content("bot", *_file_parts("bot", bot))


def _file_parts(path: str | os.PathLike[str], bot: Bot) -> Parts:
    """The manifest and the tensors of a bot's file."""
    if not isinstance(bot.encoder, ModelEncoder):
        raise PocketIntentError(
            f"{path}: a bot file contains a model file, and this recogniser runs an exported "
            "graph; save the templates as JSON, or load the model file with the backend numpy"
        )
    manifest, tensors = bot.encoder.to_model_file_parts()
    settings, arrays = bot_parts(bot)
    tensors |= _under(BOT, {**arrays, **templates_tensor(bot.templates)})
    entry = {"version": VERSION, _CORRECT: bot.correct, **settings}
    return {**manifest, BOT: entry}, tensors


def bot_parts(bot: Bot) -> Parts:
    """The settings ``index`` and ``decision`` of a bot, and their tensors.

    The names of the tensors begin with these words and a dot.
    """
    index, rows = index_parts(bot.templates, bot.indexed)
    decision, weights = ({}, {}) if bot.scorer is None else bot.scorer.parts()
    index, decision = {"search": bot.search, **index}, {"name": bot.decision, **decision}
    tensors = _under(_INDEX, rows) | _under(_DECISION, weights)
    return {_INDEX: index, _DECISION: decision}, tensors


def read_bot(
    encoder: Encoder,
    templates: TemplateSet,
    settings: Mapping[str, Any],
    tensors: Mapping[str, NDArray[Any]],
    correct: bool,
) -> Bot:
    """The bot of an index and a decision, whose settings and tensors :func:`bot_parts` gave.

    ModelFileError if one is missing, or if they do not fit each other.
    """
    index, decision = manifest_entry(settings, _INDEX), manifest_entry(settings, _DECISION)
    search: Search = _choice(index, "search", get_args(Search))
    name: Decision = _choice(decision, "name", DECISIONS)
    indexed = read_index(templates, search, encoder.dim, index, _below(tensors, _INDEX))
    scorer = read_scorer(name, encoder, templates, indexed, decision, _below(tensors, _DECISION))
    corrector = make_corrector(encoder, templates, indexed) if correct else None
    return Bot(encoder, templates, name, search, correct, indexed, scorer, corrector)


def load_bot(path: str | os.PathLike[str]) -> Bot:
    """Open a bot file; nothing is encoded or fitted.

    Raises:
        ModelFileError: The file is missing or damaged, is a model without a bot, or was written
            by a newer version.
        TemplateError: Its templates break the format.
    """
    model = load_model(path)
    return bot_of(model, templates_of(model))


def templates_of(model: ModelFile) -> TemplateSet:
    """The templates of an open bot file; errors as of :func:`load_bot`."""
    entry = model.manifest.get(BOT, {"version": VERSION})
    with naming_damage(model, "bot"):
        version = entry.get("version") if isinstance(entry, dict) else None
        check_version(version, VERSION, "the bot")
    return parse_templates(read_form(model), str(model.path))


def bot_of(model: ModelFile, templates: TemplateSet) -> Bot:
    """The bot of an open bot file, whose templates are read; errors as of :func:`load_bot`."""
    encoder, entry = encoder_of(model), model.manifest[BOT]
    with naming_damage(model, "bot"):
        correct = entry.get(_CORRECT, True)
        if not isinstance(correct, bool):
            raise ModelFileError(
                f"the bot's {_CORRECT} is {shorten(correct)}; it must be true or false"
            )
        return read_bot(encoder, templates, entry, _below(model.tensors, BOT), correct)


def with_settings(
    bot: Bot, decision: Decision | None, search: Search | None, correct: bool | None = None
) -> Bot:
    """The bot with another decision or search, for which it is built again, or correction.

    None stands for the bot's own choice; a bot that has all of them is returned itself.
    """
    if correct is not None and correct != bot.correct:
        corrector = make_corrector(bot.encoder, bot.templates, bot.indexed) if correct else None
        bot = replace(bot, corrector=corrector, correct=correct)
    decision, search = decision or bot.decision, search or bot.search
    if (decision, search) == (bot.decision, bot.search):
        return bot
    return build_bot(bot.encoder, bot.templates, decision, search, bot.correct)


def _choice(entry: Mapping[str, Any], key: str, choices: tuple[str, ...]) -> Any:
    value = entry.get(key)
    if value not in choices:
        raise ModelFileError(
            f"the bot's {key} is {shorten(value)}; it must be one of {', '.join(choices)}"
        )
    return value


def _under(part: str, tensors: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The tensors of a part, with its name as a prefix of theirs."""
    return {f"{part}.{name}": tensor for name, tensor in tensors.items()}


def _below(tensors: Mapping[str, NDArray[Any]], part: str) -> dict[str, NDArray[Any]]:
    """The tensors of a part, by their names without its prefix."""
    start = f"{part}."
    return {n.removeprefix(start): array for n, array in tensors.items() if n.startswith(start)}
