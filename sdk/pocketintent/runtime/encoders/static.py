"""Encoders: from a text to its sentence vector, one small class for each kind of model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.files.model_file import ModelFile
from pocketintent.runtime.quantization.matrices import Matrix
from pocketintent.runtime.quantization.quantizer import Quantizer
from pocketintent.runtime.quantization.tensors import (
    matrix_from_tensors,
    matrix_settings,
    to_tensors,
)
from pocketintent.runtime.text.ngrams import ngram_buckets
from pocketintent.runtime.text.tokenizer import SIMPLE_SPEC, get_tokenizer
from pocketintent.runtime.text.vocabulary import Vocabulary

TEMPLATE_CODEBOOK = "templates.codebook"
NGRAM_KEYS = {"min_n", "max_n", "num_buckets", "weight"}
_NGRAM_CACHE = 4096
_TEXTS_AT_ONCE = 1024


class StaticEncoder:
    """One vector for each word; a text is the sum of its words' vectors, at unit length.

    How much a word counts is folded into the norm of its vector when the model is trained, so
    that the sum needs no weights. A word outside the vocabulary is embedded by its character
    n-grams where the model has them, and skipped where it has none.

    Args:
        vocabulary: The words.
        words: Their vectors, [num_words, dim].
        tokenizer_spec: The manifest's tokenizer entry.
        ngrams: Vectors of the hashed n-grams, [num_buckets, dim], or None.
        ngram_settings: ``min_n``, ``max_n``, ``num_buckets`` and ``weight``: an unknown word
            is ``weight`` times the mean of its n-grams' vectors.
        template_quantizer: A quantiser fitted on sentence vectors of the training corpus,
            for the recogniser's templates.
        manifest: Further manifest entries to keep, such as ``training`` and ``quality``.

    Raises:
        ModelFileError: The parts do not fit each other, or the tokenizer is not known.
    """

    kind = "static"

    def __init__(
        self,
        vocabulary: Vocabulary,
        words: Matrix,
        *,
        tokenizer_spec: Mapping[str, Any] = SIMPLE_SPEC,
        ngrams: Matrix | None = None,
        ngram_settings: Mapping[str, Any] | None = None,
        template_quantizer: Quantizer | None = None,
        manifest: Mapping[str, Any] | None = None,
    ) -> None:
        if len(words) != len(vocabulary):
            raise ModelFileError(f"{len(vocabulary)} words have {len(words)} vectors")
        if template_quantizer is not None and template_quantizer.dim != words.dim:
            raise ModelFileError(
                f"the template codebook is made for {template_quantizer.dim} dimensions, "
                f"the model has {words.dim}"
            )
        self.vocabulary = vocabulary
        self.words = words
        self.dim = words.dim
        self.tokenizer_spec = dict(tokenizer_spec)
        self.tokenize = get_tokenizer(tokenizer_spec)
        self.ngrams = ngrams
        self.ngram_settings = _check_ngrams(ngrams, ngram_settings, self.dim)
        self.template_quantizer = template_quantizer
        self.manifest = dict(manifest or {})
        self._embed_unknown: Callable[[str], FloatArray] = lru_cache(_NGRAM_CACHE)(
            self._embed_ngrams
        )

    def encode(self, text: str) -> FloatArray:
        """The sentence vector of a text.

        Args:
            text: Any string.

        Returns:
            float32 [dim], of unit length; all zeros when the text holds no token that the
            model can embed, or when its words cancel out.
        """
        tokens = self.tokenize(text)
        ids = self.vocabulary.ids(tokens)
        total: FloatArray
        if ids:
            total = self.words.weighted_sum(np.array(ids, np.intp))
        else:
            total = np.zeros(self.dim, np.float32)
        if self.ngrams is not None and len(ids) < len(tokens):
            for token in tokens:
                if token not in self.vocabulary:
                    total += self._embed_unknown(token)
        norm = float(total.dot(total)) ** 0.5
        if norm > 0.0:
            total /= norm
        return total

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The vectors of several texts, float32 [num_texts, dim].

        Each is equal to the bit to the vector that :meth:`encode` returns.
        """
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
                for token in token_lists[text]:
                    if token not in self.vocabulary:
                        totals[text] += self._embed_unknown(token)
        # The dot product that `encode` uses; the sum of squares by other means rounds differently.
        norms = np.sqrt(np.matmul(totals[:, None], totals[:, :, None])[:, 0])
        np.divide(totals, norms, out=totals, where=norms > 0)
        return totals

    def embed_tokens(self, tokens: Sequence[str]) -> FloatArray:
        """The vectors of the tokens that the model can embed, in order and not normalised.

        Returns:
            float32 [num_known, dim]: words of the vocabulary, and with n-grams every token.
        """
        rows = [self._embed_token(token) for token in tokens]
        known = [row for row in rows if row is not None]
        return np.stack(known) if known else np.empty((0, self.dim), np.float32)

    def _embed_token(self, token: str) -> FloatArray | None:
        word_id = self.vocabulary.get(token)
        if word_id is not None:
            return self.words.weighted_sum(np.array([word_id], np.intp))
        return None if self.ngrams is None else self._embed_unknown(token)

    def _embed_ngrams(self, token: str) -> FloatArray:
        assert self.ngrams is not None and self.ngram_settings is not None
        settings = self.ngram_settings
        buckets = ngram_buckets(
            token, settings["min_n"], settings["max_n"], settings["num_buckets"]
        )
        vector = self.ngrams.weighted_sum(np.array(buckets, np.intp))
        vector *= settings["weight"] / len(buckets)
        return vector

    def to_model_file_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """The manifest and the tensors, as :func:`save_model` takes them."""
        manifest = {
            **self.manifest,
            "kind": self.kind,
            "dim": self.dim,
            "tokenizer": self.tokenizer_spec,
            "words": matrix_settings(self.words),
        }
        tensors = {**self.vocabulary.to_tensors(), **to_tensors(self.words, "words")}
        for key in ("ngrams", "ngram_settings", "template_quantizer"):
            manifest.pop(key, None)
        if self.ngrams is not None:
            manifest["ngrams"] = matrix_settings(self.ngrams)
            manifest["ngram_settings"] = self.ngram_settings
            tensors.update(to_tensors(self.ngrams, "ngrams"))
        if self.template_quantizer is not None:
            codebook = self.template_quantizer.codebook
            manifest["template_quantizer"] = dict(
                zip(("num_codebooks", "codebook_size", "sub_dim"), codebook.shape, strict=True)
            )
            tensors[TEMPLATE_CODEBOOK] = codebook.astype(np.float16)
        return manifest, tensors

    @classmethod
    def from_model_file(cls, model: ModelFile) -> StaticEncoder:
        """The encoder that a model file of kind ``static`` holds.

        Raises:
            ModelFileError: A part is missing, or the parts do not fit each other.
        """
        manifest, tensors = model.manifest, model.tensors
        words = _matrix(model, "words")
        ngrams = _matrix(model, "ngrams") if "ngrams" in manifest else None
        encoder = cls(
            Vocabulary.from_tensors(tensors),
            words,
            tokenizer_spec=_entry(manifest, "tokenizer"),
            ngrams=ngrams,
            ngram_settings=None if ngrams is None else _entry(manifest, "ngram_settings"),
            template_quantizer=_read_template_quantizer(model, words.dim),
            manifest={k: v for k, v in manifest.items() if k not in ("format_version", "sha256")},
        )
        if manifest.get("dim") != encoder.dim:
            raise ModelFileError(
                f"the manifest says dim {manifest.get('dim')!r}, the vectors have {encoder.dim}"
            )
        return encoder


