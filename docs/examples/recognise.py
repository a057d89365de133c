"""Recognise intents with an exported folder, without pocketintent: a reference for ports.

    python recognise.py FOLDER "switch the lamp off"     print one JSON line for each text
    python recognise.py FOLDER < texts.txt               and for each line of stdin
    python recognise.py FOLDER --check                   run conformance.jsonl

Requires numpy, and onnxruntime for ONNX, or ai-edge-litert or tflite-runtime for TFLite.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import unicodedata
from collections import Counter
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
MAX_CHARS = 4096  # code points of a text that are read
MAX_UNKNOWN_WORDS = 128  # different words of a text that are spelt out
MAX_PIECE = 64  # code points of a piece of a word
FORMAT_VERSION = 1
CORRECTION_VERSION = 2
TOKENIZERS = ("simple, version 1", "word_pieces, version 1")
NGRAM_HASH = "fnv1a"
NORMALISATION = "nfkc-lower-1"
FEATURES = ("ngram_counts", "negation")
INPUTS = ("ids", "weights", "token_numbers", "spelt", "characters", "lengths")
TOLERANCE = 1e-4
NOTHING_KNOWN = {
    "intent": None,
    "score": 0.0,
    "template": None,
    "nearest": None,
    "runner_up": None,
    "margin": None,
    "reason": "unknown_words",
}

Tensors = dict[str, Any]  # by name; of a single text, without the batch axis
Graph = Callable[[Tensors], Tensors]


def classify(char: str) -> str:
    """Return the class of a code point: step 5 of docs/tokenizer.md."""
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
    """Return the tokens of a text: steps 1 to 9 of docs/tokenizer.md."""
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


def word_pieces(word: str, ids: dict[str, int]) -> list[str]:
    """Return the pieces of a word, the longest first, by docs/tokenizer.md."""
    if word in ids:
        return [word]
    pieces: list[str] = []
    start = 0
    while start < len(word):
        prefix = "##" if start else ""
        last = min(len(word), start + MAX_PIECE - len(prefix))
        ends = (end for end in range(last, start, -1) if prefix + word[start:end] in ids)
        end = next(ends, start)
        if end > start:
            pieces.append(prefix + word[start:end])
        start = max(end, start + 1)
    return pieces


def read_characters(text: str, settings: dict[str, Any]) -> list[int]:
    """Return a text's character numbers, by docs/charemb.md; [] if only spaces are known."""
    text = unicodedata.normalize("NFKC", text[:MAX_CHARS].translate(APOSTROPHES)).lower()
    separators = ("Cc", "Cf", "Cs", "Zs", "Zl", "Zp")
    spaced = (" " if c == "_" or unicodedata.category(c) in separators else c for c in text)
    words = [word for word in "".join(spaced).split(" ") if word]
    chars = " ".join(words)[: settings["max_chars"]].rstrip(" ")
    numbers = [settings["known"].find(char) + 1 for char in chars]
    readable = any(number > 0 and char != " " for number, char in zip(numbers, chars, strict=True))
    return numbers if readable else []


def fnv1a(text: str) -> int:
    """Return the 32-bit FNV-1a hash of a text's UTF-8 bytes."""
    value = 2166136261
    for byte in text.encode():
        value = ((value ^ byte) * 16777619) & 0xFFFFFFFF
    return value


def ngrams_of(word: str, settings: dict[str, Any]) -> list[str]:
    """Return the n-grams of ``<word>``, the shortest first."""
    sizes = range(settings["min_n"], settings["max_n"] + 1)
    return [f"<{word}>"[i : i + n] for n in sizes for i in range(len(word) + 3 - n)]


def ngram_buckets(word: str, settings: dict[str, Any]) -> list[int]:
    """Return the buckets of an unknown word's n-grams in the model's table."""
    grams = ngrams_of(word, settings) or [f"<{word}>"]
    return [fnv1a(gram) % settings["num_buckets"] for gram in grams]


