"""``pocketintent evaluate intents --oos`` and ``--calibration``: texts on other subjects."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from functools import partial
from typing import Any

from pocketintent.cli.options.shared import decisions_of
from pocketintent.cli.output import print_json, print_reports
from pocketintent.cli.progress import Progress
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.files.shipped_models import find_model


def measure_refusals(args: argparse.Namespace) -> None:
    """Print how well the score tells out-of-scope texts, for each folder and number of shots."""
    from pocketintent.evaluation.intents.out_of_scope import evaluate_out_of_scope

    encoder = load_encoder(args.model)
    for folder in args.directories:
        with Progress("draws") as progress:
            step = progress.count("oos", len(args.shots) * args.runs)
            for shots in args.shots:
                report = evaluate_out_of_scope(
                    encoder,
                    folder,
                    shots=shots,
                    runs=args.runs,
                    decisions=decisions_of(args),
                    seed=args.seed,
                    learn_names=args.learn_names,
                    progress=partial(step, f"{shots} templates"),
                )
                print_json({**report, "model": str(find_model(args.model))})


def measure_calibration(args: argparse.Namespace) -> None:
    """Print for each folder whether scores are probabilities; draw the plot."""
    from pocketintent.evaluation.intents.reliability_plot import plot_reliability

    print_reports(_calibrations(args), plot_reliability, args.plot)


def _calibrations(args: argparse.Namespace) -> Iterator[dict[str, Any]]:
    from pocketintent.evaluation.intents.datasets import load_intent_data
    from pocketintent.evaluation.intents.out_of_scope import evaluate_calibration
    from pocketintent.evaluation.records import own_outside_file, read_outside_texts

    inputs = []
    for folder in args.directories:
        path = args.outside or own_outside_file(folder, args.split)
        data = load_intent_data(folder, args.split, learn_names=args.learn_names)
        inputs.append((data, path, read_outside_texts(path)))
    encoder = load_encoder(args.model)
    for data, path, outside in inputs:
        with Progress("draws") as progress:
            report = evaluate_calibration(
                encoder,
                data,
                outside,
                shots=args.shots,
                runs=args.runs,
                seed=args.seed,
                threshold=args.threshold,
                progress=progress.count(data.name, len(args.shots) * args.runs),
            )
        yield {**report, "model": str(find_model(args.model)), "outside": str(path)}
