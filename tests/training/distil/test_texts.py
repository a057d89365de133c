from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch")
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.distil.pipeline import prepare_texts
from pocketintent.training.distil.settings import DistilSettings
from pocketintent.training.vectors.table import TermVectors

SETTINGS = DistilSettings(dim=4, min_count=2, validation=0.0)
TEXTS = ["play jazz", "Play some_jazz!", "zebra", "play", "...", "stop stop", "nothing known"]


def targets(texts: list[str] = TEXTS, dim: int = 4) -> TermVectors:
    rng = np.random.default_rng(0)
    return TermVectors(texts, rng.standard_normal((len(texts), dim)).astype(np.float32))


def test_frequent_words_and_words_that_are_texts_by_themselves_get_vectors() -> None:
    words = prepare_texts(targets(), SETTINGS).words
    assert dict(zip(words.words, words.counts.tolist(), strict=True)) == {
        **{"play": 3, "jazz": 2, "stop": 2, "zebra": 1}
    }
    assert words.words[0] == "play"


def test_texts_become_ids_unless_they_have_no_known_word_or_direction() -> None:
    vectors = targets()
    vectors.vectors[3] = 0
    data = prepare_texts(vectors, SETTINGS)
    words, texts = data.words.words, data.training
    read = [
        [words[i] for i in texts.ids[first:last]]
        for first, last in zip(texts.offsets, texts.offsets[1:], strict=False)
    ]
    assert read == [["play", "jazz"], ["play", "jazz"], ["zebra"], ["stop", "stop"]]
    assert texts.owners().tolist() == [0, 0, 1, 1, 2, 3, 3]


def test_the_whole_of_a_long_text_is_read() -> None:
    data = prepare_texts(targets(["play jazz", f"{'play ' * 1000}jazz"]), SETTINGS)
    assert data.training.lengths.tolist() == [2, 1001]


def test_reduced_targets_lose_their_mean_and_keep_their_cosines() -> None:
    rng = np.random.default_rng(1)
    flat = (rng.standard_normal((len(TEXTS), 3)) @ rng.standard_normal((3, 8)) + 5).astype("f4")
    vectors = TermVectors(TEXTS, flat)
    cut = prepare_texts(vectors, replace(SETTINGS, dim=4)).training.targets
    whole = prepare_texts(vectors, replace(SETTINGS, dim=8)).training.targets
    assert cut.shape == (5, 4)
    np.testing.assert_allclose(cut @ cut.T, whole @ whole.T, atol=1e-4)
    unit = flat[[0, 1, 2, 3, 5]] / np.linalg.norm(flat[[0, 1, 2, 3, 5]], axis=1, keepdims=True)
    centred = unit - unit.mean(axis=0)
    centred /= np.linalg.norm(centred, axis=1, keepdims=True)
    np.testing.assert_allclose(whole, centred, atol=1e-4)


def test_only_texts_of_several_words_are_kept_out() -> None:
    words = ["play", "stop", "some", "jazz", "news", "lamp", "light"]
    texts = [f"{words[i % 7]} {words[i % 5]} {words[i % 3]}" for i in range(100)] + words
    data = prepare_texts(targets(texts), replace(SETTINGS, validation=0.3))
    assert 15 < len(data.validation) < 45
    assert len(data.training) + len(data.validation) == len(texts)
    assert (np.diff(data.validation.offsets) == 3).all()
    again = prepare_texts(targets(texts), replace(SETTINGS, validation=0.3))
    assert np.array_equal(again.validation.ids, data.validation.ids)


def test_a_dim_above_that_of_the_targets_is_refused() -> None:
    with pytest.raises(PocketIntentError, match="dim 5 is more than the 4 of the targets"):
        prepare_texts(targets(), replace(SETTINGS, dim=5))


def test_too_few_usable_texts_are_refused() -> None:
    with pytest.raises(PocketIntentError, match="no word that occurs 2 times"):
        prepare_texts(targets(["...", ""]), SETTINGS)
    with pytest.raises(PocketIntentError, match="1 usable texts"):
        prepare_texts(targets(["play play", "unheard of"]), SETTINGS)
    vectors = targets(["play", "stop"])
    vectors.vectors[:] = 0
    with pytest.raises(PocketIntentError, match="0 usable texts"):
        prepare_texts(vectors, SETTINGS)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"dim": 0}, "dim must be at least 1"),
        ({"max_words": 0}, "max_words must be at least 1"),
        ({"learning_rate": float("nan")}, "learning_rate must be a finite number"),
        ({"validation": 1.0}, "validation must be at least 0 and below 1"),
        ({"frequency_weight": -1.0}, "frequency_weight must be at least 0"),
        ({"tokenizer": "spaces"}, "tokenizer must be one of simple, tweet"),
        ({"seed": -1}, "seed must be at least 0"),
    ],
)
def test_bad_settings_are_refused_by_name(setting: dict[str, object], message: str) -> None:
    with pytest.raises(PocketIntentError, match=message):
        replace(SETTINGS, **setting).check()  # type: ignore[arg-type]
