import json
from pathlib import Path

import numpy as np
import pytest

from models.random_networks import random_network
from pocketintent.evaluation.metrics import pearson
from pocketintent.evaluation.similarity.sts import evaluate_sts
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.charemb.network import CharNetwork
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.text.characters import CharVocabulary
from pocketintent.training.vectors.table import TermVectors
from pocketintent.training.vectors.writing import write_vectors
from pocketintent_lab.evaluation.similarity.reconstruction import (
    evaluate_reconstruction,
    reconstruct,
)

TERMS = ["light", "lamp", "turn", "on", "music", "play", "machine_learning"]
PAIRS = [
    ("turn on the light", "turn on the lamp", 5.0),
    ("play music", "light on", 1.0),
    ("lamp", "music", 0.0),
]


def make_charemb(dim: int = 6) -> CharEncoder:
    rng = np.random.default_rng(3)
    vocabulary = CharVocabulary(" abcdefghijklmnopqrstuvwxyz", max_chars=32)
    network = CharNetwork(dim=dim, char_dim=4, hidden=4, layers=1, mlp=5, heads=2)
    return random_network(network, vocabulary, rng, scale=0.7)


@pytest.fixture
def charemb(tmp_path: Path) -> Path:
    path = tmp_path / "charemb.safetensors"
    save_model(path, *make_charemb().to_model_file_parts())
    return path


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "sts.jsonl"
    path.write_text("\n".join(json.dumps({"a": a, "b": b, "score": s}) for a, b, s in PAIRS))
    return path


@pytest.fixture
def target(tmp_path: Path) -> TermVectors:
    rng = np.random.default_rng(4)
    return TermVectors(TERMS, rng.normal(size=(len(TERMS), 6)).astype(np.float32))


def plain_pearson(terms: TermVectors) -> float:
    """Correlate the cosine of the mean vectors of known words with the scores."""
    table = dict(zip(terms.terms, terms.vectors, strict=True))

    def mean(text: str) -> FloatArray:
        total: FloatArray = np.mean([table[word] for word in text.split() if word in table], axis=0)
        return total / np.linalg.norm(total)

    return pearson([mean(a) @ mean(b) for a, b, _ in PAIRS], [score for *_, score in PAIRS])


@pytest.mark.parametrize("suffix", [".txt", ".bin", ".safetensors"])
def test_both_tables_are_means_of_their_word_vectors(
    suffix: str, target: TermVectors, charemb: Path, pairs: Path, tmp_path: Path
) -> None:
    path = tmp_path / f"target{suffix}"
    write_vectors(path, target)
    report = evaluate_reconstruction(pairs, path, charemb)
    rebuilt = TermVectors(TERMS, make_charemb().embed_terms(TERMS))
    assert report["original"]["pearson"] == pytest.approx(plain_pearson(target), abs=1e-5)
    assert report["reconstructed"]["pearson"] == pytest.approx(plain_pearson(rebuilt), abs=1e-5)
    cosines = [
        a @ b / np.linalg.norm(a) / np.linalg.norm(b)
        for a, b in zip(target.vectors, rebuilt.vectors, strict=True)
    ]
    assert report["cosine"] == pytest.approx(np.mean(cosines), abs=1e-5)
    assert report["known_tokens"] == pytest.approx(12 / 14)  # all but "the", twice
    assert (report["pairs"], report["terms"], report["dim"]) == (3, 7, 6)


def test_terms_of_the_target_are_joined_in_the_sentences(
    target: TermVectors, charemb: Path, tmp_path: Path
) -> None:
    vectors, path = tmp_path / "target.tsv", tmp_path / "pairs.jsonl"
    write_vectors(vectors, target)
    texts = [("machine learning", other, n) for n, other in enumerate(["lamp", "play", "on"])]
    path.write_text("\n".join(json.dumps({"a": a, "b": b, "score": s}) for a, b, s in texts))
    report = evaluate_reconstruction(path, vectors, charemb)
    term = target.vectors[TERMS.index("machine_learning")]
    cosines = [
        term @ word / np.linalg.norm(term) / np.linalg.norm(word)
        for word in (target.vectors[TERMS.index(b)] for _, b, _ in texts)
    ]
    assert report["original"]["pearson"] == pytest.approx(pearson(cosines, [0, 1, 2]), abs=1e-5)
    assert report["known_tokens"] == 1.0


