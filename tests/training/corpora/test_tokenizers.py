import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("nltk")
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.encoders.static import StaticEncoder
from pocketintent.runtime.files.model_file import save_model
from pocketintent.runtime.quantization.matrices import DenseMatrix
from pocketintent.runtime.text.tokenizer import SIMPLE_SPEC, get_tokenizer
from pocketintent.runtime.text.vocabulary import Vocabulary
from pocketintent.training.corpora.tokenizers import (
    TWEET_SPEC,
    corpus_tokenizer,
    train_punkt,
    tweet_tokenizer,
)

TWEETS = [
    ("Don't PANIC!", ["don't", "panic", "!"]),
    ("@Anna see #Berlin :D <3", ["@anna", "see", "#berlin", ":D", "<3"]),
    ("https://example.org/a?b=1 costs $5.50", ["https://example.org/a?b=1", "costs", "$", "5.50"]),
    ("call (555) 123 4567", ["call", "(555)_123_4567"]),
    ("Grüße 😀👍🏽", ["grüße", "😀", "👍🏽"]),
    ("tea &amp; milk", ["tea", "&", "milk"]),
    ("nul\0byte &#0; and &#xD800; surrogate", ["nul", "byte", "and", "surrogate"]),
    ("", []),
]


@pytest.mark.parametrize(("text", "tokens"), TWEETS)
def test_tweets_are_tokenised_as_in_the_thesis(text: str, tokens: list[str]) -> None:
    assert tweet_tokenizer()(text) == tokens


@given(st.one_of(st.text(), st.text("a1 (5)-&#x;d80\0\n\u2028😀'", max_size=40)))
def test_tweet_tokens_fit_a_vocabulary(text: str) -> None:
    tokens = tweet_tokenizer()(text)
    assert all(token and not any(char.isspace() for char in token) for token in tokens)
    Vocabulary(sorted(set(tokens))).to_tensors()


@given(
    st.lists(st.text("a1'。字é\u0308 \n\u2003", min_size=1, max_size=9).map(str.strip), min_size=1),
    st.sampled_from([" ", "\n", "\u2003  "]),
    st.integers(4080, 4100),
)
def test_a_long_text_has_the_tokens_of_its_words(words: list[str], space: str, first: int) -> None:
    tokenize = corpus_tokenizer(SIMPLE_SPEC)
    words = [word for text in words for word in text.split()] * 300
    words.insert(0, "x" * first)
    expected = [token for word in words for token in tokenize(word)]
    assert tokenize(space.join(words)) == expected


def test_a_long_text_without_spaces_is_read_to_its_end() -> None:
    assert corpus_tokenizer(SIMPLE_SPEC)("字" * 10_000) == ["字"] * 10_000


@pytest.fixture
def tweet_model(tmp_path: Path) -> Path:
    encoder = StaticEncoder(
        Vocabulary(["don't", "#berlin"]),
        DenseMatrix(np.eye(2, dtype=np.float32)),
        tokenizer_spec=TWEET_SPEC,
    )
    path = tmp_path / "tweet.safetensors"
    save_model(path, *encoder.to_model_file_parts())
    return path


def test_a_tweet_model_loads_once_training_is_imported(tweet_model: Path) -> None:
    assert get_tokenizer(TWEET_SPEC)("#Berlin") == ["#berlin"]
    encoder = load_encoder(tweet_model)
    assert encoder.encode("Don't!").tolist() == [1.0, 0.0]


def test_the_runtime_without_training_says_what_a_tweet_model_needs(tweet_model: Path) -> None:
    code = f"""
import pocketintent
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.errors import ModelFileError
try:
    load_encoder({str(tweet_model)!r})
except ModelFileError as error:
    print(error)
"""
    paths = [path for path in sys.path if path]
    run = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = {paths!r}\n{code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "tweet.safetensors" in run.stdout
    assert "an import of its training side before" in run.stdout


# The full stops of "approx." and "Fig." end no sentence, as only their use in the corpus shows.
PARAGRAPHS = [
    f"The {thing} weighs approx. {number} grams in the box. See Fig. {number} for the {thing}. "
    f"It was sold by approx. {number + 3} shops in town. Then Fig. {number + 1} shows more."
    for number, thing in enumerate(["lamp", "radio", "kettle", "clock", "chair", "table"] * 20)
]


def test_punkt_learns_abbreviations_from_the_corpus() -> None:
    split = train_punkt(iter(PARAGRAPHS))
    assert split("A lamp of approx. 20 grams. See Fig. 7 of the book. It is new.") == [
        "A lamp of approx. 20 grams.",
        "See Fig. 7 of the book.",
        "It is new.",
    ]
    naive = train_punkt(iter(["Nothing was learnt here. So be it."]))
    assert naive("Weighs approx. Twenty grams.") != split("Weighs approx. Twenty grams.")


def test_punkt_learns_from_a_sample_drawn_by_its_seed() -> None:
    probe = "It weighs approx. Ten grams. See Fig. Nine. Done."
    for seed in (0, 1):
        splits = [train_punkt(iter(PARAGRAPHS), max_chars=4000, seed=seed) for _ in range(2)]
        assert splits[0](probe) == splits[1](probe)


def test_punkt_splits_texts_without_loss() -> None:
    split = train_punkt(iter(PARAGRAPHS[:5]))
    assert split("") == []
    for paragraph in PARAGRAPHS:
        assert " ".join(split(paragraph)) == paragraph
