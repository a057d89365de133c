"""Find the terms of a corpus, such as "machine learning", without labels.

They are frequent phrases whose words belong together and that occur on their own.

Prints a summary as JSON.

Examples:
  pocketintent-lab train terms --corpus papers.txt.gz --out terms.tsv
  pocketintent-lab train terms --corpus a.txt b.jsonl --out terms.tsv --min-count 20
  pocketintent-lab train terms --corpus huge.txt.gz --out terms.tsv --max-phrases 10000000

A corpus is English text, one sentence or paragraph per line, or .jsonl with "text"; both may be
.gz, and larger than memory. The terms are written as tab-separated text, the best first, and packed
if the name of --out ends in .gz. Read through them and delete the lines that are not terms; the
file is used exactly as edited.
"""

from __future__ import annotations

import argparse

from pocketintent.cli.options.settings import add_settings, read_settings
from pocketintent.cli.options.types import input_file, output_file
from pocketintent.cli.output import print_json, print_note
from pocketintent.runtime.errors import PocketIntentError
from pocketintent_lab.training.terms.settings import TermSettings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``train terms``."""
    parser.add_argument(
        "--corpus",
        type=input_file,
        nargs="+",
        required=True,
        metavar="FILE",
        help="texts to search",
    )
    parser.add_argument(
        "--out", required=True, metavar="FILE", type=output_file, help="terms to write"
    )
    add_settings(parser, TermSettings)


def run(args: argparse.Namespace) -> int:
    """Extract and save the terms, and print a summary."""
    from pocketintent.training.corpora.reader import CorpusTexts
    from pocketintent_lab.training.terms.files import save_terms
    from pocketintent_lab.training.terms.pipeline import extract_terms

    settings = read_settings(args, TermSettings)
    terms = extract_terms(CorpusTexts(args.corpus), settings, report=print_note)
    if not terms:
        raise PocketIntentError(
            "the corpus has no terms with these settings; give a larger corpus, or a smaller "
            "--min-count or --min-cohesion"
        )
    save_terms(args.out, terms)
    best = [term.term for term in terms[:10]]
    print_json({"out": str(args.out), "terms": len(terms), "best": best})
    return 0
