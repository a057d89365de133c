"""Keyphrase extraction, the test of the term candidates: precision, recall and F1 at k."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from pocketintent.evaluation.records import read_objects
from pocketintent.runtime.errors import PocketIntentError, require
from pocketintent.runtime.text.tokenizer import simple_tokenize

CUTOFFS = (5, 10, 15)
"""The numbers of first phrases that are scored."""

Split = Literal["dev", "test", "all"]

Extractor = Callable[[str], list[str]]
"""A function from a text to its phrases, the best first; at least 30 where it has so many."""


@dataclass(frozen=True)
class KeyphraseDocument:
    """A text with the keyphrases that people gave it."""

    id: str
    text: str
    keyphrases: tuple[str, ...]


def read_keyphrases(path: str | Path) -> list[KeyphraseDocument]:
    """Read lines of ``{"id": name, "text": text, "keyphrases": [phrase, ...]}``.

    Raises:
        PocketIntentError: The file has no documents, or a line breaks the form; the message
            names the file and the line.
    """
    documents = []
    for place, value in read_objects(path):
        texts = [value.get("id"), value.get("text")]
        phrases = value.get("keyphrases")
        if not all(isinstance(text, str) for text in texts):
            raise PocketIntentError(f'{place}: "id" and "text" must be texts')
        if not isinstance(phrases, list) or not all(isinstance(p, str) for p in phrases):
            raise PocketIntentError(f'{place}: "keyphrases" must be a list of texts')
        documents.append(KeyphraseDocument(value["id"], value["text"], tuple(phrases)))
    if not documents:
        raise PocketIntentError(
            f'{path}: no documents; expected lines of {{"id", "text", "keyphrases"}}'
        )
    return documents


def select_split(documents: Sequence[KeyphraseDocument], split: Split) -> list[KeyphraseDocument]:
    """A fifth of the documents to choose settings on (``dev``), or the others (``test``).

    The data sets come without a split, so the SHA-256 of a document's id decides.
    """
    if split == "all":
        return list(documents)
    return [d for d in documents if (_hash(d.id) % 5 == 0) == (split == "dev")]


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def normalise(phrase: str) -> str:
    """A phrase as it is compared: lower-case tokens, Porter-stemmed, joined by spaces.

    Hyphens and other punctuation separate tokens, for all systems and for the gold phrases.

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

    Phrases that are equal after :func:`normalise` count once, in the rankings and in the gold.
    Precision divides by k also where a system gave fewer; recall divides by all gold phrases,
    those that are not in the text too. Both are means over documents, and F1 is their harmonic
    mean. Documents without a gold phrase are passed over.

    Args:
        rankings: The phrases of each document, the best first.
        documents: The documents, in the same order.
        cutoffs: Values of k.

    Returns:
        ``{"5": {"precision", "recall", "f1"}, ...}``, each from 0 to 1.
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
        extractors: How to make each system, by its name, from the texts of the whole file: a
            system may count in all of them, as no label is in them.
        split: See :func:`select_split`.
        progress: Called with the system's name after each document.

    Returns:
        ``{"dataset", "split", "documents", "keyphrases", "results": [{"system", "at": ...}]}``
        with what :func:`score_rankings` gives under ``at``.

    Raises:
        PocketIntentError: The file is bad, or the split has no document with a keyphrase.
    """
    everything = read_keyphrases(path)
    documents = select_split(everything, split)
    results = []
    for name, make_extractor in extractors.items():
        extract = make_extractor([document.text for document in everything])
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
