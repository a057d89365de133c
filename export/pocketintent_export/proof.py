"""The proof that an exported folder equals the runtime: every graph on every utterance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.graphs.folder import ExportedFolder
from pocketintent.runtime.templates.template_set import TemplateSet

MAX_DIFFERENCE = 1e-4
"""Largest difference of a vector's value, or of a score, that is taken for rounding."""


class ProofError(PocketIntentError):
    """An exported graph does not give what the runtime gives."""


@dataclass
class Proof:
    """What came out."""

    utterances: int
    """Utterances that were run."""
    vector_difference: float = 0.0
    """Largest difference of a value of a sentence vector."""
    score_difference: float = 0.0
    """Largest difference of a score."""
    intents_differing: int = 0
    """Utterances with another intent than the runtime's."""

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON holds it."""
        return asdict(self)


def prove(
    folder: ExportedFolder,
    encoder: Encoder,
    templates: TemplateSet,
    lines: Sequence[Mapping[str, Any]],
) -> Proof:
    """Run all graphs of a folder on the conformance utterances.

    The inputs are made by what the folder holds, so that its files are proven too.

    Args:
        folder: The folder.
        encoder: The runtime's encoder.
        templates: The templates in the order of the graph's intents.
        lines: The conformance file.

    Returns:
        The largest differences, all within bounds.

    Raises:
        ProofError: A value differs by more than ``MAX_DIFFERENCE``, or an intent differs; the
            message has the utterance.
        MissingExtraError: What runs the graphs is not installed.
    """
    encoder_graph, recognizer_graph = folder.graph("encoder"), folder.graph("recognizer")
    inputs = folder.inputs()
    spell = folder.speller(inputs)
    proof = Proof(len(lines))
    for line in lines:
        made = inputs(line["text"])
        arrays = made.arrays(spell)
        vector = encoder_graph.run(arrays)["vector"]
        difference = float(np.abs(vector - encoder.encode(line["text"])).max())
        proof.vector_difference = max(proof.vector_difference, difference)
        scores = recognizer_graph.run(arrays)["scores"]
        intent = decide(scores, templates) if made.known else None
        gap = abs(float(scores.max()) - line["score"])
        proof.score_difference = max(proof.score_difference, gap)
        proof.intents_differing += intent != line["intent"]
        # Written so that NaN fails.
        if not (
            difference <= MAX_DIFFERENCE and gap <= MAX_DIFFERENCE and intent == line["intent"]
        ):
            raise ProofError(
                f"the {folder.manifest['format']} graphs differ from the runtime at "
                f"{line['text'][:200]!r}: vector by {difference:.2g}, score by {gap:.2g}, intent "
                f"{intent!r} instead of {line['intent']!r}; nothing was exported"
            )
    return proof


def decide(scores: NDArray[np.float32], templates: TemplateSet) -> str | None:
    """The intent that scores float32 [num_intents] stand for, as an app decides it."""
    if not scores.any():  # the vector is zeros: the runtime's unknown_words
        return None
    names = list(templates.intents)
    best = int(scores.argmax())
    own = templates.intents[names[best]].threshold
    if scores[best] < (templates.threshold if own is None else own):
        return None
    others = np.delete(scores, best)
    if len(others) and scores[best] - others.max() < templates.margin:
        return None
    return names[best]
