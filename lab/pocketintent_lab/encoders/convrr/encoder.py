"""``ConvrrEncoder``: an encoder whose vectors an adapter moves; docs/multiresolution.md."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.parts import manifest_entry
from pocketintent.runtime.encoders.registry import encoder_class
from pocketintent.runtime.encoders.sequence import MAX_TOKENS, SequenceEncoder
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.files.model_file import ModelFile
from pocketintent_lab.encoders.convrr.head import PREFIX, ResidualHead, read_head
from pocketintent_lab.encoders.tokens import combine_tokens, embed_tokens


class ConvrrEncoder(ModelEncoder):
    """Another encoder with an adapter, which adds to the vector of a text what it reads in it.

    At most ``MAX_TOKENS`` tokens of a text that have a vector are read; the rest is ignored.

    Args:
        inner: The encoder that is adapted, of a kind that :func:`combine_tokens` knows. The model
            takes its tokenizer, its template codebook, its background and its manifest entries
            from it; codebook and background belong to the adapted vectors.
        head: The adapter.

    Raises:
        ModelFileError: The encoder and the head differ in dimensions, the encoder has an adapter
            already, or its n-grams have the weight 0.
        PocketIntentError: The encoder is of a kind that cannot be adapted.
    """

    kind: ClassVar[str] = PREFIX
    part: ClassVar[str | None] = "inner"

    def __init__(self, inner: ModelEncoder, head: ResidualHead) -> None:
        if isinstance(inner, ConvrrEncoder):
            raise ModelFileError("the model has an adapter already; adapt the model without it")
        if inner.dim != head.dim:
            raise ModelFileError(
                f"the model has {inner.dim} dimensions, and its adapter has {head.dim}"
            )
        combine_tokens(inner, np.zeros((1, inner.dim), np.float32))
        self.inner = inner
        self.head = head
        self.dim = inner.dim
        self.tokenizer_spec = inner.tokenizer_spec
        self.tokenize = inner.tokenize
        self.template_quantizer = inner.template_quantizer
        self.background = inner.background
        self.manifest = inner.manifest
        table = inner.table if isinstance(inner, SequenceEncoder) else inner
        ngrams = getattr(table, "ngram_settings", None)
        if ngrams is not None and ngrams.weight == 0:
            raise ModelFileError(
                "the n-grams have the weight 0, with which a graph cannot tell an unknown word "
                "from padding; adapt a model without n-grams"
            )

    def encode(self, text: str) -> FloatArray:
        """The sentence vector of a text.

        Args:
            text: Any string.

        Returns:
            float32 [dim], of unit length; zeros if no token has a vector.
        """
        return self.combine_tokens(embed_tokens(self.inner, self.tokenize(text))[:MAX_TOKENS])

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The sentence vectors of several texts, float32 [num_texts, dim].

        Each is bit-identical to the vector that :meth:`encode` returns.
        """
        vectors = np.empty((len(texts), self.dim), np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self.encode(text)
        return vectors

    def combine_tokens(self, vectors: FloatArray) -> FloatArray:
        """The unit vector of a text from the vectors of its tokens, which may be none."""
        if not len(vectors):
            return np.zeros(self.dim, np.float32)
        return self.head.move(combine_tokens(self.inner, vectors), vectors)

    def to_model_file_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """The manifest and the tensors by name, as :func:`save_model` takes them."""
        manifest, tensors = self.inner.to_model_file_parts()
        entry, weights = self.head.to_parts()
        entry["inner"] = self.inner.kind
        return manifest | {"kind": self.kind, PREFIX: entry}, tensors | weights

    @classmethod
    def from_model_file(cls, model: ModelFile) -> ConvrrEncoder:
        """The encoder of a model file of kind ``convrr``.

        Raises:
            ModelFileError: A part is missing, or the parts do not fit each other.
        """
        entry = manifest_entry(model.manifest, PREFIX)
        kind = entry.get("inner")
        if not isinstance(kind, str) or kind == cls.kind:
            raise ModelFileError(
                f"the manifest's {PREFIX} must have the kind of the adapted encoder as inner, not "
                f"{kind!r}"
            )
        manifest = {key: value for key, value in model.manifest.items() if key != PREFIX}
        inner = ModelFile(model.path, manifest | {"kind": kind}, model.tensors)
        return cls(encoder_class(kind).from_model_file(inner), read_head(entry, model.tensors))


@embed_tokens.register(ConvrrEncoder)
def _embed(encoder: ConvrrEncoder, tokens: Sequence[str]) -> FloatArray:
    return embed_tokens(encoder.inner, tokens)
