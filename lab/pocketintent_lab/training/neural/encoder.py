"""Neural embeddings and their simplified relatives, as sentence encoders."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from pocketintent.runtime.arrays import FloatArray, unit_rows
from pocketintent.runtime.errors import PocketIntentError
from pocketintent_lab.training.neural.masked_model import MaskedModel, pad
from pocketintent_lab.training.neural.settings import NeuralSettings
from pocketintent_lab.training.neural.split_model import SplitModel
from pocketintent_lab.training.neural.tuning import TextInputs, tune_plain, tune_together


class NeuralEncoder:
    """Encodes a text by what a masked language model learns from it (Vasilyev and Bohannon 2022).

    Args:
        model: The masked language model.
        settings: What a vector is made of, and how the model is tuned.
        plain: Tune by the whole model and text by text, the reference; otherwise many texts are
            tuned side by side, on hidden states that are computed once.

    Raises:
        PocketIntentError: A setting is not allowed, a layer is unknown, or the form needs layers
            within the blocks and there are none.
    """

    template_quantizer = None
    background = None
    known_words = None

    def __init__(
        self, model: MaskedModel, settings: NeuralSettings, *, plain: bool = False
    ) -> None:
        settings.check()
        self._model = model
        self._settings = settings
        self._plain = plain
        self.layers = model.layer_names(settings.layers)
        """Names of the tuned parameters."""
        self._split = SplitModel(model, self.layers)
        self._tunes = settings.form not in ("cls", "avg")
        if self._tunes and settings.pooling and not self._split.tunes_blocks:
            raise PocketIntentError(
                f"{settings.form}: tuning {', '.join(settings.layers)} does not change the hidden "
                "states; name layers within the blocks, such as block"
            )
        sizes = [len(part) for part in self._split.parameters]
        self.dim = model.dim if settings.pooling else sum(sizes)

    def vocabulary(self) -> list[str]:
        """The tokens that the model knows."""
        return list(self._model.tokenizer.get_vocab())

    def encode(self, text: str) -> FloatArray:
        """The vector of a text, float32 [dim]: unit length, or zeros for no tokens."""
        vector: FloatArray = self.encode_batch([text])[0]
        return vector

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The vectors of several texts, float32 [num_texts, dim]."""
        inputs = [TextInputs.of(self._model, text, self._settings) for text in texts]
        rows = [number for number, text in enumerate(inputs) if text.steps]
        vectors = np.zeros((len(texts), self.dim), np.float32)
        if rows:
            known = [inputs[row] for row in rows]
            vectors[rows] = unit_rows(self._vectors(known).float().cpu().numpy())
        return vectors

    def _vectors(self, texts: Sequence[TextInputs]) -> Tensor:
        """Vectors of texts that have tokens, [num_texts, dim], of any length."""
        changes = self._tune(texts) if self._tunes else []
        if not self._settings.pooling:
            return combine_changes(changes)
        states = [self._pool(text, [part[i] for part in changes]) for i, text in enumerate(texts)]
        if self._settings.form.endswith("-diff"):
            states = [state - self._pool(t, []) for state, t in zip(states, texts, strict=True)]
        return torch.stack(states)

    def _tune(self, texts: Sequence[TextInputs]) -> list[Tensor]:
        """The change of each layer for each text, [num_texts, size]."""
        if self._plain:
            each = [tune_plain(self._model, self.layers, t, self._settings) for t in texts]
            return [torch.stack(parts) for parts in zip(*each, strict=True)]
        return tune_together(self._split, texts, self._settings, self._model.device)

    @torch.no_grad()
    def _pool(self, text: TextInputs, changes: Sequence[Tensor]) -> Tensor:
        """The last hidden states of a text as one vector, [dim]; of the tuned model if changed."""
        pieces = text.pieces
        shape = (len(pieces), max(map(len, pieces)))
        ids = torch.from_numpy(pad(pieces, shape)).to(self._model.device)
        ones = pad([np.ones_like(piece) for piece in pieces], shape)
        attention = torch.from_numpy(ones).to(self._model.device)
        with self._model.changed(self.layers if changes else [], changes):
            states = self._model.base(ids, attention_mask=attention).last_hidden_state
        if self._settings.pooling == "cls":
            first: Tensor = states[:, 0].mean(0)
            return first
        mean: Tensor = states[attention.bool()].mean(0)
        return mean


def combine_changes(changes: Sequence[Tensor]) -> Tensor:
    """The neural embeddings of texts (equation 1): each layer at unit length, end to end.

    Args:
        changes: The change of each layer for each text, [num_texts, size].

    Returns:
        Unit vectors, [num_texts, sum of sizes].
    """
    parts = [functional.normalize(part, dim=1) for part in changes]
    return functional.normalize(torch.cat(parts, dim=1), dim=1)
