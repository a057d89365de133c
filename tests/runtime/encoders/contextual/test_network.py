from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pocketintent.runtime.encoders.contextual.network import (
    MAX_BLOCKS,
    ContextBlock,
    ContextNetwork,
    read_network,
)
from pocketintent.runtime.encoders.contextual.reader import ContextReader
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.quantization.int8_matrix import Int8Matrix
from random_contexts import random_context

DIM = 4


ENTRY = {
    "weights": "int8",
    "blocks": [{"hidden": 6, "width": 3}, {"hidden": 6, "width": 5}],
    "word_share": 0.4,
}


def make(int8: bool = False) -> ContextNetwork:
    return random_context(DIM, np.random.default_rng(0), int8=int8)


def block(**changes: Any) -> ContextBlock:
    return replace(make().blocks[0], **changes)


@pytest.mark.parametrize("int8", [False, True])
def test_the_parts_are_read_as_they_were_written(int8: bool) -> None:
    network = make(int8)
    entry, tensors = network.to_parts()

    read = read_network(entry, tensors, DIM)

    assert entry == {**ENTRY, "weights": "int8" if int8 else "float32"}
    assert all(name.startswith("network.") for name in tensors)
    again, same_tensors = read.to_parts()
    assert again == entry
    assert tensors.keys() == same_tensors.keys()
    for name, tensor in tensors.items():
        np.testing.assert_array_equal(same_tensors[name], tensor)
        assert same_tensors[name].dtype == tensor.dtype


def test_vectors_may_be_stored_in_half_precision() -> None:
    entry, tensors = make().to_parts()
    tensors["network.gate"] = tensors["network.gate"].astype(np.float16)
    read = read_network(entry, tensors, DIM)
    assert read.gate.dtype == np.float32
    np.testing.assert_array_equal(read.gate, tensors["network.gate"])


def test_quantising_twice_changes_nothing() -> None:
    small = make().quantise()
    assert small.format == "int8"
    assert small.quantise() is small
    for old, new in zip(make().blocks, small.blocks, strict=True):
        assert isinstance(new.inner, Int8Matrix) and isinstance(new.outer, Int8Matrix)
        np.testing.assert_allclose(new.inner.decode(), old.inner, atol=0.01)


def test_the_largest_weights_do_not_overflow() -> None:
    largest = np.float32(65504)
    full = [
        ContextBlock(
            np.full((64, 64), largest),
            np.full(64, largest),
            np.full((64, 64), largest),
            np.full(64, largest),
            width=1,
        )
    ] * MAX_BLOCKS
    reader = ContextReader(ContextNetwork(full, np.full(64, -largest), -65504.0))
    with np.errstate(all="raise"):
        total = reader.read_vectors(np.full((3, 64), largest))
    assert np.isfinite(total).all()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"width": 2}, "odd number from 1 to 31, not 2"),
        ({"width": 0}, "odd number"),
        ({"width": 33}, "odd number"),
        ({"width": True}, "odd number"),
        ({"width": 5}, r"inner of a block has the shape \[6, 12\], but \[6, 20\]"),
        ({"outer": np.zeros((4, 7), np.float32)}, r"outer of a block has the shape \[4, 7\]"),
        ({"inner": np.zeros(72, np.float32)}, "inner of a block"),
    ],
)
def test_a_block_that_does_not_fit_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        block(**changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"blocks": []}, "0 blocks; 1 to 8"),
        ({"blocks": [block()] * 9}, "9 blocks; 1 to 8"),
        ({"gate": np.zeros(5, np.float32)}, "block 0 has 4 dimensions, and the gate has 5"),
        ({"gate": np.zeros((4, 1), np.float32)}, r"gate has the shape \[4, 1\]"),
        ({"gate_bias": float("nan")}, "network.gate_bias"),
        ({"gate": np.full(4, np.inf, np.float32)}, "network.gate"),
        ({"blocks": [block(), make(int8=True).blocks[0]]}, "all float32 or all int8"),
        (
            {"blocks": [block(outer=np.full((4, 6), np.nan, np.float32))]},
            "network.blocks.0.outer",
        ),
    ],
)
def test_a_network_that_does_not_fit_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        replace(make(), **changes)


