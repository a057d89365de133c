from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.random_networks import random_network
from pocketintent.compression.codebooks import encode_matrix, fit_quantizer
from pocketintent.compression.prune import (
    frequent_words,
    keep_frequent,
    load_word_model,
    read_sentences,
    select_by_norm,
    without_ngrams,
)
from pocketintent.recognizer import IntentRecognizer
from pocketintent.runtime.encoders.charemb.network import CharNetwork
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.text.characters import CharVocabulary
from pocketintent.runtime.text.ngrams import NgramSettings
from pocketintent.runtime.text.vocabulary import Vocabulary

WORDS = ["on", "off", "light", "lamp", "please", "music", "play", "the"]


def make_encoder(quantised: bool = False) -> StaticEncoder:
    vectors = np.random.default_rng(0).standard_normal((len(WORDS), 6), dtype=np.float32)
    if not quantised:
        return StaticEncoder(Vocabulary(WORDS), DenseMatrix(vectors))
    quantizer = fit_quantizer(vectors, sub_dim=2, codebook_size=4)
    return StaticEncoder(Vocabulary(WORDS), encode_matrix(vectors, quantizer))


def as_sentences(lists: list[list[int]]) -> list[np.ndarray]:
    return [np.array(words, np.int32) for words in lists]


def test_the_most_frequent_words_are_found_in_their_order() -> None:
    encoder = make_encoder().replace(counts=np.array([3, 9, 1, 9, 4, 0, 0, 0], dtype=np.uint32))
    assert frequent_words(encoder, 3).tolist() == [1, 3, 4]
    assert frequent_words(encoder, 1).tolist() == [1]
    assert frequent_words(encoder, 99).tolist() == frequent_words(make_encoder(), 99).tolist()
    assert frequent_words(make_encoder(), 3).tolist() == [0, 1, 2]


@given(
    st.lists(st.lists(st.integers(0, 29), min_size=1, max_size=6), max_size=40),
    st.integers(1, 30),
    st.integers(0, 2**32 - 1),
)
def test_pruning_by_norm_leaves_no_sentence_without_a_word(
    lists: list[list[int]], keep: int, seed: int
) -> None:
    norms = np.random.default_rng(seed).random(30, dtype=np.float32)
    try:
        ids = select_by_norm(norms, as_sentences(lists), keep).tolist()
    except PocketIntentError:
        # Only allowed if a cover, sentence by sentence, needs more than ``keep`` words.
        cover: set[int] = set()
        for words in lists:
            if not cover & set(words):
                cover.add(max(words, key=lambda word: norms[word]))
        assert len(cover) > keep
        return
    assert ids == sorted(set(ids))
    assert len(ids) == keep
    assert all(set(words) & set(ids) for words in lists)


def test_pruning_by_norm_prefers_large_norms_where_sentences_allow() -> None:
    norms = np.array([0.9, 0.1, 0.8, 0.2, 0.7, 0.3], dtype=np.float32)
    assert select_by_norm(norms, as_sentences([]), 3).tolist() == [0, 2, 4]
    # The last sentence has only words of small norm: its largest, 5, replaces 4.
    sentences = as_sentences([[0, 1], [2, 3], [5, 1]])
    assert select_by_norm(norms, sentences, 3).tolist() == [0, 2, 5]


def test_the_error_of_too_many_sentences_gives_the_number_of_words_they_need() -> None:
    norms = np.ones(4, dtype=np.float32)
    with pytest.raises(PocketIntentError, match=r"takes 3 words, but --keep is 2"):
        select_by_norm(norms, as_sentences([[0], [1], [2]]), 2)


@pytest.mark.parametrize("keep", [0, -1])
def test_keeping_no_word_is_rejected(keep: int) -> None:
    with pytest.raises(PocketIntentError, match="at least 1"):
        frequent_words(make_encoder(), keep)
    with pytest.raises(PocketIntentError, match="at least 1"):
        select_by_norm(np.ones(3, dtype=np.float32), as_sentences([]), keep)


def test_sentences_are_read_as_known_word_ids() -> None:
    encoder = make_encoder()
    sentences = read_sentences(encoder, ["Play the music!", "unknown things", "", "lamp on"])
    assert [words.tolist() for words in sentences] == [[6, 7, 5], [3, 0]]


@pytest.mark.parametrize("quantised", [False, True])
def test_a_pruned_encoder_knows_only_the_words_that_are_kept(quantised: bool) -> None:
    encoder = make_encoder(quantised)
    counts = np.array([9, 1, 1, 5, 1, 1, 7, 1])
    encoder = encoder.replace(counts=counts)
    small = keep_frequent(encoder, 3)
    assert small.vocabulary.words == ["on", "lamp", "play"]
    assert small.counts is not None and small.counts.tolist() == [9, 5, 7]
    np.testing.assert_array_equal(small.encode("lamp on"), encoder.encode("lamp on"))
    np.testing.assert_array_equal(small.encode("the lamp"), encoder.encode("lamp"))
    assert not small.encode("music off").any()
    assert len(encoder.vocabulary) == 8


@pytest.mark.parametrize("quantised", [False, True])
def test_a_pruned_model_file_keeps_the_words_it_lost_from_correction(
    quantised: bool, tmp_path: Path
) -> None:
    small = keep_frequent(make_encoder(quantised).replace(counts=np.arange(8, 0, -1)), 4)
    save_model(tmp_path / "small.safetensors", *small.to_model_file_parts())
    encoder = load_encoder(tmp_path / "small.safetensors")
    recognizer = IntentRecognizer(encoder, {"a": [WORDS[0]], "b": [WORDS[1]]})
    for word in WORDS:
        assert recognizer.read(word) == word
    recognizer.save(tmp_path / "bot.safetensors")
    bot = IntentRecognizer.load(tmp_path / "bot.safetensors")
    assert [bot.read(word) for word in WORDS] == WORDS
    assert bot.encoder.known_words is not None and len(bot.encoder.known_words.lost.filters) == 1


@pytest.mark.parametrize("quantised", [False, True])
def test_an_encoder_without_ngrams_skips_unknown_words(quantised: bool) -> None:
    plain = make_encoder(quantised)
    encoder = StaticEncoder(
        plain.vocabulary,
        plain.words,
        ngrams=DenseMatrix(np.ones((4, 6), np.float32)),
        ngram_settings=NgramSettings(2, 3, 4),
        manifest={"training": {"seed": 1}, "quality": {"old": 1.0}},
    )
    small = without_ngrams(encoder)
    assert small.words is encoder.words
    assert not small.encode("unheard").any()
    np.testing.assert_array_equal(small.encode("unheard lamp"), plain.encode("lamp"))
    assert small.manifest == {"training": {"seed": 1}}
    assert encoder.encode("unheard").any()
    assert encoder.manifest["quality"] == {"old": 1.0}


def test_without_counts_the_first_words_are_kept() -> None:
    assert keep_frequent(make_encoder(), 3).vocabulary.words == WORDS[:3]


def test_a_model_without_a_table_of_words_is_rejected(tmp_path: Path) -> None:
    network = CharNetwork(dim=8, char_dim=6, hidden=8, mlp=16)
    vocabulary = CharVocabulary(" abc", max_chars=16)
    encoder = random_network(network, vocabulary, np.random.default_rng(0))
    path = tmp_path / "charemb.safetensors"
    save_model(path, *encoder.to_model_file_parts())
    with pytest.raises(PocketIntentError, match=r"charemb\.safetensors: .* cannot be left out"):
        load_word_model(path)
