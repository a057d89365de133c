from hypothesis import given
from hypothesis import strategies as st

from pocketintent_lab.training.terms.candidates import count_phrases, find_candidates
from pocketintent_lab.training.terms.words import WordCounts, count_words

TEXTS = [
    "We show the fast parser. The fast parser uses a grammar.",
    "They show the slow parser; the slow parser uses a lexicon.",
    "You can show a parser of the grammar, slowly, with a lexicon.",
    "The parser is fast. We use a fast lexicon and the grammar.",
] * 5


def test_phrases_are_counted_exactly_while_the_table_has_room() -> None:
    words = count_words(TEXTS)
    counts = dict(count_phrases(TEXTS, words, max_length=3).items())
    assert counts == {
        "slow parser": 10,
        "fast parser": 10,
        "fast lexicon": 5,
    }


def test_the_table_of_phrases_is_bounded() -> None:
    words = count_words(TEXTS)
    assert len(count_phrases(TEXTS, words, max_phrases=2)) <= 2


def test_a_candidate_may_contain_of_and_of_the_but_no_other_the() -> None:
    nouns = frozenset({"state", "art", "quality"})
    words = WordCounts(9, {}, nouns, nouns, nouns | {"of", "the"})

    def candidates(text: str) -> list[str]:
        tokens = text.split()
        return [" ".join(tokens[a:b]) for a, b in find_candidates(tokens, words, 4)]

    assert candidates("state of the art") == ["state", "state of the art", "art"]
    assert candidates("quality of art") == ["quality", "quality of art", "art"]
    assert candidates("quality the art") == ["quality", "art"]
    assert candidates("the state of") == ["state"]
    assert candidates("") == []


spans = st.lists(st.sampled_from(["s", "e", "b", "i", "x"]), max_size=8)


@given(spans, st.integers(1, 4))
def test_candidates_match_the_definition(tokens: list[str], max_length: int) -> None:
    starters, enders = frozenset("sb"), frozenset("eb")
    words = WordCounts(9, {}, starters, enders, frozenset("sebi"))
    expected = [
        (start, end)
        for start in range(len(tokens))
        for end in range(start + 1, min(start + max_length, len(tokens)) + 1)
        if tokens[start] in starters and tokens[end - 1] in enders and "x" not in tokens[start:end]
    ]
    assert find_candidates(tokens, words, max_length) == expected
