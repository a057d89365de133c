from pathlib import Path

import numpy as np
import pytest

from pocketintent.runtime.background import Background, inverse_document_frequency
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import ModelFileError, PocketIntentError
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.text.ngram_counts import NUM_BUCKETS, count_ngrams_of_texts

LINES = ["hello lamp", "play the music", "open a gate please", "i am hungry", "hi pizza thanks"]


@pytest.fixture
def background(tiny_encoder: StaticEncoder) -> Background:
    return Background.fit(tiny_encoder.encode_batch(LINES), LINES, 3)


def test_the_first_lines_are_kept_and_all_are_weighed(
    tiny_encoder: StaticEncoder, background: Background
) -> None:
    assert len(background) == 3
    assert np.allclose(background.vectors.decode(), tiny_encoder.encode_batch(LINES[:3]), atol=0.01)
    counts = count_ngrams_of_texts(LINES)
    assert np.allclose(background.idf, inverse_document_frequency(counts), rtol=1e-3)
    assert np.allclose(np.linalg.norm(background.ngrams.decode(), axis=1), 1, atol=0.01)


def test_a_rare_bucket_weighs_more_than_a_common_one() -> None:
    weights = inverse_document_frequency(np.array([[1, -1], [2, 0], [1, 0]], np.float32))
    assert weights[1] > weights[0] == 1


def test_parts_that_do_not_fit_are_refused(
    tiny_encoder: StaticEncoder, background: Background
) -> None:
    short = DenseMatrix(background.ngrams.decode()[:2])
    with pytest.raises(ModelFileError, match="3 vectors and n-grams of the shape"):
        Background(background.vectors, short, background.idf)
    with pytest.raises(ModelFileError, match="512 finite numbers"):
        Background(background.vectors, background.ngrams, background.idf[:9])
    with pytest.raises(ModelFileError, match="512 finite numbers"):
        Background(background.vectors, background.ngrams, background.idf * np.nan)
    wide = DenseMatrix(np.ones((3, tiny_encoder.dim + 1), np.float32))
    with pytest.raises(ModelFileError, match="the background has 33 dimensions"):
        tiny_encoder.replace(background=Background(wide, background.ngrams, background.idf))


@pytest.mark.parametrize("entry", [[], {}, {"vectors": 1, "ngrams": {}}, "x"])
def test_a_damaged_entry_is_refused(
    entry: object, tiny_encoder: StaticEncoder, background: Background, tmp_path: Path
) -> None:
    path = tmp_path / "model.safetensors"
    manifest, tensors = tiny_encoder.replace(background=background).to_model_file_parts()
    save_model(path, manifest | {"background": entry}, tensors)
    with pytest.raises(ModelFileError, match="background"):
        load_encoder(path)


def test_the_weights_must_be_half_precision(
    tiny_encoder: StaticEncoder, background: Background, tmp_path: Path
) -> None:
    path = tmp_path / "model.safetensors"
    manifest, tensors = tiny_encoder.replace(background=background).to_model_file_parts()
    wrong = tensors | {"background.idf": np.ones(NUM_BUCKETS, np.float32)}
    save_model(path, manifest, wrong)
    with pytest.raises(ModelFileError, match=r"background.idf is float32 .* must be float16"):
        load_encoder(path)


def test_no_lines_make_no_background() -> None:
    with pytest.raises(PocketIntentError, match="at least one line"):
        Background.fit(np.empty((0, 8), np.float32), [], 3)
