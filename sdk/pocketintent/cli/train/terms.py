"""``pocketintent train terms``: find the terms of a corpus."""

from __future__ import annotations

import argparse
from pathlib import Path

from pocketintent.cli.options.settings import add_settings, read_settings
from pocketintent.cli.output import print_json, print_note
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.corpora.reader import CorpusTexts
from pocketintent.training.terms.files import save_terms
from pocketintent.training.terms.pipeline import extract_terms
from pocketintent.training.terms.settings import TermSettings

EXAMPLES = """\
examples:
  pocketintent train terms --corpus papers.txt.gz --out terms.tsv
  pocketintent train terms --corpus a.txt b.jsonl --out terms.tsv --min-count 20 --max-terms 10000
  pocketintent train terms --corpus huge.txt.gz --out terms.tsv --max-phrases 10000000

A corpus is English text, one sentence or paragraph a line, or .jsonl with "text"; both may be
.gz, and larger than memory. The terms are written as tab-separated text, the best first. Look
at them, and delete lines that are no terms: the file is read as it stands."""

_HELP = {
    "min_length": "words of the shortest term; 1 for single words too",
    "max_length": "words of the longest term",
    "min_count": "leave out words and phrases that are rarer; raise it with the corpus' size",
    "min_cohesion": "leave out phrases whose words meet nearly as often by chance: an NPMI from "
    "0, chance, to 1, never apart",
    "cohesion_power": "how much cohesion counts against frequency; 0: frequency alone",
    "max_terms": "keep only this many of the best",
    "max_words": "words held in memory while counting",
    "max_phrases": "phrases held in memory while counting, some 150 bytes each; when they are "
    "more, rare ones are dropped, and counts may be too low by a number that is reported",
}


def add_parser(methods: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the method ``terms`` to ``train``."""
    parser = methods.add_parser(
        "terms",
        help="terms of several words, found without labels",
        description="Find the terms of a corpus («machine learning») without labels: frequent "
        "phrases that are firm and stand alone. Prints a summary as JSON.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    parser.add_argument("--corpus", nargs="+", required=True, metavar="FILE", help="texts")
    parser.add_argument("--out", required=True, metavar="FILE", type=Path, help="terms to write")
    add_settings(parser, TermSettings, _HELP)


def run(args: argparse.Namespace) -> int:
    """Extract and save the terms, and print how many there are."""
    if not args.out.absolute().parent.is_dir():
        raise PocketIntentError(f"--out {args.out}: there is no folder {args.out.parent}")
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
