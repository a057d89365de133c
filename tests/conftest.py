"""What the tests of several folders share: the real data, and an encoder small enough to read."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.charemb.network import CharNetwork
from pocketintent.runtime.encoders.combined.encoder import CombinedEncoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import MissingExtraError
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.quantization.quantizer import Quantizer
from pocketintent.runtime.text.characters import CharVocabulary
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.runtime.text.vocabulary import Vocabulary
from random_networks import random_network

# No test depends on the clock: a slow machine is no failure.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")

REPOSITORY = Path(__file__).resolve().parent.parent

# Words of one line get nearly the same vector.
TINY_WORDS = """\
light lights lamp
turn switch put
on
off
please could you
the a
music song jazz
play hear
stop silence
warm warmer heat
cold freezing
door gate
lock close
open unlock
pizza pasta food
eat hungry order
hello hi
bye goodbye
thanks thank
"""


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of public data sets; a test that asks for it is skipped where there is none."""
    folder = Path(os.environ.get("POCKETINTENT_DATA") or REPOSITORY.parent / "shared" / "data")
    if not (folder / "intents").is_dir():
        pytest.skip(f"no data sets at {folder}; POCKETINTENT_DATA names their folder")
    return folder


@pytest.fixture(scope="session")
def tiny_encoder() -> StaticEncoder:
    """An encoder of some forty words and 32 dimensions, with synonyms near each other."""
    rng = np.random.default_rng(7)
    words, vectors = [], []
    for line in TINY_WORDS.splitlines():
        centre = rng.standard_normal(32)
        centre *= (0.2 if line.startswith(("the", "please")) else 1.0) / np.linalg.norm(centre)
        for word in line.split():
            words.append(word)
            vectors.append(centre + rng.normal(0.0, 0.02, 32))
    return StaticEncoder(Vocabulary(words), DenseMatrix(np.array(vectors, np.float32)))


@pytest.fixture(scope="session")
def tiny_model(tiny_encoder: StaticEncoder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of ``tiny_encoder``."""
    path = tmp_path_factory.mktemp("model") / "tiny.safetensors"
    save_model(path, *tiny_encoder.to_model_file_parts())
    return path


@pytest.fixture(scope="session")
def compressed_model(tiny_encoder: StaticEncoder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of ``tiny_encoder``, as codes and with n-grams."""
    rng = np.random.default_rng(8)
    buckets = rng.normal(0.0, 0.1, (64, 32)).astype(np.float32)
    words, ngrams = (
        Quantizer.fit(vectors, sub_dim=4, codebook_size=256).encode(vectors)
        for vectors in (tiny_encoder.words.decode(), buckets)
    )
    settings = NgramSettings(2, 3, 64)
    encoder = StaticEncoder(tiny_encoder.vocabulary, words, ngrams=ngrams, ngram_settings=settings)
    path = tmp_path_factory.mktemp("model") / "compressed.safetensors"
    save_model(path, *encoder.to_model_file_parts())
    return path


@pytest.fixture(scope="session")
def character_models(
    compressed_model: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """Files of models with a small character network of random weights, by what they read.

    ``words`` and ``text`` have the network alone; ``combined`` has the words of
    ``compressed_model`` too.
    """
    rng = np.random.default_rng(9)
    characters = CharVocabulary(" 'abcdefghijklmnopqrstuvwxyz", max_chars=24)
    network = CharNetwork(dim=32, char_dim=8, hidden=8, mlp=16)
    table = load_encoder(compressed_model)
    assert isinstance(table, StaticEncoder)
    words = random_network(network, characters, rng, int8=True, reads="words")
    encoders: dict[str, CharEncoder | CombinedEncoder] = {
        "words": words,
        "text": CharEncoder(characters, network, words.weights, reads="text"),
        "combined": CombinedEncoder(StaticEncoder(table.vocabulary, table.words), words),
    }
    folder = tmp_path_factory.mktemp("character_models")
    for name, encoder in encoders.items():
        save_model(folder / f"{name}.safetensors", *encoder.to_model_file_parts())
    return {name: folder / f"{name}.safetensors" for name in encoders}


EXPORTED_TEMPLATES = {
    "language": "en",
    "threshold": 0.5,
    "margin": 0.01,
    "intents": {
        "lights_on": {"templates": ["turn on the lights", "lights on please", "lamp on"]},
        "lights_off": {"templates": ["turn off the lights", "lamp off please"]},
        "play_music": {"templates": ["play some jazz", "play music"], "threshold": 0.6},
        "greet": {"templates": ["hello"]},
    },
}
"""What :func:`exported` holds."""


@pytest.fixture(scope="session")
def exported(
    compressed_model: Path,
    character_models: dict[str, Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[..., Path]:
    """Gives the exported folder of a format, which is made once and must not be changed.

    Called as ``exported(file_format)`` for ``compressed_model``, or with the name of one of
    ``character_models`` behind it. Graphs of a fixed length take 24 slots, and 12 characters of
    a word or 24 of a text.
    """
    from pocketintent_export import export_folder

    folder = tmp_path_factory.mktemp("exported")

    def export(file_format: str, model: str = "static") -> Path:
        out = folder / f"{model}_{file_format}"
        if not out.exists():
            try:
                export_folder(
                    out,
                    EXPORTED_TEMPLATES,
                    compressed_model if model == "static" else character_models[model],
                    file_format=file_format,  # type: ignore[arg-type]
                    max_length=24,
                    max_chars=24 if model == "text" else 12,
                )
            except MissingExtraError as error:
                pytest.skip(str(error))
        return out

    return export
