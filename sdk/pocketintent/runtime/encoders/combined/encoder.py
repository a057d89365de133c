"""``CombinedEncoder``: known words from a table, unknown ones from their characters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.combined.attention import Attention, TableAttention
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import ModelFileError, PocketIntentError, require
from pocketintent.runtime.files.model_file import ModelFile
from pocketintent.runtime.graphs.inputs import GraphInputs
from pocketintent.runtime.graphs.slots import Slots
from pocketintent.runtime.quantization.matrices import DenseMatrix

PART = "charemb"
"""The manifest's entry for the character network, and with a dot the prefix of its tensors."""

_SHARED = ("kind", "dim", "tokenizer")  # entries of the network's that the whole model has too
_TEXTS_AT_ONCE = 256
_WORD_CACHE = 4096


class CombinedEncoder(ModelEncoder):
    """A table of word vectors, with a character network for the words that it lacks.

    A text is the sum of its words' vectors at unit length, as in :class:`StaticEncoder`. The
    network was trained on the table's vectors and gives a word a direction and a length in
    the same space, so that a misspelt word counts about as the right one does. With
    ``attention`` the table has a say in it too: see :class:`TableAttention`.

    Args:
        words: The table, without n-grams; its tokenizer, template codebook and manifest are
            those of the model.
        characters: The network; each unknown word is read by itself, whatever its ``reads``.
        attention: How the network's vectors ask the table; None leaves them as they are.

    Raises:
        ModelFileError: The parts differ in dimensions or tokenizer, or the table has n-grams.
    """

    kind: ClassVar[str] = "combined"

    def __init__(
        self,
        words: StaticEncoder,
        characters: CharEncoder,
        attention: Attention | None = None,
    ) -> None:
        if words.dim != characters.dim:
            raise ModelFileError(
                f"the words have {words.dim} dimensions and the character network has "
                f"{characters.dim}"
            )
        if words.tokenizer_spec != characters.tokenizer_spec:
            raise ModelFileError(
                f"the words come of the tokenizer {words.tokenizer_spec} and the character "
                f"network of {characters.tokenizer_spec}"
            )
        if words.ngrams is not None:
            raise ModelFileError("a combined encoder has no n-grams beside its character network")
        self.words = words
        self.characters = characters
        self.attention = attention
        self.dim = words.dim
        self.vocabulary = words.vocabulary
        self.tokenizer_spec = words.tokenizer_spec
        self.tokenize = words.tokenize
        self.template_quantizer = words.template_quantizer
        self.counts = words.counts
        self.manifest = words.manifest
        self._ask = None if attention is None else TableAttention(words.words, attention)
        self._unknown: Mapping[str, FloatArray] = {}

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The vectors of several texts, float32 [num_texts, dim].

        Each is what :meth:`encode` gives, up to the rounding of a product of another size.
        """
        vectors = np.empty((len(texts), self.dim), np.float32)
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            token_lists = [self.tokenize(text) for text in texts[start : start + _TEXTS_AT_ONCE]]
            unknown = self._unknown_vectors([token for tokens in token_lists for token in tokens])
            for row, tokens in enumerate(token_lists, start):
                vectors[row] = self._unit_sum(tokens, unknown)
        return vectors

    def embed_unknown(self, words: Sequence[str]) -> FloatArray:
        """The vectors of words as if the table lacked them, each read as a whole.

        Args:
            words: Any strings.

        Returns:
            float32 [num_words, dim], not normalised; zeros when no character of one is known.
        """
        vectors = self.characters.embed_terms(words)
        return vectors if self._ask is None else self._ask(vectors)

    def embed_tokens(self, tokens: Sequence[str]) -> FloatArray:
        """The vectors of the tokens of which the word or a character is known, in order.

        Returns:
            float32 [num_known, dim], not normalised.
        """
        unknown = self._unknown_vectors(tokens)
        rows = np.zeros((len(tokens), self.dim), np.float32)
        for row, token in zip(rows, tokens, strict=True):
            word_id = self.vocabulary.get(token)
            if word_id is None:
                row[:] = unknown[token]
            else:
                row[:] = self.words.words.weighted_sum(np.array([word_id], np.intp))
        return rows[rows.any(axis=1)]

    @property
    def embeds_unknown_words(self) -> bool:
        """Always: the network reads any word with a known character."""
        return True

    @classmethod
    def size_group(cls, tensor: str) -> str:
        """The network's tensors, and those of the table."""
        return "network" if tensor.startswith(f"{PART}.") else super().size_group(tensor)

    def check_exportable(self, source: str) -> None:
        """Refuse a table of floats, and a network of float32 weights."""
        if isinstance(self.words.words, DenseMatrix):
            raise PocketIntentError(
                f"{source}: the model is not compressed, and an export contains codes; combine "
                "it again: pocketintent combine WORDS CHAREMB --sub-dim 4 --codebook-size 256 "
                "--out FILE"
            )
        try:
            self.characters.check_exportable(source)
        except PocketIntentError as error:
            raise PocketIntentError(f"{error}, and combine it with the words again") from error

    def graph_inputs(
        self, max_length: int | None = None, max_chars: int | None = None
    ) -> GraphInputs:
        """Slots of the table's words, and the characters of any other word."""
        table = self.words.graph_inputs(max_length)
        characters = self.characters.graph_inputs(max_chars=max_chars).characters
        return GraphInputs(table.tokenize, table.slots, characters)

    def graph_modules(self, file_format: str, max_chars: int | None) -> Mapping[str, Any]:
        """The graph ``encoder`` over the table, and ``characters`` for unknown words."""
        module = require("pocketintent_export.encoders.combined", "export")
        modules: Mapping[str, Any] = module.combined_modules(self, file_format, max_chars)
        return modules

    def limit_characters(self, max_chars: int) -> CombinedEncoder:
        """A copy that reads fewer characters of an unknown word."""
        characters = self.characters.limit_characters(max_chars)
        return self if characters is self.characters else self.replace(characters=characters)

    def sum_slots(self, slots: Slots, tokens: Sequence[str]) -> FloatArray:
        """The sum of the slots' rows and of the vectors of unknown words, float32 [dim]."""
        unknown = [token for token in tokens if token not in self.vocabulary]
        total = self.words.sum_slots(slots, tokens)
        total += self.embed_unknown(unknown).sum(axis=0)
        return total

    def _unit_sum(self, tokens: Sequence[str], unknown: Mapping[str, FloatArray]) -> FloatArray:
        ids = self.vocabulary.ids(tokens)
        total: FloatArray
        if ids:
            total = self.words.words.weighted_sum(np.array(ids, np.intp))
        else:
            total = np.zeros(self.dim, np.float32)
        if len(ids) < len(tokens):
            for token in tokens:
                if token not in self.vocabulary:
                    total += unknown[token]
        norm = float(total.dot(total)) ** 0.5
        if norm > 0.0:
            total /= norm
        return total

    def _unknown_vectors(self, tokens: Sequence[str]) -> Mapping[str, FloatArray]:
        """The vectors of at least those of the tokens that are no word of the table."""
        known = self._unknown  # the one of this moment: another thread may put a new one
        missing = sorted({token for token in tokens if token not in self.vocabulary} - known.keys())
        if not missing:
            return known
        fresh = dict(zip(missing, self.embed_unknown(missing), strict=True))
        both = {**known, **fresh}
        if len(fresh) <= _WORD_CACHE:
            self._unknown = both if len(both) <= _WORD_CACHE else fresh
        return both

    def to_model_file_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """The manifest and the tensors, as :func:`save_model` takes them."""
        manifest, tensors = self.words.to_model_file_parts()
        entry, weights = self.characters.to_model_file_parts()
        for key in _SHARED:
            del entry[key]
        manifest |= {"kind": self.kind, PART: entry}
        manifest.pop("attention", None)  # of the file that the words are from
        if self.attention is not None:
            manifest["attention"] = self.attention.to_manifest()
        return manifest, tensors | {f"{PART}.{name}": array for name, array in weights.items()}

    @classmethod
    def from_model_file(cls, model: ModelFile) -> CombinedEncoder:
        """The encoder that a model file of kind ``combined`` holds.

        Raises:
            ModelFileError: A part is missing, or the parts do not fit each other.
        """
        words = StaticEncoder.from_model_file(model)
        entry = model.manifest.get(PART)
        if not isinstance(entry, dict):
            raise ModelFileError(f"the manifest has no object {PART!r}")
        manifest = {**entry, **{key: model.manifest[key] for key in _SHARED}}
        prefix = f"{PART}."
        tensors = {
            name.removeprefix(prefix): tensor
            for name, tensor in model.tensors.items()
            if name.startswith(prefix)
        }
        try:
            part = ModelFile(model.path, manifest, tensors)
            characters = CharEncoder.from_model_file(part)
        except PocketIntentError as error:
            raise ModelFileError(f"{PART}: {error}") from error
        settings = model.manifest.get("attention")
        return cls(
            words, characters, None if settings is None else Attention.from_manifest(settings)
        )
