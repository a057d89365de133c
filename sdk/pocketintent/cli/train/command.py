"""``pocketintent train``: learn an encoder from a corpus."""

from __future__ import annotations

import argparse
from pathlib import Path

from pocketintent.cli.options.settings import add_settings
from pocketintent.cli.options.training import (
    add_resume_options,
    add_torch_options,
)
from pocketintent.cli.train import charemb as train_charemb
from pocketintent.cli.train import distil as train_distil
from pocketintent.cli.train import terms as train_terms
from pocketintent.cli.train.finish import _FINISH_HELP, FINISH_EXAMPLES, run_finish
from pocketintent.cli.train.starspace import _HELP, run
from pocketintent.cli.train.targets import add_targets_parser
from pocketintent.cli.train.words import add_words_parser
from pocketintent.training.finish.settings import FinishSettings
from pocketintent.training.starspace.settings import StarSpaceSettings

EXAMPLES = """\
examples:
  pocketintent train starspace --corpus chats.txt.gz --out chats.safetensors
  pocketintent train starspace --corpus a.txt b.jsonl --out model.safetensors \\
      --dim 256 --no-share-sides --subsample 1e-3 --epochs 5 --min-count 2
  pocketintent train starspace --corpus utterances.jsonl --mode labelled --out model.safetensors
  torchrun --nproc-per-node 4 -m pocketintent train starspace --device cuda --corpus big.txt.gz \\
      --out model.safetensors --resume

A corpus is text (one utterance, sentence or paragraph a line; sentences of one document
separated by tabs), .jsonl with "text" and, for labelled mode, "intent"; both may be .gz.
Stop a run at any time; --resume goes on with it and gives the model of an unbroken run."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand ``train`` with its methods."""
    parser = subparsers.add_parser(
        "train",
        help="learn an encoder from a corpus",
        description="Learn an encoder from a corpus. The model is not yet compressed; see "
        "`pocketintent compress`.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    methods = parser.add_subparsers(metavar="METHOD", required=True)
    starspace = methods.add_parser(
        "starspace",
        help="word embeddings learnt by ranking (Wu et al. 2018)",
        description="Train StarSpace embeddings; prints the run's record as JSON.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    starspace.set_defaults(run=run)
    starspace.add_argument("--corpus", nargs="+", required=True, metavar="FILE", help="texts")
    starspace.add_argument("--out", required=True, metavar="FILE", type=Path, help="model to write")
    add_torch_options(starspace)
    add_resume_options(starspace)
    add_settings(starspace, StarSpaceSettings, _HELP)
    train_charemb.add_parser(methods)
    train_distil.add_parser(methods)
    train_terms.add_parser(methods)
    finish = methods.add_parser(
        "finish",
        help="weight the words of a trained model and add what their characters say",
        description="Weight the words of a trained model by frequency, and give each a second "
        "group of dimensions made of its character n-grams, which unknown words have too.",
        epilog=FINISH_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    finish.set_defaults(run=run_finish)
    finish.add_argument(
        "model", metavar="IN", type=Path, help="a model of `train starspace` or `train words`"
    )
    finish.add_argument(
        "--corpus",
        nargs="+",
        metavar="FILE",
        help="count words in these texts; wanted where the model does not know how frequent its "
        "words are (`train words --from`)",
    )
    finish.add_argument("--out", required=True, metavar="FILE", type=Path, help="model to write")
    add_settings(finish, FinishSettings, _FINISH_HELP)
    add_words_parser(methods)
    add_targets_parser(methods)
