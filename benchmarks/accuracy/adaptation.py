"""What a model gains when it is adapted to a bot's own templates by a teacher.

    python -m benchmarks.accuracy.adaptation --teacher minilm/ --intents $DATA/intents
    python -m benchmarks.accuracy.adaptation --teacher minilm/ --bots tests/resources/small_bots

With ``--intents``, for each data set, number of templates an intent, and draw: the teacher encodes
the templates and the names of the intents, the model is adapted to them as by ``build --teacher``,
and both models are measured with the same templates on the same utterances by ``logistic``. Prints
a line of JSON for each data set and number of templates: the accuracy of both models, their
difference over the draws, and the seconds of the teacher and of the training. Twenty epochs of 400
texts take some ten seconds of a core. With ``--bots``, the model is adapted to each bot of a
folder, and one line has the figures of ``evaluate bots`` of both models.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.timing import processor
from pocketintent.bot.adapt import (
    ADAPTATION,
    adapt_encoder,
    adaptation_texts,
    check_adaptable,
)
from pocketintent.evaluation.bots.answers import answer_bot, read_bots, summarise_answers
from pocketintent.evaluation.intents.datasets import (
    Draw,
    IntentData,
    draw_templates,
    load_intent_data,
)
from pocketintent.evaluation.intents.systems import EncoderSystem
from pocketintent.evaluation.metrics import mean_and_std
from pocketintent.runtime.encoders.contract import Encoder, ModelEncoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.templates.template_set import text_of_name
from pocketintent.settings import Settings
from pocketintent.training.loop.devices import prepare_torch
from pocketintent.training.teachers.encode import encode_texts
from pocketintent.training.teachers.loader import load_teacher

DATA_SETS = ("clinc150", "banking77", "snips")


def main(argv: Sequence[str] | None = None) -> int:
    """Measure each data set and number of templates."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--teacher", type=Path, required=True, metavar="DIR")
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--intents", type=Path, metavar="DIR", help="folder of data sets")
    source.add_argument("--bots", type=Path, metavar="DIR", help="folder of written bots")
    parser.add_argument("--sets", nargs="+", default=DATA_SETS, metavar="NAME")
    parser.add_argument("--model", default="default", help="%(default)s")
    parser.add_argument("--split", choices=("valid", "test"), default="test", help="%(default)s")
    parser.add_argument("--shots", type=int, nargs="+", default=[5, 10], metavar="N")
    parser.add_argument("--runs", type=int, default=3, help="draws (%(default)s)")
    parser.add_argument(
        "--no-names", dest="learn_names", action="store_false", help="without the intents' names"
    )
    for name, kind in (("--epochs", int), ("--batch-words", int), ("--learning-rate", float)):
        parser.add_argument(name, type=kind, metavar="N", help="that of build --teacher")
    args = parser.parse_args(argv)
    prepare_torch("cpu", 1)
    teacher, encoder = load_teacher(args.teacher), check_adaptable(load_encoder(args.model))
    changes = {name: getattr(args, name) for name in ("epochs", "batch_words", "learning_rate")}
    given = {name: value for name, value in changes.items() if value is not None}
    settings: Settings = replace(ADAPTATION[encoder.kind][1], **given)  # type: ignore[type-var]
    if args.bots is not None:
        record = _measure_bots(encoder, teacher, args.bots, settings, args.learn_names)
        print(json.dumps({"model": args.model, **record, "processor": processor()}), flush=True)
        return 0
    for name in args.sets:
        data = load_intent_data(args.intents / name, args.split, learn_names=args.learn_names)
        for shots in args.shots:
            runs = []
            for run in range(args.runs):
                draw = draw_templates(data.train_labels, shots, run=run)
                runs.append(_measure(encoder, teacher, data, draw, settings))
            record = {key: mean_and_std([run[key] for run in runs]) for key in runs[0]}
            heading = {"dataset": name, "split": args.split, "shots": shots, "model": args.model}
            print(json.dumps({**heading, **record, "processor": processor()}), flush=True)
    return 0


def _measure_bots(
    encoder: ModelEncoder,
    teacher: Encoder,
    folder: Path,
    settings: Settings,
    learn_names: bool,
) -> dict[str, Any]:
    """The figures of a folder's bots before and after adaptation to each."""
    before, after = [], []
    for bot, templates in read_bots(folder):
        templates.learn_names = learn_names
        vectors = encode_texts(teacher, adaptation_texts(templates.all_texts()))
        before.append(answer_bot(encoder, bot, templates))
        after.append(answer_bot(adapt_encoder(encoder, vectors, settings), bot, templates))
    return {"before": summarise_answers(before), "after": summarise_answers(after)}


def _measure(
    encoder: ModelEncoder,
    teacher: Encoder,
    data: IntentData,
    draw: Draw,
    settings: Settings,
) -> dict[str, float]:
    """The accuracies before and after adaptation to a draw, and the seconds that it took."""
    start = time.perf_counter()
    names = map(text_of_name, data.intents) if data.learn_names else ()
    texts = adaptation_texts([*(data.train_texts[index] for index in draw.indices), *names])
    vectors = encode_texts(teacher, texts)
    encoded = time.perf_counter()
    adapted = adapt_encoder(encoder, vectors, settings)
    trained = time.perf_counter()
    before, after = (_accuracy(model, data, draw) for model in (encoder, adapted))
    return {
        "before": before,
        "after": after,
        "gain": after - before,
        "seconds_of_teacher": encoded - start,
        "seconds_of_training": trained - encoded,
    }


def _accuracy(encoder: Encoder, data: IntentData, draw: Draw) -> float:
    system = EncoderSystem(encoder, ("logistic",))
    labels = system.prepare(data)(draw)["logistic"].labels
    return float((labels == data.query_labels).mean())


if __name__ == "__main__":
    raise SystemExit(main())
