"""``pocketintent train targets``: vectors of texts by a sentence encoder."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from pocketintent.cli.options.files import input_file
from pocketintent.cli.options.model import encoder_path, vectors_file
from pocketintent.cli.options.settings import add_settings, read_settings
from pocketintent.cli.options.shared import add
from pocketintent.cli.options.teacher import add_teacher_options, read_teacher
from pocketintent.cli.options.training import repeating_command
from pocketintent.cli.output import Progress, print_json, print_note
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.teachers.settings import TargetSettings

OPTIONS = ("single_words", "teacher_words", "phrases", "substitutions", "topics", "components")

_TOPIC_WORD_COUNT = 3
"""Least number of occurrences of a word of the texts that may belong to a topic."""

EXAMPLES = """\
examples:
  pocketintent train targets --teacher minilm/ --terms terms.tsv --texts chats.txt.gz \\
      --out targets.tsv
  pocketintent train targets --teacher minilm/ --texts chats.txt.gz --single-words 2 \\
      --teacher-words --phrases 100000 --substitutions 100000 --topics 100000 --out targets.bin
  pocketintent train targets --teacher mpnet/ --components 256 --precision bfloat16 \\
      --texts chats.txt.gz --out targets.bin
  pocketintent train targets --teacher model.onnx --words words.safetensors \\
      --out targets.tsv
  pocketintent train targets --teacher minilm/ --templates my_bot.json --out my_bot.bin

A teacher is a pocketintent model, an .onnx file with tokenizer.json beside it, the folder of
both, the folder of a Hugging Face transformer, or a .json or .toml file that describes a teacher
of the laboratory; nothing is downloaded. Texts are lines of corpora, what is made from them, terms,
and the words of a file of vectors; each is encoded once. With .tsv as the suffix of --out, texts
keep their spaces. An unfinished run continues from OUT.partial."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``train targets``."""
    parser.description = (
        "Encode texts with a sentence encoder and write the texts and their vectors to a file."
    )
    parser.epilog = EXAMPLES
    parser.set_defaults(run=run, after_interrupt=repeating_command)
    parser.add_argument("--teacher", required=True, type=encoder_path, help="the sentence encoder")
    add(parser, "--texts", help="corpora, each line of which is a text")
    parser.add_argument(
        "--templates",
        nargs="+",
        default=[],
        type=input_file,
        help="template files, whose texts and names of intents are texts (docs/contextual.md)",
    )
    parser.add_argument("--terms", type=input_file, help="terms written by `train terms`")
    parser.add_argument(
        "--words",
        type=vectors_file,
        help="vectors whose words are texts: a file, or a shipped model such as default",
    )
    add(parser, "--out", help="file to write")
    add_settings(parser, TargetSettings, options=OPTIONS)
    add_teacher_options(parser)


def run(args: argparse.Namespace) -> int:
    """Encode the texts and print their number."""
    from pocketintent.training.corpora.reader import CorpusTexts
    from pocketintent.training.teachers.encode import encode_texts
    from pocketintent.training.teachers.targets import principal_components
    from pocketintent.training.vectors.writing import write_vectors

    settings = read_settings(args, TargetSettings)
    settings.check()
    teacher = read_teacher(args.teacher, args, CorpusTexts(args.texts))
    if settings.components is not None and settings.components > teacher.dim:
        raise PocketIntentError(
            f"--components {settings.components} is more than the {teacher.dim} dimensions of the "
            "teacher's vectors"
        )
    texts = _read_texts(args, settings, teacher)
    print_note(f"{len(texts)} texts")
    partial_file = Path(f"{args.out}.partial")
    with Progress() as progress:
        vectors = encode_texts(
            teacher,
            texts,
            settings.batch_size,
            cache=partial_file,
            progress=partial(progress.show, "texts"),
        )
    if settings.components is not None:
        vectors = principal_components(vectors, settings.components)
    write_vectors(args.out, vectors)
    partial_file.unlink()
    print_json({"out": str(args.out), "texts": len(vectors), "dim": vectors.dim})
    return 0