@pytest.mark.parametrize(
    ("hidden", "width", "dim"), [(1 << 17, 1, 1), (1, 1, 1 << 17), (1 << 16, 3, 1 << 16)]
)
def test_a_network_beyond_memory_is_refused_before_it_is_decoded(
    hidden: int, width: int, dim: int
) -> None:
    entry = {"weights": "int8", "blocks": [{"hidden": hidden, "width": width}]}
    with pytest.raises(ModelFileError, match=r"must be from 1 to 65536|numbers in memory"):
        read_network(entry, {}, dim)


@pytest.mark.parametrize(
    "entry",
    [
        None,
        [],
        {},
        {"weights": "float64", "blocks": [{"hidden": 6, "width": 3}]},
        {"weights": ["int8"], "blocks": [{"hidden": 6, "width": 3}]},
        {"weights": "int8"},
        {"weights": "int8", "blocks": []},
        {"weights": "int8", "blocks": {"0": {"hidden": 6, "width": 3}}},
        {"weights": "int8", "blocks": [{"hidden": 6, "width": 3}] * 9},
        {"weights": "int8", "blocks": [None]},
        {"weights": "int8", "blocks": [{"hidden": 6}]},
        {"weights": "int8", "blocks": [{"hidden": 6.0, "width": 3}]},
        {"weights": "int8", "blocks": [{"hidden": 6, "width": -3}]},
        {"weights": "int8", "blocks": [{"hidden": 6, "width": 4}, {"hidden": 6, "width": 5}]},
        {"weights": "float32", "blocks": [{"hidden": 6, "width": 3}, {"hidden": 6, "width": 5}]},
        {"weights": "int8", "blocks": [{"hidden": 6, "width": 3}, {"hidden": 7, "width": 5}]},
        {"weights": "int8", "blocks": [{"hidden": 6, "width": 3}, {"hidden": 6, "width": 3}]},
        {"weights": "int8", "blocks": [{"hidden": 6, "width": 3}] * 3},
        {**ENTRY, "word_share": -0.1},
        {**ENTRY, "word_share": "0.4"},
        {**ENTRY, "word_share": float("nan")},
    ],
)
def test_a_damaged_manifest_entry_is_refused(entry: Any) -> None:
    _, tensors = make(int8=True).to_parts()
    with pytest.raises(ModelFileError, match=r"network|block"):
        read_network(entry, tensors, DIM)


@pytest.mark.parametrize("int8", [False, True])
def test_every_missing_or_altered_tensor_is_refused(int8: bool) -> None:
    entry, tensors = make(int8).to_parts()
    for name, tensor in tensors.items():
        for other in (None, tensor.astype(np.float64), tensor[:-1], tensor[None]):
            changed = {**tensors, name: other} if other is not None else dict(tensors)
            if other is None:
                del changed[name]
            with pytest.raises(ModelFileError, match=r"network\.|block \d of the network"):
                read_network(entry, changed, DIM)
        if tensor.dtype.kind == "f":
            damaged = tensor.copy()
            damaged.flat[0] = np.nan
            with pytest.raises(ModelFileError, match=r"network\."):
                read_network(entry, {**tensors, name: damaged}, DIM)


@pytest.mark.parametrize("int8", [False, True])
def test_a_rotated_network_returns_rotated_sums(int8: bool) -> None:
    rng = np.random.default_rng(3)
    rotation = np.linalg.qr(rng.normal(size=(DIM, DIM)))[0].astype(np.float32)
    vectors = rng.normal(size=(5, DIM)).astype(np.float32)
    network = make(int8)

    rotated = network.rotate(rotation)

    assert rotated.format == "float32"
    total = ContextReader(network).read_vectors(vectors.copy())
    found = ContextReader(rotated).read_vectors(vectors @ rotation)
    np.testing.assert_allclose(found, total @ rotation, atol=1e-5)
