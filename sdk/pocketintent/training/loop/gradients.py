"""Gradients of several processes, averaged in one message."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from pocketintent.training.loop.devices import Workers


def average_gradients(
    parameters: Sequence[nn.Parameter], loss: float, size: int, over: bool, workers: Workers
) -> tuple[float, int, bool]:
    """Give every process the mean gradients of all examples; one process keeps its own.

    Args:
        parameters: The model's, with their gradients or without.
        loss: Mean loss of this process' examples.
        size: Their number; 0 for a process that had none.
        over: Whether this process wants the run to end.
        workers: The processes.

    Returns:
        The mean loss of all examples, their number, and whether a process wants the end.
    """
    if workers.count == 1:
        return loss, size, over
    for parameter in parameters:
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
    gradients = [parameter.grad for parameter in parameters]
    figures = torch.tensor([loss * size, size, over], device=parameters[0].device)
    flat = torch.cat([figures, *(g.reshape(-1) * size for g in gradients if g is not None)])
    torch.distributed.all_reduce(flat)
    total, terms, stop = flat[:3].tolist()
    place = 3
    for gradient in gradients:
        assert gradient is not None
        part = flat[place : place + gradient.numel()]
        gradient.copy_(part.reshape(gradient.shape) / terms)
        place += gradient.numel()
    return total / terms, int(terms), stop > 0
