"""The table of quality and size over sub-vector length and codebook size (thesis Appendix E)."""

from __future__ import annotations

import csv
import itertools
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from pocketintent.compression.kinds import changeable_table
from pocketintent.compression.quantise import check_sub_dim, quantise_encoder
from pocketintent.compression.settings import QuantisationSettings
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.atomic import remove_leftovers, replacing, write_atomically

VARIANTS: dict[str, dict[str, bool]] = {
    "shared": {"per_position": False, "normalised": False, "rotate": False},
    "per_position": {"per_position": True, "normalised": False, "rotate": False},
    "per_position_normalised": {"per_position": True, "normalised": True, "rotate": False},
    "rotated": {"per_position": True, "normalised": True, "rotate": True},
}
"""The variants of the thesis, and the variant of ``compress``: rotated, weighted by counts."""

SUB_DIMS = (2, 3, 4, 5, 6, 10)
CODEBOOK_SIZES = (2, 4, 8, 16, 32, 64, 128, 256, 512)

Measure = Callable[[ModelEncoder], dict[str, Any]]
"""From an encoder to its figures, such as ``{"sts": {"pearson": 0.7}}``."""

CellProgress = Callable[[int, int, dict[str, Any]], None]
"""Called as ``progress(done, total, cell)``."""


@dataclass(frozen=True)
class Grid:
    """The cells of a sweep, each once."""

    variants: Sequence[str] = tuple(VARIANTS)
    sub_dims: Sequence[int] = SUB_DIMS
    codebook_sizes: Sequence[int] = CODEBOOK_SIZES

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for variant in self.variants:
            if variant not in VARIANTS:
                raise PocketIntentError(
                    f"variants: {variant!r} is unknown; choose from {', '.join(VARIANTS)}"
                )
        cells = itertools.product(self.variants, self.sub_dims, self.codebook_sizes)
        for variant, sub_dim, size in dict.fromkeys(cells):
            yield {"variant": variant, "sub_dim": sub_dim, "codebook_size": size}

    def __len__(self) -> int:
        return sum(1 for _ in self)


def run_sweep(
    encoder: ModelEncoder,
    measure: Measure,
    path: str | os.PathLike[str],
    *,
    made_from: dict[str, Any],
    grid: Grid | None = None,
    sample: int = 20_000,
    seed: int = 0,
    progress: CellProgress | None = None,
) -> dict[str, Any]:
    """Quantise an encoder with each setting of a grid, and measure each result.

    The table is written after each cell, and cells that it already contains are not computed
    again, so a stopped sweep can be continued.

    Args:
        encoder: The uncompressed encoder; the variant ``rotated`` uses its counts.
        measure: The measurement of an encoder.
        path: The JSON file of the table.
        made_from: What the figures depend on beside the grid, such as the SHA-256 of the model
            and of the files of the data sets; a table made from anything else is rejected.
        grid: The cells; None for the table of the thesis and the variant ``rotated``.
        sample: Number of sub-vectors that a codebook is fitted on.
        seed: Seed of that sample.
        progress: Called after each cell.

    Returns:
        ``{"made_from", "baseline": {"quality", "bytes"}, "cells": [{"variant", "sub_dim",
        "codebook_size", "bytes", "vector_bytes", "quality"}]}``; ``bytes`` is the size of all
        tensors that a match reads, ``vector_bytes`` the size of the words' codes, codebook and
        norms.

    Raises:
        PocketIntentError: A variant is unknown, a cell is not allowed or does not fit the encoder,
            or the file contains another sweep. All cells are checked before the first is measured.
    """
    path = Path(path)
    remove_leftovers(path)
    made_from = {**made_from, "sample": sample, "seed": seed}
    cells = list(grid or Grid())
    for cell in cells:
        QuantisationSettings(cell["sub_dim"], cell["codebook_size"]).check()
        check_sub_dim(encoder, cell["sub_dim"])
    table = _read_table(path, made_from)
    if table is None:
        baseline = {"quality": measure(encoder), **tensor_bytes(encoder)}
        table = {"made_from": made_from, "baseline": baseline, "cells": []}
    uncounted = _without_counts(encoder)
    finished = {_key(cell) for cell in table["cells"]}
    for done, cell in enumerate(cells, 1):
        if _key(cell) in finished:
            continue
        variant = VARIANTS[cell["variant"]]
        small = quantise_encoder(
            encoder if variant["rotate"] else uncounted,
            sub_dim=cell["sub_dim"],
            codebook_size=cell["codebook_size"],
            sample=sample,
            seed=seed,
            per_position=variant["per_position"],
            normalised=variant["normalised"],
            rotate=variant["rotate"],
        )
        cell |= {**tensor_bytes(small), "quality": measure(small)}
        table["cells"].append(cell)
        write_atomically(path, orjson.dumps(table, option=orjson.OPT_INDENT_2))
        if progress is not None:
            progress(done, len(cells), cell)
    return table


def tensor_bytes(encoder: ModelEncoder) -> dict[str, int]:
    """Sizes of the tensors that a match reads: ``bytes``, and ``vector_bytes`` of the words."""
    _, tensors = _without_counts(encoder).to_model_file_parts()
    sizes = {name: tensor.nbytes for name, tensor in tensors.items()}
    vectors = sum(size for name, size in sizes.items() if name.startswith("words."))
    return {"bytes": sum(sizes.values()), "vector_bytes": vectors}


def _without_counts(encoder: ModelEncoder) -> ModelEncoder:
    """The encoder without the counts of its words, if any, which no match reads."""
    table = changeable_table(encoder)
    return encoder if table is None or table.counts is None else encoder.replace(counts=None)


def flatten(quality: dict[str, Any], prefix: str = "") -> dict[str, float]:
    """Flatten nested figures, ``{"sts": {"pearson": p}}`` to ``{"sts.pearson": p}``."""
    flat: dict[str, float] = {}
    for key, value in quality.items():
        if isinstance(value, dict):
            flat |= flatten(value, f"{prefix}{key}.")
        elif isinstance(value, float):
            flat[prefix + key] = value
    return flat


def write_csv(table: dict[str, Any], path: str | os.PathLike[str]) -> None:
    """Write a table as CSV, with a row for each cell and a column for each figure."""
    columns = ["variant", "sub_dim", "codebook_size", "bytes", "vector_bytes"]
    figures = list(flatten(table["baseline"]["quality"]))
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
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
        raise PocketIntentError(f"{path} is not a sweep ({error}); choose another --out") from error
    if not same:
        raise PocketIntentError(
            f"{path} is the sweep of another model, data or setting; choose another --out"
        )
    return table


def _key(cell: dict[str, Any]) -> tuple[str, int, int]:
    return cell["variant"], cell["sub_dim"], cell["codebook_size"]
