import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.corpora.reader import Text, read_corpus, read_texts

LINES = ["plain words", "  spaces kept ", "one\u2028line\x85still\x0bone", "naïve 😀 ⅷ", "tab\ttab"]


def write(path: Path, data: bytes) -> Path:
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def json_lines(items: list[dict[str, object]]) -> bytes:
    return "\n".join(json.dumps(item, ensure_ascii=False) for item in items).encode()


@pytest.mark.parametrize("name", ["corpus.txt", "corpus.txt.gz", "corpus"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_every_line_of_text_is_read(tmp_path: Path, name: str, end: str, mark: bytes) -> None:
    data = mark + end.join(LINES).encode()
    assert list(read_texts([write(tmp_path / name, data)])) == LINES


@pytest.mark.parametrize("name", ["corpus.jsonl", "corpus.jsonl.gz"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_texts_and_intents_of_json_lines_are_read(tmp_path: Path, name: str, mark: bytes) -> None:
    items: list[dict[str, object]] = [{"text": line, "intent": f"i{len(line)}"} for line in LINES]
    items += [{"text": "no intent"}, {"text": "null", "intent": None, "more": [1]}]
    expected = [Text(line, f"i{len(line)}") for line in LINES] + [Text("no intent"), Text("null")]
    assert list(read_corpus([write(tmp_path / name, mark + json_lines(items))])) == expected


def test_files_are_read_in_order_and_empty_lines_skipped(tmp_path: Path) -> None:
    first = write(tmp_path / "a.txt", b"\n one\n\n \r\n")
    second = write(tmp_path / "b.jsonl.gz", b'\n{"text": "two", "intent": "x"}\n\n')
    empty = write(tmp_path / "c.txt", b"")
    assert list(read_corpus([first, empty, str(second)])) == [Text(" one"), Text("two", "x")]


def test_a_byte_order_mark_is_removed_only_at_the_beginning(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", "a\n\ufeffb".encode())
    assert list(read_texts([path])) == ["a", "\ufeffb"]


def test_only_the_last_suffix_marks_a_file_as_json(tmp_path: Path) -> None:
    assert list(read_texts([write(tmp_path / "a.jsonl.txt", b"words")])) == ["words"]


@pytest.mark.parametrize("name", ["a.json", "a.json.gz", "A.JSON"])
def test_the_error_for_a_json_file_says_what_to_write_instead(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, b'{"lights_on": ["turn on the lights"]}')
    with pytest.raises(
        PocketIntentError,
        match=r"not a corpus; .*a \.txt file .*a \.jsonl",
    ):
        next(read_corpus([path]))


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"))))
@settings(max_examples=50)
def test_written_texts_are_read_unchanged(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("corpus")
    filled = [line for line in lines if line.strip()]
    # A byte order mark at the beginning belongs to the file, not to the text.
    text = write(folder / "a.txt.gz", "\n".join(["start", *filled]).encode())
    assert list(read_texts([text])) == ["start", *filled]
    items = write(folder / "a.jsonl", json_lines([{"text": line} for line in lines]))
    assert list(read_texts([items])) == lines


def test_a_file_is_streamed(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", b"one\ntwo\n\xff\n")
    texts = read_texts([path])
    assert [next(texts), next(texts)] == ["one", "two"]
    with pytest.raises(PocketIntentError, match=r"a\.txt, line 3: not UTF-8"):
        next(texts)


BROKEN = [
    ("a.txt", b"one\n\xff\xfeno\n", r"a\.txt, line 2: not UTF-8"),
    ("a.txt", "one\n".encode("utf-16"), r"a\.txt, line 1: not UTF-8"),
    ("a.jsonl", b'{"text": "a"}\n{"text": "b"\n', r"a\.jsonl, line 2: not JSON"),
    ("a.jsonl", b'{"text": "a"}\n\n["b"]\n', r"a\.jsonl, line 3: each line must be an object"),
    ("a.jsonl", b'{"txt": "a"}\n', r"a\.jsonl, line 1: each line must be an object with a string"),
    ("a.jsonl", b'{"text": 7}\n', r"a\.jsonl, line 1: each line must be an object with a string"),
    ("a.jsonl.gz", b'{"text": "a", "intent": 7}\n', r"a\.jsonl\.gz, line 1: .intent. must be"),
    ("a.jsonl", b'{"text": "\\ud800"}\n', r"a\.jsonl, line 1: not JSON"),
]


@pytest.mark.parametrize(("name", "data", "message"), BROKEN)
def test_the_error_names_the_bad_line(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    with pytest.raises(PocketIntentError, match=message):
        list(read_corpus([write(tmp_path / name, data)]))


def test_a_false_truncated_or_damaged_gzip_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "a.txt.gz"
    whole = gzip.compress(b"".join(b"line %d of many\n" % number for number in range(2000)))
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 0xFF
    for data in (b"plain text", whole[: len(whole) // 2], bytes(damaged)):
        path.write_bytes(data)
        with pytest.raises(PocketIntentError, match=r"a\.txt\.gz: broken gzip after line \d+"):
            list(read_corpus([path]))


def test_a_flipped_byte_of_a_gzip_never_crashes(tmp_path: Path) -> None:
    path = tmp_path / "a.txt.gz"
    whole = gzip.compress(b"some lines\nto read\n" + bytes(range(32, 96)), mtime=0)
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        try:
            list(read_corpus([path]))
        except PocketIntentError as error:
            assert "a.txt.gz" in str(error)


def test_a_missing_file_and_a_folder_are_rejected(tmp_path: Path) -> None:
    for path in (tmp_path / "none.txt", tmp_path):
        with pytest.raises(PocketIntentError, match=f"{path}: cannot be read"):
            list(read_corpus([path]))


@pytest.mark.parametrize("name", ["a.JSONL", "a.Jsonl.GZ"])
def test_a_suffix_may_be_in_capitals(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    line = b'{"text": "play", "intent": "music"}\n'
    path.write_bytes(gzip.compress(line) if name.endswith("GZ") else line)
    assert list(read_corpus([path])) == [Text("play", "music")]
