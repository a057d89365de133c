"""The conformance file: utterances with the runtime's results, against which ports are tested."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np

from pocketintent.recognizer import IntentRecognizer
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.decision.results import Candidate, Match
from pocketintent.runtime.graphs.features import TextFeatures
from pocketintent.runtime.graphs.inputs import GraphInputs, TextInputs
from pocketintent.runtime.templates.files import bundled_templates, load_templates
from pocketintent.runtime.templates.template_set import TemplateSet
from pocketintent.training.corpora.typing_errors import add_typing_errors

NUM_UTTERANCES = 500
NUM_VALUES = 8
"""Number of values of each sentence vector in the file."""
NARROW = 1e-3
"""Utterances whose decision is closer than this are left out: they would test rounding errors."""
SHARES = {
    "counter_example": 0.04,
    "template": 0.26,
    "other_domain": 0.18,
    "hostile": 0.12,
    "typing_error": 0.4,
}
"""Shares of the utterances by source."""
MAX_TRIES = 20 * NUM_UTTERANCES
"""Number of texts that are tried before a source counts as exhausted."""

_CONSONANTS = "bcdfghjklmnpqrstvwxz"

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
    " ".join(a + b for a in _CONSONANTS for b in _CONSONANTS),
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
    "don\uff40t turn on the lihgts",
    "`turn´ ‘on’ ʼlights",
)
"""Texts that ports get wrong; also placed before and after templates."""


def make_conformance(
    recognizer: IntentRecognizer, inputs: GraphInputs, features: TextFeatures, seed: int
) -> list[dict[str, Any]]:
    """The lines of the conformance file; ``docs/export.md`` describes their fields.

    Args:
        recognizer: The runtime's recogniser with the exported templates.
        inputs: The function from a text to the graphs' inputs.
        features: The function from a text to the recogniser graph's further inputs.
        seed: Seed of the random choices.

    Returns:
        ``NUM_UTTERANCES`` different texts; fewer if nearly all decisions are close.
    """
    rng = np.random.default_rng(seed)
    templates = recognizer.templates
    lines: list[dict[str, Any]] = []
    seen: set[str] = set()
    for source, texts in _sources(templates, rng).items():
        target = len(lines) + round(SHARES[source] * NUM_UTTERANCES)
        if source == "typing_error":  # the last source makes up for the others
            target = NUM_UTTERANCES
        for text in islice(texts, MAX_TRIES):
            if len(lines) == target:
                break
            if text in seen:
                continue
            match, vector = recognizer.match(text), recognizer.encoder.encode(recognizer.read(text))
            if not _is_narrow(text, vector, match, recognizer, templates):
                seen.add(text)
                lines.append(_line(text, source, match, vector, recognizer, inputs, features))
    return lines


def _sources(templates: TemplateSet, rng: np.random.Generator) -> dict[str, Iterator[str]]:
    """Utterances by source, in the order of the file."""
    texts = [text for intent in templates.intents.values() for text in intent.templates]
    shipped_sets = [load_templates(path) for path in bundled_templates().values()]
    other_texts = [
        text
        for shipped_set in shipped_sets
        for intent in shipped_set.intents.values()
        for text in intent.templates
        if text not in texts
    ]
    counter_examples = [text for i in templates.intents.values() for text in i.counter_examples]
    return {
        "counter_example": _shuffle(counter_examples + templates.none, rng),
        "template": _shuffle(texts, rng),
        "other_domain": _shuffle(other_texts, rng),
        "hostile": chain(HOSTILE, _mix_hostile(texts, rng)),
        "typing_error": _misspell(texts, rng),
    }


def _shuffle(texts: Sequence[str], rng: np.random.Generator) -> Iterator[str]:
    """The texts in random order."""
    return (texts[int(i)] for i in rng.permutation(len(texts)))


def _mix_hostile(texts: Sequence[str], rng: np.random.Generator) -> Iterator[str]:
    """An endless sequence of templates with a hostile text before or after them."""
    while True:
        parts = [HOSTILE[int(rng.integers(len(HOSTILE)))], texts[int(rng.integers(len(texts)))]]
        yield " ".join(parts if rng.integers(2) else parts[::-1])


def _misspell(texts: Sequence[str], rng: np.random.Generator) -> Iterator[str]:
    """An endless sequence of templates with one to three typing errors."""
    while True:
        yield add_typing_errors(texts[int(rng.integers(len(texts)))], int(rng.integers(1, 4)), rng)


def _is_narrow(
    text: str,
    vector: FloatArray,
    match: Match,
    recognizer: IntentRecognizer,
    templates: TemplateSet,
) -> bool:
    """Whether a rounding error could change the decision, the runner-up, or a template."""
    if match.nearest is None:
        return False
    best = recognizer.rank(text, limit=3)
    distances = [match.score - templates.threshold_of(match.nearest)]
    if match.margin is not None:
        distances += [match.margin - templates.margin, match.margin]
    if len(best) > 2:  # low probabilities differ by little, and are as different
        distances.append((best[1].score - best[2].score) / max(abs(best[1].score), NARROW))
    leads = (_template_lead(candidate, vector, recognizer) for candidate in best[:2])
    return any(abs(distance) < NARROW for distance in distances) or min(leads) < NARROW


def _template_lead(candidate: Candidate, vector: FloatArray, recognizer: IntentRecognizer) -> float:
    """How much nearer the nearest template of an intent is than the next, in cosine similarity.

    Of templates with equal vectors the first is the nearest; the lead is 0 where a rounding error
    made another one of them the nearest.
    """
    indexed = recognizer.indexed
    intent = indexed.intents[candidate.intent]
    _, similarities = indexed.template_scores(indexed.names.index(candidate.intent), vector)
    is_equal = (intent.rows[:-1] == intent.rows[similarities.argmax()]).all(axis=1)
    if candidate.template != intent.texts[is_equal.argmax()]:
        return 0.0
    return float(similarities.max() - similarities[~is_equal].max(initial=-np.inf))


def _line(
    text: str,
    source: str,
    match: Match,
    vector: FloatArray,
    recognizer: IntentRecognizer,
    inputs: GraphInputs,
    features: TextFeatures,
) -> dict[str, Any]:
    """A line of the conformance file."""
    assert recognizer.scorer is not None
    read = recognizer.read(text)
    scores = recognizer.scorer.score_block([read], vector[None])[0]
    return {
        "text": text,
        "source": source,
        **describe_text(inputs(read)),
        **{name: _nonzero(values) for name, values in features(read).items()},
        "vector": vector[:NUM_VALUES],
        "scores": scores if vector.any() else np.zeros_like(scores),
        **match.to_dict(),
    }


def describe_text(inputs: TextInputs) -> dict[str, Any]:
    """The fields of a text's inputs, without those that its graphs do not take."""
    line: dict[str, Any] = {} if inputs.tokens is None else {"tokens": inputs.tokens}
    if inputs.slots is not None:
        line |= inputs.slots.arrays()
    characters = inputs.characters if inputs.words is None else inputs.words
    return line if characters is None else line | {"characters": characters}


def _nonzero(values: FloatArray) -> list[list[int]]:
    """The values of a sparse feature that are not 0, whole numbers, each with its position."""
    return [[int(place), int(values[place])] for place in np.flatnonzero(values)]
