"""Devices and processes: threads, the process group of torchrun, determinism, precision."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pocketintent.runtime.errors import PocketIntentError, require

if TYPE_CHECKING:
    import torch

Precision = Literal["auto", "float32", "bfloat16", "float16"]


def prepare_torch(device: str, threads: int | None) -> None:
    """Check the device and set the number of threads, before any work is done.

    Args:
        device: cpu, cuda, cuda:1 …
        threads: CPU threads; None leaves the number to torch.

    Raises:
        PocketIntentError: The device does not exist, or ``threads`` is below 1.
        MissingExtraError: torch or tqdm is not installed.
    """
    torch = require("torch", "train")
    require("tqdm", "train")
    if threads is not None:
        if threads < 1:
            raise PocketIntentError(f"--threads must be 1 or more, not {threads}")
        torch.set_num_threads(threads)
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise PocketIntentError(
            f"--device {device}: this torch sees no GPU; install a CUDA build or use --device cpu"
        )
    try:
        torch.empty(0, device="cpu" if device == "cuda" else device)
    except (RuntimeError, AssertionError) as error:
        raise PocketIntentError(f"--device {device}: {str(error).splitlines()[0]}") from error


def use_deterministic_algorithms(device: torch.device, *, warn_only: bool = False) -> None:
    """Make one seed give one model on a GPU too; a CPU needs nothing.

    On a GPU, atomic additions come in any order. Older versions of torch then refuse matrix
    products without a fixed workspace.

    Args:
        device: Where the model is trained.
        warn_only: Warn of an operation that has no deterministic form, instead of raising.
    """
    if device.type == "cuda":
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
        require("torch", "train").use_deterministic_algorithms(True, warn_only=warn_only)


def choose_precision(precision: Precision, device: torch.device) -> torch.dtype:
    """The number type of matrix products.

    Args:
        precision: ``auto`` is bfloat16 on a GPU that supports it, float16 on other GPUs, and
            float32 on a CPU.
        device: Where the products are computed.

    Raises:
        PocketIntentError: The device does not support the precision.
    """
    library: Any = require("torch", "train")
    if precision == "auto":
        if device.type != "cuda":
            precision = "float32"
        else:
            precision = "bfloat16" if library.cuda.is_bf16_supported() else "float16"
    elif precision == "float16" and device.type == "cpu":
        raise PocketIntentError(
            "precision float16 needs a GPU; on a CPU use float32, which is faster, or bfloat16"
        )
    dtype: torch.dtype = getattr(library, precision)
    return dtype


@dataclass(frozen=True)
class Workers:
    """The group of processes that train together, as one of them sees it."""

    rank: int = 0
    """Number of this process; 0 leads."""
    count: int = 1
    """Number of processes; 1 when not started by torchrun."""
    local_rank: int = 0
    """Number of this process on its machine, which is also its GPU."""

    @classmethod
    def join(cls, device: str) -> Workers:
        """Join the group that torchrun's environment describes, if there is one."""
        count = int(os.environ.get("WORLD_SIZE", "1"))
        if count == 1:
            return cls()
        distributed = require("torch.distributed", "train")
        if not distributed.is_initialized():
            distributed.init_process_group("nccl" if device.startswith("cuda") else "gloo")
        return cls(distributed.get_rank(), count, int(os.environ.get("LOCAL_RANK", "0")))

    @property
    def leads(self) -> bool:
        """Whether this process reports and writes files."""
        return self.rank == 0

    def device(self, name: str) -> str:
        """The torch device of this process: "cuda" is the GPU that torchrun assigns to it."""
        return f"cuda:{self.local_rank}" if name == "cuda" else name

    def wait(self) -> None:
        """Return when all processes have reached this point."""
        if self.count > 1:
            require("torch.distributed", "train").barrier()

    def from_leader(self, value: float) -> float:
        """The leading process' value, in all processes."""
        if self.count == 1:
            return value
        torch = require("torch", "train")
        uses_gpus = torch.distributed.get_backend() == "nccl"
        device = self.device("cuda" if uses_gpus else "cpu")
        message = torch.tensor(value, dtype=torch.float64, device=device)
        torch.distributed.broadcast(message, 0)
        return float(message)
