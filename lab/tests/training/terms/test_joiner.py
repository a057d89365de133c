from hypothesis import given
from hypothesis import strategies as st

from pocketintent.training.corpora.terms import Term
from pocketintent_lab.training.terms.joiner import TermJoiner

few = st.sampled_from("abc")
term_lists = st.lists(st.lists(few, min_size=1, max_size=4).map(" ".join), max_size=6)


def test_the_longest_term_is_joined_first() -> None:
    terms = ["machine learning", Term("machine learning model", 1.0, 1), "learning model zoo"]
    tokens = ["a", "machine", "learning", "model", "zoo", "for", "machine", "learning"]
    joined = ["a", "machine_learning_model", "zoo", "for", "machine_learning"]
    assert TermJoiner(terms).join(tokens) == joined
    assert TermJoiner([]).join(tokens) == tokens
    assert TermJoiner(terms).join([]) == []


def test_terms_with_underscores_are_the_same_terms() -> None:
    assert TermJoiner(["a_b"]).join(["a", "b", "c"]) == ["a_b", "c"]


@given(st.lists(few, max_size=20), term_lists)
def test_joining_is_leftmost_longest_and_loses_nothing(tokens: list[str], terms: list[str]) -> None:
    joined = TermJoiner(terms).join(tokens)
    assert [part for token in joined for part in token.split("_")] == tokens
    term_words = {tuple(term.split()) for term in terms if " " in term}
    place = 0
    for token in joined:
        rest = tokens[place:]
        lengths = [len(words) for words in term_words if tuple(rest[: len(words)]) == words]
        assert token.count("_") + 1 == max(lengths, default=1)
        place += token.count("_") + 1
