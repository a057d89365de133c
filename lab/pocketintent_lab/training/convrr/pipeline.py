"""From a template file and a model to the model with an adapter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pocketintent.compression.background import add_background
from pocketintent.compression.quantise import add_template_quantizer
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.sequence import MAX_TOKENS
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.templates.files import load_templates
from pocketintent.runtime.templates.template_set import TemplateSet
from pocketintent.training.corpora.reader import check_known_words, read_texts
from pocketintent.training.loop.run import DEFAULT_OPTIONS, RunOptions, open_run
from pocketintent_lab.encoders.convrr.encoder import ConvrrEncoder
from pocketintent_lab.encoders.tokens import combine_tokens, embed_tokens
from pocketintent_lab.training.convrr.data import GroupedTexts, group_texts
from pocketintent_lab.training.convrr.objective import ConvrrTraining
from pocketintent_lab.training.convrr.settings import ConvrrSettings


def train_convrr(
    templates: str | Path,
    model: str | Path,
    out: str | Path,
    settings: ConvrrSettings,
    options: RunOptions = DEFAULT_OPTIONS,
    *,
    corpus: Sequence[str | Path] = (),
) -> dict[str, Any]:
    """Train an adapter on the templates of a file, and save the model with it.

    Two templates of an intent are a positive pair; a template of another intent is a negative. The
    model itself does not change. Until the new model is saved, the work folder ``<out>.work``
    contains the last checkpoint.

    Args:
        templates: The template file.
        model: The model file, of kind ``static`` or ``contextual``, compressed if the result is
            to be exported.
        out: The model file to write.
        settings: The settings of the run.
        options: The device, whether the run is resumed, and who receives its progress.
        corpus: Texts from which the adapted model gets a codebook for templates and a background;
            without them it has neither, because those of the model belong to its own vectors.

    Returns:
        The manifest's ``training`` entry.

    Raises:
        PocketIntentError: Bad settings, templates or model; no intent has two templates; no line
            of the corpus has a word that the model knows; the work folder of an unfinished run,
            and neither ``resume`` nor ``restart``; or a folder made with other settings or inputs.
    """
    settings.check()
    encoder = load_encoder(model)
    texts = embed_templates(encoder, load_templates(templates))
    check_known_words(encoder, corpus)
    with open_run(out, [templates, model, *corpus], asdict(settings), options) as run:
        if run.finished:
            return run.record
        run.report(f"{len(texts)} templates of {len(set(texts.groups.tolist()))} intents")
        task = ConvrrTraining(texts, settings, device=run.device, workers=run.workers)
        trainer = run.train(task)
        training = {
            "method": "convrr",
            "templates": run.inputs[0],
            "settings": asdict(settings),
            "texts": len(texts),
            "loss": trainer.history,
            "command": options.command,
        }
        if run.leads:
            if "training" in encoder.manifest:
                training["start"] = encoder.manifest["training"]
            adapted = adapt(encoder, task)
            manifest = {**adapted.manifest, "training": training, **run.languages}
            adapted = add_corpus(adapted.replace(manifest=manifest), corpus, settings.seed)
            save_model(out, *adapted.to_model_file_parts())
        run.record.update(training)
    return run.record


def embed_templates(encoder: ModelEncoder, templates: TemplateSet) -> GroupedTexts:
    """The templates as texts of groups, one for each intent.

    Raises:
        PocketIntentError: The model knows no word of any template, or its kind cannot be adapted.
    """
    rows = [
        (number, words[:MAX_TOKENS])
        for number, intent in enumerate(templates.intents.values())
        for text in intent.templates
        if len(words := embed_tokens(encoder, encoder.tokenize(text)))
    ]
    if not rows:
        raise PocketIntentError("the model knows no word of any template")
    return group_texts(
        [words for _, words in rows],
        [number for number, _ in rows],
        bases=[combine_tokens(encoder, words) for _, words in rows],
    )


def adapt(encoder: ModelEncoder, task: ConvrrTraining) -> ConvrrEncoder:
    """The encoder with the trained adapter, without parts that belong to its own vectors."""
    manifest = {key: value for key, value in encoder.manifest.items() if key != "quality"}
    inner = encoder.replace(template_quantizer=None, background=None, manifest=manifest)
    return ConvrrEncoder(inner, task.to_head())


def add_corpus(encoder: ConvrrEncoder, corpus: Sequence[str | Path], seed: int) -> ConvrrEncoder:
    """The encoder with a codebook for templates and a background; unchanged without a corpus."""
    if not corpus:
        return encoder
    encoder = add_template_quantizer(encoder, read_texts(corpus), seed=seed)
    return add_background(encoder, read_texts(corpus), seed=seed)
