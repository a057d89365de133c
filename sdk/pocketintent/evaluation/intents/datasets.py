"""Intent data sets, and few-shot draws of templates from their training split."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import orjson

from pocketintent.evaluation.records import Utterance, read_utterances
from pocketintent.runtime.arrays import IndexArray
from pocketintent.runtime.errors import PocketIntentError

SPLITS = ("test", "valid")
"""The splits to measure on; templates are always drawn from ``train``."""


@dataclass(frozen=True)
class IntentData:
    """The texts and labels of a data set; a label is an index into ``intents``."""

    name: str
    """Name of the folder."""
    split: str
    """The split that supplies the queries."""
    intents: list[str]
    """Intents of the training split, sorted, then intents that only the queries have, sorted."""
    num_trained: int
    """Number of intents in the training split; only labels below it can be predicted."""
    train_texts: list[str]
    train_labels: IndexArray
    query_texts: list[str]
    query_labels: IndexArray
    learn_names: bool = True
    """Whether the decisions may learn the intents' names; see :class:`TemplateSet`."""

    @classmethod
    def from_utterances(
        cls,
        name: str,
        split: str,
        train: Sequence[Utterance],
        queries: Sequence[Utterance],
        learn_names: bool = True,
    ) -> IntentData:
        """Build a data set from two lists of labelled utterances."""
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
            learn_names=learn_names,
        )

    @property
    def key(self) -> str:
        """Name, split and checksum of the contents; equal keys mean equal data."""
        content = [self.intents, self.train_texts, self.query_texts]
        labels = [self.train_labels.tolist(), self.query_labels.tolist()]
        checksum = zlib.crc32(orjson.dumps([content, labels]))
        return f"{self.name}/{self.split}/{checksum:08x}"


@dataclass(frozen=True)
class Draw:
    """The templates of one run."""

    run: int
    shots: int
    """Templates requested per intent; an intent with fewer utterances contributes all of them."""
    seed: int
    """Seed of this run, for systems whose training is random."""
    indices: IndexArray
    """Indices into ``train_texts``, sorted by label."""
    labels: IndexArray
    """Their labels, ascending; every intent of the training split occurs."""

    @property
    def starts(self) -> IndexArray:
        """Index in ``indices`` of each intent's first template."""
        return np.flatnonzero(np.diff(self.labels, prepend=-1)).astype(np.intp)


def load_intent_data(
    directory: str | Path, split: str = "test", *, learn_names: bool = True
) -> IntentData:
    """Read ``train.jsonl`` and ``{split}.jsonl`` of a folder, lines of ``{"text", "intent"}``.

    Args:
        directory: The folder of the data set.
        split: ``"test"`` or ``"valid"``.
        learn_names: Whether the decisions may learn the intents' names.

    Raises:
        PocketIntentError: The split is unknown, the folder or a file is missing, or a line is
            malformed.
    """
    folder = Path(directory)
    if split not in SPLITS:
        raise PocketIntentError(f"unknown split {split!r}; choose one of {', '.join(SPLITS)}")
    if not folder.is_dir():
        raise PocketIntentError(
            f"{folder}: no such folder; it must contain train.jsonl and {split}.jsonl"
        )
    train = read_utterances(folder / "train.jsonl")
    queries = read_utterances(folder / f"{split}.jsonl")
    return IntentData.from_utterances(folder.resolve().name, split, train, queries, learn_names)


def draw_templates(labels: IndexArray, shots: int, run: int, seed: int = 0) -> Draw:
    """Sample ``shots`` utterances of each intent as its templates.

    The draws of a run are nested: the templates at 5 shots are among the templates at 10. So
    the steps of a learning curve come from the number of templates, not from another sample.

    Args:
        labels: Labels [n] of the training split; every label from 0 to the maximum occurs.
        shots: Templates per intent, at least 1.
        run: Number of the run; every run has another sample.
        seed: Seed of all runs.

    Raises:
        PocketIntentError: ``shots`` is below 1.
    """
    if shots < 1:
        raise PocketIntentError(f"shots must be at least 1, found {shots}")
    generator = np.random.default_rng([seed, run])
    order = generator.permutation(len(labels))
    order = order[np.argsort(labels[order], kind="stable")]
    ordered_labels = labels[order]
    starts = np.searchsorted(ordered_labels, ordered_labels, side="left")
    chosen = np.arange(len(order)) - starts < shots
    return Draw(
        run=run,
        shots=shots,
        seed=seed * 1_000_003 + run,
        indices=order[chosen].astype(np.intp),
        labels=ordered_labels[chosen],
    )
