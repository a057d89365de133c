r"""Time neural embeddings: text by text through the whole model, and many texts side by side.

    python -m lab_benchmarks.neural --teacher bert --texts $DATA/intents/clinc150/valid.jsonl

One JSON line for each set of layers and each way, on one thread: texts per second of processor
time, and for the second way the largest difference of an element from the first.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from benchmarks.timing import processor
from pocketintent.runtime.arrays import FloatArray
from pocketintent.training.corpora.reader import read_texts
from pocketintent_lab.training.neural.encoder import NeuralEncoder
from pocketintent_lab.training.neural.masked_model import MaskedModel
from pocketintent_lab.training.neural.settings import NeuralSettings


def main() -> None:
    """Time both ways with each set of layers."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--teacher", type=Path, required=True, help="masked language model")
    parser.add_argument("--texts", type=Path, required=True, help="corpus file")
    parser.add_argument("--number", type=int, default=32, help="number of texts (%(default)s)")
    parser.add_argument("--layers", nargs="+", default=["head", "block"])
    parser.add_argument("--device", default="cpu")
    args = parser.parse_args()
    torch.set_num_threads(1)
    texts = [text for text, _ in zip(read_texts([args.texts]), range(args.number), strict=False)]
    model = MaskedModel(args.teacher, device=args.device)
    for layers in args.layers:
        for line in compare(model, texts, layers):
            print(json.dumps({"layers": layers, **line, "processor": processor()}), flush=True)


def compare(model: MaskedModel, texts: list[str], layers: str) -> list[dict[str, Any]]:
    """The speed of both ways, and how far their vectors differ."""
    vectors: list[FloatArray] = []
    lines: list[dict[str, Any]] = []
    for way in ("plain", "together"):
        encoder = NeuralEncoder(model, NeuralSettings(layers=(layers,)), plain=way == "plain")
        encoder.encode(texts[0])  # warm up
        cpu, wall = time.process_time(), time.perf_counter()
        vectors.append(encoder.encode_batch(texts))
        lines.append(
            {
                "way": way,
                "texts": len(texts),
                "texts_per_cpu_second": round(len(texts) / (time.process_time() - cpu), 2),
                "texts_per_second": round(len(texts) / (time.perf_counter() - wall), 2),
            }
        )
    lines[1]["largest_difference"] = float(np.abs(vectors[1] - vectors[0]).max())
    return lines


if __name__ == "__main__":
    main()
