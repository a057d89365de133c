from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from models.random_contexts import random_context
from pocketintent.runtime.encoders.contextual.encoder import ContextReader
from pocketintent.runtime.encoders.contextual.network import (
    ContextNetwork,
    read_network,
)
from pocketintent.runtime.errors import ModelFileError

DIM = 4

ENTRY = {"weights": "int8", "hidden": 6, "width": 5, "word_share": 0.4}


def make(int8: bool = False, **options: Any) -> ContextNetwork:
    return random_context(DIM, np.random.default_rng(0), int8=int8, **options)


def zeros(*shape: int) -> Any:
    return np.zeros(shape, np.float32)


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


def test_the_largest_weights_do_not_overflow() -> None:
    def full(*shape: int) -> Any:
        return np.full(shape, np.float32(65504))

    network = ContextNetwork(
        full(64, 64),
        full(64),
        full(64, 64),
        -full(64),
        -full(64),
        -65504.0,
        width=1,
        word_share=16,
    )
    reader = ContextReader(network)
    with np.errstate(all="raise"):
        total = reader.read_vectors(full(3, 64))
        totals = reader.read_texts([reader.read_word(full(64))] * 3, np.array([3]))
    assert np.isfinite(total).all() and np.isfinite(totals).all()


def test_a_sum_beyond_float32_leaves_the_words_by_themselves() -> None:
    def full(*shape: int) -> Any:
        return np.full(shape, np.float32(65504))

    network = ContextNetwork(
        full(512, 5 * 256), full(512), full(256, 512), full(256), full(512), width=5, word_share=0.3
    )
    reader = ContextReader(network)
    total = reader.read_vectors(full(256, 256))
    np.testing.assert_allclose(total, np.full(256, 0.3 / 16), rtol=1e-4)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"width": 2}, "odd number from 1 to 31, not 2"),
        ({"width": 0}, "odd number"),
        ({"width": 33}, "odd number"),
        ({"width": True}, "odd number"),
        ({"width": 3}, r"inner of the network has the shape \[6, 20\], but \[6, 12\]"),
        ({"outer": zeros(4, 7)}, r"outer of the network has the shape \[4, 7\]"),
        ({"inner": zeros(72)}, "inner of the network"),
        ({"gate": zeros(5)}, "expected for 5 dimensions"),
        ({"gate": zeros(4, 1)}, r"gate of the network has the shape \[4, 1\]"),
        ({"hidden_gate": zeros(7)}, r"hidden_gate of the network has the shape \[7\]"),
        ({"gate_bias": float("nan")}, "network.gate_bias"),
        ({"gate": np.full(4, np.inf, np.float32)}, "network.gate"),
        ({"outer": make(int8=True).outer}, "all float32 or all int8"),
        ({"outer": np.full((4, 6), np.nan, np.float32)}, "network.outer"),
    ],
)
def test_a_network_that_does_not_fit_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        replace(make(), **changes)


@pytest.mark.parametrize(
    ("hidden", "width", "dim"),
    [(1 << 17, 1, 1), (1, 1, 1 << 17), (1 << 16, 3, 1 << 16), (1 << 16, 31, 1)],
)
def test_a_network_beyond_memory_is_refused_before_it_is_decoded(
    hidden: int, width: int, dim: int
) -> None:
    entry = {"weights": "int8", "hidden": hidden, "width": width}
    with pytest.raises(ModelFileError, match=r"from 1 to 65536|numbers in memory"):
        read_network(entry, {}, dim)


@pytest.mark.parametrize(
    "entry",
    [
        None,
        [],
        {},
        {**ENTRY, "weights": "float64"},
        {**ENTRY, "weights": ["int8"]},
        {**ENTRY, "weights": "float32"},
        {"weights": "int8"},
        {**ENTRY, "hidden": 6.0},
        {**ENTRY, "blocks": [{"hidden": 6, "width": 5}]},
        {**ENTRY, "hidden": 0},
        {**ENTRY, "hidden": 7},
        {**ENTRY, "width": None},
        {**ENTRY, "width": -3},
        {**ENTRY, "width": 4},
        {**ENTRY, "width": 3},
        {**ENTRY, "word_share": -0.1},
        {**ENTRY, "word_share": "0.4"},
        {**ENTRY, "word_share": float("nan")},
    ],
)
def test_a_damaged_manifest_entry_is_refused(entry: Any) -> None:
    _, tensors = make(int8=True).to_parts()
    with pytest.raises(ModelFileError, match="network"):
        read_network(entry, tensors, DIM)


def test_the_message_on_a_bad_share_has_its_limit() -> None:
    _, tensors = make(int8=True).to_parts()
    with pytest.raises(ModelFileError, match=r"word_share .* is 100; .* from 0 to 16"):
        read_network({**ENTRY, "word_share": 100}, tensors, DIM)


@pytest.mark.parametrize("int8", [False, True])
def test_every_missing_or_altered_tensor_is_refused(int8: bool) -> None:
    entry, tensors = make(int8).to_parts()
    for name, tensor in tensors.items():
        for other in (None, tensor.astype(np.float64), tensor[:-1], tensor[None]):
            changed = {**tensors, name: other} if other is not None else dict(tensors)
            if other is None:
                del changed[name]
            with pytest.raises(ModelFileError, match=r"network\.| of the network"):
                read_network(entry, changed, DIM)
        if tensor.dtype.kind == "f":
            damaged = tensor.copy()
            damaged.flat[0] = np.nan
            with pytest.raises(ModelFileError, match=r"network\."):
                read_network(entry, {**tensors, name: damaged}, DIM)
