r"""Fit the calibration of small bots to written bots, cross-validated over bots.

    mkdir heldout; ls $DATA/bots/train/*.json | awk 'NR % 5 == 1' | xargs -I {} cp {} heldout
    python -m benchmarks.accuracy.calibration heldout --model default tiny
    python -m benchmarks.accuracy.calibration heldout --check tests/resources/small_bots

The models that ship are trained on the other bots of ``bots/train``.

The sigmoid that a bot is expected to have turns logits into probabilities together with the bot's
own templates (``runtime/decision/logistic/calibration.py``). Its threshold, the logit whose
probability is one half, is a shift more than what one of two formulas says:

- ``size``: the formula of the runtime, by the numbers of intents and templates;
- ``background``: the mean logit of the best intents of the model's background, and 1.5 standard
  deviations, which needs no number of the bot or of the model.

The shift is chosen so that ``--accepted`` of the bots' texts on other subjects reach a score of
0.5, and the slope, a part of that of the runtime, by the logistic loss, where a third of all texts
is on other subjects. Each bot is measured with constants that were fitted on bots of the other
folds. One JSON line for each model, formula and size of the bots, with the figures of ``evaluate
bots``, and the constants of the folds; ``now`` is the runtime as it is. The constants are fitted on
whole bots; a smaller one has some of the intents and the first templates. Then all models are
fitted together, for constants that serve all. ``benchmarks.accuracy.calibration_curve`` draws the
formula of the runtime and the thresholds that would fit the queries of the bots.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pocketintent import IntentRecognizer, load_encoder
from pocketintent.cli.options.types import number, whole_number
from pocketintent.evaluation.bots.answers import (
    OTHER_SUBJECTS,
    BotAnswers,
    read_bots,
    summarise_answers,
)
from pocketintent.evaluation.intents.draw_scorers import EmbeddedTexts
from pocketintent.evaluation.metrics import mean_and_std
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.decision.logistic.calibration import (
    OUTSIDE_SHARE,
    CalibrationExamples,
    calibration_examples,
    expected_sigmoid,
    fit_calibration,
    fit_sigmoid,
)
from pocketintent.runtime.decision.logistic.fitting import fit_rows
from pocketintent.runtime.decision.logistic.scorer import Calibration, LogisticScorer, sigmoid
from pocketintent.runtime.decision.results import Match
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.templates.template_set import TemplateSet
from pocketintent.training.corpora.written_bots import WrittenBot

SLOPES = (0.5, 0.75, 1.0)
"""Parts of the slope of the runtime that are tried."""
LEAST_SHIFT, MOST_SHIFT, HALVINGS = -3.0, 3.0, 9
WEIGHTS = {"size": 40.0, "background": 80.0}
"""How many examples the expected sigmoid counts, beside 45 / k^2 for each intent."""


@dataclass(frozen=True, eq=False)
class Logits:
    """The examples of a bot, and the best intents of its texts before calibration."""

    bot: str
    examples: CalibrationExamples
    now: Calibration
    phrasings: list[tuple[str, str]]
    """The right intent and the best one of each phrasing."""
    scores: FloatArray
    """The logits of the best intents of the phrasings."""
    foreign: dict[str, FloatArray]
    """Those of the foreign texts."""


class Constants(NamedTuple):
    """What is fitted of a formula."""

    shift: float
    slope: float


def main(argv: Sequence[str] | None = None) -> int:
    """Fit and measure each formula, for each model and for all together."""
    args = _parse(argv)
    sets = {path: read_bots(path) for path in (args.bots, *args.check)}
    logits: dict[tuple[str, Path, str], list[Logits]] = {}
    for model in args.model:
        encoder = load_encoder(model)
        for path, bots in sets.items():
            for size in args.sizes if path == args.bots else ["all"]:
                logits[model, path, size] = [_logits(encoder, *bot, size) for bot in bots]
        for key in (key for key in logits if key[0] == model):
            found = _sizes_and_thresholds(logits[key])
            _print(key, "now", found, [(of_bot, of_bot.now) for of_bot in logits[key]])
    groups = [[model] for model in args.model] + [args.model] * (len(args.model) > 1)
    for group in groups:
        for formula in WEIGHTS:
            whole = [of_bot for model in group for of_bot in logits[model, args.bots, "all"]]
            folds = fit_folds(formula, whole, args.folds, args.accepted)
            every = fit(formula, whole, args.accepted)
            found = {
                "together": len(group) > 1,
                "constants": every._asdict(),
                **{
                    f"{name}_of_folds": mean_and_std([getattr(one, name) for one in folds.values()])
                    for name in Constants._fields
                },
            }
            for key in (key for key in logits if key[0] in group):
                own = folds if key[1] == args.bots else {}
                measured = [
                    (of_bot, calibrate(formula, own.get(of_bot.bot, every), of_bot))
                    for of_bot in logits[key]
                ]
                _print(key, formula, found, measured)
    return 0


def _logits(encoder: Encoder, bot: WrittenBot, templates: TemplateSet, size: str) -> Logits:
    """The logits of a bot, or of some of its intents with some of their templates."""
    bot, templates = _part(bot, templates, size)
    embedded = EmbeddedTexts(encoder, [*templates.all_texts(), *bot.queries()])
    recognizer = IntentRecognizer(embedded, templates)
    scorer = recognizer.scorer
    assert isinstance(scorer, LogisticScorer)
    now = scorer.classifier.calibration

    def best(texts: Sequence[str]) -> tuple[list[str], FloatArray]:
        read = [recognizer.read(text) for text in texts]
        totals = scorer.totals(read, embedded.encode_batch(read))
        raw = (totals.max(axis=1) - now.intercept) / now.slope
        return [scorer.indexed.names[column] for column in totals.argmax(axis=1)], raw

    phrasings = [(name, text) for name, own in bot.intents.items() for text in own.phrasings]
    found, scores = best([text for _, text in phrasings])
    _, rows, held_out = fit_rows(embedded, templates, scorer.indexed)
    return Logits(
        bot.name,
        calibration_examples(rows, held_out),
        now,
        [(name, other) for (name, _), other in zip(phrasings, found, strict=True)],
        scores,
        {name: best(texts)[1] for name, texts in bot.foreign.items() if texts},
    )


def _part(bot: WrittenBot, templates: TemplateSet, size: str) -> tuple[WrittenBot, TemplateSet]:
    """A bot of ``size``: "3x2" for three of the intents with two templates each, or "all"."""
    if size == "all":
        return bot, templates
    num_intents, num_templates = map(int, size.split("x"))
    # Other intents of each bot, so that no place in the files decides.
    start = sum(map(ord, bot.name)) % len(bot.intents)
    names = [*bot.intents, *bot.intents][start : start + num_intents]
    intents = {
        name: replace(templates.intents[name], templates=own.templates[:num_templates])
        for name, own in bot.intents.items()
        if name in names
    }
    kept = {name: bot.intents[name] for name in intents}
    return replace(bot, intents=kept), replace(templates, intents=intents)


def calibrate(formula: str, constants: Constants, bot: Logits) -> Calibration:
    """The calibration of a bot by a formula."""
    examples = bot.examples
    n, k = examples.num_intents, examples.num_templates
    usual = expected_sigmoid(n, k)
    threshold = -usual.intercept / usual.slope
    if formula == "background":
        threshold = float(examples.outside.mean() + 1.5 * examples.outside.std())
    slope = constants.slope * usual.slope
    expected = Calibration(slope, -slope * (threshold + constants.shift))
    return fit_calibration(examples, expected, WEIGHTS[formula] + 45 * n / k**2)


def fit(formula: str, bots: Sequence[Logits], accepted: float) -> Constants:
    """The constants of a formula that accept a share of the texts on other subjects."""
    found = [_fit_shift(formula, bots, accepted, slope) for slope in SLOPES]
    return min(found, key=lambda own: _loss([(bot, calibrate(formula, own, bot)) for bot in bots]))


def _fit_shift(formula: str, bots: Sequence[Logits], accepted: float, slope: float) -> Constants:
    low, high = LEAST_SHIFT, MOST_SHIFT
    for _ in range(HALVINGS):
        middle = Constants((low + high) / 2, slope)
        shares = []
        for bot in bots:
            calibration = calibrate(formula, middle, bot)
            reached = calibration.slope * bot.foreign[OTHER_SUBJECTS] + calibration.intercept >= 0
            shares.append(reached.mean())
        low, high = (middle.shift, high) if np.mean(shares) > accepted else (low, middle.shift)
    return Constants(high, slope)


def _sizes_and_thresholds(bots: Sequence[Logits]) -> dict[str, Any]:
    """Mean sizes of the bots, and the threshold of the sigmoid that fits the queries of each."""
    return {
        "num_intents": float(np.mean([bot.examples.num_intents for bot in bots])),
        "num_templates": float(np.mean([bot.examples.num_templates for bot in bots])),
        "fitted_threshold": mean_and_std([_fitted_threshold(bot) for bot in bots]),
    }


def _fitted_threshold(bot: Logits) -> float:
    """The logit of probability one half by the bot's own queries, a third of which are foreign."""
    foreign = bot.foreign[OTHER_SUBJECTS]
    is_right = [float(name == best) for name, best in bot.phrasings]
    found = fit_sigmoid(
        np.concatenate([bot.scores, foreign]),
        np.concatenate([is_right, np.zeros(len(foreign))]),
        np.repeat([1 / len(is_right), OUTSIDE_SHARE / len(foreign)], [len(is_right), len(foreign)]),
        bot.now,
    )
    return -found.intercept / found.slope


