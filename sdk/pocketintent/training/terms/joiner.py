"""Joining the words of terms in token lists."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pocketintent.training.terms.files import Term


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
