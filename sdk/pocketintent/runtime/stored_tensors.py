"""Tensors of a model file, checked where they are read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from pocketintent.runtime.errors import ModelFileError

Parts = tuple[dict[str, Any], dict[str, NDArray[Any]]]
"""A part of a bot file: an entry of its manifest, and its tensors by name without a prefix."""


def read_tensor(
    tensors: Mapping[str, NDArray[Any]],
    name: str,
    dtypes: Sequence[str],
    shape: tuple[int, ...] | None = None,
    owner: str = "",
) -> NDArray[Any]:
    """A tensor of the right type and shape.

    Args:
        tensors: The tensors by name.
        name: Its name.
        dtypes: The names of the allowed types, such as ``float32``.
        shape: Its shape; None for any.
        owner: What the tensor belongs to, for the message, if its name does not say it.

    Raises:
        ModelFileError: It is missing, or of another type or shape.
    """
    tensor = tensors.get(name)
    right_shape = tensor is not None and shape in (None, tensor.shape)
    if tensor is None or not right_shape or tensor.dtype.name not in dtypes:
        found = "missing" if tensor is None else f"{tensor.dtype} {list(tensor.shape)}"
        wanted = " or ".join(dtypes) + ("" if shape is None else f" {list(shape)}")
        title = f"{name} of {owner}" if owner else name
        raise ModelFileError(f"tensor {title} is {found}; it must be {wanted}")
    return tensor
