"""Written paraphrases: texts of which the model learns that some mean the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pocketintent.records import read_objects
from pocketintent.runtime.arrays import IntArray
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.corpora.written_bots import read_bot

_GROUPS = 16  # that are compared in a step
ALONE = -1
"""The label of a text that means the same as no other."""

Encode = Callable[[str], list[int]]
"""From a text to its token ids."""


@dataclass(frozen=True)
class LabelledTexts:
    """Texts as token ids, none of them empty, and what they mean."""

    texts: list[list[int]]
    labels: IntArray
    """Equal for texts that mean the same, int64 [num_texts], or ``ALONE``."""


@dataclass(frozen=True)
class Paraphrases:
    """Bots, each with the texts of its intents and texts for none of them, and groups of texts."""

    bots: list[LabelledTexts]
    groups: list[list[list[int]]]

    def draw(self, rng: np.random.Generator) -> LabelledTexts:
        """All texts of one bot, or some groups; bots and groups are equally likely."""
        if self.bots and (not self.groups or rng.random() < 0.5):
            return self.bots[rng.integers(len(self.bots))]
        chosen = rng.choice(len(self.groups), min(_GROUPS, len(self.groups)), replace=False)
        groups = [self.groups[number] for number in chosen]
        labels = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
        return LabelledTexts([text for group in groups for text in group], labels)


def read_paraphrases(paths: Sequence[str | Path], encode: Encode) -> Paraphrases | None:
    """Read files of bots, ``.json``, and of groups, ``.jsonl``; None if there are no files.

    A line of groups has ``texts``, which mean the same. Texts without a token are left out. A
    PocketIntentError names the file and the place of an error; see also :func:`read_bot`.
    """
    bots: list[LabelledTexts] = []
    groups: list[list[list[int]]] = []
    for path in map(Path, paths):
        if path.suffix == ".jsonl":
            groups += [_read_group(line, place, encode) for place, line in read_objects(path)]
        else:
            bots.append(_read_bot(path, encode))
    return Paraphrases(bots, groups) if paths else None


def _read_group(line: dict[str, object], place: str, encode: Encode) -> list[list[int]]:
    texts = line.get("texts")
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise PocketIntentError(f'{place}: "texts" must be a list of texts')
    group = [ids for text in texts if (ids := encode(text))]
    if len(group) < 2:
        raise PocketIntentError(f"{place}: a group has at least two texts with a known word")
    return group


def _read_bot(path: Path, encode: Encode) -> LabelledTexts:
    bot = read_bot(path)
    labelled = [
        (text, number)
        for number, intent in enumerate(bot.intents.values())
        for text in [*intent.templates, *intent.phrasings]
    ] + [(text, ALONE) for texts in bot.foreign.values() for text in texts]
    pairs = [(ids, label) for text, label in labelled if (ids := encode(text))]
    return LabelledTexts([ids for ids, _ in pairs], np.array([label for _, label in pairs]))
