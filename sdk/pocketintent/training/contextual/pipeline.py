"""From a sentence encoder's vectors of texts to a model file of kind ``contextual``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.contextual.encoder import ContextualEncoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.text.languages import languages_entry
from pocketintent.runtime.text.vocabulary import Vocabulary
from pocketintent.training.contextual.data import ContextualData, ngram_settings
from pocketintent.training.contextual.objective import ContextualTraining
from pocketintent.training.contextual.rows import FloatRows
from pocketintent.training.contextual.settings import ContextualSettings
from pocketintent.training.loop.devices import Precision, choose_precision, fix_cublas_workspace
from pocketintent.training.loop.options import DEFAULT_OPTIONS, RunOptions
from pocketintent.training.loop.run import open_run
from pocketintent.training.loop.work_folder import fingerprint
from pocketintent.training.teachers.targets import read_targets
from pocketintent.training.teachers.texts import initial_word_vectors

_NGRAM_SCALE = 0.02
"""Size of the numbers of n-gram vectors that have learnt nothing yet."""


def train_contextual(
    targets: Sequence[str | Path],
    out: str | Path,
    settings: ContextualSettings,
    options: RunOptions = DEFAULT_OPTIONS,
    *,
    precision: Precision = "auto",
    max_minutes: float | None = None,
) -> dict[str, Any]:
    """Train a contextual encoder on vectors of texts, and save it, uncompressed.

    Until the model is saved, the work folder ``<out>.work`` contains the last checkpoint.

    Args:
        targets: Files of texts with their vectors, see :func:`read_targets`: utterances and
            single words. A word that is a text by itself always gets a vector.
        out: The model file to write.
        settings: The settings of the run.
        options: The device, whether the run is resumed, and who receives its progress.
        precision: Precision of the network's products, see :func:`choose_precision`.
        max_minutes: Training ends after this time; None for no limit.

    Returns:
        The manifest's ``training`` entry, with ``seconds``.

    Raises:
        PocketIntentError: Bad settings or targets; the work folder of an unfinished run, and
            neither ``resume`` nor ``restart``; or a folder made with other settings or targets.
    """
    settings.check()
    languages = languages_entry(options.languages)
    data = ContextualData.prepare(read_targets(targets), settings)
    fix_cublas_workspace(options.device)
    choose_precision(precision, torch.device(options.device))
    with open_run(out, targets, asdict(settings), options, warn_only=True) as run:
        if run.finished:
            return run.record
        run.report(describe(data))
        device = torch.device(run.device)
        task = ContextualTraining(
            data,
            settings,
            FloatRows(
                initial_word_vectors(data.training, data.words.counts, settings.frequency_weight),
                device,
            ),
            FloatRows(_initial_ngrams(settings), device),
            device=run.device,
            workers=run.workers,
            precision=precision,
        )
        trainer = run.train(task, max_minutes=max_minutes)
        training = {
            "method": "contextual",
            "targets": [fingerprint(Path(path)) for path in targets],
            "settings": asdict(settings),
            "texts": {"training": len(data.training), "validation": len(data.validation)},
            "history": trainer.history,
            "precision": str(task.precision).rpartition(".")[2],
            "command": options.command,
        }
        if run.leads:
            encoder = to_encoder(task, data, {"training": training, **languages})
            save_model(out, *encoder.to_model_file_parts())
        run.record.update(training | {"seconds": round(trainer.seconds, 1)})
    return run.record


def describe(data: ContextualData) -> str:
    """A line on the texts of a run."""
    return (
        f"{len(data.training)} texts to learn, {len(data.validation)} held out to measure, "
        f"{data.num_left_out} left out without a word; {len(data.words)} words with a vector, "
        f"{len(data.offsets) - 1 - len(data.words)} without"
    )


def to_encoder(
    task: ContextualTraining, data: ContextualData, manifest: dict[str, Any]
) -> ContextualEncoder:
    """The runtime's encoder with what a run has learnt."""
    table = StaticEncoder(
        Vocabulary(data.words.words),
        task.words.to_matrix(),
        ngrams=task.ngrams.to_matrix(),
        ngram_settings=ngram_settings(task.settings),
        counts=data.words.counts.astype(np.uint32),
        manifest=manifest,
    )
    return ContextualEncoder(table, task.model.to_network())


def _initial_ngrams(settings: ContextualSettings) -> FloatArray:
    rng = np.random.default_rng(settings.seed)
    size = (settings.num_buckets, settings.dim)
    return (_NGRAM_SCALE * rng.standard_normal(size)).astype(np.float32)
