"""A corpus as token ids, and batches of it in which tokens are masked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.arrays import IndexArray, IntArray
from pocketintent.runtime.errors import PocketIntentError, require
from pocketintent.runtime.files.atomic import write_atomically
from pocketintent.training.corpora.encoded import EncodedCorpus, encode_corpus
from pocketintent.training.corpora.reader import read_corpus, read_texts
from pocketintent.training.loop.run import Report
from pocketintent_lab.training.masked_lm.settings import MaskedLmSettings
from pocketintent_lab.training.masked_lm.tokenizer import MASK, SPECIAL, learn_tokenizer

TOKENIZER = "tokenizer.json"

_SHOWN = 0.8  # share of the predicted tokens that are masked, and below
_REPLACED = 0.9  # by which a random token replaces them; the rest stays as it is


@dataclass(frozen=True, eq=False)
class MaskedBatch:
    """Texts of one length, some tokens of which are to be predicted."""

    ids: IntArray
    """The tokens with masks, int64 [num_texts, length]."""
    places: IntArray
    """The predicted tokens' places in the flattened batch, int64 [num_predicted]."""
    labels: IntArray
    """The tokens at these places, int64 [num_predicted]."""


def prepare_texts(
    paths: Sequence[str | Path], folder: Path, settings: MaskedLmSettings, report: Report
) -> None:
    """Learn the tokenizer and encode the corpus, unless the folder already contains both.

    Args:
        paths: Corpus files, see :func:`read_corpus`; texts of a line are separated by tabs.
        folder: The work folder.
        settings: The settings of the run.
        report: Receives lines of progress.

    Raises:
        PocketIntentError: The corpus cannot be read, or has no text.
    """
    if (folder / TOKENIZER).exists():  # written last
        return
    report("learning the tokenizer")
    tokenizer = learn_tokenizer(read_texts(paths), settings.vocabulary, settings.max_tokens)
    report(f"{tokenizer.get_vocab_size()} tokens; encoding the corpus")
    encode_corpus(
        read_corpus(paths),
        lambda text: ids if len(ids := tokenizer.encode(text).ids) > 2 else [],
        folder,
        split=lambda text: text.split("\t"),
        label_ids={},
    )
    write_atomically(folder / TOKENIZER, tokenizer.to_str().encode())


@dataclass(eq=False)
class MaskedBatches:
    """Batches of texts of equal length, each a function of seed, epoch and number alone.

    Args:
        corpus: The encoded corpus.
        vocabulary: Number of tokens.
        mask: Id of the mask.
        settings: The settings of the run.

    Raises:
        PocketIntentError: No text is left to train on.
    """

    corpus: EncodedCorpus
    vocabulary: int
    mask: int
    settings: MaskedLmSettings
    _batches: list[IndexArray] = field(default_factory=list, init=False, repr=False)
    _epoch: int = field(default=0, init=False, repr=False)

    def __post_init__(self) -> None:
        rng = np.random.default_rng(self.settings.seed)
        held_out = rng.random(len(self.corpus.sentences) - 1) < self.settings.validation
        self._lengths = np.diff(self.corpus.sentences)
        self.training = np.flatnonzero(~held_out)
        self.validation = np.flatnonzero(held_out)
        if not len(self.training):
            raise PocketIntentError("the corpus has no text to train on")
        self.tokens_per_epoch = int(self._lengths[self.training].sum())

    @classmethod
    def load(cls, folder: Path, settings: MaskedLmSettings) -> MaskedBatches:
        """The batches of a folder that :func:`prepare_texts` filled."""
        tokenizer: Any = require("tokenizers", "teacher").Tokenizer
        tokenizer = tokenizer.from_file(str(folder / TOKENIZER))
        corpus = EncodedCorpus.load(folder)
        return cls(corpus, tokenizer.get_vocab_size(), tokenizer.token_to_id(MASK), settings)

    def start_epoch(self, epoch: int) -> int:
        """Shuffle the texts for an epoch; returns the number of batches."""
        rng = np.random.default_rng([self.settings.seed, epoch])
        batches = self.split(self.training[rng.permutation(len(self.training))])
        self._batches = [batches[number] for number in rng.permutation(len(batches))]
        self._epoch = epoch
        return len(batches)

    def batch(self, number: int) -> MaskedBatch:
        """One batch of the current epoch."""
        rng = np.random.default_rng([self.settings.seed, self._epoch, number])
        return self.make_batch(self._batches[number], rng)

    def split(self, texts: IndexArray) -> list[IndexArray]:
        """Split texts into batches of equal length, the shortest first."""
        order = texts[np.argsort(self._lengths[texts], kind="stable")]
        batches: list[IndexArray] = []
        for group in np.split(order, np.flatnonzero(np.diff(self._lengths[order])) + 1):
            size = max(1, self.settings.batch_tokens // int(self._lengths[group[0]]))
            batches += np.array_split(group, -(-len(group) // size))
        return batches

    def make_batch(self, texts: IndexArray, rng: np.random.Generator) -> MaskedBatch:
        """Mask texts of one length; at least one token of the batch is predicted."""
        starts, length = self.corpus.sentences[texts], int(self._lengths[texts[0]])
        ids = self.corpus.ids[starts[:, None] + np.arange(length)].astype(np.int64)
        chosen = rng.random(ids.shape) < self.settings.mask_share
        chosen[0, 1] = True
        chosen[:, [0, -1]] = False
        places = np.flatnonzero(chosen)
        flat = ids.reshape(-1)
        labels = flat[places].copy()
        flat[places] = self._hide(labels, rng)
        return MaskedBatch(ids, places, labels)

    def _hide(self, labels: IntArray, rng: np.random.Generator) -> NDArray[np.int64]:
        """What the model reads in place of tokens (Devlin et al. 2019)."""
        way = rng.random(len(labels))
        random = rng.integers(len(SPECIAL), self.vocabulary, len(labels))
        return np.where(way < _SHOWN, self.mask, np.where(way < _REPLACED, random, labels))