def _loss(bots: Sequence[tuple[Logits, Calibration]]) -> float:
    """The logistic loss, mean over bots, where a third of all texts is on other subjects."""
    losses = []
    for bot, calibration in bots:
        is_right = np.array([name == best for name, best in bot.phrasings])
        inside, outside = (
            calibration.slope * logits + calibration.intercept
            for logits in (bot.scores, bot.foreign[OTHER_SUBJECTS])
        )
        near = np.logaddexp(0, np.where(is_right, -inside, inside)).mean()
        losses.append(near + OUTSIDE_SHARE * np.logaddexp(0, outside).mean())
    return float(np.mean(losses)) / (1 + OUTSIDE_SHARE)


def fit_folds(
    formula: str, bots: Sequence[Logits], num_folds: int, accepted: float
) -> dict[str, Constants]:
    """For each bot, by its name, the constants fitted on the bots of the other folds."""
    names = sorted({bot.bot for bot in bots})
    order = np.random.default_rng(0).permutation(len(names))
    folds = {names[place]: position % num_folds for position, place in enumerate(order)}
    found = [
        fit(formula, [bot for bot in bots if folds[bot.bot] != fold], accepted)
        for fold in range(num_folds)
    ]
    return {name: found[fold] for name, fold in folds.items()}


def _print(
    key: tuple[str, Path, str],
    formula: str,
    found: dict[str, Any],
    bots: Sequence[tuple[Logits, Calibration]],
) -> None:
    """Print the figures of calibrated bots."""
    model, path, size = key
    row = summarise_answers([_answers(bot, calibration) for bot, calibration in bots])
    accepted = {name: figure["mean"] for name, figure in row.pop("accepted").items()}
    means = {name: row[name]["mean"] for name in ("right", "refused", "other", "in_front")}
    means |= {"accepted": accepted, "right_at_5_percent": row["right_at_5_percent"]["mean"]}
    means |= {"ece_third": row["ece_third"], "loss": _loss(bots)}
    head = {"model": model, "bots": path.name, "size": size, "formula": formula}
    print(json.dumps(head | means | found), flush=True)


