"""The threshold and the margin that the utterances of a test would choose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pocketintent.bot.answers import Answer
from pocketintent.runtime.templates.template_set import TemplateSet


class Limits(NamedTuple):
    """What a score must reach to be a match."""

    threshold: float
    """Lowest score, -1..1, for the intents without a threshold of their own."""
    margin: float
    """Smallest lead over the runner-up, 0..2."""


def choose_limits(answers: Sequence[Answer], templates: TemplateSet) -> Limits:
    """Choose the threshold and margin with which most utterances get the right answer.

    An answer is right if it is the intent of the utterance or, when it belongs to none, a
    refusal. A wrong intent counts no worse than a refusal. Candidates are all hundredths, and
    the current values; what is refused as a counter-example is so whatever the limits are, and
    counts for none. Among equally good pairs, the nearest to the current pair wins: the sum
    of the two differences is smallest, then the threshold, then the margin. An intent's own
    threshold stays.

    Args:
        answers: The answers of the recogniser, whatever its limits were.
        templates: Its template set, for the current limits and the intents' own thresholds.
    """
    current = Limits(templates.threshold, templates.margin)
    thresholds = np.union1d(np.arange(-100, 101) / 100, current.threshold)
    margins = np.union1d(np.arange(0, 201) / 100, current.margin)
    gains = _count_gains(answers, templates, thresholds, margins)
    distances = np.abs(thresholds - current.threshold)[:, None] + np.abs(margins - current.margin)
    distances[gains < gains.max()] = np.inf
    row, column = np.unravel_index(distances.argmin(), distances.shape)
    return Limits(float(thresholds[row]), float(margins[column]))


def _count_gains(
    answers: Sequence[Answer],
    templates: TemplateSet,
    thresholds: NDArray[np.float64],
    margins: NDArray[np.float64],
) -> NDArray[np.intp]:
    """Utterances answered right by each pair of limits, less those that belong to no intent.

    Args:
        answers: The answers.
        templates: The template set.
        thresholds: Thresholds [n], ascending.
        margins: Margins [m], ascending.

    Returns:
        Counts [n, m].
    """
    # passed[i, j]: what the answers gain that pass the first i thresholds and j margins alone.
    passed = np.zeros((len(thresholds) + 1, len(margins) + 1), np.intp)
    for answer in answers:
        match = answer.match
        gain = _gain_if_accepted(answer)
        if match.nearest is None or gain == 0:
            continue
        own = templates.intents[match.nearest].threshold
        if own is None:
            row = int(np.searchsorted(thresholds, match.score, side="right"))
        else:
            row = len(thresholds) if match.score >= own else 0
        lead = np.inf if match.margin is None else match.margin
        passed[row, int(np.searchsorted(margins, lead, side="right"))] += gain
    totals: NDArray[np.intp] = passed[::-1, ::-1].cumsum(axis=0).cumsum(axis=1)[::-1, ::-1]
    return totals[1:, 1:]


def _gain_if_accepted(answer: Answer) -> int:
    """Right answers that accepting the nearest intent gains over refusing it, as limits can."""
    if answer.match.reason == "counter_example":
        return 0
    if not answer.in_scope:
        return -1
    return int(answer.match.nearest == answer.utterance.intent)
