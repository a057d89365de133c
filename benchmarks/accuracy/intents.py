"""Few-shot accuracy of pocketintent, TF-IDF, Model2Vec and MiniLM, on the same draws.

    python -m benchmarks.accuracy.intents --data ../shared/data
    python -m benchmarks.accuracy.intents --data ../shared/data --split valid --shots 5,10 --runs 3

Prints one JSON line for each data set, and a table on stderr. The decision logistic of MiniLM and
Model2Vec has a background of the same corpora as the models that ship. Embeddings of MiniLM (full
precision) and Model2Vec are kept in the cache folder: they take minutes on one core.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.systems.contract import DEFAULT_CACHE
from benchmarks.systems.minilm import MINILM_DIM, MiniLMEncoder, build_minilm
from benchmarks.systems.model2vec import MODEL2VEC_DIM, Model2VecEncoder, build_model2vec
from pocketintent.cli.options.shared import add
from pocketintent.cli.options.types import whole_numbers
from pocketintent.compression.background import make_background
from pocketintent.evaluation.intents.baselines import make_baseline
from pocketintent.evaluation.intents.curves import learning_curves
from pocketintent.evaluation.intents.datasets import load_intent_data
from pocketintent.evaluation.intents.line_plot import plot_curves
from pocketintent.evaluation.intents.systems import EncoderSystem, System
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.background import Background
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.corpora.reader import read_texts

SYSTEMS = ("pocketintent", "tfidf", "tfidf-chars", "model2vec", "minilm")
CORPORA = ("multidogo", "queries", "sgd", "taskmaster", "topical_chat")
"""The corpora of the models that ship, in ``corpus/`` of the data folder."""


class CachedEncoder:
    """An encoder that keeps the embeddings of a list of texts on disk.

    Args:
        name: First part of its files' names.
        dim: Size of the vectors.
        cache: The folder.
        open_encoder: Opens the encoder; called when texts are new.
    """

    template_quantizer = None
    known_words = None

    def __init__(
        self, name: str, dim: int, cache: Path, open_encoder: Callable[[], Encoder]
    ) -> None:
        self._name = name
        self.dim = dim
        self._cache = cache
        self._open = open_encoder
        self._encoder: Encoder | None = None
        self.background: Background | None = None

    def encode(self, text: str) -> FloatArray:
        """The embedding of one text, which is not cached."""
        return self._opened().encode(text)

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The embeddings of several texts, from disk where the same texts were embedded before."""
        digest = hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]
        path = self._cache / f"{self._name}-{digest}.npy"
        if not path.exists():
            print(f"{self._name}: embedding {len(texts)} texts", file=sys.stderr, flush=True)
            vectors = self._opened().encode_batch(texts)
            temporary = path.with_suffix(".partial.npy")
            np.save(temporary, vectors)
            temporary.replace(path)
        loaded: FloatArray = np.load(path)
        return loaded

    def _opened(self) -> Encoder:
        if self._encoder is None:
            self._encoder = self._open()
        return self._encoder


def open_model2vec(cache: Path) -> Encoder:
    """Model2Vec, distilled unless the cache has it."""
    build_model2vec(cache)
    return Model2VecEncoder(cache)


def open_minilm(cache: Path) -> Encoder:
    """MiniLM in full precision, exported unless the cache has it."""
    build_minilm(cache)
    return MiniLMEncoder(cache, "minilm.onnx")


EMBEDDED: dict[str, tuple[int, Callable[[Path], Encoder]]] = {
    "model2vec": (MODEL2VEC_DIM, open_model2vec),
    "minilm": (MINILM_DIM, open_minilm),
}
"""Dimensions of the encoders whose embeddings are cached, and how to open them."""


def make_system(name: str, args: argparse.Namespace) -> System:
    """The system of a name in ``SYSTEMS``."""
    if name == "pocketintent":
        return EncoderSystem(load_encoder(args.model))
    if name.startswith("tfidf"):
        return make_baseline(name)
    if name not in EMBEDDED:
        raise PocketIntentError(f"unknown system {name!r}; the systems are {', '.join(SYSTEMS)}")
    dim, open_encoder = EMBEDDED[name]
    encoder = CachedEncoder(name, dim, args.cache, partial(open_encoder, args.cache))
    encoder.background = make_background(encoder, read_texts(args.corpus or corpus_files(args)))
    return EncoderSystem(encoder)


def corpus_files(args: argparse.Namespace) -> list[Path]:
    """The files of the corpora that the models that ship are trained on."""
    return [args.data / "corpus" / f"{name}.txt.gz" for name in CORPORA]


def print_table(report: dict[str, Any], shots: Sequence[int]) -> None:
    """Mean accuracy of each system and decision, on stderr."""
    print(f"\n{report['dataset']}, {report['split']}: accuracy at", file=sys.stderr)
    print(f"{'':36}" + "".join(f"{number:>8}" for number in shots), file=sys.stderr)
    lines: dict[str, dict[int, float]] = {}
    for row in report["results"]:
        line = lines.setdefault(f"{row['system']} ({row['decision']})", {})
        line[row["shots"]] = row["accuracy"]["mean"]
    for name, line in lines.items():
        cells = "".join(f"{line[number]:8.3f}" for number in shots)
        print(f"{name:36}{cells}", file=sys.stderr)


def main() -> None:
    """Measure all systems on all data sets."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="has intents/")
    parser.add_argument("--sets", default="clinc150,banking77,snips", metavar="NAME,…")
    parser.add_argument("--systems", default=",".join(SYSTEMS), metavar="NAME,…")
    parser.add_argument("--model", type=Path, metavar="FILE", help="our model (the package's own)")
    parser.add_argument("--split", choices=("test", "valid"), default="test")
    parser.add_argument("--shots", type=whole_numbers(1), default="5,10,20,30,40,50", metavar="N,…")
    parser.add_argument("--runs", type=int, default=10, metavar="N")
    add(parser, "--no-names")
    parser.add_argument("--plot", type=Path, metavar="FILE.png")
    parser.add_argument(
        "--corpus",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="texts of the background of MiniLM and Model2Vec (those of the models that ship)",
    )
    parser.add_argument(
        "--cache", type=Path, default=DEFAULT_CACHE, metavar="DIR", help="default: %(default)s"
    )
    args = parser.parse_args()
    args.cache.mkdir(parents=True, exist_ok=True)
    systems = {name: partial(make_system, name, args) for name in args.systems.split(",")}
    reports = []
    try:
        for name in args.sets.split(","):
            folder = args.data / "intents" / name
            data = load_intent_data(folder, args.split, learn_names=args.learn_names)
            report = learning_curves(systems, data, shots=args.shots, runs=args.runs)
            print(json.dumps(report), flush=True)
            print_table(report, args.shots)
            reports.append(report)
    except PocketIntentError as error:
        sys.exit(f"accuracy: {error}")
    if args.plot is not None:
        plot_curves(reports, args.plot)


if __name__ == "__main__":
    main()
