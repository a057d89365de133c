"""The graph ``recognizer`` as torch modules, on top of an encoder's."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import embedding

from pocketintent.runtime.decision.indexing import IndexedTemplates
from pocketintent.runtime.decision.matching import Decision, TableIndex
from pocketintent_export.formats import Scoring
from pocketintent_export.layers.codes import Codes, unknown_zero

_BLOCK = 32
"""Templates that are compared at once."""


class Scores(nn.Module):
    """Similarities of sentence vectors to all templates and centroids.

    ``"table"`` sums look-ups in a table of the similarities of the query's sub-vectors and the
    centroids of the codebook. ``"decoded"`` decodes the rows and multiplies: a runtime that
    computes constants once, when it loads, is left with one product.

    Args:
        index: The templates' codes.
        scoring: ``"table"`` or ``"decoded"``.
        keep_codes: Read the codes by numbers that depend on the query, since a converter that
            computes constants would write 32-bit codes.
    """

    codebook: Tensor
    positions: Tensor
    scales: Tensor
    rows: Tensor

    def __init__(self, index: TableIndex, scoring: Scoring, keep_codes: bool) -> None:
        super().__init__()
        quantizer = index.quantizer
        self.scoring, self.keep_codes = scoring, keep_codes
        self.num_sub, self.size = quantizer.num_sub, quantizer.codebook_size
        self.codes = Codes(np.ascontiguousarray(index.codes.T), self.size)
        self.register_buffer("codebook", torch.from_numpy(quantizer.codebook.copy()))
        step = self.size if scoring == "table" or quantizer.per_position else 0
        self.register_buffer("positions", torch.arange(self.num_sub, dtype=torch.int32) * step)
        self.register_buffer("scales", torch.from_numpy(index.scales)[:, None])
        self.register_buffer("rows", torch.arange(len(index.scales), dtype=torch.int32))

    def forward(self, vectors: Tensor) -> Tensor:
        """Cosine similarities.

        Args:
            vectors: float32 [batch, dim].

        Returns:
            float32 [num_rows, batch].
        """
        rows = self.rows
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
    """The score of each intent's nearest template, and its number.

    Templates are taken in blocks of equal size, an intent's last block filled up by repeating
    its last template, and the intent's blocks filled up by repeating the last of them: two
    rounds, so that one intent with many templates makes no table of its length for all.

    Args:
        bounds: Where each intent's templates begin, and their number; [num_intents + 1].
    """

    templates: Tensor
    firsts: Tensor
    blocks: Tensor

    def __init__(self, bounds: NDArray[np.intp]) -> None:
        super().__init__()
        lengths = np.diff(bounds)
        # LiteRT cannot convert an argmax over one.
        self.size = int(np.clip(lengths.max(), 2, _BLOCK))
        counts = -(-lengths // self.size)
        ends = np.repeat(bounds[1:], counts)
        steps = np.concatenate([np.arange(count) for count in counts]) * self.size
        firsts = np.repeat(bounds[:-1], counts) + steps
        templates = np.minimum(firsts[:, None] + np.arange(self.size), ends[:, None] - 1)
        self.register_buffer("templates", _int32(templates))
        self.register_buffer("firsts", _int32(firsts)[:, None])
        block_ends = np.cumsum(counts)
        blocks = (block_ends - counts)[:, None] + np.arange(counts.max())
        self.register_buffer("blocks", _int32(np.minimum(blocks, block_ends[:, None] - 1)))
        self.num_intents = len(lengths)

    def forward(self, scores: Tensor) -> tuple[Tensor, Tensor]:
        """Best scores and their templates, of equal ones the first.

        Args:
            scores: float32 [num_templates, batch].

        Returns:
            float32 and int32 [num_intents, batch].
        """
        batch = scores.shape[1]
        rows = embedding(self.templates.reshape(-1), scores).reshape(-1, self.size, batch)
        # Numbers of templates as floats, which hold them exactly up to 2**24.
        numbers = (rows.argmax(1).to(torch.int32) + self.firsts).to(torch.float32)
        blocks = self.blocks.reshape(-1)
        best = embedding(blocks, rows.amax(1)).reshape(self.num_intents, -1, batch)
        numbers = embedding(blocks, numbers).reshape(self.num_intents, -1, batch)
        totals = best.amax(1)
        nearest = torch.where(best >= totals.unsqueeze(1), numbers, float(1 << 24)).amin(1)
        return totals, nearest.to(torch.int32)


class RecognizerModule(nn.Module):
    """From an encoder's inputs to a score and the nearest template of each intent.

    Args:
        encoder: The module of the encoder; gives unit sentence vectors.
        indexed: The templates, as codes.
        decision: How an intent is scored; see :class:`pocketintent.IntentRecognizer`.
        scoring: See :class:`Scores`.
        keep_codes: See :class:`Scores`.
    """

    def __init__(
        self,
        encoder: nn.Module,
        indexed: IndexedTemplates,
        decision: Decision,
        scoring: Scoring,
        keep_codes: bool,
    ) -> None:
        super().__init__()
        assert isinstance(indexed.index, TableIndex)
        self.encoder = encoder
        self.scores = Scores(indexed.index, scoring, keep_codes)
        self.best = BestTemplates(indexed.index.bounds)
        self.decision = decision
        self.num_templates = int(indexed.index.bounds[-1])

    def forward(self, *inputs: Tensor) -> tuple[Tensor, Tensor]:
        """Scores and nearest templates.

        Args:
            inputs: Those of the encoder's module.

        Returns:
            float32 [batch, num_intents], the score of each intent; and int32 of the same
            shape, the number of its nearest template among all templates.
        """
        scores = self.scores(self.encoder(*inputs))
        totals, nearest = self.best(scores[: self.num_templates])
        if self.decision == "nearest+centroid":
            totals = (totals + scores[self.num_templates :]) * 0.5
        return totals.t(), nearest.t()


def _int32(numbers: NDArray[np.intp]) -> Tensor:
    return torch.from_numpy(numbers.astype(np.int32))
