"""Extracting the terms of a corpus: count words, count phrases, rank them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.corpora.terms import Term
from pocketintent_lab.training.terms.candidates import count_phrases
from pocketintent_lab.training.terms.scores import c_values, npmi, specificity
from pocketintent_lab.training.terms.settings import TermSettings
from pocketintent_lab.training.terms.words import count_words

_REPORT_EVERY = 100_000


def extract_terms(
    texts: Iterable[str],
    settings: TermSettings | None = None,
    report: Callable[[str], None] = lambda line: None,
) -> list[Term]:
    """Find the terms of a corpus, without labels or a trained model.

    The texts are read twice: for the words, then for the phrases of the words that may be in a
    term. ``max_words`` and ``max_phrases`` bound the memory, whatever the size of the corpus.
    When the table of phrases is full, rare candidates are lost, and ``report`` receives the
    largest error of a count.

    Args:
        texts: Sentences or paragraphs in English; a list, :class:`CorpusTexts`, or anything else
            that can be iterated twice.
        settings: The settings; the defaults when None.
        report: Receives lines of progress.

    Returns:
        The terms, the best first, equal scores in alphabetical order.

    Raises:
        PocketIntentError: A setting is out of range, a file is bad, ``texts`` can be iterated
            only once, or no word is frequent enough.
    """
    settings = settings or TermSettings()
    settings.check()
    if iter(texts) is texts:
        raise PocketIntentError("the texts are read twice: give a list, or CorpusTexts(paths)")
    words = count_words(
        _count_texts(texts, "words", report),
        min_count=settings.min_count,
        max_words=settings.max_words,
    )
    report(f"{words.num_tokens:,} tokens, {len(words.counts):,} frequent words")
    phrases = count_phrases(
        _count_texts(texts, "phrases", report),
        words,
        max_length=settings.max_length,
        max_phrases=settings.max_phrases,
    )
    if phrases.max_missed:
        report(
            f"the table of phrases was full: counts may be up to {phrases.max_missed} too low; "
            "raise --max-phrases for exact counts"
        )
    counts = {
        word: words.counts[word] for word in words.counts if word in words.starters & words.enders
    }
    counts |= {phrase: count for phrase, count in phrases.items() if count >= settings.min_count}
    return _rank(counts, words.counts, words.num_tokens, settings)


def _rank(
    counts: dict[str, int], word_counts: dict[str, int], num_tokens: int, settings: TermSettings
) -> list[Term]:
    """The candidates that are firm enough, the best first."""
    terms = []
    for phrase, c_value in c_values(counts).items():
        words, count = phrase.split(" "), counts[phrase]
        if len(words) < settings.min_length or not c_value:
            continue
        if len(words) == 1:
            cohesion = specificity(count, num_tokens)
        else:
            cohesion = npmi(count, [word_counts[word] for word in words], num_tokens)
            if cohesion < settings.min_cohesion:
                continue
        terms.append(Term(phrase, c_value * cohesion**settings.cohesion_power, count))
    terms.sort(key=lambda term: (-term.score, term.term))
    return terms[: settings.max_terms]


def _count_texts(
    texts: Iterable[str], counted: str, report: Callable[[str], None]
) -> Iterator[str]:
    """Yield the texts and report their number from time to time."""
    for number, text in enumerate(texts, 1):
        yield text
        if number % _REPORT_EVERY == 0:
            report(f"counting {counted}: {number:,} texts")
