"""From corpus files to a model file: count words, encode the corpus, train, save."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pocketintent.runtime.files.model_file import save_model
from pocketintent.training.corpora.encoded import load_prepared, prepare_corpus
from pocketintent.training.corpora.tokenizers import TOKENIZER_SPECS
from pocketintent.training.loop.run import DEFAULT_OPTIONS, RunOptions, open_run
from pocketintent.training.loop.table_training import TableTraining
from pocketintent.training.vectors.table import TermVectors, to_encoder
from pocketintent_lab.training.sent2vec.data import SentenceBatches
from pocketintent_lab.training.sent2vec.model import Sent2Vec
from pocketintent_lab.training.sent2vec.settings import Sent2VecSettings


def train_sent2vec(
    paths: Sequence[str | Path],
    out: str | Path,
    settings: Sent2VecSettings,
    options: RunOptions = DEFAULT_OPTIONS,
) -> dict[str, Any]:
    """Train Sent2Vec on a corpus and save its words, uncompressed, as a model file.

    Bigrams take part in training only; the model has the words alone. Until it is saved, the work
    folder ``<out>.work`` contains the encoded corpus and the last checkpoint.

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
        run.workers.wait()
        prepared = load_prepared(run.folder)
        words = prepared.words
        model = Sent2Vec(settings, len(words), run.device)
        task = TableTraining(
            model, SentenceBatches(prepared.corpus, words.counts, settings), run.workers
        )
        trainer = run.train(task)
        training = {
            "method": "sent2vec",
            "corpora": run.inputs,
            "settings": asdict(settings),
            "words_per_epoch": task.units_per_epoch,
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
