"""Word2Vec and FastText on a corpus, by gensim: tokenise once, train by epochs, save."""

from __future__ import annotations

import os
import shutil
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import orjson
from numpy.typing import NDArray

from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError, require
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.text.ngrams import NgramSettings, ngram_buckets
from pocketintent.runtime.text.tokenizer import get_tokenizer
from pocketintent.runtime.text.vocabulary import Vocabulary
from pocketintent.training.corpora.reader import read_texts
from pocketintent.training.corpora.tokenizers import TOKENIZER_SPECS
from pocketintent.training.corpora.word_counts import count_vocabulary
from pocketintent.training.loop.work_folder import fingerprint, open_folder
from pocketintent.training.terms.files import load_terms
from pocketintent.training.terms.joiner import TermJoiner
from pocketintent.training.vectors.table import TermVectors
from pocketintent.training.vectors.writing import write_vectors
from pocketintent.training.words.settings import WordSettings

Report = Callable[[str], None]

_CORPUS, _VOCABULARY = "corpus.txt", "vocabulary.json"
_MAX_TOKENS = 10_000  # of a line; gensim ignores what lies beyond


def train_words(
    paths: Sequence[str | Path],
    out: str | Path,
    settings: WordSettings,
    *,
    terms: str | Path | None = None,
    resume: bool = False,
    restart: bool = False,
    command: str = "",
    report: Report = lambda line: None,
) -> dict[str, Any]:
    """Train word vectors (Mikolov et al. 2013; Bojanowski et al. 2017) and save them.

    Until they are saved, the work folder ``<out>.work`` holds the tokenised corpus and gensim's
    model after the last epoch. One seed gives one result with one worker, on one machine and
    version of gensim; a resumed run gives that of an unbroken one.

    Args:
        paths: Corpus files, see :func:`read_corpus`; a tab separates the sentences of a line.
        out: The file to write: with ``.safetensors`` a pocketintent model of kind ``static``,
            in which FastText's n-grams serve unknown words; else as :func:`write_vectors` does.
        settings: The settings of the run.
        terms: A file of terms, see :func:`load_terms`; their words are joined to one token each,
            ``machine_learning``. None for words alone.
        resume: Go on after the last whole epoch of a run that was stopped, where there is one.
        restart: Drop what a stopped run left.
        command: The command line, kept in the manifest.
        report: Receives lines of progress.

    Returns:
        The record of the run; a model has it as its manifest's ``training``.

    Raises:
        PocketIntentError: Bad settings, corpus or terms; a stopped run's work folder, and
            neither ``resume`` nor ``restart``; or a folder made with other settings or inputs.
        MissingExtraError: gensim is not installed.
    """
    settings.check()
    require("gensim", "train")
    inputs = [*paths, *([] if terms is None else [terms])]
    folder = Path(f"{out}.work")
    open_folder(folder, inputs, asdict(settings), resume=resume, restart=restart)
    try:
        counted = _prepare(paths, terms, folder, settings, report)
    except PocketIntentError:
        shutil.rmtree(folder)  # nothing was trained, so there is nothing to go on with
        raise
    model = _train(folder, settings, counted, report)
    training = {
        "method": settings.method,
        "corpora": [fingerprint(Path(path)) for path in paths],
        "terms": None if terms is None else fingerprint(Path(terms)),
        "settings": asdict(settings),
        "vocabulary": len(counted["words"]),
        "words_per_epoch": counted["total"],
        "command": command,
    }
    _save(Path(out), model, np.array(counted["counts"], np.uint32), settings, training)
    shutil.rmtree(folder)
    return training


def stable_hash(text: str) -> int:
    """A hash that is the same in every process, unlike Python's own; gensim seeds by it."""
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def _prepare(
    paths: Sequence[str | Path],
    terms: str | Path | None,
    folder: Path,
    settings: WordSettings,
    report: Report,
) -> dict[str, Any]:
    """The tokenised corpus on disk; its words, their counts and the number of all tokens."""
    done = folder / _VOCABULARY
    if not done.exists():  # written last
        report("reading the corpus")
        total = 0

        def count(texts: Iterable[list[str]]) -> Iterator[list[str]]:
            nonlocal total
            for tokens in texts:
                total += len(tokens)
                yield tokens

        with (folder / _CORPUS).open("w", encoding="utf-8", newline="\n") as file:
            counted = count_vocabulary(
                count(_write(file, _read_tokens(paths, terms, settings.tokenizer))),
                min_count=settings.min_count,
                max_words=settings.max_words,
            )
        lists = {"words": counted.words, "counts": counted.counts.tolist(), "total": total}
        temporary = folder / "vocabulary.new"
        temporary.write_bytes(orjson.dumps(lists))
        os.replace(temporary, done)
    known: dict[str, Any] = orjson.loads(done.read_bytes())
    report(f"{len(known['words'])} words; {known['total']} in an epoch")
    return known


def _read_tokens(
    paths: Sequence[str | Path], terms: str | Path | None, tokenizer: str
) -> Iterator[list[str]]:
    tokenize = get_tokenizer(TOKENIZER_SPECS[tokenizer])
    sentences = (tokenize(part) for text in read_texts(paths) for part in text.split("\t"))
    if terms is None:
        return sentences
    return map(TermJoiner(load_terms(terms)).join, sentences)


