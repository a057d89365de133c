"""``pocketintent combine``: one model from word vectors and a character network."""

from __future__ import annotations

import argparse
import time
from dataclasses import replace

from pocketintent.cli.compress.quality import add_probe_arguments, measure_quality, read_probe
from pocketintent.cli.options.files import input_file, output_file
from pocketintent.cli.options.model import check_model_name, model_file, refuse_bot_files
from pocketintent.cli.options.numbers import SEED, number, whole_number
from pocketintent.cli.options.threads import add_threads_option, limit_threads
from pocketintent.cli.output import print_json, print_note
from pocketintent.cli.progress import Progress
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.combined.attention import DEFAULT_ATTENTION, Attention
from pocketintent.runtime.encoders.registry import load_kind
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.files.model_file import save_model

EXAMPLES = """\
examples:
  pocketintent train charemb --target words.safetensors --reads words --out charemb.safetensors
  pocketintent combine words.safetensors charemb.safetensors --out combined.safetensors
  pocketintent combine words.safetensors charemb.safetensors --out combined.safetensors \\
      --keep 10000 --blend 0.15 --attention 0.6 --corpus chats.txt.gz --intents intents/clinc150"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``combine``."""
    parser.description = (
        "Make one model that looks up known words and reads unknown words by their characters. "
        "Prints its sizes as JSON."
    )
    parser.epilog = EXAMPLES
    parser.set_defaults(run=run)
    parser.add_argument(
        "words",
        type=model_file,
        metavar="WORDS",
        help="a model of word vectors; its n-grams are left out",
    )
    parser.add_argument(
        "charemb", type=model_file, metavar="CHAREMB", help="a character network trained on WORDS"
    )
    parser.add_argument(
        "--out",
        type=output_file,
        required=True,
        metavar="FILE",
        help="model to write; its name ends in .safetensors",
    )
    parser.add_argument(
        "--blend",
        type=number(least=0, below=1),
        default=0.15,
        metavar="X",
        help="share of the network in the vectors of known words (%(default)s)",
    )
    parser.add_argument(
        "--attention",
        type=number(least=0, most=1),
        default=DEFAULT_ATTENTION.share,
        metavar="X",
        help="share of similar known words in the vector of an unknown word; 0 for none "
        "(%(default)s)",
    )
    parser.add_argument(
        "--temperature",
        type=number(above=0, most=1),
        metavar="T",
        help="temperature of the attention: the smaller, the fewer words contribute "
        f"({DEFAULT_ATTENTION.temperature})",
    )
    parser.add_argument(
        "--unknown-weight",
        type=number(above=0, most=1),
        metavar="W",
        help="of the attention: factor on the length of an unknown word's vector "
        f"({DEFAULT_ATTENTION.weight})",
    )
    parser.add_argument(
        "--attention-words",
        type=whole_number(1),
        metavar="N",
        help="of the attention: only the N most frequent words contribute "
        f"({DEFAULT_ATTENTION.words})",
    )
    parser.add_argument(
        "--keep",
        type=whole_number(1),
        metavar="N",
        help="number of words to keep, the most frequent (all)",
    )
    parser.add_argument(
        "--sub-dim",
        type=whole_number(1),
        metavar="N",
        help="length of a sub-vector (that of WORDS)",
    )
    parser.add_argument(
        "--codebook-size",
        type=whole_number(1),
        metavar="N",
        help="number of centroids of a codebook (that of WORDS)",
    )
    parser.add_argument(
        "--corpus",
        type=input_file,
        nargs="+",
        metavar="FILE",
        help="training texts (.txt, .jsonl, .gz), of which the decision logistic gets a background "
        "(none)",
    )
    parser.add_argument(
        "--seed",
        type=SEED,
        default=0,
        metavar="N",
        help="seed of the sample that codebooks are fitted on (%(default)s)",
    )
    add_threads_option(parser)
    add_probe_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Combine two models and print the report."""
    check_model_name(args)
    with limit_threads(args.threads):
        return _run(args)


def _run(args: argparse.Namespace) -> int:
    from pocketintent.compression.combine import combine_encoders
    from pocketintent.compression.report import size_report

    probe, attention = read_probe(args), _attention(args)
    refuse_bot_files(args.words, args.charemb)
    words = load_kind(args.words, StaticEncoder)
    characters = load_kind(args.charemb, CharEncoder)
    before = {"words": size_report(args.words), "charemb": size_report(args.charemb)}
    started = time.monotonic()
    with Progress() as progress:
        combined = combine_encoders(
            words,
            characters,
            blend=args.blend,
            attention=attention,
            keep=args.keep,
            sub_dim=args.sub_dim,
            codebook_size=args.codebook_size,
            seed=args.seed,
            progress=progress.show,
        )
    if args.corpus is not None:
        from pocketintent.compression.background import add_background
        from pocketintent.training.corpora.reader import read_texts

        print_note("reading the background")
        combined = add_background(combined, read_texts(args.corpus), seed=args.seed)
    seconds = time.monotonic() - started
    quality = {}
    if probe:
        print_note("measuring quality")
        quality = {"quality": measure_quality(combined, probe)}
        combined.manifest |= quality
    save_model(args.out, *combined.to_model_file_parts())
    report = {
        "out": str(args.out),
        "words": len(combined.vocabulary),
        "dim": combined.dim,
        "settings": combined.manifest["combination"] | {"attention": combined.attention},
        "seconds": round(seconds, 2),
        "bytes": size_report(args.out),
        "bytes_before": {name: sizes["file"] for name, sizes in before.items()},
    }
    print_json(report | quality)
    return 0


def _attention(args: argparse.Namespace) -> Attention | None:
    """The settings of the attention; None without attention, whose other options are bad usage."""
    values = {
        "temperature": args.temperature,
        "weight": args.unknown_weight,
        "words": args.attention_words,
    }
    given = {name: value for name, value in values.items() if value is not None}
    if args.attention > 0:
        return replace(DEFAULT_ATTENTION, share=args.attention, **given)
    if given:
        args.parser.error(
            "--temperature, --unknown-weight and --attention-words require an --attention above 0"
        )
    return None
