"""``pocketintent compress``: make a model small and report what it costs."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pocketintent.cli.compress.quality import add_probe_arguments, measure_quality, read_probe
from pocketintent.cli.options.model import model_file
from pocketintent.cli.output import print_json, print_note, print_progress
from pocketintent.compression.words import keep_frequent, read_static_model
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.quantization.matrices import QuantizedMatrix

EXAMPLES = """\
examples:
  pocketintent compress trained.safetensors --out small.safetensors --keep 50000
  pocketintent compress trained.safetensors --out small.safetensors --keep 20000 --prune norm \\
      --corpus corpus/*.txt.gz --sub-dim 8 --codebook-size 256
  pocketintent compress trained.safetensors --out small.safetensors \\
      --sts sts/stsb/dev.jsonl --intents intents/clinc150
  pocketintent compress small.safetensors --out smaller.safetensors --keep 10000 --no-ngrams"""

DEFAULTS: dict[str, Any] = {
    "sub_dim": 10,
    "codebook_size": 128,
    "shared_codebook": False,
    "no_normalise": False,
    "count_power": 0.5,
    "no_rotate": False,
}
"""The options of quantisation. The parser leaves those that are not given None, which is how a
model that is quantised already keeps its codes."""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand ``compress``."""
    parser = subparsers.add_parser(
        "compress",
        help="prune and quantise a model",
        description="Prune and quantise a model; prints the size report as JSON. A model that is "
        "quantised already keeps the codes of its words, unless an option of quantisation is "
        "given.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    parser.add_argument("model", type=model_file, metavar="IN", help="the model to compress")
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
    pruning.add_argument(
        "--no-ngrams",
        action="store_true",
        help="leave the n-grams out; a text is then made of its known words alone",
    )
    _add_quantisation(parser)
    add_probe_arguments(parser)


def _add_quantisation(parser: argparse.ArgumentParser) -> None:
    """Add the options of :data:`DEFAULTS`."""
    group = parser.add_argument_group(
        "quantisation", "given any of these, a model that is quantised already is quantised anew"
    )

    def add(name: str, text: str, **options: Any) -> None:
        default = DEFAULTS[name.lstrip("-").replace("-", "_")]
        group.add_argument(name, default=None, help=text.format(default), **options)

    add("--sub-dim", "length of a sub-vector ({})", type=int, metavar="N")
    add("--codebook-size", "centroids ({})", type=int, metavar="N")
    add("--shared-codebook", "one codebook for all positions", action="store_true")
    add("--no-normalise", "quantise the vectors with their norms", action="store_true")
    add(
        "--count-power",
        "frequent words shape the codebooks more, by their count to this power ({})",
        type=float,
        metavar="X",
    )
    add("--no-rotate", "quantise the vectors as training left them", action="store_true")


def run(args: argparse.Namespace) -> int:
    """Compress a model and print the report."""
    from pocketintent.compression.quantise import add_template_quantizer
    from pocketintent.compression.report import compare_sizes, size_report

    for path in args.corpus or ():
        if not path.is_file():  # now rather than after minutes of work
            raise PocketIntentError(f"--corpus {path}: there is no such file")
    original, counts = read_static_model(args.model)
    if args.prune == "norm" and (args.keep is None or args.corpus is None):
        raise PocketIntentError("--prune norm needs --keep and --corpus")
    keeps_codes = _keeps_codes(original, args)
    before = size_report(args.model)  # now: OUT may be the same file
    started = time.monotonic()
    pruned, counts = _prune(original, counts, args)
    small = pruned if keeps_codes else _quantise(pruned, counts, args)
    if args.corpus is not None:
        print_note("fitting the codebook of templates")
        small = add_template_quantizer(small, _read_corpus(args), seed=args.seed)
    seconds = time.monotonic() - started
    quality = _measure(original, pruned, small, args)
    _describe(small, original, args, quality)
    save_model(args.out, *small.to_model_file_parts())
    float32_bytes = len(pruned.words) * pruned.dim * 4
    sizes = compare_sizes(before, size_report(args.out), float32_bytes=float32_bytes)
    report = {
        "out": str(args.out),
        "words": {"before": len(original.words), "after": len(small.words)},
        "dim": small.dim,
        "codes_kept": keeps_codes,
        "settings": small.manifest["compression"],
        "seconds": round(seconds, 2),
        **sizes,
    }
    print_json(report | ({"quality": quality} if quality else {}))
    return 0


def _keeps_codes(encoder: StaticEncoder, args: argparse.Namespace) -> bool:
    """Whether the words stay the codes that they are."""
    if not isinstance(encoder.words, QuantizedMatrix):
        return False
    if any(getattr(args, name) is not None for name in DEFAULTS):
        return False
    if args.keep is None and args.corpus is None and not args.no_ngrams:
        raise PocketIntentError(
            f"{args.model} is quantised already and nothing is asked for: give --keep or "
            "--no-ngrams to make it smaller, or --sub-dim and --codebook-size to quantise it anew"
        )
    print_note("the model is quantised already: its codes stay as they are")
    return True


def _quantise(
    encoder: StaticEncoder, counts: NDArray[np.integer[Any]] | None, args: argparse.Namespace
) -> StaticEncoder:
    from pocketintent.compression.quantise import quantise_encoder

    options = dict(DEFAULTS)
    options |= {name: vars(args)[name] for name in DEFAULTS if vars(args)[name] is not None}
    return quantise_encoder(
        encoder,
        sub_dim=options["sub_dim"],
        codebook_size=options["codebook_size"],
        counts=counts,
        count_power=options["count_power"],
        per_position=not options["shared_codebook"],
        normalised=not options["no_normalise"],
        rotate=not options["no_rotate"],
        seed=args.seed,
        progress=print_progress,
    )


def _measure(
    original: StaticEncoder, pruned: StaticEncoder, small: StaticEncoder, args: argparse.Namespace
) -> dict[str, Any]:
    """The quality of each stage, and what was lost; empty when nothing is to be measured on."""
    from pocketintent.compression.report import quality_change

    probe = read_probe(args)
    if not probe:
        return {}
    print_note("measuring quality")
    stages = {"before": original, "pruned": pruned, "after": small}
    quality = {name: measure_quality(encoder, probe) for name, encoder in stages.items()}
    quality["lost_by_quantisation"] = quality_change(quality["after"], quality["pruned"])
    return quality


def _describe(
    small: StaticEncoder,
    original: StaticEncoder,
    args: argparse.Namespace,
    quality: dict[str, Any],
) -> None:
    """Write into the manifest how the model was made, and how good it is."""
    settings = dict(small.manifest.get("compression", {}))
    if args.keep is not None or "keep" not in settings:
        settings |= {"keep": args.keep, "prune": args.prune}
    if args.no_ngrams and original.ngrams is not None:
        settings["ngrams"] = False
    small.manifest["compression"] = settings
    # What an earlier compression measured is not this model's.
    small.manifest.pop("quality", None)
    if quality:
        small.manifest["quality"] = quality["after"]


def _prune(
    encoder: StaticEncoder, counts: NDArray[np.integer[Any]] | None, args: argparse.Namespace
) -> tuple[StaticEncoder, NDArray[np.integer[Any]] | None]:
    from pocketintent.compression.prune import (
        Sentences,
        prune_encoder,
        select_by_norm,
        without_ngrams,
    )

    if args.no_ngrams:
        encoder = without_ngrams(encoder)
    if args.keep is None or args.keep >= len(encoder.words):
        return encoder, counts
    if args.prune == "frequency":
        return keep_frequent(encoder, counts, args.keep)
    norms = np.linalg.norm(encoder.words.decode(), axis=1)
    ids = select_by_norm(norms, Sentences.read(encoder, _read_corpus(args)), args.keep)
    return prune_encoder(encoder, ids), None if counts is None else counts[ids]


def _read_corpus(args: argparse.Namespace) -> Iterator[str]:
    from pocketintent.training.corpora.reader import read_texts

    return read_texts(args.corpus)
