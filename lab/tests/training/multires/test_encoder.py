import json
from pathlib import Path

import numpy as np
import pytest

from models.tiny_transformers import write_transformer
from pocketintent.runtime.arrays import unit_rows
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent_lab.training.multires.encoder import MultiResolutionEncoder, load_ensemble
from pocketintent_lab.training.multires.idf import InverseDocumentFrequency
from pocketintent_lab.training.multires.layers import TransformerLayers
from pocketintent_lab.training.multires.settings import Ensemble, Mixture
from pocketintent_lab.training.multires.sources import WordSource, open_source

LONG = ("turn on the light " * 60).split()


@pytest.fixture(scope="session")
def transformer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("transformer")
    write_transformer(folder, ["turn", "on", "the", "light", "play", "mus", "##ic"])
    return folder


def test_a_word_source_has_zeros_for_unknown_tokens(tiny_encoder: StaticEncoder) -> None:
    source = WordSource(tiny_encoder)
    first, second = source.read([["turn", "zzz", "on"], []])
    known = tiny_encoder.embed_tokens(["turn", "on"])
    np.testing.assert_array_equal(first, [np.stack([known[0], np.zeros(32), known[1]])])
    assert second.shape == (1, 0, 32)


def test_a_transformer_has_the_means_of_pieces_in_each_layer(transformer: Path) -> None:
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    source = TransformerLayers(transformer)
    assert (source.num_layers, source.dim) == (3, 8)
    texts = [[], ["play", "music"], ["turn"], []]
    empty, read, _, last = source.read(texts)
    assert empty.shape == last.shape == (3, 0, 8)
    model = transformers.AutoModel.from_pretrained(transformer).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(transformer)
    pieces = tokenizer("play music", return_tensors="pt")
    assert tokenizer.convert_ids_to_tokens(pieces["input_ids"][0])[1:-1] == ["play", "mus", "##ic"]
    with torch.inference_mode():
        states = torch.stack(model(**pieces, output_hidden_states=True).hidden_states)[:, 0]
    expected = torch.stack([states[:, 1], states[:, 2:4].mean(1)], 1)
    np.testing.assert_allclose(read, expected.numpy(), atol=1e-5)


def test_a_long_text_is_read_in_parts(transformer: Path) -> None:
    source = TransformerLayers(transformer)
    (layers,) = source.read([LONG])
    assert layers.shape == (3, len(LONG), 8)
    (start,) = source.read([LONG[:200]])
    np.testing.assert_allclose(layers[:, :200], start, atol=1e-5)


def test_the_vector_of_a_text_is_the_mean_of_its_mixed_words(
    transformer: Path, tiny_model: Path, tiny_encoder: StaticEncoder
) -> None:
    idf = InverseDocumentFrequency([["turn", "on"], ["on"], ["light"]])
    ensemble = Ensemble(
        (Mixture(str(tiny_model), idf=True), Mixture(str(transformer), (1, 2), (0.25, 0.75))),
        weights=(1.0, 2.0),
    )
    encoder = MultiResolutionEncoder(ensemble, idf)
    assert encoder.dim == 40
    tokens = ["turn", "on"]
    (layers,) = TransformerLayers(transformer).read([tokens])
    words = tiny_encoder.embed_tokens(tokens) * idf(tokens)[:, None]
    expected = np.concatenate([words, 2 * (0.25 * layers[1] + 0.75 * layers[2])], axis=1)
    (embedded,) = encoder.embed_texts(["Turn on"])
    np.testing.assert_allclose(embedded, expected, atol=1e-5)
    vectors = encoder.encode_batch(["turn on", ""])
    np.testing.assert_allclose(vectors[:1], unit_rows(expected.mean(0)[None]), atol=1e-5)
    assert not vectors[1].any()
    np.testing.assert_allclose(encoder.encode("turn on"), vectors[0], atol=1e-6)


def test_sources_of_all_kinds_are_opened(tmp_path: Path, tiny_model: Path) -> None:
    table = tmp_path / "vectors.tsv"
    table.write_text("play\t1\t2\nstop\t3\t4\n")
    for path, dim in ((table, 2), (tiny_model, 32)):
        source = open_source(path)
        assert (source.num_layers, source.dim) == (1, dim)
    with pytest.raises(PocketIntentError, match="nowhere"):
        open_source(tmp_path / "nowhere")


def test_an_ensemble_is_loaded_with_the_idf_of_documents(tmp_path: Path, tiny_model: Path) -> None:
    path = tmp_path / "ensemble.json"
    path.write_text(json.dumps({"mixtures": [{"source": str(tiny_model), "idf": True}]}))
    encoder = load_ensemble(path, ["turn on", "turn off"])
    assert not encoder.encode("turn").any()  # it is in every document
    assert encoder.encode("on").any()
    with pytest.raises(PocketIntentError, match="requires documents"):
        load_ensemble(path)
