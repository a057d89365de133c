"""Processes that train together."""

from __future__ import annotations

import os
from dataclasses import dataclass

from pocketintent.runtime.errors import require
from pocketintent.training.loop.sparse_rows import BatchGradients, sum_rows


@dataclass(frozen=True)
class Workers:
    """The processes that train together.

    Attributes:
        rank: Number of this process, 0 leads.
        count: How many there are; 1 when not started by torchrun.
        local_rank: Number of this process on its machine, which is also its GPU.
    """

    rank: int = 0
    count: int = 1
    local_rank: int = 0

    @classmethod
    def join(cls, device: str) -> Workers:
        """Join the group that torchrun's environment describes; alone without one."""
        count = int(os.environ.get("WORLD_SIZE", "1"))
        if count == 1:
            return cls()
        distributed = require("torch.distributed", "train")
        if not distributed.is_initialized():
            distributed.init_process_group("nccl" if device.startswith("cuda") else "gloo")
        return cls(distributed.get_rank(), count, int(os.environ.get("LOCAL_RANK", "0")))

    def sum_gradients(self, own: BatchGradients) -> BatchGradients:
        """Add up the gradients of all processes, touching only the rows that one of them used."""
        if self.count == 1:
            return own
        torch = require("torch", "train")
        gather = torch.distributed.all_gather
        totals = torch.stack([own.loss.double(), own.num_examples.double()])
        torch.distributed.all_reduce(totals)
        size = torch.tensor([len(own.rows)], device=own.rows.device)
        sizes = [torch.empty_like(size) for _ in range(self.count)]
        gather(sizes, size)
        longest = int(max(sizes))
        padding = longest - len(own.rows)
        rows = torch.nn.functional.pad(own.rows, (0, padding))
        values = torch.nn.functional.pad(own.values, (0, 0, 0, padding))
        all_rows = [torch.empty_like(rows) for _ in range(self.count)]
        all_values = [torch.empty_like(values) for _ in range(self.count)]
        gather(all_rows, rows)
        gather(all_values, values)
        kept = [slice(0, int(size)) for size in sizes]
        summed = sum_rows(
            torch.cat([part[cut] for part, cut in zip(all_rows, kept, strict=True)]),
            torch.cat([part[cut] for part, cut in zip(all_values, kept, strict=True)]),
        )
        return BatchGradients(totals[0], totals[1], *summed)

    def wait(self) -> None:
        """Return when all processes have come here."""
        if self.count > 1:
            require("torch.distributed", "train").barrier()
