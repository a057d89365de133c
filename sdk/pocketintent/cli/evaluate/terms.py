"""``pocketintent evaluate terms``: keyphrases of documents, beside TF-IDF and YAKE."""

from __future__ import annotations

import argparse
from pathlib import Path

from pocketintent.cli.options.plot import add_plot_option
from pocketintent.cli.output import Progress, print_json, print_note
from pocketintent.runtime.errors import PocketIntentError

EXAMPLES = """\
examples:
  pocketintent evaluate terms terms/inspec.jsonl terms/semeval2017.jsonl
  pocketintent evaluate terms terms/inspec.jsonl --split dev --systems pocketintent
  pocketintent evaluate terms terms/inspec.jsonl --plot f1.png

dev is a fixed fifth of the documents, for choosing settings; test are the others."""

_SYSTEMS = "pocketintent,tfidf,yake"


def add_parser(tasks: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the task ``terms`` to ``evaluate``."""
    parser = tasks.add_parser(
        "terms",
        help="precision, recall and F1 of a document's terms against its keyphrases",
        description="Measure the terms found in documents against the keyphrases that people "
        "gave them, at 5, 10 and 15; prints a JSON line for each file.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    parser.add_argument(
        "files",
        type=Path,
        nargs="+",
        metavar="FILE",
        help='lines of {"id": name, "text": text, "keyphrases": [phrase, …]}',
    )
    parser.add_argument(
        "--split", choices=("test", "dev", "all"), default="test", help="documents (%(default)s)"
    )
    parser.add_argument(
        "--systems",
        type=lambda text: text.split(","),
        default=_SYSTEMS.split(","),
        metavar="NAME,…",
        help=f"what is measured ({_SYSTEMS})",
    )
    add_plot_option(parser, "F1 as bars")


def run(args: argparse.Namespace) -> int:
    """Measure the systems on each file."""
    from pocketintent.evaluation.keyphrases.scoring import (
        evaluate_keyphrases,
        read_keyphrases,
        select_split,
    )
    from pocketintent.evaluation.keyphrases.systems import KEYPHRASE_SYSTEMS

    for name in args.systems:
        if name not in KEYPHRASE_SYSTEMS:
            known = ", ".join(KEYPHRASE_SYSTEMS)
            raise PocketIntentError(f"unknown system {name!r}; choose of {known}")
    systems = {name: KEYPHRASE_SYSTEMS[name] for name in args.systems}
    reports = []
    for path in args.files:
        documents = select_split(read_keyphrases(path), args.split)
        with Progress(path.stem, len(documents) * len(systems), "documents") as progress:
            report = evaluate_keyphrases(path, systems, split=args.split, progress=progress.step)
        print_json(report)
        reports.append(report)
    if args.plot is not None:
        from pocketintent.evaluation.keyphrases.bar_plot import plot_keyphrases

        plot_keyphrases(reports, args.plot)
        print_note(f"plot: {args.plot}")
    return 0
