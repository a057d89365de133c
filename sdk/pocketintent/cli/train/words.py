"""``pocketintent train words``: word vectors by Word2Vec or FastText, or of another program."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pocketintent.cli.options.model import vectors_file
from pocketintent.cli.options.settings import add_settings, read_settings
from pocketintent.cli.options.training import add_resume_options, command_line
from pocketintent.cli.output import print_json, print_note
from pocketintent.training.words.settings import WordSettings

EXAMPLES = """\
examples:
  pocketintent train words --corpus papers.txt.gz --out words.safetensors
  pocketintent train words --corpus papers.txt.gz --terms terms.tsv --out words.txt.gz
  pocketintent train words --corpus chats.txt.gz --method fasttext --dim 100 --out words.safetensors
  pocketintent train words --from glove.6B.200d.txt --limit 100000 --out glove.safetensors

The suffix of --out chooses the format: .safetensors is a model for `match`, `evaluate` and
`compress`; .bin is word2vec binary, .tsv StarSpace TSV, any other word2vec text, .gz packs it.
--from takes vectors that another program trained: word2vec, GloVe, fastText, StarSpace, or a
pocketintent model. Stop a run at any time; --resume goes on after its last whole epoch."""

_HELP = {
    "method": "fastText makes a word of its character n-grams, too",
    "architecture": "predict a word from the words around it, or these from it",
    "dim": "dimension of the vectors",
    "window": "words on each side",
    "epochs": "passes over the corpus",
    "negatives": "random words that each right one is compared with",
    "subsample": "words above this share of the text are skipped at random; 0 for never",
    "learning_rate": "at the start",
    "min_learning_rate": "at the end; in between it falls on a line",
    "min_count": "rarer words get no vector",
    "max_words": "keep only this many of the most frequent words",
    "min_n": "fastText's shortest n-gram",
    "max_n": "fastText's longest n-gram",
    "num_buckets": "size of fastText's table of n-grams",
    "tokenizer": "`simple` runs on the device; `tweet` is NLTK's",
    "seed": "one seed gives one result with one worker",
    "workers": "threads; with two or more, results differ from run to run",
}


def add_words_parser(methods: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the method ``words`` to ``train``."""
    parser = methods.add_parser(
        "words",
        help="word vectors by Word2Vec or FastText, or those of another program as a model",
        description="Train Word2Vec or FastText, or convert a file of vectors; prints the record "
        "as JSON.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--corpus", nargs="+", metavar="FILE", help="texts to train on")
    source.add_argument(
        "--from", dest="vectors", type=vectors_file, metavar="FILE", help="vectors to read"
    )
    parser.add_argument("--out", required=True, type=Path, metavar="FILE", help="file to write")
    parser.add_argument(
        "--terms", type=Path, metavar="FILE", help="terms whose words are joined to one token"
    )
    parser.add_argument("--limit", type=int, metavar="N", help="with --from: the first N rows")
    add_resume_options(parser)
    add_settings(parser, WordSettings, _HELP)


def run(args: argparse.Namespace) -> int:
    """Train or convert, and print the record."""
    from pocketintent.runtime.errors import PocketIntentError

    if not args.out.absolute().parent.is_dir():
        raise PocketIntentError(f"--out {args.out}: there is no folder {args.out.parent}")
    if args.vectors is not None:
        if args.terms is not None or args.resume or args.restart:
            raise PocketIntentError("--terms, --resume and --restart go with --corpus")
        if of_training := _training_options(args):
            raise PocketIntentError(f"{', '.join(of_training)}: of training, so with --corpus")
        print_json({"out": str(args.out), **_convert(args)})
        return 0
    if args.limit is not None:
        raise PocketIntentError("--limit goes with --from; for --corpus there is --max-words")
    from pocketintent.training.words.pipeline import train_words

    settings = read_settings(args, WordSettings)
    training = train_words(
        args.corpus,
        args.out,
        settings,
        terms=args.terms,
        resume=args.resume,
        restart=args.restart,
        command=command_line(sys.argv[1:]),
        report=print_note,
    )
    print_json({"out": str(args.out), **training})
    return 0


def _training_options(args: argparse.Namespace) -> list[str]:
    """The options that were given and mean nothing to vectors that are there already."""
    given, default = asdict(read_settings(args, WordSettings)), asdict(WordSettings())
    return [
        f"--{name.replace('_', '-')}"
        for name in default
        if name != "tokenizer" and given[name] != default[name]
    ]


def _convert(args: argparse.Namespace) -> dict[str, Any]:
    """Read vectors and write them in the format of ``--out``."""
    from pocketintent.runtime.files.model_file import save_model
    from pocketintent.training.corpora.tokenizers import TOKENIZER_SPECS
    from pocketintent.training.loop.work_folder import fingerprint
    from pocketintent.training.vectors.reading import read_vectors
    from pocketintent.training.vectors.table import to_encoder
    from pocketintent.training.vectors.writing import write_vectors

    vectors = read_vectors(args.vectors, args.limit)
    record: dict[str, Any] = {
        "method": "converted",
        "vectors": fingerprint(args.vectors),
        "vocabulary": len(vectors),
        "dim": vectors.dim,
        "command": command_line(sys.argv[1:]),
    }
    if args.out.suffix != ".safetensors":
        write_vectors(args.out, vectors)
        return record
    spec = TOKENIZER_SPECS[args.tokenizer]
    encoder = to_encoder(vectors, tokenizer_spec=spec, manifest={"training": record})
    reached = sum(encoder.tokenize(term) == [term] for term in vectors.terms)
    if reached < len(vectors):
        print_note(
            f"{len(vectors) - reached} of {len(vectors)} terms are no single token of the "
            f"tokenizer {args.tokenizer!r} and are never looked up in a text"
        )
    save_model(args.out, *encoder.to_model_file_parts())
    return record
