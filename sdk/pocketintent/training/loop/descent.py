"""A step of gradient descent on a dense model, and the best weights of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from torch import nn

from pocketintent.training.loop.devices import Workers


def average_gradients(
    parameters: Sequence[nn.Parameter], loss: float, num_examples: int, workers: Workers
) -> tuple[float, int]:
    """Give every process the mean dense gradients of all examples, in one message.

    A process that had no batch gives 0 examples. Returns all examples' mean loss and their number.
    """
    if workers.count == 1:
        return loss, num_examples
    for parameter in parameters:
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    figures = torch.tensor([loss * num_examples, num_examples], device=parameters[0].device)
    flat = torch.cat([figures, nn.utils.parameters_to_vector(gradients) * num_examples])
    torch.distributed.all_reduce(flat)
    total, examples = flat[:2].tolist()
    nn.utils.vector_to_parameters(flat[2:] / examples, gradients)
    return total / examples, int(examples)


class Descent:
    """An optimiser of a model with clipped gradients, the mean of all processes', in any precision.

    Of the optimiser's first group, longer gradients are shortened to ``clip``; with float16 the
    loss is scaled. Attribute ``parts``: see :class:`Trainable`.
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
        self._parameters = [part for group in optimizer.param_groups for part in group["params"]]
        self._clip = clip
        self._rates = [group["lr"] for group in optimizer.param_groups]
        device = self._parameters[0].device.type
        self._scaler = torch.amp.GradScaler(device, enabled=precision == torch.float16)
        self.parts = {"model": model, "optimizer": optimizer, "scaler": self._scaler}

    def step(
        self,
        loss_of: Callable[[], torch.Tensor],
        num_examples: int,
        rate: float,
        place: tuple[int, ...],
    ) -> tuple[float, int]:
        """Descend along the mean gradients of all processes' batches.

        ``loss_of`` computes the mean loss of this process' batch of ``num_examples``, 0 if it had
        none. ``rate`` is the factor of the optimiser's initial learning rates. ``place`` is seed,
        epoch and batch: dropout, too, depends only on the place in the run. Returns the summed loss
        and the number of examples of all processes.
        """
        for group, full in zip(self._optimizer.param_groups, self._rates, strict=True):
            group["lr"] = full * rate
        torch.manual_seed(int(np.random.SeedSequence(place).generate_state(1, np.uint64)[0] >> 1))
        self._model.train()
        self._optimizer.zero_grad()
        loss = loss_of()
        self._scaler.scale(loss).backward()  # type: ignore[no-untyped-call]
        mean, examples = average_gradients(
            self._parameters, float(loss.detach()), num_examples, self._workers
        )
        self._scaler.unscale_(self._optimizer)
        nn.utils.clip_grad_norm_(self._optimizer.param_groups[0]["params"], self._clip)
        self._scaler.step(self._optimizer)
        self._scaler.update()
        return mean * examples, examples


class BestWeights:
    """The weights of a model at the epoch with the best validation figure."""

    def __init__(self, model: nn.Module) -> None:
        self._model = model
        self._state: dict[str, Any] = {}

    @property
    def epoch(self) -> int | None:
        """The best epoch, from 1; None before the first."""
        return self._state.get("epoch")

    def offer(self, epoch: int, figure: float) -> bool:
        """Keep the weights if the figure is the best so far; returns whether it is."""
        if self._state and figure <= self._state["figure"]:
            return False
        weights = {k: v.detach().cpu().clone() for k, v in self._model.state_dict().items()}
        self._state = {"epoch": epoch, "figure": figure, "model": weights}
        return True

    def restore(self) -> None:
        """Give the model its best weights; it keeps its own if none were offered."""
        if self._state:
            self._model.load_state_dict(self._state["model"])

    def state_dict(self) -> dict[str, Any]:
        """The state for a checkpoint."""
        return self._state

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from the state of a checkpoint."""
        self._state = state
