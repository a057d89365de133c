"""Documents and questions, and their split into parts without a title in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from pocketintent.runtime.errors import PocketIntentError

Part = Literal["train", "valid", "test"]
"""A part of the titles: half to learn from, a fifth to choose settings on, the rest to measure."""

_TRAIN, _VALID = 0.5, 0.2  # shares of the titles


@dataclass(frozen=True)
class Document:
    """A text that is to be found, such as a paragraph."""

    title: str
    """What it belongs to, such as its article; a title is never split."""
    text: str


@dataclass(frozen=True)
class Question:
    """A text that looks for documents."""

    text: str
    relevant: tuple[int, ...]
    """Numbers of the documents that answer it, at least one."""


@dataclass(frozen=True)
class RetrievalData:
    """Documents, and questions about them."""

    documents: list[Document]
    questions: list[Question]

    def split(self, seed: int = 0) -> dict[Part, RetrievalData]:
        """Split the documents by title, with their questions.

        Args:
            seed: Seed of the order of the titles.

        Returns:
            The parts: 50 percent of the titles to learn, 20 to choose settings, 30 to measure.

        Raises:
            PocketIntentError: There are fewer than four titles.
        """
        titles = sorted({document.title for document in self.documents})
        if len(titles) < 4:
            raise PocketIntentError(
                f"the documents have {len(titles)} titles; a split requires at least 4"
            )
        order = np.random.default_rng(seed).permutation(len(titles))
        shuffled = [titles[number] for number in order]
        train = round(len(titles) * _TRAIN)
        valid = train + max(1, round(len(titles) * _VALID))
        return {
            "train": self._take(set(shuffled[:train])),
            "valid": self._take(set(shuffled[train:valid])),
            "test": self._take(set(shuffled[valid:])),
        }

    def _take(self, titles: set[str]) -> RetrievalData:
        """The documents of some titles, numbered from 0, and their questions."""
        chosen = [n for n, document in enumerate(self.documents) if document.title in titles]
        new_number = {old: new for new, old in enumerate(chosen)}
        questions = []
        for question in self.questions:
            relevant = tuple(new_number[n] for n in question.relevant if n in new_number)
            if relevant:
                questions.append(Question(question.text, relevant))
        return RetrievalData([self.documents[number] for number in chosen], questions)
