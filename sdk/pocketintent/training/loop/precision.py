"""What the products of a training step are computed in."""

from __future__ import annotations

from typing import Literal

import torch

from pocketintent.runtime.errors import PocketIntentError

Precision = Literal["auto", "float32", "bfloat16", "float16"]


def choose_precision(wanted: Precision, device: torch.device) -> torch.dtype:
    """The type that the products are computed in.

    Args:
        wanted: ``auto`` is bfloat16 on a GPU that has it, float16 on another, and float32 on
            a CPU.
        device: Where they are computed.

    Raises:
        PocketIntentError: The device cannot.
    """
    if wanted == "auto":
        if device.type != "cuda":
            return torch.float32
        return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
    if wanted == "float16" and device.type == "cpu":
        raise PocketIntentError(
            "precision float16 needs a GPU; on a CPU use float32, which is faster, or bfloat16"
        )
    dtype: torch.dtype = getattr(torch, wanted)
    return dtype
