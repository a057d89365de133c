"""What compression does with each kind of encoder: its table of words, its network, its tensors.

A kind of this package is a line in ``_KINDS``; another distribution names its :class:`Compression`
in an entry point of the group ``pocketintent.compression``, or calls :func:`register`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any

from pocketintent.compression.codebooks import encode_int8, quantise_weights
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.background import ENTRY as BACKGROUND
from pocketintent.runtime.encoders.combined import PART
from pocketintent.runtime.encoders.contextual.network import ContextNetwork, decode
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.encoders.transformer.network import TransformerNetwork
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.model_file import BOT
from pocketintent.runtime.plugins import installed_plugins
from pocketintent.runtime.quantization.matrices import Matrix

GROUP = "pocketintent.compression"
"""Entry points of other distributions: an object of a :class:`Compression` by its ``kind``."""


@dataclass(frozen=True)
class Compression:
    """What compression does with a kind of encoder; by default nothing.

    A kind with a table needs its matrices, ``template_quantizer`` and ``manifest`` as constructor
    parameters; one with counts, ``counts`` and ``compact_counts``.
    """

    table: Callable[[Any], StaticEncoder | None] = lambda _: None
    """From an encoder to its words, which no network has read; None if it has no table of words."""
    changes: bool = True
    """Whether words may be left out, and the matrices of the table quantised."""
    rotates: bool = True
    """Whether any two texts keep their cosine if all vectors are rotated alike, and the network by
    ``rotate``."""
    rotate: Callable[[Any, FloatArray], Any] | None = None
    """From a network and an orthogonal matrix to the network, in float32, that reads vectors
    multiplied by the matrix; None without a network."""
    quantise: Callable[[Any], Any] | None = None
    """From a network to one with quantised matrices; to the network itself if it has them already.
    None without a network, where vectors may be padded with zeros."""
    network: str = "network."
    """First part of the names of the tensors that are the network's."""

    def size_group(self, tensor: str) -> str:
        """The group of the size report for a tensor, such as ``codes`` for ``"words.codes"``."""
        group, _, part = tensor.partition(".")
        if group not in (BACKGROUND, BOT) and tensor.startswith(self.network):
            return "network"
        return part if group == "words" else group


def quantise_context(network: ContextNetwork) -> ContextNetwork:
    """The network of a contextual encoder with int8 matrices; itself if it has them already."""
    if network.format == "int8":
        return network
    inner, outer = (encode_int8(decode(m)) for m in (network.inner, network.outer))
    return replace(network, inner=inner, outer=outer)


def rotate_context(network: ContextNetwork, rotation: FloatArray) -> ContextNetwork:
    """The network, in float32, that reads and returns vectors times an orthogonal [dim, dim]."""
    inner = decode(network.inner).reshape(-1, network.dim) @ rotation
    return replace(
        network,
        inner=inner.reshape(network.hidden, -1),
        outer=rotation.T @ decode(network.outer),
        gate=decode(network.gate) @ rotation,
    )


def quantise_transformer(network: TransformerNetwork) -> TransformerNetwork:
    """The network of a transformer encoder with 4 bits a weight; itself if it is quantised.

    A code stands for two neighbouring numbers of a row at unit length; unlike 4 bits for each
    number, it needs no scale for each few numbers.
    """
    if network.format != "float32":
        return network
    weights = quantise_weights(network.weights, "codebook", sub_dim=2, codebook_size=256)
    return replace(network, weights=weights)


_KINDS: dict[str, Compression] = {
    "static": Compression(lambda encoder: encoder),
    "charemb": Compression(network=""),  # training quantises its weights
    "combined": Compression(network=f"{PART}."),  # its parts are compressed before
    "contextual": Compression(
        attrgetter("table"), rotate=rotate_context, quantise=quantise_context
    ),
    "transformer": Compression(attrgetter("table"), rotates=False, quantise=quantise_transformer),
}


def register(kind: str, compression: Compression) -> None:
    """Register what compression does with the encoders of a kind."""
    _KINDS[kind] = compression


def compression_of(kind: str) -> Compression:
    """What compression does with a kind; what it does without tables, if nothing is registered."""
    if kind not in _KINDS:
        plugins = installed_plugins(GROUP)
        _KINDS[kind] = plugins[kind].load() if kind in plugins else Compression()
    return _KINDS[kind]


def table_of(encoder: ModelEncoder) -> StaticEncoder | None:
    """The words of an encoder, their vectors and their counts; None if it is no table of words."""
    return compression_of(encoder.kind).table(encoder)


def words_of(encoder: ModelEncoder) -> StaticEncoder:
    """The words of an encoder, see :func:`table_of`; PocketIntentError if it has none."""
    table = table_of(encoder)
    if table is None:
        raise PocketIntentError(
            f"the words of a model of kind {encoder.kind!r} cannot be left out one by one; give a "
            "model with a table of words, such as default or tiny"
        )
    return table


def changeable_table(encoder: ModelEncoder) -> StaticEncoder | None:
    """:func:`table_of`, if words may be left out and the matrices quantised; otherwise None."""
    return table_of(encoder) if compression_of(encoder.kind).changes else None


def tables_of(encoder: ModelEncoder) -> Mapping[str, Matrix]:
    """The matrices to quantise, of one basis: ``words``, and ``ngrams`` if there are n-grams."""
    table = changeable_table(encoder)
    return {} if table is None else table.tables()
