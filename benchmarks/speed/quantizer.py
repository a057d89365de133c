"""Time the quantiser on random vectors; prints JSON.

python -m benchmarks.speed.quantizer
python -m benchmarks.speed.quantizer --words 50000 --codebook-size 256
"""

from __future__ import annotations

import argparse
import json
import time
import timeit
from collections.abc import Callable

import numpy as np

from pocketintent.compression.codebooks import encode_matrix, fit_quantizer


def main() -> None:
    """Time fitting, encoding, and reading ten rows as a query does."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--words", type=int, default=200_000)
    parser.add_argument("--dim", type=int, default=300)
    parser.add_argument("--sub-dim", type=int, default=10)
    parser.add_argument("--codebook-size", type=int, default=128)
    args = parser.parse_args()

    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((args.words, args.dim), dtype=np.float32)
    started = time.perf_counter()
    quantizer = fit_quantizer(vectors, sub_dim=args.sub_dim, codebook_size=args.codebook_size)
    fitted = time.perf_counter()
    matrix = encode_matrix(vectors, quantizer)
    encoded = time.perf_counter()

    ids = rng.integers(0, args.words, 10)
    query = vectors[0]
    print(
        json.dumps(
            {
                **vars(args),
                "fit_seconds": round(fitted - started, 2),
                "encode_seconds": round(encoded - fitted, 2),
                "sum_of_10_rows_us": microseconds(lambda: matrix.weighted_sum(ids)),
                "similarity_table_us": microseconds(lambda: quantizer.similarity_table(query)),
            }
        )
    )


def microseconds(function: Callable[[], object], number: int = 2000) -> float:
    """The best mean of five rounds; other processes of the machine only add to it."""
    return round(min(timeit.repeat(function, number=number, repeat=5)) / number * 1e6, 1)


if __name__ == "__main__":
    main()
