"""Pruning: select the words to keep, and drop the other words or the n-grams of an encoder."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from pocketintent.compression.kinds import compression_of, tables_of, words_of
from pocketintent.runtime.arrays import FloatArray, IndexArray
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.templates.template_set import TemplateSet

EncoderT = TypeVar("EncoderT", bound=ModelEncoder)


def load_word_model(path: str | Path) -> ModelEncoder:
    """Open a model file that has a table of words.

    Raises:
        PocketIntentError: The file is not a model, or its kind has no such table.
    """
    encoder = load_encoder(path)
    try:
        words_of(encoder)
    except PocketIntentError as error:
        raise PocketIntentError(f"{path}: {error}") from error
    return encoder


@dataclass(frozen=True)
class Sentences:
    """Sentences as word ids, concatenated."""

    ids: IndexArray
    """Ids of the known words of all sentences, ``[total]``."""
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
    """Select the most frequent words.

    Args:
        counts: Occurrences of each word, ``[num_words]``.
        keep: Number of words to keep, at least 1; all words if it exceeds their number.

    Returns:
        Ids in ascending order; among equally frequent words the first are kept.

    Raises:
        PocketIntentError: ``keep`` is below 1.
    """
    _check_keep(keep)
    return np.sort(np.argsort(-counts.astype(np.int64), kind="stable")[:keep])


def select_by_norm(norms: FloatArray, sentences: Sentences, keep: int) -> IndexArray:
    """Select the words of largest norm such that every sentence keeps at least one of its words.

    Equation 4.1 of the thesis, solved greedily as in FastText.zip (Joulin et al. 2016, section
    3.2): the ``m`` words of largest norm are kept; then each sentence, in order, that has no kept
    word yet adds its own word of largest norm. ``m`` is the largest number for which at most
    ``keep`` words are kept, found by bisection; any remaining places go to the next words by
    norm.

    Args:
        norms: Norm of each word's vector, ``[num_words]``.
        sentences: The training sentences.
        keep: Number of words to keep, at least 1; all words if it exceeds their number.

    Returns:
        Ids in ascending order, ``[min(keep, num_words)]``.

    Raises:
        PocketIntentError: ``keep`` is below 1, or the sentences alone need more words than
            ``keep``; the message gives the number.
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
    cover = _cover(len(norms), ranks, sentences.offsets, best, 0)
    if cover.sum() > keep:
        raise PocketIntentError(
            f"to keep a word of each of {len(sentences)} sentences takes {cover.sum()} words, but "
            f"--keep is {keep}; keep more words, give fewer sentences, or prune by frequency"
        )
    first, last = 0, keep
    while first < last:
        middle = (first + last + 1) // 2
        candidate = _cover(len(norms), ranks, sentences.offsets, best, middle)
        if candidate.sum() <= keep:
            first, cover = middle, candidate
        else:
            last = middle - 1
    spare = np.flatnonzero(~cover)[: keep - int(cover.sum())]
    cover[spare] = True
    return np.sort(order[cover])


def _cover(
    num_words: int, ranks: IndexArray, offsets: IndexArray, best: IndexArray, top: int
) -> NDArray[np.bool_]:
    """Mark, by rank, the ``top`` first words and the further words that the sentences need."""
    chosen = np.zeros(num_words, np.bool_)
    chosen[:top] = True
    for sentence in np.flatnonzero(best >= top).tolist():
        if not chosen[ranks[offsets[sentence] : offsets[sentence + 1]]].any():
            chosen[best[sentence]] = True
    return chosen


def select_words(encoder: EncoderT, ids: IndexArray) -> EncoderT:
    """A copy of an encoder with some of its words, their vectors and their counts.

    Args:
        encoder: The encoder; it is not changed.
        ids: Numbers of the words to keep, in the order of the copy.

    Raises:
        PocketIntentError: The encoder has no words to select from.
    """
    selected: EncoderT = compression_of(encoder.kind).select_words(encoder, ids)
    return selected


