from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from models.random_transformers import random_transformer
from pocketintent.runtime.encoders.sequence import MAX_TOKENS
from pocketintent.runtime.encoders.transformer.encoder import TransformerReader
from pocketintent.runtime.encoders.transformer.network import (
    TransformerNetwork,
    network_shapes,
    read_network,
)
from pocketintent.runtime.encoders.weights import Weights
from pocketintent.runtime.errors import ModelFileError

DIM = 4
SIZES = {"layers": 2, "heads": 2, "feedforward": 12}


def make(quantised: bool = False, **options: Any) -> TransformerNetwork:
    return random_transformer(DIM, np.random.default_rng(0), quantised=quantised, **options)


@pytest.mark.parametrize("quantised", [False, True])
def test_the_parts_are_read_as_they_were_written(quantised: bool) -> None:
    network = make(quantised)
    entry, tensors = network.to_parts()

    read = read_network(entry, tensors, DIM)

    assert {name: entry[name] for name in SIZES} == SIZES
    assert entry["weights"]["format"] == ("codebook" if quantised else "float32")
    assert entry.keys() == {*SIZES, "weights"}
    assert all(name.startswith("network.") for name in tensors)
    again, same_tensors = read.to_parts()
    assert again == entry
    assert tensors.keys() == same_tensors.keys()
    for name, tensor in tensors.items():
        np.testing.assert_array_equal(same_tensors[name], tensor)
        assert same_tensors[name].dtype == tensor.dtype


def test_the_parameters_are_those_of_the_specification() -> None:
    shapes = network_shapes(DIM, 1, 2, 12)
    assert shapes == {
        "network.start": (4,),
        "network.positions": (MAX_TOKENS, 4),
        "network.norm.weight": (4,),
        "network.norm.bias": (4,),
        "network.layers.0.attention.input.weight": (12, 4),
        "network.layers.0.attention.input.bias": (12,),
        "network.layers.0.attention.output.weight": (4, 4),
        "network.layers.0.attention.output.bias": (4,),
        "network.layers.0.norm.0.weight": (4,),
        "network.layers.0.norm.0.bias": (4,),
        "network.layers.0.feedforward.0.weight": (12, 4),
        "network.layers.0.feedforward.0.bias": (12,),
        "network.layers.0.feedforward.1.weight": (4, 12),
        "network.layers.0.feedforward.1.bias": (4,),
        "network.layers.0.norm.1.weight": (4,),
        "network.layers.0.norm.1.bias": (4,),
    }
    assert len(network_shapes(DIM, 3, 2, 12)) == 4 + 3 * 12


def test_the_largest_weights_do_not_overflow() -> None:
    shapes = network_shapes(64, 2, 2, 64)
    full = {name: np.full(shape, 65504, np.float32) for name, shape in shapes.items()}
    for name in full:
        full[name][::2] *= -1
    reader = TransformerReader(TransformerNetwork(64, 2, 2, 64, Weights.of_floats(full)))
    tokens = np.full((3, 64), 65504, np.float32)
    with np.errstate(over="raise", invalid="raise", divide="raise"):
        vector = reader.read_vectors(tokens)
        vectors = reader.read_texts([*tokens], np.array([1, 2]))
    assert np.isfinite(vector).all() and np.isfinite(vectors).all()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"layers": 0}, "layers of the network must be a whole number from 1 to 64, not 0"),
        ({"layers": 65}, "from 1 to 64, not 65"),
        ({"layers": True}, "layers of the network must be"),
        ({"heads": 0}, "heads of the network must be a whole number from 1 to 65536, not 0"),
        ({"heads": 2.0}, "heads of the network must be"),
        ({"heads": 3}, "the 3 heads of the network do not divide its 4 dimensions"),
        ({"heads": 8}, "the 8 heads of the network do not divide its 4 dimensions"),
        ({"feedforward": -1}, "feedforward of the network must be"),
        ({"feedforward": 13}, r"feedforward.0.weight: .* shape \[13, 4\], .* shape \[12, 4\]"),
        ({"layers": 1}, "no such weight, but the weights have shape"),
        ({"layers": 3}, r"network\.layers\.2\..*the weights have no such weight"),
        ({"dim": 6}, r"network\.positions: the network requires shape \[256, 6\]"),
        ({"dim": 0}, "dim of the network must be"),
        ({"weights": replace(make().weights, format="codebook")}, "is not stored as codebook"),
        ({"weights": replace(make().weights, format="float16")}, "format of the weights"),
    ],
)
def test_a_network_that_does_not_fit_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        replace(make(), **changes)


