"""The fixtures of the product, and models of the kinds of the laboratory."""

from pathlib import Path

import numpy as np
import pytest

from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.files.model_file import save_model
from pocketintent_lab.encoders.convrr.encoder import ConvrrEncoder
from pocketintent_lab.encoders.infersent.encoder import InferSentEncoder
from random_heads import random_head
from random_lstms import random_lstm
from shared_fixtures import *  # noqa: F403

pytest.register_assert_rewrite("every_kind")


@pytest.fixture(params=["infersent", "convrr", "fcrr"])
def kind(request: pytest.FixtureRequest) -> str:
    """Each of the laboratory's models of ``exportable_models``."""
    name: str = request.param
    return name


@pytest.fixture(scope="session")
def exportable_models(
    compressed_model: Path, adapted_models: dict[str, Path], infersent_model: Path
) -> dict[str, Path]:
    """Model files that can be exported, by name."""
    return {"static": compressed_model, "infersent": infersent_model} | adapted_models


@pytest.fixture(scope="session")
def adapted_models(
    compressed_model: Path, contextual_model: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """Model files with an adapter of random weights, by name.

    ``convrr`` adapts ``contextual_model`` by windows of words, ``fcrr`` adapts
    ``compressed_model`` by the vector of the text.
    """
    rng = np.random.default_rng(11)
    contextual, static = map(load_encoder, (contextual_model, compressed_model))
    encoders = {
        "convrr": ConvrrEncoder(contextual, random_head(32, rng, kernels=6, scale=0.3)),
        "fcrr": ConvrrEncoder(static, random_head(32, rng, network="fcrr", scale=0.3)),
    }
    folder = tmp_path_factory.mktemp("adapted_models")
    for name, encoder in encoders.items():
        save_model(folder / f"{name}.safetensors", *encoder.to_model_file_parts())
    return {name: folder / f"{name}.safetensors" for name in encoders}


@pytest.fixture(scope="session")
def infersent_model(compressed_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model file with the tables of ``compressed_model`` and a small BiLSTM over them."""
    table = load_encoder(compressed_model)
    assert isinstance(table, StaticEncoder)
    # Sentence vectors of 32 dimensions, as in the other models.
    network = random_lstm(table.dim, np.random.default_rng(11), hidden=16, int8=True)
    path = tmp_path_factory.mktemp("infersent") / "infersent.safetensors"
    save_model(path, *InferSentEncoder(table, network).to_model_file_parts())
    return path
