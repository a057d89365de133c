"""Word2Vec and FastText by gensim, trained an epoch at a time."""

from __future__ import annotations

import time
import zlib
from typing import Any

import numpy as np

from pocketintent.runtime.errors import require
from pocketintent.runtime.text.ngrams import ngram_buckets
from pocketintent.training.corpora.word_counts import CountedVocabulary
from pocketintent.training.loop.devices import Workers
from pocketintent.training.loop.trainer import Epoch, Measurement, Step, Trainable
from pocketintent_lab.training.words.data import TokenisedCorpus
from pocketintent_lab.training.words.settings import WordSettings


class WordTraining(Trainable):
    """Trains gensim's model; an epoch is one step, since gensim cannot stop within one.

    Args:
        corpus: The corpus.
        settings: The settings of the run.

    Attributes:
        model: gensim's Word2Vec or FastText.
    """

    unit = "words"
    workers = Workers()

    def __init__(self, corpus: TokenisedCorpus, settings: WordSettings) -> None:
        self.settings = settings
        self.epochs, self.units_per_epoch = settings.epochs, corpus.num_tokens
        self.model = new_model(corpus.words, settings)
        self._corpus = corpus
        self._words_per_second = 0.0

    def start_epoch(self, epoch: int) -> int:
        """The number of steps in an epoch: gensim reads the corpus in order, in one call."""
        return 1

    def step(self, step: Step) -> tuple[float, float]:
        """Train one epoch; gensim computes no loss, so no example is counted."""
        started = time.monotonic()
        self.model.train(
            corpus_file=str(self._corpus.path),
            total_words=self._corpus.num_tokens,
            epochs=1,
            start_alpha=self.learning_rate(step.epoch),
            end_alpha=self.learning_rate(step.epoch + 1),
        )
        seconds = max(time.monotonic() - started, 1e-9)
        self._words_per_second = self._corpus.num_tokens / seconds
        return 0.0, 0.0

    def learning_rate(self, epoch: int) -> float:
        """The learning rate before an epoch, from 0; it falls linearly."""
        fall = self.settings.learning_rate - self.settings.min_learning_rate
        return self.settings.learning_rate - fall * epoch / self.settings.epochs

    def measure(self, epoch: Epoch) -> Measurement:
        """The learning rate at the start of the epoch, and the speed."""
        rate = self.learning_rate(epoch.number - 1)
        speed = f"{self._words_per_second:,.0f} words a second"
        return Measurement(rate, f"learning rate {rate:.4f}, {speed}")

    def state(self) -> dict[str, Any]:
        """The weights, and the state of the random generator that seeds each epoch."""
        torch = require("torch", "train")
        _, keys, position, *_ = self.model.random.get_state()
        weights = {name: torch.from_numpy(array) for name, array in self._weights().items()}
        return {**weights, "random": [int(key) for key in keys], "position": int(position)}

    def load_state(self, state: dict[str, Any]) -> None:
        """Continue from the weights of a checkpoint."""
        for name, array in self._weights().items():
            array[...] = state[name].numpy()
        keys = np.array(state["random"], np.uint32)
        self.model.random.set_state(("MT19937", keys, state["position"]))
        if self.settings.method == "fasttext":
            self.model.wv.adjust_vectors()  # from the words' and n-grams' rows

    def _weights(self) -> dict[str, Any]:
        """The arrays that training changes."""
        vectors = self.model.wv
        if self.settings.method == "fasttext":
            inputs = {"words": vectors.vectors_vocab, "ngrams": vectors.vectors_ngrams}
        else:
            inputs = {"words": vectors.vectors}
        hierarchical = self.settings.loss == "hierarchical"
        targets = self.model.syn1 if hierarchical else self.model.syn1neg
        return {**inputs, "targets": targets}


def new_model(words: CountedVocabulary, settings: WordSettings) -> Any:
    """An untrained Word2Vec or FastText of gensim.

    FastText gets the runtime's n-grams, so that a model file can embed unknown words. gensim's
    hash differs for non-ASCII text, because it copies an overflow of the original program.

    Raises:
        MissingExtraError: gensim is not installed.
    """
    gensim = require("gensim.models", "train")
    hierarchical = settings.loss == "hierarchical"
    options = {
        "vector_size": settings.dim,
        "window": settings.window,
        "sg": int(settings.architecture == "skipgram"),
        "hs": int(hierarchical),
        "negative": 0 if hierarchical else settings.negatives,
        "ns_exponent": settings.negative_power,
        "sample": settings.subsample,
        "alpha": settings.learning_rate,
        "min_alpha": settings.min_learning_rate,
        "min_count": 1,  # the vocabulary is already chosen
        "sorted_vocab": 0,  # and sorted, words of equal count alphabetically
        "seed": settings.seed,
        "workers": settings.workers,
        "hashfxn": stable_hash,
    }
    counts = dict(zip(words.words, words.counts.tolist(), strict=True))
    if settings.method == "word2vec":
        model = gensim.Word2Vec(**options)
        model.build_vocab_from_freq(counts)
        return model
    sizes = settings.min_n, settings.max_n, settings.num_buckets
    options |= dict(zip(("min_n", "max_n", "bucket"), sizes, strict=True))
    model = gensim.FastText(**options)
    model.build_vocab_from_freq(counts)
    model.wv.buckets_word = [
        np.array(ngram_buckets(word, *sizes), np.uint32) for word in model.wv.index_to_key
    ]
    model.wv.adjust_vectors()
    return model


def stable_hash(text: str) -> int:
    """A hash that is the same in every process, unlike Python's; gensim seeds by it."""
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))
