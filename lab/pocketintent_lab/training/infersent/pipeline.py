"""From labelled pairs and word vectors to a model file of kind ``infersent``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Literal

import torch

from pocketintent.compression.background import add_background
from pocketintent.compression.quantise import add_template_quantizer
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.files.model_file import is_model_file, save_model
from pocketintent.training.corpora.reader import check_known_words, read_texts
from pocketintent.training.loop.devices import Precision, choose_precision, fix_cublas_workspace
from pocketintent.training.loop.run import DEFAULT_OPTIONS, RunOptions, open_run
from pocketintent.training.vectors.reading import read_vectors
from pocketintent.training.vectors.table import to_encoder
from pocketintent_lab.compression.int8_rows import int8_tables
from pocketintent_lab.compression.kinds import quantise_lstm
from pocketintent_lab.encoders.infersent.encoder import InferSentEncoder
from pocketintent_lab.training.infersent.data import PairData, make_data
from pocketintent_lab.training.infersent.objective import InferSentTraining
from pocketintent_lab.training.infersent.pairs import (
    USUAL_COLUMNS,
    Columns,
    LabelledPair,
    read_labelled_pairs,
)
from pocketintent_lab.training.infersent.settings import InferSentSettings

Storage = Literal["int8", "float32"]


def train_infersent(
    paths: Sequence[str | Path],
    vectors: str | Path,
    out: str | Path,
    settings: InferSentSettings,
    options: RunOptions = DEFAULT_OPTIONS,
    *,
    validation_pairs: Sequence[str | Path] = (),
    columns: Columns = USUAL_COLUMNS,
    weights: Storage = "int8",
    corpus: Sequence[str | Path] = (),
    precision: Precision = "auto",
    max_minutes: float | None = None,
) -> dict[str, Any]:
    """Train InferSent on labelled pairs, and save its encoder with all words of a table.

    Until the model is saved, the work folder ``<out>.work`` contains the last checkpoint.

    Args:
        paths: Files of labelled pairs, see :func:`read_labelled_pairs`. Pairs with labels, with
            ``same`` and with scores have a classifier each, over one encoder.
        vectors: The words' vectors, which are not trained: a static model, whose tokenizer and
            n-grams are kept, or any file that :func:`read_vectors` reads.
        out: The model file to write.
        settings: The settings of the run.
        options: The device, whether the run is resumed, and who receives its progress.
        validation_pairs: Files of pairs to hold out, instead of a share of the others.
        columns: Names of columns that are not recognised.
        weights: Storage format of the words and of the network.
        corpus: Texts on which the codebook for templates and the background of the result are
            made; none by default.
        precision: See :class:`InferSentTraining`.
        max_minutes: Training ends after this time; None for no limit.

    Returns:
        The manifest's ``training`` entry, with ``bytes`` of the file and ``seconds``.

    Raises:
        PocketIntentError: Bad settings, pairs or vectors; no line of the corpus has a word with a
            vector; the work folder of an unfinished run, and neither ``resume`` nor ``restart``;
            or a folder made with other settings or inputs.
    """
    settings.check()
    pairs, skipped = _read_all(paths, columns)
    held_out = _read_all(validation_pairs, columns)[0] or settings.validation
    table = read_word_table(vectors)
    check_known_words(table, corpus)
    data = make_data(table, pairs, held_out, settings.seed)
    fix_cublas_workspace(options.device)
    dtype = choose_precision(precision, torch.device(options.device), recurrent=True)
    identity = asdict(settings) | asdict(columns) | {"precision": str(dtype)}
    identity |= {"weights": weights, "validation_files": len(validation_pairs)}
    inputs = [*paths, *validation_pairs, vectors]
    with open_run(out, inputs, identity, options, warn_only=True) as run:
        if run.finished:
            return run.record
        run.report(_describe(data, skipped))
        task = InferSentTraining(
            data, settings, device=run.device, workers=run.workers, precision=precision
        )
        trainer = run.train(task, max_minutes=max_minutes)
        training = {
            "method": "infersent",
            "pairs": run.inputs[: len(paths)],
            "vectors": run.inputs[-1],
            "validation": run.inputs[len(paths) : -1],
            "settings": asdict(settings),
            "classes": {part.question: list(part.classes) for part in data.training},
            "num_pairs": {
                "training": data.num_training,
                "validation": data.num_validation,
                "left_out": data.num_left_out,
                "unlabelled": skipped,
            },
            "history": trainer.history,
            "best_epoch": task.best_epoch(len(trainer.history)),
            "precision": str(task.precision).rpartition(".")[2],
            "command": options.command,
        }
        record = training | {"seconds": round(trainer.seconds, 1)}
        if run.leads:
            if "training" in table.manifest:
                training = {**training, "words": table.manifest["training"]}
            manifest = table.manifest | {"training": training, **run.languages}
            manifest.pop("quality", None)
            encoder = InferSentEncoder(table.replace(manifest=manifest), task.model.to_network())
            record |= _save(Path(out), encoder, weights, corpus)
        run.record.update(record)
    return run.record


def read_word_table(path: str | Path) -> StaticEncoder:
    """The words of a static model, as they are, or of any other file of vectors.

    Raises:
        PocketIntentError: The file cannot be read, or is a model without a table of words.
    """
    if is_model_file(path):
        encoder = load_encoder(path)
        if isinstance(encoder, StaticEncoder):
            return encoder.replace(template_quantizer=None, background=None)
    return to_encoder(read_vectors(path, subwords=True))


def _read_all(paths: Sequence[str | Path], columns: Columns) -> tuple[list[LabelledPair], int]:
    """The pairs of several files, and the number of rows without a label."""
    pairs: list[LabelledPair] = []
    skipped = 0
    for path in paths:
        more, without = read_labelled_pairs(path, columns)
        pairs += more
        skipped += without
    return pairs, skipped


def _describe(data: PairData, skipped: int) -> str:
    return (
        f"{data.num_training} pairs to learn, {data.num_validation} held out to measure; "
        f"{data.num_left_out} left out without a word, {skipped} without a label"
    )


def _save(
    out: Path, encoder: InferSentEncoder, weights: Storage, corpus: Sequence[str | Path]
) -> dict[str, Any]:
    """Write the model file; returns its format and size."""
    if weights == "int8":
        encoder = int8_tables(encoder)
        encoder = encoder.replace(network=quantise_lstm(encoder.network))
    if corpus:
        encoder = add_template_quantizer(encoder, read_texts(corpus))
        encoder = add_background(encoder, read_texts(corpus))
    save_model(out, *encoder.to_model_file_parts())
    return {"weights": weights, "bytes": os.path.getsize(out)}
