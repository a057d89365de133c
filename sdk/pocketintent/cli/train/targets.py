"""``pocketintent train targets``: the vectors that a sentence encoder gives to texts."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from pocketintent.cli.options.model import vectors_file
from pocketintent.cli.output import print_json, print_note

EXAMPLES = """\
examples:
  pocketintent train targets --teacher minilm/ --terms terms.tsv --texts chats.txt.gz \\
      --out targets.tsv
  pocketintent train targets --teacher model.onnx --words words.safetensors --limit 30000 \\
      --out targets.tsv

A teacher is a pocketintent model, an .onnx file with tokenizer.json beside it, or the folder of
one or of a Hugging Face transformer; nothing is downloaded. Texts are lines of corpora, terms,
and the words of a file of vectors; each is encoded once. With .tsv as the suffix of --out, texts
keep their spaces. A run that was stopped goes on from OUT.partial."""


def add_targets_parser(methods: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the method ``targets`` to ``train``."""
    parser = methods.add_parser(
        "targets",
        help="vectors that a sentence encoder gives to texts, to distil a small model from",
        description="Encode texts by a sentence encoder and write texts and vectors to a file.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    parser.add_argument(
        "--teacher", required=True, type=Path, metavar="PATH", help="sentence encoder"
    )
    parser.add_argument(
        "--texts", nargs="+", default=[], type=Path, metavar="FILE", help="corpora, text by text"
    )
    parser.add_argument("--terms", type=Path, metavar="FILE", help="terms of `train terms`")
    parser.add_argument(
        "--words",
        type=vectors_file,
        metavar="FILE",
        help="vectors whose words are texts: a file, or a shipped model of words such as default",
    )
    parser.add_argument("--limit", type=int, metavar="N", help="with --words: the first N")
    parser.add_argument("--out", required=True, type=Path, metavar="FILE", help="file to write")
    parser.add_argument(
        "--batch-size", type=int, default=64, metavar="N", help="texts at once (%(default)s)"
    )
    parser.add_argument(
        "--max-tokens", type=int, default=128, metavar="N", help="of a text (%(default)s)"
    )
    parser.add_argument("--device", default="cpu", help="of a transformer: cpu, cuda (%(default)s)")
    parser.add_argument(
        "--threads", type=int, default=1, metavar="N", help="of an ONNX graph (%(default)s)"
    )


def run(args: argparse.Namespace) -> int:
    """Encode the texts and print how many there were."""
    from pocketintent.runtime.errors import PocketIntentError
    from pocketintent.training.teachers.encode import encode_texts
    from pocketintent.training.teachers.loader import load_teacher
    from pocketintent.training.vectors.writing import write_vectors

    if not args.out.absolute().parent.is_dir():
        raise PocketIntentError(f"--out {args.out}: there is no folder {args.out.parent}")
    for name in ("threads", "max_tokens"):
        if getattr(args, name) < 1:
            raise PocketIntentError(f"--{name.replace('_', '-')} must be 1 or more")
    texts = _read(args)
    teacher = load_teacher(
        args.teacher, device=args.device, threads=args.threads, max_tokens=args.max_tokens
    )
    print_note(f"{len(texts)} texts")
    partial = Path(f"{args.out}.partial")
    vectors = encode_texts(teacher, texts, args.batch_size, cache=partial, progress=_progress())
    write_vectors(args.out, vectors)
    partial.unlink()
    print_json({"out": str(args.out), "texts": len(vectors), "dim": vectors.dim})
    return 0


def _read(args: argparse.Namespace) -> list[str]:
    """The texts, each once, in order."""
    from pocketintent.runtime.errors import PocketIntentError
    from pocketintent.training.corpora.reader import read_texts
    from pocketintent.training.terms.files import load_terms
    from pocketintent.training.vectors.reading import read_vectors

    texts: dict[str, None] = {}
    if args.words is not None:
        texts.update(dict.fromkeys(read_vectors(args.words, args.limit).terms))
    elif args.limit is not None:
        raise PocketIntentError("--limit goes with --words")
    texts.update(dict.fromkeys(" ".join(line.split()) for line in read_texts(args.texts)))
    if args.terms is not None:
        texts.update(dict.fromkeys(term.term for term in load_terms(args.terms)))
    if not texts:
        if args.texts:
            names = ", ".join(map(str, args.texts))
            raise PocketIntentError(f"{names}: no text in it; one a line is wanted")
        raise PocketIntentError("there are no texts; name files with --texts, --terms or --words")
    return list(texts)


def _progress() -> Callable[[int, int], None]:
    """Progress: one line that is rewritten on a terminal, else a line for each tenth."""
    shown = 0

    def show(done: int, total: int) -> None:
        nonlocal shown
        if sys.stderr.isatty():
            end = "\n" if done == total else ""
            print(f"\rtexts: {done}/{total}", end=end, file=sys.stderr, flush=True)
        elif done * 10 // total > shown:
            shown = done * 10 // total
            print_note(f"texts: {done}/{total}")

    return show