def _answers(bot: Logits, calibration: Calibration) -> BotAnswers:
    def match(nearest: str, logit: float) -> Match:
        score = sigmoid(np.array(calibration.slope * logit + calibration.intercept)).item()
        return Match(nearest if score >= 0.5 else None, score, None, nearest, None, None, None)

    return BotAnswers(
        [
            (name, match(best, logit))
            for (name, best), logit in zip(bot.phrasings, bot.scores.tolist(), strict=True)
        ],
        {name: [match("", x) for x in found.tolist()] for name, found in bot.foreign.items()},
    )


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("bots", type=Path, help="folder of bots to fit on")
    names = ["default", "fast", "tiny"]
    parser.add_argument("--model", nargs="+", default=names, help="(default fast tiny)")
    help = "folders of other bots, measured with the constants of all bots"
    parser.add_argument("--check", type=Path, nargs="+", default=[], metavar="DIR", help=help)
    help = "share of the texts on other subjects that are accepted (%(default)s)"
    share = number(above=0, below=1)
    parser.add_argument("--accepted", type=share, default=0.04, metavar="X", help=help)
    parser.add_argument("--folds", type=whole_number(2), default=5, metavar="N", help="%(default)s")
    parser.add_argument(
        "--sizes",
        nargs="+",
        default=["all", "5x6", "3x3", "8x1"],
        metavar="INTENTSxTEMPLATES",
        help="sizes of the bots that are measured, `all` among them (all 5x6 3x3 8x1)",
    )
    args = parser.parse_args(argv)
    if "all" not in args.sizes:
        parser.error("--sizes: the constants are fitted on whole bots; add `all`")
    return args


if __name__ == "__main__":
    raise SystemExit(main())
