"""What CharEmb is trained for, and how near it is to it."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from pocketintent.training.charemb.data import CharBatch, CharEmbData, make_batch

_TERMS_AT_ONCE = 1024  # when the validation terms are measured
_LEAST_SPREAD = 0.01  # of the logarithms of lengths, in the loss


class CharEmbObjective:
    """The loss of a step, and the cosine of the terms that are kept out.

    Args:
        model: The network.
        data: Terms to learn and terms kept out.
        norm_weight: Weight of the error of the vectors' lengths.
        device: Where the network is.
        precision: What its products are computed in.
    """

    def __init__(
        self,
        model: nn.Module,
        data: CharEmbData,
        norm_weight: float,
        device: torch.device,
        precision: torch.dtype,
    ) -> None:
        self._model, self._data, self._norm_weight = model, data, norm_weight
        self._device, self._precision = device, precision
        self._directions = torch.from_numpy(data.training.directions)
        self._log_norms = torch.from_numpy(data.training.log_norms)
        # Lengths that are nearly all alike are not blown up.
        self._norm_scale = 1.0 / max(float(data.training.log_norms.std()), _LEAST_SPREAD)

    def loss(self, batch: CharBatch) -> torch.Tensor:
        """The mean of 1 - cosine, and of the squared errors of the logarithms of lengths.

        These errors are in standard deviations of the target's, so that one weight suits all.
        """
        rows = torch.from_numpy(batch.rows)
        directions, log_norms = self.forward(batch)
        target = self._directions[rows].to(self._device)
        loss = 1.0 - (directions * target).sum(1).mean()
        if log_norms is not None:
            error = (log_norms - self._log_norms[rows].to(self._device)) * self._norm_scale
            loss = loss + self._norm_weight * error.square().mean()
        return loss

    @torch.no_grad()
    def validation_cosine(self) -> float:
        """The mean cosine of the terms that are kept out, at least one."""
        self._model.eval()
        terms = self._data.validation
        order = np.argsort([len(text) for text in terms.texts], kind="stable")
        total = 0.0
        for start in range(0, len(terms), _TERMS_AT_ONCE):
            rows = order[start : start + _TERMS_AT_ONCE]
            batch = make_batch(self._data.vocabulary, [terms.texts[row] for row in rows], rows)
            directions, _ = self.forward(batch)
            target = torch.from_numpy(terms.directions[rows]).to(self._device)
            total += float((directions * target).sum())
        return total / len(terms)

    def forward(self, batch: CharBatch) -> tuple[torch.Tensor, torch.Tensor | None]:
        """Directions [terms, dim] and, where they are learnt, logarithms of lengths [terms]."""
        chars = torch.from_numpy(batch.chars).to(self._device)
        enabled = self._precision != torch.float32
        with torch.autocast(self._device.type, self._precision, enabled=enabled):
            result: tuple[torch.Tensor, torch.Tensor | None] = self._model(
                chars, torch.from_numpy(batch.lengths)
            )
        return result
