"""The models that can be exported, what their graphs take, and the runtime cut as graphs cut."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from pathlib import Path

import numpy as np

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.combined.encoder import CombinedEncoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.graphs.inputs import GraphInputs
from pocketintent.runtime.graphs.slots import Slots, TokenInputs
from pocketintent.runtime.quantization.matrices import QuantizedMatrix
from pocketintent.runtime.text.characters import CharVocabulary
from pocketintent.runtime.text.tokenizer import get_tokenizer

Exportable = StaticEncoder | CharEncoder | CombinedEncoder


def load_exportable(source: Path) -> Exportable:
    """Open a model file whose parts are all stored in less than floats.

    Raises:
        PocketIntentError: The file cannot be used, or the model cannot be exported.
    """
    encoder = load_encoder(source)
    if not isinstance(encoder, Exportable):
        kind = getattr(encoder, "kind", type(encoder).__name__)
        raise PocketIntentError(f"{source}: encoders of kind {kind!r} cannot be exported")
    table, network = table_of(encoder), network_of(encoder)
    matrices = () if table is None else (table.words, table.ngrams)
    if any(not isinstance(matrix, QuantizedMatrix | None) for matrix in matrices):
        command = f"pocketintent compress {source} --out small.safetensors"
        if network is not None:
            command = (
                "pocketintent combine WORDS CHAREMB --sub-dim 4 --codebook-size 256 --out FILE"
            )
        raise PocketIntentError(
            f"{source}: the model is not compressed, and an export holds codes; make one "
            f"first: {command}"
        )
    if network is not None and network.weights.format == "float32":
        again = ", and combine it with the words anew" if table is not None else ""
        raise PocketIntentError(
            f"{source}: the weights of the character network are float32, and an export holds "
            "them as int8 or codes; make the network so, by pocketintent train charemb --weights "
            "int8 or, without training, by quantise_charemb of "
            f"pocketintent.compression.network{again}"
        )
    return encoder


def table_of(encoder: Exportable) -> StaticEncoder | None:
    """The model's table of words, if it has one."""
    if isinstance(encoder, CombinedEncoder):
        return encoder.words
    return encoder if isinstance(encoder, StaticEncoder) else None


def network_of(encoder: Exportable) -> CharEncoder | None:
    """The model's character network, if it has one."""
    if isinstance(encoder, CombinedEncoder):
        return encoder.characters
    return encoder if isinstance(encoder, CharEncoder) else None


def reads_text(encoder: Exportable) -> bool:
    """Whether the model reads a text as a whole, and not word by word."""
    return isinstance(encoder, CharEncoder) and encoder.reads == "text"


def graph_inputs(
    encoder: Exportable, max_length: int | None = None, max_chars: int | None = None
) -> GraphInputs:
    """What turns a text into the inputs of the graphs of a model.

    Args:
        encoder: The model.
        max_length: Slots to keep; None for all.
        max_chars: Characters of a text or a word to keep; None, or more than the model's own
            number, for that.
    """
    table, network = table_of(encoder), network_of(encoder)
    characters = None
    if network is not None:
        own = network.vocabulary
        kept = own.max_chars if max_chars is None else min(own.max_chars, max_chars)
        characters = CharVocabulary(own.characters, kept)
    if reads_text(encoder):
        return GraphInputs(None, None, characters)
    spec = encoder.tokenizer_spec
    if table is None:
        return GraphInputs(get_tokenizer(spec), None, characters)
    slots = TokenInputs(table.vocabulary, spec, table.ngram_settings, max_length)
    return GraphInputs(slots.tokenize, slots, characters)


class CutEncoder:
    """The runtime's encoder for graphs of fixed lengths: what is past a length is cut off.

    Args:
        encoder: The encoder.
        inputs: What makes the graphs' inputs, with their lengths.
    """

    def __init__(self, encoder: Exportable, inputs: GraphInputs) -> None:
        self.dim = encoder.dim
        self.template_quantizer = getattr(encoder, "template_quantizer", None)
        self._encoder = _shortened(encoder, inputs.characters)
        self._inputs = inputs

    def encode(self, text: str) -> FloatArray:
        """The sentence vector, float32 [dim], by the runtime wherever no slot is cut off."""
        made = self._inputs(text)
        if made.slots is None or len(made.slots[0]) != self._inputs.max_length:
            return self._encoder.encode(text)
        assert made.tokens is not None
        return encode_slots(self._encoder, made.slots, made.tokens)

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The vectors of several texts, float32 [num_texts, dim]."""
        return np.stack([self.encode(text) for text in texts])


def encode_slots(encoder: Exportable, slots: Slots, tokens: Sequence[str]) -> FloatArray:
    """The sentence vector of slots and of the tokens that are spelt out, plainly.

    Args:
        encoder: A model with a table.
        slots: Ids and weights.
        tokens: The tokens; those that the table lacks are spelt out if there is a network.

    Returns:
        float32 [dim].
    """
    table = table_of(encoder)
    assert table is not None
    ids, weights = slots[0].astype(np.intp), slots[1]
    in_words = ids < len(table.words)
    total = weights[in_words] @ table.words.rows(ids[in_words])
    if table.ngrams is not None:
        rows = table.ngrams.rows(ids[~in_words] - len(table.words))
        total = total + weights[~in_words] @ rows
    if isinstance(encoder, CombinedEncoder):
        unknown = [token for token in tokens if token not in table.vocabulary]
        total = total + encoder.embed_unknown(unknown).sum(axis=0)
    norm = np.sqrt(total @ total)
    vector: FloatArray = (total / norm if norm > 0 else total).astype(np.float32)
    return vector


def _shortened(encoder: Exportable, characters: CharVocabulary | None) -> Exportable:
    """The model, which reads no more characters than these say."""
    network = network_of(encoder)
    if network is None or characters is None:
        return encoder
    if network.vocabulary.max_chars == characters.max_chars:
        return encoder
    short = copy(network)
    short.vocabulary = characters
    short._words = {}  # of vectors of longer words
    if isinstance(encoder, CombinedEncoder):
        return CombinedEncoder(encoder.words, short, encoder.attention)
    return short
