"""Files of fastText's own package, of floret and of Sent2Vec."""

import gzip
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.vectors.reading import read_vectors
from pocketintent.training.vectors.table import TermVectors, to_encoder
from pocketintent.training.vectors.writing import write_vectors

RESOURCES = Path(__file__).parents[2] / "resources/fasttext"
EXPECTED = json.loads((RESOURCES / "vectors.json").read_text())
UNKNOWN = ["kitchens", "überall", "😀😀", "qq", "a-very-long-word-of-many-n-grams"]
FLORET_KINDS = [
    {"mode": "floret", "hashCount": 2, "minn": 2, "maxn": 4},
    {"mode": "floret", "hashCount": 4, "minn": 1, "maxn": 12},
    {"mode": "fasttext", "minn": 1, "maxn": 3},
]


def assert_unknown_words(vectors: TermVectors, expected: dict[str, Any]) -> None:
    """Compare the vectors of words without a row, as a model embeds them."""
    encoder = to_encoder(vectors)
    words = [word for word in expected if word not in encoder.vocabulary]
    rows = np.array([expected[word] for word in words], np.float32)
    assert len(words) > 3 and np.abs(rows).max(axis=1).min() > 0
    np.testing.assert_allclose(encoder.embed_tokens(words), rows, rtol=1e-5, atol=1e-7)
    for word, row in zip(words, rows, strict=True):
        np.testing.assert_allclose(encoder.embed_tokens([word])[0], row, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.parametrize("packed", [False, True])
def test_vectors_are_those_of_fasttexts_own_package(
    tmp_path: Path, name: str, packed: bool
) -> None:
    path = RESOURCES / name
    if packed:
        path = tmp_path / "any name"
        path.write_bytes(gzip.compress((RESOURCES / name).read_bytes()))
    read = read_vectors(path, subwords=True)
    vectors = dict(zip(read.terms, read.vectors, strict=True))
    known = [word for word in EXPECTED[name] if word in vectors]
    assert len(known) > 15
    for word in known:
        np.testing.assert_allclose(vectors[word], EXPECTED[name][word], rtol=1e-6, atol=1e-8)
    if name == "pruned.ftz":
        assert read.subwords is None
    else:
        assert_unknown_words(read, EXPECTED[name])
    assert read_vectors(path).subwords is None


def floret_model(folder: Path, **options: Any) -> Any:
    """A small model of floret with random vectors, saved as floret.bin."""
    floret = pytest.importorskip("floret")
    corpus, path = folder / "corpus.txt", folder / "floret.bin"
    corpus.write_text("the kitchen light für naïve people 😀\nmachine learning\n" * 20)
    settings = {"model": "cbow", "dim": 5, "minCount": 1, "bucket": 97, "epoch": 1, "thread": 1}
    model = floret.train_unsupervised(str(corpus), verbose=0, **settings | options)
    model.save_model(str(path))
    rows = len(model.words) + 97
    table = np.random.default_rng(0).standard_normal((rows, 5)).astype("<f4").tobytes()
    data = path.read_bytes()
    start = data.index(struct.pack("<2q", rows, 5)) + 16
    path.write_bytes(data[:start] + table + data[start + len(table) :])
    return floret.load_model(str(path))


@pytest.mark.parametrize("options", FLORET_KINDS, ids=str)
def test_vectors_are_those_of_floret(tmp_path: Path, options: dict[str, Any]) -> None:
    model = floret_model(tmp_path, **options)
    read = read_vectors(tmp_path / "floret.bin", subwords=True)
    assert read.terms == model.words
    expected = np.array([model.get_word_vector(word) for word in read.terms])
    np.testing.assert_allclose(read.vectors, expected, rtol=1e-5, atol=1e-8)
    assert_unknown_words(read, {word: model.get_word_vector(word) for word in UNKNOWN})


def test_a_floret_table_becomes_a_model_without_words_and_is_written_as_floret_does(
    tmp_path: Path,
) -> None:
    model = floret_model(tmp_path, **FLORET_KINDS[0])
    table, again, made = (tmp_path / name for name in ("t.floret", "a.floret.gz", "m.safetensors"))
    model.save_floret_vectors(str(table))
    read = read_vectors(table, subwords=True)
    assert read.terms == []
    write_vectors(made, read)
    encoder = load_encoder(made)
    for word in ("kitchen", "lights", "überall"):
        expected = model.get_word_vector(word)
        expected = expected / np.linalg.norm(expected)
        np.testing.assert_allclose(encoder.encode(word), expected, rtol=1e-4, atol=1e-5)
    write_vectors(again, read_vectors(tmp_path / "floret.bin", subwords=True))
    written = read_vectors(again, subwords=True)
    assert written.subwords is not None and read.subwords is not None
    assert written.subwords.settings == read.subwords.settings
    np.testing.assert_allclose(written.subwords.vectors, read.subwords.vectors, rtol=1e-4)
    with pytest.raises(PocketIntentError, match="no words, only n-grams"):
        read_vectors(table)
    with pytest.raises(PocketIntentError, match=r"no n-grams with floret's hash"):
        write_vectors(again, read_vectors(tmp_path / "floret.bin"))


FLORET = b"2 3 2 4 2 2166136261 < >\n0 1 2 3 \n1 4 5 6 \n"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"1 4 5 6 \n", b"", "is truncated: the header announces 2 rows, but the file has 1"),
        (b"1 4 5 6", b"1 4 5", "line 3: 3 columns"),
        (b"1 4 5 6", b"2 4 5 6", "line 3: row '2' is not in order"),
        (b"1 4 5 6", b"1 4 nan 6", "line 3: the vector of '1' contains NaN"),
        (b"1 4 5 6", b"1 4 \xff 6", "line 3: '\ufffd' is not a number"),
        (b"1 4 5 6 \n", b"1 4 5 6 \n2 1 1 1\n", "line 4: has more rows than the 2"),
        (b"2 3 2", b"999999999999 3 2", "is truncated: the header announces 999999999999"),
        (b"2 3 2", b"2 99999999999 2", "line 1: vectors of 99999999999 dimensions"),
        (b"2 4 2 2", b"2 99 2 2", "line 1: n-gram settings need"),
        (b"4 2 2166136261", b"4 5 2166136261", "line 1: num_hashes"),
        (b"2166136261", b"7", "line 1: the seed must be 2166136261"),
        (b"< >", b"[ ]", "line 1: the seed must be .* brackets"),
    ],
)
def test_the_error_names_the_line_of_a_bad_floret_table(
    tmp_path: Path, old: bytes, new: bytes, message: str
) -> None:
    path = tmp_path / "t.floret"
    path.write_bytes(FLORET)
    assert read_vectors(path, subwords=True).subwords is not None
    path.write_bytes(FLORET.replace(old, new))
    with pytest.raises(PocketIntentError, match=rf"t\.floret(, |: ){message}"):
        read_vectors(path, subwords=True)


