"""Train several algorithms by a plan, measure their models, and compare them in a page.

Writes comparison.html, comparison.md and comparison.json.

Prints a summary as JSON.

Examples:
  pocketintent-lab compare plan.toml --out comparison
  pocketintent-lab compare lab_benchmarks/plans/short.toml --data ../shared/data --out short
  pocketintent-lab compare plan.toml --out comparison --retry

a plan:
  seeds = [0]

  [corpora.chats]
  files = ["chats.txt.gz"]

  [measure]
  sts = "sts/stsb/dev.jsonl"
  intents = ["intents/snips"]

  [curves]
  epochs = [1, 5, 10]
  shares = [1, 10, 100]

  [[algorithms]]
  name = "StarSpace"
  train = "starspace"            # any method of `pocketintent train`
  options = {dim = 100}          # its own options, without dashes

  [[algorithms]]
  name = "skip-gram"
  train = "words"
  options = {dim = 100, architecture = "skipgram"}

  [compression]
  algorithm = "StarSpace"
  corpus = "chats"
  keep = [1000, 5000, 10000]

Finished runs are kept in --out. A stopped comparison is continued by the same command, and the same
command in several terminals shares the runs between them. A failed run is shown on the page and
does not stop the others; the status is then 1.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pocketintent.cli.options.settings import read_settings
from pocketintent.cli.options.shared import add
from pocketintent.cli.options.training import repeating_command
from pocketintent.cli.options.types import input_file, input_folder, output_folder
from pocketintent.cli.output import print_json, print_note
from pocketintent.runtime.errors import PocketIntentError, require


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``compare``."""
    parser.set_defaults(after_interrupt=repeating_command)
    parser.add_argument("plan", type=input_file, metavar="PLAN.toml", help="the plan")
    parser.add_argument(
        "--out",
        type=output_folder,
        required=True,
        metavar="DIR",
        help="folder of the page, of the finished runs and of the models",
    )
    parser.add_argument(
        "--data",
        type=input_folder,
        metavar="DIR",
        help="folder that the paths of the plan are relative to (the folder of the plan)",
    )
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--retry", action="store_true", help="make failed runs again")
    group.add_argument(
        "--so-far", action="store_true", help="make no runs; write the page of the finished ones"
    )
    add(parser, "--threads", help="CPU threads of NumPy's matrix products (%(default)s)")


def run(args: argparse.Namespace) -> int:
    """Make the runs of a plan and write the page; returns 1 if a run failed."""
    from pocketintent_lab.comparison.comparison import make_runs, write_page
    from pocketintent_lab.comparison.expansion import expand
    from pocketintent_lab.comparison.plan import read_plan
    from pocketintent_lab.comparison.store import Store

    require("matplotlib", "evaluate")
    plan = read_plan(args.plan, args.data)
    work = expand(plan, parse_training)
    store = Store(args.out)
    from threadpoolctl import threadpool_limits

    with threadpool_limits(args.threads):
        if not args.so_far:
            make_runs(work, store, print_note, retry=args.retry)
        report = write_page(plan, work, store, show_command(args))
    print_json(
        {
            "page": str(args.out / "comparison.html"),
            "runs": len(work.tasks),
            "failures": report["failures"],
            "models": [_summary(row) for row in report["points"] if row["main"]],
        }
    )
    return 1 if report["failures"] else 0


def show_command(args: argparse.Namespace) -> str:
    """The command that makes the page, without the absolute paths of this machine."""
    data = [] if args.data is None else ["--data", _shown(args.data)]
    words = ["pocketintent-lab", "compare", _shown(args.plan), *data, "--out", _shown(args.out)]
    return shlex.join(words)


def _shown(path: Path) -> str:
    """A relative path as it was given; of an absolute one, the name."""
    return path.name if path.is_absolute() else str(path)


_NOT_VALUES = ("parser", "settings", "settings_classes", "write_settings")
"""Entries of parsed arguments that say how a command is run, or where its settings are."""


def parse_training(words: Sequence[str]) -> Mapping[str, Any]:
    """The values of all options of a training command, by name.

    Args:
        words: The words after ``pocketintent``.

    Raises:
        PocketIntentError: The command refuses the words.
    """
    from pocketintent.cli.main import build_parser

    message = io.StringIO()
    try:
        with contextlib.redirect_stderr(message):
            args = build_parser().parse_args(words)
    except SystemExit:
        raise PocketIntentError(message.getvalue().rpartition("error: ")[2].strip()) from None
    given = {
        name: value
        for name, value in vars(args).items()
        if name not in _NOT_VALUES and not callable(value)
    }
    settings = [asdict(read_settings(args, cls)) for cls in args.settings_classes]
    return given | {name: value for values in settings for name, value in values.items()}


def _summary(row: Mapping[str, Any]) -> dict[str, Any]:
    """A model in a line: what it was trained on, its quality, and its cost."""
    training, sts = row.get("training") or {}, row["sts"] or {}
    return {
        **{name: row[name] for name in ("algorithm", "corpus", "epochs", "seed")},
        "pearson": sts.get("pearson"),
        "cpu_seconds": training.get("cpu_seconds"),
        "peak_bytes": training.get("peak_bytes"),
    }
