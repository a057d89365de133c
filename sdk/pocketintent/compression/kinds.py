"""What compression does with each kind of encoder: its words, its tables, its network, its tensors.

A kind of this package is a line in ``_KINDS``; another distribution names its :class:`Compression`
in an entry point of the group ``pocketintent.compression``, or calls :func:`register`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeVar

from pocketintent.compression.network import quantise_context, rotate_context
from pocketintent.runtime.arrays import FloatArray, IndexArray
from pocketintent.runtime.background import ENTRY as BACKGROUND
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.combined import PART, CombinedEncoder
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.parts import Counts
from pocketintent.runtime.encoders.sequence import SequenceEncoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.model_file import BOT
from pocketintent.runtime.plugins import installed_plugins
from pocketintent.runtime.quantization.matrices import Matrix
from pocketintent.runtime.text.vocabulary import Vocabulary

KindT = TypeVar("KindT", bound=ModelEncoder)
TableEncoder = StaticEncoder | SequenceEncoder

GROUP = "pocketintent.compression"
"""Entry points of other distributions: an object of a :class:`Compression` by its ``kind``."""


class WordTable(NamedTuple):
    """Words, and one vector for each of them, [num_words, dim]."""

    vocabulary: Vocabulary
    vectors: Matrix


class Compression(Generic[KindT]):
    """What compression does with a kind of encoder; this class is for kinds without tables.

    A kind with tables needs a constructor parameter for each of them, and the parameters
    ``template_quantizer`` and ``manifest``; one with counts, ``counts`` and ``compact_counts``.
    """

    rotatable: bool = False
    """Whether the cosine of any two texts stays the same when all tables, and the network by
    :meth:`rotate_network`, are rotated alike."""

    @property
    def paddable(self) -> bool:
        """Whether tables may be padded with zeros where ``sub_dim`` does not divide their size."""
        return True

    def words(self, encoder: KindT) -> WordTable | None:
        """The words and their vectors; None for a kind that is not a table of words."""
        return None

    def counts(self, encoder: KindT) -> Counts | None:
        """How often each word occurred in training, [num_words]; None if this is unknown."""
        return None

    def tables(self, encoder: KindT) -> Mapping[str, Matrix]:
        """The matrices to quantise, of one basis, by constructor parameter: ``words`` first."""
        return {}

    def select_words(self, encoder: KindT, ids: IndexArray) -> KindT:
        """A copy with the words of some numbers, their vectors and their counts."""
        raise PocketIntentError(f"a model of kind {encoder.kind!r} has no words to prune")

    def rotate_network(self, encoder: KindT, rotation: FloatArray) -> KindT:
        """A copy whose network expects tables, perhaps padded, times an orthogonal matrix."""
        return encoder

    def quantise_network(self, encoder: KindT) -> KindT:
        """A copy whose network is stored as int8; the encoder itself if nothing changes."""
        return encoder

    def size_group(self, tensor: str) -> str:
        """The group of the size report for a tensor, such as ``codes`` for ``"words.codes"``."""
        group, _, part = tensor.partition(".")
        return part if group == "words" else group


@dataclass(frozen=True)
class TableCompression(Compression[TableEncoder]):
    """The kind ``static``, and the kinds that read the words of a static encoder by a network."""

    rotate: Callable[[Any, FloatArray], Any] | None = None
    """From a network and an orthogonal matrix to the network, in float32, that reads vectors
    multiplied by the matrix; None without a network."""
    quantise: Callable[[Any], Any] | None = None
    """From a network to one with int8 matrices; to the network itself if it has them already."""

    rotatable = True

    @property
    def paddable(self) -> bool:
        """Whether there is no network, which reads as many numbers as a word has."""
        return self.rotate is None

    def words(self, encoder: TableEncoder) -> WordTable:
        """The words and their vectors, which the network has not read."""
        table = _table(encoder)
        return WordTable(table.vocabulary, table.words)

    def counts(self, encoder: TableEncoder) -> Counts | None:
        """The counts of the words, if the model has them."""
        return _table(encoder).counts

    def tables(self, encoder: TableEncoder) -> Mapping[str, Matrix]:
        """``words`` and, if the model has n-grams, ``ngrams``."""
        return _table(encoder).tables()

    def select_words(self, encoder: TableEncoder, ids: IndexArray) -> TableEncoder:
        """A copy with some of the words; the n-grams, if any, embed the other words."""
        table = _table(encoder)
        return encoder.replace(
            vocabulary=table.vocabulary.select(ids),
            words=table.words.select(ids),
            counts=None if table.counts is None else table.counts[ids],
        )

    def rotate_network(self, encoder: TableEncoder, rotation: FloatArray) -> TableEncoder:
        """A copy whose network expects rotated tables; its matrices are float32."""
        if self.rotate is None or isinstance(encoder, StaticEncoder):
            return encoder
        if rotation.shape != (dim := encoder.table.dim, dim):
            raise PocketIntentError(
                f"the network cannot read {len(rotation)} dimensions; sub_dim must divide the "
                f"{dim} dimensions of the words"
            )
        return encoder.replace(network=self.rotate(encoder.network, rotation))

    def quantise_network(self, encoder: TableEncoder) -> TableEncoder:
        """A copy whose network is stored as int8; the encoder itself if it is."""
        if self.quantise is None or isinstance(encoder, StaticEncoder):
            return encoder
        network = self.quantise(encoder.network)
        return encoder if network is encoder.network else encoder.replace(network=network)


def _table(encoder: TableEncoder) -> StaticEncoder:
    return encoder if isinstance(encoder, StaticEncoder) else encoder.table


class CharCompression(Compression[CharEncoder]):
    """The kind ``charemb``, whose weights training quantises."""

    def size_group(self, tensor: str) -> str:
        """``network`` for every tensor but those of the background and of a bot."""
        group = super().size_group(tensor)
        return group if group in (BACKGROUND, BOT) else "network"


class CombinedCompression(Compression[CombinedEncoder]):
    """The kind ``combined``, whose parts are compressed before they are combined."""

    def size_group(self, tensor: str) -> str:
        """``network`` for the network's tensors, and the table's groups for the others."""
        return "network" if tensor.startswith(f"{PART}.") else super().size_group(tensor)


_KINDS: dict[str, Compression[Any]] = {
    "static": TableCompression(),
    "charemb": CharCompression(),
    "combined": CombinedCompression(),
    "contextual": TableCompression(rotate_context, quantise_context),
}


def register(kind: str, compression: Compression[Any]) -> None:
    """Register what compression does with the encoders of a kind."""
    _KINDS[kind] = compression


def compression_of(kind: str) -> Compression[Any]:
    """What compression does with a kind; what it does without tables, if nothing is registered."""
    if kind not in _KINDS:
        plugins = installed_plugins(GROUP)
        _KINDS[kind] = plugins[kind].load() if kind in plugins else Compression()
    return _KINDS[kind]


def tables_of(encoder: ModelEncoder) -> Mapping[str, Matrix]:
    """The tables of an encoder, see :meth:`Compression.tables`; empty if it has none."""
    return compression_of(encoder.kind).tables(encoder)


def words_of(encoder: ModelEncoder) -> WordTable:
    """The table of words of an encoder; PocketIntentError if it has none."""
    table = compression_of(encoder.kind).words(encoder)
    if table is None:
        raise PocketIntentError(
            f"the words of a model of kind {encoder.kind!r} cannot be left out one by one; give a "
            "model with a table of words, such as default or tiny"
        )
    return table