def sent2vec_file(words: list[bytes], table: np.ndarray, num_buckets: int) -> bytes:
    """A file as Sent2Vec writes it: its settings name n-grams of characters that it has not."""
    settings = (table.shape[1], 5, 5, 1, 10, 2, 2, 4, num_buckets, 3, 6, 100, 1e-4)
    entries = b"".join(word + b"\0" + struct.pack("<qb", 5, 0) for word in words)
    header = struct.pack("<2i9i2iid", 793712314, 11, *settings)
    sizes = struct.pack("<3i2q", len(words), len(words), 0, 14, -1)
    matrix = struct.pack("<?2q", False, *table.shape) + table.tobytes()
    return header + sizes + entries + matrix + struct.pack("<?2q", False, 0, 2)


def test_words_of_sent2vec_have_their_own_rows(tmp_path: Path) -> None:
    path = tmp_path / "sent2vec.bin"
    table = np.arange(14, dtype="<f4").reshape(7, 2)
    path.write_bytes(sent2vec_file([b"<PLACEHOLDER>", b"the", "für".encode()], table, 4))
    read = read_vectors(path, subwords=True)
    assert read.terms == ["the", "für"] and read.subwords is None
    assert np.array_equal(read.vectors, table[1:3])
    assert read_vectors(path, 1).terms == ["the"]


def test_the_error_names_the_byte_of_a_bad_binary_file(tmp_path: Path) -> None:
    path = tmp_path / "bad.bin"
    table = np.arange(14, dtype="<f4").reshape(7, 2)
    whole = sent2vec_file([b"the", b"of", b"and"], table, 4)
    for old, new, message in (
        (b"of\0", b"\xff\xfe\0", r"byte 105: the term .* is not UTF-8"),
        (b"and\0", b"the\0", r"byte 117: the term 'the' is a duplicate"),
        (table[1].tobytes(), struct.pack("<2f", 1, np.nan), r"byte 105: .* contains NaN"),
        (struct.pack("<3i", 3, 3, 0), struct.pack("<3i", 3, 2, 0), r"byte \d+: .* damaged"),
        (struct.pack("<3i", 3, 3, 0), struct.pack("<3i", 2**30, 2**30, 0), r"byte \d+: .*"),
        (struct.pack("<2q", 7, 2), struct.pack("<2q", 2**61, 2), r"byte \d+: .* truncated"),
        (struct.pack("<2q", 7, 2), struct.pack("<2q", -7, 2), r"byte \d+: .* damaged"),
        (struct.pack("<2i", 11, 2), struct.pack("<2i", 11, 2**30), r"byte \d+: .* damaged"),
        (struct.pack("<2i", 11, 2), struct.pack("<2i", 13, 2), "version 13 .* not supported"),
        (
            struct.pack("<2i", 4, 4),
            struct.pack("<2i", 5, 4),
            "models of .* cbow-c.w-ngrams are not supported",
        ),
    ):
        assert old in whole
        path.write_bytes(whole.replace(old, new, 1))
        with pytest.raises(PocketIntentError, match=rf"bad\.bin(, |: ){message}"):
            read_vectors(path)


@pytest.mark.parametrize("name", ["quantised.ftz", "pruned.ftz"])
def test_a_truncated_quantised_file_is_rejected_wherever_it_ends(tmp_path: Path, name: str) -> None:
    whole = (RESOURCES / name).read_bytes()
    path = tmp_path / "cut.ftz"
    for size in [*range(4, 140, 9), *range(140, len(whole), 401), len(whole) - 1]:
        path.write_bytes(whole[:size])
        with pytest.raises(PocketIntentError, match=r"cut\.ftz, byte \d+: .*(truncated|damaged)"):
            read_vectors(path)


def test_a_bad_ngram_is_found_when_the_ngrams_are_read(tmp_path: Path) -> None:
    path = tmp_path / "words.bin"
    whole = (RESOURCES / "words.bin").read_bytes()
    read = read_vectors(RESOURCES / "words.bin", subwords=True)
    assert read.subwords is not None
    settings, vectors = read.subwords.settings, read.subwords.vectors
    used = settings.buckets(read.terms[0])
    bucket = next(bucket for bucket in range(50) if bucket not in used)
    bad = np.full(3, np.inf, "<f4").tobytes()
    path.write_bytes(whole.replace(vectors[bucket].tobytes(), bad))
    assert len(read_vectors(path, 1)) == 1
    with pytest.raises(PocketIntentError, match=f"byte .*: row {bucket + 1} of the n-grams"):
        read_vectors(path, 1, subwords=True)