def _write(file: TextIO, sentences: Iterable[list[str]]) -> Iterator[list[str]]:
    """Pass sentences on, and write them as lines of tokens, as gensim reads them."""
    for tokens in sentences:
        for start in range(0, len(tokens), _MAX_TOKENS):
            file.write(" ".join(tokens[start : start + _MAX_TOKENS]) + "\n")
        yield tokens


def _train(folder: Path, settings: WordSettings, counted: dict[str, Any], report: Report) -> Any:
    """The model after all epochs; each is one call, so that any of them can be the first."""
    checkpoints = sorted(folder.glob("epoch-????"))
    if checkpoints:
        model = _load(checkpoints[-1], settings)
        done = int(checkpoints[-1].name.removeprefix("epoch-"))
        report(f"going on after {done} of {settings.epochs} epochs")
    else:
        model = _new_model(settings, counted)
        done = 0
    for epoch in range(done, settings.epochs):
        started = time.monotonic()
        rate = _learning_rate(settings, epoch)
        model.train(
            corpus_file=str(folder / _CORPUS),
            total_words=counted["total"],
            epochs=1,
            start_alpha=rate,
            end_alpha=_learning_rate(settings, epoch + 1),
        )
        speed = counted["total"] / max(time.monotonic() - started, 1e-9)
        report(
            f"epoch {epoch + 1} of {settings.epochs}: learning rate {rate:.4f}, "
            f"{speed:,.0f} words a second"
        )
        _checkpoint(model, folder, epoch + 1)
    return model


def _learning_rate(settings: WordSettings, epoch: int) -> float:
    """The rate before an epoch; it falls on a line to that after the last."""
    fall = settings.learning_rate - settings.min_learning_rate
    return settings.learning_rate - fall * epoch / settings.epochs


def _new_model(settings: WordSettings, counted: dict[str, Any]) -> Any:
    options = {
        "vector_size": settings.dim,
        "window": settings.window,
        "sg": int(settings.architecture == "skipgram"),
        "negative": settings.negatives,
        "sample": settings.subsample,
        "alpha": settings.learning_rate,
        "min_alpha": settings.min_learning_rate,
        "min_count": 1,  # the vocabulary is chosen already
        "sorted_vocab": 0,  # and in order, words of one count by the alphabet
        "seed": settings.seed,
        "workers": settings.workers,
        "hashfxn": stable_hash,
    }
    if settings.method == "fasttext":
        options |= {
            "min_n": settings.min_n,
            "max_n": settings.max_n,
            "bucket": settings.num_buckets,
        }
    model = _model_class(settings)(**options)
    model.build_vocab_from_freq(dict(zip(counted["words"], counted["counts"], strict=True)))
    _hash_ngrams(model, settings)
    return model


def _model_class(settings: WordSettings) -> Any:
    models = require("gensim.models", "train")
    return models.FastText if settings.method == "fasttext" else models.Word2Vec


def _hash_ngrams(model: Any, settings: WordSettings) -> None:
    """Let FastText take the runtime's n-grams, so that a model file can serve unknown words.

    gensim's hash is the same for ASCII, and another one for all else: it copies an overflow of
    the original program.
    """
    if settings.method != "fasttext":
        return
    sizes = settings.min_n, settings.max_n, settings.num_buckets
    model.wv.buckets_word = [
        np.array(ngram_buckets(word, *sizes), np.uint32) for word in model.wv.index_to_key
    ]
    model.wv.adjust_vectors()


def _checkpoint(model: Any, folder: Path, epoch: int) -> None:
    """Save the model to a folder of its own; the one before is dropped when it is whole."""
    new = folder / "epoch.new"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir()
    model.save(str(new / "model"))
    before = list(folder.glob("epoch-????"))
    new.rename(folder / f"epoch-{epoch:04}")
    for old in before:
        shutil.rmtree(old)


def _load(checkpoint: Path, settings: WordSettings) -> Any:
    model = _model_class(settings).load(str(checkpoint / "model"))
    _hash_ngrams(model, settings)
    return model


def _save(
    out: Path,
    model: Any,
    counts: NDArray[np.uint32],
    settings: WordSettings,
    training: dict[str, Any],
) -> None:
    words: list[str] = model.wv.index_to_key
    vectors = np.ascontiguousarray(model.wv.vectors, np.float32)
    if out.suffix != ".safetensors":
        write_vectors(out, TermVectors(words, vectors))
        return
    has_ngrams = settings.method == "fasttext"
    encoder = StaticEncoder(
        Vocabulary(words),
        DenseMatrix(vectors),
        tokenizer_spec=TOKENIZER_SPECS[settings.tokenizer],
        ngrams=DenseMatrix(model.wv.vectors_ngrams) if has_ngrams else None,
        ngram_settings=NgramSettings(settings.min_n, settings.max_n, settings.num_buckets)
        if has_ngrams
        else None,
        manifest={"training": training},
    )
    manifest, tensors = encoder.to_model_file_parts()
    save_model(out, manifest, tensors | {"vocabulary.counts": counts})