def one_edit(word: str) -> set[str]:
    """Return the words within one edit of a word, without the word itself."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    splits = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    words = {head + tail[1:] for head, tail in splits[:-1]}
    words |= {head + tail[1] + tail[0] + tail[2:] for head, tail in splits[:-2]}
    words |= {head + letter + tail[1:] for head, tail in splits[:-1] for letter in letters}
    words |= {head + letter + tail for head, tail in splits for letter in letters}
    return words - {word}


def split_filters(content: bytes, sizes: list[int]) -> list[bytes]:
    """Return the filters in lost_words.bin, by docs/correction.md."""
    starts = [sum(sizes[:i]) for i in range(len(sizes))]
    return [content[start : start + size] for start, size in zip(starts, sizes, strict=True)]


def is_lost(word: str, filters: list[bytes]) -> bool:
    """Return whether the model lost a word when it was pruned, by docs/correction.md."""
    first, step = fnv1a(word), fnv1a(word[::-1])
    for bits in filters:
        places = [(first + i * step) % (8 * len(bits) - 1) for i in range(5)]
        if all(bits[place >> 3] >> (place & 7) & 1 for place in places):
            return True
    return False


def own_words(labels: dict[str, Any]) -> dict[str, int]:
    """Return the ranks of the words of the bot's texts, by docs/correction.md."""
    intents = labels["intents"]
    texts = [text for intent in intents for text in intent["templates"] + intent["except"]]
    tokens = [tokenize(text, MAX_CHARS) for text in texts + labels["none"]]
    counts = Counter(token for text_tokens in tokens for token in text_tokens)
    words = sorted(counts, key=lambda word: (-counts[word], word))
    return {word: rank for rank, word in enumerate(words)}


def count_ngrams(tokens: list[str], settings: dict[str, Any]) -> Any:
    """Return the signed counts of the hashed n-grams of tokens, by docs/decision.md."""
    counts = np.zeros(settings["num_buckets"], np.float32)
    for token in tokens:
        for gram in ngrams_of(token, settings):
            value = fnv1a(gram)
            counts[value % settings["num_buckets"]] += -1 if value >> 31 else 1
    return counts


def find_negation(tokens: list[str], settings: dict[str, Any]) -> Any:
    """Return 1 if one of the tokens is a negation, otherwise 0, by docs/decision.md."""
    return np.array([not set(settings["words"]).isdisjoint(tokens)], np.float32)


def open_graph(folder: Path, artifact: dict[str, Any]) -> Graph:
    """Return a function from the inputs of a text to the outputs of a graph, by name."""
    path = folder / artifact["file"]
    shapes = {tensor["name"]: tensor["shape"] for tensor in artifact["inputs"]}

    def with_batch(inputs: Tensors) -> Tensors:
        return {name: pad(value, shapes[name])[None] for name, value in inputs.items()}

    if path.suffix == ".onnx":
        import onnxruntime

        session = onnxruntime.InferenceSession(path.read_bytes(), None, ["CPUExecutionProvider"])
        names = [output.name for output in session.get_outputs()]

        def run_onnx(inputs: Tensors) -> Tensors:
            values = session.run(None, with_batch(inputs))
            return {name: value[0] for name, value in zip(names, values, strict=True)}

        return run_onnx

    try:
        from ai_edge_litert.interpreter import Interpreter
    except ModuleNotFoundError:
        from tflite_runtime.interpreter import Interpreter  # needs numpy below 2
    interpreter = Interpreter(model_path=str(path))

    def run_tflite(inputs: Tensors) -> Tensors:
        # Created for each text, since a runner does not keep its interpreter alive.
        outputs = interpreter.get_signature_runner("serving_default")(**with_batch(inputs))
        return {name: value[0] for name, value in outputs.items()}

    return run_tflite


def pad(value: Any, shape: list[Any]) -> Any:
    """Pad a text's tensor with zeros to the fixed length of the graph, or to length 1."""
    if value.ndim == 0:
        return value
    length = shape[1] if isinstance(shape[1], int) else max(1, len(value))
    padded = np.zeros(length, value.dtype)
    padded[: len(value)] = value
    return padded


