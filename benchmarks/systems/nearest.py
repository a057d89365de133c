"""Any encoder as a system: the template with the nearest vector decides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from pocketintent.runtime.encoders.contract import Encoder


class NearestByProduct:
    """An encoder of another package; the nearest template by a float matrix product.

    Args:
        build: Makes the encoder's files in a cache folder, unless they are there.
        open_encoder: Opens the encoder from the folder.
        files: The encoder's files in the folder.
    """

    def __init__(
        self,
        build: Callable[[Path], None],
        open_encoder: Callable[[Path], Encoder],
        files: Callable[[Path], list[Path]],
    ) -> None:
        self._build = build
        self._open = open_encoder
        self._files = files

    def build(self, cache: Path, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Make the encoder's files, unless the cache has them."""
        self._build(cache)

    def load(self, cache: Path) -> None:
        """Open the encoder."""
        self.encoder = self._open(cache)

    def teach(self, texts: Sequence[str], intents: Sequence[str]) -> None:
        """Encode the templates."""
        self.templates = np.ascontiguousarray(self.encoder.encode_batch(texts))
        self.intents = list(intents)

    def match(self, text: str) -> str:
        """The intent of the nearest template."""
        return self.intents[int((self.templates @ self.encoder.encode(text)).argmax())]

    def size(self, cache: Path) -> int:
        """Bytes of the encoder's files."""
        return sum(path.stat().st_size for path in self._files(cache))
