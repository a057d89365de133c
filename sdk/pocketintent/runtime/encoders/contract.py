"""The contract of encoders: what a recogniser needs of one, and what the rest of the program asks.

A new kind is a class that derives from :class:`ModelEncoder`, and one line in
:mod:`pocketintent.runtime.encoders.registry`. Nothing else in the program names a kind.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any, ClassVar, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray, IndexArray
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.model_file import ModelFile
from pocketintent.runtime.graphs.inputs import GraphInputs
from pocketintent.runtime.graphs.slots import Slots
from pocketintent.runtime.quantization.matrices import DenseMatrix, Matrix
from pocketintent.runtime.quantization.quantizer import Quantizer
from pocketintent.runtime.text.tokenizer import Tokenizer
from pocketintent.runtime.text.vocabulary import Vocabulary

EncoderT = TypeVar("EncoderT", bound="ModelEncoder")

FILE_ENTRIES = ("format_version", "sha256")
"""Manifest entries that belong to the file, not to the encoder that it holds."""


class Encoder(Protocol):
    """What a recogniser needs of an encoder."""

    dim: int
    """Size of the sentence vectors."""

    @property
    def template_quantizer(self) -> Quantizer | None:
        """The codebook that templates are quantised with; None to fit one on the templates."""
        ...

    def encode(self, text: str) -> FloatArray:
        """The sentence vector, float32 [dim]: unit length, or zeros when nothing is known."""
        ...

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The vectors of several texts, float32 [num_texts, dim]."""
        ...


class WordTable(NamedTuple):
    """Words with a vector each."""

    vocabulary: Vocabulary
    """The words."""
    vectors: Matrix
    """Their vectors, [num_words, dim]."""


