"""Keyphrase extraction, the evaluation of our terms: precision, recall and F1 at k."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from pocketintent.records import read_objects, string_field
from pocketintent.runtime.errors import PocketIntentError, require
from pocketintent.runtime.text.tokenizer import simple_tokenize

CUTOFFS = (5, 10, 15)
"""Values of k: the first k phrases of a ranking are scored."""

Split = Literal["dev", "test", "all"]

Extractor = Callable[[str], list[str]]
"""From a text to its phrases, best first: at least 30, if the text has as many."""


@dataclass(frozen=True)
class KeyphraseDocument:
    """A text with keyphrases assigned by people."""

    id: str
    text: str
    keyphrases: tuple[str, ...]


def read_keyphrases(path: str | Path) -> list[KeyphraseDocument]:
    """Read lines of ``{"id": name, "text": text, "keyphrases": [phrase, ...]}``.

    Raises:
        PocketIntentError: The file has no documents, or a line is malformed; the message names
            the file and the line.
    """
    documents = []
    for place, value in read_objects(path):
        name, text = string_field(value, "id", place), string_field(value, "text", place)
        phrases = value.get("keyphrases")
        if not isinstance(phrases, list) or not all(isinstance(p, str) for p in phrases):
            raise PocketIntentError(f'{place}: "keyphrases" must be a list of strings')
        documents.append(KeyphraseDocument(name, text, tuple(phrases)))
    if not documents:
        raise PocketIntentError(
            f'{path}: no documents; expected lines of {{"id", "text", "keyphrases"}}'
        )
    return documents


def select_split(documents: Sequence[KeyphraseDocument], split: Split) -> list[KeyphraseDocument]:
    """Select a fifth of the documents for choosing settings (``dev``), or the rest (``test``).

    The data sets have no split of their own, so the SHA-256 of a document's id decides.
    """
    if split == "all":
        return list(documents)
    return [d for d in documents if (_hash(d.id) % 5 == 0) == (split == "dev")]


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def normalise(phrase: str) -> str:
    """Normalise a phrase for comparison: lower-case tokens, Porter-stemmed, joined by spaces.

    Hyphens and other punctuation separate tokens, in predicted and in gold phrases alike.

    Raises:
        MissingExtraError: NLTK is not installed.
    """
    return " ".join(map(_stemmer(), simple_tokenize(phrase)))


@lru_cache(maxsize=1)
def _stemmer() -> Callable[[str], str]:
    stem = require("nltk.stem.porter", "evaluate").PorterStemmer().stem
    return lru_cache(maxsize=100_000)(stem)


def score_rankings(
    rankings: Sequence[Sequence[str]],
    documents: Sequence[KeyphraseDocument],
    cutoffs: Sequence[int] = CUTOFFS,
) -> dict[str, dict[str, float]]:
    """Compare the first k phrases of each document with its gold phrases.

    Phrases that are equal after :func:`normalise` count once, in rankings and in gold phrases.
    Precision divides by k even if a ranking is shorter; recall divides by the number of gold
    phrases, including phrases that do not occur in the text. Both are means over documents, and
    F1 is their harmonic mean. Documents without a gold phrase are skipped.

    Args:
        rankings: The phrases of each document, best first.
        documents: The documents, in the same order.
        cutoffs: Values of k.

    Returns:
        ``{"5": {"precision", "recall", "f1"}, ...}``, each from 0 to 1.

    Raises:
        PocketIntentError: No document has a gold phrase.
    """
    pairs = [
        (_distinct(ranking), set(gold))
        for ranking, document in zip(rankings, documents, strict=True)
        if (gold := _distinct(document.keyphrases))
    ]
    if not pairs:
        raise PocketIntentError("no document has a keyphrase to compare with")
    report = {}
    for cutoff in cutoffs:
        hits = [len(gold.intersection(ranking[:cutoff])) for ranking, gold in pairs]
        precision = sum(hits) / (cutoff * len(pairs))
        recall = sum(hit / len(gold) for hit, (_, gold) in zip(hits, pairs, strict=True)) / len(
            pairs
        )
        total = precision + recall
        f1 = 2 * precision * recall / total if total else 0.0
        report[str(cutoff)] = {"precision": precision, "recall": recall, "f1": f1}
    return report


def _distinct(phrases: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(filter(None, map(normalise, phrases))))


def evaluate_keyphrases(
    path: str | Path,
    extractors: dict[str, Callable[[Sequence[str]], Extractor]],
    *,
    split: Split = "test",
    progress: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """Measure systems on the documents of a file.

    Args:
        path: Lines of ``{"id", "text", "keyphrases"}``.
        extractors: Factories of the systems by name. They get the texts of the whole file and
            may take counts from all of them, since texts contain no labels.
        split: See :func:`select_split`.
        progress: Called with the name of the system after each document.

    Returns:
        ``{"dataset", "split", "documents", "keyphrases", "results": [{"system", "at": ...}]}``
        with the scores of :func:`score_rankings` under ``at``.

    Raises:
        PocketIntentError: The file is malformed, or no document of the split has a keyphrase.
    """
    all_documents = read_keyphrases(path)
    documents = select_split(all_documents, split)
    results = []
    for name, make_extractor in extractors.items():
        extract = make_extractor([document.text for document in all_documents])
        rankings = []
        for document in documents:
            rankings.append(extract(document.text))
            if progress is not None:
                progress(name)
        results.append({"system": name, "at": score_rankings(rankings, documents)})
    return {
        "dataset": Path(path).stem,
        "split": split,
        "documents": len(documents),
        "keyphrases": sum(len(document.keyphrases) for document in documents),
        "results": results,
    }
