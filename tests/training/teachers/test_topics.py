import numpy as np
import pytest

from pocketintent.runtime.arrays import FloatArray
from pocketintent.runtime.text.tokenizer import simple_tokenize
from pocketintent.training.teachers.topics import TOPIC_WORDS, substitute_topics

FRAMES = [
    "please turn the {} in the {}",
    "I want to see the {} of my {} now",
    "how much is a {} for the {}",
    "can you show me which {} has a {}",
]
HOUSE = ["lamp", "kitchen", "heating", "bedroom", "switch", "curtain"]
MONEY = ["loan", "deposit", "interest", "mortgage", "salary", "currency"]


def made_texts() -> list[str]:
    """Sentences about the house, in which every word but the topic's is frequent."""
    rng = np.random.default_rng(0)
    return [
        FRAMES[number % len(FRAMES)].format(*rng.choice(HOUSE, 2, replace=False))
        for number in range(4000)
    ]


def made_vectors(words: list[str]) -> FloatArray:
    """Vectors by which the words of a topic are near each other."""
    rng = np.random.default_rng(1)
    centres = rng.standard_normal((2, 16))
    noise = 0.1 * rng.standard_normal((len(words), 16))
    topic = [0 if word in MONEY else 1 for word in words]
    return (centres[topic] + noise).astype(np.float32)


@pytest.fixture
def rare_topics(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shares of a small corpus, whose rarest words are not rare."""
    monkeypatch.setattr("pocketintent.training.teachers.topics._PLACE_SHARE", 0.05)
    monkeypatch.setattr("pocketintent.training.teachers.topics._TOPIC_SHARE", 0.05)
    monkeypatch.setattr("pocketintent.training.teachers.topics.TOPIC_WORDS", len(MONEY))


def draw(num: int, seed: int = 0, texts: list[str] | None = None) -> list[str]:
    words = HOUSE + MONEY
    return substitute_topics(texts or made_texts(), words, made_vectors(words), num, seed)


@pytest.mark.usefixtures("rare_topics")
def test_the_words_of_a_text_are_replaced_by_those_of_one_topic() -> None:
    made = draw(40)
    assert len(made) == len(set(made)) == 40
    frequent = {token for frame in FRAMES for token in simple_tokenize(frame.replace("{}", ""))}
    for text in made:
        assert set(text.split()) <= frequent | set(HOUSE) | set(MONEY)
    # Words of the house that stay are the 15 % that are not replaced.
    about_money = [text for text in made if set(text.split()) & set(MONEY)]
    assert about_money
    pure = [text for text in about_money if not set(text.split()) & set(HOUSE)]
    assert len(pure) > len(about_money) / 2


@pytest.mark.usefixtures("rare_topics")
def test_names_are_no_topic_words() -> None:
    texts = made_texts() + [f"I live near {name}" for name in ("Loan", "Deposit")] * 20
    made = [text for text in draw(60, texts=texts) if not text.startswith("i live near")]
    words = {token for text in made for token in text.split()}
    assert not words & {"loan", "deposit"}
    assert words & set(MONEY)


@pytest.mark.usefixtures("rare_topics")
def test_sentences_that_differ_in_such_words_alone_are_drawn_as_one() -> None:
    texts = ["please turn the lamp on now"] * 500
    texts += [f"please turn the {word} on now" for word in HOUSE] * 300
    texts += ["can you show me which curtain has a switch", "the the the the of of of of"] * 100
    made = draw(12, texts=texts)
    assert any(text.startswith("can you") for text in made)


@pytest.mark.usefixtures("rare_topics")
def test_a_seed_gives_one_draw() -> None:
    assert draw(20, seed=3) == draw(20, seed=3)
    assert draw(20, seed=3) != draw(20, seed=4)


@pytest.mark.usefixtures("rare_topics")
def test_progress_ends_with_the_number_of_texts() -> None:
    calls: list[tuple[int, int]] = []
    words = HOUSE + MONEY
    substitute_topics(
        made_texts(), words, made_vectors(words), 15, 0, lambda *call: calls.append(call)
    )
    assert calls[-1] == (15, 15)
    assert calls == sorted(calls)


def test_few_texts_give_fewer() -> None:
    words = HOUSE + MONEY
    vectors = made_vectors(words)
    assert substitute_topics([], words, vectors, 5, 0) == []
    assert substitute_topics(["", " "], words, vectors, 5, 0) == []
    assert substitute_topics(made_texts(), words, vectors, 0, 0) == []
    # No word is rare, so that no text has a place for a topic.
    assert substitute_topics(["turn the lamp on"], words, vectors, 5, 0) == []
    assert substitute_topics(made_texts(), ["4", "of"], vectors[:2], 5, 0) == []
    assert len(words) < TOPIC_WORDS
