import itertools
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.errors import PocketIntentError
from pocketintent_lab.evaluation.similarity.triplets import evaluate_triplets, read_relations

PAIRS = [("a", "b", True), ("b", "c", True), ("d", "e", True), ("a", "f", False), ("g", "h", False)]
LABELS = {"a": "x", "b": "x", "c": "x", "d": "y", "e": "y", "f": "z"}


class Random:
    """Gives each text a vector of small whole numbers, so that products are often equal."""

    template_quantizer = background = known_words = None
    dim = 3

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def encode(self, text: str) -> FloatArray:
        numbers = np.random.default_rng([self._seed, ord(text)]).integers(-1, 2, 3)
        return numbers.astype(np.float32)

    def encode_batch(self, texts: Sequence[str]) -> FloatArray:
        return np.stack([self.encode(text) for text in texts])


def write(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def pairs_file(path: Path) -> tuple[Path, list[tuple[str, str, str]]]:
    """Labelled pairs, and their triplets: an anchor, its partner, a text in no pair with it."""
    file = write(path, [{"a": a, "b": b, "same": same} for a, b, same in PAIRS])
    joined = {frozenset(pair[:2]) for pair in PAIRS}
    triplets = [
        (anchor, partner, other)
        for a, b, same in PAIRS
        if same
        for anchor, partner in ((a, b), (b, a))
        for other in "abcdefgh"
        if other != anchor and frozenset((anchor, other)) not in joined
    ]
    return file, triplets


def labels_file(path: Path) -> tuple[Path, list[tuple[str, str, str]]]:
    """Labelled texts, and their triplets."""
    file = write(path, [{"text": text, "intent": name} for text, name in LABELS.items()])
    triplets = [
        (a, p, n)
        for a, p, n in itertools.permutations(LABELS, 3)
        if LABELS[a] == LABELS[p] != LABELS[n]
    ]
    return file, triplets


@pytest.mark.parametrize("make", [pairs_file, labels_file])
@pytest.mark.parametrize("seed", range(5))
def test_counts_equal_those_of_a_loop_over_all_triplets(
    tmp_path: Path, make: object, seed: int
) -> None:
    path, triplets = make(tmp_path / "data.jsonl")  # type: ignore[operator]
    encoders = [(f"encoder {number}", Random(10 * seed + number)) for number in range(3)]
    report = evaluate_triplets(encoders, read_relations(path))
    wrong = []
    for (name, encoder), row in zip(encoders, report["rows"], strict=True):
        of = encoder.encode
        wrong.append({t for t in triplets if of(t[0]) @ of(t[1]) <= of(t[0]) @ of(t[2])})
        assert row["name"] == name
        assert row["total"] == len(triplets)
        assert row["wrong"] == len(wrong[-1])
        assert row["error"] == len(wrong[-1]) / len(triplets)
        for key, place in (("same", 1), ("different", 2)):
            products = {(t[0], t[place]): of(t[0]) @ of(t[place]) for t in triplets}
            assert row[key] == pytest.approx(np.mean(list(products.values())))
    for entry, (i, j) in zip(
        report["intersections"], itertools.combinations(range(3), 2), strict=True
    ):
        assert entry["names"] == [encoders[i][0], encoders[j][0]]
        assert entry["wrong"] == len(wrong[i] & wrong[j])
        fewer = max(1, min(len(wrong[i]), len(wrong[j])))
        assert entry["intersection"] == len(wrong[i] & wrong[j]) / fewer


def test_blocks_do_not_change_the_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, _ = labels_file(tmp_path / "data.jsonl")
    encoders = [("one", Random(1)), ("two", Random(2))]
    whole = evaluate_triplets(encoders, read_relations(path))
    monkeypatch.setattr("pocketintent_lab.evaluation.similarity.triplets._ANCHORS", 2)
    monkeypatch.setattr("pocketintent_lab.evaluation.similarity.triplets._COMPARISONS", 3)
    assert evaluate_triplets(encoders, read_relations(path)) == whole


BAD: list[tuple[dict[str, object], str]] = [
    ({"a": "x", "b": "y"}, '"same" must be true or false'),
    ({"a": "x", "same": True}, '"b" must be a string'),
    ({"text": "x", "intent": None}, '"intent" must be a string'),
]


@pytest.mark.parametrize(("row", "message"), BAD, ids=str)
def test_a_bad_line_is_named(tmp_path: Path, row: dict[str, object], message: str) -> None:
    path = write(tmp_path / "bad.jsonl", [{"a": "x", "b": "y", "same": True}, row])
    with pytest.raises(PocketIntentError, match=f"bad.jsonl, line 2: {message}"):
        read_relations(path)


def test_a_file_without_triplets_is_rejected(tmp_path: Path) -> None:
    path = write(tmp_path / "few.jsonl", [{"a": "x", "b": "y", "same": True}])
    with pytest.raises(PocketIntentError, match="there is no triplet"):
        read_relations(path)


def test_mrpc_and_labelled_utterances_are_read(data_dir: Path) -> None:
    mrpc = read_relations(data_dir / "pairs/mrpc/test.jsonl")
    assert len(mrpc.texts) == len(set(mrpc.texts)) > 3000
    snips = read_relations(data_dir / "intents/snips/valid.jsonl")
    assert len(snips.texts) == 695  # of 700 utterances
