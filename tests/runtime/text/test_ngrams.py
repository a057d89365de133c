from dataclasses import asdict
from itertools import chain
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.text.ngrams import (
    NgramSettings,
    fnv1a,
    ngram_buckets,
    ngram_buckets_of_words,
    ngram_hashes,
)


def test_ngrams_are_those_of_the_bracketed_word_short_ones_first() -> None:
    grams = ["<he", "hey", "ey>", "<hey", "hey>", "<hey>"]
    assert ngram_buckets("hey", 3, 5, 2**32) == [fnv1a(gram.encode()) for gram in grams]


def test_lengths_are_in_code_points() -> None:
    assert ngram_buckets("é😀", 3, 3, 2**32) == [fnv1a("<é😀".encode()), fnv1a("é😀>".encode())]


def test_a_word_too_short_is_its_own_ngram_and_repeats_are_kept() -> None:
    assert ngram_buckets("a", 4, 5, 2**32) == [fnv1a(b"<a>")]
    buckets = ngram_buckets("aaaa", 2, 2, 2**32)
    assert buckets[1:4] == [fnv1a(b"aa")] * 3


@given(st.text(st.characters(exclude_categories=[])), st.integers(1, 6), st.integers(0, 4))
def test_every_word_has_buckets_inside_the_table(word: str, min_n: int, more: int) -> None:
    buckets = ngram_buckets(word, min_n, min_n + more, 7)
    assert buckets and all(0 <= bucket < 7 for bucket in buckets)
    length = len(word) + 2
    count = sum(max(length - n + 1, 0) for n in range(min_n, min_n + more + 1))
    assert len(buckets) == max(count, 1)


@given(
    st.lists(st.text(st.sampled_from("aé世😀\ud800"), max_size=70), max_size=6),
    st.integers(1, 6),
    st.integers(0, 66),
    st.sampled_from([1, 7, 2**32]),
)
def test_words_hashed_together_have_the_same_buckets(
    words: list[str], min_n: int, more: int, num_buckets: int
) -> None:
    buckets, counts = ngram_buckets_of_words(words, min_n, min_n + more, num_buckets)
    expected = [ngram_buckets(word, min_n, min_n + more, num_buckets) for word in words]
    assert counts.tolist() == [len(each) for each in expected]
    assert buckets.tolist() == list(chain.from_iterable(expected))


GOOD = {"min_n": 2, "max_n": 3, "num_buckets": 7, "weight": 0.5}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"min_n": 4}, "1 <= min_n <= max_n"),
        ({"min_n": 0}, "1 <= min_n <= max_n"),
        ({"max_n": 65}, "max_n <= 64"),
        ({"min_n": True}, "whole numbers"),
        ({"max_n": 3.0}, "whole numbers"),
        ({"num_buckets": 0}, "at least one bucket"),
        ({"hash": "sha1"}, "hash 'sha1' is unknown; installed: fnv1a. .* laboratory"),
        ({"hash": ["fnv1a"]}, "is unknown"),
        ({"num_hashes": 2}, "num_hashes .* from 1 to 1, not 2"),
        ({"num_hashes": True}, "num_hashes"),
        ({"weight": "x"}, "finite number"),
        ({"weight": float("nan")}, "finite number"),
    ],
)
def test_bad_settings_are_refused_by_value(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelFileError, match=message):
        NgramSettings.from_manifest({**GOOD, **changes})


@pytest.mark.parametrize("entry", [None, [], {"min_n": 1}])
def test_a_manifest_without_all_settings_is_refused(entry: Any) -> None:
    with pytest.raises(ModelFileError, match="settings need min_n, max_n, num_buckets, weight"):
        NgramSettings.from_manifest(entry)


def test_settings_are_those_of_the_manifest_and_give_its_buckets() -> None:
    settings = NgramSettings.from_manifest(GOOD | {"further": 1})
    assert settings.to_manifest() == GOOD
    assert asdict(settings) == GOOD | {"hash": "fnv1a", "num_hashes": 1}
    assert settings.buckets("hey") == ngram_buckets("hey", 2, 3, 7)
    assert settings.buckets_of_words(["hey"])[0].tolist() == ngram_buckets("hey", 2, 3, 7)


# From the draft of the hash's authors, draft-eastlake-fnv, appendix C.
KNOWN = [(b"", 0x811C9DC5), (b"a", 0xE40C292C), (b"b", 0xE70C2DE5), (b"foobar", 0xBF9CF968)]


@pytest.mark.parametrize(("data", "value"), KNOWN)
def test_the_hash_is_32_bit_fnv_1a(data: bytes, value: int) -> None:
    assert fnv1a(data) == value


@given(st.text(max_size=70) | st.text(st.characters(max_codepoint=127), max_size=70), st.data())
def test_the_ngrams_of_a_text_are_hashed_as_each_of_them(text: str, data: st.DataObject) -> None:
    min_n = data.draw(st.integers(1, max(len(text), 1)))
    max_n = data.draw(st.integers(min_n, min_n + 9))
    grams = [text[i : i + n] for n in range(min_n, max_n + 1) for i in range(len(text) - n + 1)]
    assert ngram_hashes(text, min_n, max_n).tolist() == [fnv1a(gram.encode()) for gram in grams]
