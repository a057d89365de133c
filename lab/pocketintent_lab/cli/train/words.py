r"""Train Word2Vec or FastText, or convert a file of vectors.

Prints the record as JSON.

Examples:
  pocketintent-lab train words --corpus papers.txt.gz --out words.safetensors
  pocketintent-lab train words --corpus papers.txt.gz --terms terms.tsv --out words.txt.gz
  pocketintent-lab train words --corpus chats.txt.gz --method fasttext --out words.safetensors
  pocketintent-lab train words --corpus chats.txt.gz --architecture skipgram --loss hierarchical \
      --out words.safetensors
  pocketintent-lab train words --from glove.6B.200d.txt --limit 100000 --out glove.safetensors
  pocketintent-lab train words --from cc.de.300.bin --limit 100000 --out german.safetensors

The suffix of --out chooses the format: .safetensors is a model for `match`, `evaluate` and
`compress`; .bin is word2vec binary, .tsv StarSpace TSV, any other word2vec text; .gz compresses.
--from reads vectors that another program trained: word2vec, GloVe, fastText, Sent2Vec, floret,
StarSpace, gensim, or a pocketintent model; a model keeps the n-grams of fastText and floret, which
embed unknown words. .floret writes floret's n-grams for spaCy. Stop a run at any time; --resume
continues after its last complete epoch.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from typing import Any

from pocketintent.cli.options.model import vectors_file
from pocketintent.cli.options.settings import add_settings, option_name, read_settings
from pocketintent.cli.options.shared import add
from pocketintent.cli.options.training import (
    add_resume_options,
    command_line,
    program_of,
    run_options,
)
from pocketintent.cli.options.types import input_file, output_file, whole_number
from pocketintent.cli.output import print_json, print_note
from pocketintent.runtime.errors import PocketIntentError
from pocketintent_lab.training.words.settings import WordSettings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``train words``."""
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--corpus", type=input_file, nargs="+", metavar="FILE", help="texts to train on"
    )
    source.add_argument(
        "--from", dest="vectors", type=vectors_file, metavar="FILE", help="vectors to convert"
    )
    parser.add_argument(
        "--out", required=True, type=output_file, metavar="FILE", help="file to write"
    )
    parser.add_argument(
        "--terms",
        type=input_file,
        metavar="FILE",
        help="terms of several words, each of which is joined to one token",
    )
    parser.add_argument("--limit", type=whole_number(1), help="with --from: the first N rows")
    parser.add_argument(
        "--no-ngrams",
        action="store_true",
        help="with --from: leave out the n-grams, so that unknown words have no vector",
    )
    add(parser, "--language")
    add_resume_options(parser)
    add_settings(parser, WordSettings)


def run(args: argparse.Namespace) -> int:
    """Train or convert, and print the record."""
    settings = read_settings(args, WordSettings)
    if args.languages and args.out.suffix != ".safetensors":
        raise PocketIntentError("--language is kept in a model; requires --out FILE.safetensors")
    if args.vectors is not None:
        if args.terms is not None or args.resume or args.restart:
            raise PocketIntentError("--terms, --resume and --restart require --corpus")
        if names := _training_options(settings):
            raise PocketIntentError(f"{', '.join(names)}: only for training; requires --corpus")
        print_json({"out": str(args.out), **_convert(args, settings)})
        return 0
    if args.limit is not None:
        raise PocketIntentError("--limit requires --from; use --max-words with --corpus")
    if args.no_ngrams:
        raise PocketIntentError("--no-ngrams requires --from")
    if args.out.name.endswith((".floret", ".floret.gz")):
        raise PocketIntentError(
            f"--out {args.out}: a .floret file has floret's n-grams, which this training does not "
            "learn; name another format, or give vectors of floret with --from"
        )
    from pocketintent_lab.training.words.pipeline import train_words

    training = train_words(
        args.corpus,
        args.out,
        settings,
        run_options(args),
        terms=args.terms,
    )
    print_json({"out": str(args.out), **training})
    return 0


def _training_options(settings: WordSettings) -> list[str]:
    """The options that differ from their default and have no meaning for finished vectors."""
    values, defaults = asdict(settings), asdict(WordSettings())
    return [
        option_name(name)
        for name in defaults
        if name != "tokenizer" and values[name] != defaults[name]
    ]


def _convert(args: argparse.Namespace, settings: WordSettings) -> dict[str, Any]:
    """Read vectors and write them in the format of ``--out``."""
    from pocketintent.runtime.files.model_file import save_model
    from pocketintent.runtime.text.languages import languages_entry
    from pocketintent.training.corpora.tokenizers import TOKENIZER_SPECS
    from pocketintent.training.loop.work_folder import fingerprint
    from pocketintent.training.vectors.reading import read_vectors
    from pocketintent.training.vectors.table import to_encoder
    from pocketintent.training.vectors.writing import write_vectors

    keeps_ngrams = args.out.name.removesuffix(".gz").endswith((".safetensors", ".floret"))
    subwords = keeps_ngrams and not args.no_ngrams
    vectors = read_vectors(args.vectors, args.limit, subwords=subwords)
    ngrams = None if vectors.subwords is None else vectors.subwords.settings.to_manifest()
    record: dict[str, Any] = {
        "method": "converted",
        "vectors": fingerprint(args.vectors),
        "vocabulary": len(vectors),
        "dim": vectors.dim,
        "ngrams": ngrams,
        "command": command_line(sys.argv[1:], program_of(args)),
    }
    if args.out.suffix != ".safetensors":
        write_vectors(args.out, vectors)
        return record
    spec = TOKENIZER_SPECS[settings.tokenizer]
    entries = {"training": record, **languages_entry(args.languages)}
    encoder = to_encoder(vectors, tokenizer_spec=spec, manifest=entries)
    num_tokens = sum(encoder.tokenize(term) == [term] for term in vectors.terms)
    if num_tokens < len(vectors):
        print_note(
            f"{len(vectors) - num_tokens} of {len(vectors)} terms are not a single token of the "
            f"tokenizer {settings.tokenizer!r} and are never looked up in a text"
        )
    save_model(args.out, *encoder.to_model_file_parts())
    return record
