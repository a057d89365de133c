import csv
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.evaluation.records import ScoredPair
from pocketintent.evaluation.similarity.pairs import evaluate_pairs, read_pairs
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
    expected = evaluate_sts(tiny_encoder, jsonl)
    from_lines = evaluate_pairs(tiny_encoder, jsonl)
    from_table = evaluate_pairs(tiny_encoder, table)
    assert from_lines == {**expected, "columns": ["a", "b", "score"]}
    assert from_table == {**expected, "columns": ["anchor", "target", "score"]}


def test_columns_can_be_named_in_tables_and_in_json_lines(tmp_path: Path) -> None:
    expected = [ScoredPair("x", "y", 2.0)]
    tsv = write(tmp_path / "t.txt", "question\tanswer\trating\n\nx\ty\t2\n")
    jsonl = write(tmp_path / "j", '{"question": "x", "answer": "y", "rating": 2}\n')
    for path in (tsv, jsonl):
        pairs, columns = read_pairs(path, a="question", b="answer", score="rating")
        assert pairs == expected
        assert columns == ("question", "answer", "rating")


def test_columns_without_a_name_are_recognised(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "anchor,target,score,mine\nx,y,1,2\n")
    pairs, columns = read_pairs(path, score="mine")
    assert pairs == [ScoredPair("x", "y", 2.0)]
    assert columns == ("anchor", "target", "mine")


def test_true_and_false_are_one_and_zero(tmp_path: Path) -> None:
    lines = '{"a": "x", "b": "y", "same": true}\n{"a": "x", "b": "z", "same": false}\n'
    pairs, _ = read_pairs(write(tmp_path / "same.jsonl", lines), score="same")
    assert pairs == [ScoredPair("x", "y", 1.0), ScoredPair("x", "z", 0.0)]


FIELDS = st.text(st.sampled_from('ab,"\t é\n🙂'), min_size=1, max_size=6)


@given(st.lists(st.tuples(FIELDS, FIELDS, st.floats(-5, 5)), min_size=1, max_size=5), st.booleans())
def test_every_quoted_table_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, float]], tabs: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / "quoted.csv"
    with path.open("w", newline="", encoding="utf-8-sig" if tabs else "utf-8") as file:
        writer = csv.writer(file, delimiter="\t" if tabs else ",")
        writer.writerow(["a", "b", "score"])
        writer.writerows(rows)
    assert read_pairs(path)[0] == [ScoredPair(*row) for row in rows]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "no pairs"),
        ("a,b,score\n", "no pairs"),
        ("a,b,score\nx,y,1\nx,y\n", "line 3: 2 fields under a header of 3"),
        ("a,b,score\nx,y,1\nx,y,high\n", "line 3: \"score\" must be a number, found 'high'"),
        ("a,b,score\nx,y,nan\n", 'line 2: "score" must be a number'),
        ('a,b,score\n"x\ny",z,1\nx,y,?\n', "line 4: "),
        ('a,b,score\nx,y,1\n"x,y,1\n', "line 3: not a valid row"),
        ("left,right,score\nx,y,1\n", "unknown columns.*'left', 'right', 'score'"),
        ('{"a": "x", "b": "y", "score": 1}\n{"a": "x"}\n', 'line 2: "b" must be a string'),
        ('{"a": "x", "b": "y", "score": 1}\n{"a"\n', "line 2: not valid JSON"),
        ('{"a": "x", "b": "y", "score": [1]}\n', 'line 1: "score" must be a number'),
        ('{"a": "x", "b": "y", "score": null}\n', 'line 1: "score" must be a number'),
    ],
)
def test_errors_name_the_file_and_the_line(content: str, message: str, tmp_path: Path) -> None:
    path = write(tmp_path / "pairs.csv", content)
    with pytest.raises(PocketIntentError, match=f"pairs.csv.*{message}"):
        read_pairs(path)


def test_missing_columns_and_files_and_other_encodings_are_rejected(tmp_path: Path) -> None:
    path = write(tmp_path / "pairs.csv", "a,b,score\nx,y,1\n")
    with pytest.raises(PocketIntentError, match=r"no column 'rating'.*--score"):
        read_pairs(path, score="rating")
    with pytest.raises(PocketIntentError, match="cannot be read"):
        read_pairs(tmp_path / "absent.csv")
    path.write_bytes(b"a,b,score\nx,y,1\n\xff,y,1\n")
    with pytest.raises(PocketIntentError, match="line 3: not UTF-8"):
        read_pairs(path)


def test_one_pair_has_no_correlation(tiny_encoder: StaticEncoder, tmp_path: Path) -> None:
    path = write(tmp_path / "pairs.csv", "a,b,score\nx,y,1\n")
    with pytest.raises(PocketIntentError, match="at least 2 pairs"):
        evaluate_pairs(tiny_encoder, path)


@pytest.mark.parametrize("text", ['{"a": "x", "b": "y", "score": 1}\n', "a,b,score\nx,y,1\n"])
def test_a_byte_order_mark_is_no_part_of_a_table(tmp_path: Path, text: str) -> None:
    path = tmp_path / "pairs"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    pairs, _ = read_pairs(path)
    assert [(pair.a, pair.b, pair.score) for pair in pairs] == [("x", "y", 1.0)]


def test_labelled_pairs_are_compared_with_each_other(
    tiny_encoder: StaticEncoder, tmp_path: Path
) -> None:
    rows = [(a, b, score > 2) for a, b, score in PAIRS] + [("lights off", "play jazz", True)]
    lines = "\n".join(json.dumps({"a": a, "b": b, "same": same}) for a, b, same in rows)
    report = evaluate_pairs(tiny_encoder, write(tmp_path / "same.jsonl", lines))
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
    assert evaluate_pairs(tiny_encoder, path)["total"] == 1
    assert sorted(encoded) == ["lights on", "play music", "turn on the light"]
