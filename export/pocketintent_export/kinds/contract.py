"""The contract of exportable encoder kinds.

To make a kind exportable, derive a class from :class:`KindExport` and register it: with
:func:`pocketintent_export.kinds.registry.register`, or by an entry point of the group
``pocketintent.export`` that is named after the kind. :mod:`pocketintent_export.kinds.static` is the
example to follow, and ``tests/test_new_encoder_kind.py`` adds a kind in one file.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from torch import nn

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.graphs.inputs import GraphInputs, Slots
from pocketintent.runtime.quantization.matrices import DenseMatrix, Matrix
from pocketintent_export.formats import Format

EncoderT = TypeVar("EncoderT", bound=ModelEncoder)


class KindExport(ABC, Generic[EncoderT]):
    """How an encoder becomes graphs."""

    def __init__(self, encoder: EncoderT) -> None:
        self.encoder = encoder

    @abstractmethod
    def check(self, source: str, is_bot: bool = False) -> None:
        """Raise a PocketIntentError, with the command to run, if a weight is a float.

        The graphs contain codes and int8. ``source`` is the model or bot file, for the message.
        """

    @abstractmethod
    def inputs(self, max_length: int | None = None, max_chars: int | None = None) -> GraphInputs:
        """The function that turns a text into the inputs of the graphs.

        At most ``max_length`` slots of a text, any number by default, and ``max_chars`` characters
        of a text or a word; at most, and by default, as many as the model reads.
        """

    @abstractmethod
    def modules(self, file_format: Format, max_chars: int | None) -> Mapping[str, nn.Module]:
        """The graphs as torch modules, by the name of their graph.

        ``encoder`` turns :meth:`inputs` into unit vectors, float32 [batch, dim]; ``characters``
        turns the characters of a word into its vector, if the inputs include spelt words.
        ``max_chars`` is the number of characters that a TFLite graph takes; None if it is free.
        """

    def limit_characters(self, max_chars: int) -> KindExport[EncoderT]:
        """The export of the encoder that reads at most this number of characters."""
        return self

    def encode_slots(self, slots: Slots, tokens: Sequence[str]) -> FloatArray:
        """The vector that a graph has to compute of a text, float32 [dim], unit length or zeros.

        ``slots`` are those of :meth:`inputs`, ``tokens`` all tokens of the text. A graph of fixed
        length drops the slots that exceed it, so that the vector can differ from the encoder's.
        """
        raise PocketIntentError(f"a model of kind {self.encoder.kind!r} has no slots")


class ShortenedEncoder:
    """The runtime's encoder, which cuts texts off as the graphs do.

    ``inputs`` is the function from a text to the graphs' inputs, with its limits.
    """

    def __init__(self, export: KindExport[Any], inputs: GraphInputs) -> None:
        encoder = export.encoder
        self.dim: int = encoder.dim
        self.template_quantizer = encoder.template_quantizer
        self.background = encoder.background
        self.known_words = encoder.known_words
        if inputs.characters is not None:
            export = export.limit_characters(inputs.characters.max_chars)
        self._export, self._inputs = export, inputs

    def encode(self, text: str) -> FloatArray:
        """The sentence vector, float32 [dim]; computed from the slots if some may be cut off."""
        inputs = self._inputs(text)
        if inputs.slots is None or len(inputs.slots[0]) != self._inputs.max_length:
            vector: FloatArray = self._export.encoder.encode(text)
            return vector
        assert inputs.tokens is not None
        return self._export.encode_slots(inputs.slots, inputs.tokens)

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The sentence vectors of several texts, float32 [num_texts, dim]."""
        return np.array([self.encode(text) for text in texts], np.float32).reshape(-1, self.dim)


def refuse_float_tables(source: str, is_bot: bool, *tables: Matrix | None) -> None:
    """Raise a PocketIntentError that says what to do if a table is not quantised."""
    if any(isinstance(table, DenseMatrix) for table in tables):
        raise PocketIntentError(
            f"{source}: the model is not compressed, and an export contains codes; "
            f"{how_to_compress(source, is_bot)}"
        )


def how_to_compress(source: str, is_bot: bool) -> str:
    """What to do about a model that is not compressed, for a message."""
    if is_bot:  # `compress` would drop the bot
        return (
            "compress the model that the bot was built from: pocketintent compress MODEL --out "
            f"small.safetensors; save the bot's templates, IntentRecognizer.load({source!r})."
            "save('my_bot.json'), and give both in place of the bot file: --model "
            "small.safetensors --templates my_bot.json"
        )
    return f"compress the model first: pocketintent compress {source} --out small.safetensors"
