"""The graph ``encoder`` as torch modules, from its inputs to unit sentence vectors."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import torch
from torch import Tensor, nn

from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.combined.encoder import CombinedEncoder
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.quantization.matrices import QuantizedMatrix
from pocketintent_export.encoders.characters import CharactersModule
from pocketintent_export.export import Format
from pocketintent_export.layers.codes import QuantizedRows, quantised_shape
from pocketintent_export.layers.lengths import unit


class StaticModule(nn.Module):
    """:class:`StaticEncoder`, from ids and weights to unit sentence vectors.

    Matrices whose quantisers have one shape, as words and n-grams have in the default model,
    are looked up together; others one after the other, each id in its own.

    Args:
        encoder: The encoder; its matrices are quantised.
    """

    def __init__(self, encoder: StaticEncoder) -> None:
        super().__init__()
        given = (encoder.words, encoder.ngrams)
        matrices = [matrix for matrix in given if isinstance(matrix, QuantizedMatrix)]
        groups = [list(group) for _, group in groupby(matrices, quantised_shape)]
        self.blocks = nn.ModuleList(QuantizedRows(group) for group in groups)
        sizes = [sum(len(matrix) for matrix in group) for group in groups]
        self.ends = np.cumsum(sizes).tolist()

    def forward(self, ids: Tensor, weights: Tensor) -> Tensor:
        """Sentence vectors.

        Args:
            ids: int32 [batch, length].
            weights: float32 [batch, length]; 0 for what only fills up.

        Returns:
            float32 [batch, dim], of unit length; zeros where the weighted rows sum to zero.
        """
        return unit(self.total(ids, weights))

    def total(self, ids: Tensor, weights: Tensor) -> Tensor:
        """The weighted sum of the rows, float32 [batch, dim]."""
        total, start = torch.zeros(()), 0
        for block, end in zip(self.blocks, self.ends, strict=True):
            own_ids, own_weights = ids, weights
            if len(self.ends) > 1:
                own = (ids >= start) & (ids < end)
                own_ids = torch.where(own, ids - start, 0)
                own_weights = torch.where(own, weights, 0.0)
            rows, norms = block(own_ids.reshape(-1))
            if norms is not None:
                own_weights = own_weights * norms.reshape(ids.shape)
            part = torch.matmul(own_weights.unsqueeze(1), rows.reshape(*ids.shape, -1)).squeeze(1)
            total = part if start == 0 else total + part
            start = end
        return total


class CombinedModule(nn.Module):
    """:class:`CombinedEncoder`, whose unknown words come spelt out.

    Args:
        encoder: The encoder; its table is quantised.
    """

    def __init__(self, encoder: CombinedEncoder) -> None:
        super().__init__()
        self.words = StaticModule(encoder.words)

    def forward(self, ids: Tensor, weights: Tensor, spelt: Tensor) -> Tensor:
        """Sentence vectors, as :meth:`StaticModule.forward` gives them.

        Args:
            ids: int32 [batch, length].
            weights: float32 [batch, length].
            spelt: float32 [batch, dim], the sum of the vectors that the graph ``characters``
                gives for the unknown words.
        """
        return unit(self.words.total(ids, weights) + spelt)


class SpeltModule(nn.Module):
    """:class:`CharEncoder` that reads words: all of a text's words come spelt out."""

    def forward(self, spelt: Tensor) -> Tensor:
        """Sentence vectors, float32 [batch, dim], of the words' sums of equal shape."""
        return unit(spelt)


class TextModule(nn.Module):
    """:class:`CharEncoder` that reads a text as a whole.

    Args:
        characters: The module of its network.
    """

    def __init__(self, characters: CharactersModule) -> None:
        super().__init__()
        self.characters = characters

    def forward(self, characters: Tensor, lengths: Tensor) -> Tensor:
        """Sentence vectors; see :meth:`CharactersModule.forward`."""
        return unit(self.characters(characters, lengths))


def encoder_module(encoder: Encoder, file_format: Format, max_chars: int | None) -> nn.Module:
    """The module of an encoder's graph.

    Args:
        encoder: An encoder that can be exported.
        file_format: The format of the graph.
        max_chars: Characters of a TFLite graph that reads texts; None for ONNX.

    Returns:
        A module whose inputs are those of the graph, in the manifest's order.
    """
    if isinstance(encoder, CombinedEncoder):
        return CombinedModule(encoder)
    if isinstance(encoder, StaticEncoder):
        return StaticModule(encoder)
    assert isinstance(encoder, CharEncoder)
    if encoder.reads == "words":
        return SpeltModule()
    return TextModule(CharactersModule(encoder, file_format, max_chars))
