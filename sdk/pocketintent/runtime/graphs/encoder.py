"""An exported encoder graph as an encoder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.background import Background
from pocketintent.runtime.graphs.folder import ExportedFolder
from pocketintent.runtime.text.vocabulary import Vocabulary


class GraphEncoder:
    """An encoder whose sentence vectors an exported graph computes.

    MissingExtraError if the package that runs its format is not installed; ModelFileError if a file
    of the folder is missing, damaged or cannot be used.
    """

    def __init__(self, folder: ExportedFolder) -> None:
        self.folder = folder
        self.dim: int = folder.manifest.dim
        self.inputs = folder.inputs()
        self.template_quantizer = folder.manifest.template_quantizer()
        self.background: Background | None = folder.background()
        self.known_words: Vocabulary | None = self.inputs.known_words
        self._graph = folder.graph("encoder")
        self._spell = folder.speller(self.inputs)
        vector = self.inputs.probe(self._graph).get("vector")
        if vector is None or vector.shape != (self.dim,):
            raise folder.manifest.error(f"the graphs do not return a vector of {self.dim} numbers")

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle the folder's path; the graphs in it are opened again."""
        return type(self), (self.folder,)

    def __repr__(self) -> str:
        """The kind of the exported model, the format of its graphs, and their folder."""
        manifest = self.folder.manifest
        kind = f"kind {manifest.entries.get('kind')}, {self.dim} dimensions"
        return f"<GraphEncoder: {kind}, {manifest.file_format} graphs of {self.folder.path}>"

    def encode(self, text: str) -> FloatArray:
        """The sentence vector, float32 [dim]: unit length, or zeros if no word is known."""
        vector: FloatArray = self._graph.run(self.arrays(text))["vector"]
        return vector

    def arrays(self, text: str) -> dict[str, NDArray[Any]]:
        """The inputs of the graph for a text, by name; the recogniser graph takes them, too."""
        return self.inputs(text).arrays(self._spell)

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The sentence vectors of several texts, float32 [num_texts, dim]."""
        return np.array([self.encode(text) for text in texts], np.float32).reshape(-1, self.dim)
