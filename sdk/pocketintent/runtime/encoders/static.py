"""``StaticEncoder``: a table of word vectors, and character n-grams for unknown words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import MAX_DIM, FloatArray, Parts, unit_vector
from pocketintent.runtime.background import ENTRY as BACKGROUND
from pocketintent.runtime.background import Background, check_background
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.parts import (
    COUNTS,
    COUNTS_ENTRY,
    add_counts,
    add_template_quantizer,
    check_dim,
    encoder_entries,
    manifest_entry,
    read_counts,
    read_template_quantizer,
    round_counts,
)
from pocketintent.runtime.encoders.word_cache import WordCache
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.files.model_file import ModelFile
from pocketintent.runtime.quantization.matrices import Matrix
from pocketintent.runtime.quantization.quantizer import Quantizer
from pocketintent.runtime.quantization.tensors import matrix_from_tensors, matrix_parts
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.runtime.text.tokenizer import SIMPLE_SPEC, get_tokenizer, known_words
from pocketintent.runtime.text.vocabulary import Vocabulary

_TEXTS_AT_ONCE = 1024
_FEW_CHARS, _FEW_ASCII_CHARS = 80, 240
"""Number of characters up to which unknown words are embedded faster one by one than together, and
the same for words in ASCII; the vectors are the same to the bit."""


class StaticEncoder(ModelEncoder):
    """A table of word vectors; the vector of a text is the sum of its words', at unit length.

    Training folds the weight of a word into the norm of its vector, so that the sum needs no
    weights. A word outside the vocabulary is embedded by its character n-grams if the model has
    n-grams, and skipped otherwise. ModelFileError for parts that do not fit each other.

    Args:
        vocabulary: The words.
        words: The words' vectors, [num_words, dim].
        tokenizer_spec: The manifest's tokenizer entry; the tokenizer ``simple`` by default.
        ngrams: Vectors of the hashed n-grams, [num_buckets, dim], or None.
        ngram_settings: How words are hashed, and the weight of n-grams; required with ``ngrams``.
        template_quantizer: The codebook for templates, fitted on vectors of the training corpus.
        background: Lines of the training corpus, as features.
        counts: How often each word occurred in training, whole numbers [num_words], or None.
        compact_counts: Whether the counts are saved in a byte a word, rounded within 7 percent.
        manifest: Manifest entries to keep when the encoder is saved, such as ``training``.
    """

    kind: ClassVar[str] = "static"

    def __init__(
        self,
        vocabulary: Vocabulary,
        words: Matrix,
        *,
        tokenizer_spec: Mapping[str, Any] = SIMPLE_SPEC,
        ngrams: Matrix | None = None,
        ngram_settings: NgramSettings | None = None,
        template_quantizer: Quantizer | None = None,
        background: Background | None = None,
        counts: NDArray[np.integer[Any]] | None = None,
        compact_counts: bool = False,
        manifest: Mapping[str, Any] | None = None,
    ) -> None:
        self.vocabulary = vocabulary
        self.words = words
        self.dim = words.dim
        self.tokenizer_spec = dict(tokenizer_spec)
        self.tokenize = get_tokenizer(tokenizer_spec, vocabulary)
        self.ngrams = ngrams
        self.ngram_settings = None if ngrams is None else ngram_settings
        self.template_quantizer = template_quantizer
        self.background = background
        self.counts = counts
        self.compact_counts = compact_counts
        self.manifest = dict(manifest or {})
        self._check_parts()
        if counts is not None and compact_counts:
            self.counts = round_counts(counts)
        self._unknown_vectors = WordCache(self._embed_ngrams, self.dim)

    def _check_parts(self) -> None:
        """Raise ModelFileError unless the parts fit each other."""
        words, ngrams, settings = self.words, self.ngrams, self.ngram_settings
        num, dim = len(words), self.dim
        if not 1 <= dim <= MAX_DIM:
            raise ModelFileError(f"the words have {dim} dimensions; 1 to {MAX_DIM} are allowed")
        if num != (size := len(self.vocabulary)):
            raise ModelFileError(f"the vocabulary has {size} words, but {num} vectors")
        quantizer, counts = self.template_quantizer, self.counts
        if quantizer is not None and quantizer.dim != dim:
            sizes = f"{quantizer.dim} dimensions, but the words have {dim}"
            raise ModelFileError(f"the template codebook has {sizes}")
        if counts is not None and (counts.shape != (num,) or counts.dtype.kind not in "iu"):
            found = f"{counts.dtype} {counts.shape}"
            raise ModelFileError(f"{COUNTS} must be {num} whole numbers, not {found}")
        if ngrams is not None:
            if settings is None:
                raise ModelFileError("a model with n-grams needs n-gram settings")
            if len(ngrams) != settings.num_buckets or ngrams.dim != dim:
                raise ModelFileError(
                    f"the n-gram vectors have the shape [{len(ngrams)}, {ngrams.dim}], but "
                    f"{settings.num_buckets} n-gram buckets of dim {dim} are expected"
                )
        check_background(self.background, dim)

    def encode(self, text: str) -> FloatArray:
        """The sentence vector, float32 [dim]; zeros without a vector, or if the sum is zeros."""
        tokens = self.tokenize(text)
        ids = self.vocabulary.ids(tokens)
        total = self.words.weighted_sum(np.array(ids, np.intp))
        if self.ngrams is not None and len(ids) < len(tokens):
            self._add_unknown(tokens, total)
        return unit_vector(total)

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The sentence vectors of several texts, each bit-identical to that of :meth:`encode`."""
        vectors = np.empty((len(texts), self.dim), np.float32)
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            block = texts[start : start + _TEXTS_AT_ONCE]
            vectors[start : start + len(block)] = self._encode_block(block)
        return vectors

    def _encode_block(self, texts: Sequence[str]) -> FloatArray:
        token_lists = [self.tokenize(text) for text in texts]
        ids, counts = self.vocabulary.ids_of_lists(token_lists)
        totals = self.words.weighted_sums(ids, counts)
        if self.ngrams is not None:
            lengths = [len(tokens) for tokens in token_lists]
            for text in np.flatnonzero(counts < lengths).tolist():
                self._add_unknown(token_lists[text], totals[text])
        # The dot product that `encode` uses; the sum of squares by other means rounds differently.
        norms = np.sqrt(np.matmul(totals[:, None], totals[:, :, None])[:, 0])
        np.divide(totals, norms, out=totals, where=norms > 0)
        return totals

    def embed_tokens(self, tokens: Sequence[str]) -> FloatArray:
        """The vectors of tokens, float32 [num_embedded, dim], in order and not normalised.

        Without n-grams unknown words are left out.
        """
        ids = self.vocabulary.ids(tokens)
        known_rows = self.words.rows(np.array(ids, np.intp))
        if self.ngrams is None or len(ids) == len(tokens):
            return known_rows
        unknown = self._unknown_vectors(self.vocabulary.unknown(tokens))
        rows = np.empty((len(tokens), self.dim), np.float32)
        is_known = np.array([token in self.vocabulary for token in tokens])
        rows[is_known] = known_rows
        for row in np.flatnonzero(~is_known).tolist():
            rows[row] = unknown[tokens[row]]
        return rows

    def _add_unknown(self, tokens: Sequence[str], total: FloatArray) -> None:
        """Add the vectors of the unknown words of a text to the sum of its words, in place."""
        unknown = self.vocabulary.unknown(tokens)
        vectors = self._unknown_vectors(unknown)
        for token in unknown:
            total += vectors[token]

    def _embed_ngrams(self, words: Sequence[str]) -> Sequence[FloatArray] | FloatArray:
        """The vectors of unknown words; of more than a few, all are hashed and read together."""
        assert self.ngrams is not None and self.ngram_settings is not None
        few = _FEW_ASCII_CHARS if all(map(str.isascii, words)) else _FEW_CHARS
        if sum(map(len, words)) <= few:
            return [self._embed_word(word) for word in words]
        buckets, counts = self.ngram_settings.buckets_of_words(words)
        vectors = self.ngrams.weighted_sums(buckets, counts)
        # A word without n-grams has zeros, whatever they are divided by.
        counts = np.maximum(counts, 1)
        vectors *= (self.ngram_settings.weight / counts).astype(np.float32)[:, None]
        return vectors

    def _embed_word(self, word: str) -> FloatArray:
        assert self.ngrams is not None and self.ngram_settings is not None
        buckets = self.ngram_settings.buckets(word)
        vector = self.ngrams.weighted_sum(np.array(buckets, np.intp))
        vector *= self.ngram_settings.weight / max(len(buckets), 1)
        return vector

    @cached_property
    def known_words(self) -> Vocabulary | None:
        """The words of the vocabulary; see :func:`known_words`."""
        return known_words(self.tokenizer_spec, self.vocabulary)

    def to_model_file_parts(self) -> Parts:
        """The manifest and the tensors by name, as :func:`save_model` takes them."""
        manifest = {
            **self.manifest,
            "kind": self.kind,
            "dim": self.dim,
            "tokenizer": self.tokenizer_spec,
        }
        tensors = self.vocabulary.to_tensors()
        for key in ("ngrams", "ngram_settings", "template_quantizer", BACKGROUND, COUNTS_ENTRY):
            manifest.pop(key, None)
        for name, matrix in self.tables().items():
            manifest[name], of_matrix = matrix_parts(matrix, name)
            tensors |= of_matrix
        if self.ngram_settings is not None:
            manifest["ngram_settings"] = self.ngram_settings.to_manifest()
        if self.template_quantizer is not None:
            add_template_quantizer(self.template_quantizer, manifest, tensors)
        if self.background is not None:
            self.background.add_to(manifest, tensors)
        if self.counts is not None:
            add_counts(self.counts, self.compact_counts, manifest, tensors)
        return manifest, tensors

    @classmethod
    def from_model_file(cls, model: ModelFile) -> StaticEncoder:
        """The encoder of a model file of kind ``static``."""
        manifest = model.manifest
        words = matrix_from_tensors(model.tensors, "words", manifest.get("words"))
        ngrams = settings = None
        if "ngrams" in manifest:
            ngrams = matrix_from_tensors(model.tensors, "ngrams", manifest["ngrams"])
            settings = NgramSettings.from_manifest(manifest_entry(manifest, "ngram_settings"))
        counts, compact_counts = read_counts(model)
        encoder = cls(
            Vocabulary.from_tensors(model.tensors),
            words,
            tokenizer_spec=manifest_entry(manifest, "tokenizer"),
            ngrams=ngrams,
            ngram_settings=settings,
            template_quantizer=read_template_quantizer(model, words.dim),
            background=Background.read(manifest, model.tensors),
            counts=counts,
            compact_counts=compact_counts,
            manifest=encoder_entries(manifest),
        )
        check_dim(manifest, encoder.dim, "vectors have")
        return encoder

    def tables(self) -> Mapping[str, Matrix]:
        """``words`` and, if the model has n-grams, ``ngrams``."""
        return {"words": self.words} | ({} if self.ngrams is None else {"ngrams": self.ngrams})
