"""The table of quality and size over sub-vector length and codebook size (thesis Appendix E)."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from pocketintent.compression.quantise import quantise_encoder
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.atomic import write_atomically

VARIANTS: dict[str, dict[str, bool]] = {
    "shared": {"per_position": False, "normalised": False, "rotate": False},
    "per_position": {"per_position": True, "normalised": False, "rotate": False},
    "per_position_normalised": {"per_position": True, "normalised": True, "rotate": False},
    "rotated": {"per_position": True, "normalised": True, "rotate": True},
}
"""The thesis' three, and what ``compress`` does: rotated, with codebooks fitted by counts."""

SUB_DIMS = (2, 3, 4, 5, 6, 10)
CODEBOOK_SIZES = (2, 4, 8, 16, 32, 64, 128, 256, 512)

Measure = Callable[[Encoder], dict[str, Any]]
"""From an encoder to its figures, such as ``{"sts": {"pearson": 0.7}}``."""

CellProgress = Callable[[int, int, dict[str, Any]], None]
"""Called as ``progress(done, total, cell)``."""


@dataclass(frozen=True)
class Grid:
    """The cells of a sweep."""

    variants: Sequence[str] = tuple(VARIANTS)
    sub_dims: Sequence[int] = SUB_DIMS
    codebook_sizes: Sequence[int] = CODEBOOK_SIZES

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for variant in self.variants:
            if variant not in VARIANTS:
                raise PocketIntentError(
                    f"unknown variant {variant!r}; choose of {', '.join(VARIANTS)}"
                )
            for sub_dim in self.sub_dims:
                for size in self.codebook_sizes:
                    yield {"variant": variant, "sub_dim": sub_dim, "codebook_size": size}

    def __len__(self) -> int:
        return len(self.variants) * len(self.sub_dims) * len(self.codebook_sizes)


def run_sweep(
    encoder: StaticEncoder,
    measure: Measure,
    path: str | os.PathLike[str],
    *,
    made_from: dict[str, Any],
    counts: NDArray[np.integer] | None = None,
    grid: Grid | None = None,
    sample: int = 20_000,
    seed: int = 0,
    progress: CellProgress | None = None,
) -> dict[str, Any]:
    """Quantise an encoder in every way of a grid and measure each.

    The table is written after each cell, and cells that it holds already are not computed
    again, so a sweep that was stopped goes on where it was.

    Args:
        encoder: The uncompressed encoder.
        measure: Gives an encoder's figures.
        path: The JSON file of the table.
        made_from: What the figures depend on beside the grid, such as the model's SHA-256 and
            the names of the data; a table that was made from something else is refused.
        counts: Occurrences of each word, for the variant that fits by them.
        grid: The cells; the thesis' table and the variant ``rotated`` when None.
        sample: Sub-vectors that a codebook is fitted on.
        seed: Seed of that sample.
        progress: Called after each cell.

    Returns:
        ``{"made_from", "baseline": {"quality", "bytes"}, "cells": [{"variant", "sub_dim",
        "codebook_size", "bytes", "vector_bytes", "quality"}]}``; ``bytes`` are those of all
        the model's tensors, ``vector_bytes`` of the words' codes, codebook and norms.

    Raises:
        PocketIntentError: A variant is unknown, or the file holds another sweep.
    """
    path = Path(path)
    made_from = {**made_from, "sample": sample, "seed": seed}
    cells = list(grid or Grid())
    table = _read_table(path, made_from)
    if table is None:
        baseline = {"quality": measure(encoder), **tensor_bytes(encoder)}
        table = {"made_from": made_from, "baseline": baseline, "cells": []}
    known = {_key(cell) for cell in table["cells"]}
    for done, cell in enumerate(cells, 1):
        if _key(cell) in known:
            continue
        variant = VARIANTS[cell["variant"]]
        small = quantise_encoder(
            encoder,
            sub_dim=cell["sub_dim"],
            codebook_size=cell["codebook_size"],
            counts=counts if variant["rotate"] else None,
            per_position=variant["per_position"],
            normalised=variant["normalised"],
            rotate=variant["rotate"],
            sample=sample,
            seed=seed,
        )
        cell |= {**tensor_bytes(small), "quality": measure(small)}
        table["cells"].append(cell)
        write_atomically(path, orjson.dumps(table, option=orjson.OPT_INDENT_2))
        if progress is not None:
            progress(done, len(cells), cell)
    return table


def tensor_bytes(encoder: StaticEncoder) -> dict[str, int]:
    """Bytes of an encoder's tensors: ``bytes`` of all, ``vector_bytes`` of the words' vectors."""
    sizes = {name: tensor.nbytes for name, tensor in encoder.to_model_file_parts()[1].items()}
    vectors = sum(size for name, size in sizes.items() if name.startswith("words."))
    return {"bytes": sum(sizes.values()), "vector_bytes": vectors}


def flatten(quality: dict[str, Any], prefix: str = "") -> dict[str, float]:
    """Nested figures as one level, ``{"sts": {"pearson": p}}`` as ``{"sts.pearson": p}``."""
    flat: dict[str, float] = {}
    for key, value in quality.items():
        if isinstance(value, dict):
            flat |= flatten(value, f"{prefix}{key}.")
        elif isinstance(value, float):
            flat[prefix + key] = value
    return flat


def write_csv(table: dict[str, Any], path: str | os.PathLike[str]) -> None:
    """Write the cells of a table as CSV, one row each, the figures in columns of their own."""
    columns = ["variant", "sub_dim", "codebook_size", "bytes", "vector_bytes"]
    figures = list(flatten(table["baseline"]["quality"]))
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns + figures)
        for cell in table["cells"]:
            quality = flatten(cell["quality"])
            writer.writerow(
                [cell[name] for name in columns] + [quality.get(name) for name in figures]
            )


def _read_table(path: Path, made_from: dict[str, Any]) -> dict[str, Any] | None:
    if not path.exists():
        return None
    try:
        table: dict[str, Any] = orjson.loads(path.read_bytes())
        same = table["made_from"] == orjson.loads(orjson.dumps(made_from))
        table["baseline"]["quality"]
        {_key(cell) for cell in table["cells"]}
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise PocketIntentError(f"{path} holds no sweep ({error}); choose another --out") from error
    if not same:
        raise PocketIntentError(
            f"{path} holds the sweep of another model, data or setting; choose another --out"
        )
    return table


def _key(cell: dict[str, Any]) -> tuple[str, int, int]:
    return cell["variant"], cell["sub_dim"], cell["codebook_size"]
