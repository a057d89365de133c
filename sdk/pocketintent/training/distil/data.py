"""The data of distillation: texts as word ids, with a sentence encoder's vectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.text.tokenizer import get_tokenizer
from pocketintent.runtime.text.vocabulary import Vocabulary
from pocketintent.training.corpora.tokenizers import TOKENIZER_SPECS
from pocketintent.training.corpora.word_counts import CountedVocabulary, count_vocabulary
from pocketintent.training.distil.settings import DistilSettings
from pocketintent.training.teachers.encode import to_text
from pocketintent.training.teachers.targets import TargetTexts, reduce_targets
from pocketintent.training.vectors.table import TermVectors


@dataclass(frozen=True, eq=False)
class DistilData:
    """The vocabulary, the training texts and the validation texts."""

    words: CountedVocabulary
    """The words, with their counts in the texts."""
    training: TargetTexts
    """Texts that are learnt."""
    validation: TargetTexts
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
        texts = TargetTexts(
            np.concatenate([np.array(ids[i], np.int64) for i in rows]),
            np.append(0, lengths.cumsum()),
            reduce_targets(targets.vectors[rows] / norms[rows, None], settings.dim),
        )
        training, validation = texts.split(settings.validation, settings.seed)
        if not len(training):
            raise PocketIntentError(
                f"validation {settings.validation} holds out all {len(rows)} texts; give a smaller "
                "share, or more texts"
            )
        return cls(words, training, validation, len(targets) - len(rows))
