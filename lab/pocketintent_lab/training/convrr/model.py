"""The networks ConvRR and FCRR in torch; the runtime computes them in NumPy.

Source: Cakaloglu and Xu 2019, "A Multi-Resolution Word Embedding for Document Retrieval from Large
Unstructured Knowledge Bases", equations 5 to 7.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from pocketintent.compression.codebooks import encode_int8
from pocketintent_lab.encoders.convrr.head import ResidualHead
from pocketintent_lab.training.convrr.settings import ConvrrSettings


class ResidualNetwork(nn.Module):
    """The vector of a text, moved by what kernels read in it.

    Equation 5 applies the kernels to each window of words, with ReLU; equation 6 averages them over
    the windows; equation 7 adds the average, times sf, to the vector of the text, at unit length.
    FCRR applies the kernels to the vector of the text instead.

    Args:
        dim: Size of the vectors.
        settings: The settings of the run.
    """

    def __init__(self, dim: int, settings: ConvrrSettings) -> None:
        super().__init__()
        self.settings, self.dim = settings, dim
        self.width = settings.width if settings.network == "convrr" else 1
        kernels = dim if settings.kernels is None else settings.kernels
        self.inner = nn.Linear(self.width * dim, kernels)
        self.outer = None if settings.kernels is None else nn.Linear(kernels, dim, bias=False)

    def forward(self, bases: Tensor, words: Tensor, counts: Tensor) -> Tensor:
        """Unit vectors of texts, float32 [num_texts, dim].

        Args:
            bases: Unit vectors of the texts, float32 [num_texts, dim].
            words: Vectors of their words, text after text, float32 [num_words, dim].
            counts: Number of words of each text, int64 [num_texts].
        """
        if self.settings.network == "fcrr":
            pooled = functional.relu(self.inner(bases))
        else:
            pooled = self._pool(words, counts)
        added = pooled if self.outer is None else self.outer(pooled)
        return functional.normalize(bases + self.settings.scale * added.float(), dim=1)

    def _pool(self, words: Tensor, counts: Tensor) -> Tensor:
        """The means of the kernels over the windows of each text, [num_texts, num_kernels]."""
        reach = self.width // 2
        owners = torch.repeat_interleave(torch.arange(len(counts), device=words.device), counts)
        # Rows of zeros before, between and after the texts, so that no window reads two texts.
        places = torch.arange(len(words), device=words.device) + reach * (owners + 1)
        rows = words.new_zeros(len(words) + reach * (len(counts) + 1), self.dim)
        rows = rows.index_copy(0, places, words)
        kernels = self.inner.weight.view(-1, self.width, self.dim)
        last = len(rows) - 2 * reach
        windows = sum(
            functional.linear(rows[place : place + last], kernels[:, place])
            for place in range(self.width)
        )
        assert isinstance(windows, Tensor)
        features = functional.relu(windows[places - reach].float() + self.inner.bias)
        totals = features.new_zeros(len(counts), features.shape[1])
        return totals.index_add(0, owners, features) / counts.unsqueeze(1)

    def to_head(self, word_scale: float) -> ResidualHead:
        """The head as the runtime reads it, in int8.

        Args:
            word_scale: The factor by which the vectors of words were multiplied in training.
        """
        convolves = self.settings.network == "convrr"
        factor = word_scale if convolves else 1.0
        kernels = self.inner.weight.detach().cpu() * factor
        outer = None if self.outer is None else self.outer.weight.detach().cpu().numpy()
        return ResidualHead(
            network=self.settings.network,
            inner=encode_int8(kernels.numpy()),
            bias=self.inner.bias.detach().cpu().numpy().copy(),
            outer=None if outer is None else encode_int8(outer),
            width=self.width,
            scale=self.settings.scale,
        )
