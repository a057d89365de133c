import numpy as np
import pytest

torch = pytest.importorskip("torch")

from pocketintent.runtime.encoders.static import StaticEncoder  # noqa: E402
from pocketintent.runtime.quantization.matrices import DenseMatrix  # noqa: E402
from pocketintent.runtime.text.vocabulary import Vocabulary  # noqa: E402
from pocketintent_lab.encoders.infersent.encoder import InferSentEncoder  # noqa: E402
from pocketintent_lab.training.infersent.model import InferSent  # noqa: E402

WORDS = [f"w{number}" for number in range(12)]
VECTORS = np.random.default_rng(0).normal(size=(12, 5)).astype(np.float32)


def make(dropout: float = 0.0) -> InferSent:
    torch.manual_seed(1)
    return InferSent(VECTORS, 7, 9, {"label": 3, "score": 6}, dropout)


def batch(texts: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    lengths = torch.tensor([len(text) for text in texts])
    longest = int(lengths.max())
    # Any numbers after the end.
    words = torch.tensor([text + [11] * (longest - len(text)) for text in texts])
    return words, lengths


TEXTS = [[3], [1, 2, 3, 4, 5], [0, 0], [7, 8, 9], [5, 4, 3, 2, 1], [10] * 9]


def test_the_runtime_computes_what_was_trained() -> None:
    model = make().eval()
    with torch.no_grad():
        states = model.encode(*batch(TEXTS)).numpy()
    expected = states / np.linalg.norm(states, axis=1, keepdims=True)
    table = StaticEncoder(Vocabulary(WORDS), DenseMatrix(VECTORS))
    encoder = InferSentEncoder(table, model.to_network())
    texts = [" ".join(WORDS[word] for word in text) for text in TEXTS]
    # The tokenizer splits letters from digits, so the words are given as tokens.
    encoder.tokenize = str.split  # type: ignore[assignment]
    np.testing.assert_allclose(encoder.encode_batch(texts), expected, atol=1e-5)
    for text, vector in zip(texts, expected, strict=True):
        np.testing.assert_allclose(encoder.encode(text), vector, atol=1e-5)


def test_the_classifier_reads_both_vectors_their_difference_and_their_product() -> None:
    model = make().eval()
    first, second = TEXTS[:3], TEXTS[3:]
    with torch.no_grad():
        logits = model("label", *batch(first + second))
        u, v = model.encode(*batch(first)), model.encode(*batch(second))
        features = torch.cat([u, v, abs(u - v), u * v], dim=1)
        hidden = torch.tanh(features @ model.classifiers["label"][0].weight.T)
        expected = model.classifiers["label"](features)
    assert hidden.shape == (3, 9)
    assert logits.shape == (3, 3)
    np.testing.assert_allclose(logits, expected, atol=1e-5)


def test_the_words_are_not_trained() -> None:
    model = make()
    model("score", *batch(TEXTS)).sum().backward()
    assert not model.vectors.requires_grad
    assert "vectors" not in model.state_dict()
    assert model.lstm.weight_ih_l0.grad is not None


def test_dropout_is_applied_in_training_only() -> None:
    model = make(dropout=0.5)
    model.train()
    assert not torch.equal(model("label", *batch(TEXTS)), model("label", *batch(TEXTS)))
    model.eval()
    assert torch.equal(model("label", *batch(TEXTS)), model("label", *batch(TEXTS)))
