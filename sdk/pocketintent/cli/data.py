"""``pocketintent data``: fetch the public data sets behind the figures."""

from __future__ import annotations

import argparse

from pocketintent.cli.commands import HelpFormatter
from pocketintent.cli.options.files import output_folder
from pocketintent.cli.options.shared import add
from pocketintent.cli.output import print_json, print_note
from pocketintent.cli.progress import Progress
from pocketintent.evaluation.public_data.catalogue import PUBLIC_SETS

ALL = "all"

EPILOG = """\
examples:
  pocketintent data list
  pocketintent data fetch clinc150 stsb --out data
  pocketintent data fetch all --out data
  pocketintent evaluate intents data/intents/clinc150

each line of `fetch`: name; downloaded, false when all files existed; files, the number of lines of
each; as_published, whether each file is that behind the published figures (null for corpora)

Nothing is tuned on a test file. Each data set has its own licence; `list` shows it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the actions of ``data``."""
    parser.description = "List and fetch the public data sets behind the figures."
    parser.epilog = EPILOG
    actions = parser.add_subparsers(
        metavar="ACTION", required=True, parser_class=argparse.ArgumentParser
    )
    listing = actions.add_parser(
        "list",
        help="list the data sets, their homepages and licences",
        description="Print one JSON line for each data set: name, homepage, licence and files.",
    )
    listing.set_defaults(run=run_list)
    fetch = actions.add_parser(
        "fetch",
        help="download data sets and write them in the layout that the other commands read",
        description="Download data sets from their public sources, convert them, check the number "
        "of lines, and write them under DIR. Prints one JSON line for each data set.",
        epilog=EPILOG,
        formatter_class=HelpFormatter,
    )
    fetch.add_argument(
        "names",
        nargs="+",
        metavar="NAME",
        choices=[*PUBLIC_SETS, ALL],
        help=f"data set: {', '.join(PUBLIC_SETS)}, or {ALL}",
    )
    add(fetch, "--out", type=output_folder, help="folder to write the data to")
    fetch.add_argument("--force", action="store_true", help="fetch again the files that exist")
    fetch.set_defaults(run=run, parser=fetch)


def run_list(args: argparse.Namespace) -> int:
    """List the data sets."""
    for public_set in PUBLIC_SETS.values():
        print_json(
            {
                "name": public_set.name,
                "about": public_set.about,
                "homepage": public_set.homepage,
                "licence": public_set.licence,
                "files": [output.path for output in public_set.outputs],
            }
        )
    return 0


def run(args: argparse.Namespace) -> int:
    """Fetch the named data sets."""
    from pocketintent.evaluation.public_data.download import fetch_set

    names = list(PUBLIC_SETS) if ALL in args.names else list(dict.fromkeys(args.names))
    for name in names:
        public_set = PUBLIC_SETS[name]
        num_files = sum(len(output.sources) for output in public_set.outputs)
        with Progress("files") as progress:
            step = progress.count(name, num_files)
            result = fetch_set(public_set, args.out, force=args.force, step=step)
        print_json(result)
        if result.as_published is False:
            print_note(
                f"{name}: the lines differ from those behind the published figures, so figures "
                "measured on them may differ too; "
                + (f"see {public_set.homepage}" if result.downloaded else "--force fetches again")
            )
    return 0
