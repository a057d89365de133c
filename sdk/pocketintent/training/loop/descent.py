"""A step of gradient descent on a dense model, and the best weights of a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn

from pocketintent.training.loop.devices import Workers
from pocketintent.training.loop.gradients import average_gradients


class Descent:
    """An optimiser with clipped gradients, the mean of all processes', in any precision.

    Args:
        model: The model, which is changed in place.
        optimizer: The optimiser of its parameters.
        workers: The processes that train together. Their gradients are averaged in one message,
            which is enough for models of up to some ten million parameters.
        precision: Precision of the products; with float16 the loss is scaled.
        clip: Length to which longer gradients are shortened.
    """

    def __init__(
        self,
        model: nn.Module,
        optimizer: torch.optim.Optimizer,
        workers: Workers,
        precision: torch.dtype,
        clip: float,
    ) -> None:
        self._model, self._optimizer, self._workers = model, optimizer, workers
        self._parameters = list(model.parameters())
        self._clip = clip
        device = self._parameters[0].device.type
        self._scaler = torch.amp.GradScaler(device, enabled=precision == torch.float16)

    def step(
        self,
        loss_of: Callable[[], torch.Tensor],
        num_examples: int,
        learning_rate: float,
        place: tuple[int, ...],
    ) -> tuple[float, int]:
        """Descend along the mean gradients of all processes' batches.

        Args:
            loss_of: The function that computes the mean loss of this process' batch.
            num_examples: Examples of the batch; 0 for a process that had no batch.
            learning_rate: The learning rate.
            place: Seed, epoch and batch: dropout then depends only on the place in the run, as
                everything random does.

        Returns:
            The summed loss and the number of examples of all processes.
        """
        for group in self._optimizer.param_groups:
            group["lr"] = learning_rate
        torch.manual_seed(_mix(place))
        self._model.train()
        self._optimizer.zero_grad()
        loss = loss_of()
        self._scaler.scale(loss).backward()  # type: ignore[no-untyped-call]
        mean, examples = average_gradients(
            self._parameters, float(loss.detach()), num_examples, self._workers
        )
        self._scaler.unscale_(self._optimizer)
        torch.nn.utils.clip_grad_norm_(self._parameters, self._clip)
        self._scaler.step(self._optimizer)
        self._scaler.update()
        return mean * examples, examples

    def state(self) -> dict[str, Any]:
        """The model, the optimiser and the loss scaler, for a checkpoint."""
        return {
            "model": self._model.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "scaler": self._scaler.state_dict(),
        }

    def load_state(self, state: dict[str, Any]) -> None:
        """Continue from the state of a checkpoint."""
        self._model.load_state_dict(state["model"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._scaler.load_state_dict(state["scaler"])


class BestWeights:
    """The weights of the epoch with the best validation figure.

    Args:
        model: The model whose weights are kept.
    """

    def __init__(self, model: nn.Module) -> None:
        self._model = model
        self.state: dict[str, Any] | None = None

    @property
    def epoch(self) -> int | None:
        """The best epoch, from 1; None before the first."""
        return None if self.state is None else int(self.state["epoch"])

    def offer(self, epoch: int, figure: float) -> bool:
        """Keep the weights if the figure is the best so far; returns whether it is."""
        if self.state is not None and figure <= self.state["figure"]:
            return False
        weights = {k: v.detach().cpu().clone() for k, v in self._model.state_dict().items()}
        self.state = {"epoch": epoch, "figure": figure, "model": weights}
        return True

    def restore(self) -> None:
        """Give the model its best weights; it keeps its own if none were offered."""
        if self.state is not None:
            self._model.load_state_dict(self.state["model"])


def _mix(numbers: tuple[int, ...]) -> int:
    """One seed made from several numbers."""
    return int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0] >> 1)
