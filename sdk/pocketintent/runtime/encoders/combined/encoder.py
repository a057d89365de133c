"""``CombinedEncoder``: a table of word vectors, and a character network for unknown words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray, unit_vector
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.combined.attention import Attention, TableAttention
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.parts import manifest_entry
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.encoders.word_cache import WordCache
from pocketintent.runtime.errors import ModelFileError, PocketIntentError
from pocketintent.runtime.files.model_file import ModelFile
from pocketintent.runtime.text.characters import limit_unknown_words

PART = "charemb"
"""Manifest entry of the character network and, with a dot, prefix of its tensors."""

_SHARED = ("kind", "dim", "tokenizer")  # entries that the model and its network share
_TEXTS_AT_ONCE = 256


class CombinedEncoder(ModelEncoder):
    """A table of word vectors, with a character network for words outside the table.

    The vector of a text is the sum of its words' vectors at unit length, as in
    :class:`StaticEncoder`. The network was trained on the table's vectors and predicts both the
    direction and the length of a word's vector, so that a misspelt word counts about as much as
    the correct one. With ``attention`` the prediction is moved towards similar words of the table:
    see :class:`TableAttention`. At most ``MAX_UNKNOWN_WORDS`` different unknown words of a text
    are read.

    Args:
        words: The table, without n-grams; also the tokenizer, template codebook, background and
            manifest entries.
        characters: The network. It reads unknown words one by one, whatever its ``reads``.
        attention: Settings of the attention over the table; None for no attention.

    Raises:
        ModelFileError: The parts differ in dimensions or tokenizer, or the table has n-grams.
    """

    kind: ClassVar[str] = "combined"
    part: ClassVar[str | None] = "words"

    def __init__(
        self, words: StaticEncoder, characters: CharEncoder, attention: Attention | None = None
    ) -> None:
        own, other = words.dim, characters.dim
        if own != other:
            raise ModelFileError(
                f"the words have {own} dimensions and the character network has {other}"
            )
        spec, other_spec = words.tokenizer_spec, characters.tokenizer_spec
        if spec != other_spec:
            raise ModelFileError(
                f"the words have the tokenizer {spec}, and the character network has {other_spec}"
            )
        if words.ngrams is not None:
            raise ModelFileError(
                "a combined encoder can have no n-grams, since its character network embeds "
                "unknown words; use a table without n-grams"
            )
        self.words = words
        self.characters = characters
        self.attention = attention
        self.dim = words.dim
        self.vocabulary = words.vocabulary
        self.tokenizer_spec = words.tokenizer_spec
        self.tokenize = words.tokenize
        self.template_quantizer = words.template_quantizer
        self.background = words.background
        self.manifest = words.manifest
        self._attend = None if attention is None else TableAttention(words.words, attention)
        self._unknown_vectors = WordCache(self.embed_unknown, self.dim)

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The sentence vectors of several texts, float32 [num_texts, dim].

        They equal those of :meth:`encode` up to the rounding of products of other sizes.
        """
        vectors = np.empty((len(texts), self.dim), np.float32)
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            token_lists = [
                limit_unknown_words(self.tokenize(text), self.vocabulary)
                for text in texts[start : start + _TEXTS_AT_ONCE]
            ]
            unknown = self._unknown_vectors(
                self.vocabulary.unknown(chain.from_iterable(token_lists))
            )
            for row, tokens in enumerate(token_lists, start):
                ids = self.vocabulary.ids(tokens)
                total = self.words.words.weighted_sum(np.array(ids, np.intp))
                if len(ids) < len(tokens):
                    for token in tokens:
                        if token not in self.vocabulary:
                            total += unknown[token]
                vectors[row] = unit_vector(total)
        return vectors

    def embed_unknown(self, words: Sequence[str]) -> FloatArray:
        """The vectors of words that are treated as unknown, even if the table has them.

        They are float32 [num_words, dim], not normalised; zeros without known characters.
        """
        vectors = self.characters.embed_terms(words)
        return vectors if self._attend is None else self._attend(vectors)

    def to_model_file_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """The manifest and the tensors by name, as :func:`save_model` takes them."""
        manifest, tensors = self.words.to_model_file_parts()
        entry, weights = self.characters.to_model_file_parts()
        for key in _SHARED:
            del entry[key]
        manifest |= {"kind": self.kind, PART: entry}
        manifest.pop("attention", None)  # from the file that the words were loaded from
        if self.attention is not None:
            manifest["attention"] = self.attention.to_manifest()
        return manifest, tensors | {f"{PART}.{name}": array for name, array in weights.items()}

    @classmethod
    def from_model_file(cls, model: ModelFile) -> CombinedEncoder:
        """The encoder of a model file of kind ``combined``."""
        words = StaticEncoder.from_model_file(model)
        entry = manifest_entry(model.manifest, PART)
        manifest = {**entry, **{key: model.manifest[key] for key in _SHARED}}
        prefix = f"{PART}."
        tensors = {
            name.removeprefix(prefix): tensor
            for name, tensor in model.tensors.items()
            if name.startswith(prefix)
        }
        try:
            network = ModelFile(model.path, manifest, tensors)
            characters = CharEncoder.from_model_file(network)
        except PocketIntentError as error:
            raise ModelFileError(f"{PART}: {error}") from error
        settings = model.manifest.get("attention")
        attention = None if settings is None else Attention.from_manifest(settings)
        return cls(words, characters, attention)
