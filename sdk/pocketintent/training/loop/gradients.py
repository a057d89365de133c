"""Sums and means of the gradients of several processes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pocketintent.runtime.errors import require
from pocketintent.training.loop.devices import Workers
from pocketintent.training.loop.sparse_rows import BatchGradients, sum_rows

if TYPE_CHECKING:
    from torch import nn


def sum_gradients(own: BatchGradients, workers: Workers) -> BatchGradients:
    """Add up the sparse gradients of all processes, for the rows that at least one used.

    Args:
        own: The gradients of this process.
        workers: The processes.

    Returns:
        The same sums in all processes; ``own`` if there is only one.
    """
    if workers.count == 1:
        return own
    torch = require("torch", "train")
    gather = torch.distributed.all_gather
    totals = torch.stack([own.loss.double(), own.num_examples.double()])
    torch.distributed.all_reduce(totals)
    size = torch.tensor([len(own.rows)], device=own.rows.device)
    sizes = [torch.empty_like(size) for _ in range(workers.count)]
    gather(sizes, size)
    # Messages have one length, so the shorter ones are padded and cut again.
    padding = int(max(sizes)) - len(own.rows)
    rows = torch.nn.functional.pad(own.rows, (0, padding))
    values = torch.nn.functional.pad(own.pack(), (0, 0, 0, padding))
    all_rows = [torch.empty_like(rows) for _ in range(workers.count)]
    all_values = [torch.empty_like(values) for _ in range(workers.count)]
    gather(all_rows, rows)
    gather(all_values, values)
    distinct, packed = sum_rows(
        torch.cat([part[: int(size)] for part, size in zip(all_rows, sizes, strict=True)]),
        torch.cat([part[: int(size)] for part, size in zip(all_values, sizes, strict=True)]),
    )
    return BatchGradients(totals[0], totals[1], distinct, *own.unpack(packed))


def average_gradients(
    parameters: Sequence[nn.Parameter], loss: float, num_examples: int, workers: Workers
) -> tuple[float, int]:
    """Give every process the mean dense gradients of all examples, in one message.

    Args:
        parameters: The parameters of the model, whose gradients are changed in place.
        loss: Mean loss of this process' examples.
        num_examples: Their number; 0 for a process that had no batch.
        workers: The processes; a single one keeps its gradients.

    Returns:
        The mean loss of all examples, and their number.
    """
    if workers.count == 1:
        return loss, num_examples
    torch = require("torch", "train")
    for parameter in parameters:
        if parameter.grad is None:
            parameter.grad = torch.zeros_like(parameter)
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    figures = torch.tensor([loss * num_examples, num_examples], device=parameters[0].device)
    flat = torch.cat([figures, *(part.reshape(-1) * num_examples for part in gradients)])
    torch.distributed.all_reduce(flat)
    total, examples = flat[:2].tolist()
    parts = torch.split(flat[2:] / examples, [gradient.numel() for gradient in gradients])
    for gradient, part in zip(gradients, parts, strict=True):
        gradient.copy_(part.reshape(gradient.shape))
    return total / examples, int(examples)
