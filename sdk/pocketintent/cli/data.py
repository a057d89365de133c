"""List and fetch the public data sets behind the figures.

Examples:
  pocketintent data list
  pocketintent data fetch clinc150 stsb --out data
  pocketintent data fetch all --out data
  pocketintent evaluate intents data/intents/clinc150

`fetch` says whether it downloaded, the lines of each file, and whether they are those behind the
published figures (null for corpora).
"""

from __future__ import annotations

import argparse

from pocketintent.cli.commands import HelpFormatter
from pocketintent.cli.options.shared import add
from pocketintent.cli.options.types import output_folder
from pocketintent.cli.output import Progress, print_json, print_note
from pocketintent.evaluation.public_data.catalogue import PUBLIC_SETS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the actions of ``data``."""
    actions = parser.add_subparsers(
        metavar="ACTION", required=True, parser_class=argparse.ArgumentParser
    )
    about = "list the data sets, their homepages and licences"
    actions.add_parser("list", help=about, description=about).set_defaults(run=run_list)
    about = "download data sets and write them in the layout that the other commands read"
    fetch = actions.add_parser(
        "fetch", help=about, description=about, epilog=parser.epilog, formatter_class=HelpFormatter
    )
    names = [*PUBLIC_SETS, "all"]
    fetch.add_argument("names", nargs="+", metavar="NAME", choices=names, help=", ".join(names))
    add(fetch, "--out", type=output_folder, help="folder to write the data to")
    fetch.add_argument("--force", action="store_true", help="fetch again the files that exist")
    fetch.set_defaults(run=run, parser=fetch)


def run_list(args: argparse.Namespace) -> int:
    """List the data sets."""
    keys = ("name", "about", "homepage", "licence")
    for public_set in PUBLIC_SETS.values():
        files = [output.path for output in public_set.outputs]
        print_json({**{key: getattr(public_set, key) for key in keys}, "files": files})
    return 0


def run(args: argparse.Namespace) -> int:
    """Fetch the named data sets."""
    from pocketintent.evaluation.public_data.download import fetch_set

    names = PUBLIC_SETS if "all" in args.names else dict.fromkeys(args.names)
    for name in names:
        public_set = PUBLIC_SETS[name]
        with Progress("files") as progress:
            step = progress.count(name, sum(len(out.sources) for out in public_set.outputs))
            result = fetch_set(public_set, args.out, force=args.force, step=step)
        print_json(result)
        if result.as_published is False:
            remedy = f"see {public_set.homepage}" if result.downloaded else "--force fetches again"
            print_note(
                f"{name}: the lines differ from those behind the published figures, so figures "
                f"measured on them may differ too; {remedy}"
            )
    return 0
