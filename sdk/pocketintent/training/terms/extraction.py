"""Terms of a corpus: extracted without labels, kept in a plain file, joined in token streams."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.corpora.reader import read_texts
from pocketintent.training.terms.candidates import count_phrases, count_words
from pocketintent.training.terms.files import Term
from pocketintent.training.terms.scores import c_values, npmi, specificity
from pocketintent.training.terms.settings import TermSettings

_REPORT_EVERY = 100_000


class CorpusTexts:
    """The texts of corpus files, streamed anew each time they are iterated.

    Args:
        paths: Files as :func:`pocketintent.training.corpora.reader.read_corpus` reads them.
    """

    def __init__(self, paths: Iterable[str | Path]) -> None:
        self.paths = list(paths)

    def __iter__(self) -> Iterator[str]:
        return read_texts(self.paths)


def extract_terms(
    texts: Iterable[str],
    settings: TermSettings | None = None,
    report: Callable[[str], None] | None = None,
) -> list[Term]:
    """Find the terms of a corpus, without labels or any trained model.

    The texts are read twice: for the words, and for the phrases of words that qualified. Memory
    is bounded by ``max_words`` and ``max_phrases``, whatever the corpus' size; where a table was
    full, rare candidates are lost and ``report`` is told by how much counts may be too low.

    Args:
        texts: Sentences or paragraphs in English; a list, :class:`CorpusTexts`, or anything else
            that can be iterated twice.
        settings: Defaults when None.
        report: Called with lines for people.

    Returns:
        The terms, the best first; equal ones in alphabetical order.

    Raises:
        PocketIntentError: A setting or file is bad, ``texts`` can be read only once, or no word
            is frequent enough.
    """
    settings = settings or TermSettings()
    settings.check()
    if iter(texts) is texts:
        raise PocketIntentError("the texts are read twice: give a list, or CorpusTexts(paths)")
    tell = report if report is not None else _say_nothing
    words = count_words(
        _counted(texts, "words", tell), min_count=settings.min_count, max_words=settings.max_words
    )
    tell(f"{words.num_tokens:,} tokens, {len(words.counts):,} frequent words")
    phrases = count_phrases(
        _counted(texts, "phrases", tell),
        words,
        max_length=settings.max_length,
        max_phrases=settings.max_phrases,
    )
    if phrases.max_missed:
        tell(
            f"the table of phrases was full: counts may be up to {phrases.max_missed} too low; "
            "raise --max-phrases for exact ones"
        )
    counts = {
        word: words.counts[word] for word in words.counts if word in words.starters & words.enders
    }
    counts |= {phrase: count for phrase, count in phrases.items() if count >= settings.min_count}
    return _rank(counts, words.counts, words.num_tokens, settings)


def _rank(
    counts: dict[str, int], word_counts: dict[str, int], num_tokens: int, settings: TermSettings
) -> list[Term]:
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


def _counted(texts: Iterable[str], what: str, tell: Callable[[str], None]) -> Iterator[str]:
    for number, text in enumerate(texts, 1):
        yield text
        if number % _REPORT_EVERY == 0:
            tell(f"counting {what}: {number:,} texts")


def _say_nothing(_: str) -> None:
    pass
