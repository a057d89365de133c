"""The systems that extract keyphrases: our terms, TF-IDF over n-grams, and YAKE."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pocketintent.runtime.errors import require
from pocketintent_lab.evaluation.keyphrases.scoring import Extractor

NUM_PHRASES = 60
"""Phrases that a system returns: more than are scored, since equal stems are merged later."""


def make_tfidf(texts: Sequence[str], *, max_length: int = 3) -> Extractor:
    """Create an extractor by TF-IDF of word n-grams, with scikit-learn.

    English stop words are removed before the n-grams are formed; all other settings are the
    defaults of scikit-learn.

    Args:
        texts: The texts that document frequencies are counted in.
        max_length: Words of the longest n-gram.

    Raises:
        MissingExtraError: scikit-learn is not installed.
    """
    text_module = require("sklearn.feature_extraction.text", "evaluate")
    vectorizer = text_module.TfidfVectorizer(stop_words="english", ngram_range=(1, max_length))
    vectorizer.fit(texts)
    phrases = vectorizer.get_feature_names_out()

    def extract(text: str) -> list[str]:
        row = vectorizer.transform([text])
        ranked = sorted(zip(-row.data, phrases[row.indices], strict=True))
        return [phrase for _, phrase in ranked[:NUM_PHRASES]]

    return extract


def make_yake(texts: Sequence[str]) -> Extractor:
    """Create a YAKE extractor (Campos et al. 2020) for English, with default settings.

    YAKE uses only the text itself, so ``texts`` is ignored.

    Raises:
        MissingExtraError: yake is not installed.
    """
    extractor = require("yake", "evaluate", "./lab").KeywordExtractor(lan="en", top=NUM_PHRASES)

    def extract(text: str) -> list[str]:
        return [phrase for phrase, _ in extractor.extract_keywords(text)]

    return extract


def make_terms(texts: Sequence[str]) -> Extractor:
    """Create our extractor, :class:`pocketintent_lab.training.terms.document.DocumentTerms`."""
    from pocketintent_lab.training.terms.document import DocumentTerms

    extractor = DocumentTerms.fit(texts)

    def extract(text: str) -> list[str]:
        return [phrase for phrase, _ in extractor.extract(text)[:NUM_PHRASES]]

    return extract


KEYPHRASE_SYSTEMS: dict[str, Callable[[Sequence[str]], Extractor]] = {
    "pocketintent": make_terms,
    "tfidf": make_tfidf,
    "yake": make_yake,
}
"""Factories of the systems by name; each gets the texts of a data set."""
