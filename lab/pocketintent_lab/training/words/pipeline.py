"""From corpus files to word vectors by gensim: tokenise once, train epoch by epoch, save."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError, require
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.runtime.text.vocabulary import Vocabulary
from pocketintent.training.corpora.tokenizers import TOKENIZER_SPECS
from pocketintent.training.loop.run import DEFAULT_OPTIONS, RunOptions, open_run
from pocketintent.training.vectors.table import TermVectors
from pocketintent.training.vectors.writing import write_vectors
from pocketintent_lab.training.words.data import TokenisedCorpus, load_tokenised, tokenise_corpus
from pocketintent_lab.training.words.model import WordTraining
from pocketintent_lab.training.words.settings import WordSettings


def train_words(
    paths: Sequence[str | Path],
    out: str | Path,
    settings: WordSettings,
    options: RunOptions = DEFAULT_OPTIONS,
    *,
    terms: str | Path | None = None,
) -> dict[str, Any]:
    """Train word vectors (Mikolov et al. 2013; Bojanowski et al. 2017) and save them.

    Until they are saved, the work folder ``<out>.work`` contains the tokenised corpus and a
    checkpoint after the last epoch. With one worker, one seed gives one result on one machine
    and version of gensim; a resumed run gives the result of an unbroken one.

    Args:
        paths: Corpus files, see :func:`read_corpus`; a tab separates the sentences of a line.
        out: The file to write: ``.safetensors`` is a pocketintent model of kind ``static``, in
            which FastText's n-grams embed unknown words; for other suffixes see
            :func:`write_vectors`.
        settings: The settings of the run.
        options: Whether the run is resumed, and who receives its progress; the device is the CPU.
        terms: A file of terms, see :func:`load_terms`; their words are joined to one token each,
            ``machine_learning``. None for words alone.

    Returns:
        The record of the run, which is also the manifest's ``training`` entry of a model.

    Raises:
        PocketIntentError: Bad settings, corpus or terms; the work folder of an unfinished run,
            and neither ``resume`` nor ``restart``; a folder made with other settings or inputs;
            or several processes.
        MissingExtraError: gensim is not installed.
    """
    settings.check()
    require("gensim", "train")
    inputs = [*paths, *([] if terms is None else [terms])]
    with open_run(out, inputs, asdict(settings), options) as run:
        if run.finished:
            return run.record
        if run.workers.count > 1:
            raise PocketIntentError(
                "word vectors are trained by one process: run without torchrun, and use "
                "--workers for several threads"
            )
        tokenise_corpus(paths, terms, run.folder, settings, run.report)
        corpus = load_tokenised(run.folder)
        run.report(f"{len(corpus.words)} words; {corpus.num_tokens} in an epoch")
        task = WordTraining(corpus, settings)
        run.train(task)
        training = {
            "method": settings.method,
            "corpora": run.inputs[: len(paths)],
            "terms": None if terms is None else run.inputs[-1],
            "settings": asdict(settings),
            "vocabulary": len(corpus.words),
            "words_per_epoch": corpus.num_tokens,
            "command": options.command,
        }
        entries = {"training": training, **run.languages}
        _save(Path(out), task.model, corpus, settings, entries)
        run.record.update(training)
    return run.record


def _save(
    out: Path,
    model: Any,
    corpus: TokenisedCorpus,
    settings: WordSettings,
    entries: dict[str, Any],
) -> None:
    words: list[str] = model.wv.index_to_key
    vectors = np.ascontiguousarray(model.wv.vectors, np.float32)
    if out.suffix != ".safetensors":
        write_vectors(out, TermVectors(words, vectors))
        return
    ngrams, ngram_settings = None, None
    if settings.method == "fasttext":
        ngrams = DenseMatrix(model.wv.vectors_ngrams)
        ngram_settings = NgramSettings(settings.min_n, settings.max_n, settings.num_buckets)
    encoder = StaticEncoder(
        Vocabulary(words),
        DenseMatrix(vectors),
        tokenizer_spec=TOKENIZER_SPECS[settings.tokenizer],
        ngrams=ngrams,
        ngram_settings=ngram_settings,
        counts=corpus.words.counts.astype(np.uint32),
        manifest=entries,
    )
    save_model(out, *encoder.to_model_file_parts())
