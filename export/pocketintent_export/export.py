"""The export: a folder with graphs, vocabulary, labels and conformance utterances."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from pocketintent.runtime.arguments import (
    MAX_SEED,
    check_choice,
    check_count,
    check_flag,
    check_path,
)
from pocketintent.runtime.bot_file import load_bot, with_settings
from pocketintent.runtime.decision.bot import Bot, build_bot
from pocketintent.runtime.decision.registry import DECISIONS, DEFAULT_DECISION, Decision
from pocketintent.runtime.encoders.registry import encoder_of
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.atomic import new_folder, remove_leftovers
from pocketintent.runtime.files.model_file import BOT, load_model
from pocketintent.runtime.files.shipped_models import find_model
from pocketintent.runtime.graphs.folder import open_exported
from pocketintent.runtime.templates.files import (
    TemplateSource,
    choose_model,
    find_bot_file,
    load_templates,
)
from pocketintent.runtime.text.tokenizer import MAX_CHARS
from pocketintent_export.conformance import make_conformance, templates_of
from pocketintent_export.folder import check_target, describe, write_files, write_manifest
from pocketintent_export.formats import Format, Scoring, check_packages
from pocketintent_export.proof import check_utterances, prove

if TYPE_CHECKING:
    from pocketintent_export.kinds.contract import KindExport, ShortenedEncoder

Progress = Callable[[str], None]
"""Called with the name of each stage when it starts."""

MAX_LENGTH = 128
"""Number of slots of a TFLite graph: enough for 60 words, a tenth of them unknown."""
MAX_WORD_CHARS, MAX_TEXT_CHARS = 32, 128
"""Number of characters of a TFLite graph that reads words, and of a graph that reads texts."""


def export_folder(
    out: str | os.PathLike[str],
    templates: TemplateSource,
    model: str | os.PathLike[str] | None = None,
    *,
    file_format: Format = "onnx",
    decision: Decision | None = None,
    correct: bool | None = None,
    scoring: Scoring = "decoded",
    max_length: int | None = None,
    max_chars: int | None = None,
    seed: int = 0,
    progress: Progress = lambda stage: None,
) -> dict[str, Any]:
    """Export a recogniser, and prove that it equals the runtime.

    Args:
        out: The folder to create; it must not exist, or be empty and not the current folder. It
            appears only when the export is complete.
        templates: A template file, the name of a shipped set, a mapping, or a set; or a bot file.
        model: A model file or the name of a shipped model; by default the bot file's or "default".
        file_format: ``"onnx"`` or ``"tflite"``.
        decision: How an intent is scored; see :class:`pocketintent.IntentRecognizer`. None for the
            decision of a bot file, whose fitted weights are exported, otherwise ``"logistic"``. A
            bot file with the search ``"exact"`` is fitted again, on the codes of its templates.
        correct: Whether typing errors of a query are corrected; None for the choice of a bot file,
            otherwise True.
        scoring: How the graph computes the scores, see :data:`Scoring`; the scores are the same.
        max_length: Number of slots of a TFLite graph, at most ``MAX_CHARS`` of the tokenizer; None
            for ``MAX_LENGTH``. An ONNX graph takes any number.
        max_chars: Number of characters of a word or text that a TFLite graph of a character
            network reads, at most the model's own limit; None for ``MAX_WORD_CHARS`` or
            ``MAX_TEXT_CHARS``. An ONNX graph has the model's own limit.
        seed: Seed of the conformance utterances, from 0 to 2**32 - 1.
        progress: Called at each stage.

    Returns:
        The report: size of each file in bytes, and of each graph of the encoder divided by that of
        the model file; the templates that were left out; the result of the proof.

    Raises:
        PocketIntentError: An argument, the model or the templates cannot be used, the folder
            cannot be created, a package is missing, or the proof fails.
        OSError: The folder cannot be written.
    """
    started = time.monotonic()
    check_path("out", out)
    check_choice("format", file_format, get_args(Format))
    check_choice("decision", decision or DEFAULT_DECISION, DECISIONS)
    check_choice("scoring", scoring, get_args(Scoring))
    if correct is not None:
        check_flag("correct", correct)
    for name, number in (("max_length", max_length), ("max_chars", max_chars)):
        if number is not None:
            check_count(name, number, most=MAX_CHARS)
    check_count("seed", seed, least=0, most=MAX_SEED)
    check_packages(file_format)
    remove_leftovers(out)
    target = check_target(out)
    from pocketintent_export.kinds.contract import ShortenedEncoder  # imports torch
    from pocketintent_export.kinds.registry import export_of

    source = find_model(choose_model(templates, model))
    stored = load_model(source)
    export = export_of(encoder_of(stored))
    export.check(str(source), BOT in stored.manifest)
    inputs = export.inputs()
    if file_format == "tflite":  # whose graphs have fixed lengths
        default = MAX_TEXT_CHARS if inputs.tokenize is None else MAX_WORD_CHARS
        inputs = export.inputs(max_length or MAX_LENGTH, max_chars or default)
    progress("encoding the templates")
    whole_bot = _make_bot(ShortenedEncoder(export, inputs), templates, decision, correct)
    bot = _with_known_templates(whole_bot)
    progress("making the conformance utterances")
    lines = make_conformance(whole_bot, inputs, seed)
    check_utterances(lines)
    manifest = describe(bot, export.encoder, inputs, file_format, scoring, source)
    with new_folder(target) as folder:
        write_files(folder, bot, inputs, lines)
        _write_graphs(folder, export, bot, manifest, progress)
        write_manifest(folder, manifest)
        progress(f"proving the graphs on {len(lines)} utterances")
        proof = prove(open_exported(folder), bot, lines)
        write_manifest(folder, manifest | {"proof": proof})
    known = set(bot.indexed.texts)
    return {
        "out": str(out),
        "format": file_format,
        "intents": len(bot.indexed.names),
        "templates": len(bot.indexed.texts),
        # Templates without known words can never match.
        "left_out": [text for text in templates_of(whole_bot.templates) if text not in known],
        **_sizes(target, manifest),
        "proof": asdict(proof),
        "seconds": round(time.monotonic() - started, 1),
    }


def _make_bot(
    encoder: ShortenedEncoder,
    templates: TemplateSource,
    decision: Decision | None,
    correct: bool | None,
) -> Bot:
    """The bot to export, whose templates are codes; a bot file that has codes stays as it is."""
    path = find_bot_file(templates)
    if path is None:
        chosen, decision = load_templates(templates), decision or DEFAULT_DECISION
        return build_bot(encoder, chosen, decision, "table", correct is not False)
    return replace(with_settings(load_bot(path), decision, "table", correct), encoder=encoder)


def _with_known_templates(bot: Bot) -> Bot:
    """The bot with the templates that the model can embed, in the order of the recogniser graph."""
    if not bot.indexed.names:
        raise PocketIntentError(
            "there is no template to export: the set is empty, or the model knows no word of any "
            "template"
        )
    intents = {
        name: replace(bot.templates.intents[name], templates=list(rows.texts))
        for name, rows in bot.indexed.intents.items()
    }
    return replace(bot, templates=replace(bot.templates, intents=intents))


def _write_graphs(
    folder: Path, export: KindExport[Any], bot: Bot, manifest: dict[str, Any], progress: Progress
) -> None:
    """Write the graphs that the manifest lists."""
    from pocketintent_export.layers.recognizer import RecognizerModule
    from pocketintent_export.writers import WRITERS

    assert bot.scorer is not None
    file_format, characters = manifest["format"], manifest["characters"]
    fixed = file_format == "tflite"
    max_chars = characters["max_chars"] if fixed and characters else None
    modules = dict(export.modules(file_format, max_chars))
    modules["recognizer"] = RecognizerModule(
        modules["encoder"], bot.indexed, bot.scorer, manifest["scoring"], keep_codes=fixed
    )
    for name, artifact in manifest["artifacts"].items():
        progress(f"converting the {name}")
        outputs = [output.name for output in artifact["outputs"]]
        WRITERS[file_format](modules[name], artifact["inputs"], outputs, folder / artifact["file"])


def _sizes(folder: Path, manifest: dict[str, Any]) -> dict[str, Any]:
    """The entries of the report on the sizes of files."""
    sizes = {path.name: path.stat().st_size for path in sorted(folder.iterdir())}
    ratios = {
        f"{name}_to_model": round(sizes[artifact["file"]] / manifest["model"]["bytes"], 4)
        for name, artifact in manifest["artifacts"].items()
        if name != "recognizer"
    }
    return {"bytes": sizes, **ratios}
