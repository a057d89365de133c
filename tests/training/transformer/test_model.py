import numpy as np
import pytest

torch = pytest.importorskip("torch")
from models.random_transformers import piece_table, random_transformer  # noqa: E402
from pocketintent.compression.codebooks import quantise_weights  # noqa: E402
from pocketintent.runtime.encoders.transformer.encoder import TransformerEncoder  # noqa: E402
from pocketintent.runtime.errors import PocketIntentError  # noqa: E402
from pocketintent.training.transformer.model import TransformerModel  # noqa: E402

CPU = torch.device("cpu")


def make(quantised: bool) -> TransformerEncoder:
    table = piece_table(quantised)
    network = random_transformer(table.dim, np.random.default_rng(1), quantised=quantised)
    return TransformerEncoder(table, network)


@pytest.mark.parametrize("quantised", [False, True])
def test_the_vectors_are_those_of_the_runtime(quantised: bool) -> None:
    encoder = make(quantised)
    words = encoder.vocabulary.words
    texts = [words[:1], words[1:5], words[3:5], words]
    ids = np.zeros((len(texts), len(words)), np.int64)
    for row, text in zip(ids, texts, strict=True):
        row[: len(text)] = encoder.vocabulary.ids(text)
    counts = np.array([len(text) for text in texts])
    model = TransformerModel(encoder, CPU)
    rows = model.words.take(np.arange(len(encoder.vocabulary)))
    vectors = model(rows, ids, counts).detach().numpy()
    expected = [encoder.reader.read_vectors(encoder.table.embed_tokens(text)) for text in texts]
    expected = [vector / np.linalg.norm(vector) for vector in expected]
    np.testing.assert_allclose(vectors, expected, atol=1e-5)


@pytest.mark.parametrize("quantised", [False, True])
def test_an_untrained_model_gives_its_encoder_back(quantised: bool) -> None:
    encoder = make(quantised)
    model = TransformerModel(encoder, CPU)
    network, old = model.to_network(), encoder.network
    assert network.format == old.format
    for name, matrix in old.weights.matrices.items():
        found = network.weights.matrices[name].decode()
        np.testing.assert_allclose(found, matrix.decode(), rtol=1e-3)
    for name, vector in old.weights.vectors.items():
        np.testing.assert_array_equal(network.weights.vectors[name], vector)
    words = model.words.to_matrix().decode()
    np.testing.assert_allclose(words, encoder.table.words.decode(), rtol=1e-3)


def test_all_parts_are_trained() -> None:
    encoder = make(quantised=False)
    model = TransformerModel(encoder, CPU)
    ids = np.arange(6).reshape(2, 3)
    vectors = model(model.words.take(np.arange(6)), ids, np.array([3, 2]))
    (vectors * torch.arange(float(encoder.dim))).sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None and parameter.grad.abs().sum() > 0, name


def test_a_network_of_int8_is_refused() -> None:
    encoder = make(quantised=False)
    weights = quantise_weights(encoder.network.weights, "int8", sub_dim=1, codebook_size=2)
    network = type(encoder.network)(**{**vars(encoder.network), "weights": weights})
    with pytest.raises(PocketIntentError, match="int8 weights cannot be trained further"):
        TransformerModel(encoder.replace(network=network), CPU)
