import json
from pathlib import Path

import numpy as np
import pytest

from pocketintent.evaluation.similarity.sts import evaluate_sts
from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError

PAIRS = [
    ("turn on the light", "switch on the lamp", 5.0),
    ("turn on the light", "play music", 0.5),
    ("pizza", "food", 4.5),
    ("hello", "close the door", 1.0),
]


def write(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


def test_cosines_are_correlated_with_gold_scores(
    tiny_encoder: StaticEncoder, tmp_path: Path
) -> None:
    pairs = [
        ("turn on the light", "switch on the lamp", 5.0),
        ("turn on the light", "play music", 0.5),
        ("pizza", "food", 4.5),
        ("hello", "close the door", 1.0),
    ]
    path = tmp_path / "sts.jsonl"
    path.write_text("\n".join(json.dumps({"a": a, "b": b, "score": s}) for a, b, s in pairs))
    report = evaluate_sts(tiny_encoder, path)
    cosines = [tiny_encoder.encode(a) @ tiny_encoder.encode(b) for a, b, _ in pairs]
    assert report["pairs"] == 4
    assert report["pearson"] == pytest.approx(
        np.corrcoef(cosines, [score for *_, score in pairs])[0, 1], abs=1e-6
    )
    assert report["pearson"] > 0.9


def test_one_line_has_no_correlation(tiny_encoder: StaticEncoder, tmp_path: Path) -> None:
    path = tmp_path / "sts.jsonl"
    path.write_text('{"a": "x", "b": "y", "score": 1}\n')
    with pytest.raises(PocketIntentError, match="at least 2 pairs"):
        evaluate_sts(tiny_encoder, path)


def test_the_sts_benchmark_is_read(tiny_encoder: StaticEncoder, data_dir: Path) -> None:
    assert evaluate_sts(tiny_encoder, data_dir / "sts/stsb/test.jsonl")["pairs"] == 1379


def test_a_table_and_json_lines_give_the_same_report(
    tiny_encoder: StaticEncoder, tmp_path: Path
) -> None:
    lines = "\n".join(json.dumps({"a": a, "b": b, "score": s}) for a, b, s in PAIRS)
    jsonl = write(tmp_path / "pairs.jsonl", lines)
    table = write(
        tmp_path / "pairs.csv",
        "id,anchor,target,context,score\r\n"
        + "".join(f'{n},{a},"{b}",A01,{s}\r\n' for n, (a, b, s) in enumerate(PAIRS)),
    )
    from_lines = evaluate_sts(tiny_encoder, jsonl)
    from_table = evaluate_sts(tiny_encoder, table)
    assert from_lines["columns"] == ["a", "b", "score"]
    assert from_table == {**from_lines, "columns": ["anchor", "target", "score"]}


def test_one_pair_has_no_correlation(tiny_encoder: StaticEncoder, tmp_path: Path) -> None:
    path = write(tmp_path / "pairs.csv", "a,b,score\nx,y,1\n")
    with pytest.raises(PocketIntentError, match="at least 2 pairs"):
        evaluate_sts(tiny_encoder, path)


def test_labelled_pairs_are_compared_with_each_other(
    tiny_encoder: StaticEncoder, tmp_path: Path
) -> None:
    rows = [(a, b, score > 2) for a, b, score in PAIRS] + [("lights off", "play jazz", True)]
    lines = "\n".join(json.dumps({"a": a, "b": b, "same": same}) for a, b, same in rows)
    report = evaluate_sts(tiny_encoder, write(tmp_path / "same.jsonl", lines))
    assert report["columns"] == ["a", "b", "same"]
    cosines = [tiny_encoder.encode(a) @ tiny_encoder.encode(b) for a, b, _ in rows]
    same = [c for c, row in zip(cosines, rows, strict=True) if row[2]]
    different = [c for c, row in zip(cosines, rows, strict=True) if not row[2]]
    wrong = sum(s <= d for s in same for d in different)
    assert (report["wrong"], report["total"]) == (wrong, 6)
    assert report["error"] == wrong / 6
    assert report["same"] == pytest.approx(sum(same) / 3)
    assert report["different"] == pytest.approx(sum(different) / 2)


def test_each_text_is_encoded_once(
    tiny_encoder: StaticEncoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [("turn on the light", "lights on", True), ("lights on", "play music", False)]
    lines = "\n".join(json.dumps({"a": a, "b": b, "same": same}) for a, b, same in rows)
    path = write(tmp_path / "same.jsonl", lines)
    encoded: list[str] = []
    encode_batch = type(tiny_encoder).encode_batch

    def record(encoder: StaticEncoder, texts: list[str]) -> FloatArray:
        encoded.extend(texts)
        return encode_batch(encoder, texts)

    monkeypatch.setattr(type(tiny_encoder), "encode_batch", record)
    assert evaluate_sts(tiny_encoder, path)["total"] == 1
    assert sorted(encoded) == ["lights on", "play music", "turn on the light"]
