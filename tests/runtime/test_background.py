from pathlib import Path

import numpy as np
import pytest

from pocketintent.compression.background import fit_background
from pocketintent.runtime.background import Background
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import ModelFileError
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.text.ngram_counts import NUM_BUCKETS

LINES = ["hello lamp", "play the music", "open a gate please", "i am hungry", "hi pizza thanks"]


@pytest.fixture
def background(tiny_encoder: StaticEncoder) -> Background:
    return fit_background(tiny_encoder.encode_batch(LINES), LINES, 3)


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
