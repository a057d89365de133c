"""``pocketintent compress``: make a model small and report what it costs."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.cli.output import print_json, print_note
from pocketintent.cli.quality import (
    add_probe_arguments,
    keep_frequent,
    measure_quality,
    read_probe,
    read_static_model,
)
from pocketintent.runtime.encoders import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.model_file import save_model

EXAMPLES = """\
examples:
  pocketintent compress trained.safetensors --out small.safetensors --keep 50000
  pocketintent compress trained.safetensors --out small.safetensors --keep 20000 --prune norm \\
      --corpus corpus/*.txt.gz --sub-dim 8 --codebook-size 256
  pocketintent compress trained.safetensors --out small.safetensors \\
      --sts sts/stsb/dev.jsonl --intents intents/clinc150"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand ``compress``."""
    parser = subparsers.add_parser(
        "compress",
        help="prune and quantise a model",
        description="Prune and quantise a model; prints the size report as JSON.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    parser.add_argument("model", type=Path, metavar="IN", help="the model to compress")
    parser.add_argument("--out", type=Path, required=True, metavar="OUT", help="the small model")
    parser.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    pruning = parser.add_argument_group("pruning")
    pruning.add_argument("--keep", type=int, metavar="N", help="words to keep (all)")
    pruning.add_argument(
        "--prune",
        choices=("frequency", "norm"),
        default="frequency",
        help="keep the most frequent words, or those of largest norm such that every sentence "
        "of the corpus keeps one of its words (%(default)s)",
    )
    pruning.add_argument(
        "--corpus",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="training texts (.txt, .jsonl, .gz): for pruning, and for a codebook of sentence "
        "vectors that the recogniser quantises its templates with",
    )
    quantising = parser.add_argument_group("quantisation")
    quantising.add_argument(
        "--sub-dim", type=int, default=10, metavar="N", help="length of a sub-vector (%(default)s)"
    )
    quantising.add_argument(
        "--codebook-size", type=int, default=128, metavar="N", help="centroids (%(default)s)"
    )
    quantising.add_argument(
        "--shared-codebook", action="store_true", help="one codebook for all positions"
    )
    quantising.add_argument(
        "--no-normalise", action="store_true", help="quantise the vectors with their norms"
    )
    quantising.add_argument(
        "--count-power",
        type=float,
        default=0.5,
        metavar="X",
        help="frequent words shape the codebooks more, by their count to this power (%(default)s)",
    )
    quantising.add_argument(
        "--no-rotate", action="store_true", help="quantise the vectors as training left them"
    )
    add_probe_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Compress a model and print the report."""
    from pocketintent.compression.quantise import add_template_quantizer, quantise_encoder
    from pocketintent.compression.report import compare_sizes, quality_change, size_report

    for path in args.corpus or ():
        if not path.is_file():  # now rather than after minutes of work
            raise PocketIntentError(f"--corpus {path}: there is no such file")
    original, counts = read_static_model(args.model)
    if args.prune == "norm" and (args.keep is None or args.corpus is None):
        raise PocketIntentError("--prune norm needs --keep and --corpus")
    before = size_report(args.model)  # now: OUT may be the same file
    started = time.monotonic()
    pruned, counts = _prune(original, counts, args)
    small = quantise_encoder(
        pruned,
        sub_dim=args.sub_dim,
        codebook_size=args.codebook_size,
        counts=counts,
        count_power=args.count_power,
        per_position=not args.shared_codebook,
        normalised=not args.no_normalise,
        rotate=not args.no_rotate,
        seed=args.seed,
        progress=print_progress,
    )
    if args.corpus is not None:
        print_note("fitting the codebook of templates")
        small = add_template_quantizer(small, _read_corpus(args), seed=args.seed)
    seconds = time.monotonic() - started
    probe = read_probe(args)
    quality: dict[str, Any] = {}
    if probe:
        print_note("measuring quality")
        stages = {"before": original, "pruned": pruned, "after": small}
        quality = {name: measure_quality(encoder, probe) for name, encoder in stages.items()}
        quality["lost_by_quantisation"] = quality_change(quality["after"], quality["pruned"])
        small.manifest["quality"] = quality["after"]
    small.manifest["compression"] |= {"keep": args.keep, "prune": args.prune}
    save_model(args.out, *small.to_model_file_parts())
    float32_bytes = len(pruned.words) * pruned.dim * 4
    sizes = compare_sizes(before, size_report(args.out), float32_bytes=float32_bytes)
    report = {
        "out": str(args.out),
        "words": {"before": len(original.words), "after": len(small.words)},
        "dim": small.dim,
        "settings": small.manifest["compression"],
        "seconds": round(seconds, 2),
        **sizes,
    }
    print_json(report | ({"quality": quality} if quality else {}))
    return 0


def print_progress(stage: str, done: int, total: int) -> None:
    """Write progress on stderr: one line that is rewritten on a terminal, else the ends."""
    if sys.stderr.isatty():
        end = "\n" if done == total else ""
        print(f"\r{stage}: {done}/{total}", end=end, file=sys.stderr, flush=True)
    elif done == total:
        print_note(f"{stage}: {done}/{total}")


def _prune(
    encoder: StaticEncoder, counts: NDArray[np.integer[Any]] | None, args: argparse.Namespace
) -> tuple[StaticEncoder, NDArray[np.integer[Any]] | None]:
    from pocketintent.compression.prune import Sentences, prune_encoder, select_by_norm

    if args.keep is None or args.keep >= len(encoder.words):
        return encoder, counts
    if args.prune == "frequency":
        return keep_frequent(encoder, counts, args.keep)
    norms = np.linalg.norm(encoder.words.decode(), axis=1)
    ids = select_by_norm(norms, Sentences.read(encoder, _read_corpus(args)), args.keep)
    return prune_encoder(encoder, ids), None if counts is None else counts[ids]


def _read_corpus(args: argparse.Namespace) -> Iterator[str]:
    from pocketintent.training.corpus import read_texts

    return read_texts(args.corpus)
