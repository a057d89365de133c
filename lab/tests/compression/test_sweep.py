from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.random_contexts import random_context
from pocketintent.runtime.encoders.contextual.encoder import ContextualEncoder
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.text.vocabulary import Vocabulary
from pocketintent_lab.compression.sweep import VARIANTS, Grid, flatten, run_sweep, write_csv
from pocketintent_lab.compression.sweep_plot import axis_label, plot_sweep

GRID = Grid(sub_dims=(2, 5), codebook_sizes=(2, 16))


def cosines_of_pairs(vectors: np.ndarray) -> np.ndarray:
    units = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return (units @ units.T)[np.triu_indices(len(units), 1)]


class Measure:
    """Correlate the cosines of words before and after, and count the calls."""

    def __init__(self, vectors: np.ndarray) -> None:
        self.vectors = vectors
        self.calls = 0

    def __call__(self, encoder: Encoder) -> dict[str, Any]:
        self.calls += 1
        assert isinstance(encoder, StaticEncoder)
        cosines = [cosines_of_pairs(v) for v in (encoder.words.decode(), self.vectors)]
        score = float(np.corrcoef(*cosines)[0, 1])
        accuracy = {"5": {"nearest": score, "nearest+centroid": score}}
        return {
            "sts": {"pearson": score, "pairs": 3},
            "intents": {"clinc150": {"split": "valid", "accuracy": accuracy}},
        }


@pytest.fixture
def vectors() -> np.ndarray:
    return np.random.default_rng(0).standard_normal((200, 10), dtype=np.float32)


@pytest.fixture
def encoder(vectors: np.ndarray) -> StaticEncoder:
    words = [f"word{chr(97 + n // 26)}{chr(97 + n % 26)}" for n in range(200)]
    return StaticEncoder(Vocabulary(words), DenseMatrix(vectors))


def sweep(encoder: StaticEncoder, measure: Measure, path: Path, **settings: Any) -> dict[str, Any]:
    return run_sweep(encoder, measure, path, **{"made_from": {"m": 1}, "grid": GRID} | settings)


def test_every_cell_of_the_grid_is_measured(
    encoder: StaticEncoder, vectors: np.ndarray, tmp_path: Path
) -> None:
    table = sweep(encoder, Measure(vectors), tmp_path / "sweep.json")
    cells = [(cell["variant"], cell["sub_dim"], cell["codebook_size"]) for cell in table["cells"]]
    assert cells == [(v, s, c) for v in VARIANTS for s in (2, 5) for c in (2, 16)]
    assert json.loads((tmp_path / "sweep.json").read_bytes()) == table
    assert table["baseline"]["quality"]["sts"]["pearson"] == pytest.approx(1.0)


def test_larger_codebooks_need_more_bytes_and_are_more_accurate(
    encoder: StaticEncoder, vectors: np.ndarray, tmp_path: Path
) -> None:
    table = sweep(encoder, Measure(vectors), tmp_path / "sweep.json")
    for small, large in zip(table["cells"][::2], table["cells"][1::2], strict=True):
        assert small["vector_bytes"] < large["vector_bytes"] < table["baseline"]["vector_bytes"]
        assert small["quality"]["sts"]["pearson"] < large["quality"]["sts"]["pearson"] < 1


def test_a_stopped_sweep_continues(
    encoder: StaticEncoder, vectors: np.ndarray, tmp_path: Path
) -> None:
    def stop(done: int, total: int, cell: dict[str, Any]) -> None:
        if done == 5:
            raise KeyboardInterrupt

    path = tmp_path / "sweep.json"
    with pytest.raises(KeyboardInterrupt):
        sweep(encoder, Measure(vectors), path, progress=stop)
    again = Measure(vectors)
    table = sweep(encoder, again, path)
    assert again.calls == 16 - 5
    assert table == sweep(encoder, Measure(vectors), tmp_path / "other.json")


