import math

import pytest

from pocketintent.runtime.errors import PocketIntentError
from pocketintent_lab.training.terms.document import DocumentTerms

TEXTS = [
    "The fast parser reads the grammar. A parser of the grammar is fast.",
    "We show a fast parser for the lexicon. The lexicon has words.",
] * 10


@pytest.fixture(scope="module")
def extractor() -> DocumentTerms:
    return DocumentTerms.fit(TEXTS)


def test_candidates_have_the_documented_score(extractor: DocumentTerms) -> None:
    words = extractor.words
    scores = dict(extractor.extract("The fast parser of the lexicon."))
    info = {w: math.log(words.num_tokens / words.counts[w]) for w in ("fast", "parser", "lexicon")}
    expected = {
        "fast parser": (info["fast"] + info["parser"]) * math.sqrt(1.1) / (1 + 1 / 6),
        "fast": info["fast"] * math.sqrt(0.1) / (1 + 1 / 6),
        "parser": info["parser"] * math.sqrt(0.1) / (1 + 2 / 6),
        "lexicon": info["lexicon"] * math.sqrt(1.1) / (1 + 5 / 6),
    }
    assert scores == pytest.approx(expected)


def test_words_missing_from_the_corpus_are_candidates(extractor: DocumentTerms) -> None:
    assert extractor.extract("The zyzzyva weevil of the grammar.")[0][0] == "zyzzyva weevil"


def test_the_best_terms_come_first_up_to_the_limit(extractor: DocumentTerms) -> None:
    terms = extractor.extract("The fast parser reads the lexicon of the weevil.")
    assert terms == sorted(terms, key=lambda item: (-item[1], item[0]))
    assert extractor.extract("The fast parser reads the lexicon of the weevil.", 2) == terms[:2]


@pytest.mark.parametrize("text", ["", "of the and", "... 1 2 3 !", "\x00"])
def test_a_text_without_candidates_has_no_terms(extractor: DocumentTerms, text: str) -> None:
    assert extractor.extract(text) == []


def test_a_corpus_without_words_is_rejected() -> None:
    with pytest.raises(PocketIntentError, match="no word"):
        DocumentTerms.fit(["", "!"])
