"""``ContextualEncoder``: word vectors that their neighbours change; docs/contextual.md."""

from __future__ import annotations

from typing import Any, ClassVar

from numpy.typing import NDArray

from pocketintent.runtime.encoders.contextual.network import PREFIX, ContextNetwork, read_network
from pocketintent.runtime.encoders.contextual.reader import ContextReader
from pocketintent.runtime.encoders.sequence import SequenceEncoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.files.model_file import ModelFile

_CACHED_WORDS = 4096
"""Number of words whose part in any text is kept; 6 KB each with `default`."""


class ContextualEncoder(SequenceEncoder):
    """A table of word vectors that are changed by their neighbours before they are summed.

    The order of the words thus changes the vector of a text, unlike in :class:`StaticEncoder`,
    whose tokenizer, words and n-grams the encoder has. At most ``MAX_TOKENS`` tokens of a text that
    have a vector are read; the rest is ignored.

    Args:
        table: The words, with n-grams or without; also the tokenizer, template codebook,
            background and manifest entries.
        network: The network, in float32 or int8.

    Raises:
        ModelFileError: The table and the network differ in dimensions, or the n-grams have the
            weight 0.
    """

    kind: ClassVar[str] = "contextual"

    network: ContextNetwork

    def __init__(self, table: StaticEncoder, network: ContextNetwork) -> None:
        if table.dim != network.dim:
            raise ModelFileError(
                f"the words have {table.dim} dimensions and the network has {network.dim}; a "
                "sub_dim of quantised words must divide the dimensions of the network"
            )
        super().__init__(table, network, ContextReader(network), _CACHED_WORDS)
        self.dim = table.dim
        self.template_quantizer = table.template_quantizer
        self.background = table.background

    def to_model_file_parts(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """The manifest and the tensors by name, as :func:`save_model` takes them."""
        manifest, tensors = self.table.to_model_file_parts()
        entry, weights = self.network.to_parts()
        return manifest | {"kind": self.kind, PREFIX: entry}, tensors | weights

    @classmethod
    def from_model_file(cls, model: ModelFile) -> ContextualEncoder:
        """The encoder of a model file of kind ``contextual``."""
        table = StaticEncoder.from_model_file(model)
        return cls(table, read_network(model.manifest.get(PREFIX), model.tensors, table.dim))
