"""The hashes of fastText and floret, against values published for them."""

from pocketintent.runtime.text.hashed_subwords import (
    fasttext_buckets,
    fasttext_hashes,
    floret_buckets,
    murmur_hashes,
)
from pocketintent.runtime.text.ngrams import fnv1a

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
