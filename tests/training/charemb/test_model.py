from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from pocketintent.compression.quantise import quantise_charemb  # noqa: E402
from pocketintent.runtime.encoders.charemb.network import Cell, CharNetwork  # noqa: E402
from pocketintent.runtime.text.characters import CharVocabulary  # noqa: E402
from pocketintent.training.charemb.data import make_batch  # noqa: E402
from pocketintent.training.charemb.model import CharEmb, _transformer_name  # noqa: E402
from pocketintent.training.charemb.pipeline import to_encoder  # noqa: E402
from pocketintent.training.charemb.settings import CharEmbSettings  # noqa: E402

VOCABULARY = CharVocabulary(" abcdefghij", max_chars=20)
LSTM = CharNetwork(dim=8, char_dim=6, hidden=6, layers=2, mlp=10, heads=3)
NETWORKS = [
    LSTM,
    replace(LSTM, bidirectional=False, layers=1),
    replace(LSTM, cell="gru", norm=False),
    replace(LSTM, cell="gru", layers=3),
    replace(LSTM, cell="transformer"),
]
TEXTS = ["a", "bad face", "abcdefghij abcdefghi", "j", "cab", "xyz a"]


def make(network: CharNetwork, seed: int = 0, dropout: float = 0.0) -> CharEmb:
    torch.manual_seed(seed)
    model = CharEmb(network, len(VOCABULARY), VOCABULARY.max_chars, dropout)
    for parameter in model.parameters():  # biases too, which torch starts at zero in places
        torch.nn.init.normal_(parameter, std=0.4)
    return model.eval()


def torch_vectors(model: CharEmb, texts: list[str]) -> np.ndarray:
    batch = make_batch(VOCABULARY, texts, np.arange(len(texts)))
    with torch.no_grad():
        directions, log_norms = model(
            torch.from_numpy(batch.chars), torch.from_numpy(batch.lengths)
        )
    if log_norms is None:
        return directions.numpy()
    return (directions * log_norms.exp()[:, None]).numpy()


def load_parameters(model: CharEmb, parameters: dict[str, np.ndarray]) -> None:
    """Set the weights that :meth:`CharEmb.parameters_by_name` gives."""
    state = model.state_dict()
    for name, array in parameters.items():
        value = torch.from_numpy(np.array(array, np.float32))
        if name == "embedding" or name.startswith("mlp"):
            state["embedding.weight" if name == "embedding" else name] = value
            continue
        if model.network.cell == "transformer":
            state[f"reader.{_transformer_name(name)}"] = value
            continue
        _, layer, direction, part = name.split(".")
        end = "l0_reverse" if direction == "backward" else "l0"
        prefix = f"reader.layers.{layer}"
        if part in ("input", "recurrent"):
            state[f"{prefix}.weight_{'ih' if part == 'input' else 'hh'}_{end}"] = value
        elif part == "bias":  # torch's second bias is part of the first
            state[f"{prefix}.bias_ih_{end}"] = value
            state[f"{prefix}.bias_hh_{end}"] = torch.zeros_like(value)
        else:  # comes after `bias`
            state[f"{prefix}.bias_hh_{end}"][-model.network.hidden :] = value
    model.load_state_dict(state)


@pytest.mark.parametrize("weights", ["float32", "int8", "codebook"])
@pytest.mark.parametrize("network", NETWORKS, ids=str)
def test_numpy_and_torch_give_the_same_vectors_with_the_stored_weights(
    network: CharNetwork, weights: str
) -> None:
    encoder = to_encoder(make(network), VOCABULARY, CharEmbSettings())
    encoder = quantise_charemb(encoder, weights, codebook_size=16)  # type: ignore[arg-type]
    same = make(network, seed=1)
    load_parameters(same, encoder.weights.decode())
    np.testing.assert_allclose(encoder.embed_terms(TEXTS), torch_vectors(same, TEXTS), atol=1e-4)


@pytest.mark.parametrize("network", NETWORKS, ids=str)
def test_a_text_does_not_depend_on_the_texts_beside_it(network: CharNetwork) -> None:
    model = make(network)
    together = torch_vectors(model, TEXTS)
    for text, vector in zip(TEXTS, together, strict=True):
        np.testing.assert_allclose(torch_vectors(model, [text])[0], vector, atol=1e-5)


@pytest.mark.parametrize("network", NETWORKS, ids=str)
def test_named_weights_describe_the_whole_network(network: CharNetwork) -> None:
    model, other = make(network), make(network, seed=1)
    named = model.parameters_by_name()
    assert {name: value.shape for name, value in named.items()} == model.shapes
    load_parameters(other, named)
    for name, value in other.parameters_by_name().items():
        np.testing.assert_allclose(value, named[name], atol=1e-6)
    np.testing.assert_allclose(torch_vectors(other, TEXTS), torch_vectors(model, TEXTS), atol=1e-5)


def test_dropout_acts_in_training_alone() -> None:
    model = make(LSTM, dropout=0.5)
    np.testing.assert_array_equal(torch_vectors(model, TEXTS), torch_vectors(model, TEXTS))
    model.train()
    assert np.abs(torch_vectors(model, TEXTS) - torch_vectors(model, TEXTS)).max() > 0.01


@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_dropout_between_layers_depends_on_the_seed_alone(cell: Cell) -> None:
    model = make(replace(LSTM, cell=cell, layers=3), dropout=0.5)
    layers = [part for part in model.modules() if isinstance(part, torch.nn.RNNBase)]
    # A stack of layers in one module would use cuDNN's dropout, which has a state of its own.
    assert [(layer.num_layers, layer.dropout) for layer in layers] == [(1, 0.0)] * 3
    model.eval()
    model.reader.dropout.train()
    vectors = []
    for seed in (1, 2, 1):
        torch.manual_seed(seed)
        vectors.append(torch_vectors(model, TEXTS))
        torch.rand(3)
    np.testing.assert_array_equal(vectors[0], vectors[2])
    assert np.abs(vectors[0] - vectors[1]).max() > 0.01


def test_lengths_start_at_the_mean() -> None:
    model = make(LSTM)
    with torch.no_grad():
        model.mlp[1].weight[-1] = 0.0
    model.set_mean_log_norm(0.7)
    norms = np.linalg.norm(torch_vectors(model, TEXTS), axis=1)
    np.testing.assert_allclose(np.log(norms), 0.7, atol=1e-5)
