"""The conformance file: utterances and what the runtime makes of them, for ports to be held to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np

from pocketintent.runtime.decision.results import Match
from pocketintent.runtime.graphs.inputs import GraphInputs
from pocketintent.runtime.recognizer import IntentRecognizer
from pocketintent.runtime.templates.files import bundled_templates, load_templates
from pocketintent.runtime.templates.template_set import TemplateSet
from pocketintent.runtime.text.typing_errors import add_typing_errors

NUM_UTTERANCES = 500
NUM_VALUES = 8
"""Values of each sentence vector that the file shows."""
NARROW = 1e-3
"""Utterances whose decision hangs on less are left out: they would test a rounding."""
SHARES = {"template": 0.3, "other_domain": 0.18, "hostile": 0.12, "typing_error": 0.4}
"""Parts of the utterances by source."""
MAX_TRIES = 20 * NUM_UTTERANCES
"""Texts of a source that are tried before it counts as used up."""

HOSTILE = (
    "",
    " ",
    "\t\r\n",
    "\x00",
    "turn\x00on\x00the\x00light",
    "...!?",
    "😀",
    "👩‍👩‍👧‍👦 🇩🇪 👍🏽",
    "ＦＵＬＬ ｗｉｄｔｈ １２３",
    "ﬁnd my oﬃce",
    "¿Dónde está la biblioteca?",
    "où est l’hôtel, s'il vous plaît",
    "включи свет",
    "ΟΔΟΣ ΟΔΟΣ",
    "أطفئ الضوء",
    "打开客厅的灯",
    "電気をつけて",
    "불을 켜 줘",
    "turn on 灯 please 🙏",
    "e\u0301cole E\u0301COLE",
    "zero\u200bwidth\u200djoin\u00adhyphen",
    "\u202eright to left\u202c",
    "don't can't won’t 'tis",
    "a'b''c'",
    "1,234.50 3rd 2⁸ ½ ⅷ",
    "$5 + 3 = 8 < 9",
    "user@example.com https://example.com/?q=a&b=%20",
    "'; DROP TABLE intents; --",
    "<script>alert(1)</script>",
    '{"intent": "lights_on"}',
    "A" * 300,
    "ha" * 150,
    "the " * 200,
    "read on " * 1000,
    "漢" * 200,
    "x y z " * 100,
    "İstanbul STRASSE straße",
    "\ufeffbyte order mark",
    "\U0010ffff\ue000",
    "turn_on_the_light",
    "__init__ _ ___",
    "TURN_OFF\x1fthe\x7flamp\x85now",
    "line\u2028two\u2029three\x0b\x0c",
    "\u212bngstr\u00f6m \u01c4 \u1e9e \ufdfa",
    "㎏ ㏂ ｶﾞ ⅷ ①②③",
    "ΌΣΟΣ ὈΔΥΣΣΕΎΣ",
    "J\u030c \u0130\u0307 q\u0323\u0307",
    "turnonthelightsinthelivingroomandthekitchenpleasethankyou",
    "swiitch teh lihgt onn",
    "`turn´ ‘on’ ʼlights",
)
"""Texts that ports get wrong; each is also put before and behind templates."""


def make_conformance(
    recognizer: IntentRecognizer, inputs: GraphInputs, seed: int
) -> list[dict[str, Any]]:
    """The lines of the conformance file.

    Args:
        recognizer: The runtime, over the templates that are exported.
        inputs: What makes the graphs' inputs.
        seed: Seed of the draws.

    Returns:
        ``NUM_UTTERANCES`` lines, of different texts; ``docs/export.md`` describes their fields.
        Fewer only where nearly all decisions are narrow, as with equal intents.
    """
    rng = np.random.default_rng(seed)
    templates = recognizer.templates
    lines: list[dict[str, Any]] = []
    seen: set[str] = set()
    for source, texts in _sources(templates, rng).items():
        wanted = len(lines) + round(SHARES[source] * NUM_UTTERANCES)
        if source == "typing_error":  # which take over what the other sources lack
            wanted = NUM_UTTERANCES
        for text in islice(texts, MAX_TRIES):
            if len(lines) == wanted:
                break
            match = recognizer.match(text)
            if text not in seen and not _is_narrow(match, templates):
                seen.add(text)
                lines.append(_line(text, source, match, recognizer, inputs))
    return lines


def _sources(templates: TemplateSet, rng: np.random.Generator) -> dict[str, Iterator[str]]:
    """Utterances by source, in the order of the file."""
    own = [text for intent in templates.intents.values() for text in intent.templates]
    shipped = [load_templates(path) for path in bundled_templates().values()]
    others = [
        text
        for other in shipped
        for intent in other.intents.values()
        for text in intent.templates
        if text not in own
    ]
    return {
        "template": _shuffled(own, rng),
        "other_domain": _shuffled(others, rng),
        "hostile": chain(HOSTILE, _mixed(own, rng)),
        "typing_error": _misspelt(own, rng),
    }


def _shuffled(texts: Sequence[str], rng: np.random.Generator) -> Iterator[str]:
    return (texts[int(i)] for i in rng.permutation(len(texts)))


def _mixed(texts: Sequence[str], rng: np.random.Generator) -> Iterator[str]:
    """Hostile texts before or behind templates, without end."""
    while True:
        parts = [HOSTILE[int(rng.integers(len(HOSTILE)))], texts[int(rng.integers(len(texts)))]]
        yield " ".join(parts if rng.integers(2) else parts[::-1])


def _misspelt(texts: Sequence[str], rng: np.random.Generator) -> Iterator[str]:
    """Templates with one to three typing errors, without end."""
    while True:
        yield add_typing_errors(texts[int(rng.integers(len(texts)))], int(rng.integers(1, 4)), rng)


def _is_narrow(match: Match, templates: TemplateSet) -> bool:
    """Whether a rounding could change the decision."""
    if match.nearest is None:
        return False
    own = templates.intents[match.nearest].threshold
    threshold = templates.threshold if own is None else own
    return (
        abs(match.score - threshold) < NARROW
        or abs(match.margin - templates.margin) < NARROW
        or match.margin < NARROW
    )


def _line(
    text: str, source: str, match: Match, recognizer: IntentRecognizer, inputs: GraphInputs
) -> dict[str, Any]:
    return {
        "text": text,
        "source": source,
        **inputs(text).to_line(),
        "vector": recognizer.encoder.encode(text)[:NUM_VALUES],
        "intent": match.intent,
        "nearest": match.nearest,
        "template": match.template,
        "score": match.score,
        "reason": match.reason,
    }