def _read_texts(args: argparse.Namespace, settings: TargetSettings, teacher: Encoder) -> list[str]:
    """The distinct texts, in order."""
    from pocketintent.runtime.templates.files import load_templates
    from pocketintent.training.corpora.reader import read_texts
    from pocketintent.training.corpora.terms import load_terms
    from pocketintent.training.vectors.reading import read_vectors
    from pocketintent.training.vectors.writing import written_terms

    texts: dict[str, None] = {}
    if args.words is not None:
        texts.update(dict.fromkeys(read_vectors(args.words, settings.limit).terms))
    elif settings.limit is not None:
        raise PocketIntentError("the setting limit requires --words")
    lines = list(dict.fromkeys(" ".join(line.split()) for line in read_texts(args.texts)))
    texts.update(dict.fromkeys(_make_texts(settings, lines, teacher)))
    texts.update(dict.fromkeys(lines))
    for path in args.templates:
        texts.update(dict.fromkeys(load_templates(path).all_texts()))
    if args.terms is not None:
        texts.update(dict.fromkeys(term.term for term in load_terms(args.terms)))
    if not texts:
        if args.texts:
            names = ", ".join(map(str, args.texts))
            raise PocketIntentError(f"{names}: no text in it; write one text on each line")
        raise PocketIntentError(
            "there are no texts; name files with --texts, --templates, --terms or --words"
        )
    # In most formats "fire alarm" and "fire_alarm" are one term.
    distinct: dict[str, str] = {}
    for term, text in zip(written_terms(args.out, list(texts)), texts, strict=True):
        distinct.setdefault(term, text)
    return list(distinct.values())


def _make_texts(settings: TargetSettings, lines: list[str], teacher: Encoder) -> list[str]:
    """The words, phrases and substitutions that the settings ask for."""
    from pocketintent.training.teachers.loader import teacher_words
    from pocketintent.training.teachers.variants import (
        frequent_words,
        make_phrases,
        substitute_words,
    )

    least, seed = settings.single_words, settings.seed
    if not lines and any((least, settings.phrases, settings.substitutions, settings.topics)):
        raise PocketIntentError(
            "--single-words, --phrases, --substitutions and --topics require --texts"
        )
    own_words = teacher_words(teacher) if settings.teacher_words else []
    made = frequent_words(lines, least) if least else []
    if least and not made:
        raise PocketIntentError(
            f"no word occurs {least} times in --texts; give --single-words a smaller number, or "
            "more texts"
        )
    phrases = make_phrases(lines, settings.phrases, seed)
    substitutions = substitute_words(lines, own_words, settings.substitutions, seed)
    topics = _change_topics(settings, lines, own_words, teacher) if settings.topics else []
    for name, number, texts in (
        ("phrases", settings.phrases, phrases),
        ("substitutions", settings.substitutions, substitutions),
        ("texts on other topics", settings.topics, topics),
    ):
        if len(texts) < number:
            print_note(f"the texts give no more than {len(texts)} {name}")
    return [*made, *own_words, *phrases, *substitutions, *topics]


def _change_topics(
    settings: TargetSettings, lines: list[str], own_words: list[str], teacher: Encoder
) -> list[str]:
    """The texts on other topics, whose words are those of the texts and the teacher's."""
    from pocketintent.training.teachers.encode import encode_texts
    from pocketintent.training.teachers.topics import substitute_topics
    from pocketintent.training.teachers.variants import frequent_words

    words = list(dict.fromkeys([*frequent_words(lines, _TOPIC_WORD_COUNT), *own_words]))
    if not words:
        return []
    with Progress() as progress:
        vectors = encode_texts(
            teacher, words, settings.batch_size, progress=partial(progress.show, "topic words")
        ).vectors
        show = partial(progress.show, "texts on other topics")
        return substitute_topics(lines, words, vectors, settings.topics, settings.seed, show)
