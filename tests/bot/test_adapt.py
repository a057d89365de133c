import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("torch")
from models.lamp_tables import DIM
from models.random_transformers import PIECES, piece_table, random_transformer
from pocketintent.bot.adapt import (
    adapt_encoder,
    adaptation_texts,
    check_adaptable,
)
from pocketintent.compression.kinds import tables_of
from pocketintent.runtime.encoders.contextual.encoder import ContextualEncoder
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.transformer.encoder import TransformerEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.quantization.matrices import QuantizedMatrix
from pocketintent.runtime.templates.files import load_templates
from pocketintent.training.teachers.encode import encode_texts
from pocketintent.training.teachers.targets import read_targets, to_text
from pocketintent.training.vectors.table import TermVectors
from pocketintent.training.vectors.writing import write_vectors


def distance(encoder: ModelEncoder, vectors: TermVectors) -> float:
    """Mean squared difference of the texts' similarities from those of the teacher."""
    own = encoder.encode_batch(vectors.terms)
    return float(np.mean((own @ own.T - vectors.vectors @ vectors.vectors.T) ** 2))


def test_an_adapted_model_resembles_the_teacher_more_and_keeps_its_codes() -> None:
    tiny = check_adaptable(load_encoder("tiny"))
    texts = adaptation_texts(load_templates("travel").all_texts())
    vectors = encode_texts(load_encoder("fast"), texts)
    centred = vectors.vectors - vectors.vectors.mean(axis=0)
    centred /= np.linalg.norm(centred, axis=1, keepdims=True)
    vectors = TermVectors(vectors.terms, centred)

    adapted = adapt_encoder(tiny, vectors)

    assert distance(adapted, vectors) < 0.7 * distance(tiny, vectors)
    for name, table in tables_of(tiny).items():
        other = tables_of(adapted)[name]
        assert isinstance(table, QuantizedMatrix) and isinstance(other, QuantizedMatrix)
        np.testing.assert_array_equal(other.codes, table.codes)
    assert adapted.vocabulary.words == tiny.vocabulary.words
    assert adapted.background is not None


def test_a_transformer_is_adapted_and_keeps_its_codes() -> None:
    table = piece_table(quantised=True).replace(counts=np.arange(len(PIECES), 0, -1, np.uint32))
    network = random_transformer(DIM, np.random.default_rng(3), scale=0.1, quantised=True)
    encoder = check_adaptable(TransformerEncoder(table, network))
    texts = ["turn on the lamp", "turn off the lights", "play some jazz", "close the gate please"]

    vectors = encode_texts(load_encoder("tiny"), texts)

    adapted = adapt_encoder(encoder, vectors)

    assert distance(adapted, vectors) < distance(encoder, vectors)
    assert isinstance(adapted, TransformerEncoder)
    assert adapted.vocabulary.words == PIECES
    before, after = encoder.to_model_file_parts()[1], adapted.to_model_file_parts()[1]
    codes = [name for name in before if name.endswith(".codes")]
    assert "network.layers.1.feedforward.0.weight.codes" in codes
    for name in codes:
        np.testing.assert_array_equal(after[name], before[name])


def test_texts_are_distinct_and_have_single_spaces() -> None:
    texts = [
        "lights  on",
        "lights\ton",
        "lights_on",
        "",
        " \n",
        "\0",
        "ok\ud800",
        "ok",
        "a\0b",
        "😀",
    ]
    assert adaptation_texts(texts) == ["lights on", "ok", "a b", "😀"]


@given(st.lists(st.text(), min_size=1))
@settings(deadline=None)
def test_a_file_of_vectors_can_contain_any_texts(
    tmp_path_factory: pytest.TempPathFactory, any_texts: list[str]
) -> None:
    path = tmp_path_factory.mktemp("texts") / "targets.bin"
    texts = adaptation_texts([*any_texts, "lamp"])
    write_vectors(path, TermVectors(texts, np.eye(len(texts), 2, dtype=np.float32)))
    assert [to_text(term) for term in read_targets([path]).terms] == texts


def test_a_model_without_a_network_is_refused() -> None:
    tiny = check_adaptable(load_encoder("tiny"))
    assert isinstance(tiny, ContextualEncoder)
    with pytest.raises(PocketIntentError, match="kind static cannot be adapted"):
        check_adaptable(tiny.table)


def test_a_teacher_of_fewer_dimensions_is_refused() -> None:
    vectors = encode_texts(load_encoder("tiny"), ["lights on", "lights off"])
    with pytest.raises(PocketIntentError, match="have 128 dimensions, and the model 256"):
        adapt_encoder(check_adaptable(load_encoder("fast")), vectors)
