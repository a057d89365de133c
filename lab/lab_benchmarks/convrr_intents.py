r"""What an adapter, trained on the templates of each draw, gives to few-shot intents.

    python -m lab_benchmarks.convrr_intents --intents $DATA/intents \
        --corpus $DATA/corpus/multidogo.txt.gz --split valid --shots 10 --kernels 64 --epochs 20

Each draw trains an adapter from scratch and is measured with it and without it, on the same
templates and with the same background lines. Prints a JSON line for each data set and number of
templates.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch

from pocketintent.cli.options.settings import add_settings, read_settings
from pocketintent.cli.options.types import whole_numbers
from pocketintent.compression.background import LEAST_WORDS, MOST_WORDS, fit_background
from pocketintent.compression.quantise import sample_texts
from pocketintent.evaluation.intents.datasets import Draw, IntentData, load_intent_data
from pocketintent.evaluation.intents.draw_scorers import DrawScorers, EmbeddedTexts
from pocketintent.evaluation.intents.few_shot import describe, evaluate_system
from pocketintent.evaluation.intents.systems import Predict, Prediction
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.background import Background
from pocketintent.runtime.decision.registry import Decision
from pocketintent.runtime.encoders.contract import Encoder, ModelEncoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.sequence import MAX_TOKENS
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.training.corpora.reader import read_texts
from pocketintent_lab.encoders.tokens import embed_tokens
from pocketintent_lab.evaluation.retrieval.embeddings import train_network
from pocketintent_lab.training.convrr.data import GroupedTexts, group_texts
from pocketintent_lab.training.convrr.objective import ConvrrTraining
from pocketintent_lab.training.convrr.settings import ConvrrSettings

DECISIONS: tuple[Decision, ...] = ("nearest", "logistic")
NUM_LINES = 500


class ReadTexts:
    """The vectors of texts and of their words by an encoder, which reads each text once.

    Args:
        inner: The encoder.
    """

    def __init__(self, inner: ModelEncoder) -> None:
        self.inner = inner
        self._rows: dict[str, tuple[FloatArray, FloatArray]] = {}

    def bases(self, texts: Sequence[str]) -> FloatArray:
        """The vectors of texts, float32 [num_texts, dim]."""
        self._read(texts)
        return np.stack([self._rows[text][0] for text in texts])

    def grouped(self, texts: Sequence[str], groups: Sequence[int]) -> GroupedTexts:
        """The texts as an adapter reads them; see :func:`group_texts`."""
        self._read(texts)
        rows = [self._rows[text] for text in texts]
        return group_texts([words for _, words in rows], groups, bases=[base for base, _ in rows])

    def _read(self, texts: Sequence[str]) -> None:
        others = [text for text in dict.fromkeys(texts) if text not in self._rows]
        for text, base in zip(others, self.inner.encode_batch(others), strict=True):
            words = embed_tokens(self.inner, self.inner.tokenize(text))
            self._rows[text] = base, words[:MAX_TOKENS]


class AdaptedEncoder:
    """An encoder whose vectors a network in torch moves, with the background moved alike.

    Args:
        read: The texts by the encoder.
        lines: The lines of the background.
        background: The background of the encoder, whose n-grams are those of the lines.
        task: The trained network; None to leave the vectors as they are.
    """

    template_quantizer = None

    def __init__(
        self,
        read: ReadTexts,
        lines: Sequence[str],
        background: Background,
        task: ConvrrTraining | None,
    ) -> None:
        self.dim, self.known_words = read.inner.dim, read.inner.known_words
        self._read, self._task = read, task
        vectors = DenseMatrix(self.encode_batch(lines))
        self.background: Background | None = Background(vectors, background.ngrams, background.idf)

    def encode(self, text: str) -> FloatArray:
        """The vector of a text, float32 [dim]."""
        vector: FloatArray = self.encode_batch([text])[0]
        return vector

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        """The vectors of texts, float32 [num_texts, dim]; zeros if no word is known."""
        vectors = self._read.bases(texts)
        known = np.flatnonzero(vectors.any(axis=1))
        if self._task is not None and len(known):
            grouped = self._read.grouped([texts[number] for number in known], [0] * len(known))
            vectors[known] = self._task.encode(grouped)
        return vectors


class AdaptedSystem:
    """The decisions on an encoder with an adapter that each draw trains.

    Args:
        read: The texts by the encoder.
        lines: The lines of the background.
        background: See :class:`AdaptedEncoder`.
        settings: Settings of the adapter; None for none.
    """

    def __init__(
        self,
        read: ReadTexts,
        lines: Sequence[str],
        background: Background,
        settings: ConvrrSettings | None,
    ) -> None:
        self._read, self._lines, self._background = read, lines, background
        self._settings = settings

    def prepare(self, data: IntentData) -> Predict:
        """The function from a draw to its predictions."""

        def predict(draw: Draw) -> dict[str, Prediction]:
            templates = [data.train_texts[index] for index in draw.indices]
            task = None
            if self._settings is not None:
                task = train_network(
                    self._read.grouped(templates, draw.labels.tolist()), self._settings
                )
            encoder: Encoder = AdaptedEncoder(self._read, self._lines, self._background, task)
            embedded = EmbeddedTexts(encoder, templates, data.query_texts)
            answers = DrawScorers(embedded, data, draw, DECISIONS).answer(data.query_texts)
            return {decision: Prediction(best.labels) for decision, best in answers.items()}

        return predict


def main() -> None:
    """Measure with and without the adapter on each data set."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--intents", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--names", nargs="+", default=["clinc150", "banking77"])
    parser.add_argument("--corpus", type=Path, nargs="+", required=True)
    parser.add_argument("--model", default="fast")
    parser.add_argument("--split", choices=("valid", "test"), default="valid")
    parser.add_argument("--shots", type=whole_numbers(1), default=(5, 10, 30))
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--no-baseline", action="store_true")
    add_settings(parser, ConvrrSettings)
    args = parser.parse_args()
    torch.set_num_threads(1)
    settings = read_settings(args, ConvrrSettings)
    encoder = load_encoder(args.model)
    sentences = (text for text in read_texts(args.corpus) if _is_sentence(text))
    lines = sample_texts(sentences, NUM_LINES, seed=0)
    lines = [line for line in lines if encoder.encode(line).any()]
    background = fit_background(encoder.encode_batch(lines), lines, len(lines))
    systems: dict[str, ConvrrSettings | None] = {} if args.no_baseline else {"none": None}
    systems[settings.network] = settings
    read = ReadTexts(encoder)
    for name in args.names:
        data = load_intent_data(args.intents / name, args.split, learn_names=False)
        for adapter, chosen in systems.items():
            system = AdaptedSystem(read, lines, background, chosen)
            for rows in evaluate_system(system, data, shots=args.shots, runs=args.runs):
                report = {**describe(data, runs=args.runs, seed=0), "adapter": adapter}
                print(json.dumps(report | {"results": rows}), flush=True)


def _is_sentence(text: str) -> bool:
    return LEAST_WORDS <= len(text.split()) <= MOST_WORDS


if __name__ == "__main__":
    main()
