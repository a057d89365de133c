"""The work for a text has a bound, whatever the text is; it is counted, not timed."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.speed.hostile_texts import TEXTS
from pocketintent import load_encoder
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.graphs.inputs import Speller
from pocketintent.runtime.quantization.quantizer import CodeArray, Quantizer
from pocketintent.runtime.text.characters import MAX_UNKNOWN_WORDS
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.runtime.text.tokenizer import MAX_CHARS

NFKC_GROWTH = 18
"""NFKC makes at most 18 code points of one, U+FDFA."""

ORDINARY = "turn on the lihgts in teh living room and play some jazz " * 2

hostile = pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)


@pytest.fixture
def texts_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of characters of each word or text that a character network has read."""
    lengths: list[int] = []
    forward = CharEncoder._forward

    def count(encoder: CharEncoder, texts: Sequence[Sequence[int]]) -> Any:
        lengths.extend(map(len, texts))
        return forward(encoder, texts)

    monkeypatch.setattr(CharEncoder, "_forward", count)
    return lengths


@hostile
@pytest.mark.parametrize(("kind", "most"), [("words", 128), ("combined", 128), ("text", 1)])
def test_a_network_reads_a_limited_number_of_words(
    character_models: dict[str, Path], kind: str, most: int, text: str, texts_read: list[int]
) -> None:
    encoder = load_encoder(character_models[kind])
    encoder.encode(text)
    assert len(texts_read) <= most == (1 if kind == "text" else MAX_UNKNOWN_WORDS)
    assert max(texts_read, default=0) <= 24  # the network's max_chars
    texts_read.clear()
    encoder.encode_batch([text, f"qqq {text}", text])
    assert len(texts_read) <= 3 * most


@hostile
@pytest.mark.parametrize("kind", ["words", "combined"])
def test_an_exported_graph_reads_the_same_words(
    character_models: dict[str, Path], kind: str, text: str
) -> None:
    encoder = load_encoder(character_models[kind])
    graph = _NetworkGraph(encoder)
    pytest.importorskip("torch")
    from pocketintent_export.kinds.registry import export_of

    export = export_of(encoder)
    inputs = export.inputs()(text)

    arrays = inputs.arrays(Speller(graph, encoder.dim))

    assert graph.num_runs <= MAX_UNKNOWN_WORDS
    assert inputs.tokens == encoder.tokenize(text)
    if kind == "words":
        length = float(np.linalg.norm(arrays["spelt"]))
        vector = arrays["spelt"] / (length or 1)
        np.testing.assert_allclose(vector, encoder.encode(text), atol=1e-5)
    else:
        assert inputs.slots is not None
        slots_vector = export.encode_slots(inputs.slots, inputs.tokens)
        np.testing.assert_allclose(slots_vector, encoder.encode(text), atol=1e-5)


class _NetworkGraph:
    """The graph ``characters``, computed by the encoder's network."""

    def __init__(self, encoder: ModelEncoder) -> None:
        self.network: CharEncoder = getattr(encoder, "characters", encoder)  # type: ignore[assignment]
        self.num_runs = 0

    def run(self, inputs: Any) -> dict[str, Any]:
        self.num_runs += 1
        return {"vectors": self.network._forward([inputs["characters"].tolist()])[0]}


MOST_NGRAMS = 2 * 2 * NFKC_GROWTH * MAX_CHARS
"""At most two n-grams of 2 and two of 3 characters for each code point."""


@hostile
def test_the_ngrams_of_a_text_are_hashed_once_and_their_rows_read_together(
    compressed_model: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = load_encoder(compressed_model)
    assert isinstance(encoder, StaticEncoder)
    num_ngrams: list[int] = []
    num_rows: list[int] = []
    buckets_of_words, decode = NgramSettings.buckets_of_words, Quantizer.decode_codes

    def count_ngrams(settings: NgramSettings, words: Sequence[str]) -> Any:
        buckets, counts = buckets_of_words(settings, words)
        num_ngrams.append(len(buckets))
        return buckets, counts

    def count_rows(quantizer: Quantizer, codes: CodeArray) -> FloatArray:
        num_rows.append(len(codes))
        return decode(quantizer, codes)

    monkeypatch.setattr(NgramSettings, "buckets_of_words", count_ngrams)
    # The words of a short text are hashed one by one, which is faster there.
    monkeypatch.setattr(NgramSettings, "buckets", lambda s, w: buckets_of_words(s, [w])[0].tolist())
    monkeypatch.setattr(Quantizer, "decode_codes", count_rows)
    encoder.encode(text)
    assert len(encoder.tokenize(text)) <= NFKC_GROWTH * MAX_CHARS
    assert len(num_ngrams) <= 1 and sum(num_ngrams) <= MOST_NGRAMS
    assert len(num_rows) <= 8  # a few words are read one by one
    assert max(num_rows) <= 4096
    num_rows.clear()
    encoder.encode(text)
    assert len(num_rows) <= 1 + len(encoder.tokenize(text)) // 4096


@pytest.mark.parametrize("kind", ["words", "combined"])
def test_the_limit_leaves_ordinary_texts_alone(
    character_models: dict[str, Path], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = load_encoder(character_models[kind]).encode(ORDINARY)
    _set_limit(monkeypatch, 10**9)
    unlimited = load_encoder(character_models[kind])
    np.testing.assert_array_equal(unlimited.encode(ORDINARY), expected)
    _set_limit(monkeypatch, 2)
    limited = load_encoder(character_models[kind])
    assert not np.array_equal(limited.encode(ORDINARY), expected)


def _set_limit(monkeypatch: pytest.MonkeyPatch, limit: int) -> None:
    monkeypatch.setattr("pocketintent.runtime.text.characters.MAX_UNKNOWN_WORDS", limit)
