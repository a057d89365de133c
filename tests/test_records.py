from pathlib import Path

import pytest

from pocketintent.records import numbered_lines, read_table, without_mark
from pocketintent.runtime.errors import PocketIntentError

FILE = Path("rows.csv")


def test_rows_have_their_first_line_and_fields() -> None:
    rows = read_table(FILE, b'a,b\n\n"x\ny",z\r\nlast,"1,2"\n')
    assert list(rows) == [
        ("rows.csv, line 1", ["a", "b"]),
        ("rows.csv, line 3", ["x\ny", "z"]),
        ("rows.csv, line 5", ["last", "1,2"]),
    ]


def test_a_tab_in_the_first_line_makes_a_tsv() -> None:
    rows = read_table(FILE, b"\na, b\tc\nd\te,f\n")
    assert [fields for _, fields in rows] == [["a, b", "c"], ["d", "e,f"]]


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"a,b\n\xff,c\n", "line 2: not UTF-8"), (b'a,b\n"c,d\n', "line 2: not a valid row")],
)
def test_errors_name_the_file_and_the_line(content: bytes, message: str) -> None:
    with pytest.raises(PocketIntentError, match=f"rows.csv, {message}"):
        list(read_table(FILE, content))


def test_lines_are_numbered_and_decoded_without_mark_and_line_ends() -> None:
    lines = [b"\xef\xbb\xbfone\r\n", b"\n", "\ufefftwo\u2028".encode()]
    assert list(numbered_lines(lines, "a.txt")) == [(1, "one"), (2, ""), (3, "\ufefftwo\u2028")]


def test_the_error_names_file_and_line() -> None:
    with pytest.raises(PocketIntentError, match=r"a\.txt, line 2: not UTF-8 .*convert the file"):
        list(numbered_lines([b"one", b"\xff"], "a.txt"))


def test_only_the_first_byte_order_mark_is_removed() -> None:
    assert without_mark(b"\xef\xbb\xbf\xef\xbb\xbfa") == b"\xef\xbb\xbfa"
    assert without_mark(b"a") == b"a"
