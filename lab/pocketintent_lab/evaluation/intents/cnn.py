"""The convolutional baseline: a sentence classifier on word vectors (Kim 2014)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pocketintent.compression.kinds import table_of
from pocketintent.runtime.arrays import FloatArray, IndexArray, IntArray
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.errors import PocketIntentError, require
from pocketintent_lab.encoders.tokens import embed_tokens

if TYPE_CHECKING:
    import torch

WIDTHS = (3, 4, 5)
"""Widths of the filters in words, as in the paper."""

_FILTERS = 100  # for each width, as in the paper
_DROPOUT = 0.5  # as in the paper
_BATCH = 50  # as in the paper
_MAX_TOKENS = 40
_SCALE = 0.25  # unknown words are uniform in +-0.25, as in the paper
_SIDE = WIDTHS[-1] // 2  # padding on each side, so that the widest filter covers the ends
_PAD, _UNKNOWN = 0, 1


class CnnClassifier:
    """Filters of three widths over word vectors, max over time, dropout, softmax.

    The word vectors are initialised from an encoder and trained with the network. A word that
    occurs only in queries keeps the encoder's vector; all words unknown to both the templates
    and the encoder share one vector.

    Args:
        encoder: The model that the word vectors are initialised from.
        examples: Total number of training examples. It determines the number of epochs, up to
            ``max_epochs``, so that training takes as long with 5 templates as with 50.
        max_epochs: Maximum number of passes over the templates.
        learning_rate: Learning rate of Adam.
        device: The torch device; None for the GPU if there is one, else the CPU.

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
        if encoder is None or table_of(encoder) is None:
            raise PocketIntentError(
                "the baseline 'cnn' starts from word vectors: give a model of kind 'static'"
            )
        self.encoder = encoder
        self.examples = examples
        self.max_epochs = max_epochs
        self.learning_rate = learning_rate
        self.device = device

    def __call__(
        self, texts: list[str], labels: IndexArray, queries: list[str], seed: int
    ) -> IndexArray:
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
            answers = torch.cat([network(part).argmax(dim=1) for part in ids.split(512)])
        predicted: IndexArray = answers.cpu().numpy().astype(np.intp)
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
    ) -> tuple[dict[str, int], FloatArray]:
        """Return the words of a draw and their initial vectors, float32 [num_words, dim]."""
        template_words = {token for text in texts for token in self.encoder.tokenize(text)}
        query_words = {token for text in queries for token in self.encoder.tokenize(text)}
        rows: list[FloatArray] = [np.zeros((2, self.encoder.dim), np.float32)]
        vocabulary: dict[str, int] = {}
        unknown = []
        for token in sorted(template_words | query_words):
            row = embed_tokens(self.encoder, [token])
            if len(row):
                vocabulary[token] = len(vocabulary) + 2
                rows.append(row)
            elif token in template_words:
                unknown.append(token)
        for token in unknown:
            vocabulary[token] = len(vocabulary) + 2
        vectors = np.concatenate(rows)
        if len(vectors) > 2:
            vectors *= _SCALE / max(float(vectors[2:].std()), 1e-8)
        shape = (len(unknown), self.encoder.dim)
        fresh = np.random.default_rng(seed).uniform(-_SCALE, _SCALE, shape).astype(np.float32)
        return vocabulary, np.concatenate([vectors, fresh])

    def _word_ids(self, texts: Sequence[str], vocabulary: dict[str, int]) -> IntArray:
        """Word ids int64 [num_texts, length], padded to the longest text and the widest filter."""
        ids = [
            [vocabulary.get(token, _UNKNOWN) for token in self.encoder.tokenize(text)[:_MAX_TOKENS]]
            for text in texts
        ]
        length = max(max(map(len, ids)) + 2 * _SIDE, WIDTHS[-1])
        padded = np.full((len(ids), length), _PAD, dtype=np.int64)
        for row, text_ids in zip(padded, ids, strict=True):
            row[_SIDE : _SIDE + len(text_ids)] = text_ids
        return padded


def _build_network(vectors: torch.Tensor, num_labels: int) -> Any:
    """Build the network from its word vectors, float32 [num_words, dim]."""
    import torch

    nn: Any = torch.nn  # the types of its containers are too loose

    class Network(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            dim = vectors.shape[1]
            self.words = nn.Embedding.from_pretrained(vectors, freeze=False, padding_idx=_PAD)
            self.filters = nn.ModuleList(nn.Conv1d(dim, _FILTERS, width) for width in WIDTHS)
            self.output = nn.Linear(_FILTERS * len(WIDTHS), num_labels)
            self.dropout = nn.Dropout(_DROPOUT)

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            """Return scores [num_texts, num_labels] of word ids [num_texts, length].

            A convolution is a sum over the columns of the filter. Multiplying each column once
            with each distinct word is several times less work than at every position.
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
