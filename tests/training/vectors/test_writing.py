from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from models.vector_tables import random_table, same_table
from pocketintent.runtime.arrays import LARGEST
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.vectors.reading import read_vectors
from pocketintent.training.vectors.table import TermVectors
from pocketintent.training.vectors.writing import write_vectors

SUFFIXES = [".txt", ".vec", ".txt.gz", ".bin", ".bin.gz", ".tsv", ".tsv.gz", ".safetensors"]


term = st.text(
    st.characters(exclude_categories=["Cs", "Zs", "Zl", "Zp", "Cc"], exclude_characters="\ufeff"),
    min_size=1,
    max_size=12,
)


number = st.floats(width=32, allow_nan=False, allow_infinity=False)
model_number = st.floats(-LARGEST, LARGEST, width=32)  # a model file refuses larger ones


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(data=st.data())
@settings(max_examples=30)
def test_vectors_survive_writing_and_reading_bit_for_bit(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, data: st.DataObject
) -> None:
    terms = data.draw(st.lists(term, min_size=1, max_size=6, unique=True))
    dim = data.draw(st.integers(4, 9))
    numbers = model_number if suffix == ".safetensors" else number
    rows = st.lists(numbers, min_size=dim, max_size=dim)
    vectors = data.draw(st.lists(rows, min_size=len(terms), max_size=len(terms)))
    written = TermVectors(terms, np.array(vectors, np.float32))
    path = tmp_path_factory.mktemp("vectors") / f"v{suffix}"
    write_vectors(path, written)
    assert same_table(read_vectors(path), written)
    limit = data.draw(st.integers(1, len(terms) + 1))
    assert same_table(
        read_vectors(path, limit), TermVectors(terms[:limit], written.vectors[:limit].copy())
    )
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("suffix", [".bin", ".bin.gz"])
def test_a_binary_row_that_begins_like_a_line_of_text_is_read(tmp_path: Path, suffix: str) -> None:
    number = np.frombuffer(b"1\n\x03[", np.float32)[0]  # after a term and a space: a row of text
    written = TermVectors(["0"], np.array([[number, 0, 0, 0]], np.float32))
    write_vectors(tmp_path / f"v{suffix}", written)
    assert same_table(read_vectors(tmp_path / f"v{suffix}"), written)


def test_a_small_binary_file_whose_numbers_are_text_is_read(tmp_path: Path) -> None:
    number = np.frombuffer(b"XD[ aaaabbbbcccc", np.float32)
    written = TermVectors(["0", "1"], np.array([number, number], np.float32))
    write_vectors(tmp_path / "v.bin", written)
    assert same_table(read_vectors(tmp_path / "v.bin"), written)


@pytest.mark.parametrize("suffix", [".vec", ".vec.gz"])
def test_spacy_reads_the_written_text(tmp_path: Path, suffix: str) -> None:
    spacy, initialize = pytest.importorskip("spacy"), pytest.importorskip("spacy.training")
    written = random_table(["the", "machine_learning", "naïve", "😀"], 5)
    write_vectors(tmp_path / f"v{suffix}", written)
    nlp = spacy.blank("en")
    initialize.initialize.convert_vectors(nlp, tmp_path / f"v{suffix}", truncate=0, prune=-1)
    for word, vector in zip(written.terms, written.vectors, strict=True):
        assert np.array_equal(nlp.vocab.get_vector(word), vector)


def test_terms_keep_their_spaces_only_in_tsv(tmp_path: Path) -> None:
    written = random_table(["turn on the light", "machine\u00a0 learning"])
    write_vectors(tmp_path / "v.tsv", written)
    assert same_table(read_vectors(tmp_path / "v.tsv"), written)
    write_vectors(tmp_path / "v.txt", written)
    assert read_vectors(tmp_path / "v.txt").terms == ["turn_on_the_light", "machine_learning"]


BAD_VECTORS = [
    (random_table([]), "no vectors"),
    (random_table(["a", " "]), "term 1 is empty"),
    (random_table(["a", "b c", "b_c"]), "terms 1 and 2 are both 'b_c'"),
    (random_table(["a", "\ud800"]), "not valid Unicode"),
    (TermVectors(["a"], np.array([[np.inf]], np.float32)), "the vector of 'a' is not finite"),
]


@pytest.mark.parametrize(("vectors", "message"), BAD_VECTORS)
def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, vectors: TermVectors, message: str
) -> None:
    path = tmp_path / "v.txt"
    path.write_text("old")
    with pytest.raises(PocketIntentError, match=message):
        write_vectors(path, vectors)
    with pytest.raises(PocketIntentError, match="contains a tab"):
        write_vectors(tmp_path / "v.tsv", random_table(["a\tb"]))
    assert [file.read_text() for file in tmp_path.iterdir()] == ["old"]


def test_numbers_that_overflow_in_a_sum_are_not_written_to_a_model(tmp_path: Path) -> None:
    path = tmp_path / "v.safetensors"
    with pytest.raises(PocketIntentError, match="NaN, infinite or beyond 65504"):
        write_vectors(path, TermVectors(["a"], np.full((1, 4), 1e30, np.float32)))
    assert not path.exists()


def test_a_format_of_the_laboratory_is_not_written_as_text(tmp_path: Path) -> None:
    for name in ("v.floret", "v.floret.gz"):
        with pytest.raises(PocketIntentError, match=r"cannot be written.*need the laboratory"):
            write_vectors(tmp_path / name, random_table(["a"]))
    assert list(tmp_path.iterdir()) == []
