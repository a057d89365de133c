import gzip
from pathlib import Path

import pytest

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.corpora.terms import HEADER, Term, load_terms


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_byte_order_marks_and_other_line_ends_are_accepted(tmp_path: Path, end: str) -> None:
    path = tmp_path / "terms.tsv"
    path.write_bytes(b"\xef\xbb\xbf" + end.join([HEADER, "a b\t1\t2", "", "c d\t0.5\t1"]).encode())
    assert load_terms(path) == [Term("a b", 1.0, 2), Term("c d", 0.5, 1)]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"a b", "a line has 3 fields"),
        (b"a b\t1\t2\t3", "a line has 3 fields"),
        (b"\t1\t2", "separated by single spaces"),
        (b"a  b\t1\t2", "separated by single spaces"),
        (b"a b\tmuch\t2", "the score must be a finite number"),
        (b"a b\tnan\t2", "the score must be a finite number"),
        (b"a b\t1\t0", "the count a whole number of 1 or more"),
        (b"a b\t1\t1.5", "the count a whole number of 1 or more"),
        (b"x y\t1\t2", "'x y' occurs twice"),
        (b"a \xff\t1\t2", "not UTF-8"),
    ],
)
def test_the_error_names_the_bad_line(tmp_path: Path, line: bytes, message: str) -> None:
    path = tmp_path / "terms.tsv"
    path.write_bytes(HEADER.encode() + b"\nx y\t1\t2\n" + line + b"\n")
    with pytest.raises(PocketIntentError, match=rf"terms\.tsv, line 3: .*{message}"):
        load_terms(path)


def test_a_gzip_is_known_by_its_content(tmp_path: Path) -> None:
    path = tmp_path / "terms.tsv"
    content = gzip.compress(f"{HEADER}\na b\t1\t2\n".encode())
    path.write_bytes(content)
    assert load_terms(path) == [Term("a b", 1.0, 2)]
    path.write_bytes(content[:-4])
    with pytest.raises(PocketIntentError, match=r"terms\.tsv: broken gzip"):
        load_terms(path)


@pytest.mark.parametrize("content", [b"", b"machine learning\n", b'{"term": 1}'])
def test_other_files_are_rejected(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "terms.tsv"
    path.write_bytes(content)
    with pytest.raises(PocketIntentError, match=r"line 1: not a file of terms"):
        load_terms(path)
    with pytest.raises(PocketIntentError, match="cannot be read"):
        load_terms(tmp_path / "none.tsv")
