"""From a sentence encoder's vectors of texts to a model file of kind ``contextual``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from pocketintent.compression.kinds import quantise_context
from pocketintent.runtime.encoders.contextual.encoder import ContextualEncoder
from pocketintent.runtime.encoders.contextual.network import ContextNetwork
from pocketintent.runtime.encoders.registry import load_kind
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.files.shipped_models import find_model
from pocketintent.training.contextual.data import ContextualData, ngram_settings, prepare_texts
from pocketintent.training.contextual.model import ContextModel
from pocketintent.training.contextual.objective import ContextualTraining
from pocketintent.training.contextual.settings import ContextualSettings
from pocketintent.training.corpora.reader import check_known_words
from pocketintent.training.corpora.word_counts import CountedVocabulary
from pocketintent.training.loop.devices import Precision, choose_precision, fix_cublas_workspace
from pocketintent.training.loop.run import DEFAULT_OPTIONS, RunOptions, open_run
from pocketintent.training.teachers.distillation import learnt_encoder, train_run
from pocketintent.training.teachers.targets import initial_word_vectors, read_targets
from pocketintent.training.vectors.table import Subwords, TermVectors, to_encoder

_NGRAM_SCALE = 0.02  # of the numbers of n-gram vectors that have learnt nothing yet


def train_contextual(
    targets: Sequence[str | Path],
    out: str | Path,
    settings: ContextualSettings,
    options: RunOptions = DEFAULT_OPTIONS,
    *,
    start: str | Path | None = None,
    paraphrases: Sequence[str | Path] = (),
    corpus: Sequence[str | Path] = (),
    precision: Precision = "auto",
    max_minutes: float | None = None,
) -> dict[str, Any]:
    """Train a contextual encoder on vectors of texts, and save it.

    Args:
        targets: Files of texts with their vectors, see :func:`read_targets`: utterances and
            single words. A word that is a text by itself gets a vector, unless ``max_words``
            leaves it out.
        out: The model file to write.
        settings: The settings of the run.
        options: Its device, its languages, and who receives its progress.
        start: A contextual model to go on from, its file or the name of a shipped model, which
            decides on the words, the n-grams, the network and the dimensions. Its codes, if it is
            compressed, stay; the centroids, the norms and the network are trained. None to start
            from the targets, which gives an uncompressed model.
        paraphrases: Files of texts that mean the same, see :func:`read_paraphrases`.
        corpus: Texts on which the codebook for templates and the background of the result are
            made. By default the result has those of ``start``, which still serve after a thousand
            steps (docs/contextual.md); without ``start`` it has none.
        precision: Precision of the network's products, see :func:`choose_precision`.
        max_minutes: Training ends after this time; None for no limit.

    Returns the manifest's ``training`` entry, with ``seconds``. Bad settings or targets are a
    PocketIntentError; for the work folder see :func:`open_run`.
    """
    settings.check()
    vectors = read_targets(targets)
    fix_cublas_workspace(options.device)
    dtype = choose_precision(precision, torch.device(options.device))
    start = None if start is None else find_model(start)
    if start is None:
        data = prepare_texts(vectors, settings, paraphrases=paraphrases)
        encoder = new_encoder(data, settings)
    else:
        encoder = load_kind(start, ContextualEncoder)
        settings = settings_of(encoder, settings)
        assert encoder.table.counts is not None
        words = CountedVocabulary(encoder.vocabulary.words, encoder.table.counts.astype(np.int64))
        data = prepare_texts(vectors, settings, words, encoder.table.ngram_settings, paraphrases)
    check_known_words(encoder, corpus)
    inputs = [*targets, *([] if start is None else [start]), *paraphrases, *corpus]
    identity = asdict(settings) | {"precision": str(dtype)}
    with open_run(out, inputs, identity, options, warn_only=True) as run:
        if run.finished:
            return run.record
        run.report(
            f"{len(data.training)} texts to learn, {len(data.validation)} held out to measure, "
            f"{data.num_left_out} left out without a word; {len(data.words)} words with a vector, "
            f"{len(data.offsets) - 1 - len(data.words)} without"
        )
        task = ContextualTraining(
            data, settings, encoder, device=run.device, workers=run.workers, precision=precision
        )
        if start is not None:
            task.align_targets()
        training, seconds = train_run(run, task, "contextual", targets, options, max_minutes)
        if run.leads:
            learnt = {
                "network": _network(task, encoder),
                "words": task.words.to_matrix(),
                "ngrams": task.ngrams.to_matrix(),
            }
            encoder = learnt_encoder(
                encoder, learnt, training, run.languages, corpus, settings.seed
            )
            save_model(Path(out), *encoder.to_model_file_parts())
        run.record.update(training | {"seconds": seconds})
    return run.record


def new_encoder(data: ContextualData, settings: ContextualSettings) -> ContextualEncoder:
    """A sum of words that start at their own targets; see :func:`initial_word_vectors`."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(settings.seed)
        model = ContextModel(settings.dim, settings.hidden, settings.width)
    size = (settings.num_buckets, settings.dim)
    ngrams = _NGRAM_SCALE * np.random.default_rng(settings.seed).standard_normal(size)
    words = initial_word_vectors(data.training, data.words.counts, settings.frequency_weight)
    subwords = Subwords(ngrams.astype(np.float32), ngram_settings(settings))
    vectors = TermVectors(data.words.words, words, subwords)
    table = to_encoder(vectors, counts=data.words.counts)
    return ContextualEncoder(table, replace(model.to_network(), word_share=settings.word_share))


def settings_of(encoder: ContextualEncoder, settings: ContextualSettings) -> ContextualSettings:
    """The settings of a run that goes on from a model, whose sizes it has."""
    ngrams, network = encoder.table.ngram_settings, encoder.network
    if ngrams is None or encoder.table.counts is None:
        raise PocketIntentError(
            "the model to start from must have n-grams and counts of its words, as `train "
            "contextual` and `compress` write them"
        )
    return replace(
        settings,
        dim=encoder.dim,
        hidden=network.hidden,
        width=network.width,
        word_share=network.word_share,
        num_buckets=ngrams.num_buckets,
        min_n=ngrams.min_n,
        max_n=ngrams.max_n,
    )


def _network(task: ContextualTraining, old: ContextualEncoder) -> ContextNetwork:
    """The network that a task has learnt, in the storage format of the old one."""
    network = replace(task.model.to_network(), word_share=old.network.word_share)
    return quantise_context(network) if old.network.format == "int8" else network
