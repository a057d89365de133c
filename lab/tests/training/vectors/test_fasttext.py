import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from models.vector_tables import same_table
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.vectors.reading import read_vectors
from pocketintent.training.vectors.table import TermVectors

FASTTEXT_KINDS = [{}, {"max_n": 0, "bucket": 0}, {"sg": 1, "min_n": 1, "max_n": 2}]


def fasttext_model(path: Path, **options: Any) -> Any:
    """Train a small model by gensim and save it in fastText's format."""
    fasttext = pytest.importorskip("gensim.models.fasttext")
    texts = [["machine", "learning", "für", "naïve", "😀"], ["a", "machine"]] * 5
    settings = {"vector_size": 7, "min_count": 1, "epochs": 1, "workers": 1, "bucket": 50}
    model = fasttext.FastText(texts, **(settings | options))
    fasttext.save_facebook_model(model, str(path))
    return model


@pytest.mark.parametrize("options", FASTTEXT_KINDS, ids=str)
def test_words_have_the_same_vectors_as_in_gensim(tmp_path: Path, options: dict[str, Any]) -> None:
    path = tmp_path / "model.bin"
    fasttext_model(path, **options)
    fasttext = pytest.importorskip("gensim.models.fasttext")
    keyed = fasttext.load_facebook_vectors(str(path))
    read = read_vectors(path)
    assert read.terms == keyed.index_to_key
    np.testing.assert_allclose(read.vectors, keyed.vectors, atol=1e-7)
    assert same_table(read_vectors(path, 2), TermVectors(read.terms[:2], read.vectors[:2].copy()))


def test_the_end_of_a_sentence_has_no_ngrams(tmp_path: Path) -> None:
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
    # the word itself and the n-grams <ab, ab> and <ab>
    assert not np.array_equal(read.vectors[1], table[1])


def test_truncated_files_are_rejected_wherever_they_end(tmp_path: Path) -> None:
    path, cut = tmp_path / "model.bin", tmp_path / "cut.bin"
    fasttext_model(path, bucket=4)
    whole = path.read_bytes()
    for size in [*range(4, 400, 7), *range(400, len(whole), 61), len(whole) - 1]:
        cut.write_bytes(whole[:size])
        with pytest.raises(PocketIntentError, match=r"cut\.bin.*(truncated|damaged)"):
            read_vectors(cut)
