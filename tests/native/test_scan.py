"""The scan of an index: whole numbers that tell which rows must be compared exactly."""

import ctypes
from ctypes import c_int, c_size_t, c_void_p
from typing import Any

import numpy as np
import pytest

from native_core import Core
from pocketintent.runtime.arrays import unit_rows

Array = np.ndarray[Any, Any]
INSTRUCTIONS = ("plain", "sse2", "neon", "dotprod", "avx2", "avx512")
NEAREST, CENTROID = 1, 2
ROOM = 1 << 40
DIMS = (1, 2, 3, 5, 15, 16, 17, 31, 33, 64, 100, 128, 129, 256, 300)


def place(array: Array) -> Any:
    return array.ctypes.data_as(c_void_p)


class Rows:
    """Float rows: for each intent its templates, then its centroid."""

    def __init__(self, rows: Array, counts: list[int]) -> None:
        assert len(rows) == sum(counts) + len(counts)
        self.rows = np.ascontiguousarray(rows, np.float32)
        self.bounds = np.cumsum([0, *counts]).astype(np.uintp)
        self.num = len(counts)

    def rank(
        self, core: Core, name: str, query: Array, decision: int, cache: int, limit: int
    ) -> tuple[list[tuple[int, int, float]], int]:
        """The ranked intents, their nearest templates and scores; how many were compared."""
        limit = min(limit, self.num)
        intents, nearest = np.zeros(limit, np.uintp), np.zeros(limit, np.uintp)
        scores, query = np.zeros(limit), np.ascontiguousarray(query, np.float32)
        sizes = c_size_t(self.rows.shape[1]), place(self.bounds), c_size_t(self.num)
        rest = c_int(decision), c_size_t(cache), place(query), c_size_t(limit)
        results = place(intents), place(nearest), place(scores)
        given = name.encode(), place(self.rows), *sizes, *rest
        compared: int = core.lib.hook_search(*given, *results)
        found = zip(intents.tolist(), nearest.tolist(), scores.tolist(), strict=True)
        return list(found), compared


def random_rows(rng: np.random.Generator, counts: list[int], dim: int) -> Rows:
    """Unit rows in clusters, as templates are, with the centroids."""
    groups = []
    for count in counts:
        middle = rng.normal(size=dim)
        rows = unit_rows((middle + rng.normal(size=(count, dim))).astype(np.float32))
        groups += [rows, unit_rows(rows.mean(axis=0, keepdims=True))]
    return Rows(np.concatenate(groups), counts)


