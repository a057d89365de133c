"""The contract of encoders: what recognisers, compression and evaluation ask of them.

To add an encoder kind:

1. Derive a class from :class:`ModelEncoder` and set ``kind``. In ``__init__``, set the attributes
   that the base class lists, and implement the abstract methods: ``encode_batch``,
   ``embed_tokens``, ``to_model_file_parts`` and ``from_model_file``.
2. Add a line to :mod:`pocketintent.runtime.encoders.registry`. The kind now loads, matches and can
   be evaluated.
3. To make it compressible, override ``tables``, ``select_words`` and ``word_table``, and save the
   template codebook that compression adds (:mod:`pocketintent.runtime.encoders.parts` has helpers).
   If compression also quantises a network, override ``quantise_network``.
4. The export has a registry of its own, by kind, which names no class of this package.

:class:`pocketintent.runtime.encoders.static.StaticEncoder` is the example to follow, and
``tests/test_new_encoder_kind.py`` adds a kind in one file. All other parts of the program call this
contract instead of switching on the kind.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray, IndexArray
from pocketintent.runtime.background import Background
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.model_file import ModelFile
from pocketintent.runtime.quantization.matrices import Matrix
from pocketintent.runtime.quantization.quantizer import Quantizer
from pocketintent.runtime.text.tokenizer import Tokenizer
from pocketintent.runtime.text.vocabulary import Vocabulary

EncoderT = TypeVar("EncoderT", bound="ModelEncoder")

FILE_ENTRIES = ("format_version", "sha256")
"""Manifest entries that describe the file and not the encoder."""


class Encoder(Protocol):
    """The part of an encoder that a recogniser needs."""

    dim: int
    """Size of the sentence vectors."""

    @property
    def template_quantizer(self) -> Quantizer | None:
        """The codebook that quantises the templates; None to fit one on the templates."""
        ...

    @property
    def background(self) -> Background | None:
        """Texts that have none of a bot's intents, for the decision ``logistic``."""
        ...

    @property
    def known_words(self) -> Vocabulary | None:
        """The words that need no correction, the most frequent first; None to correct nothing."""
        ...

    def encode(self, text: str) -> FloatArray:
        """The sentence vector, float32 [dim]: unit length, or zeros if no word is known."""
        ...

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The vectors of several texts, float32 [num_texts, dim]."""
        ...


class WordTable(NamedTuple):
    """Words and their vectors."""

    vocabulary: Vocabulary
    """The words."""
    vectors: Matrix
    """One vector for each word, [num_words, dim]."""


class ModelEncoder(ABC):
    """Base class of the encoders that are stored in model files.

    Every constructor parameter must also be an attribute of the same name: :meth:`replace`, copies
    and pickles rely on it. A kind that overrides :meth:`tables` needs a constructor parameter for
    each table, and the parameters ``template_quantizer`` and ``manifest``.
    """

    kind: ClassVar[str]
    """The manifest's ``kind``; the registry finds the class by this name."""
    rotatable: ClassVar[bool] = False
    """Whether the cosine of any two texts stays the same when all tables, and the network by
    :meth:`rotate_network`, are rotated alike."""
    paddable: ClassVar[bool] = True
    """Whether all tables may be padded with zeros, which compression does where its ``sub_dim``
    does not divide their dimensions."""

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
    """Lines of the training corpus, as features. A kind with a background has the constructor
    parameter ``background``."""
    counts: NDArray[np.integer[Any]] | None = None
    """How often each word occurred in training, [num_words]; None if the counts are unknown. A
    kind with counts has the constructor parameters ``counts`` and ``compact_counts``."""
    compact_counts: bool = False
    """Whether the counts are rounded, within 7 percent, and saved in one byte a word."""

    # Vectors

    def encode(self, text: str) -> FloatArray:
        """The sentence vector of a text.

        Args:
            text: Any string.

        Returns:
            float32 [dim], of unit length; zeros if the encoder knows no part of the text.
        """
        vector: FloatArray = self.encode_batch([text])[0]
        return vector

    @abstractmethod
    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The sentence vectors of several texts, float32 [num_texts, dim]; see :meth:`encode`."""

    @abstractmethod
    def embed_tokens(self, tokens: Sequence[str]) -> FloatArray:
        """The vectors of tokens, in order and not normalised.

        Returns:
            float32 [num_embedded, dim]; tokens that the encoder cannot embed are left out.
        """

    def combine_tokens(self, vectors: FloatArray) -> FloatArray:
        """The sentence vector of tokens, from their vectors as :meth:`embed_tokens` returns them.

        Args:
            vectors: float32 [num_tokens, dim], at least one token.

        Returns:
            float32 [dim], of unit length or zeros.

        Raises:
            PocketIntentError: The vectors of the tokens do not determine that of the text.
        """
        raise PocketIntentError(
            f"a model of kind {self.kind!r} cannot be adapted, since an adapter reads the vectors "
            "of its tokens; adapt a model of kind 'static' or 'contextual'"
        )

    @property
    def embeds_unknown_words(self) -> bool:
        """Whether a word outside the vocabulary has a vector."""
        return False

    @property
    def known_words(self) -> Vocabulary | None:
        """The words that a query may have, the most frequent first; others may be corrected.

        Returns:
            The words, if the encoder reads the tokens of the tokenizer ``simple``; None for a kind
            without a table of words, whose queries are never corrected.
        """
        return None

    @property
    def word_table(self) -> WordTable | None:
        """The words and their vectors; None for a kind that is not a table of words."""
        return None

    def readings(self: EncoderT) -> Mapping[str, EncoderT]:
        """The encoder in each reading mode that it supports, its own mode first.

        Returns:
            Encoders by mode: ``"words"`` reads word by word, ``"text"`` the text as a whole.
        """
        return {"words": self}

    # Model file

    @abstractmethod
    def to_model_file_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """The manifest and the tensors by name, as :func:`save_model` takes them."""

    @classmethod
    @abstractmethod
    def from_model_file(cls: type[EncoderT], model: ModelFile) -> EncoderT:
        """The encoder of a model file of this kind.

        Args:
            model: The manifest and the tensors of the file.

        Raises:
            ModelFileError: A part is missing, or the parts do not fit each other.
        """

    @classmethod
    def size_group(cls, tensor: str) -> str:
        """The group under which the size report counts a tensor of a model file.

        Args:
            tensor: Name of the tensor, such as ``"words.codes"``.

        Returns:
            ``codes``, ``codebook``, ``norms`` or ``embedding`` for the words' vectors, otherwise
            the first part of the name: ``vocabulary``, ``ngrams``, ``templates``, ``background``.
            ``network`` is for the weights of a network. Any other group is counted as ``rest``.
        """
        group, _, part = tensor.partition(".")
        return part if group == "words" else group

    # Copies

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the constructor's arguments; caches and decoded weights are made again.

        A pickle has the arrays themselves, so it does not need the model file.
        """
        return _construct, (type(self), self._arguments())

    def __repr__(self) -> str:
        """The class, the kind, the dimensions and, if the kind is a word table, the words."""
        table = self.word_table
        words = "" if table is None else f", {len(table.vocabulary)} words"
        return f"<{type(self).__name__}: kind {self.kind}, {self.dim} dimensions{words}>"

    def replace(self: EncoderT, **changes: Any) -> EncoderT:
        """A copy with other constructor arguments.

        Args:
            changes: The new values by parameter name.

        Raises:
            ModelFileError: The parts do not fit each other.
            TypeError: The constructor has no such parameter.
        """
        return type(self)(**self._arguments() | changes)

    def with_background(self: EncoderT, background: Background | None) -> EncoderT:
        """A copy with another background."""
        return self.replace(background=background)

    def _arguments(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in signature(type(self)).parameters}

    # Compression

    def tables(self) -> Mapping[str, Matrix]:
        """The matrices that compression quantises, by constructor parameter.

        Returns:
            Matrices whose vectors have the same basis, such as ``words`` and ``ngrams``; empty
            for a kind that cannot be compressed.
        """
        return {}

    def select_words(self: EncoderT, ids: IndexArray) -> EncoderT:
        """A copy with some of the words, their vectors and their counts.

        Args:
            ids: Numbers of the words to keep, in the order of the copy.

        Raises:
            PocketIntentError: The kind has no words to select from.
        """
        raise PocketIntentError(f"a model of kind {self.kind!r} has no words to prune")

    def rotate_network(self: EncoderT, rotation: FloatArray) -> EncoderT:
        """A copy whose network expects tables that were multiplied by an orthogonal matrix.

        Args:
            rotation: float32 [dim, dim], or larger if the tables were padded with zeros first.

        Returns:
            The copy; the encoder itself for a kind without a network.

        Raises:
            PocketIntentError: The network cannot read padded vectors.
        """
        return self

    def quantise_network(self: EncoderT) -> EncoderT:
        """A copy whose network is stored as int8; the encoder itself if nothing changes.

        A kind whose network compression does not change, or without a network, is returned as it
        is.
        """
        return self


def _construct(encoder_class: type[EncoderT], arguments: Mapping[str, Any]) -> EncoderT:
    """Construct a copy; a function of the module, so that a pickle can name it."""
    return encoder_class(**arguments)
