"""The inputs of exported graphs: tokens, slots and characters of a text, for all encoder kinds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.graphs.backends import Graph
from pocketintent.runtime.text.characters import CharVocabulary, limit_unknown_words
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.runtime.text.tokenizer import Tokenizer, get_tokenizer, known_words
from pocketintent.runtime.text.vocabulary import Vocabulary

Spell = Callable[[Sequence[Sequence[int]]], FloatArray]
"""Function from the characters of words to the sum of the words' vectors, float32 [dim]."""

_WORD_CACHE = 4096
_MAX_ROWS = 1 << 31


class Slots(NamedTuple):
    """The slots of a text, which a graph of a word table takes."""

    ids: NDArray[np.int32]
    """Row numbers, [num_slots]."""
    weights: NDArray[np.float32]
    """Factors on the rows, [num_slots]."""
    token_numbers: NDArray[np.int32] | None = None
    """The number of each slot's token among the tokens that have slots, from 0, [num_slots]; None
    for a model that ignores the order of the tokens."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The inputs of a graph by name, without those that are None."""
        return {name: array for name, array in self._asdict().items() if array is not None}


@dataclass(frozen=True)
class TextInputs:
    """A text as input of the graphs; parts that the model's graphs do not take are None."""

    tokens: list[str] | None = None
    """The tokens; None if the text is read as a whole."""
    slots: Slots | None = None
    """The rows of the model's table."""
    words: list[list[int]] | None = None
    """Character numbers of each word that is spelt out, in the order of the text."""
    characters: list[int] | None = None
    """Character numbers of the whole text."""

    def arrays(self, spell: Spell | None = None) -> dict[str, NDArray[Any]]:
        """The inputs of the encoder and recogniser graphs by name, each without its batch axis.

        ``spell`` sums up the vectors of spelt words; required if the text has ``words``.
        """
        arrays: dict[str, NDArray[Any]] = {} if self.slots is None else self.slots.arrays()
        if self.words is not None:
            assert spell is not None
            arrays["spelt"] = spell(self.words)
        return arrays if self.characters is None else arrays | character_arrays(self.characters)


