"""Devices and processes: threads, the process group of torchrun, determinism, precision."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal

from pocketintent.runtime.errors import PocketIntentError, require

if TYPE_CHECKING:
    import torch

Precision = Literal["auto", "float32", "bfloat16", "float16"]

_LONGEST_WAIT = timedelta(days=7)  # for the leading process, which may read a large corpus
_CUBLAS_WORKSPACE = "CUBLAS_WORKSPACE_CONFIG"


def prepare_torch(device: str, threads: int | None) -> None:
    """Check the device and set the number of CPU threads; None leaves it to torch.

    A device that does not exist, or ``threads`` below 1, is a PocketIntentError, and torch or tqdm
    that is not installed a MissingExtraError.
    """
    torch = require("torch", "train")
    require("tqdm", "train")
    fix_cublas_workspace(device)
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


def fix_cublas_workspace(device: str) -> None:
    """Make matrix products on a GPU repeatable, unless the user's environment has chosen.

    cuBLAS reads the variable once, so it is a PocketIntentError if CUDA is already in use.
    """
    if not device.startswith("cuda") or _CUBLAS_WORKSPACE in os.environ:
        return
    if require("torch", "train").cuda.is_initialized():
        raise PocketIntentError(
            "this process used CUDA before the training, so two runs could differ: set the "
            f"environment variable {_CUBLAS_WORKSPACE}=:4096:8 before Python starts"
        )
    os.environ[_CUBLAS_WORKSPACE] = ":4096:8"


@contextmanager
def deterministic_algorithms(device: str, *, warn_only: bool = False) -> Iterator[None]:
    """Make one seed give one model on a GPU too, where atomic additions come in any order.

    The settings are restored after the block. With ``warn_only`` an operation without a
    deterministic form gives a warning, not an error.
    """
    if not device.startswith("cuda"):
        yield
        return
    fix_cublas_workspace(device)
    torch = require("torch", "train")
    enabled = torch.are_deterministic_algorithms_enabled()
    warned_only = torch.is_deterministic_algorithms_warn_only_enabled()
    filled = torch.utils.deterministic.fill_uninitialized_memory
    torch.use_deterministic_algorithms(True, warn_only=warn_only)
    torch.utils.deterministic.fill_uninitialized_memory = False  # no trainer reads such memory
    try:
        with require("torch.nn.attention", "train").sdpa_kernel(_kernels_of_attention()):
            yield
    finally:
        torch.use_deterministic_algorithms(enabled, warn_only=warned_only)
        torch.utils.deterministic.fill_uninitialized_memory = filled


def _kernels_of_attention() -> list[Any]:
    """The implementations that repeat their gradients and take batches of ever new shapes.

    The memory-efficient one adds in any order. cuDNN's makes a plan for each shape: a step of
    `train transformer` took 173 ms on an H200 where shapes were new, and 28 ms where they were not.
    """
    kinds = require("torch.nn.attention", "train").SDPBackend
    return [kinds.FLASH_ATTENTION, kinds.MATH]


def choose_precision(
    precision: Precision, device: torch.device, *, recurrent: bool = False
) -> torch.dtype:
    """The number type of matrix products; PocketIntentError if the device does not support it.

    ``auto`` is float32 on a CPU. On a GPU it is bfloat16 where the hardware has it, and otherwise
    float16, as always for ``recurrent`` layers: under torch's autocast cuDNN computes LSTM and GRU
    in float16, whichever half precision was asked for, and many CPUs have no bfloat16 for them.
    """
    library: Any = require("torch", "train")
    on_gpu = device.type == "cuda"
    if precision == "auto":
        precision = "float32"
        if on_gpu:
            # The argument needs torch 2.4, the oldest version that pyproject.toml allows.
            native = not recurrent and library.cuda.is_bf16_supported(including_emulation=False)
            precision = "bfloat16" if native else "float16"
    elif precision == "float16" and device.type == "cpu":
        raise PocketIntentError(
            "precision float16 needs a GPU; on a CPU use float32, which is faster, or bfloat16"
        )
    elif precision == "bfloat16" and recurrent:
        raise PocketIntentError(
            "precision bfloat16: LSTM and GRU layers run in float32, or on a GPU in float16; use "
            "either of these, or a transformer"
        )
    dtype: torch.dtype = getattr(library, precision)
    return dtype


@dataclass(frozen=True)
class Workers:
    """The group of processes that train together, as the one of number ``rank`` sees it.

    ``count`` is 1 without torchrun. ``local_rank`` numbers the GPUs of a machine, too.
    """

    rank: int = 0
    count: int = 1
    local_rank: int = 0
    waiting: Any = field(default=None, compare=False, repr=False)
    """The group whose barrier :meth:`wait` uses; None for the default group."""

    @classmethod
    def join(cls, device: str) -> Workers:
        """Join the group that torchrun's environment describes, if there is one.

        Waiting for the leader, which may read a corpus for hours, uses a group of its own with a
        longer timeout. PocketIntentError if there is no GPU for each, or ``device`` names one.
        """
        count = int(os.environ.get("WORLD_SIZE", "1"))
        if count == 1:
            return cls()
        local_rank = int(os.environ.get("LOCAL_RANK", "0"))
        on_gpus = device.startswith("cuda")
        if on_gpus:  # the process' own GPU becomes its current one, which NCCL uses
            cuda = require("torch", "train").cuda
            gpus = cuda.device_count()
            if device != "cuda":
                raise PocketIntentError(
                    f"--device {device}: several processes need a GPU each; use --device cuda"
                )
            if local_rank >= gpus:
                raise PocketIntentError(
                    f"--device cuda: process {local_rank + 1} of this machine has no GPU, as there "
                    f"are {gpus}; start torchrun with --nproc-per-node {gpus}"
                )
            cuda.set_device(local_rank)
        distributed = require("torch.distributed", "train")
        if not distributed.is_initialized():
            distributed.init_process_group("nccl" if on_gpus else "gloo")
        waiting = distributed.new_group(backend="gloo", timeout=_LONGEST_WAIT)
        return cls(distributed.get_rank(), count, local_rank, waiting)

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
            require("torch.distributed", "train").barrier(self.waiting)

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