def keep_frequent(encoder: EncoderT, keep: int) -> EncoderT:
    """Keep the most frequent words of an encoder.

    Args:
        encoder: The encoder to prune; it is not changed. If it has no counts, its first words
            are kept, since training sorts words by frequency.
        keep: Number of words to keep, at least 1; all words if it exceeds their number.

    Returns:
        A copy with these words, their vectors and counts.

    Raises:
        PocketIntentError: ``keep`` is below 1, or the encoder has no words to leave out.
    """
    return select_words(encoder, _frequent_words(encoder, keep))


def keep_longest(encoder: EncoderT, sentences: Sentences, keep: int) -> EncoderT:
    """Keep the words of largest norm of an encoder, and a word of every training sentence.

    The arguments and errors are those of :func:`select_by_norm`, and the encoder is not changed.

    Raises:
        PocketIntentError: As there, or the encoder has no words to leave out.
    """
    norms = np.linalg.norm(words_of(encoder).vectors.decode(), axis=1)
    return select_words(encoder, select_by_norm(norms, sentences, keep))


def keep_for_bot(encoder: EncoderT, templates: TemplateSet, keep: int) -> EncoderT:
    """Keep the most frequent words of an encoder, and every word of a bot's texts.

    Args:
        encoder: The encoder to prune; it is not changed. See :func:`keep_frequent`.
        templates: The bot. The words of its templates, of ``none`` and of its counter-examples
            stay, so that their vectors are those of the whole model.
        keep: Number of words to keep, at least 1, besides those of the bot.

    Returns:
        A copy with these words; the encoder itself if these are all of its words.

    Raises:
        PocketIntentError: ``keep`` is below 1, or the encoder has no words to leave out.
    """
    vocabulary = words_of(encoder).vocabulary
    texts = list(templates.none)
    for intent in templates.intents.values():
        texts += intent.templates + intent.counter_examples
    is_kept = np.zeros(len(vocabulary), np.bool_)
    is_kept[_frequent_words(encoder, keep)] = True
    for text in texts:
        is_kept[vocabulary.ids(encoder.tokenize(text))] = True
    if is_kept.all():
        return encoder
    pruned = select_words(encoder, np.flatnonzero(is_kept))
    manifest = {key: value for key, value in pruned.manifest.items() if key != "quality"}
    compression = {**manifest.get("compression", {}), "keep": keep, "prune": "bot"}
    return pruned.replace(manifest=manifest | {"compression": compression})


def with_compact_counts(encoder: EncoderT) -> EncoderT:
    """Round the counts of an encoder, if any, so that a model file stores a byte for each.

    Only compression reads counts, and a rounding within 7 percent changes little there.
    """
    return encoder if _counts(encoder) is None else encoder.replace(compact_counts=True)


def without_counts(encoder: EncoderT) -> EncoderT:
    """Drop the counts of an encoder, if any: no match reads them."""
    return encoder if _counts(encoder) is None else encoder.replace(counts=None)


def without_ngrams(encoder: EncoderT) -> EncoderT:
    """A copy of an encoder without n-grams, which skips unknown words.

    A ``quality`` entry of the manifest, measured with the n-grams, is dropped.
    """
    changes: dict[str, Any] = {"ngrams": None} if "ngrams" in tables_of(encoder) else {}
    manifest = {key: value for key, value in encoder.manifest.items() if key != "quality"}
    return encoder.replace(manifest=manifest, **changes)


def _frequent_words(encoder: ModelEncoder, keep: int) -> IndexArray:
    """Ids of the most frequent words: by the counts, otherwise by the order of the file."""
    counts = _counts(encoder)
    if counts is None:
        counts = np.arange(len(words_of(encoder).vocabulary), 0, -1)
    return select_by_frequency(counts, keep)


def _counts(encoder: ModelEncoder) -> NDArray[np.integer] | None:
    return compression_of(encoder.kind).counts(encoder)


def _check_keep(keep: int) -> None:
    if keep < 1:
        raise PocketIntentError(f"--keep is {keep}; it must be at least 1")
