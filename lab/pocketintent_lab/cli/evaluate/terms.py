"""Compare the best 5, 10 and 15 terms of documents with the keyphrases that people gave them.

Prints a JSON line for each file.

Examples:
  pocketintent-lab evaluate terms terms/inspec.jsonl terms/semeval2017.jsonl
  pocketintent-lab evaluate terms terms/inspec.jsonl --split dev --systems pocketintent
  pocketintent-lab evaluate terms terms/inspec.jsonl --plot f1.png

dev is a fixed fifth of the documents, for choosing settings; test is the rest.
"""

from __future__ import annotations

import argparse

from pocketintent.cli.options.shared import add
from pocketintent.cli.options.types import input_file
from pocketintent.cli.output import Progress, print_json, print_note
from pocketintent.runtime.errors import PocketIntentError

_SYSTEMS = "pocketintent,tfidf,yake"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``evaluate terms``."""
    parser.add_argument(
        "files",
        type=input_file,
        nargs="+",
        metavar="FILE",
        help='lines of {"id": name, "text": text, "keyphrases": [phrase, …]}',
    )
    parser.add_argument(
        "--split",
        choices=("test", "dev", "all"),
        default="test",
        help="part of the documents (%(default)s)",
    )
    parser.add_argument(
        "--systems",
        type=lambda text: text.split(","),
        default=_SYSTEMS.split(","),
        metavar="NAME,…",
        help=f"systems to measure ({_SYSTEMS})",
    )
    add(parser, "--plot", help="draw F1 as bars")


def run(args: argparse.Namespace) -> int:
    """Measure the systems on each file."""
    from pocketintent_lab.evaluation.keyphrases.scoring import (
        evaluate_keyphrases,
        read_keyphrases,
        select_split,
    )
    from pocketintent_lab.evaluation.keyphrases.systems import KEYPHRASE_SYSTEMS

    for name in args.systems:
        if name not in KEYPHRASE_SYSTEMS:
            names = ", ".join(KEYPHRASE_SYSTEMS)
            raise PocketIntentError(f"--systems: unknown system {name!r}; choose from {names}")
    systems = {name: KEYPHRASE_SYSTEMS[name] for name in args.systems}
    reports = []
    for path in args.files:
        documents = select_split(read_keyphrases(path), args.split)
        with Progress("documents") as progress:
            step = progress.count(path.stem, len(documents) * len(systems))
            report = evaluate_keyphrases(path, systems, split=args.split, progress=step)
        print_json(report)
        reports.append(report)
    if args.plot is not None:
        from pocketintent_lab.evaluation.keyphrases.bar_plot import plot_keyphrases

        plot_keyphrases(reports, args.plot)
        print_note(f"plot: {args.plot}")
    return 0
