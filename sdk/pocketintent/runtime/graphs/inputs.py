"""The inputs of exported graphs: tokens, slots and characters of a text, for all encoder kinds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.graphs.backends import Graph
from pocketintent.runtime.graphs.slots import Slots, TokenInputs
from pocketintent.runtime.text.characters import CharVocabulary, limit_unknown_words
from pocketintent.runtime.text.tokenizer import Tokenizer, simple_tokenize
from pocketintent.runtime.text.vocabulary import Vocabulary

Spell = Callable[[Sequence[Sequence[int]]], FloatArray]
"""Function from the characters of words to the sum of the words' vectors, float32 [dim]."""

_WORD_CACHE = 4096


@dataclass(frozen=True)
class TextInputs:
    """A text as input of the graphs; parts that the model's graphs do not take are None."""

    tokens: list[str] | None = None
    """The tokens; None if the text is read as a whole."""
    slots: Slots | None = None
    """Ids and weights of rows of the model's table, and the numbers of their tokens."""
    words: list[list[int]] | None = None
    """Character numbers of each word that is spelt out, in the order of the text."""
    characters: list[int] | None = None
    """Character numbers of the whole text."""

    @property
    def is_known(self) -> bool:
        """Whether the model knows any part of the text."""
        has_slots = self.slots is not None and len(self.slots[0]) > 0
        return has_slots or bool(self.words) or bool(self.characters)

    def arrays(self, spell: Spell | None = None) -> dict[str, NDArray[Any]]:
        """The inputs of the encoder and recogniser graphs by name, each without its batch axis.

        ``spell`` sums up the vectors of spelt words; required if the text has ``words``.
        """
        arrays: dict[str, NDArray[Any]] = {}
        if self.slots is not None:
            arrays |= self.slots.arrays()
        if self.words is not None:
            assert spell is not None
            arrays["spelt"] = spell(self.words)
        if self.characters is not None:
            arrays |= character_arrays(self.characters)
        return arrays


class GraphInputs:
    """The function from a text to the inputs of the graphs.

    With a tokenizer the text is read word by word. A word of the table becomes a slot. Any other
    word is spelt out if the model has characters and knows one of the word's, up to
    ``MAX_UNKNOWN_WORDS`` different words. Without a tokenizer the characters of the whole text are
    read.

    Args:
        tokenize: The tokenizer; None to read the text as a whole.
        slots: The function from tokens to slots; None for a model without a table.
        characters: The characters of the model's network; None for a model without one.
    """

    def __init__(
        self,
        tokenize: Tokenizer | None,
        slots: TokenInputs | None,
        characters: CharVocabulary | None,
    ) -> None:
        self.tokenize = tokenize
        self.slots = slots
        self.characters = characters

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the inputs of the encoder and recogniser graphs, in the graphs' order."""
        if self.tokenize is None:
            return "characters", "lengths"
        table = () if self.slots is None else self.slots.names
        return table + (("spelt",) if self.spells else ())

    @property
    def spells(self) -> bool:
        """Whether words are spelt out, for the graph ``characters``."""
        return self.tokenize is not None and self.characters is not None

    @property
    def max_length(self) -> int | None:
        """Maximum number of slots; None if it is free or there are no slots."""
        return None if self.slots is None else self.slots.max_length

    @property
    def known_words(self) -> Vocabulary | None:
        """The words of the table; None without a table or with a tokenizer but ``simple``."""
        is_simple = self.tokenize is simple_tokenize
        return self.slots.vocabulary if self.slots is not None and is_simple else None

    def probe(self, graph: Graph, words: bool = False) -> dict[str, NDArray[Any]]:
        """Run a graph on the largest ids of a text; a ModelFileError if the graph is too small.

        ``words`` is whether it is the graph ``characters``.
        """
        limits = {
            "ids": None if self.slots is None else self.slots.max_length,
            "characters": None if self.characters is None else self.characters.max_chars,
        }
        for name, limit in limits.items():
            length = graph.inputs[name].shape[-1] if name in graph.inputs else None
            if length is not None and (limit is None or limit > length):
                raise ModelFileError(f"a graph takes {length} {name}, and a text may have {limit}")
        arrays: dict[str, NDArray[Any]] = {}
        if self.characters is not None and (words or self.tokenize is None):
            arrays |= character_arrays([len(self.characters.characters)])
        elif not words:
            if self.slots is not None:
                arrays |= self.slots.largest().arrays()
            if self.spells:
                arrays["spelt"] = np.zeros(graph.inputs["spelt"].shape[-1] or 0, np.float32)
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
        slots = None if self.slots is None else self.slots.slots(tokens)
        return TextInputs(tokens, slots, self._words(tokens))

    def _words(self, tokens: Sequence[str]) -> list[list[int]] | None:
        if self.characters is None:
            return None
        table = () if self.slots is None else self.slots.vocabulary
        limited = limit_unknown_words(tokens, table)
        numbers = (self.characters.numbers(token) for token in limited if token not in table)
        return [word for word in numbers if word]


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
    return {
        "characters": np.array(numbers, np.int32),
        "lengths": np.array(len(numbers), np.int32),
    }
