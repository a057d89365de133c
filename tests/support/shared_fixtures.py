"""Fixtures for several folders of tests, and for the laboratory's.

The public data, small encoders, exported folders.
"""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from filelock import FileLock
from hypothesis import settings

from models.random_contexts import random_context
from models.random_networks import random_network
from models.random_transformers import piece_table, random_transformer
from pocketintent.compression.codebooks import encode_matrix, fit_quantizer
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.charemb.network import CharNetwork
from pocketintent.runtime.encoders.combined import CombinedEncoder
from pocketintent.runtime.encoders.contextual.encoder import ContextualEncoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.encoders.transformer.encoder import TransformerEncoder
from pocketintent.runtime.errors import MissingExtraError
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.templates.template_set import parse_templates
from pocketintent.runtime.text.characters import CharVocabulary
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.runtime.text.vocabulary import Vocabulary

# No test depends on the clock: a slow machine must not fail one.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")

REPOSITORY = Path(__file__).resolve().parents[2]

# Words of the same line get nearly the same vector.
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


MakeOnce = Callable[[str, Callable[[Path], object]], Path]


@pytest.fixture(scope="session")
def make_once(tmp_path_factory: pytest.TempPathFactory) -> MakeOnce:
    """Returns a file or folder, which the first test that asks for it makes.

    Called as ``make_once(name, write)``; ``write(path)`` makes the file or folder. The workers of
    pytest-xdist share it: the second worker waits until it is complete. Tests must not change it.
    """
    base = tmp_path_factory.getbasetemp()
    shared = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shared"

    def make(name: str, write: Callable[[Path], object]) -> Path:
        path, unfinished = shared / name, shared / "unfinished" / name
        unfinished.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(shared / f"{name}.lock"):
            if not path.exists():
                write(unfinished)
                unfinished.rename(path)
        return path

    return make


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of public data sets; tests that need it are skipped where it is missing."""
    folder = Path(os.environ.get("POCKETINTENT_DATA") or REPOSITORY.parent / "shared" / "data")
    if not (folder / "intents").is_dir():
        pytest.skip(f"no data sets at {folder}; POCKETINTENT_DATA names their folder")
    return folder


@pytest.fixture(scope="session")
def tiny_encoder() -> StaticEncoder:
    """An encoder of about forty words and 32 dimensions, with synonyms near each other."""
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
    """The model file of ``tiny_encoder``."""
    path = tmp_path_factory.mktemp("model") / "tiny.safetensors"
    save_model(path, *tiny_encoder.to_model_file_parts())
    return path


@pytest.fixture(scope="session")
def compressed_model(tiny_encoder: StaticEncoder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model file of ``tiny_encoder``, quantised and with n-grams.

    One more word, ``um``, has a vector of zeros.
    """
    rng = np.random.default_rng(8)
    buckets = rng.normal(0.0, 0.1, (64, 32)).astype(np.float32)
    vectors = tiny_encoder.words.decode()
    quantizer = fit_quantizer(vectors, sub_dim=4, codebook_size=256)
    encoder = StaticEncoder(
        Vocabulary([*TINY_WORDS.split(), "um"]),
        encode_matrix(np.pad(vectors, ((0, 1), (0, 0))), quantizer),
        ngrams=encode_matrix(buckets, fit_quantizer(buckets, sub_dim=4, codebook_size=256)),
        ngram_settings=NgramSettings(2, 3, 64),
    )
    path = tmp_path_factory.mktemp("model") / "compressed.safetensors"
    save_model(path, *encoder.to_model_file_parts())
    return path


@pytest.fixture(scope="session")
def character_models(
    compressed_model: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """Model files with a small character network of random weights, by name.

    ``words`` and ``text`` are character encoders that read words or texts; ``combined`` has the
    words of ``compressed_model`` too.
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


@pytest.fixture(scope="session")
def contextual_model(compressed_model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model file with the tables of ``compressed_model`` and a small network over the context."""
    table = load_encoder(compressed_model)
    assert isinstance(table, StaticEncoder)
    network = random_context(table.dim, np.random.default_rng(10), scale=0.1, int8=True)
    path = tmp_path_factory.mktemp("contextual") / "contextual.safetensors"
    save_model(path, *ContextualEncoder(table, network).to_model_file_parts())
    return path


@pytest.fixture(scope="session")
def transformer_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model file with words and their pieces, and a small transformer that reads them."""
    table = piece_table(quantised=True, dim=32)
    network = random_transformer(32, np.random.default_rng(11), scale=0.1, quantised=True)
    path = tmp_path_factory.mktemp("transformer") / "transformer.safetensors"
    save_model(path, *TransformerEncoder(table, network).to_model_file_parts())
    return path


@pytest.fixture(scope="session")
def exportable_models(
    compressed_model: Path,
    character_models: dict[str, Path],
    contextual_model: Path,
    transformer_model: Path,
) -> dict[str, Path]:
    """Model files that can be exported, by name."""
    own = {"contextual": contextual_model, "transformer": transformer_model}
    return {"static": compressed_model} | own | character_models


EXPORTED_TEMPLATES = {
    "language": "en",
    "threshold": 0.4,  # the random models of the tests are never sure
    "margin": 0.01,
    "intents": {
        "lights_on": {
            "templates": ["turn on the lights", "lights on please", "lamp on"],
            "except": ["warm lights on please"],
        },
        "lights_off": {"templates": ["turn off the lights", "lamp off please"]},
        "play_music": {"templates": ["play some jazz", "play music"], "threshold": 0.6},
        "greet": {"templates": ["hello"]},
    },
    "none": ["close the gate"],
}
"""The templates of the folders that :func:`exported` returns."""
NEGATIONS = ["don't turn on the lights", "no lights on please", "do not put the lamp on"]
"""More counter-examples of ``lights_on``, in the folders with negations."""


@pytest.fixture(scope="session")
def exported(exportable_models: dict[str, Path], make_once: MakeOnce) -> Callable[..., Path]:
    """Returns the exported folder of a model in a format; tests must not change it.

    Called as ``exported(file_format)`` for ``compressed_model``, or as
    ``exported(file_format, name)`` for another of ``exportable_models``. With ``negated=True``, an
    intent has negated counter-examples.
    Graphs of a fixed length have 24 slots, and read 12 characters of a word or 24 of a text.
    """
    from pocketintent_export import export_folder

    def export(file_format: str, model: str = "static", negated: bool = False) -> Path:
        templates = parse_templates(EXPORTED_TEMPLATES)
        if negated:
            templates.add_intent("lights_on", [], counter_examples=NEGATIONS)

        def write(path: Path) -> None:
            export_folder(
                path,
                templates,
                exportable_models[model],
                file_format=file_format,  # type: ignore[arg-type]
                max_length=24,
                max_chars=24 if model == "text" else 12,
            )

        try:
            return make_once(f"{model}_{file_format}" + "_negated" * negated, write)
        except MissingExtraError as error:
            pytest.skip(str(error))

    return export
