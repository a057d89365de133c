"""What bots answer to the free phrasings of their intents, and to texts that are not for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from pocketintent.evaluation.intents.draw_scorers import EmbeddedTexts
from pocketintent.evaluation.intents.scored_texts import (
    OUTSIDE_SHARES,
    ScoredTexts,
    describe_bins,
    threshold_that_accepts,
)
from pocketintent.evaluation.metrics import mean_and_std
from pocketintent.recognizer import IntentRecognizer
from pocketintent.runtime.decision.results import Match
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.templates.template_set import (
    DEFAULT_MARGIN,
    DEFAULT_THRESHOLD,
    TemplateSet,
    parse_templates,
)
from pocketintent.training.corpora.written_bots import WrittenBot, read_bot

OTHER_SUBJECTS = "other_subjects"
"""Name of the foreign texts against which the scores are probabilities."""
ACCEPTED_SHARE = 0.05
"""Share of the texts on other subjects that the threshold of ``right_at_5_percent`` accepts."""


@dataclass(frozen=True)
class BotAnswers:
    """The matches of a bot's texts."""

    phrasings: Sequence[tuple[str, Match]]
    """The intent of each phrasing, and its match."""
    foreign: dict[str, list[Match]]
    """The matches of the texts that are for no intent, by the names of :class:`WrittenBot`."""


def read_bots(folder: str | Path) -> list[tuple[WrittenBot, TemplateSet]]:
    """The bots of a folder's JSON files, by name, each with its templates as a recogniser has them.

    It is a PocketIntentError, which names the file or the folder, if one cannot be read, or there
    is none with a phrasing.
    """
    bots = []
    for path in sorted(Path(folder).glob("*.json")):
        bot = read_bot(path)
        bots.append((bot, parse_templates(bot.template_file(), str(path))))
    if not any(intent.phrasings for bot, _ in bots for intent in bot.intents.values()):
        raise PocketIntentError(
            f"{folder}: there is no bot with phrasings; a bot is a JSON file of "
            '{"intents": {name: {"templates": […], "phrasings": […]}}, "foreign": {name: […]}}'
        )
    return bots


def answer_bot(encoder: Encoder, bot: WrittenBot, templates: TemplateSet) -> BotAnswers:
    """Match the phrasings and the foreign texts of a bot by a recogniser of the templates."""
    recognizer = IntentRecognizer(encoder, templates)
    phrasings = [(name, text) for name, own in bot.intents.items() for text in own.phrasings]
    matches = recognizer.match_batch([text for _, text in phrasings])
    return BotAnswers(
        [(name, match) for (name, _), match in zip(phrasings, matches, strict=True)],
        {name: recognizer.match_batch(texts) for name, texts in bot.foreign.items()},
    )


def summarise_answers(bots: Sequence[BotAnswers]) -> dict[str, Any]:
    """The figures of bots, at least one of which has a phrasing.

    Returns:
        Shares of the phrasings: ``right``, ``refused``, ``other`` for another intent, and
        ``in_front``, whose best intent is right whatever its score. ``accepted`` has by their name
        the foreign texts that get an intent. ``right_at_5_percent``: the phrasings that are right
        at the ``threshold`` that accepts 5 % of the texts on other subjects of all bots together,
        whatever the margin. Each is ``{"count", "mean", "std"}``: a number of texts, and their
        share of a bot's texts as mean and deviation over the bots. ``ece_third`` and ``bins`` are
        those of :func:`.out_of_scope.evaluate_calibration` for all bots together, whose texts on
        other subjects are out of scope. Without such a text there is no ``right_at_5_percent`` and
        no ``ece_third``.
    """

    def share(test: Callable[[str, Match], bool]) -> dict[str, Any]:
        return _share([[test(name, match) for name, match in bot.phrasings] for bot in bots])

    groups = dict.fromkeys(name for bot in bots for name, found in bot.foreign.items() if found)
    row: dict[str, Any] = {
        "right": share(lambda name, match: match.intent == name),
        "refused": share(lambda _, match: match.intent is None),
        "other": share(lambda name, match: match.intent not in (None, name)),
        "in_front": share(lambda name, match: match.nearest == name),
        "accepted": {
            name: _share(
                [[m.intent is not None for m in bot.foreign.get(name, ())] for bot in bots]
            )
            for name in groups
        },
    }
    phrasings = [pair for bot in bots for pair in bot.phrasings]
    texts = ScoredTexts(
        np.array([match.score for _, match in phrasings]),
        np.array([match.nearest == name for name, match in phrasings]),
        np.array([match.score for bot in bots for match in bot.foreign.get(OTHER_SUBJECTS, ())]),
    )
    if len(texts.outside):
        least = threshold_that_accepts(texts.outside, ACCEPTED_SHARE)
        reached = share(lambda name, match: match.nearest == name and match.score >= least)
        row["right_at_5_percent"] = {"threshold": least, **reached}
        row["ece_third"] = texts.calibration_error(OUTSIDE_SHARES["third"])
    return {**row, "bins": describe_bins(texts.bins())}


def _share(flags: Sequence[Sequence[bool]]) -> dict[str, Any]:
    """How many texts of all bots, and which share of a bot's texts, over the bots with texts."""
    shares = [sum(of_bot) / len(of_bot) for of_bot in flags if of_bot]
    return {"count": sum(map(sum, flags)), **mean_and_std(shares)}


def evaluate_bots(
    encoder: Encoder,
    bots: Sequence[tuple[WrittenBot, TemplateSet]],
    *,
    shots: Sequence[int] = (),
    threshold: float = DEFAULT_THRESHOLD,
    margin: float = DEFAULT_MARGIN,
    learn_names: bool = True,
    progress: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """Measure how bots answer free phrasings, by the decision ``logistic``.

    Args:
        encoder: Any encoder.
        bots: The bots of :func:`read_bots`.
        shots: Numbers of templates, the first of each intent; empty for all that it has.
        threshold: Scores under it are refused.
        margin: Smallest lead over the next intent.
        learn_names: Whether the classifier learns the intents' names.
        progress: Called with the name of a bot after it.

    Returns:
        ``{"num_bots", "num_phrasings", "num_foreign", "threshold", "margin", "learn_names",
        "results"}``; ``results`` has a row for each number of templates: ``shots``, null for all,
        and the figures of :func:`summarise_answers`.
    """
    numbers: Sequence[int | None] = shots or (None,)
    answers: list[list[BotAnswers]] = [[] for _ in numbers]
    for bot, own in bots:
        embedded = EmbeddedTexts(encoder, [*own.all_texts(), *bot.queries()])
        templates = replace(own, threshold=threshold, margin=margin, learn_names=learn_names)
        for row, number in zip(answers, numbers, strict=True):
            row.append(answer_bot(embedded, bot, _first_templates(templates, number)))
        if progress is not None:
            progress(bot.name)
    foreign = Counter[str]()
    for bot, _ in bots:
        foreign.update({name: len(texts) for name, texts in bot.foreign.items()})
    return {
        "num_bots": len(bots),
        "num_phrasings": sum(len(bot.phrasings) for bot in answers[0]),
        "num_foreign": dict(foreign),
        "threshold": threshold,
        "margin": margin,
        "learn_names": learn_names,
        "results": [
            {"shots": number, **summarise_answers(row)}
            for number, row in zip(numbers, answers, strict=True)
        ],
    }


def _first_templates(templates: TemplateSet, number: int | None) -> TemplateSet:
    """A set with the first templates of each intent; None for all."""
    intents = {
        name: replace(intent, templates=intent.templates[:number])
        for name, intent in templates.intents.items()
    }
    return replace(templates, intents=intents)
