"""``pocketintent evaluate``: measure a model on sentence similarity and on intents."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pocketintent.cli.evaluate import encoders as evaluate_encoders
from pocketintent.cli.evaluate import pairs as evaluate_pairs
from pocketintent.cli.evaluate import reconstruction as evaluate_reconstruction
from pocketintent.cli.evaluate import terms as evaluate_terms
from pocketintent.cli.evaluate import typing_errors as evaluate_typing
from pocketintent.cli.options.model import add_model_option
from pocketintent.cli.options.numbers import whole_number, whole_numbers
from pocketintent.cli.options.plot import add_plot_option
from pocketintent.cli.output import Progress, print_json, print_note
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.model_file import load_model
from pocketintent.runtime.files.shipped_models import find_model

if TYPE_CHECKING:
    from pocketintent.evaluation.intents.systems import System

OURS = "pocketintent"
"""The name of the model under test among the systems of a report."""

EXAMPLES = """\
examples:
  pocketintent evaluate sts sts/stsb/test.jsonl --model my.safetensors
  pocketintent evaluate pairs patents/test.csv --a anchor --b target --score score
  pocketintent evaluate intents intents/clinc150 --shots 5,10 --runs 3 --split valid
  pocketintent evaluate intents intents/clinc150 intents/banking77 intents/snips \\
      --baselines tfidf,tfidf-chars,tfidf-logreg,fasttext,cnn \\
      --out curves.json --plot curves.png
  pocketintent evaluate oos intents/clinc150 --shots 50
  pocketintent evaluate typing-errors intents/clinc150 --model default tiny.safetensors"""

_HELP = {
    "sts": "correlation of cosine with gold similarity",
    "intents": "few-shot accuracy and macro-F1",
    "oos": "telling out-of-scope utterances by their score",
}


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand ``evaluate``."""
    parser = subparsers.add_parser(
        "evaluate",
        help="measure a model",
        description="Measure a model; prints JSON.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    tasks = parser.add_subparsers(metavar="TASK", required=True)
    sts = _add_task(tasks, "sts", run_sts)
    sts.add_argument(
        "file", type=Path, metavar="FILE", help='lines of {"a": text, "b": text, "score": number}'
    )
    intents = _add_task(tasks, "intents", run_intents)
    intents.add_argument(
        "directories",
        type=Path,
        nargs="+",
        metavar="DIR",
        help='has train.jsonl and test.jsonl, lines of {"text", "intent"}; one JSON line for each',
    )
    _add_draw_options(intents, default_shots=(5, 10, 20, 30, 40, 50))
    intents.add_argument(
        "--split", choices=("test", "valid"), default="test", help="queries (%(default)s)"
    )
    intents.add_argument(
        "--search",
        choices=("exact", "table"),
        default="exact",
        help="exact cosines, or the recogniser's quantised look-ups, compared with the exact "
        "ones (%(default)s)",
    )
    intents.add_argument(
        "--baselines",
        type=_names,
        default=[],
        metavar="NAME,…",
        help="of tfidf, tfidf-chars, tfidf-logreg, fasttext, cnn: measured on the same draws",
    )
    add_plot_option(intents, "learning curves")
    intents.add_argument(
        "--out", type=Path, metavar="FILE.json", help="keep results here; a killed run goes on"
    )
    oos = _add_task(tasks, "oos", run_out_of_scope)
    oos.add_argument(
        "directory",
        type=Path,
        metavar="DIR",
        help="has train, valid, test, oos_valid and oos_test .jsonl, as CLINC150 does",
    )
    _add_draw_options(oos, default_shots=(50,))
    evaluate_pairs.add_parser(tasks)
    evaluate_typing.add_parser(tasks)
    evaluate_reconstruction.add_parser(tasks)
    evaluate_encoders.add_parser(tasks)
    evaluate_terms.add_parser(tasks)


def run_sts(args: argparse.Namespace) -> int:
    """Correlate cosine with gold similarity."""
    from pocketintent.evaluation.similarity.sts import evaluate_sts

    print_json(evaluate_sts(load_encoder(args.model), args.file))
    return 0


def run_intents(args: argparse.Namespace) -> int:
    """Measure the model, and baselines, on few-shot draws of one or more data sets."""
    from pocketintent.evaluation.intents.curves import ResultFile, learning_curves
    from pocketintent.evaluation.intents.datasets import load_intent_data

    systems = _make_systems(args)
    data_sets = [load_intent_data(directory, args.split) for directory in args.directories]
    model = load_model(find_model(args.model))
    settings = {"runs": args.runs, "seed": args.seed, "search": args.search}
    results = ResultFile(args.out, {"model": model.manifest["sha256"], **settings})
    reports = []
    for data in data_sets:
        total = len(systems) * len(args.shots) * args.runs
        with Progress(data.name, total, "draws") as progress:
            report = learning_curves(
                systems,
                data,
                shots=args.shots,
                runs=args.runs,
                seed=args.seed,
                results=results,
                progress=progress.step,
            )
        report = {**report, "model": str(model.path), "search": args.search}
        print_json(report)
        reports.append(report)
    if args.plot is not None:
        from pocketintent.evaluation.intents.line_plot import plot_curves

        plot_curves(reports, args.plot)
        print_note(f"plot: {args.plot}")
    return 0


def run_out_of_scope(args: argparse.Namespace) -> int:
    """Measure how well the score tells out-of-scope utterances."""
    from pocketintent.evaluation.intents.out_of_scope import evaluate_out_of_scope

    encoder = load_encoder(args.model)
    with Progress("oos", len(args.shots) * args.runs, "draws") as progress:
        for shots in args.shots:
            report = evaluate_out_of_scope(
                encoder,
                args.directory,
                shots=shots,
                runs=args.runs,
                seed=args.seed,
                progress=lambda: progress.step("oos"),
            )
            print_json(report)
    return 0


def _make_systems(args: argparse.Namespace) -> dict[str, Callable[[], System]]:
    """How to make each system of the call, by its name; ours first."""
    from pocketintent.evaluation.intents.baselines import BASELINES, make_baseline
    from pocketintent.evaluation.intents.systems import EncoderSystem

    for name in args.baselines:
        if name not in BASELINES:
            raise PocketIntentError(f"unknown baseline {name!r}; choose of {', '.join(BASELINES)}")
    encoder = load_encoder(args.model)
    systems: dict[str, Callable[[], System]] = {
        OURS: lambda: EncoderSystem(encoder, search=args.search)
    }
    for name in args.baselines:
        systems[name] = partial(make_baseline, name, encoder)
    return systems


def _add_task(
    tasks: argparse._SubParsersAction[argparse.ArgumentParser],
    name: str,
    run: Callable[[argparse.Namespace], int],
) -> argparse.ArgumentParser:
    parser = tasks.add_parser(
        name,
        help=_HELP[name],
        description=f"Measure {_HELP[name]}; prints JSON.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_model_option(parser)
    parser.set_defaults(run=run)
    return parser


def _add_draw_options(parser: argparse.ArgumentParser, default_shots: tuple[int, ...]) -> None:
    shown = ",".join(map(str, default_shots))
    parser.add_argument(
        "--shots",
        type=whole_numbers(1),
        default=default_shots,
        metavar="N,…",
        help=f"templates of an intent ({shown})",
    )
    parser.add_argument(
        "--runs",
        type=whole_number(1),
        default=10,
        metavar="N",
        help="draws of templates (%(default)s)",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of the draws (0)")


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
