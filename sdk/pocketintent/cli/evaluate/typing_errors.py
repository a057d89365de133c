"""``pocketintent evaluate typing-errors``: intents of misspelt utterances, for several models."""

from __future__ import annotations

import argparse
from pathlib import Path

from pocketintent.cli.options.model import MODEL_HELP
from pocketintent.cli.options.numbers import whole_number, whole_numbers
from pocketintent.cli.options.plot import add_plot_option
from pocketintent.cli.output import Progress, print_json, print_note
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.shipped_models import find_model

EXAMPLES = """\
examples:
  pocketintent evaluate typing-errors intents/clinc150 --model default tiny.safetensors
  pocketintent evaluate typing-errors intents/clinc150 intents/banking77 intents/snips \\
      --model default tiny.safetensors --split valid --decision nearest+centroid --plot typing.png

An error is a letter swapped with the next, dropped, doubled, replaced by a key beside it on a
QWERTY keyboard, or followed by one. Templates stay clean. Every model sees the same templates
and the same errors; an utterance with two errors has that of one error, and another."""

_DECISIONS = ("nearest", "nearest+centroid")


def add_parser(tasks: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the task ``typing-errors`` to ``evaluate``."""
    parser = tasks.add_parser(
        "typing-errors",
        help="few-shot accuracy with random typing errors in each utterance",
        description="Measure intent recognition with random typing errors in each utterance, "
        "for several models side by side; prints a JSON line for each folder.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    parser.add_argument(
        "directories",
        type=Path,
        nargs="+",
        metavar="DIR",
        help='has train.jsonl and test.jsonl, lines of {"text", "intent"}',
    )
    parser.add_argument(
        "--model",
        nargs="+",
        default=["default"],
        metavar="MODEL",
        help=f"each {MODEL_HELP} (default)",
    )
    parser.add_argument(
        "--shots", type=whole_number(1), default=10, metavar="N", help="templates of an intent (10)"
    )
    parser.add_argument(
        "--errors",
        type=numbers,
        default=[0, 1, 2, 3],
        metavar="N,…",
        help="typing errors in each utterance (0,1,2,3)",
    )
    parser.add_argument(
        "--runs",
        type=whole_number(1),
        default=2,
        metavar="N",
        help="draws of templates and errors (2)",
    )
    parser.add_argument(
        "--seed", type=whole_number(0), default=0, metavar="N", help="of the draws (0)"
    )
    parser.add_argument(
        "--split", choices=("test", "valid"), default="test", help="utterances (%(default)s)"
    )
    parser.add_argument("--decision", choices=_DECISIONS, help="only this one (both)")
    add_plot_option(parser, "accuracy against typing errors")


def run(args: argparse.Namespace) -> int:
    """Measure the models on each folder."""
    from pocketintent.evaluation.intents.datasets import load_intent_data
    from pocketintent.evaluation.intents.robustness import evaluate_typing_errors

    models = _model_paths(args.model)
    encoders = {name: load_encoder(path) for name, path in models.items()}
    reports = []
    for data in [load_intent_data(folder, args.split) for folder in args.directories]:
        with Progress(data.name, len(encoders) * args.runs, "runs") as progress:
            report = evaluate_typing_errors(
                encoders,
                data,
                shots=args.shots,
                errors=args.errors,
                runs=args.runs,
                decisions=_DECISIONS if args.decision is None else (args.decision,),
                seed=args.seed,
                progress=progress.step,
            )
        report = {**report, "models": {name: str(path) for name, path in models.items()}}
        print_json(report)
        reports.append(report)
    if args.plot is not None:
        from pocketintent.evaluation.intents.line_plot import plot_typing_errors

        plot_typing_errors(reports, args.plot)
        print_note(f"plot: {args.plot}")
    return 0


def _model_paths(names: list[str]) -> dict[str, Path]:
    """The files of the models, by their names without folder and suffix where these differ."""
    if len(set(names)) < len(names):
        raise PocketIntentError("--model: a model stands twice; give each once")
    stems = [Path(name).stem for name in names]
    return {
        name if stems.count(stem) > 1 else stem: find_model(name)
        for name, stem in zip(names, stems, strict=True)
    }


def numbers(text: str) -> list[int]:
    """A type of option: different numbers from 0, with commas between them."""
    values = list(whole_numbers(0)(text))
    if len(set(values)) < len(values):
        raise argparse.ArgumentTypeError(f"a number stands twice in {text}")
    return values
