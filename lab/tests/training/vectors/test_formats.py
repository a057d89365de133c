"""Formats of other programs, through the reading and writing of the product."""

from pathlib import Path

import numpy as np
import pytest

from models.vector_tables import random_table, same_table
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.training.vectors.table import Subwords, TermVectors, to_encoder
from pocketintent.training.vectors.writing import write_vectors


@pytest.mark.parametrize("suffix", [".floret", ".floret.gz"])
def test_spacy_reads_a_written_floret_table(tmp_path: Path, suffix: str) -> None:
    spacy, initialize = pytest.importorskip("spacy"), pytest.importorskip("spacy.training")
    rng = np.random.default_rng(0)
    table = Subwords(
        rng.standard_normal((97, 5), np.float32),
        NgramSettings(2, 4, 97, hash="floret", num_hashes=2),
    )
    vectors = TermVectors([], np.empty((0, 5), np.float32), table)
    write_vectors(tmp_path / f"v{suffix}", vectors)
    nlp = spacy.blank("en")
    path = tmp_path / f"v{suffix}"
    initialize.initialize.convert_vectors(nlp, path, truncate=0, prune=-1, mode="floret")
    encoder = to_encoder(vectors)
    for word in ("kitchen", "überall", "a"):
        expected = nlp.vocab.get_vector(word)
        np.testing.assert_allclose(encoder.embed_tokens([word])[0], expected, rtol=1e-5)


@pytest.mark.parametrize("suffix", [".txt", ".bin"])
def test_gensim_reads_the_written_files(tmp_path: Path, suffix: str) -> None:
    models = pytest.importorskip("gensim.models")
    written = random_table(["the", "machine_learning", "naïve"], 20)
    path = tmp_path / f"vectors{suffix}"
    write_vectors(path, written)
    keyed = models.KeyedVectors.load_word2vec_format(str(path), binary=suffix == ".bin")
    assert same_table(TermVectors(keyed.index_to_key, keyed.vectors), written)


def test_fasttext_starts_from_the_written_text(tmp_path: Path) -> None:
    floret = pytest.importorskip("floret")  # fastText's program, with the same reader
    written = random_table(["the", "machine_learning", "naïve"], 5)
    path, corpus = tmp_path / "vectors.vec", tmp_path / "corpus.txt"
    write_vectors(path, written)
    corpus.write_text("__label__a the word\n__label__b another\n")
    model = floret.train_supervised(
        str(corpus), pretrainedVectors=str(path), dim=5, lr=0.0, epoch=1, thread=1, verbose=0
    )
    for word, vector in zip(written.terms, written.vectors, strict=True):
        assert np.array_equal(model.get_word_vector(word), vector)
