from hypothesis import given
from hypothesis import strategies as st

from pocketintent.runtime.text.tokenizer import simple_tokenize
from pocketintent_lab.training.terms.words import count_words, split_segments

TEXTS = [
    "We show the fast parser. The fast parser uses a grammar.",
    "They show the slow parser; the slow parser uses a lexicon.",
    "You can show a parser of the grammar, slowly, with a lexicon.",
    "The parser is fast. We use a fast lexicon and the grammar.",
] * 5


def test_punctuation_splits_segments_and_hyphens_do_not() -> None:
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
def test_segments_contain_all_tokens_in_order(text: str) -> None:
    segments = split_segments(text)
    assert [token for segment in segments for token in segment] == simple_tokenize(text)
    assert all(segments)


def test_verbs_and_adjectives_are_identified_by_their_neighbours() -> None:
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
