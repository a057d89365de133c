"""Pruning: select the words to keep, and drop the other words or the n-grams of an encoder."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Sentences:
    """Sentences as the ids of their known words, concatenated."""

    ids: IndexArray
    offsets: IndexArray
    """Sentence ``i`` is ``ids[offsets[i]:offsets[i + 1]]``, never empty; [num_sentences + 1]."""

    @classmethod
    def read(cls, encoder: ModelEncoder, texts: Iterable[str]) -> Sentences:
        """Tokenise texts; texts without a known word are skipped."""
        vocabulary = words_of(encoder).vocabulary
        ids: list[NDArray[np.int32]] = []
        lengths: list[int] = [0]
        for text in texts:
            word_ids = vocabulary.ids(encoder.tokenize(text))
            if word_ids:
                ids.append(np.array(word_ids, np.int32))
                lengths.append(len(word_ids))
        flat = np.concatenate(ids) if ids else np.empty(0, np.int32)
        return cls(flat.astype(np.intp), np.cumsum(lengths, dtype=np.intp))

    def __len__(self) -> int:
        return len(self.offsets) - 1


def select_by_frequency(counts: NDArray[np.integer], keep: int) -> IndexArray:
    """The most frequent words, of equally frequent ones the first: ids in ascending order.

    ``counts`` has the occurrences of each word. A ``keep`` below 1 is a PocketIntentError.
    """
    _check_keep(keep)
    return np.sort(np.argsort(-counts.astype(np.int64), kind="stable")[:keep])


def select_by_norm(norms: FloatArray, sentences: Sentences, keep: int) -> IndexArray:
    """Select the words of largest norm such that every sentence keeps at least one of its words.

    Equation 4.1 of the thesis, solved greedily as in FastText.zip (Joulin et al. 2016, section
    3.2): the ``m`` words of largest norm are kept; then each sentence, in order, that has no kept
    word yet adds its own word of largest norm. ``m`` is the largest number for which at most
    ``keep`` words are kept, found by bisection; remaining places go to the next words by norm.

    ``norms`` are [num_words]; the ids ascend. A ``keep`` below 1, or below what the sentences need,
    is a PocketIntentError.
    """
    _check_keep(keep)
    if keep >= len(norms):
        return np.arange(len(norms))
    order = np.argsort(-norms, kind="stable")
    rank = np.empty(len(order), np.intp)
    rank[order] = np.arange(len(order))
    ranks, offsets = rank[sentences.ids], sentences.offsets
    # Of no sentences, reduceat gives no minimum.
    best = np.minimum.reduceat(ranks, offsets[:-1]) if len(sentences) else ranks

    def cover(top: int) -> NDArray[np.bool_]:
        """The ``top`` first words by rank, and the further words that the sentences need."""
        chosen = np.arange(len(norms)) < top
        for sentence in np.flatnonzero(best >= top).tolist():
            if not chosen[ranks[offsets[sentence] : offsets[sentence + 1]]].any():
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
    """Ids of the most frequent words: by the counts, otherwise by the order of the file."""
    counts = _counts(encoder)
    if counts is None:
        counts = np.arange(len(words_of(encoder).vocabulary), 0, -1)
    return select_by_frequency(counts, keep)


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


def keep_longest(encoder: EncoderT, sentences: Sentences, keep: int) -> EncoderT:
    """A copy of an encoder with words by :func:`select_by_norm`; PocketIntentError without any."""
    norms = np.linalg.norm(words_of(encoder).words.decode(), axis=1)
    return select_words(encoder, select_by_norm(norms, sentences, keep))


def with_compact_counts(encoder: EncoderT) -> EncoderT:
    """A copy whose counts, if any, a model file stores in a byte each, within 7 percent."""
    return encoder if _counts(encoder) is None else encoder.replace(compact_counts=True)


def without_counts(encoder: EncoderT) -> EncoderT:
    """Drop the counts of an encoder, if any: no match reads them."""
    return encoder if _counts(encoder) is None else encoder.replace(counts=None)


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
