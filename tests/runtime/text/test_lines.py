import pytest

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.text.lines import numbered_lines, without_mark


def test_lines_are_numbered_and_decoded_without_mark_and_line_ends() -> None:
    lines = [b"\xef\xbb\xbfone\r\n", b"\n", "\ufefftwo\u2028".encode()]
    assert list(numbered_lines(lines, "a.txt")) == [(1, "one"), (2, ""), (3, "\ufefftwo\u2028")]


def test_the_error_names_file_and_line() -> None:
    with pytest.raises(PocketIntentError, match=r"a\.txt, line 2: not UTF-8 .*convert the file"):
        list(numbered_lines([b"one", b"\xff"], "a.txt"))


def test_only_the_first_byte_order_mark_is_removed() -> None:
    assert without_mark(b"\xef\xbb\xbf\xef\xbb\xbfa") == b"\xef\xbb\xbfa"
    assert without_mark(b"a") == b"a"
