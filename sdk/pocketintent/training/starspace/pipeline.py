"""From corpus files to a model file: count words, encode the corpus, train, save."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.training.corpora.encoded import load_prepared, prepare_corpus
from pocketintent.training.corpora.tokenizers import TOKENIZER_SPECS
from pocketintent.training.loop.run import DEFAULT_OPTIONS, RunOptions, open_run
from pocketintent.training.loop.table_training import TableTraining
from pocketintent.training.starspace.data import BagBatches, WordBatches
from pocketintent.training.starspace.model import StarSpace
from pocketintent.training.starspace.settings import StarSpaceSettings
from pocketintent.training.vectors.table import Subwords, TermVectors, to_encoder


def train_starspace(
    paths: Sequence[str | Path],
    out: str | Path,
    settings: StarSpaceSettings,
    options: RunOptions = DEFAULT_OPTIONS,
) -> dict[str, Any]:
    """Train embeddings on a corpus and save them, uncompressed, as a model file.

    For the files ``paths`` see :func:`read_corpus`. Returns the manifest's ``training`` entry.
    Bad settings or a bad corpus are a PocketIntentError; for the work folder see :func:`open_run`.
    """
    settings.check()
    with open_run(out, paths, asdict(settings), options) as run:
        if run.finished:
            return run.record
        if run.leads:
            labelled = settings.mode == "labelled"
            prepare_corpus(paths, run.folder, settings, run.report, labelled=labelled)
        run.workers.wait()
        prepared = load_prepared(run.folder)
        words, labels = prepared.words, prepared.labels
        num_labels = len(labels) if labels else 0
        model = StarSpace(settings, words.words, num_labels=num_labels, device=run.device)
        batches: WordBatches | BagBatches
        if settings.mode == "word":
            batches = WordBatches(prepared.corpus, words.counts, settings)
        else:
            label_counts = labels.counts if labels else None
            batches = BagBatches(prepared.corpus, label_counts, len(words), settings)
        task = TableTraining(model, batches, run.workers)
        trainer = run.train(task)
        training = {
            "method": "starspace",
            "corpora": run.inputs,
            "settings": asdict(settings),
            "words_per_epoch": task.units_per_epoch,
            "loss": [round(loss, 6) for loss in trainer.history],
            "command": options.command,
        }
        if run.leads:
            subwords = None
            if model.ngrams is not None:
                hashing = NgramSettings(settings.min_n, settings.max_n, settings.num_buckets)
                subwords = Subwords(model.ngrams.table.cpu().numpy(), hashing)
            encoder = to_encoder(
                TermVectors(words.words, model.word_embeddings().cpu().numpy(), subwords),
                tokenizer_spec=TOKENIZER_SPECS[settings.tokenizer],
                counts=words.counts,
                manifest={"training": training, **run.languages},
            )
            save_model(out, *encoder.to_model_file_parts())
        run.record.update(training)
    return run.record
