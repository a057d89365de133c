"""``CharEncoder``: the vector of a text from its characters; docs/charemb.md specifies it.

After "Extracting Text Representations for Terms and Phrases in Technical Domains" (IBM
Research): a small network learns to predict the vector of a term in a large table. No word is out
of vocabulary, and the vector of a misspelt word is near the correct word's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray, Parts, check_numbers, unit_rows
from pocketintent.runtime.background import ENTRY as BACKGROUND
from pocketintent.runtime.background import Background, check_background
from pocketintent.runtime.encoders.charemb.network import CharNetwork
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.parts import check_dim, encoder_entries, manifest_entry
from pocketintent.runtime.encoders.recurrent import RecurrentReader
from pocketintent.runtime.encoders.transformer_layers import TransformerMean
from pocketintent.runtime.encoders.weights import Weights, read_weights, weights_to_parts
from pocketintent.runtime.encoders.word_cache import WordCache
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.files.model_file import ModelFile
from pocketintent.runtime.text.characters import NORMALISATION, CharVocabulary, limit_unknown_words
from pocketintent.runtime.text.tokenizer import SIMPLE_SPEC, Tokenizer, get_tokenizer

Reading = Literal["text", "words"]
"""Reading mode: the text as a whole, or word by word."""

_TEXTS_AT_ONCE = 256
_CHARS_AT_ONCE = 4096
_MIN_LOG_LENGTH, _MAX_LOG_LENGTH = np.float32(-20), np.float32(20)


class CharEncoder(ModelEncoder):
    """A network over the characters of a text.

    ``reads="text"`` reads a text as a whole, as in the paper. ``reads="words"`` reads each token
    separately and sums up the vectors, as an encoder with a table of word vectors does; the network
    also learns the length of a word's vector, and so how much the word counts. At most
    ``MAX_UNKNOWN_WORDS`` different words of a text are read. ModelFileError for parts that do not
    fit each other.

    Args:
        vocabulary: The characters.
        network: The network's settings.
        weights: The network's weights, see :meth:`CharNetwork.shapes`; decoded once, here.
        reads: ``"text"``, the default, or ``"words"``.
        tokenizer_spec: The manifest's tokenizer entry, for ``"words"``; by default ``simple``.
        max_chars: Characters of a word or text that are read, if fewer than the vocabulary's.
        background: Lines of the training corpus, as features.
        manifest: Manifest entries to keep when the encoder is saved, such as ``training``.
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
        max_chars: int | None = None,
        background: Background | None = None,
        manifest: Mapping[str, Any] | None = None,
    ) -> None:
        if reads not in get_args(Reading):
            raise ModelFileError(f"reads must be text or words, not {reads!r}")
        shapes = network.shapes(len(vocabulary), vocabulary.max_chars)
        network.check_memory(len(vocabulary), vocabulary.max_chars)
        weights.check(shapes)
        check_background(background, network.dim)
        self.vocabulary = vocabulary
        limit = vocabulary.max_chars
        self.max_chars = limit if max_chars is None else min(limit, max_chars)
        self.network = network
        self.weights = weights
        self.dim = network.dim
        self.reads: Reading = reads
        self.background = background
        self.tokenizer_spec = dict(tokenizer_spec)
        self.manifest = dict(manifest or {})
        self.tokenize: Tokenizer = get_tokenizer(tokenizer_spec)
        parameters = weights.decode()
        check_numbers(parameters)
        self._read: Callable[[Sequence[Sequence[int]]], FloatArray]
        if network.cell == "transformer":
            mean = TransformerMean(parameters, "", network.layers, network.heads, "pre-norm relu")
            embedding = parameters["embedding"]
            self._read = lambda texts: mean(
                embedding[np.concatenate(texts)], np.array(list(map(len, texts)))
            )
        else:
            reader = RecurrentReader(network, parameters)
            # The products of the first layer are computed once for each character.
            table = reader.project(parameters["embedding"])
            self._read = lambda texts: reader.read(table, texts)[0]
        self._mlp: list[tuple[FloatArray, FloatArray]] = [
            (np.ascontiguousarray(parameters[f"mlp.{n}.weight"].T), parameters[f"mlp.{n}.bias"])
            for n in (0, 1)
        ]
        self._characters = CharVocabulary(vocabulary.characters, self.max_chars)
        self._word_vectors = WordCache(self.embed_terms, self.dim)

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The sentence vectors of several texts; see :meth:`ModelEncoder.encode_batch`."""
        if self.reads == "text":
            return unit_rows(self.embed_terms(texts))
        token_lists = [limit_unknown_words(self.tokenize(text)) for text in texts]
        vectors = self._word_vectors(chain.from_iterable(token_lists))
        totals = np.zeros((len(texts), self.dim), np.float32)
        for total, tokens in zip(totals, token_lists, strict=True):
            for token in tokens:
                total += vectors[token]
        return unit_rows(totals)

    def embed_terms(self, terms: Sequence[str]) -> FloatArray:
        """The vectors of any strings, each read as a whole: float32 [num_terms, dim].

        They have the length that the network predicts, or 1 if it predicts none; they are zeros
        without known characters. An underscore is read as a space.
        """
        vectors = np.zeros((len(terms), self.dim), np.float32)
        numbers = [self._characters.numbers(term) for term in terms]
        pending = [row for row, chars in enumerate(numbers) if chars]
        # A batch has texts of similar length, so that few steps run for some of its texts only.
        pending.sort(key=lambda row: len(numbers[row]))
        while pending:
            # The outputs of a layer are a row for each character, and must fit into memory.
            size = max(1, min(_TEXTS_AT_ONCE, _CHARS_AT_ONCE // len(numbers[pending[-1]])))
            rows = pending[-size:]
            del pending[-size:]
            vectors[rows] = self._forward([numbers[row] for row in rows])
        return vectors

    def _forward(self, texts: Sequence[Sequence[int]]) -> FloatArray:
        """The vectors of character numbers, float32 [num_texts, dim]; no text may be empty."""
        (first, first_bias), (second, second_bias) = self._mlp
        middle: FloatArray = self._read(texts) @ first
        middle += first_bias
        np.maximum(middle, 0.0, out=middle)
        out: FloatArray = middle @ second
        out += second_bias
        vectors = unit_rows(out[:, : self.dim])
        if self.network.norm:
            # The limits are far from any learnt length; they rule out infinite lengths.
            log_lengths: FloatArray = out[:, self.dim :]
            np.clip(log_lengths, _MIN_LOG_LENGTH, _MAX_LOG_LENGTH, out=log_lengths)
            vectors *= np.exp(log_lengths)
        return vectors

    def to_model_file_parts(self) -> Parts:
        """The manifest and the tensors by name, as :func:`save_model` takes them."""
        entry, tensors = weights_to_parts(self.weights)
        manifest = {
            **self.manifest,
            "kind": self.kind,
            "dim": self.dim,
            "reads": self.reads,
            "tokenizer": self.tokenizer_spec,
            "characters": {"normalisation": NORMALISATION, "max_chars": self.vocabulary.max_chars},
            "network": asdict(self.network),
            "weights": entry,
        }
        tensors = {"characters": self.vocabulary.code_points(), **tensors}
        manifest.pop(BACKGROUND, None)
        if self.background is not None:
            self.background.add_to(manifest, tensors)
        return manifest, tensors

    @classmethod
    def from_model_file(cls, model: ModelFile) -> CharEncoder:
        """The encoder of a model file of kind ``charemb``."""
        manifest, tensors = model.manifest, model.tensors
        vocabulary = _read_vocabulary(manifest.get("characters"), tensors.get("characters"))
        network = CharNetwork.from_manifest(manifest.get("network"))
        check_dim(manifest, network.dim, "network has")
        shapes = network.shapes(len(vocabulary), vocabulary.max_chars)
        return cls(
            vocabulary,
            network,
            read_weights(manifest.get("weights"), tensors, shapes),
            reads=manifest.get("reads"),  # type: ignore[arg-type]  # checked by the constructor
            tokenizer_spec=manifest_entry(manifest, "tokenizer"),
            background=Background.read(manifest, tensors),
            manifest=encoder_entries(manifest),
        )


def _read_vocabulary(entry: object, code_points: NDArray[Any] | None) -> CharVocabulary:
    """The characters, from the manifest's entry and the tensor ``characters``."""
    if not isinstance(entry, dict) or type(entry.get("max_chars")) is not int:
        raise ModelFileError("the manifest's characters must have normalisation and max_chars")
    if (other := entry.get("normalisation")) != NORMALISATION:
        why = f"this runtime supports {NORMALISATION!r}"
        raise ModelFileError(f"unknown normalisation {other!r}; {why}")
    if code_points is None or code_points.dtype != np.uint32 or code_points.ndim != 1:
        raise ModelFileError("the tensor characters is missing or not uint32 [num_characters]")
    return CharVocabulary.from_code_points(code_points, entry["max_chars"])
