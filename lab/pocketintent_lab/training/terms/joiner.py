"""Joining the words of terms in lists of tokens."""

from __future__ import annotations

from collections.abc import Iterable

from pocketintent.training.corpora.terms import Term


class TermJoiner:
    """Joins the words of terms: "machine", "learning" become "machine_learning".

    Args:
        terms: Terms, or texts whose words are separated by spaces or underscores. Single words
            have no effect.
    """

    def __init__(self, terms: Iterable[Term | str]) -> None:
        self._joined: set[str] = set()
        lengths: dict[str, set[int]] = {}
        for term in terms:
            text = term if isinstance(term, str) else term.term
            words = text.replace("_", " ").split()
            if len(words) > 1:
                self._joined.add("_".join(words))
                lengths.setdefault(words[0], set()).add(len(words))
        # The lengths to try for each first word, the longest first.
        self._lengths = {word: sorted(sizes, reverse=True) for word, sizes in lengths.items()}

    def join(self, tokens: list[str]) -> list[str]:
        """Join the terms of one list of tokens by underscores.

        Args:
            tokens: Lower-case tokens of one segment or sentence.

        Returns:
            The tokens, the longest term first, from left to right.
        """
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
