"""What exported graphs take instead of a text, for every kind of model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.graphs.backends import Graph
from pocketintent.runtime.graphs.slots import Slots, TokenInputs
from pocketintent.runtime.text.characters import CharVocabulary
from pocketintent.runtime.text.tokenizer import Tokenizer

Spell = Callable[[Sequence[Sequence[int]]], FloatArray]
"""From the characters of words to the sum of the words' vectors, float32 [dim]."""

_WORD_CACHE = 4096


@dataclass(frozen=True)
class TextInputs:
    """A text as it is handed to the graphs; what a kind of model does not take is None."""

    tokens: list[str] | None = None
    """The tokens; None where the text is read as a whole."""
    slots: Slots | None = None
    """Ids and weights for the model's table."""
    words: list[list[int]] | None = None
    """Numbers of the characters of each word that is spelt out, in the order of the text."""
    characters: list[int] | None = None
    """Numbers of the characters of the whole text."""

    @property
    def known(self) -> bool:
        """Whether the model knows anything of the text."""
        slots = self.slots is not None and len(self.slots[0]) > 0
        return slots or bool(self.words) or bool(self.characters)

    def arrays(self, spell: Spell | None = None) -> dict[str, NDArray[Any]]:
        """The inputs of the encoder and recogniser graphs by name, each without the batch axis.

        Args:
            spell: Gives the sum of the vectors of words; needed where words are spelt out.
        """
        arrays: dict[str, NDArray[Any]] = {}
        if self.slots is not None:
            arrays |= dict(zip(("ids", "weights"), self.slots, strict=True))
        if self.words is not None:
            assert spell is not None
            arrays["spelt"] = spell(self.words)
        if self.characters is not None:
            arrays |= character_arrays(self.characters)
        return arrays

    def to_line(self) -> dict[str, Any]:
        """The fields of a line of the conformance file."""
        line: dict[str, Any] = {}
        if self.tokens is not None:
            line["tokens"] = self.tokens
        if self.slots is not None:
            line |= dict(zip(("ids", "weights"), self.slots, strict=True))
        characters = self.characters if self.words is None else self.words
        return line if characters is None else line | {"characters": characters}


class GraphInputs:
    """Turns a text into what the graphs take.

    With a tokenizer the text is taken word by word: a word that the table has takes a slot of
    it, and where there are characters any other word is spelt out, unless no character of it
    is known. Without a tokenizer the text's characters are read as a whole.

    Args:
        tokenize: The tokenizer, or None.
        slots: What makes the slots of a model with a table, or None.
        characters: The characters of a network that spells, or None.
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
        """The inputs of the encoder and recogniser graphs, in their order."""
        if self.tokenize is None:
            return "characters", "lengths"
        table = () if self.slots is None else ("ids", "weights")
        return table + (("spelt",) if self.spells else ())

    @property
    def spells(self) -> bool:
        """Whether words are spelt out, for which there is a graph of its own."""
        return self.tokenize is not None and self.characters is not None

    @property
    def max_length(self) -> int | None:
        """Slots that are kept; None where their number is free, or there are none."""
        return None if self.slots is None else self.slots.max_length

    def __call__(self, text: str) -> TextInputs:
        """What the graphs take for a text."""
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
        numbers = (self.characters.numbers(token) for token in tokens if token not in table)
        return [word for word in numbers if word]


class Speller:
    """Adds up what the characters graph makes of words; the vectors of 4,096 words are kept.

    Args:
        graph: The graph ``characters``.
        dim: Size of its vectors.
    """

    def __init__(self, graph: Graph, dim: int) -> None:
        self.dim = dim
        self._graph = graph
        self._vector = lru_cache(_WORD_CACHE)(self._run)

    def __call__(self, words: Sequence[Sequence[int]]) -> FloatArray:
        """The sum of the vectors of words, float32 [dim]; zeros without any.

        Args:
            words: The numbers of each word's characters.
        """
        total = np.zeros(self.dim, np.float32)
        for word in words:
            total += self._vector(tuple(word))
        return total

    def _run(self, word: tuple[int, ...]) -> FloatArray:
        vector: FloatArray = self._graph.run(character_arrays(word))["vectors"]
        return vector


def character_arrays(numbers: Sequence[int]) -> dict[str, NDArray[Any]]:
    """The numbers of a text's characters as a graph takes them, without the batch axis."""
    return {
        "characters": np.array(numbers, np.int32),
        "lengths": np.array(len(numbers), np.int32),
    }
