from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from every_kind.encoder_checks import check_size_groups
from models.lamp_tables import DIM, make_table
from models.random_contexts import random_context
from models.random_transformers import PIECES, piece_table, random_transformer
from pocketintent.compression.codebooks import quantise_weights
from pocketintent.compression.kinds import (
    compression_of,
    quantise_context,
    quantise_transformer,
    rotate_context,
    table_of,
    tables_of,
    words_of,
)
from pocketintent.compression.prune import select_words
from pocketintent.compression.quantise import quantise_network
from pocketintent.runtime.encoders.contextual.encoder import ContextReader, ContextualEncoder
from pocketintent.runtime.encoders.contextual.network import ContextNetwork
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.encoders.transformer.encoder import TransformerEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization.matrices import Int8Matrix, QuantizedMatrix

COUNTS = np.arange(90, 0, -10, dtype=np.uint32)


def contextual(**options: Any) -> ContextualEncoder:
    return ContextualEncoder(make_table(), random_context(DIM, np.random.default_rng(2), **options))


def transformer(dim: int = DIM, **options: Any) -> TransformerEncoder:
    network = random_transformer(dim, np.random.default_rng(2), **options)
    return TransformerEncoder(piece_table(), network)


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("make", [make_table, contextual])
def test_words_are_selected_with_their_vectors_and_counts(
    make: Callable[[], ModelEncoder], compact: bool
) -> None:
    encoder = make().replace(counts=COUNTS, compact_counts=compact)

    fewer = select_words(encoder, np.array([3, 1]))

    assert words_of(fewer).vocabulary.words == ["lamp", "on"]
    np.testing.assert_array_equal(fewer.encode("lamp on"), encoder.encode("lamp on"))
    before, after = words_of(encoder), words_of(fewer)
    assert before.counts is not None and after.counts is not None
    assert after.counts.tolist() == before.counts[[3, 1]].tolist()
    assert after.compact_counts is compact
    assert after.ngrams is before.ngrams


def test_tables_are_those_of_the_words_and_of_the_ngrams() -> None:
    encoder = contextual()
    assert tables_of(encoder) == {"words": encoder.table.words, "ngrams": encoder.table.ngrams}
    assert list(tables_of(make_table(ngrams=False))) == ["words"]


def test_a_kind_that_registers_nothing_has_nothing_to_compress() -> None:
    class Unheard(StaticEncoder):
        kind = "unheard"

    assert compression_of("unheard").size_group("words.codes") == "codes"
    table = make_table()
    encoder = Unheard(table.vocabulary, table.words)
    assert not tables_of(encoder) and table_of(encoder) is None
    assert quantise_network(encoder) is encoder
    with pytest.raises(PocketIntentError, match="has no words to prune"):
        select_words(encoder, np.array([0]))
    with pytest.raises(PocketIntentError, match="cannot be left out one by one"):
        words_of(encoder)


def test_the_network_of_a_contextual_encoder_becomes_int8() -> None:
    encoder = contextual()
    small = quantise_network(encoder)
    assert small.network.format == "int8"
    assert quantise_network(small) is small
    assert small.encode("turn on the lamp") @ encoder.encode("turn on the lamp") > 0.999


@pytest.mark.parametrize("encoder", [contextual(int8=True), transformer(quantised=True)], ids=repr)
def test_every_tensor_of_a_network_counts_as_network(encoder: ModelEncoder) -> None:
    check_size_groups(encoder, "network.")


def test_pieces_are_selected_with_their_vectors_and_are_no_lost_words() -> None:
    encoder = transformer()
    places = [PIECES.index(piece) for piece in ("on", "lamp", "l", "##a", "##m", "##p", "##s")]

    fewer = select_words(encoder, np.array(places))

    assert fewer.tokenize("lamps light") == ["lamp", "##s", "l"]
    np.testing.assert_array_equal(fewer.encode("lamps on"), encoder.encode("lamps on"))
    lost = fewer.table.vocabulary.lost
    assert "light" in lost and "##ing" not in lost
    assert fewer.network is encoder.network


def test_the_network_of_a_transformer_takes_4_bits_a_weight() -> None:
    encoder = transformer()
    small = quantise_network(encoder)
    assert small.network.format == "codebook"
    assert quantise_network(small) is small
    for name, matrix in small.network.weights.matrices.items():
        assert isinstance(matrix, QuantizedMatrix) and matrix.norms is not None
        assert 8 * matrix.codes.nbytes == 4 * len(matrix) * matrix.dim
        decoded = encoder.network.weights.matrices[name].decode()
        assert np.square(matrix.decode() - decoded).sum() < 0.02 * np.square(decoded).sum()
    assert small.encode("turn on the lamps") @ encoder.encode("turn on the lamps") > 0.99


def test_a_transformer_of_any_format_but_floats_is_left_as_it_is() -> None:
    network = random_transformer(DIM, np.random.default_rng(2))
    small = quantise_weights(network.weights, "int8", sub_dim=1, codebook_size=1)
    network = replace(network, weights=small)
    assert quantise_transformer(network) is network


def test_an_odd_number_of_inputs_is_refused_with_the_name_of_the_weight() -> None:
    network = random_transformer(DIM, np.random.default_rng(2), feedforward=5)
    with pytest.raises(PocketIntentError, match=r"layers\.0\.feedforward\.1\.weight: sub_dim 2"):
        quantise_transformer(network)


def context(int8: bool = False) -> ContextNetwork:
    return random_context(4, np.random.default_rng(0), int8=int8)


def test_quantising_twice_changes_nothing() -> None:
    network, small = context(), quantise_context(context())
    assert small.format == "int8"
    assert quantise_context(small) is small
    for new, old in (
        (small.inner, network.inner),
        (small.outer, network.outer),
    ):
        assert isinstance(new, Int8Matrix)
        np.testing.assert_allclose(new.decode(), old, atol=0.01)


@pytest.mark.parametrize("int8", [False, True])
def test_a_rotated_network_returns_rotated_sums(int8: bool) -> None:
    rng = np.random.default_rng(3)
    rotation = np.linalg.qr(rng.normal(size=(4, 4)))[0].astype(np.float32)
    vectors = rng.normal(size=(5, 4)).astype(np.float32)
    network = context(int8)

    rotated = rotate_context(network, rotation)

    assert rotated.format == "float32"
    total = ContextReader(network).read_vectors(vectors.copy())
    found = ContextReader(rotated).read_vectors(vectors @ rotation)
    np.testing.assert_allclose(found, total @ rotation, atol=1e-5)
