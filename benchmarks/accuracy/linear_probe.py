"""The accuracy of logistic regression on sentence vectors alone, by the protocol of MTEB.

    python -m benchmarks.accuracy.linear_probe $DATA/intents/banking77 $DATA/intents/clinc150 \
        --model default fast tiny --teacher minilm/

Eight texts of each intent are drawn ten times; scikit-learn's logistic regression, with at most 100
iterations and its own settings otherwise, is fitted to their vectors and answers the ``test`` split
(Muennighoff et al. 2023, "MTEB: Massive Text Embedding Benchmark"). Names of intents, n-grams,
background and calibration have no part in it, so that vectors can be compared with published ones.
One JSON line for each data set and model.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from pocketintent.evaluation.intents.datasets import IntentData, draw_templates, load_intent_data
from pocketintent.evaluation.metrics import mean_and_std
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.errors import require
from pocketintent.training.loop.devices import prepare_torch
from pocketintent.training.teachers.loader import load_teacher

SHOTS, RUNS, ITERATIONS = 8, 10, 100


def main(argv: Sequence[str] | None = None) -> int:
    """Measure each model on each data set."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("intents", type=Path, nargs="+", metavar="DIR", help="data sets")
    parser.add_argument("--model", nargs="*", default=["default"], help="models (default)")
    parser.add_argument("--teacher", type=Path, nargs="*", default=[], metavar="DIR")
    parser.add_argument("--split", choices=("valid", "test"), default="test", help="%(default)s")
    args = parser.parse_args(argv)
    data = [load_intent_data(folder, args.split) for folder in args.intents]
    for name, encoder in _encoders(args.model, args.teacher):
        for own in data:
            accuracy = mean_and_std(accuracies(encoder, own))
            print(
                json.dumps({"dataset": own.name, "model": name, "accuracy": accuracy}), flush=True
            )
    return 0


def _encoders(models: Sequence[str], teachers: Sequence[Path]) -> Iterator[tuple[str, Encoder]]:
    for model in models:
        yield model, load_encoder(model)
    if teachers:
        prepare_torch("cpu", 1)
    for folder in teachers:
        yield str(folder), load_teacher(folder)


def accuracies(encoder: Encoder, data: IntentData) -> list[float]:
    """The accuracy of each draw."""
    regression = require("sklearn.linear_model", "evaluate").LogisticRegression
    train, queries = (encoder.encode_batch(texts) for texts in (data.train_texts, data.query_texts))
    found = []
    for run in range(RUNS):
        draw = draw_templates(data.train_labels, SHOTS, run=run)
        fitted = regression(max_iter=ITERATIONS).fit(train[draw.indices], draw.labels)
        found.append(float((fitted.predict(queries) == data.query_labels).mean()))
    return found


if __name__ == "__main__":
    raise SystemExit(main())
