from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.text.tokenizer import simple_tokenize
from pocketintent.training.terms.candidates import (
    BoundedCounter,
    WordCounts,
    count_phrases,
    count_words,
    find_candidates,
    split_segments,
)

TEXTS = [
    "We show the fast parser. The fast parser uses a grammar.",
    "They show the slow parser; the slow parser uses a lexicon.",
    "You can show a parser of the grammar, slowly, with a lexicon.",
    "The parser is fast. We use a fast lexicon and the grammar.",
] * 5


def test_punctuation_cuts_and_hyphens_do_not() -> None:
    text = "State-of-the-art parsers (fast ones), e.g. LL/LR - and more\tnext"
    assert split_segments(text) == [
        ["state", "of", "the", "art", "parsers"],
        ["fast", "ones"],
        ["e"],
        ["g"],
        ["ll"],
        ["lr"],
        ["and", "more"],
        ["next"],
    ]


@given(st.text(st.sampled_from("abé1 .,;:!?()[]\"'’“”-–—/$=\t\n|_"), max_size=60))
def test_segments_hold_all_tokens_in_order(text: str) -> None:
    segments = split_segments(text)
    assert [token for segment in segments for token in segment] == simple_tokenize(text)
    assert all(segments)


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=12)), st.integers(2, 9))
def test_bounded_counts_keep_their_promise(batches: list[list[str]], limit: int) -> None:
    counter = BoundedCounter(limit)
    true = Counter(key for batch in batches for key in batch)
    for batch in batches:
        counter.add(batch)
        assert len(counter) <= limit
    counted = dict(counter.items())
    for key, count in true.items():
        assert count - counter.max_missed <= counted.get(key, 0) <= count
        assert count <= counter.max_missed or key in counted
    assert counted.keys() <= true.keys()
    if len(true) <= limit:
        assert counted == true
        assert counter.max_missed == 0


def test_a_table_without_room_is_refused() -> None:
    with pytest.raises(PocketIntentError, match="room for 2 keys"):
        BoundedCounter(1)


def test_verbs_and_adjectives_are_told_by_their_neighbours() -> None:
    words = count_words(TEXTS)
    assert {"parser", "grammar", "lexicon"} <= words.starters & words.enders
    assert not {"show", "uses", "slowly", "the", "we"} & (words.starters | words.enders)
    assert "slow" in words.starters - words.enders
    assert words.num_tokens == sum(len(simple_tokenize(text)) for text in TEXTS)
    assert words.counts["parser"] == 30


def test_rare_words_are_left_out() -> None:
    words = count_words([*TEXTS, "the hapax parser"], min_count=2)
    assert "hapax" not in words.counts
    assert "hapax" not in words.starters | words.enders | words.inner


def test_phrases_are_counted_as_a_plain_count_counts_them() -> None:
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


def test_a_candidate_may_hold_of_and_of_the_but_no_other_the() -> None:
    known = frozenset({"state", "art", "quality"})
    words = WordCounts(9, {}, known, known, known | {"of", "the"})

    def found(text: str) -> list[str]:
        tokens = text.split()
        return [" ".join(tokens[a:b]) for a, b in find_candidates(tokens, words, 4)]

    assert found("state of the art") == ["state", "state of the art", "art"]
    assert found("quality of art") == ["quality", "quality of art", "art"]
    assert found("quality the art") == ["quality", "art"]
    assert found("the state of") == ["state"]
    assert found("") == []


spans = st.lists(st.sampled_from(["s", "e", "b", "i", "x"]), max_size=8)


@given(spans, st.integers(1, 4))
def test_candidates_are_those_of_the_definition(tokens: list[str], max_length: int) -> None:
    starters, enders = frozenset("sb"), frozenset("eb")
    words = WordCounts(9, {}, starters, enders, frozenset("sebi"))
    wanted = [
        (start, end)
        for start in range(len(tokens))
        for end in range(start + 1, min(start + max_length, len(tokens)) + 1)
        if tokens[start] in starters and tokens[end - 1] in enders and "x" not in tokens[start:end]
    ]
    assert find_candidates(tokens, words, max_length) == wanted
