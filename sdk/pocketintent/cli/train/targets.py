"""``pocketintent train targets``: vectors of texts by a sentence encoder."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from pocketintent.cli.options.files import input_file, output_file
from pocketintent.cli.options.model import encoder_path, vectors_file
from pocketintent.cli.options.numbers import SEED, whole_number
from pocketintent.cli.options.teacher import add_teacher_options, read_teachers
from pocketintent.cli.options.training import repeating_command
from pocketintent.cli.output import print_json, print_note
from pocketintent.cli.progress import Progress
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError

_TOPIC_WORD_COUNT = 3
"""Least number of occurrences of a word of the texts that may belong to a topic."""

EXAMPLES = """\
examples:
  pocketintent train targets --teacher minilm/ --terms terms.tsv --texts chats.txt.gz \\
      --out targets.tsv
  pocketintent train targets --teacher minilm/ --texts chats.txt.gz --single-words 2 \\
      --teacher-words --phrases 100000 --substitutions 100000 --topics 100000 --out targets.bin
  pocketintent train targets --teacher mpnet/ --join minilm/ --components 256 \\
      --precision bfloat16 --texts chats.txt.gz --out targets.bin
  pocketintent train targets --teacher model.onnx --words words.safetensors --limit 30000 \\
      --out targets.tsv
  pocketintent train targets --teacher minilm/ --templates my_bot.json --out my_bot.bin
  pocketintent train targets --teacher bert/ --embedding neural --texts chats.txt.gz \\
      --out targets.bin

A teacher is a pocketintent model, an .onnx file with tokenizer.json beside it, the folder of
both, the folder of a Hugging Face transformer, or the .json file of a multi-resolution ensemble
(docs/multiresolution.md), whose IDF is that of --texts; nothing is downloaded. --embedding makes
neural embeddings by a masked language model (docs/neural.md). Texts are lines of
corpora, what is made from them, terms, and the words of a file of vectors; each is encoded once.
With .tsv as the suffix
of --out, texts keep their spaces. An unfinished run continues from OUT.partial."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``train targets``."""
    parser.description = (
        "Encode texts with a sentence encoder and write the texts and their vectors to a file."
    )
    parser.epilog = EXAMPLES
    parser.set_defaults(run=run, after_interrupt=repeating_command)
    parser.add_argument(
        "--teacher", required=True, type=encoder_path, metavar="PATH", help="the sentence encoder"
    )
    parser.add_argument(
        "--texts",
        nargs="+",
        default=[],
        type=input_file,
        metavar="FILE",
        help="corpora, each line of which is a text",
    )
    parser.add_argument(
        "--templates",
        nargs="+",
        default=[],
        type=input_file,
        metavar="FILE",
        help="template files, whose texts and names of intents are texts (docs/contextual.md)",
    )
    parser.add_argument(
        "--terms", type=input_file, metavar="FILE", help="terms written by `train terms`"
    )
    parser.add_argument(
        "--words",
        type=vectors_file,
        metavar="FILE",
        help="vectors whose words are texts: a file, or a shipped model such as default",
    )
    parser.add_argument(
        "--limit", type=whole_number(1), metavar="N", help="with --words: the first N words"
    )
    group = parser.add_argument_group("texts made from --texts (docs/contextual.md)")
    group.add_argument(
        "--single-words",
        type=whole_number(1),
        metavar="N",
        help="each word that occurs at least N times",
    )
    group.add_argument(
        "--teacher-words",
        action="store_true",
        help="each whole word of the teacher's vocabulary",
    )
    group.add_argument(
        "--phrases",
        type=whole_number(0),
        default=0,
        metavar="N",
        help="N phrases of 2 to 8 words (%(default)s)",
    )
    group.add_argument(
        "--substitutions",
        type=whole_number(0),
        default=0,
        metavar="N",
        help="N texts, in each of which one or two words are replaced by others (%(default)s)",
    )
    group.add_argument(
        "--topics",
        type=whole_number(0),
        default=0,
        metavar="N",
        help="N texts, in each of which the rarer words are replaced by words of one topic, by the "
        "teacher's vectors (%(default)s)",
    )
    group.add_argument(
        "--seed", type=SEED, default=0, metavar="N", help="seed of these draws (%(default)s)"
    )
    parser.add_argument(
        "--out", required=True, type=output_file, metavar="FILE", help="file to write"
    )
    parser.add_argument(
        "--components",
        type=whole_number(1),
        metavar="N",
        help="write N principal components of the vectors less their mean, for a smaller file; a "
        "model of dimension N or less is trained on them as on the vectors",
    )
    parser.add_argument(
        "--batch-size",
        type=whole_number(1),
        default=64,
        metavar="N",
        help="texts of a batch (%(default)s)",
    )
    add_teacher_options(parser)


