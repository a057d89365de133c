"""The BiLSTM of an InferSent encoder as stored: its sizes, its weights, and their tensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from pocketintent.runtime.arrays import MAX_DIM, check_numbers
from pocketintent.runtime.encoders.recurrent import GATES, recurrent_shapes
from pocketintent.runtime.encoders.sequence import MAX_TOKENS, PREFIX
from pocketintent.runtime.encoders.weights import (
    Shapes,
    Weights,
    check_memory,
    check_sizes,
    read_weights,
    weights_to_parts,
)
from pocketintent.runtime.errors import ModelFileError

MAX_HIDDEN = MAX_DIM // 2
"""Largest size of the state of one direction."""

_SIZES = ("word_dim", "hidden")


@dataclass(frozen=True)
class BiLstmSizes:
    """The sizes of an LSTM layer that reads the words of a text in both directions.

    Raises:
        ModelFileError: A size is out of range, or the weights would need too much memory.
    """

    word_dim: int
    """Dimensions of the words' vectors."""
    hidden: int
    """Size of the state of one direction."""

    cell: ClassVar[str] = "lstm"
    layers: ClassVar[int] = 1
    directions: ClassVar[tuple[str, ...]] = ("forward", "backward")

    def __post_init__(self) -> None:
        check_sizes({"word_dim": self.word_dim})
        check_sizes({"hidden": self.hidden}, MAX_HIDDEN)
        rows = GATES[self.cell] * self.hidden * len(self.directions)
        of_weights = rows * (self.word_dim + self.hidden)
        check_memory({"weights": of_weights, "states": rows * MAX_TOKENS})

    @property
    def dim(self) -> int:
        """Size of the sentence vectors: the states of both directions."""
        return self.hidden * len(self.directions)

    @property
    def shapes(self) -> Shapes:
        """Names and shapes of all parameters."""
        return recurrent_shapes(self, self.word_dim)


@dataclass(frozen=True, eq=False)
class BiLstm:
    """The sizes and the weights of an InferSent encoder's network.

    Raises:
        ModelFileError: A weight is missing, of another shape or format, or has a number that is
            NaN, infinite or too large.
    """

    sizes: BiLstmSizes
    """The sizes."""
    weights: Weights
    """The weights, float32 or int8, by the names of :attr:`BiLstmSizes.shapes`."""

    def __post_init__(self) -> None:
        if self.weights.format == "codebook":
            raise ModelFileError("the weights of the network must be float32 or int8, not codes")
        self.weights.check(self.sizes.shapes)
        check_numbers({f"{PREFIX}.{name}": a for name, a in self.weights.decode().items()})

    @property
    def format(self) -> str:
        """Storage format of the matrices."""
        return self.weights.format

    def to_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """The manifest's entry ``network``, and the tensors by name."""
        entry, tensors = weights_to_parts(self.weights)
        sizes = {name: getattr(self.sizes, name) for name in _SIZES}
        named = {f"{PREFIX}.{name}": tensor for name, tensor in tensors.items()}
        return {**sizes, "weights": entry}, named


def read_network(entry: object, tensors: Mapping[str, NDArray[Any]]) -> BiLstm:
    """Read the network that :meth:`BiLstm.to_parts` wrote.

    Args:
        entry: The manifest's entry ``network``.
        tensors: The tensors of the model file.

    Raises:
        ModelFileError: The entry is damaged, or a tensor is missing or differs from it.
    """
    if not isinstance(entry, Mapping) or entry.keys() != {*_SIZES, "weights"}:
        raise ModelFileError("the manifest's network must have word_dim, hidden and weights")
    sizes = BiLstmSizes(entry["word_dim"], entry["hidden"])
    start = f"{PREFIX}."
    own = {name.removeprefix(start): t for name, t in tensors.items() if name.startswith(start)}
    return BiLstm(sizes, read_weights(entry["weights"], own, sizes.shapes))