def check_manifest(manifest: dict[str, Any]) -> None:
    """Raise ValueError if a folder needs what this program lacks."""
    if not isinstance(manifest, dict):
        raise ValueError("manifest.json is not an object")
    correction = manifest.get("correction") or {"version": CORRECTION_VERSION}
    for name, version, known in (
        ("format", manifest["format_version"], FORMAT_VERSION),
        ("correction", correction["version"], CORRECTION_VERSION),
    ):
        if version > known:
            raise ValueError(f"{name} version {version}; this program reads up to {known}")
    tokenizer, ngrams, characters = (
        manifest.get(name) or {} for name in ("tokenizer", "ngrams", "characters")
    )
    graphs = manifest["artifacts"].values()
    inputs = {tensor["name"] for graph in graphs for tensor in graph["inputs"]}
    for what, needed, known in (
        ("feature", manifest.get("features", {}), FEATURES),
        ("input", inputs, INPUTS + FEATURES),
        ("tokenizer", tokenizer and ["{name}, version {version}".format(**tokenizer)], TOKENIZERS),
        ("n-gram hash", [ngrams.get("hash", NGRAM_HASH)], [NGRAM_HASH]),
        ("normalisation", [characters.get("normalisation", NORMALISATION)], [NORMALISATION]),
    ):
        if lacking := set(needed) - set(known):
            raise ValueError(f"this program lacks the {what} {', '.join(sorted(lacking))}")


def as_tensors(numbers: list[int]) -> Tensors:
    """Return the characters of a text or a word as the inputs of a graph."""
    return {"characters": np.array(numbers, np.int32), "lengths": np.int32(len(numbers))}


