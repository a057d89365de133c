import gzip
import struct
from pathlib import Path

import numpy as np
import pytest

from models.vector_tables import random_table, same_table
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.vectors.reading import read_vectors
from pocketintent.training.vectors.table import TermVectors
from pocketintent.training.vectors.writing import write_vectors

GLOVE = b"the 0.5 -1 2e-3\nof 1 2 3\n, 4 5 6\n"


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("packed", [False, True])
def test_gensims_word2vec_files_are_read_whatever_their_name(
    tmp_path: Path, binary: bool, packed: bool
) -> None:
    models = pytest.importorskip("gensim.models")
    written = random_table(["the", "machine_learning", "naïve", "😀"], 50)
    keyed = models.KeyedVectors(50)
    keyed.add_vectors(written.terms, written.vectors)
    path = tmp_path / ("vectors.gz" if packed else "vectors")
    keyed.save_word2vec_format(str(path), binary=binary)
    assert same_table(read_vectors(path), written)


def test_glove_and_starspace_are_detected_by_their_content(tmp_path: Path) -> None:
    path = tmp_path / "vectors"
    expected = TermVectors(
        ["the", "of", ","], np.array([[0.5, -1, 2e-3], [1, 2, 3], [4, 5, 6]], "f")
    )
    for data in (GLOVE, b"\xef\xbb\xbf" + GLOVE, GLOVE.replace(b"\n", b" \r\n"), GLOVE + b"\n"):
        for text in (data, data.replace(b" ", b"\t"), b"3 3\n" + data.replace(b" ", b"\t")):
            path.write_bytes(text if not text.startswith(b"3 3\n\xef") else text[:4] + text[7:])
            assert same_table(read_vectors(path), expected)
            path.write_bytes(gzip.compress(path.read_bytes()))
            assert same_table(read_vectors(path), expected)


def test_spaces_in_terms_of_glove_become_underscores(tmp_path: Path) -> None:
    path = tmp_path / "glove"
    path.write_bytes(GLOVE + b". . . 7 8 9\nat name@domain.com 1 1 1\n")
    assert read_vectors(path).terms[3:] == ["._._.", "at_name@domain.com"]


BAD_ROWS = [
    (b"", "contains no vectors"),
    (b"\n \n", "contains no vectors"),
    (b"0 3\n", "contains no vectors"),
    (b"3 0\nthe\n", "line 1: vectors of 0 dimensions"),
    (b"3 99999999999\nthe 1\n", "line 1: vectors of 99999999999 dimensions"),
    (b"word\n", "line 1: vectors of 0 dimensions"),
    (b"some plain text\n", "line 1: 'plain' is not a number"),
    (GLOVE + b"to 1 2\n", "line 4: 3 columns; a row is a term and 3 numbers"),
    (GLOVE + b"to 1 2 3 4\n", "line 4: 5 columns"),
    (GLOVE + b"to 1 2 x\n", "line 4: 'x' is not a number"),
    (GLOVE + b"to 1 nan 3\n", "line 4: the vector of 'to' contains NaN or infinity"),
    (GLOVE + b"to 1 2 -inf\n", "line 4: the vector of 'to' contains NaN or infinity"),
    (GLOVE + b"to 1 2 1e39\n", "line 4: the vector of 'to' contains NaN or infinity"),
    (GLOVE + b"\nthe 1 2 3\n", "line 5: the term 'the' is a duplicate of row 1"),
    (GLOVE + b"t\xff 1 2 3\n", "line 4: the term .* is not UTF-8"),
    (b"a\t1\t2\nb c\t1\t2\t3\n", "line 2: 4 columns"),
    (b"a\t1\t2\n\t1\t2\n", "line 2: the term is empty"),
    (b"4 3\n" + GLOVE, "is truncated: the header announces 4 rows, but the file has 3"),
    (b"9 3\n", "the header announces 9 rows, but the file has none"),
    (b"2 3\n" + GLOVE, "has more rows than the 2 of its header"),
]


@pytest.mark.parametrize(("data", "message"), BAD_ROWS)
def test_the_error_names_the_line_of_bad_text(tmp_path: Path, data: bytes, message: str) -> None:
    for path, content in (("v", data), ("v.gz", gzip.compress(data))):
        (tmp_path / path).write_bytes(content)
        with pytest.raises(PocketIntentError, match=rf"{path}(, |: ){message}"):
            read_vectors(tmp_path / path)


def test_the_error_names_the_row_of_a_bad_binary_file(tmp_path: Path) -> None:
    path = tmp_path / "v.bin"
    written = random_table(["the", "of", "and"], 8)
    write_vectors(path, written)
    whole = path.read_bytes()
    for size in range(60, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(PocketIntentError, match=r"v\.bin, row [23] of 3: the file is trunc"):
            read_vectors(path)
    for old, new, message in (
        (b"of", b"\xff\xfe", "row 2 of 3: the term .* is not UTF-8"),
        (b"and ", b"the ", "row 3 of 3: the term 'the' is a duplicate"),
        (b"3 8\n", b"2 8\n", "is longer than the 2 rows"),
        (written.vectors[1].tobytes()[:4], struct.pack("<f", np.nan), "row 2 of 3: .* NaN"),
    ):
        path.write_bytes(whole.replace(old, new, 1))
        with pytest.raises(PocketIntentError, match=message):
            read_vectors(path)
    path.write_bytes(b"3 8\n" + bytes(1 << 17))
    with pytest.raises(PocketIntentError, match="row 1 of 3: the file is damaged"):
        read_vectors(path)


def test_a_file_of_another_format_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "v"
    for data in (bytes(100), GLOVE.decode().encode("utf-16"), b"\x80\x09\x95\0 no pickle"):
        path.write_bytes(data)
        with pytest.raises(
            PocketIntentError, match="neither text in UTF-8 nor one of the supported"
        ):
            read_vectors(path)


def test_a_truncated_gzip_a_missing_file_and_a_folder_are_rejected(tmp_path: Path) -> None:
    path = tmp_path / "v.gz"
    write_vectors(path, random_table([f"w{number}" for number in range(500)], 20))
    path.write_bytes(path.read_bytes()[:-900])
    with pytest.raises(PocketIntentError, match=r"v\.gz: broken gzip"):
        read_vectors(path)
    for bad in (tmp_path / "none", tmp_path):
        with pytest.raises(PocketIntentError, match=f"{bad}: cannot be read"):
            read_vectors(bad)
    with pytest.raises(PocketIntentError, match="limit of rows must be 1 or more"):
        read_vectors(path, 0)


def test_reading_stops_at_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "v"
    path.write_bytes(GLOVE + b"broken\n")
    assert len(read_vectors(path, 3)) == 3
    with pytest.raises(PocketIntentError, match="line 4"):
        read_vectors(path, 4)


def test_models_are_read_unless_packed(
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


def test_a_binary_file_of_another_program_names_the_laboratory(tmp_path: Path) -> None:
    path = tmp_path / "words.bin"
    path.write_bytes(struct.pack("<2i", 793712314, 12) + bytes(40))
    with pytest.raises(PocketIntentError, match=r"supported binary formats: .* laboratory"):
        read_vectors(path)
