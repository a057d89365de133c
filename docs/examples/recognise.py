"""Recognise intents with an exported folder, without pocketintent: a model for ports.

    python recognise.py FOLDER "switch the lamp off"     one JSON line for each text
    python recognise.py FOLDER --check                   run conformance.jsonl

Needs numpy, and what runs the graphs: onnxruntime for ONNX; ai-edge-litert or tflite-runtime for
TFLite.
"""

from __future__ import annotations

import argparse
import json
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

APOSTROPHES = str.maketrans(dict.fromkeys("\u2019\u2018\u02bc\u0060\u00b4", "'"))
IDEOGRAPHS = (
    (0x3041, 0x30FF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)
TOLERANCE = 1e-4

Outputs = dict[str, Any]
Graph = Callable[[list[int], list[float]], Outputs]


def classify(char: str) -> str:
    """The class of one code point: step 5 of docs/tokenizer.md."""
    if char == "'":
        return "apostrophe"
    if any(first <= ord(char) <= last for first, last in IDEOGRAPHS):
        return "ideograph"
    category = unicodedata.category(char)
    if category == "Nd":
        return "digit"
    if category in ("Nl", "No", "Cn", "Co"):
        return "symbol"
    return {"L": "letter", "M": "mark", "S": "symbol"}.get(category[0], "separator")


def tokenize(text: str, max_chars: int) -> list[str]:
    """The tokens of a text: steps 1 to 9 of docs/tokenizer.md."""
    text = unicodedata.normalize("NFKC", text[:max_chars].translate(APOSTROPHES)).lower()
    kinds = [classify(char) for char in text] + ["separator"]
    tokens: list[str] = []
    run = ""  # class of the token that the next character may extend
    for i, char in enumerate(text):
        kind = kinds[i]
        if kind == run or (kind == "mark" and run == "letter"):
            tokens[-1] += char
        elif kind in ("letter", "digit"):
            tokens.append(char)
            run = kind
        elif kind == "apostrophe" and run == "letter" and kinds[i + 1] == "letter":
            tokens.append(char)
        else:
            run = ""
            if kind in ("ideograph", "symbol"):
                tokens.append(char)
    return tokens


def ngram_buckets(word: str, settings: dict[str, Any]) -> list[int]:
    """The buckets of a word's character n-grams, by 32-bit FNV-1a of their UTF-8 bytes."""
    bracketed = f"<{word}>"
    grams = [
        bracketed[start : start + n]
        for n in range(settings["min_n"], settings["max_n"] + 1)
        for start in range(len(bracketed) - n + 1)
    ]
    buckets = []
    for gram in grams or [bracketed]:
        value = 2166136261
        for byte in gram.encode():
            value = ((value ^ byte) * 16777619) & 0xFFFFFFFF
        buckets.append(value % settings["num_buckets"])
    return buckets


def open_graph(path: Path, max_length: int | None) -> Graph:
    """A function from ids and weights, of one text, to the graph's outputs by name."""
    if path.suffix == ".onnx":
        import onnxruntime

        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        names = [output.name for output in session.get_outputs()]

        def run_onnx(ids: list[int], weights: list[float]) -> Outputs:
            values = session.run(None, as_arrays(ids, weights, None))
            return {name: value[0] for name, value in zip(names, values, strict=True)}

        return run_onnx

    try:
        from ai_edge_litert.interpreter import Interpreter
    except ModuleNotFoundError:
        from tflite_runtime.interpreter import Interpreter  # needs numpy below 2
    interpreter = Interpreter(model_path=str(path))

    def run_tflite(ids: list[int], weights: list[float]) -> Outputs:
        # Asked for here, since a runner does not keep its interpreter alive.
        runner = interpreter.get_signature_runner("serving_default")
        outputs = runner(**as_arrays(ids, weights, max_length))
        return {name: value[0] for name, value in outputs.items()}

    return run_tflite


def as_arrays(ids: list[int], weights: list[float], max_length: int | None) -> Outputs:
    """The inputs of a graph of one text, filled up with id 0 at weight 0."""
    length = max_length or max(1, len(ids))
    inputs = {"ids": np.zeros((1, length), np.int32), "weights": np.zeros((1, length), np.float32)}
    inputs["ids"][0, : len(ids)] = ids
    inputs["weights"][0, : len(weights)] = weights
    return inputs


class Recogniser:
    """An exported folder, ready to run."""

    def __init__(self, folder: Path) -> None:
        self.manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
        self.labels = json.loads((folder / "labels.json").read_text("utf-8"))
        # Bytes, since reading as text would change other line ends; a word's line is its id.
        words = (folder / "vocabulary.txt").read_bytes().decode("utf-8").split("\n")
        self.ids = {word: i for i, word in enumerate(words) if word}
        self.templates = [t for intent in self.labels["intents"] for t in intent["templates"]]
        self.max_length = self.manifest["max_length"]
        self.encoder, self.recognizer = (
            open_graph(folder / self.manifest["artifacts"][name]["file"], self.max_length)
            for name in ("encoder", "recognizer")
        )

    def tokens(self, text: str) -> list[str]:
        """The tokens of a text."""
        return tokenize(text, self.manifest["tokenizer"]["max_chars"])

    def slots(self, tokens: list[str]) -> tuple[list[int], list[float]]:
        """Ids and weights: a known word takes one slot, another one for each of its n-grams."""
        ids: list[int] = []
        weights: list[float] = []
        ngrams = self.manifest["ngrams"]
        for token in tokens:
            if token in self.ids:
                ids.append(self.ids[token])
                weights.append(1.0)
            elif ngrams is not None:
                buckets = ngram_buckets(token, ngrams)
                ids += [len(self.ids) + bucket for bucket in buckets]
                weights += [ngrams["weight"] / len(buckets)] * len(buckets)
        return ids[: self.max_length], weights[: self.max_length]

    def recognise(self, text: str) -> dict[str, Any]:
        """The intent of a text, or the reason why there is none."""
        ids, weights = self.slots(self.tokens(text))
        if not ids:
            return {"intent": None, "score": 0.0, "template": None, "reason": "unknown_words"}
        outputs = self.recognizer(ids, weights)
        scores = outputs["scores"]
        best = int(np.argmax(scores))
        intent = self.labels["intents"][best]
        threshold = intent["threshold"]
        if threshold is None:
            threshold = self.labels["threshold"]
        lead = scores[best] - np.delete(scores, best).max(initial=-np.inf)
        reason = None
        if scores[best] < threshold:
            reason = "below_threshold"
        elif lead < self.labels["margin"]:
            reason = "ambiguous"
        return {
            "intent": None if reason else intent["name"],
            "score": float(scores[best]),
            "template": self.templates[outputs["templates"][best]],
            "reason": reason,
        }

    def difference(self, line: dict[str, Any]) -> str | None:
        """What differs from a line of conformance.jsonl, in words; None when nothing does."""
        tokens = self.tokens(line["text"])
        ids, weights = self.slots(tokens)
        vector = self.encoder(ids, weights)["vector"][: len(line["vector"])]
        compared: dict[str, Any] = {"tokens": tokens, "ids": ids}
        compared |= {"weights": np.array(weights), "vector": vector}
        result = self.recognise(line["text"])
        compared |= {name: result[name] for name in ("intent", "score", "reason")}
        for name, value in compared.items():
            if not equal(value, line[name]):
                return f"{name}: {value!r} instead of {line[name]!r}"
        return None


def equal(value: Any, expected: Any) -> bool:
    """Whether two values agree: numbers within TOLERANCE, all else exactly."""
    if isinstance(value, float | np.ndarray):
        same_shape = np.shape(value) == np.shape(expected)
        return same_shape and np.allclose(value, expected, rtol=0, atol=TOLERANCE)
    return bool(value == expected)


def check(folder: Path, recogniser: Recogniser) -> int:
    """Run the conformance file; the status of the process."""
    lines = (folder / "conformance.jsonl").read_bytes().decode("utf-8").split("\n")[:-1]
    for number, line in enumerate(lines, 1):
        difference = recogniser.difference(json.loads(line))
        if difference:
            print(f"conformance.jsonl, line {number}: {difference}", file=sys.stderr)
            return 1
    print(f"{len(lines)} utterances agree")
    return 0


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Recognise intents with an exported folder.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("texts", nargs="*", metavar="TEXT")
    parser.add_argument("--check", action="store_true", help="run conformance.jsonl")
    args = parser.parse_args()
    recogniser = Recogniser(args.folder)
    if args.check:
        return check(args.folder, recogniser)
    for text in args.texts:
        result = recogniser.recognise(text)
        print(json.dumps({"text": text, **result}, ensure_ascii=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
