"""Export a model and templates as graphs that an app embeds without Python.

Prints a report as JSON. Needs the extra 'export'.

Examples:
  pocketintent export --templates smart_home --format onnx --out smart_home_onnx
  pocketintent export --model my.safetensors --templates my_bot.json --format tflite --out app/nlu

The folder has all that an app in another language needs, and 500 conformance utterances with what
it must compute: docs/exported-folder.md. The graphs are run on these utterances before the folder
appears: if a vector differs from the runtime's by more than 0.0001, or one intent differs, nothing
is written and the status is 1.
"""

from __future__ import annotations

import argparse

from pocketintent.cli.options.shared import RECOGNITION, add
from pocketintent.cli.options.types import output_folder, whole_number
from pocketintent.cli.output import print_json, print_note
from pocketintent.runtime.text.tokenizer import MAX_CHARS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``export``."""
    add(parser, "--templates", required=True)
    parser.add_argument("--format", required=True, choices=("onnx", "tflite"))
    add(parser, "--out", type=output_folder, help="folder to write")
    add(parser, "--model", *RECOGNITION)
    parser.add_argument(
        "--scoring",
        choices=("decoded", "table"),
        default="decoded",
        help="multiply by the decoded templates, which is faster, or add up look-ups in a table; "
        "the scores are the same (%(default)s)",
    )
    parser.add_argument(
        "--max-length",
        type=whole_number(1, MAX_CHARS),
        help="slots of a TFLite graph; a known word fills one, an unknown word one for each n-gram "
        "(128)",
    )
    parser.add_argument(
        "--max-chars",
        type=whole_number(1, MAX_CHARS),
        help="characters that a TFLite graph of a character network reads, at most the model's "
        "limit: of a word (32) or, if it reads whole texts, of a text (128)",
    )
    add(parser, "--seed", help="seed of the conformance utterances (%(default)s)")


def run(args: argparse.Namespace) -> int:
    """Export, and print the report."""
    from pocketintent_export import export_folder

    if args.format == "onnx" and (args.max_length is not None or args.max_chars is not None):
        args.parser.error("--max-length and --max-chars require --format tflite")
    report = export_folder(
        args.out,
        args.templates,
        args.model,
        file_format=args.format,
        decision=args.decision,
        correct=args.correct,
        scoring=args.scoring,
        max_length=args.max_length,
        max_chars=args.max_chars,
        seed=args.seed,
        progress=print_note,
    )
    if report["left_out"]:
        print_note(f"{len(report['left_out'])} templates have no word that the model knows")
    print_json(report)
    return 0
