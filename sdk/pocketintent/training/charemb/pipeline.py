"""From target vectors to a model file of kind ``charemb``: read, split, train, measure, save."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch

from pocketintent.compression.quantise import quantise_charemb
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.weights import WeightFormat, Weights
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.text.characters import CharVocabulary
from pocketintent.training.charemb.data import CharEmbData, TargetTerms, misspelt, read_terms
from pocketintent.training.charemb.model import CharEmb, build_network
from pocketintent.training.charemb.objective import CharEmbTraining
from pocketintent.training.charemb.settings import CharEmbSettings
from pocketintent.training.loop.devices import Precision, choose_precision, fix_cublas_workspace
from pocketintent.training.loop.run import DEFAULT_OPTIONS, RunOptions, open_run
from pocketintent.training.teachers.targets import read_targets

_MEASURED_TERMS = 5000


def train_charemb(
    targets: Sequence[str | Path],
    out: str | Path,
    settings: CharEmbSettings,
    options: RunOptions = DEFAULT_OPTIONS,
    *,
    limit: int | None = None,
    weights: WeightFormat = "int8",
    float_out: str | Path | None = None,
    precision: Precision = "auto",
    max_minutes: float | None = None,
) -> dict[str, Any]:
    """Train a character network on vectors, and save it as a model file.

    ``targets`` are files of vectors, most frequent term first, see :func:`read_targets`: of each,
    ``limit`` terms are read, by default all; of equal terms the first is used. The weights are
    stored in the format ``weights``, and as float32 in a further file ``float_out``. For
    ``precision`` see :func:`choose_precision`; training ends after any ``max_minutes``.

    Returns the manifest's ``training`` entry, with ``bytes`` of the file and ``seconds``. Bad
    settings or targets are a PocketIntentError; for the work folder see :func:`open_run`.
    """
    settings.check()
    vectors = read_targets(targets, limit)
    data = CharEmbData.split(
        read_terms(vectors.terms, vectors.vectors, settings.max_chars), settings
    )
    fix_cublas_workspace(options.device)
    # Both check the settings before there is a work folder.
    build_network(settings, data.training.directions.shape[1])
    device = torch.device(options.device)
    dtype = choose_precision(precision, device, recurrent=settings.recurrent)
    identity = asdict(settings) | {"limit": limit, "weights": weights, "precision": str(dtype)}
    # A transformer's attention has no deterministic gradient on every GPU.
    with open_run(out, targets, identity, options, warn_only=True) as run:
        if run.finished:
            return run.record
        run.report(
            f"{len(data.training)} terms to learn, {len(data.validation)} held out, "
            f"{len(data.vocabulary)} characters"
        )
        task = CharEmbTraining(
            data, settings, device=run.device, workers=run.workers, precision=precision
        )
        trainer = run.train(task, max_minutes=max_minutes)
        training = {
            "method": "charemb",
            "targets": run.inputs,
            "limit": limit,
            "settings": asdict(settings),
            "terms": {"training": len(data.training), "validation": len(data.validation)},
            "history": trainer.history,
            "best_epoch": task.best_epoch(len(trainer.history)),
            "precision": str(task.precision).rpartition(".")[2],
            "command": options.command,
        }
        record = training | {"epochs": len(trainer.history), "seconds": round(trainer.seconds, 1)}
        if run.leads:
            run.report("measuring")
            entries = {"training": training, **run.languages}
            encoder = to_encoder(task.model, data.vocabulary, settings, entries)
            if float_out is not None:
                _save(float_out, encoder, data, settings.seed)
            quality = _save(out, quantise_charemb(encoder, weights), data, settings.seed)
            record |= {"weights": weights, "bytes": os.path.getsize(out), **quality}
        run.record.update(record)
    return run.record


def to_encoder(
    model: CharEmb,
    vocabulary: CharVocabulary,
    settings: CharEmbSettings,
    manifest: dict[str, Any] | None = None,
) -> CharEncoder:
    """The runtime's encoder with the float32 weights of a trained network."""
    weights = Weights.of_floats(model.parameters_by_name())
    return CharEncoder(vocabulary, model.network, weights, reads=settings.reads, manifest=manifest)


def measure_reconstruction(encoder: CharEncoder, data: CharEmbData, seed: int) -> dict[str, Any]:
    """Measure how near an encoder's vectors are to their targets.

    At most 5,000 of the training terms, drawn by the seed, and of any validation terms have their
    mean ``cosine``, ``cosine_1_error`` and ``cosine_2_errors`` of the same terms misspelt, and, if
    lengths are learnt, ``log_norm_error``, the root mean squared error.
    """
    figures = {}
    for name, terms in (("training", data.training), ("validation", data.validation)):
        if not len(terms):
            continue
        rng = np.random.default_rng(seed)
        sample = terms.take(np.sort(rng.permutation(len(terms))[:_MEASURED_TERMS]))
        clean = encoder.embed_terms(sample.texts)
        entry: dict[str, Any] = {"terms": len(sample), "cosine": _cosine(clean, sample)}
        for errors, key in ((1, "cosine_1_error"), (2, "cosine_2_errors")):
            texts = misspelt(sample.texts, seed, errors)
            entry[key] = _cosine(encoder.embed_terms(texts), sample)
        norms = np.linalg.norm(clean, axis=1)
        if encoder.network.norm:
            error = np.log(norms[norms > 0]) - sample.log_norms[norms > 0]
            entry["log_norm_error"] = round(float(np.sqrt(np.square(error).mean())), 4)
        figures[name] = entry
    return figures


def _cosine(vectors: FloatArray, terms: TargetTerms) -> float:
    """Mean cosine similarity of vectors to the terms' targets; a zero vector counts as 0."""
    norms = np.linalg.norm(vectors, axis=1)
    products = np.einsum("nd,nd->n", vectors, terms.directions)
    return round(float((products / np.where(norms > 0, norms, 1.0)).mean()), 4)


def _save(out: str | Path, encoder: CharEncoder, data: CharEmbData, seed: int) -> dict[str, Any]:
    """Write a model file; returns its quality, which its manifest has."""
    quality = encoder.manifest["quality"] = measure_reconstruction(encoder, data, seed)
    save_model(out, *encoder.to_model_file_parts())
    return quality
