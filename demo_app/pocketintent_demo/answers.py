"""The text of the demo's answers: matches and explanations."""

from __future__ import annotations

from pocketintent import Explanation, IntentRecognizer, Match
from pocketintent_demo.style import Style, quote

_SHOWN_WORDS = 6


def describe_match(
    recognizer: IntentRecognizer, text: str, match: Match, took: str, style: Style
) -> str:
    """A match in one to three lines: the intent or why there is none, and the two best intents.

    Args:
        recognizer: What gave the match.
        text: The text.
        match: Its match.
        took: How long the match took.
        style: Colours of the answer.
    """
    if match.intent is not None:
        first = f"{style.intent(match.intent)}  {match.score:.3f}"
    else:
        first = f"{style.refusal('no intent')}: {_reason(recognizer, text, match)}"
    lines = [f"{first}  {style.faint(took)}"]
    if match.nearest is not None:
        lines.append(f"  nearest    {match.nearest}  {match.score:.3f}  {quote(match.template)}")
    if (other := match.runner_up) is not None:
        lines.append(
            f"  runner-up  {other.intent}  {other.score:.3f}  {quote(other.template)}  "
            + style.faint(f"{match.margin:.3f} behind")
        )
    return "\n".join(lines)


def describe_explanation(recognizer: IntentRecognizer, text: str, style: Style) -> str:
    """The best intents of a text, the words that carry the score, and what decides."""
    explanation = recognizer.explain(text)
    match = explanation.match
    result = style.refusal("no intent")
    if match.intent is not None:
        result = style.intent(match.intent)
    lines = [f"{quote(text)} is {result}"]
    if match.nearest is None:
        return "\n".join([*lines, f"  {_reason(recognizer, text, match)}"])
    ranked = recognizer.rank(text, limit=5)
    width = max((len(candidate.intent) for candidate in ranked), default=0)
    for place, candidate in enumerate(ranked, 1):
        lines.append(
            f"  {place}  {candidate.intent:<{width}}  {candidate.score:.3f}  "
            f"{quote(candidate.template)}"
        )
    lines.append(_words(explanation))
    if match.reason == "counter_example":
        lines.append(f"  refused: {_reason(recognizer, text, match)}")
    return "\n".join([*lines, *_limits(recognizer, match)])


def describe_candidate(recognizer: IntentRecognizer, text: str, intent: str) -> str:
    """The score of one intent, and the words that carry it."""
    explanation = recognizer.explain(text, intent)
    if (candidate := explanation.candidate) is None:
        return _reason(recognizer, text, explanation.match)
    first = f"{candidate.intent}  {candidate.score:.3f}  {quote(candidate.template)}"
    return f"{first}\n{_words(explanation)}"


def _reason(recognizer: IntentRecognizer, text: str, match: Match) -> str:
    """Why there is no intent."""
    if match.reason == "no_templates":
        return "there are no intents yet; :add INTENT TEXT makes one"
    if match.reason == "unknown_words":
        return "the model knows no word of the text"
    if match.reason == "counter_example":
        same = recognizer.explain(text).counter_example
        of = f"a counter-example of {match.nearest}"
        if same in recognizer.templates.none:
            of = "which is for no intent"
        return f"these are the words of {quote(same)}, {of}"
    if match.reason == "below_threshold":
        return f"{match.score:.3f} is below the threshold {_threshold(recognizer, match):.3f}"
    other = match.runner_up.intent if match.runner_up else "the next"
    return (
        f"{match.nearest} is only {match.margin:.3f} ahead of {other}; "
        f"the margin is {recognizer.margin:.3f}"
    )


def _words(explanation: Explanation) -> str:
    """The words with the largest shares."""
    shares = sorted(explanation.words, key=lambda word: -abs(word.share))[:_SHOWN_WORDS]
    return "  words  " + ", ".join(f"{quote(word.word)} {word.share:+.3f}" for word in shares)


def _limits(recognizer: IntentRecognizer, match: Match) -> list[str]:
    """How the score and its lead compare with threshold and margin."""
    threshold, margin = _threshold(recognizer, match), recognizer.margin
    side = "below" if match.score < threshold else "not below"
    first = f"  threshold {threshold:.3f}: {match.score:.3f} is {side} it"
    if match.runner_up is None:
        return [first, f"  margin {margin:.3f}: there is no other intent"]
    side = "too little" if match.reason == "ambiguous" else "enough"
    if match.reason == "below_threshold":
        side = "not checked"
    return [first, f"  margin {margin:.3f}: the lead is {match.margin:.3f}, {side}"]


def _threshold(recognizer: IntentRecognizer, match: Match) -> float:
    return recognizer.templates.threshold_of(match.nearest or "")
