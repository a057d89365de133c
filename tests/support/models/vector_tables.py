"""Tables of vectors for tests, and their comparison."""

import numpy as np

from pocketintent.training.vectors.table import TermVectors


def random_table(terms: list[str], dim: int = 3, seed: int = 0) -> TermVectors:
    """Terms with normally distributed vectors."""
    rng = np.random.default_rng(seed)
    return TermVectors(terms, rng.standard_normal((len(terms), dim), np.float32))


def same_table(one: TermVectors, other: TermVectors) -> bool:
    """Whether two tables have the same terms and bitwise the same float32 vectors."""
    equal = one.vectors.tobytes() == other.vectors.tobytes()
    return one.terms == other.terms and equal and one.vectors.dtype == np.float32
