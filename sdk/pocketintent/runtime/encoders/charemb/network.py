"""The settings of a character network, and the names and shapes of its parameters."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args, get_type_hints

from pocketintent.runtime.arrays import MAX_DIM, MAX_NUMBERS
from pocketintent.runtime.encoders.recurrent import GATES, recurrent_shapes
from pocketintent.runtime.encoders.weights import Shapes
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.text.tokenizer import MAX_CHARS as RAW_CHARS

Cell = Literal["lstm", "gru", "transformer"]

MAX_LAYERS = 64
"""Upper limit of the number of layers."""


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
            if hint is int and (type(value) is not int or not 1 <= value <= MAX_DIM):
                raise ModelFileError(
                    f"{field.name} must be a whole number from 1 to {MAX_DIM}, not {value!r}"
                )
            if hint is bool and type(value) is not bool:
                raise ModelFileError(f"{field.name} must be true or false, not {value!r}")
        if self.layers > MAX_LAYERS:
            raise ModelFileError(f"layers must be at most {MAX_LAYERS}, not {self.layers}")
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
            for layer in range(self.layers):
                shapes |= self._transformer_shapes(f"layers.{layer}")
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
        sizes = {"weights": sum(math.prod(shape) for shape in shapes.values())}
        if self.cell == "transformer":
            sizes["attention"] = self.heads * chars * RAW_CHARS
            sizes["layers"] = 4 * self.hidden * RAW_CHARS
        else:
            rows = len(self.directions) * GATES[self.cell] * self.hidden
            sizes["layers"] = rows * max(num_characters, RAW_CHARS)
        for part, size in sizes.items():
            if size > MAX_NUMBERS:
                raise ModelFileError(
                    f"the {part} of the network need {size} numbers in memory; at most "
                    f"{MAX_NUMBERS} are allowed"
                )

    def _transformer_shapes(self, prefix: str) -> Shapes:
        width = self.hidden
        sizes = {
            "attention.input": (3 * width, width),
            "attention.output": (width, width),
            "feedforward.0": (4 * width, width),
            "feedforward.1": (width, 4 * width),
        }
        shapes: Shapes = {f"{prefix}.{name}.weight": shape for name, shape in sizes.items()}
        shapes |= {f"{prefix}.{name}.bias": shape[:1] for name, shape in sizes.items()}
        for norm in ("norm.0", "norm.1"):
            shapes |= {f"{prefix}.{norm}.weight": (width,), f"{prefix}.{norm}.bias": (width,)}
        return shapes

    def to_manifest(self) -> dict[str, Any]:
        """The settings as the manifest's entry ``network``."""
        return asdict(self)

    @classmethod
    def from_manifest(cls, entry: object) -> CharNetwork:
        """The settings in the manifest's entry ``network``, checked."""
        names = {field.name for field in fields(cls)}
        if not isinstance(entry, Mapping) or entry.keys() != names:
            raise ModelFileError(f"the manifest's network must have {', '.join(sorted(names))}")
        return cls(**entry)
