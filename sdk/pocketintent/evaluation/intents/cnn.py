"""The convolutional baseline: a network on word vectors for sentences (Kim 2014)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.errors import PocketIntentError, require

if TYPE_CHECKING:
    import torch

WIDTHS = (3, 4, 5)
"""Words under a filter, as in the paper."""

_FILTERS = 100  # of each width, as in the paper
_DROPOUT = 0.5  # as in the paper
_BATCH = 50  # as in the paper
_MAX_TOKENS = 40
_SCALE = 0.25  # the paper's unknown words are uniform in +-0.25
_SIDE = WIDTHS[-1] // 2  # padding on both sides, so that a wide filter sees the ends
_PAD, _UNKNOWN = 0, 1


class CnnClassifier:
    """Filters of three widths over word vectors, max over time, dropout, softmax.

    The word vectors start from an encoder's and are trained along. A query's word that the
    templates lack keeps the encoder's vector; a word that neither knows is one vector.

    Args:
        encoder: The model whose word vectors it starts from.
        examples: Training examples seen in all. The number of epochs follows from it, within
            ``max_epochs``, so that a draw costs the same at 5 as at 50 templates.
        max_epochs: Passes over the templates at most.
        learning_rate: Of Adam.
        device: Where torch computes; the GPU if there is one when None.

    Raises:
        PocketIntentError: The encoder has no word vectors.
    """

    def __init__(
        self,
        encoder: ModelEncoder | None,
        *,
        examples: int = 20_000,
        max_epochs: int = 20,
        learning_rate: float = 4e-3,
        device: str | None = None,
    ) -> None:
        if encoder is None or encoder.word_table is None:
            raise PocketIntentError(
                "the baseline 'cnn' starts from word vectors: it needs a model of kind 'static'"
            )
        self.encoder = encoder
        self.examples = examples
        self.max_epochs = max_epochs
        self.learning_rate = learning_rate
        self.device = device

    def __call__(
        self, texts: list[str], labels: NDArray[np.intp], queries: list[str], seed: int
    ) -> NDArray[np.intp]:
        """Train on the templates and label the queries."""
        torch = require("torch", "train")
        device = self.device or ("cuda" if torch.cuda.is_available() else "cpu")
        vocabulary, vectors = self._word_vectors(texts, queries, seed)
        templates = torch.from_numpy(self._word_ids(texts, vocabulary)).to(device)
        targets = torch.from_numpy(labels.astype(np.int64)).to(device)
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            network = _build_network(torch.from_numpy(vectors), int(labels.max()) + 1).to(device)
            self._train(network, templates, targets)
        network.eval()
        ids = torch.from_numpy(self._word_ids(queries, vocabulary)).to(device)
        with torch.no_grad():
            found = torch.cat([network(part).argmax(dim=1) for part in ids.split(512)])
        predicted: NDArray[np.intp] = found.cpu().numpy().astype(np.intp)
        return predicted

    def _train(self, network: Any, templates: Any, targets: Any) -> None:
        torch = require("torch", "train")
        cross_entropy = torch.nn.functional.cross_entropy

        optimizer = torch.optim.Adam(network.parameters(), lr=self.learning_rate, fused=True)
        epochs = int(np.clip(round(self.examples / len(templates)), 1, self.max_epochs))
        for _ in range(epochs):
            for batch in torch.randperm(len(templates)).split(_BATCH):
                batch = batch.to(templates.device)
                optimizer.zero_grad()
                cross_entropy(network(templates[batch]), targets[batch]).backward()
                optimizer.step()

    def _word_vectors(
        self, texts: Sequence[str], queries: Sequence[str], seed: int
    ) -> tuple[dict[str, int], NDArray[np.float32]]:
        """The words of a draw and where their vectors start from, float32 [num_words, dim]."""
        trained = {token for text in texts for token in self.encoder.tokenize(text)}
        asked = {token for text in queries for token in self.encoder.tokenize(text)}
        rows: list[NDArray[np.float32]] = [np.zeros((2, self.encoder.dim), np.float32)]
        vocabulary: dict[str, int] = {}
        unknown = []
        for token in sorted(trained | asked):
            row = self.encoder.embed_tokens([token])
            if len(row):
                vocabulary[token] = len(vocabulary) + 2
                rows.append(row)
            elif token in trained:
                unknown.append(token)
        for token in unknown:
            vocabulary[token] = len(vocabulary) + 2
        vectors = np.concatenate(rows)
        if len(vectors) > 2:
            vectors *= _SCALE / max(float(vectors[2:].std()), 1e-8)
        shape = (len(unknown), self.encoder.dim)
        fresh = np.random.default_rng(seed).uniform(-_SCALE, _SCALE, shape).astype(np.float32)
        return vocabulary, np.concatenate([vectors, fresh])

    def _word_ids(self, texts: Sequence[str], vocabulary: dict[str, int]) -> NDArray[np.int64]:
        """Word ids int64 [num_texts, length], padded to the longest text and the widest filter."""
        ids = [
            [vocabulary.get(token, _UNKNOWN) for token in self.encoder.tokenize(text)[:_MAX_TOKENS]]
            for text in texts
        ]
        length = max(max(map(len, ids)) + 2 * _SIDE, WIDTHS[-1])
        padded = np.full((len(ids), length), _PAD, dtype=np.int64)
        for row, found in zip(padded, ids, strict=True):
            row[_SIDE : _SIDE + len(found)] = found
        return padded


def _build_network(vectors: torch.Tensor, num_labels: int) -> Any:
    """The network, from its word vectors float32 [num_words, dim]."""
    import torch

    nn: Any = torch.nn  # its containers are not typed closely enough

    class Network(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            dim = vectors.shape[1]
            self.words = nn.Embedding.from_pretrained(vectors, freeze=False, padding_idx=_PAD)
            self.filters = nn.ModuleList(nn.Conv1d(dim, _FILTERS, width) for width in WIDTHS)
            self.output = nn.Linear(_FILTERS * len(WIDTHS), num_labels)
            self.dropout = nn.Dropout(_DROPOUT)

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            """Scores [num_texts, num_labels] of word ids [num_texts, length].

            A convolution is a sum over the filter's columns. Each column is multiplied once
            with each distinct word, which is several times less work than at each position.
            """
            used = int((ids != _PAD).any(dim=0).sum()) + 2 * _SIDE
            distinct, inverse = torch.unique(ids[:, : max(used, WIDTHS[-1])], return_inverse=True)
            words = self.words(distinct)
            pooled = []
            for conv in self.filters:
                width = conv.kernel_size[0]
                positions = inverse.shape[1] - width + 1
                columns = words @ conv.weight.permute(2, 1, 0)  # [width, num_distinct, filters]
                total = columns[0][inverse[:, :positions]]
                for column in range(1, width):
                    total = total + columns[column][inverse[:, column : column + positions]]
                pooled.append(torch.relu(total.amax(dim=1) + conv.bias))
            scores: torch.Tensor = self.output(self.dropout(torch.cat(pooled, dim=1)))
            return scores

    return Network()