@pytest.mark.parametrize(
    ("dim", "sizes"),
    [
        (1 << 17, {"heads": 1}),
        (1 << 14, {"heads": 1, "feedforward": 1}),  # weights
        (1 << 13, {"layers": 64}),
        (1 << 13, {"heads": 1 << 13, "feedforward": 1}),  # scores of a text
        (1, {"heads": 1, "feedforward": 1 << 17}),
        (4, {"layers": 1 << 70}),
    ],
)
def test_a_network_beyond_memory_is_refused_before_it_is_decoded(
    dim: int, sizes: dict[str, int]
) -> None:
    entry = {**SIZES, **sizes, "weights": {"format": "int8"}}
    with pytest.raises(ModelFileError, match=r"must be a whole number|numbers in memory"):
        read_network(entry, {}, dim)


@pytest.mark.parametrize(
    "changes",
    [
        None,
        [],
        *({name: value} for name in SIZES for value in (None, 0, "2", 2.0, 1 << 40)),
        {"layers": 3},
        {"feedforward": 11},
        {"heads": 3},
        *({"weights": value} for value in (None, "codebook", [], {}, {"format": "float16"})),
        {"weights": {"format": ["codebook"]}},
        {"weights": {"format": "codebook"}},
        {"weights": {"format": "codebook", "matrices": [1]}},
        {"weights": {"format": "float32"}},
        {"weights": {"format": "int8"}},
    ],
)
def test_a_damaged_manifest_entry_is_refused(changes: Any) -> None:
    entry, tensors = make(quantised=True).to_parts()
    damaged = {**entry, **changes} if isinstance(changes, dict) else changes
    with pytest.raises(ModelFileError, match=r"network|weights"):
        read_network(damaged, tensors, DIM)


def test_fewer_layers_than_the_file_has_may_be_read() -> None:
    entry, tensors = make().to_parts()
    network = read_network({**entry, "layers": 1}, tensors, DIM)
    assert not any(name.startswith("network.layers.1") for name in network.to_parts()[1])


@pytest.mark.parametrize("quantised", [False, True])
def test_every_missing_or_altered_tensor_is_refused(quantised: bool) -> None:
    entry, tensors = make(quantised).to_parts()
    for name, tensor in tensors.items():
        for other in (None, tensor.astype(np.float64), tensor[:-1], tensor[None]):
            changed = {**tensors, name: other} if other is not None else dict(tensors)
            if other is None:
                del changed[name]
            with pytest.raises(ModelFileError, match=r"network\."):
                read_network(entry, changed, DIM)
        if tensor.dtype.kind == "f":
            damaged = tensor.copy()
            damaged.flat[0] = np.nan
            with pytest.raises(ModelFileError, match=r"network\."):
                TransformerReader(read_network(entry, {**tensors, name: damaged}, DIM))


def test_codes_of_numbers_that_are_too_large_are_refused() -> None:
    entry, tensors = make(quantised=True).to_parts()
    for part in ("codebook", "norms"):
        name = f"network.layers.1.feedforward.0.weight.{part}"
        tensors[name] = np.full_like(tensors[name], 60000)
    with pytest.raises(ModelFileError, match=r"network\.layers\.1\.feedforward\.0\.weight.*beyond"):
        TransformerReader(read_network(entry, tensors, DIM))
