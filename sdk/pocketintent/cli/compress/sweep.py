"""``pocketintent compress-sweep``: quality and size over many quantiser settings."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pocketintent.cli.compress.quality import (
    add_probe_arguments,
    describe_probe,
    measure_quality,
    read_probe,
)
from pocketintent.cli.options.numbers import whole_numbers
from pocketintent.cli.output import print_json, print_note
from pocketintent.compression.prune import keep_frequent, load_word_model
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.model_file import load_model

EXAMPLES = """\
examples:
  pocketintent compress-sweep trained.safetensors --sts sts/stsb/dev.jsonl --out sweep
  pocketintent compress-sweep trained.safetensors --sts sts/stsb/dev.jsonl \\
      --intents intents/clinc150 --sub-dims 5,10 --codebook-sizes 128,256 --out sweep"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the subcommand ``compress-sweep``."""
    parser = subparsers.add_parser(
        "compress-sweep",
        help="quality and size over many quantiser settings",
        description="Quantise a model in many ways and measure each; writes sweep.json, sweep.csv "
        "and sweep.png. A stopped sweep goes on where it was.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    parser.add_argument("model", type=Path, metavar="IN", help="the uncompressed model")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where results go")
    parser.add_argument("--keep", type=int, metavar="N", help="most frequent words to keep (all)")
    parser.add_argument(
        "--sub-dims", type=whole_numbers(1), metavar="N,N", help="default: 2,3,4,5,6,10"
    )
    parser.add_argument(
        "--codebook-sizes", type=whole_numbers(1), metavar="N,N", help="default: 2,4,8,…,512"
    )
    parser.add_argument(
        "--variants",
        nargs="+",
        metavar="NAME",
        help="of shared, per_position, per_position_normalised, rotated (all)",
    )
    parser.add_argument(
        "--sample",
        type=int,
        default=20_000,
        metavar="N",
        help="sub-vectors that a codebook is fitted on (%(default)s)",
    )
    parser.add_argument("--seed", type=int, default=0, help="default: %(default)s")
    parser.add_argument("--no-plot", action="store_true", help="do without matplotlib")
    add_probe_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Run or continue a sweep, and write its table and plot."""
    from pocketintent.compression.sweep import (
        CODEBOOK_SIZES,
        SUB_DIMS,
        VARIANTS,
        Grid,
        run_sweep,
        write_csv,
    )
    from pocketintent.compression.sweep_plot import plot_sweep

    probe = read_probe(args)
    if not probe:
        raise PocketIntentError("a sweep needs --sts FILE or --intents DIR to measure quality on")
    encoder = load_word_model(args.model)
    if args.keep is not None:
        encoder = keep_frequent(encoder, args.keep)
    args.out.mkdir(parents=True, exist_ok=True)
    table = run_sweep(
        encoder,
        lambda candidate: measure_quality(candidate, probe),
        args.out / "sweep.json",
        made_from={
            "sha256": load_model(args.model).manifest["sha256"],
            "keep": args.keep,
            **describe_probe(probe),
        },
        grid=Grid(
            args.variants or tuple(VARIANTS),
            args.sub_dims or SUB_DIMS,
            args.codebook_sizes or CODEBOOK_SIZES,
        ),
        sample=args.sample,
        seed=args.seed,
        progress=_print_cell,
    )
    write_csv(table, args.out / "sweep.csv")
    if not args.no_plot:
        plot_sweep(table, args.out / "sweep.png")
    print_json(table)
    return 0


def _print_cell(done: int, total: int, cell: dict[str, Any]) -> None:
    pearson = cell["quality"].get("sts", {}).get("pearson")
    scored = "" if pearson is None else f" pearson {pearson:.4f}"
    print_note(
        f"{done}/{total} {cell['variant']} sub_dim {cell['sub_dim']} "
        f"codebook {cell['codebook_size']}: {cell['vector_bytes']} bytes{scored}"
    )
