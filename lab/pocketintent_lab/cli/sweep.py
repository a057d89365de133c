r"""Quantise a model with each combination of settings and measure the results.

Writes sweep.json, sweep.csv and sweep.png. The same command continues an unfinished sweep.

Examples:
  pocketintent-lab sweep trained.safetensors --sts sts/stsb/dev.jsonl --out sweep
  pocketintent-lab sweep trained.safetensors --sts sts/stsb/dev.jsonl \
      --intents intents/clinc150 --sub-dims 5,10 --codebook-sizes 128,256 --out sweep
"""

from __future__ import annotations

import argparse
from typing import Any

from pocketintent.cli.compress import add_probe_arguments, read_probe
from pocketintent.cli.options.model import model_file, refuse_bot_files
from pocketintent.cli.options.shared import add
from pocketintent.cli.options.training import repeating_command
from pocketintent.cli.options.types import SEED, output_folder, whole_number, whole_numbers
from pocketintent.cli.output import print_json, print_note
from pocketintent.compression.kinds import tables_of
from pocketintent.compression.prune import keep_frequent, load_word_model
from pocketintent.evaluation.quality import Probe, measure_quality
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.model_file import load_model
from pocketintent.runtime.quantization.matrices import DenseMatrix


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``pocketintent-lab sweep``."""
    parser.set_defaults(after_interrupt=repeating_command)
    parser.add_argument("model", type=model_file, metavar="IN", help="the uncompressed model")
    parser.add_argument(
        "--out",
        type=output_folder,
        required=True,
        metavar="DIR",
        help="folder to write the results to",
    )
    parser.add_argument(
        "--keep",
        type=whole_number(1),
        help="number of words to keep, the most frequent (all)",
    )
    parser.add_argument(
        "--sub-dims",
        type=whole_numbers(1),
        metavar="N,N",
        help="lengths of a sub-vector (2,3,4,5,6,10, as far as they suit the model)",
    )
    parser.add_argument(
        "--codebook-sizes",
        type=whole_numbers(1),
        metavar="N,N",
        help="numbers of centroids of a codebook (2,4,8,…,512)",
    )
    parser.add_argument(
        "--variants",
        nargs="+",
        metavar="NAME",
        help="ways to quantise: shared, per_position, per_position_normalised, rotated (all)",
    )
    parser.add_argument(
        "--sample",
        type=whole_number(1),
        default=20_000,
        help="number of sub-vectors that a codebook is fitted on (%(default)s)",
    )
    parser.add_argument("--seed", type=SEED, default=0, help="seed of that sample (%(default)s)")
    parser.add_argument(
        "--no-plot", action="store_true", help="do not draw sweep.png, which needs matplotlib"
    )
    add(parser, "--threads", help="CPU threads of NumPy's matrix products (%(default)s)")
    add_probe_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Run or continue a sweep, and write its table and plot."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(args.threads):
        return _run(args)


def _run(args: argparse.Namespace) -> int:
    from pocketintent.evaluation.similarity.sts import title_of_pairs
    from pocketintent_lab.compression.sweep import (
        CODEBOOK_SIZES,
        VARIANTS,
        Grid,
        run_sweep,
        write_csv,
    )
    from pocketintent_lab.compression.sweep_plot import plot_sweep

    probe = read_probe(args)
    if not probe:
        raise PocketIntentError("a sweep needs --sts FILE or --intents DIR to measure quality on")
    refuse_bot_files(args.model)
    encoder = load_word_model(args.model)
    if not all(isinstance(table, DenseMatrix) for table in tables_of(encoder).values()):
        raise PocketIntentError(
            f"{args.model} is already quantised; give the uncompressed model, which the cells of "
            "the sweep are compared with"
        )
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
            **_describe_probe(probe),
        },
        grid=Grid(
            args.variants or tuple(VARIANTS),
            args.sub_dims or _default_sub_dims(encoder),
            args.codebook_sizes or CODEBOOK_SIZES,
        ),
        sample=args.sample,
        seed=args.seed,
        progress=_print_cell,
    )
    write_csv(table, args.out / "sweep.csv")
    if not args.no_plot:
        pairs = "" if probe.sts is None else title_of_pairs(probe.sts)
        plot_sweep(table, args.out / "sweep.png", pairs=pairs)
    print_json(table)
    return 0


def _default_sub_dims(encoder: ModelEncoder) -> tuple[int, ...]:
    """The lengths of a sub-vector that fit a model, with a note on the others."""
    from pocketintent.compression.quantise import fits_sub_dim
    from pocketintent_lab.compression.sweep import SUB_DIMS

    fitting = tuple(length for length in SUB_DIMS if fits_sub_dim(encoder, length))
    if others := [str(length) for length in SUB_DIMS if length not in fitting]:
        print_note(
            f"left out, since they do not divide the dimensions of the words: sub_dim "
            f"{', '.join(others)}"
        )
    return fitting


def _print_cell(done: int, total: int, cell: dict[str, Any]) -> None:
    pearson = cell["quality"].get("sts", {}).get("pearson")
    score = "" if pearson is None else f" pearson {pearson:.4f}"
    print_note(
        f"{done}/{total} {cell['variant']} sub_dim {cell['sub_dim']} "
        f"codebook {cell['codebook_size']}: {cell['vector_bytes']} bytes{score}"
    )


def _describe_probe(probe: Probe) -> dict[str, Any]:
    """The content of a probe, by names and checksums that are the same on every machine.

    Raises:
        PocketIntentError: A file cannot be read.
    """
    from pocketintent.training.loop.work_folder import fingerprint

    names = ("train", probe.split)
    return {
        "sts": fingerprint(probe.sts) if probe.sts else None,
        "intents": {
            folder.resolve().name: [fingerprint(folder / f"{name}.jsonl") for name in names]
            for folder in probe.intents
        },
        "split": probe.split,
        "shots": list(probe.shots),
        "runs": probe.runs,
    }
