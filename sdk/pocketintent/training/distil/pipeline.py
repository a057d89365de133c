"""Word vectors distilled from a sentence encoder, so that their sum is the vector of a text.

A sentence encoder's vectors of single words make a fair table (Model2Vec, Tulkens and van Dongen
2024), but words differ in weight, and in a text a word seldom means what it means alone. The
table is therefore fitted to the encoder's vectors of whole texts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.files.model_file import save_model
from pocketintent.training.corpora.tokenizers import TOKENIZER_SPECS, corpus_tokenizer
from pocketintent.training.distil.settings import DistilSettings
from pocketintent.training.loop.run import DEFAULT_OPTIONS, RunOptions, open_run
from pocketintent.training.loop.table_training import (
    BatchGradients,
    SparseRows,
    TableModel,
    TableTraining,
)
from pocketintent.training.teachers.targets import (
    TargetTexts,
    TextData,
    initial_word_vectors,
    read_targets,
)
from pocketintent.training.vectors.table import TermVectors, to_encoder

_FEW_STEPS = 100


def train_distilled(
    targets: Sequence[str | Path],
    out: str | Path,
    settings: DistilSettings,
    options: RunOptions = DEFAULT_OPTIONS,
) -> dict[str, Any]:
    """Fit word vectors to the vectors of texts, and save them, uncompressed, as a model file.

    The files ``targets`` have utterances and single words with their vectors, see
    :func:`read_targets`; a word that is a text by itself always gets a vector. Returns the
    manifest's ``training`` entry. Bad settings or targets are a PocketIntentError; for the work
    folder see :func:`open_run`.
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
            encoder = to_encoder(
                TermVectors(data.words.words, model.words.table.cpu().numpy()),
                tokenizer_spec=TOKENIZER_SPECS[settings.tokenizer],
                counts=data.words.counts,
                manifest={"training": training, **run.languages},
            )
            save_model(out, *encoder.to_model_file_parts())
        run.record.update(training)
    return run.record


def prepare_texts(targets: TermVectors, settings: DistilSettings) -> TextData:
    """The vocabulary and the texts of a run, without words that are too rare for a vector."""
    tokenize = corpus_tokenizer(TOKENIZER_SPECS[settings.tokenizer])
    return TextData.prepare(targets, tokenize, settings, settings.dim)


class TextBatches:
    """Batches of the texts to learn, each a function of seed, epoch and number alone."""

    def __init__(self, texts: TargetTexts, settings: DistilSettings) -> None:
        self._texts, self._settings = texts, settings
        self.words_per_epoch = len(texts.ids)
        self.start_epoch(0)

    def __len__(self) -> int:
        """Number of batches in an epoch."""
        return -(-len(self._texts) // self._settings.batch_size)

    def start_epoch(self, epoch: int) -> int:
        """Shuffle the texts for an epoch."""
        rng = np.random.default_rng([self._settings.seed, epoch])
        self._order = rng.permutation(len(self._texts))
        return len(self)

    def batch(self, number: int) -> TargetTexts:
        """One batch of the current epoch."""
        first = number * self._settings.batch_size
        return self._texts.take(self._order[first : first + self._settings.batch_size])


class WordSums(TableModel):
    """A table of word vectors, with the loss and gradients of a batch of texts.

    The loss of a text is ``1 - cosine`` between the sum of its words' vectors and its target.
    ``vectors``, float32 [num_words, dim], are the initial ones.
    """

    def __init__(self, settings: DistilSettings, vectors: FloatArray, device: str = "cpu") -> None:
        super().__init__(settings, device)
        self.words = SparseRows(torch.from_numpy(vectors.copy()).to(self.device), adagrad=True)

    def gradients(self, batch: TargetTexts) -> BatchGradients:
        """Summed loss of a batch, and its gradient for the words in it."""
        owners, targets = self.to_device(batch.owners()), self.to_device(batch.targets)
        rows, inverse = torch.unique(self.to_device(batch.ids), return_inverse=True)
        vectors = self.words.table.index_select(0, rows)
        sums = torch.zeros_like(targets).index_add_(0, owners, vectors.index_select(0, inverse))
        # d cos(s, t) / ds = (t - cos u) / |s|, with u = s / |s|
        norms = sums.norm(dim=1, keepdim=True).clamp_min(1e-6)
        unit = sums / norms
        cosines = (unit * targets).sum(1, keepdim=True)
        d_sums = (cosines * unit - targets) / norms
        d_vectors = torch.zeros_like(vectors).index_add_(0, inverse, d_sums.index_select(0, owners))
        count = torch.tensor(len(batch), device=self.device)
        return BatchGradients((1 - cosines).sum(), count, rows, d_vectors)

    def mean_cosine(self, texts: TargetTexts) -> float:
        """Mean cosine similarity of the texts' sums to their targets, -1..1."""
        total, size = 0.0, self.settings.batch_size
        for first in range(0, len(texts), size):
            numbers = np.arange(first, min(first + size, len(texts)))
            total += len(numbers) - float(self.gradients(texts.take(numbers)).loss)
        return total / len(texts)
