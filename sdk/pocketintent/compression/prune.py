"""Pruning: which words of a vocabulary to keep, and an encoder of these, or without n-grams."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import IndexArray
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.text.vocabulary import Vocabulary


@dataclass(frozen=True)
class Sentences:
    """Sentences as word ids, one after the other."""

    ids: IndexArray
    """Word ids of all sentences, ``[total]``; unknown words are left out."""
    offsets: IndexArray
    """Sentence ``i`` is ``ids[offsets[i]:offsets[i + 1]]``; none is empty."""

    @classmethod
    def read(cls, encoder: StaticEncoder, texts: Iterable[str]) -> Sentences:
        """Tokenise texts; those without a known word are left out."""
        ids: list[NDArray[np.int32]] = []
        lengths: list[int] = [0]
        for text in texts:
            known = encoder.vocabulary.ids(encoder.tokenize(text))
            if known:
                ids.append(np.array(known, np.int32))
                lengths.append(len(known))
        flat = np.concatenate(ids) if ids else np.empty(0, np.int32)
        return cls(flat.astype(np.intp), np.cumsum(lengths, dtype=np.intp))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def counts(self, num_words: int) -> NDArray[np.int64]:
        """How often each word occurs, int64 ``[num_words]``."""
        return np.bincount(self.ids, minlength=num_words).astype(np.int64)


def select_by_frequency(counts: NDArray[np.integer], keep: int) -> IndexArray:
    """The most frequent words.

    Args:
        counts: Occurrences of each word, ``[num_words]``.
        keep: Words to keep; all of them when there are no more.

    Returns:
        Their ids in rising order; of equally frequent words the first ones.

    Raises:
        PocketIntentError: ``keep`` is below 1.
    """
    _check_keep(keep)
    return np.sort(np.argsort(-counts.astype(np.int64), kind="stable")[:keep])


def select_by_norm(norms: NDArray[np.float32], sentences: Sentences, keep: int) -> IndexArray:
    """The words of largest norm, such that every sentence keeps at least one of its words.

    The thesis' eq. 4.1, solved greedily as in FastText.zip (Joulin et al. 2016, section 3.2):
    the ``m`` words of largest norm are kept; then each sentence, in order, that has none of the
    words kept so far adds its own word of largest norm. ``m`` is the largest number for which
    this ends with at most ``keep`` words, found by bisection, and the places left over go to
    the next words by norm.

    Args:
        norms: Norm of each word's vector, ``[num_words]``.
        sentences: The training sentences.
        keep: Words to keep; all of them when there are no more.

    Returns:
        Ids in rising order, ``min(keep, num_words)`` of them.

    Raises:
        PocketIntentError: ``keep`` is below 1, or the sentences alone need more words than
            ``keep``; the message says how many.
    """
    _check_keep(keep)
    if keep >= len(norms):
        return np.arange(len(norms))
    order = np.argsort(-norms, kind="stable")
    rank = np.empty(len(order), np.intp)
    rank[order] = np.arange(len(order))
    ranks = rank[sentences.ids]
    best = (
        np.minimum.reduceat(ranks, sentences.offsets[:-1])
        if len(sentences)
        else np.empty(0, np.intp)
    )
    low = _cover(len(norms), ranks, sentences.offsets, best, 0)
    if low.sum() > keep:
        raise PocketIntentError(
            f"to keep a word of each of {len(sentences)} sentences takes {low.sum()} words and "
            f"--keep is {keep}; keep more, give fewer sentences, or prune by frequency"
        )
    first, last = 0, keep
    while first < last:
        middle = (first + last + 1) // 2
        kept = _cover(len(norms), ranks, sentences.offsets, best, middle)
        if kept.sum() <= keep:
            first, low = middle, kept
        else:
            last = middle - 1
    spare = np.flatnonzero(~low)[: keep - int(low.sum())]
    low[spare] = True
    return np.sort(order[low])


def _cover(
    num_words: int, ranks: IndexArray, offsets: IndexArray, best: IndexArray, top: int
) -> NDArray[np.bool_]:
    """Mark by rank the ``top`` first words and what the sentences need beside them."""
    kept = np.zeros(num_words, np.bool_)
    kept[:top] = True
    for sentence in np.flatnonzero(best >= top).tolist():
        if not kept[ranks[offsets[sentence] : offsets[sentence + 1]]].any():
            kept[best[sentence]] = True
    return kept


def prune_encoder(encoder: StaticEncoder, ids: IndexArray) -> StaticEncoder:
    """An encoder with some of the words.

    Args:
        encoder: The encoder to prune; it stays as it is.
        ids: Words to keep, in the order that the new encoder has them.

    Returns:
        The new encoder; n-grams, tokenizer, template codebook and manifest are shared with
        the old one. A word that is gone is embedded by its n-grams where the model has them.
    """
    return StaticEncoder(
        Vocabulary([encoder.vocabulary.words[index] for index in ids.tolist()]),
        encoder.words.select(ids),
        tokenizer_spec=encoder.tokenizer_spec,
        ngrams=encoder.ngrams,
        ngram_settings=encoder.ngram_settings,
        template_quantizer=encoder.template_quantizer,
        manifest=encoder.manifest,
    )


def without_ngrams(encoder: StaticEncoder) -> StaticEncoder:
    """An encoder of the words alone, which skips what is not among them.

    Args:
        encoder: The encoder; it stays as it is.

    Returns:
        The new encoder; words, tokenizer and template codebook are shared with the old one,
        and a ``quality`` entry of the manifest, measured with the n-grams, is dropped.
    """
    return StaticEncoder(
        encoder.vocabulary,
        encoder.words,
        tokenizer_spec=encoder.tokenizer_spec,
        template_quantizer=encoder.template_quantizer,
        manifest={key: value for key, value in encoder.manifest.items() if key != "quality"},
    )


def _check_keep(keep: int) -> None:
    if keep < 1:
        raise PocketIntentError(f"--keep is {keep}; at least 1 word must stay")
