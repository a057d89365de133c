"""Batches of texts with their targets, and of paraphrases beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pocketintent.runtime.arrays import FloatArray, IntArray
from pocketintent.training.corpora.encoded import cut
from pocketintent.training.teachers.paraphrases import LabelledTexts
from pocketintent.training.teachers.targets import TargetTexts, TextData


@dataclass(frozen=True)
class Batch:
    """Texts one after the other: those with a target, then those with a label."""

    ids: IntArray
    """Tokens of all texts, int64 [num_tokens]."""
    lengths: IntArray
    """Number of tokens of each text, none 0, int64 [num_texts]."""
    targets: FloatArray
    """Unit vectors of the first texts, float32 [num_targets, dim]."""
    labels: IntArray
    """Of the other texts, see :class:`LabelledTexts`; int64 [num_texts - num_targets]."""
    rng: np.random.Generator | None = None
    """For what else is drawn for a batch in training."""

    @classmethod
    def join(
        cls,
        texts: TargetTexts,
        labelled: LabelledTexts | None = None,
        rng: np.random.Generator | None = None,
    ) -> Batch:
        """A batch of texts with their targets, and of labelled texts if there are any."""
        if labelled is None:
            return cls(texts.ids, texts.lengths, texts.targets, np.zeros(0, np.int64), rng)
        lengths = np.array([len(text) for text in labelled.texts], np.int64)
        return cls(
            np.concatenate([texts.ids, *labelled.texts]),
            np.append(texts.lengths, lengths),
            texts.targets,
            labelled.labels,
            rng,
        )

    def owners(self) -> IntArray:
        """The text of each token, int64 [num_tokens]."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)


class Batches:
    """Batches of texts of any length, each a function of seed, epoch and number alone.

    With the data's paraphrases each batch has some of them too.
    """

    def __init__(self, data: TextData, settings: Any) -> None:
        self._data, self._settings = data, settings
        self.words_per_epoch = len(data.training.ids)
        # But for the limit of texts in a batch.
        self.batches_per_epoch = max(1, -(-self.words_per_epoch // settings.batch_words))

    def start_epoch(self, epoch: int) -> int:
        """Shuffle the texts for an epoch; returns the number of batches."""
        texts = self._data.training
        order = np.random.default_rng([self._settings.seed, epoch]).permutation(len(texts))
        self._batches = cut(order, texts.lengths[order], self._settings.batch_words)
        self._epoch = epoch
        return len(self._batches)

    def batch(self, number: int) -> Batch:
        """One batch of the current epoch."""
        texts = self._data.training.take(self._batches[number])
        rng = np.random.default_rng([self._settings.seed, self._epoch, number])
        if self._data.paraphrases is None or not self._settings.paraphrase_weight:
            return Batch.join(texts, rng=rng)
        return Batch.join(texts, self._data.paraphrases.draw(rng), rng)
