"""``InferSentEncoder``: a BiLSTM with max pooling over word vectors; docs/infersent.md.

After "Supervised Learning of Universal Sentence Representations from Natural Language Inference
Data" (Conneau et al. 2017).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.background import ENTRY as BACKGROUND
from pocketintent.runtime.background import Background, check_background
from pocketintent.runtime.encoders.parts import (
    TEMPLATE_CODEBOOK,
    add_template_quantizer,
    manifest_entry,
    read_template_quantizer,
)
from pocketintent.runtime.encoders.sequence import PREFIX, SequenceEncoder, readable_tokens
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.files.model_file import ModelFile
from pocketintent.runtime.quantization.quantizer import Quantizer
from pocketintent_lab.encoders.infersent.network import BiLstm, read_network
from pocketintent_lab.encoders.infersent.reader import MaxPooling
from pocketintent_lab.encoders.tokens import embed_tokens

_TEMPLATES = TEMPLATE_CODEBOOK.partition(".")[0]


class InferSentEncoder(SequenceEncoder):
    """A table of word vectors, read by a BiLSTM whose states are pooled by their maximum.

    The sentence vectors have two numbers for each hidden unit, whatever the dimensions of the
    words. At most ``MAX_TOKENS`` tokens of a text that have a vector are read; the rest is ignored.

    Args:
        table: The words, with n-grams or without. The model takes its tokenizer, its counts and
            its manifest entries from the table; a template codebook and a background of the table
            do not fit the sentence vectors and are dropped.
        network: The BiLSTM, in float32 or int8.
        template_quantizer: A quantiser fitted on sentence vectors of the training corpus,
            for the recogniser's templates.
        background: Lines of the training corpus, as features.

    Raises:
        ModelFileError: The parts differ in dimensions, or the n-grams have the weight 0.
    """

    kind: ClassVar[str] = "infersent"

    network: BiLstm

    def __init__(
        self,
        table: StaticEncoder,
        network: BiLstm,
        *,
        template_quantizer: Quantizer | None = None,
        background: Background | None = None,
    ) -> None:
        if template_quantizer is not None and template_quantizer.dim != network.sizes.dim:
            raise ModelFileError(
                f"the template codebook has {template_quantizer.dim} dimensions, but the sentence "
                f"vectors have {network.sizes.dim}"
            )
        check_background(background, network.sizes.dim)
        if table.template_quantizer is not None or table.background is not None:
            table = table.replace(template_quantizer=None, background=None)
        super().__init__(table, network, MaxPooling(network))
        self.dim = network.sizes.dim
        self.template_quantizer = template_quantizer
        self.background = background

    def embed_tokens(self, tokens: Sequence[str]) -> FloatArray:
        """The vectors of tokens, each read by the network as a text of one word; not normalised.

        Returns:
            float32 [num_embedded, dim]; without n-grams unknown words are left out.
        """
        vectors = self.read_lists(([token] for token in tokens), len(tokens))
        return vectors[[bool(readable_tokens(self.table, [token])) for token in tokens]]

    def to_model_file_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """The manifest and the tensors by name, as :func:`save_model` takes them."""
        manifest, tensors = super().to_model_file_parts()
        if self.template_quantizer is not None:
            add_template_quantizer(self.template_quantizer, manifest, tensors)
        if self.background is not None:
            self.background.add_to(manifest, tensors)
        return manifest, tensors

    @classmethod
    def from_model_file(cls, model: ModelFile) -> InferSentEncoder:
        """The encoder of a model file of kind ``infersent``.

        Raises:
            ModelFileError: A part is missing, or the parts do not fit each other.
        """
        manifest = model.manifest
        network = read_network(manifest.get(PREFIX), model.tensors)
        if manifest.get("dim") != network.sizes.dim:
            raise ModelFileError(
                f"the manifest has dim {manifest.get('dim')!r}, but the network returns "
                f"{network.sizes.dim} dimensions"
            )
        return cls(
            _read_table(model),
            network,
            template_quantizer=read_template_quantizer(model, network.sizes.dim),
            background=Background.read(manifest, model.tensors),
        )


embed_tokens.register(InferSentEncoder, InferSentEncoder.embed_tokens)


def _read_table(model: ModelFile) -> StaticEncoder:
    """The words of a model file, whose other parts have the size of the sentence vectors."""
    parts = model
    for entry in (_TEMPLATES, BACKGROUND, PREFIX):
        parts = parts.without(entry)
    word_dim = manifest_entry(model.manifest, "words").get("dim")
    return StaticEncoder.from_model_file(
        ModelFile(parts.path, {**parts.manifest, "dim": word_dim}, parts.tensors)
    )
