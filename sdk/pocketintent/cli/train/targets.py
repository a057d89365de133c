r"""Encode texts with a sentence encoder and write the texts and their vectors to a file.

Examples:
  pocketintent train targets --teacher minilm/ --texts chats.txt.gz --out targets.bin
  pocketintent train targets --teacher minilm/ --texts chats.txt.gz --single-words 2 \
      --teacher-words --phrases 100000 --substitutions 100000 --topics 100000 --out targets.bin
  pocketintent train targets --teacher mpnet/ --components 256 --precision bfloat16 \
      --texts chats.txt.gz --out targets.bin
  pocketintent train targets --teacher model.onnx --words words.safetensors --out targets.tsv
  pocketintent train targets --teacher minilm/ --templates my_bot.json --out my_bot.bin

A teacher is a pocketintent model, an .onnx file with tokenizer.json beside it, the folder of
both, the folder of a Hugging Face transformer, or a .json or .toml file that describes a teacher
of the laboratory; nothing is downloaded. Each text is encoded once. With .tsv as the suffix of
--out, texts keep their spaces. An unfinished run continues from OUT.partial.
"""

from __future__ import annotations

import argparse

from pocketintent.cli.options.model import encoder_path, vectors_file
from pocketintent.cli.options.settings import add_settings, read_settings
from pocketintent.cli.options.shared import add, add_teacher_options, read_teacher
from pocketintent.cli.options.training import repeating_command
from pocketintent.cli.options.types import input_file
from pocketintent.cli.output import Progress, print_json, print_note
from pocketintent.training.teachers.settings import TargetSettings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``train targets``."""
    parser.set_defaults(after_interrupt=repeating_command)
    parser.add_argument("--teacher", required=True, type=encoder_path, help="the sentence encoder")
    add(parser, "--texts", help="corpora, each line of which is a text")
    help = "template files, whose texts and names of intents are texts (docs/contextual.md)"
    parser.add_argument("--templates", nargs="+", default=[], type=input_file, help=help)
    parser.add_argument("--terms", type=input_file, help="terms written by `train terms`")
    help = "vectors whose words are texts: a file, or a shipped model such as fast"
    parser.add_argument("--words", type=vectors_file, help=help)
    add(parser, "--out", help="file to write")
    options = ("single_words", "teacher_words", "phrases", "substitutions", "topics", "components")
    add_settings(parser, TargetSettings, options=options)
    add_teacher_options(parser)


def run(args: argparse.Namespace) -> int:
    """Encode the texts and print their number."""
    from pocketintent.training.corpora.reader import CorpusTexts
    from pocketintent.training.teachers.texts import make_targets

    settings = read_settings(args, TargetSettings)
    teacher = read_teacher(args.teacher, args, CorpusTexts(args.texts))
    sources = {name: getattr(args, name) for name in ("texts", "templates", "terms", "words")}
    with Progress() as progress:
        record = make_targets(
            teacher, args.out, settings, report=print_note, progress=progress.show, **sources
        )
    print_json({"out": str(args.out), **record})
    return 0
