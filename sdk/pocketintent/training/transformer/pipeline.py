"""From a sentence encoder's vectors of texts to a model file of kind ``transformer``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from pocketintent.runtime.encoders.registry import load_kind
from pocketintent.runtime.encoders.transformer.encoder import TransformerEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.files.shipped_models import find_model
from pocketintent.training.corpora.reader import check_known_words
from pocketintent.training.corpora.word_counts import CountedVocabulary
from pocketintent.training.loop.devices import Precision, choose_precision, fix_cublas_workspace
from pocketintent.training.loop.run import DEFAULT_OPTIONS, RunOptions, open_run
from pocketintent.training.teachers.distillation import learnt_encoder, train_run
from pocketintent.training.teachers.paraphrases import read_paraphrases
from pocketintent.training.teachers.targets import TextData, read_targets, to_text
from pocketintent.training.transformer.objective import TransformerTraining
from pocketintent.training.transformer.settings import TransformerSettings
from pocketintent.training.transformer.start import BertFolder, cut_bert, narrow
from pocketintent.training.transformer.vocabulary import choose_words
from pocketintent.training.vectors.table import TermVectors

_NARROWED_TEXTS = 3000  # on which the feed-forward parts are refitted


def train_transformer(
    targets: Sequence[str | Path],
    out: str | Path,
    settings: TransformerSettings,
    options: RunOptions = DEFAULT_OPTIONS,
    *,
    start: str | Path,
    paraphrases: Sequence[str | Path] = (),
    corpus: Sequence[str | Path] = (),
    precision: Precision = "auto",
    max_minutes: float | None = None,
) -> dict[str, Any]:
    """Train a transformer encoder on vectors of texts, and save it.

    Args:
        targets: Files of texts with their vectors, see :func:`read_targets`.
        out: The model file to write.
        settings: The settings of the run.
        options: Its device, its languages, and who receives its progress.
        start: The folder of a model of BERT's kind, of which layers and hidden units are taken,
            see :func:`cut_bert` and :func:`narrow`; or a transformer model to go on from, its file
            or the name of a shipped one, which decides on all sizes and words. Its codes, if it is
            compressed, stay; the centroids, the norms and the vectors are trained.
        paraphrases: Files of texts that mean the same, see :func:`read_paraphrases`.
        corpus: Texts on which the codebook for templates and the background of the result are
            made. By default the result has those of ``start``.
        precision: Precision of the network's products, see :func:`choose_precision`.
        max_minutes: Training ends after this time; None for no limit.

    Returns the manifest's ``training`` entry, with ``seconds``. Bad settings or inputs are a
    PocketIntentError; for the work folder see :func:`open_run`.
    """
    settings.check()
    vectors = read_targets(targets)
    fix_cublas_workspace(options.device)
    dtype = choose_precision(precision, torch.device(options.device))
    if Path(start).is_dir():
        encoder = new_encoder(BertFolder.read(start), vectors, settings)
        start_files = [Path(start) / name for name in ("model.safetensors", "tokenizer.json")]
    else:
        start_files = [find_model(start)]
        encoder = load_kind(start_files[0], TransformerEncoder)
        settings = settings_of(encoder, settings)
    check_known_words(encoder, corpus)
    data = prepare_texts(vectors, encoder, settings, paraphrases)
    inputs = [*targets, *start_files, *paraphrases, *corpus]
    identity = asdict(settings) | {"precision": str(dtype)}
    with open_run(out, inputs, identity, options, warn_only=True) as run:
        if run.finished:
            return run.record
        run.report(
            f"{len(data.training)} texts to learn, {len(data.validation)} held out to measure, "
            f"{data.num_left_out} left out without a word; {len(encoder.vocabulary)} words and "
            "pieces with a vector"
        )
        task = TransformerTraining(
            data, settings, encoder, device=run.device, workers=run.workers, precision=precision
        )
        task.align_targets()
        training, seconds = train_run(run, task, "transformer", targets, options, max_minutes)
        if run.leads:
            learnt = {
                "network": task.model.to_network(),
                "words": task.model.words.to_matrix(),
            }
            encoder = learnt_encoder(
                encoder, learnt, training, run.languages, corpus, settings.seed
            )
            save_model(Path(out), *encoder.to_model_file_parts())
        run.record.update(training | {"seconds": seconds})
    return run.record


def new_encoder(
    folder: BertFolder, targets: TermVectors, settings: TransformerSettings
) -> TransformerEncoder:
    """An encoder in float32 with words of the texts, and a part of the network of a BERT."""
    texts = [to_text(term) for term in targets.terms]
    words, lost = choose_words(
        texts, folder.pieces, max_words=settings.max_words, min_count=settings.min_count
    )
    encoder = cut_bert(folder, words, lost, layers=settings.layers)
    rng = np.random.default_rng(settings.seed)
    sample = [texts[place] for place in rng.permutation(len(texts))[:_NARROWED_TEXTS]]
    return narrow(encoder, sample, settings.feedforward)


def settings_of(encoder: TransformerEncoder, settings: TransformerSettings) -> TransformerSettings:
    """The settings of a run that goes on from a model, whose sizes it has."""
    network = encoder.network
    return replace(
        settings,
        layers=network.layers,
        feedforward=network.feedforward,
        max_words=len(encoder.vocabulary),
    )


def prepare_texts(
    targets: TermVectors,
    encoder: TransformerEncoder,
    settings: TransformerSettings,
    paraphrases: Sequence[str | Path] = (),
) -> TextData:
    """The texts as ids of the encoder's words; for errors see :meth:`TextData.prepare`."""
    counts = encoder.table.counts
    if counts is None:
        raise PocketIntentError(
            "the model to start from must have counts of its words, as `train transformer` and "
            "`compress` write them"
        )
    words = CountedVocabulary(encoder.vocabulary.words, counts.astype(np.int64))

    def tokenize(text: str) -> list[str]:
        return encoder.tokenize(text)[: settings.max_length]

    data = TextData.prepare(targets, tokenize, settings, encoder.dim, words=words)
    groups = read_paraphrases(paraphrases, lambda text: encoder.vocabulary.ids(tokenize(text)))
    return replace(data, paraphrases=groups)
