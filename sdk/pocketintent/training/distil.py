"""What word vectors are distilled from: texts as word ids, with a sentence encoder's vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.text import get_tokenizer
from pocketintent.runtime.vocabulary import Vocabulary
from pocketintent.training.encoded_corpus import ragged_ranges
from pocketintent.training.setting_checks import check_positive, check_values
from pocketintent.training.teacher import to_text
from pocketintent.training.text import TOKENIZER_SPECS
from pocketintent.training.vectors import TermVectors
from pocketintent.training.vocabulary import CountedVocabulary, count_vocabulary

FloatArray = NDArray[np.float32]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class DistilSettings:
    """Settings of a run."""

    dim: int = 256  # principal components of the targets that are kept
    epochs: int = 5
    learning_rate: float = 0.0025  # of AdaGrad; falls linearly to zero
    batch_size: int = 4096  # texts of a step
    min_count: int = 2  # rarer words get no vector, unless they are a text by themselves
    max_words: int | None = None  # only this many of the most frequent words
    frequency_weight: float = 0.01  # a of the first weight a / (a + share of the text); 0: none
    validation: float = 0.02  # share of the texts of several words that is kept out
    tokenizer: Literal["simple", "tweet"] = "simple"
    seed: int = 0

    def check(self) -> None:
        """Raise PocketIntentError for a setting that cannot be trained with."""
        check_values(self)
        check_positive(
            self, "dim", "epochs", "learning_rate", "batch_size", "min_count", "max_words"
        )
        if not 0 <= self.seed < 2**63:
            raise PocketIntentError(f"seed must be 0 or more and below 2**63, not {self.seed}")
        if self.frequency_weight < 0:
            raise PocketIntentError(
                f"frequency_weight cannot be negative, not {self.frequency_weight}"
            )
        if not 0 <= self.validation < 1:
            raise PocketIntentError(
                f"validation is a share from 0 to below 1, not {self.validation}"
            )


@dataclass(frozen=True, eq=False)
class DistilTexts:
    """Texts as word ids, with the directions that the sums of their words are to have."""

    ids: IntArray
    """Words of all texts, int64 [num_tokens]."""
    offsets: IntArray
    """Text ``i`` is ``ids[offsets[i]:offsets[i + 1]]``, never empty; int64 [num_texts + 1]."""
    targets: FloatArray
    """Unit vectors, float32 [num_texts, dim]."""

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def take(self, numbers: IntArray) -> DistilTexts:
        """Some of the texts."""
        lengths = np.diff(self.offsets)[numbers]
        ids = self.ids[ragged_ranges(self.offsets[numbers], lengths)]
        return DistilTexts(ids, np.append(0, lengths.cumsum()), self.targets[numbers])

    def owners(self) -> IntArray:
        """The text of each word, int64 [num_tokens]."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))


@dataclass(frozen=True, eq=False)
class DistilData:
    """What a run trains on and what it is measured on."""

    words: CountedVocabulary
    """The words, with their counts in the texts."""
    training: DistilTexts
    validation: DistilTexts
    """Texts of several words that are kept out; may be empty."""
    num_left_out: int = 0
    """Texts without a known word, or with a vector of zeros."""

    @classmethod
    def prepare(cls, targets: TermVectors, settings: DistilSettings) -> DistilData:
        """Tokenise the texts, count their words and reduce the vectors to ``settings.dim``.

        Texts without a known word are left out, and those whose vector is zeros.

        Raises:
            PocketIntentError: ``dim`` is above that of the vectors, no word is frequent enough, or
                fewer than two texts are left.
        """
        if settings.dim > targets.dim:
            raise PocketIntentError(
                f"dim {settings.dim} is more than the {targets.dim} of the targets"
            )
        tokenize = get_tokenizer(TOKENIZER_SPECS[settings.tokenizer])
        tokens = [tokenize(to_text(term)) for term in targets.terms]
        words = count_vocabulary(
            tokens,
            min_count=settings.min_count,
            max_words=settings.max_words,
            wanted={text[0] for text in tokens if len(text) == 1},
        )
        vocabulary = Vocabulary(words.words)
        ids = [vocabulary.ids(text) for text in tokens]
        norms = np.linalg.norm(targets.vectors, axis=1)
        kept = np.array([i for i, text in enumerate(ids) if text and norms[i] > 0], np.int64)
        if len(kept) < 2:
            raise PocketIntentError(f"{len(kept)} usable texts; at least 2 are needed")
        lengths = np.array([len(ids[i]) for i in kept], np.int64)
        texts = DistilTexts(
            np.concatenate([np.array(ids[i], np.int64) for i in kept]),
            np.append(0, lengths.cumsum()),
            _reduce(targets.vectors[kept] / norms[kept, None], settings.dim),
        )
        held = np.random.default_rng(settings.seed).random(len(kept)) < settings.validation
        held &= lengths > 1
        training, validation = (texts.take(np.flatnonzero(part)) for part in (~held, held))
        return cls(words, training, validation, len(targets) - len(kept))


def _reduce(vectors: FloatArray, dim: int) -> FloatArray:
    """The principal components at unit length, less the mean (Mu and Viswanath 2018)."""
    vectors = vectors - vectors.mean(axis=0)
    if dim < vectors.shape[1]:
        _, directions = np.linalg.eigh(vectors.T @ vectors)
        vectors = vectors @ directions[:, -dim:].astype(np.float32)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True).clip(1e-8)
    unit: FloatArray = vectors / norms
    return unit
