from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")
from hypothesis import given, settings
from hypothesis import strategies as st

from every_kind.shortened_checks import check_first_slots, check_slots
from pocketintent import PocketIntentError
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.files.model_file import save_model
from pocketintent_export.conformance import HOSTILE
from pocketintent_export.kinds.contract import ShortenedEncoder
from pocketintent_export.kinds.registry import export_of


@pytest.fixture(scope="module")
def static(compressed_model: Path) -> ModelEncoder:
    return load_encoder(compressed_model)


@pytest.fixture(scope="module")
def contextual() -> ModelEncoder:
    return load_encoder("fast")


@pytest.fixture(scope="module")
def transformer(transformer_model: Path) -> ModelEncoder:
    return load_encoder(transformer_model)


@pytest.fixture(scope="module")
def combined(character_models: dict[str, Path]) -> ModelEncoder:
    return load_encoder(character_models["combined"])


def shorten(encoder: ModelEncoder, *limits: int | None) -> ShortenedEncoder:
    export = export_of(encoder)
    return ShortenedEncoder(export, export.inputs(*limits))


@given(text=st.one_of(st.text(), st.sampled_from(HOSTILE)))
@settings(max_examples=50)
def test_slots_give_the_runtime_vector(
    static: ModelEncoder,
    contextual: ModelEncoder,
    transformer: ModelEncoder,
    combined: ModelEncoder,
    text: str,
) -> None:
    for encoder in (static, contextual, transformer, combined):
        check_slots(encoder, text)


@pytest.mark.parametrize("name", ["static", "contextual", "transformer"])
def test_a_long_text_is_encoded_as_its_first_slots(
    name: str, request: pytest.FixtureRequest
) -> None:
    encoder: ModelEncoder = request.getfixturevalue(name)
    check_first_slots(encoder)


def test_a_word_is_cut_off_between_its_pieces(transformer: ModelEncoder) -> None:
    short = shorten(transformer, 3)
    assert np.allclose(short.encode("lamp lighting"), transformer.encode("lamp lighting"))
    assert np.allclose(short.encode("the lamp lighting"), transformer.encode("the lamp light"))


def test_words_that_are_spelt_out_take_no_slot(combined: ModelEncoder) -> None:
    short = shorten(combined, 3)
    expected = combined.encode("turn on the muisc lmap")
    assert np.allclose(short.encode("muisc turn on the lights lmap"), expected, atol=1e-6)


def test_a_long_word_is_read_to_its_first_characters(combined: ModelEncoder) -> None:
    short = shorten(combined, None, 4)
    assert np.allclose(short.encode("turn muisccc"), combined.encode("turn muis"), atol=1e-6)
    assert np.allclose(short.encode("please lights on"), combined.encode("please lights on"))


def test_a_long_text_is_read_to_its_first_characters(character_models: dict[str, Path]) -> None:
    encoder = load_encoder(character_models["text"])
    short = shorten(encoder, None, 7)
    assert np.allclose(short.encode("turn on the light"), encoder.encode("turn on"), atol=1e-6)


def test_no_more_characters_are_read_than_the_model_reads(combined: ModelEncoder) -> None:
    characters = export_of(combined).inputs(None, 10**6).characters
    assert characters is not None
    assert characters.max_chars == 24


def _float32(path: Path, name: str, character_models: dict[str, Path]) -> Path:
    from pocketintent.compression.quantise import quantise_charemb
    from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
    from pocketintent.runtime.encoders.combined import CombinedEncoder

    encoder: Any = load_encoder(character_models[name])
    if isinstance(encoder, CharEncoder):
        encoder = quantise_charemb(encoder, "float32")
    else:
        floats = quantise_charemb(encoder.characters, "float32")
        encoder = CombinedEncoder(encoder.words, floats)
    save_model(path, *encoder.to_model_file_parts())
    return path


@pytest.mark.parametrize("name", ["words", "text", "combined"])
def test_a_network_of_floats_is_refused_with_what_mends_it(
    character_models: dict[str, Path], name: str, tmp_path: Path
) -> None:
    path = _float32(tmp_path / "floats.safetensors", name, character_models)
    with pytest.raises(PocketIntentError, match=r"float32.*--weights int8") as raised:
        export_of(load_encoder(path)).check(str(path))
    assert str(path) in str(raised.value)


def test_a_table_of_floats_is_refused_with_the_command_that_mends_it(
    tiny_encoder: StaticEncoder, character_models: dict[str, Path], tmp_path: Path
) -> None:
    from pocketintent.runtime.encoders.combined import CombinedEncoder

    network = load_encoder(character_models["words"])
    combined = CombinedEncoder(tiny_encoder, network)  # type: ignore[arg-type]
    path = tmp_path / "floats.safetensors"
    save_model(path, *combined.to_model_file_parts())
    with pytest.raises(
        PocketIntentError, match=r"not compressed.*pocketintent compress WORDS --characters"
    ):
        export_of(load_encoder(path)).check(str(path))
