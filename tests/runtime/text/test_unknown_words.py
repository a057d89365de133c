from hypothesis import given
from hypothesis import strategies as st

from pocketintent.runtime.text.unknown_words import MAX_UNKNOWN_WORDS, limit_unknown_words

MANY = [f"w{number}" for number in range(MAX_UNKNOWN_WORDS)]


def test_a_text_of_few_words_is_returned_as_it_is() -> None:
    assert limit_unknown_words(MANY) is MANY
    tokens = MANY * 9
    assert limit_unknown_words(tokens) is tokens


def test_words_after_the_limit_are_left_out_wherever_they_occur() -> None:
    tokens = [*MANY, "new", "w0", "on", "new", "w0", "other"]
    assert limit_unknown_words(tokens) == [*MANY, "w0", "w0"]
    assert limit_unknown_words(tokens, {"on"}) == [*MANY, "w0", "on", "w0"]


@given(st.lists(st.integers(0, 400), max_size=600), st.sets(st.integers(0, 400), max_size=200))
def test_it_keeps_known_words_and_the_first_unknown_ones(
    numbers: list[int], known: set[int]
) -> None:
    tokens = [str(number) for number in numbers]
    table = {str(number) for number in known}
    limited = limit_unknown_words(tokens, table)
    first: list[str] = []
    expected = []
    for token in tokens:
        if token not in table and token not in first:
            if len(first) == MAX_UNKNOWN_WORDS:
                continue
            first.append(token)
        expected.append(token)
    assert limited == expected
    assert limit_unknown_words(limited, table) == limited
