"""Parts of a model file that several encoder kinds share: matrices and the template codebook."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.files.model_file import ModelFile
from pocketintent.runtime.quantization.matrices import Matrix
from pocketintent.runtime.quantization.quantizer import Quantizer
from pocketintent.runtime.quantization.tensors import matrix_from_tensors

TEMPLATE_CODEBOOK = "templates.codebook"
"""Name of the tensor with the template codebook."""


def manifest_entry(manifest: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """An entry of a manifest that is a JSON object.

    Raises:
        ModelFileError: The entry is missing or not an object.
    """
    entry = manifest.get(key)
    if not isinstance(entry, dict):
        raise ModelFileError(f"the manifest has no object {key!r}")
    return entry


def read_matrix(model: ModelFile, prefix: str) -> Matrix:
    """The matrix of a model file whose manifest entry and tensors begin with a prefix.

    Args:
        model: The model file.
        prefix: Name of the manifest entry and, with a dot, prefix of the tensors: ``"words"``.

    Raises:
        ModelFileError: The entry or a tensor is missing or damaged.
    """
    return matrix_from_tensors(model.tensors, prefix, manifest_entry(model.manifest, prefix))


def read_template_quantizer(model: ModelFile, dim: int) -> Quantizer | None:
    """The template codebook of a model file; None if the file has none.

    Args:
        model: The model file.
        dim: Size of the sentence vectors.

    Raises:
        ModelFileError: The codebook is damaged.
    """
    codebook = model.tensors.get(TEMPLATE_CODEBOOK)
    if codebook is None:
        return None
    if codebook.dtype != np.float16 or codebook.ndim != 3 or not np.isfinite(codebook).all():
        raise ModelFileError(
            f"{TEMPLATE_CODEBOOK} must be finite float16 [num_codebooks, codebook_size, sub_dim], "
            f"not {codebook.dtype} {codebook.shape}"
        )
    return Quantizer(codebook.astype(np.float32), dim, normalised=False)


def add_template_quantizer(
    quantizer: Quantizer, manifest: dict[str, Any], tensors: dict[str, NDArray[Any]]
) -> None:
    """Add a template codebook to the manifest and the tensors of a model file."""
    codebook = quantizer.codebook
    manifest["template_quantizer"] = dict(
        zip(("num_codebooks", "codebook_size", "sub_dim"), codebook.shape, strict=True)
    )
    tensors[TEMPLATE_CODEBOOK] = codebook.astype(np.float16)
