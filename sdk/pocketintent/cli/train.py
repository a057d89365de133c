"""``pocketintent train``: learn an encoder from a corpus."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pocketintent.cli import train_charemb, train_distil, train_terms
from pocketintent.cli.output import print_json, print_note
from pocketintent.cli.settings_options import add_settings, read_settings
from pocketintent.cli.torch_options import (
    add_resume_options,
    add_torch_options,
    command_line,
    prepare_torch,
    print_record,
)
from pocketintent.cli.train_targets import add_targets_parser
from pocketintent.cli.train_words import add_words_parser
from pocketintent.training.finish import FinishSettings
from pocketintent.training.settings import StarSpaceSettings

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

FINISH_EXAMPLES = """\
examples:
  pocketintent train finish trained.safetensors --out finished.safetensors
  pocketintent train finish trained.safetensors --out finished.safetensors --subword-dim 256
  pocketintent train words --from glove.6B.200d.txt --limit 50000 --out glove.safetensors
  pocketintent train finish glove.safetensors --corpus chats.txt.gz --out finished.safetensors"""

_HELP = {
    "mode": "what is learnt: a word from its context, a sentence from another one of its document "
    "(or half of it from the other half), or an utterance's label",
    "dim": "dimension of the embeddings",
    "share_sides": "a word has the same embedding as context and as target; with --no-share-sides "
    "words become similar when they share contexts rather than when they occur together",
    "window": "words on each side that make a word's context",
    "negatives": "wrong answers that each example is compared with",
    "negative_power": "negatives are drawn by frequency to this power",
    "loss": "margin ranking over cosine, or softmax over dot product",
    "margin": "how much nearer the right answer has to be",
    "optimizer": "AdaGrad or plain SGD",
    "learning_rate": "at the start; falls linearly to zero",
    "epochs": "passes over the corpus",
    "batch_tokens": "words of a step",
    "row_length": "slots of a row of word mode, whose examples share negatives",
    "min_count": "rarer words get no embedding",
    "max_words": "keep only this many of the most frequent words",
    "subsample": "words above this share of the text are skipped at random; 0 for never",
    "init_scale": "standard deviation of fresh embeddings",
    "max_norm": "longer embeddings are cut to this length",
    "num_buckets": "hashed character n-grams added to each word, for unknown words too; 0: none",
    "min_n": "shortest n-gram",
    "max_n": "longest n-gram",
    "tokenizer": "`simple` runs on the device; `tweet` is NLTK's",
    "split": "sentences of a line: separated by tabs, or found by Punkt",
    "seed": "one seed gives one model on one device",
}

_FINISH_HELP = {
    "trained_dim": "principal components kept of the trained part; 0 keeps all dimensions",
    "norm_power": "a word's trained length counts to this power",
    "frequency_weight": "a of a word's weight a / (a + its share of the text); 0 for no weights",
    "subword_dim": "dimensions of the part made of character n-grams; 0 for none",
    "subword_scale": "length of that part against 1 of the trained part",
    "min_n": "shortest n-gram",
    "max_n": "longest n-gram",
    "num_buckets": "size of the n-grams' hash table",
    "seed": "seed of the n-grams' random vectors",
}


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


def run(args: argparse.Namespace) -> int:
    """Train a model and print its record."""
    from pocketintent.runtime.errors import PocketIntentError

    prepare_torch(args.device, args.threads)
    from pocketintent.training.pipeline import train_starspace

    if not args.out.absolute().parent.is_dir():
        raise PocketIntentError(f"--out {args.out}: there is no folder {args.out.parent}")
    settings = read_settings(args, StarSpaceSettings)
    training = train_starspace(
        args.corpus,
        args.out,
        settings,
        device=args.device,
        resume=args.resume,
        restart=args.restart,
        command=command_line(sys.argv[1:]),
        report=print_note,
    )
    print_record({"out": str(args.out), **training})
    return 0


def run_finish(args: argparse.Namespace) -> int:
    """Finish a trained model and print its sizes."""
    from pocketintent.cli.quality import COUNTS, read_static_model
    from pocketintent.runtime.errors import PocketIntentError
    from pocketintent.runtime.model_file import save_model
    from pocketintent.training.corpus import read_texts
    from pocketintent.training.finish import count_words, finish_encoder

    encoder, counts = read_static_model(args.model)
    if args.corpus is not None:
        counts = count_words(encoder, read_texts(args.corpus))
    elif counts is None:
        raise PocketIntentError(
            f"{args.model}: does not know how frequent its words are; give --corpus"
        )
    settings = read_settings(args, FinishSettings)
    finished = finish_encoder(encoder, counts, settings)
    manifest, tensors = finished.to_model_file_parts()
    save_model(args.out, manifest, tensors | {COUNTS: counts})
    print_json({"out": str(args.out), "words": len(finished.words), "dim": finished.dim})
    return 0
