r"""A sentence encoder on utterances with typing errors, beside a model whose words it corrects.

    python -m benchmarks.accuracy.typing_errors intents/clinc150 --teacher minilm/ \
        --corpus corpus/everyday.txt.gz --errors 0,2

Prints the report of `pocketintent evaluate typing-errors` for the decision `logistic`. The encoder
has the same classifier, with lines of the corpus as its background. It knows no words of its own,
and reads unknown ones as the model does.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from pocketintent import load_encoder
from pocketintent.cli.options.types import whole_number, whole_numbers
from pocketintent.compression.background import make_background
from pocketintent.evaluation.intents.datasets import load_intent_data
from pocketintent.evaluation.intents.draw_scorers import EmbeddedTexts
from pocketintent.evaluation.intents.robustness import evaluate_typing_errors
from pocketintent.training.corpora.reader import read_texts
from pocketintent.training.teachers.loader import load_teacher


def main(argv: Sequence[str] | None = None) -> int:
    """Measure the encoder and the model."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("directory", type=Path, help="folder of a data set of intents")
    parser.add_argument("--teacher", type=Path, required=True, help="the sentence encoder")
    parser.add_argument("--corpus", type=Path, required=True, nargs="+", help="for its background")
    parser.add_argument("--model", default="default", help="the model (%(default)s)")
    parser.add_argument("--errors", type=whole_numbers(0), default=(0, 2), metavar="N,…")
    parser.add_argument("--runs", type=whole_number(1), default=3, help="draws (%(default)s)")
    parser.add_argument("--shots", type=whole_number(1), default=10, help="templates (%(default)s)")
    args = parser.parse_args(argv)
    data = load_intent_data(args.directory, "test", learn_names=True)
    model = load_encoder(args.model)
    teacher = EmbeddedTexts(load_teacher(args.teacher))
    teacher.background = make_background(teacher, read_texts(args.corpus))
    teacher.known_words = model.known_words
    report = evaluate_typing_errors(
        {"model": model, "teacher": teacher},
        data,
        shots=args.shots,
        errors=args.errors,
        runs=args.runs,
        decisions=["logistic"],
    )
    print(json.dumps(report))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