class Recogniser:
    """An exported folder, ready to run; only the check needs the encoder graph."""

    def __init__(self, folder: Path, with_encoder: bool = False) -> None:
        self.manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
        check_manifest(self.manifest)
        self.labels = json.loads((folder / "labels.json").read_text("utf-8"))
        self.ids: dict[str, int] = {}
        if "vocabulary.txt" in self.manifest["files"]:
            # As bytes, since text mode would convert other line ends; a word's id is its line.
            words = (folder / "vocabulary.txt").read_bytes().decode("utf-8").split("\n")
            self.ids = {word: i for i, word in enumerate(words) if word}
        self.templates = [t for intent in self.labels["intents"] for t in intent["templates"]]
        artifacts = self.manifest["artifacts"]
        self.graphs = {
            name: open_graph(folder, entry)
            for name, entry in artifacts.items()
            if name != "encoder" or with_encoder
        }
        self.input_names = {tensor["name"] for tensor in artifacts["encoder"]["inputs"]}
        self.features = self.manifest.get("features", {})
        correction = self.manifest.get("correction")
        self.ranks = own_words(self.labels) if correction else {}
        self.lost_words: list[bytes] = []  # filters
        if sizes := (correction or {}).get("lost_words"):
            self.lost_words = split_filters((folder / "lost_words.bin").read_bytes(), sizes)
        self.vectors: dict[tuple[int, ...], Any] = {}  # cache of spelt-out words

    def prepare(self, text: str) -> dict[str, Any]:
        """Return the features of a text, under the names of conformance.jsonl."""
        words = self.correct(tokenize(text, MAX_CHARS))
        features = self.read(text, self.split(words))
        if "ngram_counts" in self.features:
            features["ngram_counts"] = count_ngrams(words, self.features["ngram_counts"])
        if "negation" in self.features:
            features["negation"] = find_negation(words, self.features["negation"])
        return features

    def split(self, words: list[str]) -> list[str]:
        """Return the tokens of the encoder: the words, or their pieces."""
        tokenizer = self.manifest["tokenizer"]
        if not tokenizer or tokenizer["name"] == "simple":
            return words
        return [piece for word in words for piece in word_pieces(word, self.ids)]

    def correct(self, tokens: list[str]) -> list[str]:
        """Return the tokens with their typing errors corrected, by docs/correction.md."""
        settings = self.manifest.get("correction")
        if not settings:
            return tokens
        first = [self.read_word(token, settings) for token in tokens[: settings["max_tokens"]]]
        corrected = first + tokens[settings["max_tokens"] :]
        joined = " ".join(corrected).replace(" '", "'")
        return corrected if tokenize(joined, MAX_CHARS) == corrected else tokens

    def read_word(self, word: str, settings: dict[str, Any]) -> str:
        """Return the known word that a word is read as, or the word itself."""
        known_words = self.ids, self.ranks, settings.get("kept_words", ())
        has_length = settings["min_letters"] <= len(word) <= settings["max_letters"]
        if not has_length or not (word.isascii() and word.isalpha()):
            return word
        if any(word in words for words in known_words) or is_lost(word, self.lost_words):
            return word
        words = one_edit(word)
        for ranks in (self.ranks, self.ids):
            if matches := [other for other in words if other in ranks]:
                return min(matches, key=lambda other: ranks[other])
        return word

    def read(self, text: str, tokens: list[str]) -> dict[str, Any]:
        """Return the features of a text that the encoder graph takes, too."""
        characters = self.manifest["characters"]
        if self.manifest["reads"] == "text":
            return {"characters": read_characters(text, characters)}
        features: dict[str, Any] = {"tokens": tokens}
        if "ids" in self.input_names:
            features |= self.slots(tokens)
        if characters is not None:
            words = (read_characters(word, characters) for word in self.unknown_words(tokens))
            features["characters"] = [numbers for numbers in words if numbers]
        return features

    def unknown_words(self, tokens: list[str]) -> list[str]:
        """Return the words to spell out; the first MAX_UNKNOWN_WORDS different ones, repeated."""
        unknown = dict.fromkeys(word for word in tokens if word not in self.ids)
        first = set(list(unknown)[:MAX_UNKNOWN_WORDS])
        return [word for word in tokens if word in first]

    def slots(self, tokens: list[str]) -> dict[str, list[Any]]:
        """Return the slots: one for a known word, else one for each n-gram."""
        ngrams = self.manifest["ngrams"]
        slots: dict[str, list[Any]] = {"ids": [], "weights": [], "token_numbers": []}
        number = 0  # of the token, among those that have slots
        for token in tokens:
            if number == self.manifest.get("max_tokens"):
                break
            if token in self.ids:
                ids, weight = [self.ids[token]], 1.0
            elif ngrams is not None:
                ids = [len(self.ids) + bucket for bucket in ngram_buckets(token, ngrams)]
                weight = ngrams["weight"] / len(ids)
            else:
                continue
            slots["ids"] += ids
            slots["weights"] += [weight] * len(ids)
            slots["token_numbers"] += [number] * len(ids)
            number += 1
        length = self.manifest["max_length"]
        names = [name for name in slots if name in self.input_names]
        return {name: slots[name][:length] for name in names}

    def inputs(self, features: dict[str, Any]) -> Tensors:
        """Return the inputs of the encoder graph, which are also inputs of the recogniser graph."""
        if self.manifest["reads"] == "text":
            return as_tensors(features["characters"])
        dtypes = {"ids": np.int32, "weights": np.float32, "token_numbers": np.int32}
        names = dtypes.keys() & self.input_names
        inputs: Tensors = {name: np.array(features[name], dtypes[name]) for name in names}
        if "spelt" in self.input_names:
            inputs["spelt"] = np.zeros(self.manifest["dim"], np.float32)
            for word in features["characters"]:
                inputs["spelt"] += self.spell(tuple(word))
        return inputs

    def spell(self, word: tuple[int, ...]) -> Any:
        """Return the vector of a spelt-out word; the last 4,096 are cached."""
        if word not in self.vectors:
            if len(self.vectors) == 4096:
                del self.vectors[next(iter(self.vectors))]
            self.vectors[word] = self.graphs["characters"](as_tensors(list(word)))["vectors"]
        return self.vectors[word]

    def recognise(self, text: str) -> dict[str, Any]:
        """Return the intent of a text, or the reason why there is none."""
        features = self.prepare(text)
        if not features.get("ids") and not features.get("characters"):
            return dict(NOTHING_KNOWN)
        outputs = self.run(features)
        if not outputs["scores"].any():  # the text's vector is zeros
            return dict(NOTHING_KNOWN)
        order = np.argsort(-outputs["scores"], kind="stable")  # of equal scores the first
        best, *others = [self.candidate(int(place), outputs) for place in order[:2]]
        own = self.labels["intents"][order[0]]["threshold"]
        threshold = self.labels["threshold"] if own is None else own
        margin = best["score"] - others[0]["score"] if others else None
        reason = None
        if self.is_counter_example(text, int(order[0])):
            reason = "counter_example"
        elif best["score"] < threshold:
            reason = "below_threshold"
        elif margin is not None and margin < self.labels["margin"]:
            reason = "ambiguous"
        return {
            **best,
            "intent": None if reason else best["intent"],
            "nearest": best["intent"],
            "runner_up": others[0] if others else None,
            "margin": margin,
            "reason": reason,
        }

    def is_counter_example(self, text: str, place: int) -> bool:
        """Whether a text has the words of a counter-example of an intent, by docs/decision.md."""
        tokens = self.correct(tokenize(text, MAX_CHARS))
        against = self.labels["intents"][place]["except"] + self.labels["none"]
        return bool(tokens) and any(tokenize(other, MAX_CHARS) == tokens for other in against)

    def run(self, features: dict[str, Any]) -> Tensors:
        """Return the outputs of the recogniser graph."""
        inputs = self.inputs(features)
        return self.graphs["recognizer"](inputs | {name: features[name] for name in self.features})

    def candidate(self, place: int, outputs: Tensors) -> dict[str, Any]:
        """Return the intent at a place of the labels, its score and its nearest template."""
        return {
            "intent": self.labels["intents"][place]["name"],
            "score": float(outputs["scores"][place]),
            "template": self.templates[outputs["templates"][place]],
        }

    def difference(self, line: dict[str, Any]) -> str | None:
        """Describe the first difference from a line of conformance.jsonl; None if it agrees."""
        values = self.prepare(line["text"])
        outputs = self.run(values)
        vector = self.graphs["encoder"](self.inputs(values))["vector"]
        for name in self.features:
            feature = values[name]
            values[name] = [[int(i), int(feature[i])] for i in np.flatnonzero(feature)]
        if "weights" in values:
            values["weights"] = np.array(values["weights"])
        values |= {"vector": vector[: len(line["vector"])], "scores": outputs["scores"]}
        for name, value in (values | self.recognise(line["text"])).items():
            if not equal(value, line[name]):
                return f"{name}: {value!r} instead of {line[name]!r}"
        return None


