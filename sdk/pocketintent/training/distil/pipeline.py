"""From a sentence encoder's vectors of texts to a model file of word vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pocketintent.runtime.files.model_file import save_model
from pocketintent.training.corpora.tokenizers import TOKENIZER_SPECS, corpus_tokenizer
from pocketintent.training.distil.model import TextBatches, WordSums
from pocketintent.training.distil.settings import DistilSettings
from pocketintent.training.loop.run import DEFAULT_OPTIONS, RunOptions, open_run
from pocketintent.training.loop.table_training import TableTraining
from pocketintent.training.teachers.targets import TextData, initial_word_vectors, read_targets
from pocketintent.training.vectors.table import TermVectors, to_encoder

_FEW_STEPS = 100


def train_distilled(
    targets: Sequence[str | Path],
    out: str | Path,
    settings: DistilSettings,
    options: RunOptions = DEFAULT_OPTIONS,
) -> dict[str, Any]:
    """Fit word vectors to the vectors of texts, and save them, uncompressed, as a model file.

    Until the model is saved, the work folder ``<out>.work`` contains the last checkpoint.

    The files ``targets`` have utterances and single words with their vectors, see
    :func:`read_targets`; a word that is a text by itself always gets a vector. Returns the
    manifest's ``training`` entry. Bad settings or targets, or a work folder that does not suit, are
    a PocketIntentError; see :func:`open_run`.
    """
    settings.check()
    data = prepare_texts(read_targets(targets), settings)
    with open_run(out, targets, asdict(settings), options) as run:
        if run.finished:
            return run.record
        run.report(
            f"{len(data.training)} texts to learn, {len(data.validation)} held out to measure, "
            f"{data.num_left_out} left out without a known word; {len(data.words)} words"
        )
        vectors = initial_word_vectors(data.training, data.words.counts, settings.frequency_weight)
        model = WordSums(settings, vectors, run.device)
        batches = TextBatches(data.training, settings)
        if (steps := len(batches) * settings.epochs) < _FEW_STEPS:
            run.report(f"only {steps} steps in all: a smaller --batch-size would learn more")
        trainer = run.train(TableTraining(model, batches, run.workers))
        training = {
            "method": "distilled",
            "targets": run.inputs,
            "settings": asdict(settings),
            "texts": {"training": len(data.training), "validation": len(data.validation)},
            "loss": [round(loss, 6) for loss in trainer.history],
            "cosine": {
                name: round(model.mean_cosine(texts), 4)
                for name, texts in (("training", data.training), ("validation", data.validation))
                if len(texts)
            },
            "command": options.command,
        }
        if run.leads:
            _save(Path(out), model, data, {"training": training, **run.languages})
        run.record.update(training)
    return run.record


def prepare_texts(targets: TermVectors, settings: DistilSettings) -> TextData:
    """The vocabulary and the texts of a run, without words that are too rare for a vector."""
    tokenize = corpus_tokenizer(TOKENIZER_SPECS[settings.tokenizer])
    return TextData.prepare(targets, tokenize, settings)


def _save(out: Path, model: WordSums, data: TextData, entries: dict[str, Any]) -> None:
    encoder = to_encoder(
        TermVectors(data.words.words, model.words.table.cpu().numpy()),
        tokenizer_spec=TOKENIZER_SPECS[model.settings.tokenizer],
        counts=data.words.counts,
        manifest=entries,
    )
    save_model(out, *encoder.to_model_file_parts())