def run(args: argparse.Namespace) -> int:
    """Encode the texts and print their number."""
    from pocketintent.training.corpora.reader import CorpusTexts
    from pocketintent.training.teachers.encode import encode_texts
    from pocketintent.training.teachers.targets import principal_components
    from pocketintent.training.vectors.writing import write_vectors

    teacher = read_teachers(args, CorpusTexts(args.texts))[0][1]
    if args.components is not None and args.components > teacher.dim:
        raise PocketIntentError(
            f"--components {args.components} is more than the {teacher.dim} dimensions of the "
            "teacher's vectors"
        )
    texts = _read_texts(args, teacher)
    print_note(f"{len(texts)} texts")
    partial_file = Path(f"{args.out}.partial")
    with Progress() as progress:
        vectors = encode_texts(
            teacher,
            texts,
            args.batch_size,
            cache=partial_file,
            progress=partial(progress.show, "texts"),
        )
    if args.components is not None:
        vectors = principal_components(vectors, args.components)
    write_vectors(args.out, vectors)
    partial_file.unlink()
    print_json({"out": str(args.out), "texts": len(vectors), "dim": vectors.dim})
    return 0


def _read_texts(args: argparse.Namespace, teacher: Encoder) -> list[str]:
    """The distinct texts, in order."""
    from pocketintent.runtime.templates.files import load_templates
    from pocketintent.training.corpora.reader import read_texts
    from pocketintent.training.corpora.terms import load_terms
    from pocketintent.training.vectors.reading import read_vectors
    from pocketintent.training.vectors.writing import written_terms

    texts: dict[str, None] = {}
    if args.words is not None:
        texts.update(dict.fromkeys(read_vectors(args.words, args.limit).terms))
    elif args.limit is not None:
        raise PocketIntentError("--limit requires --words")
    lines = list(dict.fromkeys(" ".join(line.split()) for line in read_texts(args.texts)))
    texts.update(dict.fromkeys(_make_texts(args, lines, teacher)))
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


def _make_texts(args: argparse.Namespace, lines: list[str], teacher: Encoder) -> list[str]:
    """The words, phrases and substitutions that the options ask for."""
    from pocketintent.training.teachers.loader import teacher_words
    from pocketintent.training.teachers.variants import (
        frequent_words,
        make_phrases,
        substitute_words,
    )

    if not lines and any((args.single_words, args.phrases, args.substitutions, args.topics)):
        raise PocketIntentError(
            "--single-words, --phrases, --substitutions and --topics require --texts"
        )
    own_words = teacher_words(teacher) if args.teacher_words else []
    made = frequent_words(lines, args.single_words) if args.single_words else []
    if args.single_words and not made:
        raise PocketIntentError(
            f"no word occurs {args.single_words} times in --texts; give --single-words a smaller "
            "number, or more texts"
        )
    phrases = make_phrases(lines, args.phrases, args.seed)
    substitutions = substitute_words(lines, own_words, args.substitutions, args.seed)
    topics = _change_topics(args, lines, own_words, teacher) if args.topics else []
    for name, number, texts in (
        ("phrases", args.phrases, phrases),
        ("substitutions", args.substitutions, substitutions),
        ("texts on other topics", args.topics, topics),
    ):
        if len(texts) < number:
            print_note(f"the texts give no more than {len(texts)} {name}")
    return [*made, *own_words, *phrases, *substitutions, *topics]


def _change_topics(
    args: argparse.Namespace, lines: list[str], own_words: list[str], teacher: Encoder
) -> list[str]:
    """The texts of ``--topics``, whose words are those of the texts and the teacher's."""
    from pocketintent.training.teachers.encode import encode_texts
    from pocketintent.training.teachers.topics import substitute_topics
    from pocketintent.training.teachers.variants import frequent_words

    words = list(dict.fromkeys([*frequent_words(lines, _TOPIC_WORD_COUNT), *own_words]))
    if not words:
        return []
    with Progress() as progress:
        vectors = encode_texts(
            teacher, words, args.batch_size, progress=partial(progress.show, "topic words")
        ).vectors
        return substitute_topics(
            lines,
            words,
            vectors,
            args.topics,
            args.seed,
            partial(progress.show, "texts on other topics"),
        )
