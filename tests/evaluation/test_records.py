import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.evaluation.records import ScoredPair, read_pairs, read_utterances
from pocketintent.runtime.errors import PocketIntentError


def write(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


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


@pytest.mark.parametrize("text", ['{"a": "x", "b": "y", "score": 1}\n', "a,b,score\nx,y,1\n"])
def test_a_byte_order_mark_is_no_part_of_a_table(tmp_path: Path, text: str) -> None:
    path = tmp_path / "pairs"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    pairs, _ = read_pairs(path)
    assert [(pair.a, pair.b, pair.score) for pair in pairs] == [("x", "y", 1.0)]


@pytest.mark.parametrize("intent", ["null", '""', "7"])
def test_an_utterance_needs_an_intent(tmp_path: Path, intent: str) -> None:
    path = write(tmp_path / "u.jsonl", f'{{"text": "x", "intent": {intent}}}')
    with pytest.raises(PocketIntentError, match='line 1: "intent"'):
        read_utterances(path)


def test_an_out_of_scope_file_accepts_null_and_rejects_an_intent(tmp_path: Path) -> None:
    path = write(tmp_path / "o.jsonl", '{"text": "x", "intent": null}\n{"text": "y"}')
    assert [u.text for u in read_utterances(path, out_of_scope=True)] == ["x", "y"]
    write(path, '{"text": "x", "intent": "greet"}')
    with pytest.raises(PocketIntentError, match="line 1"):
        read_utterances(path, out_of_scope=True)


def test_missing_empty_and_binary_files_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(PocketIntentError, match="cannot be read"):
        read_utterances(tmp_path / "absent.jsonl")
    with pytest.raises(PocketIntentError, match="no utterances"):
        read_utterances(write(tmp_path / "empty.jsonl", ""))
    (tmp_path / "binary.jsonl").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PocketIntentError, match="line 1"):
        read_utterances(tmp_path / "binary.jsonl")
