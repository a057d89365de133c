"""The contract of encoders: encode texts, and be a model file.

A new kind is a class that derives from :class:`ModelEncoder`, has the attributes that this class
lists, implements its abstract methods, and is registered:
:mod:`pocketintent.runtime.encoders.registry`. What compression and export do with it is registered
in their own rooms. ``tests/test_new_encoder_kind.py`` adds a kind in one file.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from inspect import signature
from typing import Any, ClassVar, Protocol, TypeVar

from pocketintent.runtime.arrays import FloatArray, Parts
from pocketintent.runtime.background import Background
from pocketintent.runtime.files.model_file import ModelFile
from pocketintent.runtime.quantization.quantizer import Quantizer
from pocketintent.runtime.text.tokenizer import Tokenizer
from pocketintent.runtime.text.vocabulary import Vocabulary

EncoderT = TypeVar("EncoderT", bound="ModelEncoder")


class Encoder(Protocol):
    """The part of an encoder that a recogniser needs."""

    dim: int
    """Size of the sentence vectors."""

    @property
    def template_quantizer(self) -> Quantizer | None:
        """The codebook that quantises the templates; None to fit one on the templates."""

    @property
    def background(self) -> Background | None:
        """Texts that have none of a bot's intents, for the decision ``logistic``."""

    @property
    def known_words(self) -> Vocabulary | None:
        """The words that need no correction, the most frequent first; None to correct nothing."""

    def encode(self, text: str) -> FloatArray:
        """The sentence vector, float32 [dim]: unit length, or zeros if no word is known."""

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The vectors of several texts, float32 [num_texts, dim]."""


class ModelEncoder(ABC):
    """Base class of the encoders that are stored in model files.

    Every constructor parameter must also be an attribute of the same name: :meth:`replace`, copies
    and pickles rely on it.
    """

    kind: ClassVar[str]
    """The manifest's ``kind``; the registry finds the class by this name."""
    part: ClassVar[str | None] = None
    """The constructor parameter with an encoder inside this one, such as its table of words; the
    tokenizer, the manifest and other arguments are that encoder's."""
    dim: int
    """Size of the sentence vectors."""
    tokenizer_spec: dict[str, Any]
    """The manifest's tokenizer entry."""
    tokenize: Tokenizer
    """The tokenizer that ``tokenizer_spec`` describes."""
    manifest: dict[str, Any]
    """Manifest entries to keep when the encoder is saved, such as ``training`` and ``quality``."""
    template_quantizer: Quantizer | None = None
    """The codebook for templates, fitted on sentence vectors of the training corpus."""
    background: Background | None = None
    """Lines of the training corpus, as features."""

    def encode(self, text: str) -> FloatArray:
        """The sentence vector of any string, float32 [dim]: unit length, or zeros if unknown."""
        vector: FloatArray = self.encode_batch([text])[0]
        return vector

    @abstractmethod
    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The sentence vectors of several texts, float32 [num_texts, dim].

        They equal those of :meth:`encode` up to the rounding of products of other sizes.
        """

    @property
    def known_words(self) -> Vocabulary | None:
        """The words of the ``part``, if any, the most frequent first; others may be corrected.

        None without a table of words, or if its words are not tokens of ``simple``.
        """
        part: ModelEncoder | None = None if self.part is None else getattr(self, self.part)
        return None if part is None else part.known_words

    @abstractmethod
    def to_model_file_parts(self) -> Parts:
        """The manifest and the tensors by name, as :func:`save_model` takes them."""

    @classmethod
    @abstractmethod
    def from_model_file(cls: type[EncoderT], model: ModelFile) -> EncoderT:
        """The encoder of a model file of this kind; ModelFileError if its parts do not fit."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the constructor's arguments; caches are filled again."""
        return _construct, (type(self), self._arguments())

    def __repr__(self) -> str:
        """The class, the kind, the dimensions and, if the kind knows words, their number."""
        words = "" if self.known_words is None else f", {len(self.known_words)} words"
        return f"<{type(self).__name__}: kind {self.kind}, {self.dim} dimensions{words}>"

    def replace(self: EncoderT, **changes: Any) -> EncoderT:
        """A copy with other constructor arguments, given by name; those of ``part`` may be among.

        ModelFileError if the parts do not fit each other; TypeError if there is no such parameter.
        """
        arguments = self._arguments()
        if self.part is not None and (of_part := changes.keys() - arguments.keys()):
            part = changes.get(self.part, arguments[self.part])
            part = part.replace(**{name: changes.pop(name) for name in of_part})
            changes[self.part] = part
        return type(self)(**arguments | changes)

    def _arguments(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in signature(type(self)).parameters}


def _construct(encoder_class: type[EncoderT], arguments: dict[str, Any]) -> EncoderT:
    return encoder_class(**arguments)  # a function of the module, so that a pickle can name it
