"""The data of distillation: texts as word ids, with a sentence encoder's vectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pocketintent.runtime.arrays import FloatArray, IntArray
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.text.tokenizer import get_tokenizer
from pocketintent.runtime.text.vocabulary import Vocabulary
from pocketintent.training.corpora.encoded import ragged_ranges
from pocketintent.training.corpora.tokenizers import TOKENIZER_SPECS
from pocketintent.training.corpora.word_counts import CountedVocabulary, count_vocabulary
from pocketintent.training.distil.settings import DistilSettings
from pocketintent.training.teachers.encode import to_text
from pocketintent.training.vectors.table import TermVectors


@dataclass(frozen=True, eq=False)
class DistilTexts:
    """Texts as word ids, with the target direction of each text's sum of words."""

    ids: IntArray
    """Words of all texts, int64 [num_tokens]."""
    offsets: IntArray
    """Text ``i`` is ``ids[offsets[i]:offsets[i + 1]]``, never empty; int64 [num_texts + 1]."""
    targets: FloatArray
    """Unit vectors, float32 [num_texts, dim]."""

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def take(self, numbers: IntArray) -> DistilTexts:
        """A selection of the texts, by number."""
        lengths = np.diff(self.offsets)[numbers]
        ids = self.ids[ragged_ranges(self.offsets[numbers], lengths)]
        return DistilTexts(ids, np.append(0, lengths.cumsum()), self.targets[numbers])

    def owners(self) -> IntArray:
        """The text of each word, int64 [num_tokens]."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))


@dataclass(frozen=True, eq=False)
class DistilData:
    """The vocabulary, the training texts and the validation texts."""

    words: CountedVocabulary
    """The words, with their counts in the texts."""
    training: DistilTexts
    """Texts that are learnt."""
    validation: DistilTexts
    """Texts of several words that are held out of training; may be empty."""
    num_left_out: int = 0
    """Number of texts without a known word, or with a zero vector."""

    @classmethod
    def prepare(cls, targets: TermVectors, settings: DistilSettings) -> DistilData:
        """Tokenise the texts, count their words and reduce the vectors to ``settings.dim``.

        Texts without a known word and texts with a zero vector are left out.

        Raises:
            PocketIntentError: ``dim`` is greater than the dimension of the vectors, no word is
                frequent enough, fewer than two texts are left, or all of them are held out.
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
            extra_words={text[0] for text in tokens if len(text) == 1},
        )
        vocabulary = Vocabulary(words.words)
        ids = [vocabulary.ids(text) for text in tokens]
        norms = np.linalg.norm(targets.vectors, axis=1)
        rows = np.array([i for i, text in enumerate(ids) if text and norms[i] > 0], np.int64)
        if len(rows) < 2:
            raise PocketIntentError(f"{len(rows)} usable texts; at least 2 are needed")
        lengths = np.array([len(ids[i]) for i in rows], np.int64)
        texts = DistilTexts(
            np.concatenate([np.array(ids[i], np.int64) for i in rows]),
            np.append(0, lengths.cumsum()),
            _reduce(targets.vectors[rows] / norms[rows, None], settings.dim),
        )
        held_out = np.random.default_rng(settings.seed).random(len(rows)) < settings.validation
        held_out &= lengths > 1
        training, validation = (texts.take(np.flatnonzero(p)) for p in (~held_out, held_out))
        if not len(training):
            raise PocketIntentError(
                f"validation {settings.validation} holds out all {len(rows)} texts; give a smaller "
                "share, or more texts"
            )
        return cls(words, training, validation, len(targets) - len(rows))


def _reduce(vectors: FloatArray, dim: int) -> FloatArray:
    """The first principal components of the centred vectors, at unit length.

    Source: Mu and Viswanath 2018.
    """
    vectors = vectors - vectors.mean(axis=0)
    if dim < vectors.shape[1]:
        _, directions = np.linalg.eigh(vectors.T @ vectors)
        vectors = vectors @ directions[:, -dim:].astype(np.float32)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True).clip(1e-8)
    unit: FloatArray = vectors / norms
    return unit
