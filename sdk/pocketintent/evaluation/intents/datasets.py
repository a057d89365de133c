"""An intent data set, and the few-shot draws of templates from its training split."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

from pocketintent.evaluation.records import Utterance, read_utterances
from pocketintent.runtime.errors import PocketIntentError

SPLITS = ("test", "valid")
"""The splits that a figure may be measured on; templates are always drawn from ``train``."""


@dataclass(frozen=True)
class IntentData:
    """The texts and labels of one data set; a label is a position in ``intents``."""

    name: str
    """The folder's name."""
    split: str
    """The split that the queries are from."""
    intents: list[str]
    """Intents of the training split, sorted; then those that only the queries have, sorted."""
    num_trained: int
    """Intents of the training split: labels below it can be predicted."""
    train_texts: list[str]
    train_labels: NDArray[np.intp]
    query_texts: list[str]
    query_labels: NDArray[np.intp]

    @classmethod
    def from_utterances(
        cls, name: str, split: str, train: Sequence[Utterance], queries: Sequence[Utterance]
    ) -> IntentData:
        """Number the intents of two lists of labelled utterances."""
        trained = sorted({str(utterance.intent) for utterance in train})
        unseen = sorted({str(utterance.intent) for utterance in queries} - set(trained))
        label = {intent: position for position, intent in enumerate(trained + unseen)}
        return cls(
            name=name,
            split=split,
            intents=trained + unseen,
            num_trained=len(trained),
            train_texts=[utterance.text for utterance in train],
            train_labels=np.array([label[str(u.intent)] for u in train], dtype=np.intp),
            query_texts=[utterance.text for utterance in queries],
            query_labels=np.array([label[str(u.intent)] for u in queries], dtype=np.intp),
        )

    @property
    def key(self) -> str:
        """Name, split and a checksum of the contents: equal keys are the same data."""
        content = [self.intents, self.train_texts, self.query_texts]
        labels = [self.train_labels.tolist(), self.query_labels.tolist()]
        checksum = zlib.crc32(orjson.dumps([content, labels]))
        return f"{self.name}/{self.split}/{checksum:08x}"


@dataclass(frozen=True)
class Draw:
    """The templates of one run."""

    run: int
    shots: int
    """Templates asked for of each intent; an intent that has fewer gives all it has."""
    seed: int
    """A seed of this run's own, for systems that train with chance."""
    indices: NDArray[np.intp]
    """Positions in ``train_texts``, ordered by label."""
    labels: NDArray[np.intp]
    """Labels of these positions, ascending; every trained intent occurs."""

    @property
    def starts(self) -> NDArray[np.intp]:
        """Position in ``indices`` where each intent's templates start."""
        return np.flatnonzero(np.diff(self.labels, prepend=-1)).astype(np.intp)


def load_intent_data(directory: str | Path, split: str = "test") -> IntentData:
    """Read ``train.jsonl`` and ``{split}.jsonl`` of a folder, lines of ``{"text", "intent"}``.

    Args:
        directory: The folder of the data set.
        split: ``"test"`` or ``"valid"``.

    Raises:
        PocketIntentError: The folder, a file or a line is missing or bad.
    """
    folder = Path(directory)
    if split not in SPLITS:
        raise PocketIntentError(f"unknown split {split!r}; choose one of {', '.join(SPLITS)}")
    if not folder.is_dir():
        raise PocketIntentError(
            f"{folder}: no such folder; expected train.jsonl and {split}.jsonl in it"
        )
    train = read_utterances(folder / "train.jsonl")
    return IntentData.from_utterances(
        folder.resolve().name, split, train, read_utterances(folder / f"{split}.jsonl")
    )


def draw_templates(labels: NDArray[np.intp], shots: int, run: int, seed: int = 0) -> Draw:
    """Sample ``shots`` utterances of each intent as its templates.

    The draws of one run are nested: the templates at 5 shots are among those at 10. So a
    learning curve's steps come from the number of templates and not from another sample.

    Args:
        labels: Labels [n] of the training split, every label from 0 to its maximum present.
        shots: Templates of each intent, at least 1.
        run: Number of the run; each has its own sample.
        seed: Seed of all runs.

    Raises:
        PocketIntentError: ``shots`` is not positive.
    """
    if shots < 1:
        raise PocketIntentError(f"shots must be at least 1, found {shots}")
    generator = np.random.default_rng([seed, run])
    order = generator.permutation(len(labels))
    order = order[np.argsort(labels[order], kind="stable")]
    ordered_labels = labels[order]
    starts = np.searchsorted(ordered_labels, ordered_labels, side="left")
    kept = np.arange(len(order)) - starts < shots
    return Draw(
        run=run,
        shots=shots,
        seed=seed * 1_000_003 + run,
        indices=order[kept].astype(np.intp),
        labels=ordered_labels[kept],
    )
