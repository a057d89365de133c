"""Cosine similarities: unit vectors, and torch modules of an index of templates and intents."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import embedding

from pocketintent.runtime.index.indexed_templates import IndexedTemplates
from pocketintent.runtime.quantization.quantizer import CodeArray
from pocketintent_export.formats import Scoring
from pocketintent_export.layers.codes import Codes, unknown_zero

_BLOCK = 32
"""Number of templates that are compared at once."""


def unit(vectors: Tensor) -> Tensor:
    """Vectors [n, dim] at unit length; zeros stay zeros."""
    squares = (vectors * vectors).sum(-1, keepdim=True)
    return vectors / torch.sqrt(torch.where(squares > 0, squares, 1.0))


class Scores(nn.Module):
    """The similarities of sentence vectors to all templates and to the means of intents.

    ``"table"`` sums up look-ups in a table of similarities between the query's sub-vectors and the
    codebook's centroids. ``"decoded"`` multiplies the query and the decoded rows: a runtime that
    computes constants once, when it loads a graph, then only computes one product. With
    ``keep_codes`` the row numbers depend on the query, for a converter that computes constants and
    would write 32-bit codes.
    """

    def __init__(self, index: IndexedTemplates, scoring: Scoring, keep_codes: bool) -> None:
        super().__init__()
        quantizer = index.quantizer
        assert quantizer is not None and index.codes is not None
        self.scoring, self.keep_codes = scoring, keep_codes
        self.num_sub, self.size = quantizer.num_sub, quantizer.codebook_size
        self.codes = Codes(np.ascontiguousarray(index.codes.T), self.size)
        self.codebook = nn.Buffer(torch.from_numpy(quantizer.codebook.copy()))
        step = self.size if scoring == "table" or quantizer.per_position else 0
        self.positions = nn.Buffer(torch.arange(self.num_sub, dtype=torch.int32) * step)
        self.scales = nn.Buffer(torch.from_numpy(index.scales)[:, None])
        self.rows = nn.Buffer(torch.arange(len(index.scales), dtype=torch.int32))

    def forward(self, vectors: Tensor) -> Tensor:
        """Cosine similarities, float32 [num_rows, batch], of vectors, float32 [batch, dim]."""
        rows: Tensor = self.rows
        if self.keep_codes:
            rows = rows + unknown_zero(vectors)
        codes = (self.codes(rows) + self.positions).reshape(-1)
        if self.scoring == "decoded":
            decoded = embedding(codes, self.codebook.reshape(-1, self.codebook.shape[-1]))
            scores = torch.matmul(decoded.reshape(len(self.rows), -1), vectors.t())
        else:
            parts = vectors.t().reshape(self.num_sub, -1, vectors.shape[0])
            table = torch.matmul(self.codebook, parts)
            similarities = embedding(codes, table.reshape(-1, vectors.shape[0]))
            scores = similarities.reshape(len(self.rows), self.num_sub, -1).sum(1)
        return scores * self.scales


class BestTemplates(nn.Module):
    """The similarity and the number of each intent's nearest template.

    Templates are compared in blocks of equal size, and then the blocks of an intent, padded with
    its last template and block: one intent with many templates does not lengthen all others.

    ``bounds``, [num_intents + 1], has the number of the first template of each intent, then the
    number of all; ``codes``, [num_sub, num_templates], those of the templates. Equal codes get the
    score of the first of them, since a product rounds its last rows otherwise.
    """

    def __init__(self, bounds: NDArray[np.intp], codes: CodeArray) -> None:
        super().__init__()
        lengths = np.diff(bounds)
        # LiteRT cannot convert an argmax over a single value.
        self.size = int(np.clip(lengths.max(), 2, _BLOCK))
        counts = -(-lengths // self.size)
        ends = np.repeat(bounds[1:], counts)
        steps = np.concatenate([np.arange(count) for count in counts]) * self.size
        firsts = np.repeat(bounds[:-1], counts) + steps
        templates = np.minimum(firsts[:, None] + np.arange(self.size), ends[:, None] - 1)
        _, first_equal, groups = np.unique(codes, axis=1, return_index=True, return_inverse=True)
        self.templates = nn.Buffer(_int32(first_equal[groups.reshape(-1)][templates]))
        self.firsts = nn.Buffer(_int32(firsts)[:, None])
        block_ends = np.cumsum(counts)
        blocks = (block_ends - counts)[:, None] + np.arange(counts.max())
        self.blocks = nn.Buffer(_int32(np.minimum(blocks, block_ends[:, None] - 1)))
        self.num_intents = len(lengths)

    def forward(self, scores: Tensor) -> tuple[Tensor, Tensor]:
        """Best similarities, float32, and their templates, int32; both [num_intents, batch].

        ``scores`` is float32 [num_templates, batch]. Of equally near templates the first counts.
        """
        batch = scores.shape[1]
        rows = embedding(self.templates.reshape(-1), scores).reshape(-1, self.size, batch)
        # Floats represent the numbers of templates exactly up to 2**24.
        numbers = (rows.argmax(1).to(torch.int32) + self.firsts).to(torch.float32)
        blocks = self.blocks.reshape(-1)
        best = embedding(blocks, rows.amax(1)).reshape(self.num_intents, -1, batch)
        numbers = embedding(blocks, numbers).reshape(self.num_intents, -1, batch)
        totals = best.amax(1)
        nearest = torch.where(best >= totals.unsqueeze(1), numbers, float(1 << 24)).amin(1)
        return totals, nearest.to(torch.int32)


def _int32(numbers: NDArray[np.intp]) -> Tensor:
    return torch.from_numpy(numbers.astype(np.int32))
