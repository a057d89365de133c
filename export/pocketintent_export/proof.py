"""The proof that an exported folder equals the runtime: every graph on every utterance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.decision.bot import Bot, make_corrector
from pocketintent.runtime.decision.scoring import Hit
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.graphs.encoder import GraphEncoder
from pocketintent.runtime.graphs.folder import ExportedFolder

MAX_DIFFERENCE = 1e-4
"""Largest difference of a vector's value or a score that counts as a rounding error."""


class ProofError(PocketIntentError):
    """The result of an exported graph differs from the runtime's."""


@dataclass
class Proof:
    """The result of a proof."""

    utterances: int
    vector_difference: float = 0.0
    """Largest difference of a sentence vector's value."""
    score_difference: float = 0.0
    """Largest difference of a score of any intent."""
    intents_differing: int = 0
    """Number of utterances whose intent, runner-up, or one of their templates differs."""


def check_utterances(lines: Sequence[Mapping[str, Any]]) -> None:
    """Raise a ProofError if no utterance has a nearest intent, so that nothing is proven."""
    if all(line["nearest"] is None for line in lines):
        raise ProofError(
            "no utterance has an intent that is clearly the nearest, so the graphs cannot be "
            "proven; pocketintent templates check finds templates that two intents share"
        )


def prove(folder: ExportedFolder, bot: Bot, lines: Sequence[Mapping[str, Any]]) -> Proof:
    """Run all graphs of a folder on the lines of the conformance file.

    The inputs are computed from the folder's files, so that the files are proven too. The templates
    of ``bot`` are in the order of the recogniser graph.

    A ProofError, which names the utterance, if a value differs by more than ``MAX_DIFFERENCE``, or
    an intent or template differs.
    """
    encoder, recognizer = GraphEncoder(folder), folder.graph("recognizer")
    features, proof = folder.features(), Proof(len(lines))
    corrector = make_corrector(encoder, bot.templates, bot.indexed) if folder.corrects else None
    for line in lines:
        text = line["text"] if corrector is None else corrector(line["text"])
        difference = float(np.abs(encoder.encode(text) - bot.encoder.encode(text)).max())
        outputs = recognizer.run(encoder.arrays(text) | features(text))
        hits = _hits(outputs["scores"], outputs["templates"])
        gap = _largest_gap(outputs["scores"], hits, line)
        answer, expected = _answer(bot.decide(text, hits).to_dict()), _answer(line)
        proof.vector_difference = max(proof.vector_difference, difference)
        proof.score_difference = max(proof.score_difference, gap)
        proof.intents_differing += answer != expected
        # The comparisons are written so that NaN fails.
        if not (difference <= MAX_DIFFERENCE and gap <= MAX_DIFFERENCE and answer == expected):
            raise ProofError(
                f"the {folder.manifest.file_format} graphs differ from the runtime at "
                f"{text[:200]!r}: vector by {difference:.2g}, score by {gap:.2g}, answer "
                f"{answer} instead of {expected}; nothing was exported"
            )
    return proof


def _hits(scores: NDArray[np.float32], templates: NDArray[np.int32]) -> list[Hit]:
    """The best two intents by the outputs of the recogniser graph; none if nothing is known."""
    best = np.argsort(-scores, kind="stable")[:2].tolist() if scores.any() else []
    return [Hit(intent, float(scores[intent]), int(templates[intent])) for intent in best]


def _answer(match: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a match without its numbers."""
    runner_up = match["runner_up"] or {}
    names = {key: match[key] for key in ("intent", "nearest", "template", "reason")}
    return names | {"runner_up": (runner_up.get("intent"), runner_up.get("template"))}


def _largest_gap(
    scores: NDArray[np.float32], hits: Sequence[Hit], line: Mapping[str, Any]
) -> float:
    """Largest difference from the scores of a line."""
    gaps = [*np.abs(scores - np.asarray(line["scores"], np.float32))]
    pairs = zip(hits, (line, line["runner_up"]), strict=False)
    gaps += [abs(hit.score - expected["score"]) for hit, expected in pairs if expected is not None]
    return float(np.max(gaps))
