"""The shape of a character network: its settings, and the parameters that these ask for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args, get_type_hints

from pocketintent.runtime.errors import ModelFileError

Cell = Literal["lstm", "gru", "transformer"]
Shapes = dict[str, tuple[int, ...]]

GATES = {"lstm": 4, "gru": 3}
"""Gates of a recurrent cell: input, forget, cell, output; or reset, update, new."""

LARGEST = 1 << 20
"""No size of a network is larger; a file that says so is damaged."""

MAX_LAYERS = 64
"""No network is deeper."""


@dataclass(frozen=True)
class CharNetwork:
    """Sizes of a character network, as a model file keeps them."""

    dim: int
    """Dimensions of the vector that comes out."""
    cell: Cell = "lstm"
    """What reads the characters."""
    char_dim: int = 64
    """Dimensions of a character's embedding; ``hidden`` for a transformer."""
    hidden: int = 128
    """State of one direction, or width of the transformer."""
    layers: int = 1
    """How many stand on each other."""
    bidirectional: bool = True
    """Whether a second one reads from the end; a transformer has no direction."""
    mlp: int = 512
    """Width of the layer between the last states and the vector."""
    heads: int = 4
    """Attention heads of a transformer."""
    norm: bool = True
    """Whether one more output gives the natural logarithm of the vector's length."""

    def __post_init__(self) -> None:
        hints = get_type_hints(CharNetwork)
        for field in fields(self):
            value, hint = getattr(self, field.name), hints[field.name]
            if hint is int and (type(value) is not int or not 1 <= value <= LARGEST):
                raise ModelFileError(f"{field.name} must be a number from 1, not {value!r}")
            if hint is bool and type(value) is not bool:
                raise ModelFileError(f"{field.name} must be true or false, not {value!r}")
        if self.layers > MAX_LAYERS:
            raise ModelFileError(f"layers must be at most {MAX_LAYERS}, not {self.layers}")
        if self.cell not in get_args(Cell):
            raise ModelFileError(
                f"cell must be one of {', '.join(get_args(Cell))}, not {self.cell!r}"
            )
        if self.cell == "transformer" and (
            self.hidden % self.heads or self.char_dim != self.hidden
        ):
            raise ModelFileError(
                f"a transformer wants char_dim {self.char_dim} equal to hidden {self.hidden}, "
                f"and {self.heads} heads to divide it"
            )

    @property
    def directions(self) -> tuple[str, ...]:
        """Names of the directions, as they stand in the parameters' names."""
        return ("forward", "backward") if self.bidirectional else ("forward",)

    @property
    def state(self) -> int:
        """Length of what the layers hand to the first layer of the MLP."""
        return self.hidden if self.cell == "transformer" else self.hidden * len(self.directions)

    @property
    def outputs(self) -> int:
        """Length of what comes out: the vector, and the logarithm of its length."""
        return self.dim + self.norm

    def shapes(self, num_characters: int, max_chars: int) -> Shapes:
        """Names and shapes of all parameters; matrices are ``[outputs, inputs]``.

        Args:
            num_characters: Size of the vocabulary, the unknown character included.
            max_chars: Code points of a text that are read.
        """
        shapes: Shapes = {"embedding": (num_characters, self.char_dim)}
        if self.cell == "transformer":
            shapes["positions"] = (max_chars, self.hidden)
            for layer in range(self.layers):
                shapes |= self._transformer_shapes(f"layers.{layer}")
            shapes |= {"norm.weight": (self.hidden,), "norm.bias": (self.hidden,)}
        else:
            for layer in range(self.layers):
                inputs = self.state if layer else self.char_dim
                for direction in self.directions:
                    shapes |= self._recurrent_shapes(f"layers.{layer}.{direction}", inputs)
        return shapes | {
            "mlp.0.weight": (self.mlp, self.state),
            "mlp.0.bias": (self.mlp,),
            "mlp.1.weight": (self.outputs, self.mlp),
            "mlp.1.bias": (self.outputs,),
        }

    def _recurrent_shapes(self, prefix: str, inputs: int) -> Shapes:
        rows = GATES[self.cell] * self.hidden
        shapes: Shapes = {
            f"{prefix}.input": (rows, inputs),
            f"{prefix}.recurrent": (rows, self.hidden),
            f"{prefix}.bias": (rows,),
        }
        if self.cell == "gru":  # the new state's recurrent part has a bias of its own
            shapes[f"{prefix}.recurrent_bias"] = (self.hidden,)
        return shapes

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
        """The settings, as the manifest's ``network`` has them."""
        return asdict(self)

    @classmethod
    def from_manifest(cls, entry: object) -> CharNetwork:
        """The settings that a manifest's ``network`` has.

        Raises:
            ModelFileError: A setting is missing, unknown, or makes no sense.
        """
        names = {field.name for field in fields(cls)}
        if not isinstance(entry, Mapping) or entry.keys() != names:
            raise ModelFileError(f"the manifest's network must have {', '.join(sorted(names))}")
        return cls(**entry)
