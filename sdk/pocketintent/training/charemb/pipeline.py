"""From target vectors to a model file of kind ``charemb``: read, split, train, measure, save."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch

from pocketintent.compression.network import quantise_charemb
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.charemb.weights import WeightFormat, Weights
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.text.characters import CharVocabulary
from pocketintent.training.charemb.data import CharEmbData, TargetTerms, misspelt, read_terms
from pocketintent.training.charemb.model import CharEmb
from pocketintent.training.charemb.settings import CharEmbSettings
from pocketintent.training.charemb.trainer import CharEmbTrainer, build_network
from pocketintent.training.loop.precision import Precision, choose_precision
from pocketintent.training.loop.run import Report, open_run
from pocketintent.training.loop.work_folder import fingerprint
from pocketintent.training.teachers.targets import read_targets

_MEASURED_TERMS = 5000


def train_charemb(
    targets: Sequence[str | Path],
    out: str | Path,
    settings: CharEmbSettings,
    *,
    limit: int | None = None,
    weights: WeightFormat = "int8",
    float_out: str | Path | None = None,
    device: str = "cpu",
    precision: Precision = "auto",
    max_minutes: float | None = None,
    resume: bool = False,
    restart: bool = False,
    command: str = "",
    report: Report = lambda line: None,
) -> dict[str, Any]:
    """Train a character network on vectors, and save it as a model file.

    Until the model is saved, the work folder ``<out>.work`` holds the last checkpoint.

    Args:
        targets: Files of vectors, see :func:`read_targets`; of terms that are equal the first
            counts. They begin with the most frequent term.
        out: The model file to write.
        settings: The settings of the run.
        limit: Terms that are read of each target; None for all.
        weights: How the weights are stored.
        float_out: Where to save the same model with float32 weights; None to save none.
        device: Torch device; "cuda" takes the GPU that torchrun assigns.
        precision: See :class:`CharEmbTrainer`.
        max_minutes: Stop after so much training; None for no limit.
        resume: Go on from the work folder's checkpoint, where there is one.
        restart: Drop what a killed run left.
        command: The command line, kept in the manifest.
        report: Receives lines of progress.

    Returns:
        The manifest's ``training`` entry, with ``bytes`` of the file and ``seconds``.

    Raises:
        PocketIntentError: Bad settings or targets; a killed run's work folder, and neither
            ``resume`` nor ``restart``; or a folder made with other settings or targets.
    """
    settings.check()
    vectors = read_targets(targets, limit)
    data = CharEmbData.split(
        read_terms(vectors.terms, vectors.vectors, settings.max_chars), settings
    )
    # Both refuse what cannot be, before there is a folder.
    build_network(settings, data.training.directions.shape[1])
    choose_precision(precision, torch.device(device))
    identity = asdict(settings) | {"limit": limit, "weights": weights}
    with open_run(
        out, targets, identity, device=device, resume=resume, restart=restart, report=report
    ) as run:
        run.report(
            f"{len(data.training)} terms to learn, {len(data.validation)} kept out, "
            f"{len(data.vocabulary)} characters"
        )
        trainer = CharEmbTrainer(
            data,
            settings,
            run.folder,
            device=run.device,
            workers=run.workers,
            precision=precision,
            max_minutes=max_minutes,
            report=run.report,
        )
        run.train(trainer, settings.epochs)
        training = {
            "method": "charemb",
            "targets": [fingerprint(Path(path)) for path in targets],
            "limit": limit,
            "settings": asdict(settings),
            "terms": {"training": len(data.training), "validation": len(data.validation)},
            "history": trainer.history,
            "best_epoch": trainer.best_epoch,
            "precision": str(trainer.precision).rpartition(".")[2],
            "command": command,
        }
        record = training | {"epochs": len(trainer.history), "seconds": round(trainer.seconds, 1)}
        if run.leads:
            run.report("measuring")
            record |= _save(Path(out), float_out, trainer.model, data, settings, training, weights)
    return record


def to_encoder(
    model: CharEmb,
    vocabulary: CharVocabulary,
    settings: CharEmbSettings,
    manifest: dict[str, Any] | None = None,
) -> CharEncoder:
    """The runtime's encoder of a trained network, with float32 weights."""
    parameters = model.parameters_by_name()
    weights = Weights(
        "float32",
        {name: DenseMatrix(value) for name, value in parameters.items() if value.ndim == 2},
        {name: value for name, value in parameters.items() if value.ndim == 1},
    )
    return CharEncoder(vocabulary, model.network, weights, reads=settings.reads, manifest=manifest)


def measure_reconstruction(encoder: CharEncoder, data: CharEmbData, seed: int) -> dict[str, Any]:
    """How near an encoder comes to its target.

    Args:
        encoder: The encoder, as it will be used.
        data: What it was trained on; of more than 5,000 terms a side, so many are drawn.
        seed: Of the draw and of the typing errors.

    Returns:
        For ``training`` and, where terms were kept out, ``validation``: ``terms``, the mean
        ``cosine``, ``cosine_1_error`` and ``cosine_2_errors`` of the same terms misspelt, and
        where lengths are learnt ``log_norm_error``, the root of the mean squared error.
    """
    figures: dict[str, Any] = {}
    for name, terms in (("training", data.training), ("validation", data.validation)):
        if not len(terms):
            continue
        rng = np.random.default_rng(seed)
        drawn = terms.take(np.sort(rng.permutation(len(terms))[:_MEASURED_TERMS]))
        clean = encoder.embed_terms(drawn.texts)
        entry: dict[str, Any] = {"terms": len(drawn), "cosine": _cosine(clean, drawn)}
        for errors, key in ((1, "cosine_1_error"), (2, "cosine_2_errors")):
            texts = misspelt(drawn.texts, seed, errors)
            entry[key] = _cosine(encoder.embed_terms(texts), drawn)
        norms = np.linalg.norm(clean, axis=1)
        if encoder.network.norm:
            error = np.log(norms[norms > 0]) - drawn.log_norms[norms > 0]
            entry["log_norm_error"] = round(float(np.sqrt(np.square(error).mean())), 4)
        figures[name] = entry
    return figures


def _cosine(vectors: np.ndarray[Any, np.dtype[np.float32]], terms: TargetTerms) -> float:
    norms = np.linalg.norm(vectors, axis=1)
    products = np.einsum("nd,nd->n", vectors, terms.directions)
    return round(float((products / np.where(norms > 0, norms, 1.0)).mean()), 4)


def _save(
    out: Path,
    float_out: str | Path | None,
    model: CharEmb,
    data: CharEmbData,
    settings: CharEmbSettings,
    training: dict[str, Any],
    weights: WeightFormat,
) -> dict[str, Any]:
    """Write the model files; returns what is reported of them."""
    encoder = to_encoder(model, data.vocabulary, settings, {"training": training})
    if float_out is not None:
        encoder.manifest["quality"] = measure_reconstruction(encoder, data, settings.seed)
        save_model(float_out, *encoder.to_model_file_parts())
    small = quantise_charemb(encoder, weights)
    small.manifest["quality"] = measure_reconstruction(small, data, settings.seed)
    save_model(out, *small.to_model_file_parts())
    return {"weights": weights, "bytes": os.path.getsize(out), **small.manifest["quality"]}