@pytest.mark.parametrize("change", [{"made_from": {"m": 2}}, {"sample": 7}, {"seed": 5}])
def test_a_table_of_something_else_is_not_continued(
    encoder: StaticEncoder, vectors: np.ndarray, tmp_path: Path, change: dict[str, Any]
) -> None:
    path = tmp_path / "sweep.json"
    sweep(encoder, Measure(vectors), path, grid=Grid(("shared",), (5,), (2,)))
    with pytest.raises(PocketIntentError, match="another model, data or setting"):
        sweep(encoder, Measure(vectors), path, **change)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"made_from": {}, "cells": [1]}'])
def test_a_file_that_is_not_a_sweep_is_not_overwritten(
    encoder: StaticEncoder, vectors: np.ndarray, tmp_path: Path, content: str
) -> None:
    path = tmp_path / "sweep.json"
    path.write_text(content)
    with pytest.raises(PocketIntentError, match="choose another --out"):
        sweep(encoder, Measure(vectors), path)
    assert path.read_text() == content


def test_an_unknown_variant_is_rejected() -> None:
    with pytest.raises(PocketIntentError, match="variants: 'nearest' is unknown"):
        list(Grid(("nearest",)))


def test_the_default_grid_has_the_variants_of_the_thesis_and_ours() -> None:
    assert len(Grid()) == len(list(Grid())) == 4 * 6 * 9


def test_the_csv_has_a_row_for_each_cell(
    encoder: StaticEncoder, vectors: np.ndarray, tmp_path: Path
) -> None:
    table = sweep(encoder, Measure(vectors), tmp_path / "sweep.json")
    write_csv(table, tmp_path / "sweep.csv")
    with open(tmp_path / "sweep.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 16
    assert rows[0]["variant"] == "shared"
    pearson = table["cells"][0]["quality"]["sts"]["pearson"]
    assert float(rows[0]["sts.pearson"]) == pearson
    assert float(rows[0]["intents.clinc150.accuracy.5.nearest"]) == pearson


def test_the_plot_is_drawn(encoder: StaticEncoder, vectors: np.ndarray, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    table = sweep(encoder, Measure(vectors), tmp_path / "sweep.json")
    plot_sweep(table, tmp_path / "sweep.png")
    assert (tmp_path / "sweep.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("name", "pairs", "label"),
    [
        ("sts.pearson", "STS-B dev", "Pearson, STS-B dev"),
        ("sts.pearson", "", "Pearson"),
        ("intents.v1.2.accuracy.30.nearest", "STS-B dev", "accuracy, v1.2, 30 templates"),
    ],
)
def test_an_axis_is_labelled_in_words(name: str, pairs: str, label: str) -> None:
    assert axis_label(name, pairs) == label


def test_flat_names_join_the_levels() -> None:
    assert flatten({"a": {"b": 0.5, "c": 3, "d": "x"}, "e": 1.0}) == {"a.b": 0.5, "e": 1.0}


def test_a_repeated_value_is_one_cell() -> None:
    grid = Grid(("shared", "shared"), (8, 8), (4, 2, 4))
    assert len(grid) == len(list(grid)) == 2


@pytest.mark.parametrize(
    ("last", "message"),
    [
        ({"sub_dims": (2, 3)}, "sub_dim must divide the 10 dimensions .* 3 does not"),
        ({"codebook_sizes": (2, 1 << 20)}, "codebook_size must be at least 1 and at most 65536"),
        ({"sub_dims": (2, 0)}, "sub_dim must be at least 1, not 0"),
    ],
)
def test_all_cells_are_checked_before_the_first_is_measured(
    encoder: StaticEncoder, vectors: np.ndarray, tmp_path: Path, last: dict[str, Any], message: str
) -> None:
    network = random_context(10, np.random.default_rng(0))
    measure = Measure(vectors)
    with pytest.raises(PocketIntentError, match=message):
        run_sweep(
            ContextualEncoder(encoder, network),
            measure,
            tmp_path / "sweep.json",
            made_from={},
            grid=Grid(**{"sub_dims": (2,), "codebook_sizes": (2,)} | last),
        )
    assert measure.calls == 0
