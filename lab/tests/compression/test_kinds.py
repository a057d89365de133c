import numpy as np
import pytest

from every_kind.encoder_checks import check_size_groups
from models.lamp_tables import DIM, make_table
from pocketintent.compression.kinds import compression_of, tables_of, words_of
from pocketintent.compression.prune import select_words
from pocketintent.compression.quantise import quantise_encoder, quantise_network
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent_lab.compression.sweep import tensor_bytes
from pocketintent_lab.encoders.convrr.encoder import ConvrrEncoder
from pocketintent_lab.encoders.infersent.encoder import InferSentEncoder
from random_heads import random_head
from random_lstms import random_lstm


def infersent(int8: bool = False) -> InferSentEncoder:
    network = random_lstm(DIM, np.random.default_rng(2), hidden=6, int8=int8)
    return InferSentEncoder(make_table(), network)


def test_words_of_infersent_are_selected() -> None:
    encoder = infersent()
    fewer = select_words(encoder, np.array([3, 1]))
    assert fewer.vocabulary.words == ["lamp", "on"]
    np.testing.assert_array_equal(fewer.encode("lamp on"), encoder.encode("lamp on"))


def test_the_network_of_infersent_is_quantised_and_rotated() -> None:
    encoder = infersent()
    compression = compression_of("infersent")
    text = "turn on the lamp"
    small = quantise_network(encoder)
    assert small.network.format == "int8"
    assert quantise_network(small) is small
    assert small.encode(text) @ encoder.encode(text) > 0.999
    rotation = np.linalg.qr(np.random.default_rng(3).normal(size=(8, 8)))[0].astype(np.float32)
    words, ngrams = (DenseMatrix(m.decode() @ rotation) for m in tables_of(encoder).values())
    assert compression.rotate is not None
    network = compression.rotate(encoder.network, rotation)
    rotated = encoder.replace(network=network, words=words, ngrams=ngrams)
    np.testing.assert_allclose(rotated.encode(text), encoder.encode(text), atol=1e-5)
    with pytest.raises(PocketIntentError, match="sub_dim must divide the 8 dimensions"):
        quantise_encoder(encoder, sub_dim=3, codebook_size=2)


def test_an_adapted_model_has_the_words_of_its_encoder_and_no_tables() -> None:
    table = make_table().replace(counts=np.arange(len(make_table().vocabulary), dtype=np.uint32))
    encoder = ConvrrEncoder(table, random_head(DIM, np.random.default_rng(0)))
    assert words_of(encoder).vocabulary is table.vocabulary
    assert not tables_of(encoder)
    _, tensors = encoder.to_model_file_parts()
    assert tensor_bytes(encoder)["bytes"] == sum(tensor.nbytes for tensor in tensors.values())


def test_the_tensors_of_a_network_count_as_network() -> None:
    check_size_groups(infersent(int8=True), "network.")
    head = random_head(DIM, np.random.default_rng(0), kernels=3)
    check_size_groups(ConvrrEncoder(make_table(), head), "convrr.")
