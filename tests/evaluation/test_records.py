from pathlib import Path

import pytest

from pocketintent.evaluation.records import ScoredPair, read_scored_pairs, read_utterances
from pocketintent.runtime.errors import PocketIntentError

GOOD_PAIR = '{"a": "one", "b": "two", "score": 3}'


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_pairs_are_read_and_empty_lines_skipped(tmp_path: Path) -> None:
    pairs = read_scored_pairs(write(tmp_path / "p.jsonl", GOOD_PAIR, "", GOOD_PAIR, ""))
    assert [(pair.a, pair.b, pair.score) for pair in pairs] == [("one", "two", 3.0)] * 2


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("{", "not valid JSON"),
        ("[1]", "object"),
        ('{"a": "x", "score": 1}', '"b"'),
        ('{"a": 3, "b": "y", "score": 1}', '"a"'),
        ('{"a": "x", "b": "y"}', '"score"'),
        ('{"a": "x", "b": "y", "score": true}', '"score"'),
        ('{"a": "x", "b": "y", "score": "5"}', '"score"'),
        ('{"a": "x", "b": "y", "score": NaN}', "not valid JSON"),
    ],
)
def test_the_error_of_a_malformed_pair_names_file_line_and_field(
    tmp_path: Path, line: str, part: str
) -> None:
    path = write(tmp_path / "p.jsonl", GOOD_PAIR, line)
    with pytest.raises(PocketIntentError) as caught:
        read_scored_pairs(path)
    assert f"{path}, line 2" in str(caught.value)
    assert part in str(caught.value)


@pytest.mark.parametrize("intent", ["null", '""', "7"])
def test_an_utterance_needs_an_intent(tmp_path: Path, intent: str) -> None:
    path = write(tmp_path / "u.jsonl", f'{{"text": "x", "intent": {intent}}}')
    with pytest.raises(PocketIntentError, match='line 1: "intent"'):
        read_utterances(path)


def test_an_out_of_scope_file_accepts_null_and_rejects_an_intent(tmp_path: Path) -> None:
    path = write(tmp_path / "o.jsonl", '{"text": "x", "intent": null}', '{"text": "y"}')
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


def test_a_byte_order_mark_is_no_part_of_the_first_line(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"a": "x", "b": "y", "score": 1}\n')
    assert read_scored_pairs(path) == [ScoredPair("x", "y", 1.0)]
