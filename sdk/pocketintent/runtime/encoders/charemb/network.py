"""A character network: its settings, and the shapes of its parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Literal, get_args, get_type_hints

from pocketintent.runtime.arrays import MAX_DIM
from pocketintent.runtime.encoders.recurrent import GATES, recurrent_shapes
from pocketintent.runtime.encoders.transformer_layers import layer_shapes
from pocketintent.runtime.encoders.weights import Shapes, check_memory, check_sizes
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.text.tokenizer import MAX_CHARS as RAW_CHARS

Cell = Literal["lstm", "gru", "transformer"]

_MAX_LAYERS = 64


@dataclass(frozen=True)
class CharNetwork:
    """Settings of a character network, as stored in a model file."""

    dim: int
    """Dimensions of the resulting vector."""
    cell: Cell = "lstm"
    """Type of the layers that read the characters."""
    char_dim: int = 64
    """Dimensions of a character's embedding; equal to ``hidden`` for a transformer."""
    hidden: int = 128
    """Size of the state of one direction, or width of the transformer."""
    layers: int = 1
    """Number of stacked layers."""
    bidirectional: bool = True
    """Whether a second network reads from the end; ignored by a transformer."""
    mlp: int = 512
    """Width of the hidden layer between the last states and the vector."""
    heads: int = 4
    """Attention heads of a transformer."""
    norm: bool = True
    """Whether an additional output is the natural logarithm of the vector's length."""

    def __post_init__(self) -> None:
        hints = get_type_hints(CharNetwork)
        for field in fields(self):
            value, hint = getattr(self, field.name), hints[field.name]
            if hint is int:
                check_sizes({field.name: value}, _MAX_LAYERS if field.name == "layers" else MAX_DIM)
            if hint is bool and type(value) is not bool:
                raise ModelFileError(f"{field.name} must be true or false, not {value!r}")
        if self.cell not in get_args(Cell):
            known = ", ".join(get_args(Cell))
            raise ModelFileError(f"cell must be one of {known}, not {self.cell!r}")
        fits = self.hidden % self.heads == 0 and self.char_dim == self.hidden
        if self.cell == "transformer" and not fits:
            raise ModelFileError(
                "a transformer needs char_dim equal to hidden, and hidden divisible by heads; they "
                f"are {self.char_dim}, {self.hidden} and {self.heads}"
            )

    @property
    def directions(self) -> tuple[str, ...]:
        """The directions, as the parameters' names contain them."""
        return ("forward", "backward") if self.bidirectional else ("forward",)

    @property
    def state(self) -> int:
        """Size of the input of the MLP."""
        return self.hidden if self.cell == "transformer" else self.hidden * len(self.directions)

    @property
    def outputs(self) -> int:
        """Number of outputs: the vector and, with ``norm``, the logarithm of its length."""
        return self.dim + self.norm

    def shapes(self, num_characters: int, max_chars: int) -> Shapes:
        """Names and shapes of all parameters; matrices are ``[outputs, inputs]``.

        ``num_characters`` includes the unknown character; ``max_chars`` are those that are read.
        """
        shapes: Shapes = {"embedding": (num_characters, self.char_dim)}
        if self.cell == "transformer":
            shapes["positions"] = (max_chars, self.hidden)
            shapes |= layer_shapes("layers", self.hidden, self.layers, 4 * self.hidden)
            shapes |= {"norm.weight": (self.hidden,), "norm.bias": (self.hidden,)}
        else:
            shapes |= recurrent_shapes(self, self.char_dim)
        return shapes | {
            "mlp.0.weight": (self.mlp, self.state),
            "mlp.0.bias": (self.mlp,),
            "mlp.1.weight": (self.outputs, self.mlp),
            "mlp.1.bias": (self.outputs,),
        }

    def check_memory(self, num_characters: int, max_chars: int) -> None:
        """Raise ModelFileError unless weights and largest array of a text fit into memory."""
        shapes = self.shapes(num_characters, max_chars)
        chars = min(max_chars, RAW_CHARS)
        sizes = {"weights": sum(map(math.prod, shapes.values()))}
        if self.cell == "transformer":
            sizes["attention"] = self.heads * chars * RAW_CHARS
            sizes["layers"] = 4 * self.hidden * RAW_CHARS
        else:
            rows = len(self.directions) * GATES[self.cell] * self.hidden
            sizes["layers"] = rows * max(num_characters, RAW_CHARS)
        check_memory(sizes)

    @classmethod
    def from_manifest(cls, entry: object) -> CharNetwork:
        """The settings in the manifest's entry ``network``, checked."""
        names = {field.name for field in fields(cls)}
        if not isinstance(entry, Mapping) or entry.keys() != names:
            raise ModelFileError(f"the manifest's network must have {', '.join(sorted(names))}")
        return cls(**entry)
