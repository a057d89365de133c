from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.combined import CombinedEncoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.files.shipped_models import bundled_models
from pocketintent_export.kinds.registry import export_of
from pocketintent_export.layers.similarities import unit


def test_zeros_have_no_length_and_stay_zeros() -> None:
    vectors = unit(torch.tensor([[3.0, 4.0], [0.0, 0.0]]))

    np.testing.assert_allclose(vectors.numpy(), [[0.6, 0.8], [0.0, 0.0]], atol=1e-6)


def test_known_words_and_spelt_ones_are_added_up(character_models: dict[str, Path]) -> None:
    encoder = load_encoder(character_models["combined"])
    assert isinstance(encoder, CombinedEncoder)
    module = export_of(encoder).modules("tflite", 12)["encoder"]
    ids = torch.tensor([encoder.vocabulary.ids(["turn", "on"])], dtype=torch.int32)
    spelt = torch.from_numpy(encoder.embed_unknown(["lihgts", "now"]).sum(0, keepdims=True))

    vector = module(ids, torch.ones(1, 2), spelt)

    expected = encoder.encode("turn on lihgts now")
    np.testing.assert_allclose(vector[0].numpy(), expected, atol=1e-6)


def test_where_all_words_are_spelt_their_sum_gets_unit_length(
    character_models: dict[str, Path],
) -> None:
    encoder = load_encoder(character_models["words"])
    assert isinstance(encoder, CharEncoder)
    spelt = torch.from_numpy(encoder.embed_terms(["turn", "on"]).sum(0, keepdims=True))

    vector = export_of(encoder).modules("tflite", 12)["encoder"](spelt)

    np.testing.assert_allclose(vector[0].numpy(), encoder.encode("turn on"), atol=1e-6)


@pytest.mark.parametrize("text", ["turn it on", ""])
def test_a_text_is_read_as_a_whole(character_models: dict[str, Path], text: str) -> None:
    encoder = load_encoder(character_models["text"])
    assert isinstance(encoder, CharEncoder)
    numbers = encoder.vocabulary.numbers(text)
    row = torch.zeros(1, 12, dtype=torch.int32)
    row[0, : len(numbers)] = torch.tensor(numbers, dtype=torch.int32)

    module = export_of(encoder).modules("tflite", 12)["encoder"]
    vector = module(row, torch.tensor([len(numbers)], dtype=torch.int32))

    np.testing.assert_allclose(vector[0].numpy(), encoder.encode(text), atol=1e-6)


@pytest.mark.parametrize("name", bundled_models())
def test_a_shipped_model_is_ready_to_be_exported(name: str) -> None:
    export_of(load_encoder(name)).check(name)
