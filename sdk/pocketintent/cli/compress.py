r"""Prune and quantise a model, or join words with a character network.

Prints the size report as JSON. A quantised model keeps the codes of its words, unless a setting of
quantisation is given; sub-vectors then keep their length by default. The network of a model of kind
contextual is stored as int8.

Examples:
  pocketintent compress trained.safetensors --out small.safetensors --keep 50000
  pocketintent compress trained.safetensors --out small.safetensors --keep 20000 --prune norm \
      --corpus corpus/*.txt.gz --sub-dim 8 --codebook-size 256
  pocketintent compress trained.safetensors --out small.safetensors --sts sts/stsb/dev.jsonl
  pocketintent compress small.safetensors --out smaller.safetensors --keep 10000 --no-ngrams
  pocketintent compress words.safetensors --characters charemb.safetensors \
      --out combined.safetensors --keep 10000 --corpus chats.txt.gz

With --characters the model looks up known words, and reads unknown words by their characters, with
a network that `train charemb` has trained on the words.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

from pocketintent.cli.options.model import check_model_name, model_file, refuse_bot_files
from pocketintent.cli.options.settings import add_settings, given_settings, read_settings
from pocketintent.cli.options.shared import add, refuse_options
from pocketintent.cli.options.types import input_file, input_folder, whole_number, whole_numbers
from pocketintent.cli.output import Progress, print_json, print_note
from pocketintent.compression.background import add_background
from pocketintent.compression.combine import combine_encoders
from pocketintent.compression.kinds import words_of
from pocketintent.compression.pipeline import compress_encoder
from pocketintent.compression.prune import load_word_model
from pocketintent.compression.quantise import StageProgress, quantise_network
from pocketintent.compression.report import compare_sizes, size_report
from pocketintent.compression.settings import CombinationSettings, QuantisationSettings
from pocketintent.evaluation.quality import Probe, measure_quality, quality_change
from pocketintent.runtime.encoders.charemb.encoder import CharEncoder
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.registry import load_kind
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.quantization.matrices import QuantizedMatrix
from pocketintent.training.corpora.reader import CorpusTexts, read_texts


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``compress``."""
    parser.add_argument("model", type=model_file, metavar="IN", help="the model to compress")
    add(parser, "--out", help="model to write; its name ends in .safetensors")
    help = "join the words of IN, without their n-grams, with this character network"
    parser.add_argument("--characters", type=model_file, metavar="CHAREMB", help=help)
    add(parser, "--seed", help="seed of the rotation and of codebooks (%(default)s)")
    pruning = parser.add_argument_group("pruning")
    pruning.add_argument("--keep", type=whole_number(1), help="number of words to keep (all)")
    ways = ("frequency", "norm")
    help = "keep frequent words, or those of largest norm and one of each sentence (%(default)s)"
    pruning.add_argument("--prune", choices=ways, default=ways[0], help=help)
    uses = "pruning by norm, a codebook for templates, and the background of the decision logistic"
    add(pruning, "--corpus", help=f"training texts (.txt, .jsonl, .gz), for {uses}")
    help = "leave out the n-grams; a text is then the sum of its known words alone"
    pruning.add_argument("--no-ngrams", action="store_true", help=help)
    codes = ("sub_dim", "codebook_size")
    add_settings(parser, QuantisationSettings, options=codes, title="quantisation")
    add_settings(parser, CombinationSettings, options=(), title="combination")
    add(parser, "--threads", help="CPU threads of NumPy's matrix products (%(default)s)")
    add_probe_arguments(parser)


