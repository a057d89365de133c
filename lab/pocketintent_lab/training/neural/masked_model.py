"""A masked language model of transformers, its tokenizer, and its layers by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from pocketintent.runtime.arrays import IntArray
from pocketintent.runtime.errors import PocketIntentError, require
from pocketintent_lab.training.neural.masks import MaskedCopy, mask_piece, split_text
from pocketintent_lab.training.neural.settings import LAYERS, Blueprint


class MaskedModel:
    """A masked language model from a local folder, without dropout.

    Args:
        folder: Folder of the configuration, the weights and the tokenizer.
        device: Torch device.
        max_tokens: Longest input; at most the model's own limit.

    Raises:
        PocketIntentError: The folder cannot be used, or the model has no mask.
        MissingExtraError: transformers is not installed.
    """

    def __init__(self, folder: Path, *, device: str = "cpu", max_tokens: int = 128) -> None:
        transformers = require("transformers", "teacher")
        try:
            self.tokenizer = transformers.AutoTokenizer.from_pretrained(
                folder, local_files_only=True
            )
            # Fused attention computes no gradients for many texts side by side.
            self.model = transformers.AutoModelForMaskedLM.from_pretrained(
                folder, local_files_only=True, attn_implementation="eager"
            )
        except (OSError, ValueError, KeyError) as error:
            raise PocketIntentError(f"{folder}: transformers cannot read it: {error}") from error
        self.model = self.model.to(device, torch.float32).eval().requires_grad_(False)
        self.device = torch.device(device)
        if self.tokenizer.mask_token_id is None:
            raise PocketIntentError(f"{folder}: the tokenizer has no mask token")
        ends = self.tokenizer("")["input_ids"]
        self._before, self._after = ends[:1], ends[1:]
        positions = getattr(self.model.config, "max_position_embeddings", max_tokens)
        limits = (max_tokens, positions, self.tokenizer.model_max_length)
        self._longest = min(limits) - len(ends)
        if self._longest < 1:
            raise PocketIntentError(f"max_tokens must be above {len(ends)}, not {max_tokens}")

    @property
    def base(self) -> nn.Module:
        """The transformer below the scores of the tokens."""
        base: nn.Module = self.model.base_model
        return base

    @property
    def blocks(self) -> nn.ModuleList:
        """The blocks of the transformer, the lowest first."""
        count = self.model.config.num_hidden_layers
        for part in self.base.modules():
            if isinstance(part, nn.ModuleList) and len(part) == count:
                return part
        raise PocketIntentError(f"a model of type {type(self.model).__name__} is not supported")

    @property
    def dim(self) -> int:
        """Size of a hidden state."""
        return int(self.model.config.hidden_size)

    @contextmanager
    def changed(self, layers: Sequence[str], changes: Sequence[Tensor]) -> Iterator[None]:
        """Add changes to parameters for the length of a block.

        Args:
            layers: Names of the parameters.
            changes: The change of each, [size].
        """
        named = dict(self.model.named_parameters())
        originals = [named[name].detach().clone() for name in layers]
        try:
            for name, change in zip(layers, changes, strict=True):
                named[name].data += change
            yield
        finally:
            for name, original in zip(layers, originals, strict=True):
                named[name].data.copy_(original)

    def pieces(self, text: str) -> list[IntArray]:
        """The inputs of a text, with special tokens, each int64 [length]; none without tokens."""
        parts = split_text(text, self._to_ids, self._longest)
        return [np.array([*self._before, *part, *self._after], np.int64) for part in parts]

    def copies(self, piece: IntArray, blueprints: Sequence[Blueprint]) -> list[MaskedCopy]:
        """The masked copies of an input; see :func:`mask_piece`."""
        last = len(piece) - len(self._after)
        return mask_piece(piece, len(self._before), last, self.tokenizer.mask_token_id, blueprints)

    def layer_names(self, layers: Sequence[str]) -> list[str]:
        """The parameters of one dimension that presets and patterns name.

        Args:
            layers: Names of :data:`LAYERS`, or patterns; ``*`` is any text and ``{last}`` the
                number of the last block.

        Returns:
            The names, in the order of the model.

        Raises:
            PocketIntentError: A preset or pattern names no parameter of one dimension.
        """
        vectors = [name for name, part in self.model.named_parameters() if part.ndim == 1]
        chosen: set[str] = set()
        for layer in layers:
            patterns = [
                pattern.replace("{last}", str(len(self.blocks) - 1))
                for pattern in LAYERS.get(layer, (layer,))
            ]
            names = {name for name in vectors if any(fnmatchcase(name, p) for p in patterns)}
            if not names:
                raise PocketIntentError(
                    f"no layer of one dimension is named {layer!r}; the model has, from the top, "
                    f"{', '.join(reversed(vectors[-8:]))} …; or name {' or '.join(LAYERS)}"
                )
            chosen |= names
        return [name for name in vectors if name in chosen]

    def _to_ids(self, text: str) -> list[int]:
        # The limit of the tokenizer only causes a warning, as longer texts are split here.
        encoded = self.tokenizer(text, add_special_tokens=False, verbose=False)
        ids: list[int] = encoded["input_ids"]
        return ids


def pad(rows: Sequence[IntArray], shape: tuple[int, ...]) -> IntArray:
    """Rows of several lengths as one array, with zeros behind each.

    Args:
        rows: The rows, each int64 [length].
        shape: Shape of the result, of which the last number is the longest length; the product
            of the others is at least the number of rows.
    """
    padded = np.zeros(shape, np.int64)
    flat = padded.reshape(-1, shape[-1])
    for number, row in enumerate(rows):
        flat[number, : len(row)] = row
    return padded
