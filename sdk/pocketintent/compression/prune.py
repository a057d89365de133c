"""Pruning: select the words to keep, and drop the other words or the n-grams of an encoder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pocketintent.compression.kinds import changeable_table, tables_of, words_of
from pocketintent.runtime.arrays import FloatArray, IndexArray
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.parts import Counts
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.errors import PocketIntentError

EncoderT = TypeVar("EncoderT", bound=ModelEncoder)


def load_word_model(path: str | Path) -> ModelEncoder:
    """Open a model file; PocketIntentError if it is none, or has no table of words."""
    encoder = load_encoder(path)
    try:
        words_of(encoder)
    except PocketIntentError as error:
        raise PocketIntentError(f"{path}: {error}") from error
    return encoder


def read_sentences(encoder: ModelEncoder, texts: Iterable[str]) -> list[NDArray[np.int32]]:
    """The ids of the known words of each text; texts without a known word are skipped."""
    vocabulary = words_of(encoder).vocabulary
    ids = (vocabulary.ids(encoder.tokenize(text)) for text in texts)
    return [np.array(words, np.int32) for words in ids if words]


def select_by_norm(
    norms: FloatArray, sentences: Sequence[NDArray[np.integer]], keep: int
) -> IndexArray:
    """Select the words of largest norm such that every sentence keeps at least one of its words.

    Equation 4.1 of the thesis, solved greedily as in FastText.zip (Joulin et al. 2016, section
    3.2): the ``m`` words of largest norm are kept; then each sentence, in order, that has no kept
    word yet adds its own word of largest norm. ``m`` is the largest number for which at most
    ``keep`` words are kept, found by bisection; remaining places go to the next words by norm.

    ``norms`` are [num_words], a sentence is the ids of its words, at least one; the returned ids
    ascend. A ``keep`` below 1, or below what the sentences need, is a PocketIntentError.
    """
    _check_keep(keep)
    if keep >= len(norms):
        return np.arange(len(norms))
    order = np.argsort(-norms, kind="stable")
    rank = np.empty(len(order), np.intp)
    rank[order] = np.arange(len(order))
    ranks = [rank[words] for words in sentences]
    best = np.array([words.min() for words in ranks], np.intp)

    def cover(top: int) -> NDArray[np.bool_]:
        """The ``top`` first words by rank, and the further words that the sentences need."""
        chosen = np.arange(len(norms)) < top
        for sentence in np.flatnonzero(best >= top).tolist():
            if not chosen[ranks[sentence]].any():
                chosen[best[sentence]] = True
        return chosen

    if (needed := cover(0).sum()) > keep:
        raise PocketIntentError(
            f"to keep a word of each of {len(sentences)} sentences takes {needed} words, but "
            f"--keep is {keep}; keep more words, give fewer sentences, or prune by frequency"
        )
    first, last = 0, keep
    while first < last:
        middle = (first + last + 1) // 2
        first, last = (middle, last) if cover(middle).sum() <= keep else (first, middle - 1)
    chosen = cover(first)
    chosen[np.flatnonzero(~chosen)[: keep - int(chosen.sum())]] = True
    return np.sort(order[chosen])


def frequent_words(encoder: ModelEncoder, keep: int) -> IndexArray:
    """Ids of the most frequent words, ascending: by the counts, otherwise those of the first words.

    Of equally frequent words the first are taken. A ``keep`` below 1 is a PocketIntentError.
    """
    _check_keep(keep)
    counts = _counts(encoder)
    if counts is None:
        return np.arange(min(keep, len(words_of(encoder).vocabulary)))
    return np.sort(np.argsort(-counts.astype(np.int64), kind="stable")[:keep])


def select_words(encoder: EncoderT, ids: IndexArray) -> EncoderT:
    """A copy of an encoder with the words of some ids; the n-grams, if any, embed the other words.

    An encoder without words to leave out is a PocketIntentError.
    """
    table = changeable_table(encoder)
    if table is None:
        raise PocketIntentError(f"a model of kind {encoder.kind!r} has no words to prune")
    counts = {} if table.counts is None else {"counts": table.counts[ids]}
    words = table.words.select(ids)
    return encoder.replace(vocabulary=table.vocabulary.select(ids), words=words, **counts)


def keep_frequent(encoder: EncoderT, keep: int) -> EncoderT:
    """A copy of an encoder with its ``keep`` most frequent words, or all if it has no more.

    Without counts the first words stay, which are the most frequent. A ``keep`` below 1, and an
    encoder without words to leave out, are PocketIntentErrors.
    """
    return select_words(encoder, frequent_words(encoder, keep))


def keep_longest(
    encoder: EncoderT, sentences: Sequence[NDArray[np.integer]], keep: int
) -> EncoderT:
    """A copy of an encoder with words by :func:`select_by_norm`; PocketIntentError without any."""
    norms = np.linalg.norm(words_of(encoder).words.decode(), axis=1)
    return select_words(encoder, select_by_norm(norms, sentences, keep))


def with_compact_counts(encoder: EncoderT) -> EncoderT:
    """A copy whose counts, if any, a model file stores in a byte each, within 7 percent."""
    return encoder if _counts(encoder) is None else encoder.replace(compact_counts=True)


def without_ngrams(encoder: EncoderT) -> EncoderT:
    """A copy without n-grams, which skips unknown words, and without their ``quality`` entry."""
    changes: dict[str, Any] = {"ngrams": None} if "ngrams" in tables_of(encoder) else {}
    manifest = {key: value for key, value in encoder.manifest.items() if key != "quality"}
    return encoder.replace(manifest=manifest, **changes)


def _counts(encoder: ModelEncoder) -> Counts | None:
    table = changeable_table(encoder)
    return None if table is None else table.counts


def _check_keep(keep: int) -> None:
    if keep < 1:
        raise PocketIntentError(f"--keep is {keep}; it must be at least 1")
