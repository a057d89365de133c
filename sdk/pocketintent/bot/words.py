"""The report of a test as text for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pocketintent.bot.confusion import NO_INTENT, REFUSED, ConfusionMatrix
from pocketintent.runtime.errors import shorten

MOST_INTENTS = 25
"""Most intents in a matrix or a list."""

_LONGEST_NAME = 28


def describe(report: dict[str, Any], matrix: ConfusionMatrix) -> str:
    """The report in lines of text.

    Args:
        report: The report of :func:`pocketintent.bot.report.evaluate_bot`.
        matrix: Its confusion matrix.
    """
    parts = [
        _describe_figures(report),
        _describe_intents(report),
        _describe_matrix(matrix),
        _describe_mistakes("worst confusions", report["confusions"]),
        _describe_mistakes("worst refusals", report["refusals"]),
        _describe_choice(report),
        [f"warning: {warning}" for warning in report["warnings"]],
    ]
    return "\n\n".join("\n".join(part) for part in map(list, parts) if part)


def draw_matrix(matrix: ConfusionMatrix) -> Iterator[str]:
    """The lines of a matrix; its columns are numbered like its rows, and a dot is a zero."""
    rows = [label_name(name) for name in [*matrix.intents, NO_INTENT]]
    cells = [[str(count) if count else "." for count in row] for row in matrix.counts.tolist()]
    header = [*map(str, range(1, len(rows))), REFUSED]
    widths = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
    numbers = [*map(str, range(1, len(rows))), ""]
    left = max(map(len, rows))
    for number, name, row in zip(["", *numbers], ["", *rows], [header, *cells], strict=True):
        fields = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
        yield f"  {number:>3} {name:<{left}}  {' '.join(fields)}".rstrip()


def label_name(name: str) -> str:
    """The name of an intent as a label: visible characters, not too many."""
    shown = "".join(character if character.isprintable() else "?" for character in name)
    return shown if len(shown) <= _LONGEST_NAME else f"{shown[: _LONGEST_NAME - 1]}…"


def percent(value: float | None) -> str:
    """A share as a percentage; a dash for None."""
    return "-" if value is None else f"{100 * value:.1f} %"


def _describe_figures(report: dict[str, Any]) -> Iterator[str]:
    reasons = ", ".join(
        f"{reason} {percent(part)}" for reason, part in report["refused_by_reason"].items()
    )
    yield f"{_number(report['num_in_scope'])} with an intent:"
    yield f"  right and accepted  {percent(report['accuracy']):>8}"
    yield f"  refused             {percent(report['refused']):>8}" + (reasons and f"  ({reasons})")
    yield f"  wrong intent        {percent(report['wrong']):>8}"
    whatever = percent(report["accuracy_without_threshold"])
    yield f"  best intent right   {whatever:>8}  (whatever the threshold)"
    yield f"{_number(report['num_out_of_scope'])} without an intent:"
    yield f"  accepted            {percent(report['out_of_scope_accepted']):>8}"
    for subject, figures in report.get("out_of_scope_by_subject", {}).items():
        name = "on its own subject" if subject == "own" else "on other subjects"
        yield f"  {name:<18}  {percent(figures['accepted']):>8}  (of {figures['count']})"


def _number(utterances: int) -> str:
    return "1 utterance" if utterances == 1 else f"{utterances} utterances"


def _describe_intents(report: dict[str, Any]) -> Iterator[str]:
    """The intents with a precision or recall below 1, the lowest recall first."""
    weak = [
        row
        for row in report["intents"]
        if any(row[figure] is not None and row[figure] < 1 for figure in ("precision", "recall"))
    ]
    if not weak:
        return
    weak.sort(key=lambda row: (row["recall"] is None, row["recall"], row["precision"] or 0.0))
    left = max(len(label_name(row["intent"])) for row in weak[:MOST_INTENTS])
    more = f", {MOST_INTENTS} of {len(weak)}" if len(weak) > MOST_INTENTS else ""
    yield f"intents with mistakes{more}:"
    yield f"  {'':<{left}}  utterances  precision   recall"
    for row in weak[:MOST_INTENTS]:
        shares = f"{percent(row['precision']):>9}  {percent(row['recall']):>7}"
        yield f"  {label_name(row['intent']):<{left}}  {row['count']:>10}  {shares}"


def _describe_matrix(matrix: ConfusionMatrix) -> Iterator[str]:
    shown = matrix.focus(MOST_INTENTS)
    note = ""
    if len(shown.intents) < len(matrix.intents):
        note = (
            f"; the {len(shown.intents)} of {len(matrix.intents)} intents with most wrong "
            "answers, the JSON has all"
        )
    yield f"confusion matrix (rows expected, columns given{note}):"
    yield from draw_matrix(shown)


def _describe_mistakes(title: str, mistakes: list[dict[str, Any]]) -> Iterator[str]:
    if mistakes:
        yield f"{title}:"
    for mistake in mistakes:
        reason = f"  ({mistake['reason']})" if mistake["reason"] else ""
        yield f"  {shorten(mistake['text'])}{reason}"
        if mistake["nearest"] is not None:
            verb = "got" if mistake["given"] is not None else "nearest"
            yield _describe_side(verb, mistake["nearest"], mistake["score"], mistake["template"])
        if mistake["expected"] is None:
            yield "    expected  no intent"
        elif mistake["expected"] != mistake["nearest"]:
            score, template = mistake["expected_score"], mistake["expected_template"]
            yield _describe_side("expected", mistake["expected"], score, template)
        elif mistake["reason"] == "ambiguous":
            other = mistake["runner_up"]
            yield _describe_side("next", other["intent"], other["score"], other["template"])


def _describe_side(verb: str, intent: str, score: float | None, template: str | None) -> str:
    line = f"    {verb:<8}  {label_name(intent)}"
    return line if score is None else f"{line}  {score:.3f}  {shorten(template)}"


def _describe_choice(report: dict[str, Any]) -> Iterator[str]:
    choice = report["choice"]
    inside, outside = report["num_in_scope"], report["num_out_of_scope"]
    total = max(inside + outside, 1)

    def of_all(share: float | None, utterances: int) -> str:
        return percent((share or 0) * utterances / total)

    yield f"right and wrong answers, in shares of all {_number(inside + outside)}:"
    rows = (
        ("now", report, choice["before"]),
        ("chosen by this data", choice, choice["after"]),
    )
    for name, limits, figures in rows:
        yield (
            f"  {name:<19}  threshold {limits['threshold']:g}, margin {limits['margin']:g}: "
            f"{percent(figures['answered_rightly'])} right "
            f"({of_all(figures['accuracy'], inside)} got their intent, "
            f"{of_all(1 - (figures['out_of_scope_accepted'] or 0), outside)} have none and were "
            f"refused); {of_all(figures['wrong'], inside)} got another intent, "
            f"{of_all(figures['refused'], inside)} were refused, "
            f"{of_all(figures['out_of_scope_accepted'], outside)} have none and got one"
        )
