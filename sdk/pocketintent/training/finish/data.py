"""The sentences of a corpus, as the words that an encoder knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import IndexArray
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError

_AT_ONCE = 1024


class Sentences:
    """The sentences of a corpus, read again each time they are needed.

    Args:
        encoder: The encoder whose tokenizer splits them and whose words are known.
        texts: The corpus, which can be iterated several times; a tab separates the sentences of a
            text.
    """

    def __init__(self, encoder: StaticEncoder, texts: Iterable[str]) -> None:
        self._encoder, self._texts = encoder, texts

    def blocks(self) -> Iterator[tuple[IndexArray, IndexArray]]:
        """Blocks of sentences.

        Yields:
            The ids of the known words, sentence after sentence, intp [num_ids], and their number
            in each sentence, intp [num_sentences]; 0 for a sentence without a known word.
        """
        sentences = (part for text in self._texts for part in text.split("\t"))
        while block := list(islice(sentences, _AT_ONCE)):
            tokens = [self._encoder.tokenize(sentence) for sentence in block]
            yield self._encoder.vocabulary.ids_of_lists(tokens)

    def count(self) -> tuple[NDArray[np.int64], int]:
        """The number of sentences of each word, [num_words], and of all with a known word."""
        frequencies = np.zeros(len(self._encoder.words), np.int64)
        total = 0
        for ids, lengths in self.blocks():
            pairs = np.repeat(np.arange(len(lengths)), lengths) * len(frequencies) + ids
            words = np.unique(pairs) % len(frequencies)
            frequencies += np.bincount(words, minlength=len(frequencies))
            total += int(np.count_nonzero(lengths))
        return frequencies, total


def count_words(encoder: StaticEncoder, texts: Iterable[str]) -> NDArray[np.uint32]:
    """Count the words of an encoder in a corpus.

    Args:
        encoder: The encoder; texts are split by its tokenizer.
        texts: The corpus, streamed once.

    Returns:
        Occurrences of each word, uint32 [num_words]; 0 for a word that does not occur.

    Raises:
        PocketIntentError: No word of the encoder occurs.
    """
    counts: Counter[int] = Counter()
    for text in texts:
        counts.update(encoder.vocabulary.ids(encoder.tokenize(text)))
    if not counts:
        raise PocketIntentError(
            "no word of the model occurs in the corpus; give texts in the model's language"
        )
    result = np.zeros(len(encoder.words), np.uint32)
    result[list(counts)] = list(counts.values())
    return result