def _entry(manifest: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    entry = manifest.get(key)
    if not isinstance(entry, dict):
        raise ModelFileError(f"the manifest has no object {key!r}")
    return entry


def _matrix(model: ModelFile, prefix: str) -> Matrix:
    return matrix_from_tensors(model.tensors, prefix, _entry(model.manifest, prefix))


def _read_template_quantizer(model: ModelFile, dim: int) -> Quantizer | None:
    codebook = model.tensors.get(TEMPLATE_CODEBOOK)
    if codebook is None:
        return None
    if codebook.dtype != np.float16 or codebook.ndim != 3 or not np.isfinite(codebook).all():
        raise ModelFileError(
            f"{TEMPLATE_CODEBOOK} must be finite float16 [num_codebooks, codebook_size, sub_dim], "
            f"not {codebook.dtype} {codebook.shape}"
        )
    return Quantizer(codebook.astype(np.float32), dim, normalised=False)


def _check_ngrams(
    ngrams: Matrix | None, settings: Mapping[str, Any] | None, dim: int
) -> dict[str, Any] | None:
    """The settings, after a check that they are whole and fit the n-grams' vectors."""
    if ngrams is None:
        return None
    checked = check_ngram_settings(settings)
    if len(ngrams) != checked["num_buckets"] or ngrams.dim != dim:
        raise ModelFileError(
            f"{checked['num_buckets']} n-gram buckets of dim {dim} have vectors "
            f"[{len(ngrams)}, {ngrams.dim}]"
        )
    return checked


def check_ngram_settings(settings: Any) -> dict[str, Any]:
    """N-gram settings, after a check that they are whole and make sense.

    Raises:
        ModelFileError: They do not.
    """
    if not isinstance(settings, Mapping) or not settings.keys() >= NGRAM_KEYS:
        raise ModelFileError(
            f"n-gram settings need min_n, max_n, num_buckets and weight, not {settings}"
        )
    sizes = [settings["min_n"], settings["max_n"], settings["num_buckets"]]
    if not all(type(size) is int for size in sizes) or not 1 <= sizes[0] <= sizes[1] <= 64:
        raise ModelFileError(f"n-gram settings make no sense: {dict(settings)}")
    if sizes[2] < 1 or not isinstance(settings["weight"], (int, float)):
        raise ModelFileError(
            f"n-grams need at least one bucket, and a number as their weight: {dict(settings)}"
        )
    return dict(settings)