def add_probe_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that :func:`read_probe` reads: on what quality is measured."""
    group = parser.add_argument_group("quality")
    help = 'scored pairs to measure on, lines of {"a", "b", "score"}'
    group.add_argument("--sts", type=input_file, help=help)
    help = "folders to measure on, each with train.jsonl and the split's file"
    group.add_argument("--intents", type=input_folder, nargs="+", default=[], help=help)
    help = f"with --intents: utterances to recognise ({Probe.split})"
    add(group, "--split", default=None, help=help)
    help = f"with --intents: templates per intent ({','.join(map(str, Probe.shots))})"
    group.add_argument("--shots", type=whole_numbers(1), metavar="N,…", help=help)
    add(group, "--runs", help=f"with --intents: random draws of templates ({Probe.runs})")


def read_probe(args: argparse.Namespace) -> Probe:
    """The probe from the options; options that have no effect are bad usage, status 2."""
    names = ("split", "shots", "runs")
    if not args.intents:
        refuse_options(args, names, "requires --intents")
    given = {name: value for name in names if (value := getattr(args, name)) is not None}
    return Probe(args.sts, tuple(args.intents), **given)


def run(args: argparse.Namespace) -> int:
    """Compress a model and print the report."""
    from threadpoolctl import threadpool_limits

    check_model_name(args)
    if args.prune == "norm" and (args.keep is None or args.corpus is None):
        args.parser.error("--prune norm requires --keep and --corpus")
    probe = read_probe(args)
    # The products are small: on a busy machine several threads wait for each other.
    with threadpool_limits(args.threads), Progress() as progress:
        report = (_combine if args.characters else _compress)(args, probe, progress.show)
    print_json({"out": str(args.out), **report})
    return 0


def _compress(args: argparse.Namespace, probe: Probe, progress: StageProgress) -> dict[str, Any]:
    """Prune and quantise a model; returns the report."""
    refuse_bot_files(args.model)
    original = load_word_model(args.model)
    settings = _quantisation(original, args)
    before = size_report(args.model)  # read now, since OUT may be the same file
    started = time.monotonic()
    pruned, small = compress_encoder(
        original,
        settings,
        keep=args.keep,
        prune=args.prune,
        ngrams=not args.no_ngrams,
        texts=None if args.corpus is None else CorpusTexts(args.corpus),
        seed=args.seed,
        report=print_note,
        progress=progress,
    )
    seconds = time.monotonic() - started
    if quality := _measure(probe, before=original, pruned=pruned, after=small):
        small.manifest["quality"] = quality["after"]
        change = quality_change(quality["after"], quality["pruned"])
        quality = {"quality": quality | {"lost_by_quantisation": change}}
    save_model(args.out, *small.to_model_file_parts())
    words = words_of(pruned).words
    float32_bytes = len(words) * words.dim * 4
    return {
        "words": {"before": len(words_of(original).vocabulary), "after": len(words)},
        "dim": small.dim,
        "codes_kept": settings is None,
        "settings": small.manifest["compression"],
        "seconds": round(seconds, 2),
        **compare_sizes(before, size_report(args.out), float32_bytes=float32_bytes),
        **quality,
    }


def _quantisation(encoder: ModelEncoder, args: argparse.Namespace) -> QuantisationSettings | None:
    """The settings of quantisation; None if the words of a quantised model keep their codes."""
    given = given_settings(args, QuantisationSettings)
    vectors = words_of(encoder).words
    if not isinstance(vectors, QuantizedMatrix):
        return QuantisationSettings(**given)
    if given:  # sub-vectors keep their length
        return QuantisationSettings(**{"sub_dim": vectors.quantizer.sub_dim, **given})
    has_float_network = quantise_network(encoder) is not encoder
    if args.keep is None and args.corpus is None and not args.no_ngrams and not has_float_network:
        raise PocketIntentError(
            f"{args.model} is already quantised, and no option changes it: give --keep or "
            "--no-ngrams to make it smaller, or --sub-dim and --codebook-size to quantise it again"
        )
    print_note("the model is already quantised; its codes are left unchanged")
    return None


def _measure(probe: Probe, **stages: ModelEncoder) -> dict[str, Any]:
    """The quality of each stage; empty without data to measure on."""
    if not probe:
        return {}
    print_note("measuring quality")
    return {name: measure_quality(encoder, probe) for name, encoder in stages.items()}


def _combine(args: argparse.Namespace, probe: Probe, progress: StageProgress) -> dict[str, Any]:
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
    combined = combine_encoders(
        words,
        characters,
        blend=settings.blend,
        attention=settings.make_attention(),
        keep=args.keep,
        sub_dim=codes.get("sub_dim"),
        codebook_size=codes.get("codebook_size"),
        seed=args.seed,
        progress=progress,
    )
    if args.corpus is not None:
        print_note("reading the background")
        combined = add_background(combined, read_texts(args.corpus), seed=args.seed)
    seconds = time.monotonic() - started
    quality = _measure(probe, quality=combined)
    combined.manifest |= quality
    save_model(args.out, *combined.to_model_file_parts())
    return {
        "words": len(combined.vocabulary),
        "dim": combined.dim,
        "settings": combined.manifest["combination"] | {"attention": combined.attention},
        "seconds": round(seconds, 2),
        "bytes": size_report(args.out),
        "bytes_before": {name: sizes["file"] for name, sizes in before.items()},
        **quality,
    }