class GraphInputs:
    """The function from a text to the inputs of the graphs.

    With a tokenizer the text is read word by word. A word of the vocabulary becomes one slot: its
    id, with weight 1. Any other word is spelt out if the model has characters and knows one of the
    word's, up to ``MAX_UNKNOWN_WORDS`` different words. With n-grams it also becomes one slot for
    each of its character n-grams, in the order of :func:`ngram_buckets`: the id is the number of
    words plus the bucket, and the n-grams share their total weight equally. Without a tokenizer
    the characters of the whole text are read. ModelFileError for an unknown tokenizer, and for more
    ids than fit int32.

    Args:
        tokenizer_spec: The manifest's tokenizer entry; None to read the text as a whole.
        vocabulary: The words of the model's table; None for a model without one.
        ngram_settings: How unknown words are hashed; None to give them no slots.
        max_length: Maximum number of slots, the rest is cut off; None for no limit.
        max_tokens: Maximum number of tokens with slots, which are numbered; None for no limit and
            no numbers.
        characters: The characters of the model's network; None for a model without one.
    """

    def __init__(
        self,
        tokenizer_spec: Mapping[str, Any] | None,
        vocabulary: Vocabulary | None = None,
        ngram_settings: NgramSettings | None = None,
        max_length: int | None = None,
        max_tokens: int | None = None,
        characters: CharVocabulary | None = None,
    ) -> None:
        self.tokenizer_spec = tokenizer_spec
        self.tokenize: Tokenizer | None = None
        if tokenizer_spec is not None:
            self.tokenize = get_tokenizer(tokenizer_spec, vocabulary)
        self.vocabulary, self.ngram_settings = vocabulary, ngram_settings
        self.max_length, self.max_tokens = max_length, max_tokens
        self.characters = characters
        rows = len(vocabulary or ()) + (ngram_settings.num_buckets if ngram_settings else 0)
        if rows > _MAX_ROWS:
            raise ModelFileError(
                f"{rows} words and n-gram buckets are more than the ids of a graph, {_MAX_ROWS}"
            )
        self._num_rows = rows

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the inputs of the encoder and recogniser graphs, in the graphs' order."""
        return tuple(self("").arrays(lambda _: np.zeros(0, np.float32)))

    @property
    def spells(self) -> bool:
        """Whether words are spelt out, for the graph ``characters``."""
        return self.tokenize is not None and self.characters is not None

    @property
    def known_words(self) -> Vocabulary | None:
        """The words of the table; None without a table, or as of :func:`known_words`."""
        words, spec = self.vocabulary, self.tokenizer_spec
        return None if words is None or spec is None else known_words(spec, words)

    def probe(self, graph: Graph, words: bool = False) -> dict[str, NDArray[Any]]:
        """Run a graph on the largest ids of a text; a ModelFileError if the graph is too small.

        ``words`` is whether it is the graph ``characters``.
        """
        lengths = {name: spec.shape[-1] for name, spec in graph.inputs.items() if spec.shape}
        max_chars = None if self.characters is None else self.characters.max_chars
        for name, limit in (("ids", self.max_length), ("characters", max_chars)):
            length = lengths.get(name)
            if length is not None and (limit is None or limit > length):
                raise ModelFileError(f"a graph takes {length} {name}, and a text may have {limit}")
        dim = lengths.get("spelt") or 0
        arrays = self("").arrays(lambda _: np.zeros(dim, np.float32))
        if "ids" in arrays and self._num_rows:
            arrays |= self._slots([self._num_rows - 1], [1.0], [1]).arrays()
        if self.characters is not None and (words or self.tokenize is None):
            arrays = character_arrays([len(self.characters.characters)])
        if arrays.keys() != graph.inputs.keys():
            raise ModelFileError(
                f"the texts become {', '.join(arrays)}, and a graph takes {', '.join(graph.inputs)}"
            )
        return graph.run(arrays)

    def __call__(self, text: str) -> TextInputs:
        """The inputs for a text."""
        if self.tokenize is None:
            assert self.characters is not None
            return TextInputs(characters=self.characters.numbers(text))
        tokens = self.tokenize(text)
        slots = self.slots(tokens)
        if self.characters is None:
            return TextInputs(tokens, slots)
        table = self.vocabulary or ()
        limited = limit_unknown_words(tokens, table)
        numbers = (self.characters.numbers(token) for token in limited if token not in table)
        return TextInputs(tokens, slots, [word for word in numbers if word])

    def slots(self, tokens: Sequence[str]) -> Slots | None:
        """The slots of tokens, at most ``max_length`` of them and of ``max_tokens`` tokens.

        None without a table; empty if the model knows no part of the text.
        """
        if self.vocabulary is None:
            return None
        ids: list[int] = []
        weights: list[float] = []
        counts: list[int] = []  # of the slots of each token
        for token in tokens:
            is_full = self.max_length is not None and len(ids) >= self.max_length
            if is_full or len(counts) == self.max_tokens:
                break
            word_id = self.vocabulary.get(token)
            if word_id is not None:
                ids.append(word_id)
                weights.append(1.0)
                counts.append(1)
            elif self.ngram_settings and (buckets := self.ngram_settings.buckets(token)):
                ids += [len(self.vocabulary) + bucket for bucket in buckets]
                weights += [self.ngram_settings.weight / len(buckets)] * len(buckets)
                counts.append(len(buckets))
        return self._slots(ids, weights, counts)

    def _slots(self, ids: list[int], weights: list[float], counts: list[int]) -> Slots:
        """The slots within ``max_length``, as arrays."""
        limit, numbers = self.max_length, None
        if self.max_tokens is not None:
            numbers = np.repeat(np.arange(len(counts), dtype=np.int32), counts)[:limit]
        return Slots(
            np.array(ids[:limit], np.int32), np.array(weights[:limit], np.float32), numbers
        )


class Speller:
    """The sum of the vectors of spelt words; caches the vectors of the latest 4,096 words."""

    def __init__(self, graph: Graph, dim: int) -> None:
        self.dim = dim
        self._graph = graph
        self._vector = lru_cache(_WORD_CACHE)(self._run)

    def __call__(self, words: Sequence[Sequence[int]]) -> FloatArray:
        """The sum of the vectors of words, float32 [dim], from the characters of each."""
        total = np.zeros(self.dim, np.float32)
        for word in words:
            total += self._vector(tuple(word))
        return total

    def _run(self, word: tuple[int, ...]) -> FloatArray:
        vector: FloatArray = self._graph.run(character_arrays(word))["vectors"]
        return vector


def character_arrays(numbers: Sequence[int]) -> dict[str, NDArray[Any]]:
    """The inputs of a graph that reads characters, each without its batch axis."""
    return {"characters": np.array(numbers, np.int32), "lengths": np.array(len(numbers), np.int32)}
