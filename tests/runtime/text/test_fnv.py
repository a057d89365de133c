import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.runtime.text.fnv import LANE, MASK, ascii_ngram_hashes, fnv1a, lanes

# From the draft of the hash's authors, draft-eastlake-fnv, appendix C.
KNOWN = [(b"", 0x811C9DC5), (b"a", 0xE40C292C), (b"b", 0xE70C2DE5), (b"foobar", 0xBF9CF968)]


@pytest.mark.parametrize(("data", "value"), KNOWN)
def test_the_hash_is_32_bit_fnv_1a(data: bytes, value: int) -> None:
    assert fnv1a(data) == value


@given(st.text(st.characters(max_codepoint=127), max_size=70), st.data())
def test_the_ngrams_of_a_text_are_hashed_as_each_of_them(text: str, data: st.DataObject) -> None:
    min_n = data.draw(st.integers(1, max(len(text), 1)))
    max_n = data.draw(st.integers(min_n, min_n + 9))
    hashes, number = ascii_ngram_hashes(text, min_n, max_n)
    grams = [text[i : i + n] for n in range(min_n, max_n + 1) for i in range(len(text) - n + 1)]
    found = [hashes >> LANE * place & MASK for place in range(number)]
    assert found == [fnv1a(gram.encode()) for gram in grams]
    assert hashes < 1 << LANE * number


def test_lanes_are_ones() -> None:
    assert lanes(0) == 0
    assert lanes(3) == 1 + (1 << LANE) + (1 << 2 * LANE)
