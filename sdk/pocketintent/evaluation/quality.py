"""The quality of an encoder that is being made: similarity of sentences, and intents."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pocketintent.evaluation.intents.few_shot import evaluate_intents
from pocketintent.evaluation.similarity.sts import evaluate_sts
from pocketintent.runtime.encoders.contract import Encoder


@dataclass(frozen=True)
class Probe:
    """The data on which the quality of an encoder is measured."""

    sts: Path | None = None
    """File of scored sentence pairs, lines of ``{"a", "b", "score"}``."""
    intents: tuple[Path, ...] = ()
    """Folders with ``train.jsonl`` and the split's file."""
    split: str = "valid"
    """Split of the intents that is scored; ``valid`` leaves ``test`` for the final figures."""
    shots: tuple[int, ...] = (5, 10, 30)
    """Numbers of templates per intent."""
    runs: int = 3
    """Number of random draws of templates."""

    def __bool__(self) -> bool:
        return self.sts is not None or bool(self.intents)


def measure_quality(encoder: Encoder, probe: Probe) -> dict[str, Any]:
    """Score an encoder on sentence similarity and on intents.

    Both are needed: similarity alone hides the cost of quantisation for intents.

    Args:
        encoder: Any encoder.
        probe: The data to measure on.

    Returns:
        ``{"sts": {"pearson", "spearman", "pairs"}, "intents": {folder: {"split", "accuracy":
        {"5": {"nearest": a, "nearest+centroid": b}}}}}``; an entry is absent without its data.

    Raises:
        PocketIntentError: A file is missing or bad.
    """
    quality: dict[str, Any] = {}
    if probe.sts is not None:
        sts = evaluate_sts(encoder, probe.sts)
        quality["sts"] = {name: sts[name] for name in ("pearson", "spearman", "pairs")}
    for folder in probe.intents:
        report = evaluate_intents(
            encoder, folder, shots=probe.shots, runs=probe.runs, split=probe.split
        )
        accuracy: dict[str, dict[str, float]] = {}
        for row in report["results"]:
            by_decision = accuracy.setdefault(str(row["shots"]), {})
            by_decision[row["decision"]] = row["accuracy"]["mean"]
        entry = {"split": probe.split, "runs": probe.runs, "accuracy": accuracy}
        quality.setdefault("intents", {})[folder.resolve().name] = entry
    return quality


def quality_change(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """``after - before`` for all floating-point figures of two equal structures."""
    change: dict[str, Any] = {}
    for key, value in before.items():
        if isinstance(value, dict):
            change[key] = quality_change(value, after[key])
        elif isinstance(value, float):
            change[key] = after[key] - value
    return change