def equal(value: Any, expected: Any) -> bool:
    """Return whether two values agree: numbers within TOLERANCE, all else exactly."""
    if isinstance(value, dict) and isinstance(expected, dict):
        return value.keys() == expected.keys() and all(equal(value[k], expected[k]) for k in value)
    if isinstance(value, float | np.ndarray):
        same_shape = np.shape(value) == np.shape(expected)
        return same_shape and np.allclose(value, expected, rtol=0, atol=TOLERANCE)
    return bool(value == expected)


def check(recogniser: Recogniser, lines: list[Any]) -> int:
    """Run the conformance file and return the exit status of the process."""
    for number, line in enumerate(lines, 1):
        if difference := recogniser.difference(line):
            print(f"conformance.jsonl, line {number}: {difference}", file=sys.stderr)
            return 1
    print(f"{len(lines)} utterances agree")
    return 0


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description="Recognise intents with an exported folder.")
    parser.add_argument("folder", type=Path, help="made by pocketintent export")
    parser.add_argument("texts", nargs="*", metavar="TEXT", help="without any, the lines of stdin")
    parser.add_argument("--check", action="store_true", help="run conformance.jsonl")
    args = parser.parse_args()
    try:
        recogniser = Recogniser(args.folder, with_encoder=args.check)
        if args.check:
            content = (args.folder / "conformance.jsonl").read_bytes().decode("utf-8")
            lines = [json.loads(line) for line in content.split("\n")[:-1]]
    except (OSError, ValueError, LookupError, TypeError) as error:
        sys.exit(f"{args.folder} cannot be read: {type(error).__name__}: {error}")
    if args.check:
        return check(recogniser, lines)
    try:
        for text in args.texts or map(str.rstrip, sys.stdin):
            answer = {"text": text, **recogniser.recognise(text)}
            print(json.dumps(answer, ensure_ascii=False), flush=True)
    except BrokenPipeError:  # the reader, for example `head`, has enough; the rest goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


if __name__ == "__main__":
    sys.exit(main())