def assert_exact(
    core: Core, rows: Rows, query: Array, limit: int = 2, instructions: Any = INSTRUCTIONS
) -> None:
    """The scan has the very answers of comparing all rows exactly, by each set of instructions."""
    for name in instructions:
        for decision in (NEAREST, CENTROID):
            expected, none = rows.rank(core, name, query, decision, 0, limit)
            found, compared = rows.rank(core, name, query, decision, ROOM, limit)
            assert found == expected
            assert none == 0
            assert min(limit, rows.num) <= compared or not query.any()


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_sums_are_those_of_whole_numbers(core: Core, name: str) -> None:
    rng = np.random.default_rng(0)
    for size in (16, 32, 48, 256, 304, 4096):
        for num_groups in (1, 2, 5):
            numbers = rng.integers(-63, 64, (num_groups * 16, size))
            query = rng.integers(-63, 64, size).astype(np.int8)
            numbers[:3], query[: size // 2] = 63, 63  # the largest sums
            numbers[3:5] = -63
            stored = (numbers + 64).astype(np.uint8)
            groups = stored.reshape(num_groups, 16, size // 4, 4).transpose(0, 2, 1, 3).copy()
            sums = np.full(num_groups * 16 + 1, 77, np.int32)
            sizes = c_size_t(size), c_size_t(num_groups)
            core.lib.hook_scan(name.encode(), place(groups), *sizes, place(query), place(sums))
            expected = stored.astype(np.int64) @ query.astype(np.int64)
            assert sums[:-1].tolist() == expected.tolist()
            assert sums[-1] == 77


@pytest.mark.parametrize("dim", DIMS)
def test_estimates_are_as_wrong_as_they_say_at_most(core: Core, dim: int) -> None:
    rng = np.random.default_rng(dim)
    rows = unit_rows(rng.normal(size=(203, dim)).astype(np.float32))
    rows[::7] = np.eye(dim, dtype=np.float32)[rng.integers(dim, size=len(rows[::7]))]
    rows[::11] = 0
    rows[::13] *= 1.0009
    queries = unit_rows(rng.normal(size=(20, dim)).astype(np.float32))
    queries[:10] = unit_rows(rows[1:11] + 0.01 * queries[:10])
    for query in (*queries, np.eye(dim, dtype=np.float32)[0], np.zeros(dim, np.float32)):
        all_estimates = []
        for name in INSTRUCTIONS:
            estimates = np.zeros(len(rows) + 16, np.float32)
            sizes = c_size_t(len(rows)), c_size_t(dim)
            given = name.encode(), place(rows), *sizes, place(np.ascontiguousarray(query))
            slack = core.lib.hook_estimate(*given, place(estimates))
            exact = rows.astype(np.float64) @ query.astype(np.float64)
            assert 0 < slack < 0.005 * (dim + 1) ** 0.5 * 2 + 1e-4
            assert np.abs(estimates[: len(rows)] - exact).max() <= slack
            all_estimates.append(estimates)
        assert all(np.array_equal(all_estimates[0], other) for other in all_estimates)


@pytest.mark.parametrize("dim", DIMS)
def test_a_scan_answers_as_an_exact_search(core: Core, dim: int) -> None:
    rng = np.random.default_rng(100 + dim)
    for counts in ([70], [1] * 40, rng.integers(1, 30, 20).tolist()):
        rows = random_rows(rng, counts, dim)
        for _ in range(8):
            query = unit_rows(rng.normal(size=(1, dim)).astype(np.float32))[0]
            near = rows.rows[rng.integers(len(rows.rows))]
            assert_exact(core, rows, query, limit=len(counts))
            assert_exact(core, rows, unit_rows((near + 0.1 * query)[None])[0])
            assert_exact(core, rows, near)
        assert_exact(core, rows, np.zeros(dim))


def test_of_equally_near_rows_the_first_wins(core: Core) -> None:
    rng = np.random.default_rng(1)
    dim, counts = 48, [5, 5, 5, 40, 40]
    one = unit_rows(rng.normal(size=(1, dim)).astype(np.float32))
    rows = Rows(np.repeat(one, sum(counts) + len(counts), axis=0), counts)
    assert_exact(core, rows, one[0], limit=5)
    found, compared = rows.rank(core, "plain", one[0], NEAREST, ROOM, 5)
    assert [hit[:2] for hit in found] == [(0, 0), (1, 5), (2, 10), (3, 15), (4, 55)]
    assert compared == 5
    rows.rows[:] = 0
    assert_exact(core, rows, one[0], limit=5)


@pytest.mark.parametrize("dim", [7, 128, 256])
def test_rows_that_differ_by_less_than_they_are_rounded(core: Core, dim: int) -> None:
    """All rows are so near each other that estimates alone cannot tell them apart."""
    rng = np.random.default_rng(dim)
    middle = unit_rows(rng.normal(size=(1, dim)).astype(np.float32))
    for size in (1e-2, 1e-3, 1e-5, 1e-7):
        noise = rng.normal(size=(130, dim)).astype(np.float32)
        rows = Rows(unit_rows(middle + np.float32(size) * noise), [10, 20, 30, 40, 25])
        for _ in range(10):
            direction = rng.normal(size=(1, dim)).astype(np.float32)
            assert_exact(core, rows, unit_rows(middle + 0.3 * direction)[0], limit=5)
        for row in rows.rows[:10]:
            assert_exact(core, rows, row, limit=5)


def test_many_rows(core: Core) -> None:
    rng = np.random.default_rng(3)
    dim, counts = 70, [1500] * 20 + [1] * 100 + [613]
    rows = random_rows(rng, counts, dim)
    assert len(rows.rows) > 30_000
    for _ in range(6):
        near = rows.rows[rng.integers(len(rows.rows))]
        noise = rng.normal(size=(1, dim)).astype(np.float32)
        query = unit_rows(near + 0.05 * noise)[0]
        assert_exact(core, rows, query, instructions=("plain", "avx512"))
        _, compared = rows.rank(core, "avx512", query, NEAREST, ROOM, 2)
        assert 2 <= compared <= 20


def test_a_cache_that_is_too_small_has_no_scan(core: Core) -> None:
    rows = random_rows(np.random.default_rng(4), [9] * 10, 20)
    query = rows.rows[17]
    needed = 112 * (32 + ctypes.sizeof(ctypes.c_float))  # rows and numbers are padded
    expected, _ = rows.rank(core, "plain", query, NEAREST, 0, 10)
    for cache, compared in ((needed - 1, 0), (needed, 10)):
        assert rows.rank(core, "plain", query, NEAREST, cache, 10) == (expected, compared)
