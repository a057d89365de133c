"""Vectors that gensim saved by ``KeyedVectors.save``."""

import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.vector_tables import random_table, same_table
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.vectors.reading import read_vectors
from pocketintent.training.vectors.table import to_encoder

WRITTEN = random_table(["the", "machine_learning", "naïve", "😀"], 6)
SAVINGS: list[dict[str, Any]] = [
    {},
    {"pickle_protocol": 2},
    {"pickle_protocol": 5},
    {"separately": ["vectors"]},
]


def keyed_vectors() -> Any:
    """gensim's object with the vectors of ``WRITTEN``."""
    models = pytest.importorskip("gensim.models")
    keyed = models.KeyedVectors(6)
    keyed.add_vectors(WRITTEN.terms, WRITTEN.vectors)
    keyed.set_vecattr("the", "count", 7)
    return keyed


@pytest.mark.parametrize("saving", SAVINGS, ids=str)
@pytest.mark.parametrize("name", ["words", "words.kv.gz"])
def test_vectors_that_gensim_saved_are_read(
    tmp_path: Path, saving: dict[str, Any], name: str
) -> None:
    keyed_vectors().save(str(tmp_path / name), **saving)
    assert same_table(read_vectors(tmp_path / name), WRITTEN)
    assert read_vectors(tmp_path / name, 2).terms == WRITTEN.terms[:2]


@pytest.mark.parametrize("separately", [None, ["vectors_vocab", "vectors_ngrams"]])
def test_unknown_words_of_fasttext_have_gensims_vectors(
    tmp_path: Path, separately: list[str] | None
) -> None:
    models = pytest.importorskip("gensim.models")
    texts = [["kitchen", "für", "naïve", "😀"], ["light"]] * 5
    model = models.FastText(texts, vector_size=7, min_count=1, epochs=1, bucket=50, min_n=1)
    path = tmp_path / "words.kv"
    model.wv.save(str(path), separately=separately)
    read = read_vectors(path, subwords=True)
    assert read.terms == model.wv.index_to_key
    np.testing.assert_allclose(read.vectors, model.wv.vectors, rtol=1e-5, atol=1e-8)
    words = ["kitchens", "überall", "😀😀", "a"]
    encoder = to_encoder(read)
    np.testing.assert_allclose(
        encoder.embed_tokens(words), [model.wv[word] for word in words], rtol=1e-5, atol=1e-8
    )


class _Call:
    """Pickled as a call of ``os.mkdir``."""

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (self.folder,)


@pytest.mark.parametrize("protocol", range(2, 6))
def test_nothing_that_a_pickle_names_is_run(tmp_path: Path, protocol: int) -> None:
    path, made = tmp_path / "words.kv", tmp_path / "made"
    path.write_bytes(pickle.dumps({"vectors": _Call(made)}, protocol))
    with pytest.raises(PocketIntentError, match=r"words\.kv: the pickle contains \w+\.mkdir"):
        read_vectors(path)
    assert not made.exists()


def test_whole_models_and_other_pickles_are_rejected(tmp_path: Path) -> None:
    models = pytest.importorskip("gensim.models")
    path = tmp_path / "model"
    models.Word2Vec([["a", "b"]], vector_size=2, min_count=1, epochs=1).save(str(path))
    with pytest.raises(PocketIntentError, match=r"save the vectors alone: model\.wv\.save"):
        read_vectors(path)
    path.write_bytes(pickle.dumps({"a": [1.0, 2.0]}))
    with pytest.raises(PocketIntentError, match="contains 'dict' instead of gensim's Keyed"):
        read_vectors(path)


def test_a_truncated_pickle_is_rejected_wherever_it_ends(tmp_path: Path) -> None:
    path = tmp_path / "words.kv"
    keyed_vectors().save(str(path))
    whole = path.read_bytes()
    for size in range(2, len(whole), 7):
        path.write_bytes(whole[:size])
        with pytest.raises(PocketIntentError, match=r"words\.kv, byte \d+: .*truncated"):
            read_vectors(path)


def test_a_damaged_pickle_is_an_error_not_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "words.kv"
    keyed_vectors().save(str(path))
    whole = path.read_bytes()
    rng = np.random.default_rng(0)
    for place in rng.integers(2, len(whole), 200).tolist():
        path.write_bytes(whole[:place] + bytes([rng.integers(256)]) + whole[place + 1 :])
        try:
            read_vectors(path)
        except PocketIntentError as error:
            assert str(path) in str(error)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda kv: kv.index_to_key.append("more"), "has 5 words, but 4 vectors"),
        (lambda kv: kv.index_to_key.__setitem__(2, "the"), "word 3: the term 'the' is a duplicate"),
        (lambda kv: kv.index_to_key.__setitem__(2, 5), "has no list of words"),
        (lambda kv: kv.index_to_key.__setitem__(2, "\ud800"), "word 3: the term .* not UTF-8"),
        (lambda kv: kv.vectors.__setitem__((1, 0), np.nan), "word 2: .* contains NaN"),
        (lambda kv: setattr(kv, "vectors", kv.vectors[0]), "instead of a matrix of floats"),
        (lambda kv: delattr(kv, "vectors"), "the pickle has no 'syn0'"),
        (lambda kv: kv.index_to_key.clear(), "contains no vectors"),
    ],
)
def test_bad_vectors_are_rejected(tmp_path: Path, change: Any, message: str) -> None:
    keyed = keyed_vectors()
    change(keyed)
    path = tmp_path / "words.kv"
    path.write_bytes(pickle.dumps(keyed, 4))
    with pytest.raises(PocketIntentError, match=message):
        read_vectors(path)


def test_a_missing_or_damaged_side_file_is_named(tmp_path: Path) -> None:
    path, side = tmp_path / "words.kv", tmp_path / "words.kv.vectors.npy"
    keyed_vectors().save(str(path), separately=["vectors"])
    whole = side.read_bytes()
    for data in (whole[:50], whole[:-3], b"", b"\x80\x04 a pickle"):
        side.write_bytes(data)
        with pytest.raises(PocketIntentError, match=r"words\.kv\.vectors\.npy: is not an array"):
            read_vectors(path)
    side.unlink()
    with pytest.raises(PocketIntentError, match=r"the file words\.kv\.vectors\.npy is missing"):
        read_vectors(path)


def test_vectors_of_an_old_gensim_are_read(tmp_path: Path) -> None:
    keyed = keyed_vectors()
    keyed.__dict__ = {"index2word": WRITTEN.terms, "syn0": WRITTEN.vectors, "vector_size": 6}
    data = pickle.dumps(keyed, 2)
    names = (b"keyedvectors\nKeyedVectors\n", b"keyedvectors\nWord2VecKeyedVectors\n")
    assert names[0] in data
    (tmp_path / "old").write_bytes(data.replace(*names))
    assert same_table(read_vectors(tmp_path / "old"), WRITTEN)
