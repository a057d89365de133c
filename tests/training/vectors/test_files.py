import gzip
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.vectors.files import TermVectors, read_vectors, to_encoder, write_vectors

SUFFIXES = [".txt", ".vec", ".txt.gz", ".bin", ".bin.gz", ".tsv", ".tsv.gz", ".safetensors"]
GLOVE = b"the 0.5 -1 2e-3\nof 1 2 3\n, 4 5 6\n"


def make(terms: list[str], dim: int = 3, seed: int = 0) -> TermVectors:
    rng = np.random.default_rng(seed)
    return TermVectors(terms, rng.standard_normal((len(terms), dim), np.float32))


def same(read: TermVectors, written: TermVectors) -> bool:
    equal = read.vectors.tobytes() == written.vectors.tobytes()
    return read.terms == written.terms and equal and read.vectors.dtype == np.float32


term = st.text(
    st.characters(exclude_categories=["Cs", "Zs", "Zl", "Zp", "Cc"], exclude_characters="\ufeff"),
    min_size=1,
    max_size=12,
)
number = st.floats(width=32, allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(data=st.data())
@settings(max_examples=30)
def test_what_is_written_is_read_bit_for_bit(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, data: st.DataObject
) -> None:
    terms = data.draw(st.lists(term, min_size=1, max_size=6, unique=True))
    dim = data.draw(st.integers(4, 9))
    rows = st.lists(number, min_size=dim, max_size=dim)
    vectors = data.draw(st.lists(rows, min_size=len(terms), max_size=len(terms)))
    written = TermVectors(terms, np.array(vectors, np.float32))
    path = tmp_path_factory.mktemp("vectors") / f"v{suffix}"
    write_vectors(path, written)
    assert same(read_vectors(path), written)
    limit = data.draw(st.integers(1, len(terms) + 1))
    assert same(
        read_vectors(path, limit), TermVectors(terms[:limit], written.vectors[:limit].copy())
    )
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("suffix", [".bin", ".bin.gz"])
def test_a_binary_row_that_begins_like_a_line_of_text_is_read(tmp_path: Path, suffix: str) -> None:
    number = np.frombuffer(b"1\n\x03[", np.float32)[0]  # after a term and a space: a row of text
    written = TermVectors(["0"], np.array([[number, 0, 0, 0]], np.float32))
    write_vectors(tmp_path / f"v{suffix}", written)
    assert same(read_vectors(tmp_path / f"v{suffix}"), written)


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("packed", [False, True])
def test_word2vec_files_of_gensim_are_read_whatever_their_name(
    tmp_path: Path, binary: bool, packed: bool
) -> None:
    models = pytest.importorskip("gensim.models")
    written = make(["the", "machine_learning", "naïve", "😀"], 50)
    keyed = models.KeyedVectors(50)
    keyed.add_vectors(written.terms, written.vectors)
    path = tmp_path / ("vectors.gz" if packed else "vectors")
    keyed.save_word2vec_format(str(path), binary=binary)
    assert same(read_vectors(path), written)


@pytest.mark.parametrize("suffix", [".txt", ".bin"])
def test_gensim_reads_what_is_written(tmp_path: Path, suffix: str) -> None:
    models = pytest.importorskip("gensim.models")
    written = make(["the", "machine_learning", "naïve"], 20)
    path = tmp_path / f"vectors{suffix}"
    write_vectors(path, written)
    keyed = models.KeyedVectors.load_word2vec_format(str(path), binary=suffix == ".bin")
    assert same(TermVectors(keyed.index_to_key, keyed.vectors), written)


FASTTEXT_KINDS = [{}, {"max_n": 0, "bucket": 0}, {"sg": 1, "min_n": 1, "max_n": 2}]


def fasttext_model(path: Path, **options: Any) -> Any:
    """Train and save a small model of gensim's in fastText's format."""
    fasttext = pytest.importorskip("gensim.models.fasttext")
    texts = [["machine", "learning", "für", "naïve", "😀"], ["a", "machine"]] * 5
    settings = {"vector_size": 7, "min_count": 1, "epochs": 1, "workers": 1, "bucket": 50}
    model = fasttext.FastText(texts, **(settings | options))
    fasttext.save_facebook_model(model, str(path))
    return model


@pytest.mark.parametrize("options", FASTTEXT_KINDS, ids=str)
def test_words_of_a_fasttext_model_have_the_vectors_that_gensim_loads(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    path = tmp_path / "model.bin"
    fasttext_model(path, **options)
    fasttext = pytest.importorskip("gensim.models.fasttext")
    keyed = fasttext.load_facebook_vectors(str(path))
    read = read_vectors(path)
    assert read.terms == keyed.index_to_key
    np.testing.assert_allclose(read.vectors, keyed.vectors, atol=1e-7)
    assert same(read_vectors(path, 2), TermVectors(read.terms[:2], read.vectors[:2].copy()))


def test_the_end_of_a_sentence_has_no_ngrams_in_fasttext(tmp_path: Path) -> None:
    pytest.importorskip("gensim")
    path = tmp_path / "model.bin"
    table = np.arange(12, dtype="<f4").reshape(6, 2)
    header = struct.pack("<2i12id", 793712314, 12, 2, 5, 1, 1, 5, 1, 1, 1, 4, 3, 6, 100, 1e-4)
    words = b"</s>\0" + struct.pack("<qb", 9, 0) + b"ab\0" + struct.pack("<qb", 5, 0)
    sizes = struct.pack("<3i2q", 2, 2, 0, 14, -1)
    matrix = struct.pack("<?2q", False, 6, 2) + table.tobytes()
    output = struct.pack("<?2q", False, 2, 2) + bytes(16)
    path.write_bytes(header + sizes + words + matrix + output)
    read = read_vectors(path)
    assert read.vectors[0].tolist() == table[0].tolist()
    # <ab, ab> and <ab> besides the word itself
    assert not np.array_equal(read.vectors[1], table[1])


def test_every_cut_of_a_fasttext_model_is_named(tmp_path: Path) -> None:
    path, cut = tmp_path / "model.bin", tmp_path / "cut.bin"
    fasttext_model(path, bucket=4)
    whole = path.read_bytes()
    for size in [*range(4, 400, 7), *range(400, len(whole), 61), len(whole) - 1]:
        cut.write_bytes(whole[:size])
        with pytest.raises(PocketIntentError, match=r"cut\.bin.*(truncated|damaged)"):
            read_vectors(cut)


def test_glove_and_starspace_are_known_by_what_they_hold(tmp_path: Path) -> None:
    path = tmp_path / "vectors"
    wanted = TermVectors(["the", "of", ","], np.array([[0.5, -1, 2e-3], [1, 2, 3], [4, 5, 6]], "f"))
    for data in (GLOVE, b"\xef\xbb\xbf" + GLOVE, GLOVE.replace(b"\n", b" \r\n"), GLOVE + b"\n"):
        for text in (data, data.replace(b" ", b"\t"), b"3 3\n" + data.replace(b" ", b"\t")):
            path.write_bytes(text if not text.startswith(b"3 3\n\xef") else text[:4] + text[7:])
            assert same(read_vectors(path), wanted)
            path.write_bytes(gzip.compress(path.read_bytes()))
            assert same(read_vectors(path), wanted)


def test_terms_of_glove_that_hold_spaces_are_joined(tmp_path: Path) -> None:
    path = tmp_path / "glove"
    path.write_bytes(GLOVE + b". . . 7 8 9\nat name@domain.com 1 1 1\n")
    assert read_vectors(path).terms[3:] == ["._._.", "at_name@domain.com"]


def test_terms_of_a_table_keep_their_spaces_and_others_get_underscores(tmp_path: Path) -> None:
    written = make(["turn on the light", "machine\u00a0 learning"])
    write_vectors(tmp_path / "v.tsv", written)
    assert same(read_vectors(tmp_path / "v.tsv"), written)
    write_vectors(tmp_path / "v.txt", written)
    assert read_vectors(tmp_path / "v.txt").terms == ["turn_on_the_light", "machine_learning"]


BAD_ROWS = [
    (b"", "holds no vectors"),
    (b"\n \n", "holds no vectors"),
    (b"0 3\n", "holds no vectors"),
    (b"3 0\nthe\n", "line 1: vectors of 0 dimensions"),
    (b"3 99999999999\nthe 1\n", "line 1: vectors of 99999999999 dimensions"),
    (b"word\n", "line 1: vectors of 0 dimensions"),
    (b"some plain text\n", "line 1: 'plain' is no number"),
    (GLOVE + b"to 1 2\n", "line 4: 3 columns, wanted a term and 3 numbers"),
    (GLOVE + b"to 1 2 3 4\n", "line 4: 5 columns"),
    (GLOVE + b"to 1 2 x\n", "line 4: 'x' is no number"),
    (GLOVE + b"to 1 nan 3\n", "line 4: the vector of 'to' holds NaN or infinity"),
    (GLOVE + b"to 1 2 -inf\n", "line 4: the vector of 'to' holds NaN or infinity"),
    (GLOVE + b"to 1 2 1e39\n", "line 4: the vector of 'to' holds NaN or infinity"),
    (GLOVE + b"\nthe 1 2 3\n", "line 5: the term 'the' stands a second time, it is row 1"),
    (GLOVE + b"t\xff 1 2 3\n", "line 4: the term .* is not UTF-8"),
    (b"a\t1\t2\nb c\t1\t2\t3\n", "line 2: 4 columns"),
    (b"a\t1\t2\n\t1\t2\n", "line 2: the term is empty"),
    (b"4 3\n" + GLOVE, "is truncated: the header says 4 rows, the file has 3"),
    (b"9 3\n", "the header says 9 rows, the file has none"),
    (b"2 3\n" + GLOVE, "has more rows than the 2 of its header"),
]


@pytest.mark.parametrize(("data", "message"), BAD_ROWS)
def test_bad_text_is_named_with_its_line(tmp_path: Path, data: bytes, message: str) -> None:
    for path, content in (("v", data), ("v.gz", gzip.compress(data))):
        (tmp_path / path).write_bytes(content)
        with pytest.raises(PocketIntentError, match=rf"{path}(, |: ){message}"):
            read_vectors(tmp_path / path)


def test_bad_binary_is_named_with_its_row(tmp_path: Path) -> None:
    path = tmp_path / "v.bin"
    written = make(["the", "of", "and"], 8)
    write_vectors(path, written)
    whole = path.read_bytes()
    for size in range(60, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(PocketIntentError, match=r"v\.bin, row [23] of 3: the file is trunc"):
            read_vectors(path)
    for old, new, message in (
        (b"of", b"\xff\xfe", "row 2 of 3: the term .* is not UTF-8"),
        (b"and ", b"the ", "row 3 of 3: the term 'the' stands a second time"),
        (b"3 8\n", b"2 8\n", "is longer than the 2 rows"),
        (written.vectors[1].tobytes()[:4], struct.pack("<f", np.nan), "row 2 of 3: .* NaN"),
    ):
        path.write_bytes(whole.replace(old, new, 1))
        with pytest.raises(PocketIntentError, match=message):
            read_vectors(path)
    path.write_bytes(b"3 8\n" + bytes(1 << 17))
    with pytest.raises(PocketIntentError, match="row 1 of 3: the file is damaged"):
        read_vectors(path)


def test_a_file_of_no_known_format_is_named(tmp_path: Path) -> None:
    path = tmp_path / "v"
    for data in (bytes(100), GLOVE.decode().encode("utf-16"), b"\x80\x04\x95\0 a pickle"):
        path.write_bytes(data)
        with pytest.raises(PocketIntentError, match="neither text in UTF-8 nor one of the binary"):
            read_vectors(path)


def test_a_cut_gzip_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    path = tmp_path / "v.gz"
    write_vectors(path, make([f"w{number}" for number in range(500)], 20))
    path.write_bytes(path.read_bytes()[:-900])
    with pytest.raises(PocketIntentError, match=r"v\.gz: broken gzip"):
        read_vectors(path)
    for bad in (tmp_path / "none", tmp_path):
        with pytest.raises(PocketIntentError, match=f"{bad}: cannot be read"):
            read_vectors(bad)
    with pytest.raises(PocketIntentError, match="limit of rows must be 1 or more"):
        read_vectors(path, 0)


def test_a_limit_reads_no_further(tmp_path: Path) -> None:
    path = tmp_path / "v"
    path.write_bytes(GLOVE + b"broken\n")
    assert len(read_vectors(path, 3)) == 3
    with pytest.raises(PocketIntentError, match="line 4"):
        read_vectors(path, 4)


def test_models_are_read_and_packed_ones_refused(
    tmp_path: Path, tiny_encoder: StaticEncoder, tiny_model: Path
) -> None:
    read = read_vectors(tiny_model, 5)
    assert read.terms == tiny_encoder.vocabulary.words[:5]
    assert np.array_equal(read.vectors, tiny_encoder.words.decode()[:5])
    packed = tmp_path / "model.safetensors.gz"
    packed.write_bytes(gzip.compress(tiny_model.read_bytes()))
    with pytest.raises(PocketIntentError, match="unpack it"):
        read_vectors(packed)
    (tmp_path / "cut.safetensors").write_bytes(tiny_model.read_bytes()[:500])
    with pytest.raises(PocketIntentError, match=r"cut\.safetensors .*truncated"):
        read_vectors(tmp_path / "cut.safetensors")


BAD_VECTORS = [
    (make([]), "no vectors"),
    (make(["a", " "]), "term 1 is empty"),
    (make(["a", "b c", "b_c"]), "terms 1 and 2 are both 'b_c'"),
    (make(["a", "\ud800"]), "not valid Unicode"),
    (TermVectors(["a"], np.array([[np.inf]], np.float32)), "the vector of 'a' is not finite"),
]


@pytest.mark.parametrize(("vectors", "message"), BAD_VECTORS)
def test_what_cannot_be_written_leaves_the_old_file(
    tmp_path: Path, vectors: TermVectors, message: str
) -> None:
    path = tmp_path / "v.txt"
    path.write_text("old")
    with pytest.raises(PocketIntentError, match=message):
        write_vectors(path, vectors)
    with pytest.raises(PocketIntentError, match="holds a tab"):
        write_vectors(tmp_path / "v.tsv", make(["a\tb"]))
    assert [file.read_text() for file in tmp_path.iterdir()] == ["old"]


def test_vectors_need_one_row_for_each_term() -> None:
    for rows in (np.zeros((2, 3), np.float32), np.zeros((1, 3)), np.zeros(1, np.float32)):
        with pytest.raises(PocketIntentError, match="1 terms need float32"):
            TermVectors(["a"], rows)


def test_an_encoder_of_vectors_sums_the_words_it_knows(tmp_path: Path) -> None:
    vectors = make(["good", "morning", "good_morning"])
    encoder = to_encoder(vectors, manifest={"training": {"method": "none"}})
    total = vectors.vectors[0] + vectors.vectors[1]
    wanted = total / np.linalg.norm(total)
    np.testing.assert_allclose(encoder.encode("Good morning, Vienna"), wanted, rtol=1e-6)
    write_vectors(tmp_path / "m.safetensors", vectors)
    np.testing.assert_allclose(
        load_encoder(tmp_path / "m.safetensors").encode("good morning"), wanted, rtol=1e-6
    )
