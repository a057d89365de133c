r"""Time the search for the nearest template in every layout of the codes that was considered.

    python -m benchmarks.speed.matching
    python -m benchmarks.speed.matching --templates 3000 --model my.safetensors \
        --intents ../shared/data/intents

Without --intents the templates are random directions, on which a cascade cannot win. Prints one
JSON line for each layout and number of templates: microseconds of a query (the mean over the
queries of each query's best), and the bytes of the layout.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray, IndexArray, unit_rows
from pocketintent.runtime.decision.nearest import NearestScorer
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.index.building import add_centroid, fit_template_quantizer
from pocketintent.runtime.index.indexed_templates import IndexedTemplates, IntentRows
from pocketintent.runtime.quantization.quantizer import Quantizer

Query = Callable[[FloatArray], object]
TEMPLATES_PER_INTENT = 20


def main() -> None:
    """Time all layouts at each number of templates."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--templates", type=int, nargs="+", default=[300, 3_000, 30_000])
    parser.add_argument("--dim", type=int, default=256, help="dimension of random templates")
    parser.add_argument("--repeats", type=int, default=30, help="runs of each query")
    parser.add_argument("--intents", type=Path, help="folder of intent data sets")
    parser.add_argument("--model", type=Path, help="model that encodes them")
    args = parser.parse_args()
    vectors, queries = _read(args) if args.intents else _draw(max(args.templates), args.dim)
    for num in args.templates:
        chosen = vectors[:num]
        size = max(1, min(TEMPLATES_PER_INTENT, num // 10))
        groups = [add_centroid(chosen[i : i + size]) for i in range(0, len(chosen), size)]
        for layout, query, num_bytes in layouts(groups):
            mean = _mean_time(query, queries, args.repeats)
            line = {"templates": len(chosen), "layout": layout, "bytes": num_bytes}
            print(json.dumps({**line, "microseconds": round(mean * 1e6, 1)}), flush=True)


def layouts(groups: list[FloatArray]) -> Iterator[tuple[str, Query, int]]:
    """Name, query and bytes of each way to compute all similarities, or to find the best."""
    rows = np.concatenate(groups)
    num, dim = rows.shape
    yield "search exact", _search(groups), rows.nbytes
    quantizer = fit_template_quantizer(rows)
    codes = np.split(quantizer.assign(rows), np.cumsum([len(g) for g in groups])[:-1])
    num_bytes = num * quantizer.num_sub
    yield "search table, decoded rows", _search(codes, quantizer), num_bytes + rows.nbytes
    yield "search table, look-ups", _search(codes, quantizer, max_decoded=0), num_bytes
    for sub_dim, bits in ((2, 8), (4, 8), (8, 8), (4, 4)):
        if dim % (sub_dim * 8 // bits) == 0:
            yield from _plain_layouts(rows, sub_dim, bits)
    yield "scores: float product", lambda q: rows @ q, rows.nbytes
    yield f"cascade of {LEADING} directions", cascade(rows), rows.nbytes + 4 * num * LEADING


def _search(
    groups: Sequence[NDArray[Any]], quantizer: Quantizer | None = None, **settings: int
) -> Query:
    """The search of the runtime for the best two intents."""
    intents = {
        str(number): IntentRows(("",) * (len(rows) - 1), rows) for number, rows in enumerate(groups)
    }
    scorer = NearestScorer(
        IndexedTemplates(intents, quantizer, 0.0, **settings), "nearest+centroid"
    )
    return lambda query: scorer.search("", query, 2)


def _plain_layouts(rows: FloatArray, sub_dim: int, bits: int) -> Iterator[tuple[str, Query, int]]:
    """Layouts of codes that sum look-ups; 4-bit codes are read in pairs, from a table of pairs."""
    num, dim = rows.shape
    num_sub = dim // sub_dim
    rng = np.random.default_rng(0)
    codebook = rng.normal(size=(1, 1 << bits, sub_dim)).astype(np.float32)
    quantizer = Quantizer(codebook, dim, normalised=False)
    tables = num_sub if bits == 8 else num_sub // 2

    def table(query: FloatArray) -> FloatArray:
        single = quantizer.similarity_table(query)
        if bits == 8:
            return single.reshape(-1)
        return (single[::2, :, None] + single[1::2, None, :]).reshape(-1)

    codes = rng.integers(0, 256, (num, tables)).astype(np.uint8)
    places = codes + np.arange(tables) * 256
    by_position = np.ascontiguousarray(places.T)
    buffer = np.empty(by_position.shape, np.float32)
    narrow = np.ascontiguousarray(codes.T)
    offsets = np.arange(tables)[:, None] * 256
    name = f"scores: {num_sub} codes of {bits} bits, "

    def wrapped(query: FloatArray) -> FloatArray:
        sums: FloatArray = np.add.reduce(
            table(query).take(by_position, mode="wrap", out=buffer), axis=0
        )
        return sums

    def one_by_one(query: FloatArray) -> FloatArray:
        parts = table(query).reshape(tables, 256)
        total = np.zeros(num, np.float32)
        for part, column in zip(parts, narrow, strict=True):
            total += part.take(column, mode="wrap")
        return total

    yield (
        name + "[n, num_sub] intp, take",
        lambda q: table(q).take(places).sum(axis=1),
        places.nbytes,
    )
    yield name + "[num_sub, n] intp, wrap, out", wrapped, places.nbytes + buffer.nbytes
    yield (
        name + "[num_sub, n] uint8, cast whole",
        lambda q: table(q).take(narrow + offsets, mode="wrap").sum(axis=0),
        codes.nbytes,
    )
    yield name + "[num_sub, n] uint8, by position", one_by_one, codes.nbytes


LEADING = 128


def cascade(rows: FloatArray) -> Query:
    """The best two rows, exactly: leading directions of all, then the rows that can still win."""
    directions = np.linalg.eigh(rows.T @ rows)[1][:, ::-1][:, :LEADING].T.copy()
    leading = rows @ directions.T
    remainders = np.sqrt(np.maximum(1 - (leading**2).sum(axis=1), 0))

    def query_rows(query: FloatArray) -> IndexArray:
        first = directions @ query
        upper = leading @ first + remainders * max(1 - float(first @ first), 0) ** 0.5
        reached = (rows[np.argpartition(upper, -2)[-2:]] @ query).min()
        left = np.flatnonzero(upper >= reached)
        scores: FloatArray = rows[left] @ query
        best: IndexArray = left[np.argsort(scores)[-2:]]
        return best

    return query_rows


def _mean_time(query: Query, queries: FloatArray, repeats: int) -> float:
    """Mean over the queries of each query's best time, in seconds; other work only adds to it."""
    deadline = time.perf_counter() + 10
    best = np.full(len(queries), np.inf)
    for _ in range(repeats):
        for i, vector in enumerate(queries):
            start = time.perf_counter()
            query(vector)
            best[i] = min(best[i], time.perf_counter() - start)
        if time.perf_counter() > deadline:
            break
    return float(best.mean())


def _draw(num: int, dim: int) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(0)
    vectors = unit_rows(rng.normal(size=(num + 64, dim)).astype(np.float32))
    return vectors[:num], vectors[num:]


def _read(args: argparse.Namespace) -> tuple[FloatArray, FloatArray]:
    """Vectors of real templates and queries; the first 20 utterances of each intent come first."""
    encoder = load_encoder(args.model)
    first: list[str] = []
    later: list[str] = []
    for name in ("clinc150", "banking77", "snips"):
        seen: dict[str, int] = {}
        for row in map(json.loads, (args.intents / name / "train.jsonl").open(encoding="utf-8")):
            seen[row["intent"]] = seen.get(row["intent"], 0) + 1
            (first if seen[row["intent"]] <= TEMPLATES_PER_INTENT else later).append(row["text"])
    path = args.intents / "clinc150" / "valid.jsonl"
    texts = [json.loads(line)["text"] for line in path.open(encoding="utf-8")]
    vectors = encoder.encode_batch((first + later)[: max(args.templates)])
    return vectors[vectors.any(axis=1)], encoder.encode_batch(texts[::40])


if __name__ == "__main__":
    main()
