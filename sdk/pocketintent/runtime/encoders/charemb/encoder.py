"""``CharEncoder``: the vector of a text from its characters; specified in docs/charemb.md.

After «Extracting Text Representations for Terms and Phrases in Technical Domains» (IBM
Research): a small network that learns to give a term the vector that a big table has for it.
Nothing is out of its vocabulary, and a misspelt word comes near the right one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray, unit_rows
from pocketintent.runtime.encoders.charemb.cells import RecurrentReader, TransformerReader
from pocketintent.runtime.encoders.charemb.network import CharNetwork
from pocketintent.runtime.encoders.charemb.weights import Weights, read_weights, weights_to_parts
from pocketintent.runtime.encoders.contract import FILE_ENTRIES, ModelEncoder
from pocketintent.runtime.errors import ModelFileError, PocketIntentError, require
from pocketintent.runtime.files.model_file import ModelFile
from pocketintent.runtime.graphs.inputs import GraphInputs
from pocketintent.runtime.text.characters import NORMALISATION, CharVocabulary
from pocketintent.runtime.text.tokenizer import SIMPLE_SPEC, Tokenizer, get_tokenizer

Reading = Literal["text", "words"]

_TEXTS_AT_ONCE = 256
_CHARS_AT_ONCE = 4096
_WORD_CACHE = 4096
_SHORTEST, _LONGEST = np.float32(-20), np.float32(20)  # logarithms of a vector's length


class CharEncoder(ModelEncoder):
    """A network over the characters of a text.

    ``reads="text"`` reads the whole text at once, as the paper does. ``reads="words"`` reads
    each token of the tokenizer by itself and adds the vectors up, as an encoder of word
    vectors does; how long a word's vector is, and so how much it counts, is learnt too.

    Args:
        vocabulary: The characters.
        network: The network's sizes.
        weights: Its weights by name, see :meth:`CharNetwork.shapes`: matrices as they are
            stored, the others float32. They are decoded once, here.
        reads: ``"text"`` or ``"words"``.
        tokenizer_spec: The manifest's tokenizer entry, for ``"words"``.
        manifest: Further manifest entries to keep, such as ``training`` and ``quality``.

    Raises:
        ModelFileError: The parts do not fit each other, or a setting is not known.
    """

    kind: ClassVar[str] = "charemb"

    def __init__(
        self,
        vocabulary: CharVocabulary,
        network: CharNetwork,
        weights: Weights,
        *,
        reads: Reading = "text",
        tokenizer_spec: Mapping[str, Any] = SIMPLE_SPEC,
        manifest: Mapping[str, Any] | None = None,
    ) -> None:
        if reads not in get_args(Reading):
            raise ModelFileError(f"reads must be text or words, not {reads!r}")
        shapes = network.shapes(len(vocabulary), vocabulary.max_chars)
        weights.check(shapes)
        self.vocabulary = vocabulary
        self.network = network
        self.weights = weights
        self.dim = network.dim
        self.reads: Reading = reads
        self.tokenizer_spec = dict(tokenizer_spec)
        self.manifest = dict(manifest or {})
        self.tokenize: Tokenizer = get_tokenizer(tokenizer_spec)
        parameters = weights.decode()
        reader = TransformerReader if network.cell == "transformer" else RecurrentReader
        self._reader = reader(network, parameters)
        self._mlp: list[tuple[FloatArray, FloatArray]] = [
            (np.ascontiguousarray(parameters[f"mlp.{n}.weight"].T), parameters[f"mlp.{n}.bias"])
            for n in (0, 1)
        ]
        self._words: dict[str, FloatArray] = {}

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The vectors of several texts, float32 [num_texts, dim].

        Each is what :meth:`encode` gives, up to the rounding of a product of another size.
        """
        if self.reads == "text":
            return unit_rows(self.embed_terms(texts))
        return unit_rows(self._sum_words([self.tokenize(text) for text in texts]))

    def embed_terms(self, terms: Sequence[str]) -> FloatArray:
        """The vectors of words or terms, each read as a whole and not normalised.

        Args:
            terms: Any strings; an underscore is read as a space.

        Returns:
            float32 [num_terms, dim]: of the length that the network gives, which is 1 where it
            has learnt none; zeros when no character of a term is known.
        """
        vectors = np.zeros((len(terms), self.dim), np.float32)
        numbers = [self.vocabulary.numbers(term) for term in terms]
        known = [row for row, chars in enumerate(numbers) if chars]
        # Texts of about equal length together, so that no step runs for a few of them only.
        known.sort(key=lambda row: len(numbers[row]))
        while known:
            # Between the layers there is a row for each character, which has to fit memory.
            size = max(1, min(_TEXTS_AT_ONCE, _CHARS_AT_ONCE // len(numbers[known[-1]])))
            rows = known[-size:]
            del known[-size:]
            vectors[rows] = self._forward([numbers[row] for row in rows])
        return vectors

    def embed_tokens(self, tokens: Sequence[str]) -> FloatArray:
        """The vectors of the tokens of which a character is known, in order.

        Returns:
            float32 [num_known, dim], as :meth:`embed_terms` gives them.
        """
        vectors = self.embed_terms(tokens)
        return vectors[vectors.any(axis=1)]

    @property
    def embeds_unknown_words(self) -> bool:
        """Always: any word with a known character has a vector."""
        return True

    def readings(self) -> Mapping[str, CharEncoder]:
        """As the model reads a text, and the other way; the network is the same for both."""
        other: Reading = "words" if self.reads == "text" else "text"
        return {self.reads: self, other: self.replace(reads=other)}

    @classmethod
    def size_group(cls, tensor: str) -> str:
        """All tensors are the network's."""
        return "network"

    def check_exportable(self, source: str) -> None:
        """Refuse float32 weights."""
        if self.weights.format == "float32":
            raise PocketIntentError(
                f"{source}: the weights of the character network are float32, and an export "
                "contains int8 weights or codes; quantise the network by `pocketintent train "
                "charemb --weights int8`, or without training by quantise_charemb of "
                "pocketintent.compression.network"
            )

    def graph_inputs(
        self, max_length: int | None = None, max_chars: int | None = None
    ) -> GraphInputs:
        """The characters of each word, or of the whole text."""
        own = self.vocabulary.max_chars
        characters = CharVocabulary(
            self.vocabulary.characters, own if max_chars is None else min(own, max_chars)
        )
        tokenize = None if self.reads == "text" else self.tokenize
        return GraphInputs(tokenize, None, characters)

    def graph_modules(self, file_format: str, max_chars: int | None) -> Mapping[str, Any]:
        """The graph ``encoder``, and ``characters`` where the encoder reads words."""
        module = require("pocketintent_export.encoders.charemb", "export")
        modules: Mapping[str, Any] = module.charemb_modules(self, file_format, max_chars)
        return modules

    def limit_characters(self, max_chars: int) -> CharEncoder:
        """A copy that reads fewer characters; its weights, and so its positions, stay."""
        if max_chars >= self.vocabulary.max_chars:
            return self
        short = copy(self)
        short.vocabulary = CharVocabulary(self.vocabulary.characters, max_chars)
        short._words = {}  # the cached vectors are of longer words
        return short

    def _forward(self, texts: Sequence[Sequence[int]]) -> FloatArray:
        (first, first_bias), (second, second_bias) = self._mlp
        middle: FloatArray = self._reader.read(texts) @ first
        middle += first_bias
        np.maximum(middle, 0.0, out=middle)
        out: FloatArray = middle @ second
        out += second_bias
        vectors = unit_rows(out[:, : self.dim])
        if self.network.norm:
            # Far outside of what is learnt; it keeps a strange text from an infinite length.
            logarithms: FloatArray = out[:, self.dim :]
            np.clip(logarithms, _SHORTEST, _LONGEST, out=logarithms)
            vectors *= np.exp(logarithms)
        return vectors

    def _sum_words(self, token_lists: Sequence[Sequence[str]]) -> FloatArray:
        """The sums of the tokens' vectors, float32 [num_texts, dim]."""
        known = self._words  # the one of this moment: another thread may start a new one
        missing = sorted({token for tokens in token_lists for token in tokens} - known.keys())
        fresh = dict(zip(missing, self.embed_terms(missing), strict=True))
        totals = np.zeros((len(token_lists), self.dim), np.float32)
        for total, tokens in zip(totals, token_lists, strict=True):
            for token in tokens:
                vector = fresh.get(token)
                total += known[token] if vector is None else vector
        if 0 < len(fresh) <= _WORD_CACHE:
            self._words = fresh if len(known) + len(fresh) > _WORD_CACHE else known | fresh
        return totals

    def to_model_file_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """The manifest and the tensors, as :func:`save_model` takes them."""
        entry, tensors = weights_to_parts(self.weights)
        manifest = {
            **self.manifest,
            "kind": self.kind,
            "dim": self.dim,
            "reads": self.reads,
            "tokenizer": self.tokenizer_spec,
            "characters": {
                "normalisation": NORMALISATION,
                "max_chars": self.vocabulary.max_chars,
            },
            "network": self.network.to_manifest(),
            "weights": entry,
        }
        return manifest, {"characters": self.vocabulary.code_points(), **tensors}

    @classmethod
    def from_model_file(cls, model: ModelFile) -> CharEncoder:
        """The encoder that a model file of kind ``charemb`` holds.

        Raises:
            ModelFileError: A part is missing, or the parts do not fit each other.
        """
        manifest, tensors = model.manifest, model.tensors
        vocabulary = _read_vocabulary(manifest.get("characters"), tensors.get("characters"))
        network = CharNetwork.from_manifest(manifest.get("network"))
        if manifest.get("dim") != network.dim:
            raise ModelFileError(
                f"the manifest says dim {manifest.get('dim')!r}, the network has {network.dim}"
            )
        tokenizer = manifest.get("tokenizer")
        if not isinstance(tokenizer, dict):
            raise ModelFileError("the manifest has no object 'tokenizer'")
        shapes = network.shapes(len(vocabulary), vocabulary.max_chars)
        return cls(
            vocabulary,
            network,
            read_weights(manifest.get("weights"), tensors, shapes),
            reads=manifest.get("reads"),  # type: ignore[arg-type]  # checked there
            tokenizer_spec=tokenizer,
            manifest={k: v for k, v in manifest.items() if k not in FILE_ENTRIES},
        )


def _read_vocabulary(entry: object, points: NDArray[Any] | None) -> CharVocabulary:
    if not isinstance(entry, dict) or type(entry.get("max_chars")) is not int:
        raise ModelFileError("the manifest's characters must have normalisation and max_chars")
    if entry.get("normalisation") != NORMALISATION:
        raise ModelFileError(
            f"normalisation {entry.get('normalisation')!r} is not known here; this runtime has "
            f"{NORMALISATION!r}"
        )
    if points is None or points.dtype != np.uint32 or points.ndim != 1:
        raise ModelFileError("the tensor characters must be there, uint32 [num_characters]")
    return CharVocabulary.from_code_points(points, entry["max_chars"])
