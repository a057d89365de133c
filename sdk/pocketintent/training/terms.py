"""Terms of a corpus: extracted without labels, kept in a plain file, joined in token streams."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.model_file import write_atomically
from pocketintent.training.corpus import read_texts
from pocketintent.training.term_candidates import count_phrases, count_words
from pocketintent.training.term_scores import c_values, npmi, specificity

HEADER = "term\tscore\tcount"
"""The first line of a file of terms."""

_REPORT_EVERY = 100_000


@dataclass(frozen=True)
class Term:
    """A term and what the corpus says of it."""

    term: str
    """Lower-case words separated by single spaces."""
    score: float
    """C-value times a power of the cohesion; 0 or more, of use only for comparison."""
    count: int
    """Occurrences, those inside longer terms too."""


@dataclass(frozen=True)
class TermSettings:
    """What, with the corpus, decides which terms come out."""

    min_length: int = 2  # words of the shortest term
    max_length: int = 4  # words of the longest term
    min_count: int = 5  # rarer words and phrases are left out
    min_cohesion: float = 0.2  # phrases with a lower NPMI are left out
    cohesion_power: float = 2.0  # the cohesion counts to this power in the score
    max_terms: int | None = 50_000  # only this many of the best
    max_words: int = 1_000_000  # words held in memory while counting
    max_phrases: int = 2_000_000  # candidates held in memory while counting

    def check(self) -> None:
        """Raise PocketIntentError for settings that cannot be worked with."""
        if not 1 <= self.min_length <= self.max_length:
            raise PocketIntentError("wanted 1 <= min_length <= max_length")
        if self.min_count < 1 or (self.max_terms is not None and self.max_terms < 1):
            raise PocketIntentError("min_count and max_terms must be 1 or more")
        if not 0.0 <= self.min_cohesion <= 1.0:
            raise PocketIntentError(f"min_cohesion must be 0 to 1, not {self.min_cohesion}")
        if not 0.0 <= self.cohesion_power < math.inf:
            raise PocketIntentError(
                f"cohesion_power must be 0 or more and finite, not {self.cohesion_power}"
            )
        if min(self.max_words, self.max_phrases) < 2:
            raise PocketIntentError("max_words and max_phrases must be 2 or more")


class CorpusTexts:
    """The texts of corpus files, streamed anew each time they are iterated.

    Args:
        paths: Files as :func:`pocketintent.training.corpus.read_corpus` reads them.
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


def save_terms(path: str | Path, terms: Iterable[Term]) -> None:
    """Write terms as tab-separated text, one a line, below :data:`HEADER`; atomically.

    Raises:
        OSError: The file cannot be written.
    """
    lines = [HEADER, *(f"{term.term}\t{term.score:.6g}\t{term.count}" for term in terms)]
    write_atomically(path, ("\n".join(lines) + "\n").encode())


def load_terms(path: str | Path) -> list[Term]:
    """Read what :func:`save_terms` wrote, or a list of one's own in the same form.

    Raises:
        PocketIntentError: The file is missing, not UTF-8 or not of this form; the message names
            file and line.
    """
    try:
        lines = Path(path).read_bytes().split(b"\n")
    except OSError as error:
        raise PocketIntentError(f"{path}: cannot be read: {error.strerror or error}") from error
    terms: dict[str, Term] = {}
    for number, line in enumerate(lines, 1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip("\r")
            if number == 1:
                _check_header(text)
            elif text:
                term = _parse_term(text)
                if term.term in terms:
                    raise ValueError(f"{term.term!r} is there twice; remove one")
                terms[term.term] = term
        except UnicodeDecodeError as error:
            raise PocketIntentError(
                f"{path}, line {number}: not UTF-8 ({error.reason}); convert the file to UTF-8"
            ) from error
        except ValueError as error:
            raise PocketIntentError(f"{path}, line {number}: {error}") from error
    return list(terms.values())


def _check_header(text: str) -> None:
    if text != HEADER:
        raise ValueError(f"no file of terms; its first line must be {HEADER!r}, tab-separated")


def _parse_term(text: str) -> Term:
    fields = text.split("\t")
    if len(fields) != 3:
        raise ValueError(f"wanted 3 fields separated by tabs (term, score, count), not {text!r}")
    term, score, count = fields
    if not term or term != " ".join(term.split()):
        raise ValueError(f"a term is words separated by single spaces, not {term!r}")
    try:
        parsed = Term(term, float(score), int(count))
    except ValueError:
        parsed = Term(term, math.nan, 0)
    if not math.isfinite(parsed.score) or parsed.count < 1:
        raise ValueError(f"wanted a finite score and a count of 1 or more, not {text!r}")
    return parsed


class TermJoiner:
    """Joins the words of terms in token streams; made once for a list of terms.

    Args:
        terms: Terms, or texts whose words are separated by spaces or underscores. Single words
            change nothing.
    """

    def __init__(self, terms: Iterable[Term | str]) -> None:
        self._joined: set[str] = set()
        # The lengths to try for each first word, the longest first.
        lengths: dict[str, set[int]] = {}
        for term in terms:
            text = term if isinstance(term, str) else term.term
            words = text.replace("_", " ").split()
            if len(words) > 1:
                self._joined.add("_".join(words))
                lengths.setdefault(words[0], set()).add(len(words))
        self._lengths = {word: sorted(found, reverse=True) for word, found in lengths.items()}

    def join(self, tokens: list[str]) -> list[str]:
        """The tokens with terms joined by underscores: the longest match first, left to right."""
        result: list[str] = []
        start, end = 0, len(tokens)
        while start < end:
            token = tokens[start]
            for length in self._lengths.get(token, ()):
                joined = "_".join(tokens[start : start + length])
                if joined in self._joined and start + length <= end:
                    result.append(joined)
                    start += length
                    break
            else:
                result.append(token)
                start += 1
        return result


def join_terms(tokens: list[str], terms: TermJoiner | Collection[Term | str]) -> list[str]:
    """Join the terms of one list of tokens: «machine», «learning» to «machine_learning».

    Args:
        tokens: Lower-case tokens of one segment or sentence.
        terms: Terms; a :class:`TermJoiner` where there are many lists of tokens.

    Returns:
        The tokens, the longest match first, left to right.
    """
    return (terms if isinstance(terms, TermJoiner) else TermJoiner(terms)).join(tokens)
