"""What each part of a contextual encoder and of its training gives, on ``valid``.

    python -m lab_benchmarks.contextual_ablation --targets targets.bin \
        --intents $DATA/intents --folder runs/ablation

Trains one uncompressed model for each variant, with the same settings but for what the variant
changes, and prints a line of JSON for each: the cosine of texts held out, and the accuracy with 5
and 10 templates on CLINC150, BANKING77 and SNIPS. Models that the folder has are not trained
again, so an interrupted run goes on where it stopped. A variant takes minutes to an hour of one
core for a million texts; ``--variants`` chooses some, and ``--epochs`` shortens all.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pocketintent.evaluation.intents.curves import learning_curves
from pocketintent.evaluation.intents.datasets import load_intent_data
from pocketintent.evaluation.intents.systems import EncoderSystem
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.files.model_file import load_model
from pocketintent.training.contextual.pipeline import train_contextual
from pocketintent.training.contextual.settings import ContextualSettings
from pocketintent.training.loop.devices import prepare_torch
from pocketintent.training.loop.run import RunOptions

VARIANTS: dict[str, dict[str, Any]] = {
    "base": {},
    "width 3": {"width": 3},
    "width 7": {"width": 7},
    "no neighbours": {"width": 1},
    "hidden 128": {"hidden": 128},
    "no similarities": {"similarity_weight": 0.0},
    "no contrast": {"contrast_weight": 0.0},
    "cosine alone": {"similarity_weight": 0.0, "contrast_weight": 0.0},
    "no words spelt": {"unknown": 0.0},
    "dim 128": {"dim": 128},
    "no frequency weights": {"frequency_weight": 0.0},
}
"""Changes of the settings by name."""

DATA_SETS = ("clinc150", "banking77", "snips")
SHOTS = (5, 10)


def main(argv: Sequence[str] | None = None) -> int:
    """Train and measure the variants."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--targets", type=Path, nargs="+", required=True, metavar="FILE")
    parser.add_argument("--intents", type=Path, required=True, metavar="DIR")
    parser.add_argument("--folder", type=Path, required=True, metavar="DIR")
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    parser.add_argument("--epochs", type=int, default=2, help="passes (%(default)s)")
    parser.add_argument("--runs", type=int, default=3, help="draws (%(default)s)")
    parser.add_argument(
        "--precision", choices=("auto", "float32", "bfloat16"), default="auto", help="%(default)s"
    )
    args = parser.parse_args(argv)
    prepare_torch("cpu", 1)
    args.folder.mkdir(parents=True, exist_ok=True)
    for name in args.variants:
        path = args.folder / f"{name.replace(' ', '_')}.safetensors"
        if not path.exists():
            settings = replace(ContextualSettings(epochs=args.epochs), **VARIANTS[name])
            options = RunOptions(resume=True, report=print)
            train_contextual(args.targets, path, settings, options, precision=args.precision)
        print(json.dumps({"variant": name, **measure(path, args.intents, args.runs)}), flush=True)
    return 0


def measure(path: Path, intents: Path, runs: int) -> dict[str, Any]:
    """The last validation cosine of a model, and its mean accuracies on ``valid``."""
    figures: dict[str, Any] = dict(load_model(path).manifest["training"]["history"][-1])
    encoder = load_encoder(path)
    for name in DATA_SETS:
        data = load_intent_data(intents / name, "valid", learn_names=False)
        systems = {"model": lambda: EncoderSystem(encoder, ("logistic",))}
        report = learning_curves(systems, data, shots=SHOTS, runs=runs)
        for row in report["results"]:
            figures[f"{name}@{row['shots']}"] = round(row["accuracy"]["mean"], 4)
    return figures


if __name__ == "__main__":
    raise SystemExit(main())
