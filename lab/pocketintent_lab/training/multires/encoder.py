"""Multi-resolution embeddings of words and texts, ready to compare or to distil from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from pocketintent.runtime.arrays import FloatArray, unit_rows
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.text.tokenizer import simple_tokenize
from pocketintent_lab.training.multires.functions import join_mixtures, mix_layers
from pocketintent_lab.training.multires.idf import InverseDocumentFrequency
from pocketintent_lab.training.multires.settings import Ensemble, read_ensemble
from pocketintent_lab.training.multires.sources import Source, open_source

_TEXTS_AT_ONCE = 32


class MultiResolutionEncoder:
    """Algorithm 1: the words of a text by an ensemble of mixtures; the text is their mean.

    All sources read the tokens of the tokenizer ``simple``.

    Args:
        ensemble: The ensemble.
        idf: The IDF of words; required by an ensemble that uses it.
        open_source: The function from the name of a source to the source, called once for each.

    Raises:
        PocketIntentError: A source cannot be opened or lacks a layer, or the IDF is missing.
    """

    template_quantizer = None
    background = None
    known_words = None

    def __init__(
        self,
        ensemble: Ensemble,
        idf: InverseDocumentFrequency | None = None,
        open_source: Callable[[str], Source] = open_source,
    ) -> None:
        if ensemble.uses_idf and idf is None:
            raise PocketIntentError("the ensemble weights words by IDF, which requires documents")
        self.ensemble = ensemble
        self._idf = idf
        names = dict.fromkeys(mixture.source for mixture in ensemble.mixtures)
        self._sources = {name: open_source(name) for name in names}
        self._layers = [
            mixture.layers_of(self._sources[mixture.source].num_layers)
            for mixture in ensemble.mixtures
        ]
        self.dim = next(iter(self.embed_token_lists([["a"]]))).shape[1]

    def encode(self, text: str) -> FloatArray:
        """The vector of a text, float32 [dim]: unit length, or zeros if no word is known."""
        vector: FloatArray = self.encode_batch([text])[0]
        return vector

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The vectors of several texts, float32 [num_texts, dim]."""
        vectors = np.zeros((len(texts), self.dim), np.float32)
        for row, words in enumerate(self.embed_texts(texts)):
            if len(words):
                vectors[row] = words.mean(axis=0)
        return unit_rows(vectors)

    def embed_texts(self, texts: Sequence[str]) -> Iterator[FloatArray]:
        """Yield the vectors of each text's tokens, float32 [num_tokens, dim], not normalised."""
        return self.embed_token_lists([simple_tokenize(text) for text in texts])

    def embed_token_lists(self, token_lists: Sequence[Sequence[str]]) -> Iterator[FloatArray]:
        """Yield the vectors of tokens, as :meth:`embed_texts`; zeros for an unknown token."""
        for start in range(0, len(token_lists), _TEXTS_AT_ONCE):
            block = token_lists[start : start + _TEXTS_AT_ONCE]
            streams = {name: source.read(block) for name, source in self._sources.items()}
            for tokens in block:
                yield self._join(tokens, {name: next(s) for name, s in streams.items()})

    def _join(self, tokens: Sequence[str], states: dict[str, FloatArray]) -> FloatArray:
        """The vectors of a text's tokens from all layers of each source."""
        mixtures = []
        for mixture, (layers, weights) in zip(self.ensemble.mixtures, self._layers, strict=True):
            idf = self._idf(tokens) if mixture.idf and self._idf is not None else None
            mixtures.append(
                mix_layers(states[mixture.source][layers], weights, mixture.combine, idf)
            )
        shares = self.ensemble.weights or (1.0,) * len(mixtures)
        return join_mixtures(mixtures, shares, self.ensemble.combine)


def load_ensemble(path: str | Path, documents: Iterable[str] = ()) -> MultiResolutionEncoder:
    """Open the encoder of an ensemble's JSON file.

    Args:
        path: The file, see :func:`read_ensemble`.
        documents: The texts that the IDF of words is computed from, if the ensemble uses it.

    Raises:
        PocketIntentError: The file or a source cannot be read, or there are no documents.
    """
    ensemble = read_ensemble(path)
    idf = None
    if ensemble.uses_idf:
        idf = InverseDocumentFrequency(map(simple_tokenize, documents))
    return MultiResolutionEncoder(ensemble, idf)
