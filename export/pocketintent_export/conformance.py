"""The conformance file: utterances with the runtime's results, against which ports are tested."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, count, islice
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.decision.bot import Bot
from pocketintent.runtime.decision.results import Candidate, Match
from pocketintent.runtime.graphs.features import TextFeatures
from pocketintent.runtime.graphs.inputs import GraphInputs, TextInputs
from pocketintent.runtime.index.indexed_templates import IndexedTemplates
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

HOSTILE: tuple[str, ...] = tuple(
    entry if isinstance(entry, str) else entry[0] * entry[1]
    for entry in orjson.loads(Path(__file__).with_name("hostile_texts.json").read_bytes())
)
"""Texts that ports get wrong; also placed before and after templates. In the file, a pair is a text
and how often it is repeated."""


def make_conformance(bot: Bot, inputs: GraphInputs, seed: int) -> list[dict[str, Any]]:
    """The lines of the conformance file; ``docs/exported-folder.md`` describes their fields.

    They are of ``NUM_UTTERANCES`` different texts, chosen by ``seed``, or of fewer if nearly all
    decisions of ``bot`` are close.
    """
    assert bot.scorer is not None
    features = TextFeatures(bot.scorer.text_features)
    lines: list[dict[str, Any]] = []
    seen: set[str] = set()
    for source, texts in _sources(bot.templates, np.random.default_rng(seed)).items():
        target = len(lines) + round(SHARES[source] * NUM_UTTERANCES)
        if source == "typing_error":  # the last source makes up for the others
            target = NUM_UTTERANCES
        for text in islice(texts, MAX_TRIES):
            if len(lines) == target:
                break
            if text in seen:
                continue
            read = bot.read(text)
            vector = bot.encoder.encode(read)
            match, best = bot.match_vector(read, vector), bot.rank_vector(read, vector, limit=3)
            if _is_narrow(match, best, vector, bot):
                continue
            seen.add(text)
            scores = bot.scorer.score_block([read], vector[None])[0]
            line = {
                "text": text,
                "source": source,
                **describe_text(inputs(read)),
                **{name: _nonzero(values) for name, values in features(read).items()},
                "vector": vector[:NUM_VALUES],
                "scores": scores if vector.any() else np.zeros_like(scores),
                **match.to_dict(),
            }
            lines.append(line)
    return lines


def _sources(templates: TemplateSet, rng: np.random.Generator) -> dict[str, Iterator[str]]:
    """Utterances by source, in the order of the file; the last two sources have no end."""
    texts = templates_of(templates)
    shipped_sets = map(load_templates, bundled_templates().values())
    other_texts = [text for own in map(templates_of, shipped_sets) for text in own]
    counter_examples = [text for i in templates.intents.values() for text in i.counter_examples]

    def choose(texts: Sequence[str]) -> str:
        return texts[int(rng.integers(len(texts)))]

    def shuffle(texts: Sequence[str]) -> Iterator[str]:
        return (texts[int(i)] for i in rng.permutation(len(texts)))

    def mix_hostile() -> str:
        """A template with a hostile text before or after it."""
        parts = [choose(HOSTILE), choose(texts)]
        return " ".join(parts if rng.integers(2) else parts[::-1])

    def misspell() -> str:
        """A template with one to three typing errors."""
        return add_typing_errors(choose(texts), int(rng.integers(1, 4)), rng)

    return {
        "counter_example": shuffle(counter_examples + templates.none),
        "template": shuffle(texts),
        "other_domain": shuffle([text for text in other_texts if text not in texts]),
        "hostile": chain(HOSTILE, (mix_hostile() for _ in count())),
        "typing_error": (misspell() for _ in count()),
    }


def templates_of(templates: TemplateSet) -> list[str]:
    """The templates of all intents of a set."""
    return [text for intent in templates.intents.values() for text in intent.templates]


def _is_narrow(match: Match, best: Sequence[Candidate], vector: FloatArray, bot: Bot) -> bool:
    """Whether a rounding error could change the decision, the runner-up, or a template."""
    if match.nearest is None:
        return False
    distances = [match.score - bot.templates.threshold_of(match.nearest)]
    if match.margin is not None:
        distances += [match.margin - bot.templates.margin, match.margin]
    if len(best) > 2:  # low probabilities differ by little, and are as different
        distances.append((best[1].score - best[2].score) / max(abs(best[1].score), NARROW))
    leads = (_template_lead(candidate, vector, bot.indexed) for candidate in best[:2])
    return any(abs(distance) < NARROW for distance in distances) or min(leads) < NARROW


def _template_lead(candidate: Candidate, vector: FloatArray, indexed: IndexedTemplates) -> float:
    """How much nearer an intent's nearest template is than the next, in cosine similarity.

    Of equal vectors the first counts; 0 where a rounding error made another one the nearest.
    """
    intent = indexed.intents[candidate.intent]
    _, similarities = indexed.template_scores(indexed.names.index(candidate.intent), vector)
    is_equal = (intent.rows[:-1] == intent.rows[similarities.argmax()]).all(axis=1)
    if candidate.template != intent.texts[is_equal.argmax()]:
        return 0.0
    return float(similarities.max() - similarities[~is_equal].max(initial=-np.inf))


def describe_text(inputs: TextInputs) -> dict[str, Any]:
    """The fields of a text's inputs, without those that its graphs do not take."""
    line: dict[str, Any] = {} if inputs.tokens is None else {"tokens": inputs.tokens}
    if inputs.slots is not None:
        line |= inputs.slots.arrays()
    characters = inputs.characters if inputs.words is None else inputs.words
    return line if characters is None else line | {"characters": characters}


def _nonzero(values: FloatArray) -> list[list[int]]:
    """The values of a feature that are not 0, whole numbers, each with its position."""
    return [[int(place), int(values[place])] for place in np.flatnonzero(values)]