def test_a_model_that_reconstructs_its_target_loses_nothing(
    target: TermVectors, charemb: Path, pairs: Path, tmp_path: Path
) -> None:
    path = tmp_path / "target.bin"
    write_vectors(path, reconstruct(target, make_charemb()))
    report = evaluate_reconstruction(pairs, path, charemb)
    assert report["original"] == pytest.approx(report["reconstructed"])
    assert report["cosine"] == pytest.approx(1.0)


def test_the_factors_are_of_bytes_and_of_numbers(
    target: TermVectors, charemb: Path, pairs: Path, tmp_path: Path
) -> None:
    path = tmp_path / "target.txt"
    write_vectors(path, target)
    compression = evaluate_reconstruction(pairs, path, charemb, limit=5)["compression"]
    assert compression["original_bytes"] == 5 * 6 * 4
    assert compression["model_bytes"] == charemb.stat().st_size
    assert compression["factor"] == 120 / charemb.stat().st_size
    encoder = make_charemb()
    shapes = encoder.network.shapes(len(encoder.vocabulary), 32).values()
    assert compression["model_numbers"] == sum(int(np.prod(shape)) for shape in shapes)
    assert compression["factor_numbers"] == 30 / compression["model_numbers"]


def test_a_brace_where_a_model_has_one_does_not_make_a_model_of_a_text(
    target: TermVectors, charemb: Path, pairs: Path, tmp_path: Path
) -> None:
    path = tmp_path / "target.tsv"
    write_vectors(path, TermVectors(["machine {learning}", *TERMS[1:]], target.vectors))
    assert path.read_bytes()[8:9] == b"{"
    assert evaluate_reconstruction(pairs, path, charemb)["terms"] == len(TERMS)


def test_terms_of_several_batches_stay_in_order(
    monkeypatch: pytest.MonkeyPatch, target: TermVectors
) -> None:
    monkeypatch.setattr("pocketintent_lab.evaluation.similarity.reconstruction._TERMS_AT_ONCE", 2)
    rebuilt = reconstruct(target, make_charemb())
    assert rebuilt.terms == TERMS
    np.testing.assert_allclose(rebuilt.vectors, make_charemb().embed_terms(TERMS), atol=1e-6)


def test_the_original_equals_the_plain_evaluation_of_its_model(
    tiny_encoder: StaticEncoder, tiny_model: Path, pairs: Path, tmp_path: Path
) -> None:
    path = tmp_path / "wide.safetensors"
    save_model(path, *make_charemb(tiny_encoder.dim).to_model_file_parts())
    report = evaluate_reconstruction(pairs, tiny_model, path)
    plain = evaluate_sts(tiny_encoder, pairs)
    assert report["original"]["pearson"] == pytest.approx(plain["pearson"], abs=1e-6)


def test_models_that_do_not_fit_are_rejected(
    tiny_model: Path, charemb: Path, pairs: Path, tmp_path: Path
) -> None:
    with pytest.raises(
        PocketIntentError, match="kind 'static', but a model of kind 'charemb' is required"
    ):
        evaluate_reconstruction(pairs, tiny_model, tiny_model)
    with pytest.raises(PocketIntentError, match=r"has 6 dimensions, but .* has 32"):
        evaluate_reconstruction(pairs, tiny_model, charemb)
    with pytest.raises(PocketIntentError, match="cannot be read"):
        evaluate_reconstruction(pairs, tmp_path / "absent.txt", charemb)
