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
"""Largest difference of a vector's value or a score that counts as a rounding error."""


class ProofError(PocketIntentError):
    """The result of an exported graph differs from the runtime's."""


@dataclass
class Proof:
    """The result of a proof."""

    utterances: int
    """Number of utterances."""
    vector_difference: float = 0.0
    """Largest difference of a sentence vector's value."""
    score_difference: float = 0.0
    """Largest difference of a score."""
    intents_differing: int = 0
    """Number of utterances whose intent differs from the runtime's."""

    def to_dict(self) -> dict[str, Any]:
        """The result as a JSON object."""
        return asdict(self)


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

    Returns:
        The largest differences, all within the limit.

    Raises:
        ProofError: A value differs by more than ``MAX_DIFFERENCE``, or an intent differs; the
            message names the utterance.
        MissingExtraError: The package that runs the graphs is not installed.
    """
    encoder_graph, recognizer_graph = folder.graph("encoder"), folder.graph("recognizer")
    inputs = folder.inputs()
    spell = folder.speller(inputs)
    proof = Proof(len(lines))
    for line in lines:
        text_inputs = inputs(line["text"])
        arrays = text_inputs.arrays(spell)
        vector = encoder_graph.run(arrays)["vector"]
        difference = float(np.abs(vector - encoder.encode(line["text"])).max())
        proof.vector_difference = max(proof.vector_difference, difference)
        scores = recognizer_graph.run(arrays)["scores"]
        intent = decide(scores, templates) if text_inputs.is_known else None
        gap = abs(float(scores.max()) - line["score"])
        proof.score_difference = max(proof.score_difference, gap)
        proof.intents_differing += intent != line["intent"]
        # The comparisons are written so that NaN fails.
        if not (
            difference <= MAX_DIFFERENCE and gap <= MAX_DIFFERENCE and intent == line["intent"]
        ):
            raise ProofError(
                f"the {folder.manifest.file_format} graphs differ from the runtime at "
                f"{line['text'][:200]!r}: vector by {difference:.2g}, score by {gap:.2g}, intent "
                f"{intent!r} instead of {line['intent']!r}; nothing was exported"
            )
    return proof


def decide(scores: NDArray[np.float32], templates: TemplateSet) -> str | None:
    """The intent that an app recognises by the scores.

    Args:
        scores: float32 [num_intents].
        templates: The templates, in the order of the scores.

    Returns:
        The intent; None below its threshold, within the margin, or if all scores are 0.
    """
    if not scores.any():  # the sentence vector is zeros, which the runtime calls unknown_words
        return None
    names = list(templates.intents)
    best = int(scores.argmax())
    intent_threshold = templates.intents[names[best]].threshold
    if scores[best] < (templates.threshold if intent_threshold is None else intent_threshold):
        return None
    others = np.delete(scores, best)
    if len(others) and scores[best] - others.max() < templates.margin:
        return None
    return names[best]
