"""From corpus files to a model file: count words and pairs, train, save."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pocketintent.runtime.files.model_file import save_model
from pocketintent.training.corpora.encoded import load_prepared, prepare_corpus
from pocketintent.training.corpora.tokenizers import TOKENIZER_SPECS
from pocketintent.training.loop.run import DEFAULT_OPTIONS, RunOptions, open_run
from pocketintent.training.vectors.table import TermVectors, to_encoder
from pocketintent_lab.training.glove.data import PairBatches, prepare_counts
from pocketintent_lab.training.glove.model import Glove, GloveTraining
from pocketintent_lab.training.glove.settings import GloveSettings


def train_glove(
    paths: Sequence[str | Path],
    out: str | Path,
    settings: GloveSettings,
    options: RunOptions = DEFAULT_OPTIONS,
) -> dict[str, Any]:
    """Train GloVe on a corpus and save its words, uncompressed, as a model file.

    Until the model is saved, the work folder ``<out>.work`` contains the encoded corpus, the
    counts of pairs and the last checkpoint.

    Args:
        paths: Corpus files, see :func:`read_corpus`.
        out: The model file to write.
        settings: The settings of the run.
        options: The device, whether the run is resumed, and who receives its progress.

    Returns:
        The manifest's ``training`` entry.

    Raises:
        PocketIntentError: Bad settings or corpus; the work folder of an unfinished run, and
            neither ``resume`` nor ``restart``; or a folder made with other settings or corpora.
    """
    settings.check()
    with open_run(out, paths, asdict(settings), options) as run:
        if run.finished:
            return run.record
        if run.leads:
            prepare_corpus(paths, run.folder, settings, run.report)
            encoded = load_prepared(run.folder)
            prepare_counts(encoded.corpus, len(encoded.words), run.folder, settings, run.report)
        run.workers.wait()
        words = load_prepared(run.folder).words
        model = Glove(settings, len(words), run.device)
        task = GloveTraining(model, PairBatches(run.folder, settings), run.workers)
        run.report(f"{task.units_per_epoch} pairs of words to learn")
        trainer = run.train(task)
        training = {
            "method": "glove",
            "corpora": run.inputs,
            "settings": asdict(settings),
            "pairs": task.units_per_epoch,
            "loss": [round(loss, 6) for loss in trainer.history],
            "command": options.command,
        }
        if run.leads:
            encoder = to_encoder(
                TermVectors(words.words, model.word_embeddings().cpu().numpy()),
                tokenizer_spec=TOKENIZER_SPECS[settings.tokenizer],
                counts=words.counts,
                manifest={"training": training, **run.languages},
            )
            save_model(out, *encoder.to_model_file_parts())
        run.record.update(training)
    return run.record
