from pathlib import Path
from typing import Any

import numpy as np
import pytest

from every_kind.encoder_checks import (
    check_copies,
    check_equations,
    check_save_and_load,
)
from models.lamp_tables import DIM, make_table
from models.random_contexts import random_context
from models.random_networks import random_network
from pocketintent import IntentRecognizer
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.charemb.network import CharNetwork
from pocketintent.runtime.encoders.contextual.encoder import ContextualEncoder
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.sequence import MAX_TOKENS
from pocketintent.runtime.errors import ModelFileError, PocketIntentError
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.text.characters import CharVocabulary
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent_lab.encoders.convrr.encoder import ConvrrEncoder
from pocketintent_lab.encoders.tokens import combine_tokens, embed_tokens
from random_heads import random_head

TEXTS = [
    "turn on the lamp",
    "lamp the on turn",
    "play zzz",
    "um",
    "um lamp",
    "",
    "zzz",
    "🙂 \0 play",
    "lamp music " * 200,
]


def make_inner(kind: str = "static", ngrams: bool = True) -> ModelEncoder:
    table = make_table(ngrams)
    if kind == "static":
        return table
    return ContextualEncoder(table, random_context(DIM, np.random.default_rng(2)))


def make(kind: str = "static", ngrams: bool = True, **options: Any) -> ConvrrEncoder:
    head = random_head(DIM, np.random.default_rng(3), **options)
    return ConvrrEncoder(make_inner(kind, ngrams), head)


def plain_vector(encoder: ConvrrEncoder, text: str) -> FloatArray:
    """Equations 5 to 7 in float64, one window at a time."""
    words = embed_tokens(encoder.inner, encoder.tokenize(text))[:MAX_TOKENS].astype(np.float64)
    if not len(words):
        return np.zeros(encoder.dim, np.float32)
    head = encoder.head
    base = combine_tokens(encoder.inner, words.astype(np.float32)).astype(np.float64)
    rows = words if head.network == "convrr" else base[None]
    features = []
    for middle in range(len(rows)):
        window = [
            rows[place] if 0 <= place < len(rows) else np.zeros(encoder.dim)
            for place in range(middle - head.width // 2, middle + head.width // 2 + 1)
        ]
        kernels = head.inner.decode() @ np.concatenate(window) + head.bias
        features.append(np.maximum(kernels, 0))
    added = np.mean(features, axis=0)
    if head.outer is not None:
        added = head.outer.decode() @ added
    total = base + head.scale * added
    length = np.linalg.norm(total)
    return (total / length if length else total).astype(np.float32)


@pytest.mark.parametrize("kind", ["static", "contextual"])
@pytest.mark.parametrize("ngrams", [False, True])
@pytest.mark.parametrize(
    "options", [{}, {"width": 5}, {"width": 1, "kernels": 3}, {"network": "fcrr"}], ids=str
)
def test_the_vectors_are_those_of_the_equations(
    kind: str, ngrams: bool, options: dict[str, Any]
) -> None:
    encoder = make(kind, ngrams, **options)
    check_equations(encoder, plain_vector, TEXTS)
    for row, text in zip(encoder.encode_batch(TEXTS), TEXTS, strict=True):
        np.testing.assert_array_equal(row, encoder.encode(text))


@pytest.mark.parametrize("kind", ["static", "contextual"])
def test_a_head_without_scale_leaves_the_vectors(kind: str) -> None:
    encoder = make(kind, scale=0.0)
    texts = TEXTS[:-1]
    np.testing.assert_allclose(
        encoder.encode_batch(texts), encoder.inner.encode_batch(texts), atol=1e-6
    )


def test_the_order_of_the_words_counts_for_windows_alone() -> None:
    one, other = make().encode_batch(TEXTS[:2])
    assert one @ other < 0.999
    one, other = make(network="fcrr").encode_batch(TEXTS[:2])
    np.testing.assert_allclose(one, other, atol=1e-6)


@pytest.mark.parametrize("kind", ["static", "contextual"])
@pytest.mark.parametrize("kernels", [None, 3])
def test_it_is_saved_and_loaded(kind: str, kernels: int | None, tmp_path: Path) -> None:
    loaded = check_save_and_load(make(kind, kernels=kernels), tmp_path, TEXTS)
    assert loaded.inner.kind == kind and loaded.manifest["training"] == 1
    inner, _ = loaded.inner.to_model_file_parts()
    assert "convrr" not in inner


def test_copies_and_replaced_parts() -> None:
    encoder = make("contextual")
    check_copies(encoder, TEXTS)
    changed = encoder.replace(manifest={"a": 1})
    assert changed.manifest == {"a": 1} and changed.head is encoder.head
    assert encoder.replace(background=None).background is None
    assert "kind convrr, 8 dimensions, 9 words" in repr(encoder)


def test_a_recogniser_matches() -> None:
    templates = {"on": ["turn on the lamp", "light on"], "play": ["play music"]}
    recognizer = IntentRecognizer(make("contextual", scale=0.05), templates)
    assert recognizer.match("please turn on the lamp").nearest == "on"
    assert recognizer.match("play music").nearest == "play"


def test_parts_that_do_not_fit_are_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(ModelFileError, match="8 dimensions, and its adapter has 6"):
        ConvrrEncoder(make_inner(), random_head(6, rng))
    with pytest.raises(ModelFileError, match="has an adapter already"):
        ConvrrEncoder(make(), random_head(DIM, rng))
    weightless = make_inner().replace(ngram_settings=NgramSettings(2, 3, 7, 0))
    with pytest.raises(ModelFileError, match="n-grams have the weight 0"):
        ConvrrEncoder(weightless, random_head(DIM, rng))
    network = CharNetwork(dim=DIM, char_dim=4, hidden=4, mlp=4)
    characters = random_network(network, CharVocabulary("abc", max_chars=8), rng)
    with pytest.raises(PocketIntentError, match="kind 'charemb' cannot be adapted"):
        ConvrrEncoder(characters, random_head(DIM, rng))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"network": "cnn"}, "network 'cnn' and width 3"),
        ({"width": 2}, "width 2"),
        ({"width": "3"}, "whole number as width"),
        ({"scale": float("inf")}, "scale of convrr"),
        ({"kernels": 5}, "5 kernels, but the file has 8"),
        ({"mapped": True}, "convrr.outer"),
        ({"inner": "convrr"}, "kind of the adapted encoder"),
        ({"inner": "unheard"}, "unknown encoder kind"),
        (None, "no object 'convrr'"),
    ],
    ids=str,
)
def test_a_damaged_entry_is_refused_with_the_name_of_the_file(
    changes: dict[str, Any] | None, message: str, tmp_path: Path
) -> None:
    manifest, tensors = make().to_model_file_parts()
    entry = None if changes is None else {**manifest["convrr"], **changes}
    path = tmp_path / "model.safetensors"
    save_model(path, {**manifest, "convrr": entry}, tensors)
    with pytest.raises(ModelFileError, match=rf"model\.safetensors: .*{message}"):
        load_encoder(path)


@pytest.mark.parametrize("name", ["convrr.bias", "convrr.inner.codes"])
def test_a_tensor_that_does_not_fit_is_refused(name: str, tmp_path: Path) -> None:
    manifest, tensors = make().to_model_file_parts()
    path = tmp_path / "model.safetensors"
    for changed in (tensors[name][:-1], None):
        others = {key: tensor for key, tensor in tensors.items() if key != name}
        save_model(path, manifest, others if changed is None else {**others, name: changed})
        with pytest.raises(ModelFileError, match=r"convrr|kernels"):
            load_encoder(path)
