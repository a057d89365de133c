import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.runtime.templates.intent_names import text_of_name, words_of_name
from pocketintent.runtime.text.tokenizer import MAX_CHARS, simple_tokenize


@pytest.mark.parametrize(
    ("name", "tokens"),
    [
        ("card_arrival", ["card", "arrival"]),
        ("smart-home.lights/on", ["smart", "home", "lights", "on"]),
        ("PlayMusic", ["play", "music"]),
        ("openURLAgain", ["open", "url", "again"]),
        ("HTTPError2", ["http", "error", "2"]),
        ("lights_ON", ["lights", "on"]),
        ("éclairÉteint", ["éclair", "éteint"]),
        ("Übersicht", ["übersicht"]),
        ("FAQ", ["faq"]),
        ("!", []),
        ("", []),
    ],
)
def test_a_name_is_split_into_its_words(name: str, tokens: list[str]) -> None:
    assert simple_tokenize(words_of_name(name)) == tokens
    assert text_of_name(name) == " ".join(tokens)


@given(st.text())
def test_only_spaces_are_added(name: str) -> None:
    assert words_of_name(name).replace(" ", "") == name.replace(" ", "")


@given(st.text(st.characters(exclude_categories=["Lu"])))
def test_a_name_without_capitals_stays_as_it_is(name: str) -> None:
    assert words_of_name(name) == name


def test_a_long_name_is_cut_where_the_tokenizer_stops_reading() -> None:
    assert len(words_of_name("a" * (MAX_CHARS + 1))) == MAX_CHARS


@given(st.text())
def test_the_text_of_a_name_has_the_tokens_that_are_learned(name: str) -> None:
    assert simple_tokenize(text_of_name(name)) == simple_tokenize(words_of_name(name))
