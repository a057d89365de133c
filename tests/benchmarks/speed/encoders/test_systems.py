from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.speed.encoders.systems import (
    Candidate,
    Forgetful,
    make_charemb,
    make_network,
    open_model,
)
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.word_cache import WordCache

KEEPS = {
    "static": True,
    "contextual": True,
    "transformer": True,
    "words": True,
    "combined": True,
    "text": False,
}


@pytest.fixture
def models(
    compressed_model: Path,
    contextual_model: Path,
    transformer_model: Path,
    character_models: dict[str, Path],
) -> dict[str, Path]:
    own = {"contextual": contextual_model, "transformer": transformer_model}
    return {"static": compressed_model} | own | character_models


def num_kept(encoder: Any) -> int:
    """Number of words in the caches of an encoder and of the encoders that it consists of."""
    parts = [encoder, *(part for part in vars(encoder).values() if isinstance(part, ModelEncoder))]
    values = [value for part in parts for value in vars(part).values()]
    return sum(len(value) for value in values if isinstance(value, WordCache))


@pytest.mark.parametrize(("name", "keeps"), KEEPS.items())
def test_encoders_that_read_words_keep_the_unknown_ones(
    models: dict[str, Path], name: str, keeps: bool
) -> None:
    candidate = open_model(str(models[name]))
    assert candidate.keeps_words == keeps
    assert (candidate.name, candidate.bytes) == (models[name].name, models[name].stat().st_size)
    assert candidate.trained


def test_a_table_without_ngrams_keeps_nothing(tiny_model: Path) -> None:
    assert not open_model(str(tiny_model)).keeps_words


def test_an_encoder_of_another_package_keeps_nothing() -> None:
    class Other:
        dim = 2
        template_quantizer = None
        background = None
        known_words = None

        def encode(self, text: str) -> np.ndarray:
            return np.zeros(2, np.float32)

        def encode_batch(self, texts: object) -> np.ndarray:
            return np.zeros((0, 2), np.float32)

    assert not Candidate("other", "other", Other(), 0).keeps_words


@pytest.mark.parametrize("name", KEEPS)
def test_a_forgetful_encoder_computes_unknown_words_again(
    models: dict[str, Path], name: str
) -> None:
    encoder = load_encoder(models[name])
    forgetful = Forgetful(encoder)
    expected = encoder.replace().encode("turn on unheard wrods")
    # Words that are computed apart from the others may be rounded otherwise.
    another = encoder.replace()
    another.encode_batch(["unheard wrods"])
    expected_after_two = another.encode("turn on unheard wrods")
    np.testing.assert_allclose(expected_after_two, expected, atol=1e-6)

    forgetful.read(["unheard wrods"])
    np.testing.assert_array_equal(forgetful.encode("turn on unheard wrods"), expected_after_two)
    before = forgetful._encoder
    assert (num_kept(before) > 0) == KEEPS[name]
    forgetful.forget()
    assert forgetful._encoder is not before
    assert num_kept(forgetful._encoder) == 0
    np.testing.assert_array_equal(forgetful.encode("turn on unheard wrods"), expected)


@pytest.mark.parametrize("reads", ["text", "words"])
def test_an_untrained_preset_encodes_at_unit_length(reads: str) -> None:
    pytest.importorskip("torch")
    candidate = make_charemb("tiny", reads, 16)  # type: ignore[arg-type]
    assert (candidate.name, candidate.trained) == (f"tiny ({reads})", False)
    assert candidate.keeps_words == (reads == "words")
    assert np.linalg.norm(candidate.encoder.encode("turn it on")) == pytest.approx(1, abs=1e-5)


def test_a_network_has_the_same_weights_each_time() -> None:
    torch = pytest.importorskip("torch")
    (first, _), (second, _) = make_network("tiny", 16), make_network("tiny", 16)
    for name, tensor in first.state_dict().items():
        assert torch.equal(tensor, second.state_dict()[name]), name