class ModelEncoder(ABC):
    """An encoder that a model file holds.

    Each constructor parameter is an attribute of the same name, which is what :meth:`replace`
    relies on. A kind with :meth:`tables` has a parameter for each of them, and the parameters
    ``template_quantizer`` and ``manifest``.
    """

    kind: ClassVar[str]
    """The manifest's ``kind``, by which the registry finds the class."""
    rotatable: ClassVar[bool] = False
    """Whether rotating all tables alike leaves every cosine of two texts as it is."""

    dim: int
    """Size of the sentence vectors."""
    tokenizer_spec: dict[str, Any]
    """The manifest's tokenizer entry."""
    tokenize: Tokenizer
    """The tokenizer that the entry names."""
    manifest: dict[str, Any]
    """Manifest entries beside those of the kind, such as ``training`` and ``quality``."""
    template_quantizer: Quantizer | None = None
    """A codebook fitted on sentence vectors of the training corpus, for templates."""
    counts: NDArray[np.integer[Any]] | None = None
    """How often each word occurred in training, [num_words]; None where that is not recorded."""

    # Vectors

    def encode(self, text: str) -> FloatArray:
        """The sentence vector of a text.

        Args:
            text: Any string.

        Returns:
            float32 [dim], of unit length; zeros when the encoder knows nothing of the text.
        """
        vector: FloatArray = self.encode_batch([text])[0]
        return vector

    @abstractmethod
    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The vectors of several texts, float32 [num_texts, dim]; each as :meth:`encode` does."""

    @abstractmethod
    def embed_tokens(self, tokens: Sequence[str]) -> FloatArray:
        """The vectors of the tokens that the encoder can embed, in order and not normalised.

        Returns:
            float32 [num_embedded, dim].
        """

    @property
    def embeds_unknown_words(self) -> bool:
        """Whether a word outside the vocabulary has a vector."""
        return False

    @property
    def word_table(self) -> WordTable | None:
        """The words and their vectors; None for a kind that is no plain table of words."""
        return None

    def readings(self: EncoderT) -> Mapping[str, EncoderT]:
        """The encoder under each way in which it can read a text, its own way first."""
        return {"words": self}

    # Model file

    @abstractmethod
    def to_model_file_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """The manifest and the tensors, as :func:`save_model` takes them."""

    @classmethod
    @abstractmethod
    def from_model_file(cls: type[EncoderT], model: ModelFile) -> EncoderT:
        """The encoder that a model file of this kind holds.

        Raises:
            ModelFileError: A part is missing, or the parts do not fit each other.
        """

    @classmethod
    def size_group(cls, tensor: str) -> str:
        """The group under which the size report counts a tensor of a model file.

        Args:
            tensor: Name of the tensor, such as ``"words.codes"``.

        Returns:
            For the words' vectors ``codes``, ``codebook``, ``norms`` or ``embedding``; else the
            first part of the name: ``vocabulary``, ``ngrams``, ``templates``, ``network``. The
            report counts any other group among the rest.
        """
        group, _, part = tensor.partition(".")
        return part if group == "words" else group

    # Copies

    def replace(self: EncoderT, **changes: Any) -> EncoderT:
        """A copy with some constructor arguments changed.

        Args:
            changes: New values by parameter name.

        Raises:
            ModelFileError: The parts do not fit each other.
            TypeError: The constructor has no such parameter.
        """
        parameters = signature(type(self)).parameters
        return type(self)(**{name: getattr(self, name) for name in parameters} | changes)

    # Compression

    def tables(self) -> Mapping[str, Matrix]:
        """Matrices that compression quantises, by their constructor parameter.

        Returns:
            Matrices of vectors in one basis, such as ``words`` and ``ngrams``; empty for a kind
            that compression leaves alone.
        """
        return {}

    def select_words(self: EncoderT, ids: IndexArray) -> EncoderT:
        """A copy with some of the words, their vectors and counts.

        Args:
            ids: Words to keep, in the order that the copy has them.

        Raises:
            PocketIntentError: The kind has no words to select from.
        """
        raise PocketIntentError(f"a model of kind {self.kind!r} has no words to prune")

    # Export

    def check_exportable(self, source: str) -> None:
        """Refuse an export that would hold floats.

        Args:
            source: The model file, for the message.

        Raises:
            PocketIntentError: A matrix is not quantised; the message has the command to run.
        """
        if any(isinstance(table, DenseMatrix) for table in self.tables().values()):
            raise PocketIntentError(
                f"{source}: the model is not compressed, and an export contains codes; compress "
                f"it first: pocketintent compress {source} --out small.safetensors"
            )

    def graph_inputs(
        self, max_length: int | None = None, max_chars: int | None = None
    ) -> GraphInputs:
        """The step from a text to the inputs of the exported graphs.

        Args:
            max_length: Slots to keep; None for all.
            max_chars: Characters of a text or a word to keep; None, or more than the model's own
                number, for that number.

        Raises:
            PocketIntentError: Encoders of this kind cannot be exported.
        """
        raise PocketIntentError(f"encoders of kind {self.kind!r} cannot be exported")

    def graph_modules(self, file_format: str, max_chars: int | None) -> Mapping[str, Any]:
        """The computation of the exported graphs, as torch modules.

        Args:
            file_format: ``"onnx"`` or ``"tflite"``.
            max_chars: Characters of a TFLite graph that reads characters; None for a free number.

        Returns:
            ``encoder``, from the inputs of :meth:`graph_inputs` to unit vectors [batch, dim]; and
            ``characters``, from a word's characters to its vector, where the inputs spell words.

        Raises:
            PocketIntentError: Encoders of this kind cannot be exported.
        """
        raise PocketIntentError(f"encoders of kind {self.kind!r} cannot be exported")

    def limit_characters(self: EncoderT, max_chars: int) -> EncoderT:
        """The encoder, reading at most so many characters of a word or text."""
        return self

    def encode_slots(self, slots: Slots, tokens: Sequence[str]) -> FloatArray:
        """The sentence vector of the slots of a text, computed plainly.

        An exported graph of fixed length drops slots; this is what it computes from the others.

        Args:
            slots: Ids and weights; an id is a row of the tables, one table after the other.
            tokens: All tokens of the text.

        Returns:
            float32 [dim], of unit length or zeros.
        """
        total = self.sum_slots(slots, tokens)
        norm = np.sqrt(total @ total)
        vector: FloatArray = (total / norm if norm > 0 else total).astype(np.float32)
        return vector

    def sum_slots(self, slots: Slots, tokens: Sequence[str]) -> FloatArray:
        """The weighted sum of the slots' rows, float32 [dim]; see :meth:`encode_slots`."""
        ids, weights = slots[0].astype(np.intp), slots[1]
        total, start = np.zeros(self.dim, np.float32), 0
        for table in self.tables().values():
            own = (ids >= start) & (ids < start + len(table))
            total = total + weights[own] @ table.rows(ids[own] - start)
            start += len(table)
        return total
