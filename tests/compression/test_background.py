import numpy as np
import pytest

from pocketintent.compression.background import fit_background
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.text.ngram_counts import count_ngrams_of_texts

LINES = ["hello lamp", "play the music", "open a gate please", "i am hungry", "hi pizza thanks"]


def test_the_first_lines_are_kept_and_all_are_weighed(tiny_encoder: StaticEncoder) -> None:
    background = fit_background(tiny_encoder.encode_batch(LINES), LINES, 3)
    assert len(background) == 3
    assert np.allclose(background.vectors.decode(), tiny_encoder.encode_batch(LINES[:3]), atol=0.01)
    assert np.allclose(np.linalg.norm(background.ngrams.decode(), axis=1), 1, atol=0.01)
    num_texts = np.count_nonzero(count_ngrams_of_texts(LINES), axis=0)
    assert np.allclose(background.idf, np.log(6 / (1 + num_texts)) + 1, rtol=1e-3)


def test_a_rare_bucket_weighs_more_than_a_common_one(tiny_encoder: StaticEncoder) -> None:
    lines = ["lamp", "lamp", "pizza"]
    common, rare = (count_ngrams_of_texts([word])[0] != 0 for word in ("lamp", "pizza"))
    weights = fit_background(tiny_encoder.encode_batch(lines), lines, 3).idf
    assert 1 < weights[common & ~rare].max() < weights[rare & ~common].min()


def test_no_lines_make_no_background() -> None:
    with pytest.raises(PocketIntentError, match="no vectors"):
        fit_background(np.empty((0, 8), np.float32), [], 3)
