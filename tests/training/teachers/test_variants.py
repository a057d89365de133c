import pytest

from pocketintent.runtime.text.tokenizer import simple_tokenize
from pocketintent.training.teachers.variants import (
    frequent_words,
    make_phrases,
    substitute_words,
    whole_words,
)

TEXTS = [
    "Please turn on the lights in the kitchen",
    "What is the weather like in Rome tomorrow",
    "Play some jazz music for me now",
    "Stop",
]


def test_phrases_are_parts_of_texts_and_no_texts() -> None:
    phrases = make_phrases(TEXTS, 30, seed=1)
    assert len(set(phrases)) == 30
    assert not set(phrases) & set(TEXTS)
    assert all(any(phrase in text for text in TEXTS) for phrase in phrases)
    assert {len(phrase.split()) for phrase in phrases} <= set(range(2, 9))


def test_substitutions_replace_one_or_two_words() -> None:
    made = substitute_words(TEXTS, ["zebra"], 40, seed=1)
    assert len(set(made)) == 40
    tokens = [simple_tokenize(text) for text in TEXTS]
    for text in made:
        words = text.split()
        same = [t for t in tokens if len(t) == len(words)]
        changed = min(sum(a != b for a, b in zip(t, words, strict=True)) for t in same)
        assert changed <= 2
    assert any("zebra" in text for text in made)


@pytest.mark.parametrize("num", [0, 1000])
def test_few_texts_give_fewer(num: int) -> None:
    assert len(make_phrases(TEXTS, num, seed=0)) <= min(num, 80)
    assert len(substitute_words(TEXTS[:1], [], num, seed=0)) <= num
    assert make_phrases([], num, seed=0) == substitute_words([], [], num, seed=0) == []


def test_a_seed_gives_one_draw() -> None:
    assert make_phrases(TEXTS, 9, seed=5) == make_phrases(TEXTS, 9, seed=5)
    assert substitute_words(TEXTS, [], 9, seed=5) == substitute_words(TEXTS, [], 9, seed=5)
    assert substitute_words(TEXTS, [], 9, seed=5) != substitute_words(TEXTS, [], 9, seed=6)


def test_frequent_words_come_first() -> None:
    assert frequent_words(TEXTS, 2) == ["the", "in"]
    assert frequent_words(TEXTS, 9) == frequent_words([], 1) == []


def test_whole_words_of_both_kinds_of_vocabularies() -> None:
    assert whole_words(["[CLS]", "lamp", "##lamp", "on", "Café", "Jazz", "7th"]) == ["jazz", "lamp"]
    assert whole_words(["Ġlamp", "lamp", "Ġon", "<s>", "▁jazz"]) == ["jazz", "lamp"]
