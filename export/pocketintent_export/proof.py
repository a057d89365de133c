"""The proof that an exported folder equals the runtime: every graph on every utterance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.decision.bot import Refusals
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.graphs.folder import ExportedFolder
from pocketintent.runtime.templates.template_set import TemplateSet
from pocketintent_export.conformance import templates_of

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


def prove(
    folder: ExportedFolder,
    encoder: Encoder,
    templates: TemplateSet,
    lines: Sequence[Mapping[str, Any]],
) -> Proof:
    """Run all graphs of a folder on the conformance utterances.

    The inputs are computed from the folder's files, so that the files are proven too.

    Args:
        folder: The folder.
        encoder: The runtime's encoder.
        templates: The templates, in the order of the graph's intents.
        lines: The lines of the conformance file.

    Raises:
        ProofError: A value differs by more than ``MAX_DIFFERENCE``, or an intent or template
            differs; the message names the utterance.
    """
    encoder_graph, recognizer_graph = folder.graph("encoder"), folder.graph("recognizer")
    inputs, features = folder.inputs(), folder.features()
    spell, corrector = folder.speller(inputs), folder.corrector(inputs)
    refuses = Refusals(templates)
    proof = Proof(len(lines))
    for line in lines:
        text = line["text"] if corrector is None else corrector(line["text"])
        arrays = inputs(text).arrays(spell)
        vector = encoder_graph.run(arrays)["vector"]
        difference = float(np.abs(vector - encoder.encode(text)).max())
        outputs = recognizer_graph.run(arrays | features(text))
        gap = _largest_gap(outputs["scores"], line)
        answer = _answer(outputs["scores"], outputs["templates"], templates)
        if answer["intent"] is not None and refuses(text, answer["intent"]):
            answer["intent"] = None
        runner_up = line["runner_up"] or {"intent": None, "template": None}
        expected = {
            "intent": line["intent"],
            "nearest": (line["nearest"], line["template"]),
            "runner_up": (runner_up["intent"], runner_up["template"]),
        }
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


def decide(scores: NDArray[np.float32], templates: TemplateSet) -> str | None:
    """The intent that an app recognises by the scores, float32 [num_intents], or None."""
    if not scores.any():  # the sentence vector is zeros, which the runtime calls unknown_words
        return None
    names = list(templates.intents)
    best = int(scores.argmax())
    if scores[best] < templates.threshold_of(names[best]):
        return None
    others = np.delete(scores, best)
    if len(others) and scores[best] - others.max() < templates.margin:
        return None
    return names[best]


def _answer(
    scores: NDArray[np.float32], nearest: NDArray[np.int32], templates: TemplateSet
) -> dict[str, Any]:
    """What an app makes of the outputs of the recogniser graph, without the scores."""
    places: list[int] = np.argsort(-scores, kind="stable")[:2].tolist() if scores.any() else []
    names = list(templates.intents)
    texts = templates_of(templates)
    best = [(names[place], texts[nearest[place]]) for place in places] + [(None, None)] * 2
    return {"intent": decide(scores, templates), "nearest": best[0], "runner_up": best[1]}


def _largest_gap(scores: NDArray[np.float32], line: Mapping[str, Any]) -> float:
    """Largest difference from the scores of a line."""
    gaps = [*np.abs(scores - np.asarray(line["scores"], np.float32))]
    gaps.append(abs(scores.max() - line["score"]))
    if line["runner_up"] is not None:
        gaps.append(abs(np.sort(scores)[-2] - line["runner_up"]["score"]))
    return float(np.max(gaps))
