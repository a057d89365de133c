"""The hashes of fastText and floret, against values published for them."""

from itertools import chain
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.text.ngrams import NgramSettings, fnv1a
from pocketintent_lab.encoders.hashed_subwords import (
    fasttext_buckets,
    fasttext_hashes,
    floret_buckets,
    murmur_hashes,
)

# From the smhasher project, MurmurHash3_x64_128 with seed 0.
MURMUR = {
    b"hello": 0xCBD8A7B341BD9B025B1E906A48AE1D19,
    b"The quick brown fox jumps over the lazy dog": 0xE34BBC7BBC071B6C7A433CA9C49A9347,
}


def test_floret_hashes_by_murmur() -> None:
    for row, value in zip(murmur_hashes(list(MURMUR), 0).tolist(), MURMUR.values(), strict=True):
        first, second = divmod(value, 1 << 64)
        assert row == [first % (1 << 32), first >> 32, second % (1 << 32), second >> 32]


def test_fasttext_hashes_ascii_by_fnv1a_and_extends_the_sign_of_other_bytes() -> None:
    assert fasttext_hashes([b"foobar", b"a"]).tolist() == [fnv1a(b"foobar"), fnv1a(b"a")]
    signed = ((2166136261 ^ 0xFFFFFFC3) * 16777619) & 0xFFFFFFFF
    signed = ((signed ^ 0xFFFFFFBC) * 16777619) & 0xFFFFFFFF
    assert fasttext_hashes(["ü".encode()]).tolist() == [signed] != [fnv1a("ü".encode())]


def test_a_lone_bracket_is_no_ngram_and_a_short_word_may_have_none() -> None:
    buckets, counts = fasttext_buckets(["ab", "", "</s>"], 1, 2, 1 << 32)
    grams = [b"a", b"b", b"<a", b"ab", b"b>", b"<>"]
    assert buckets.tolist() == [fnv1a(gram) for gram in grams]
    assert counts.tolist() == [5, 1, 0]
    assert fasttext_buckets(["a"], 4, 6, 97)[1].tolist() == [0]
    assert fasttext_buckets([], 4, 6, 97)[0].tolist() == []


def test_floret_adds_the_whole_word_and_has_several_rows_for_an_ngram() -> None:
    buckets, counts = floret_buckets(["a", "</s>"], 4, 6, 1 << 32, 3)
    assert counts.tolist() == [3, 0]
    assert buckets.tolist() == murmur_hashes([b"<a>"], 2166136261)[0, :3].tolist()


GOOD = {"min_n": 2, "max_n": 3, "num_buckets": 7, "weight": 0.5}


@pytest.mark.parametrize("entry", [{"hash": "fasttext"}, {"hash": "floret", "num_hashes": 3}])
def test_the_hash_of_another_program_is_kept_in_the_manifest(entry: dict[str, Any]) -> None:
    settings = NgramSettings.from_manifest(GOOD | entry)
    assert settings.to_manifest() == GOOD | entry
    assert NgramSettings.from_manifest(settings.to_manifest()) == settings


@given(
    st.lists(st.text(st.sampled_from("aé世😀\ud800"), max_size=12), max_size=6),
    st.integers(1, 6),
    st.integers(0, 8),
    st.sampled_from([("fasttext", 1), ("floret", 1), ("floret", 4)]),
)
def test_words_hashed_together_have_the_same_buckets_by_every_hash(
    words: list[str], min_n: int, more: int, hashing: tuple[str, int]
) -> None:
    name, num_hashes = hashing
    settings = NgramSettings(min_n, min_n + more, 97, hash=name, num_hashes=num_hashes)
    buckets, counts = settings.buckets_of_words(words)
    expected = [settings.buckets(word) for word in words]
    assert counts.tolist() == [len(each) for each in expected]
    assert buckets.tolist() == list(chain.from_iterable(expected))


@pytest.mark.parametrize(("name", "number", "most"), [("fasttext", 2, 1), ("floret", 5, 4)])
def test_a_hash_has_a_largest_number_of_rows(name: str, number: int, most: int) -> None:
    with pytest.raises(ModelFileError, match=f"num_hashes .* from 1 to {most}, not {number}"):
        NgramSettings.from_manifest({**GOOD, "hash": name, "num_hashes": number})
