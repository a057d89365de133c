"""``pocketintent compress WORDS --characters CHAREMB``: one model from words and a network."""

from __future__ import annotations

import argparse
import time
from typing import Any

from pocketintent.cli.options.model import refuse_bot_files
from pocketintent.cli.options.settings import given_settings, read_settings
from pocketintent.cli.options.shared import refuse_options
from pocketintent.cli.output import Progress, print_note
from pocketintent.compression.background import add_background
from pocketintent.compression.combine import combine_encoders
from pocketintent.compression.report import size_report
from pocketintent.compression.settings import CombinationSettings, QuantisationSettings
from pocketintent.evaluation.quality import Probe, measure_quality
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.registry import load_kind
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.files.model_file import save_model
from pocketintent.training.corpora.reader import read_texts


def combine(args: argparse.Namespace, probe: Probe) -> dict[str, Any]:
    """Combine the words of a model with a character network; returns the report."""
    refuse_options(args, ("prune", "no_ngrams"), "has no effect with --characters")
    if args.out.exists() and args.out.samefile(args.model):
        args.parser.error(f"{args.out} is read, and would be overwritten; name another --out")
    settings = read_settings(args, CombinationSettings)
    codes = given_settings(args, QuantisationSettings)
    refuse_bot_files(args.model, args.characters)
    words = load_kind(args.model, StaticEncoder)
    characters = load_kind(args.characters, CharEncoder)
    before = {"words": size_report(args.model), "charemb": size_report(args.characters)}
    started = time.monotonic()
    with Progress() as progress:
        combined = combine_encoders(
            words,
            characters,
            blend=settings.blend,
            attention=settings.make_attention(),
            keep=args.keep,
            sub_dim=codes.get("sub_dim"),
            codebook_size=codes.get("codebook_size"),
            seed=args.seed,
            progress=progress.show,
        )
    if args.corpus is not None:
        print_note("reading the background")
        combined = add_background(combined, read_texts(args.corpus), seed=args.seed)
    seconds = time.monotonic() - started
    quality = {}
    if probe:
        print_note("measuring quality")
        quality = {"quality": measure_quality(combined, probe)}
        combined.manifest |= quality
    save_model(args.out, *combined.to_model_file_parts())
    return {
        "out": str(args.out),
        "words": len(combined.vocabulary),
        "dim": combined.dim,
        "settings": combined.manifest["combination"] | {"attention": combined.attention},
        "seconds": round(seconds, 2),
        "bytes": size_report(args.out),
        "bytes_before": {name: sizes["file"] for name, sizes in before.items()},
        **quality,
    }
