"""The texts that a teacher encodes: those of files, and those that are made from them.

A corpus shows few of the things that people say. Phrases of its texts teach what a few words mean
without the rest; texts with other words in them teach rare words among common ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.templates.files import load_templates
from pocketintent.runtime.text.tokenizer import simple_tokenize
from pocketintent.training.corpora.reader import read_texts
from pocketintent.training.corpora.terms import load_terms
from pocketintent.training.corpora.word_counts import count_vocabulary
from pocketintent.training.teachers.encode import encode_texts
from pocketintent.training.teachers.settings import TargetSettings
from pocketintent.training.teachers.targets import principal_components
from pocketintent.training.teachers.topics import substitute_topics
from pocketintent.training.vectors.reading import read_vectors
from pocketintent.training.vectors.writing import write_vectors, written_terms

PHRASE_WORDS = (2, 8)  # least and most words of a phrase
SUBSTITUTED_WORDS = (3, 20)  # least and most words of a text in which words are replaced
_ATTEMPTS = 20  # for each text that is wanted; a small corpus may not have as many
_FREQUENT = 1e-3  # share of the corpus from which a word is rarely replaced
_REPLACEMENT_POWER = 0.3  # of a word's count, in its chance to replace another
_LEAST_LETTERS = 3  # of a teacher's word
_MARKS = ("Ġ", "▁")  # before the tokens of BPE and SentencePiece that start a word
_TOPIC_WORD_COUNT = 3  # least number of occurrences of a word of the texts that may be on a topic


def make_targets(
    teacher: Encoder,
    out: Path,
    settings: TargetSettings,
    *,
    texts: Sequence[Path] = (),
    templates: Sequence[Path] = (),
    terms: Path | None = None,
    words: Path | None = None,
    report: Callable[[str], object],
    progress: Callable[[str, int, int], None],
) -> dict[str, Any]:
    """Encode texts and write them, each once, with their vectors; see :func:`write_vectors`.

    They are the lines of the corpora ``texts`` and what the settings make from them, the texts of
    template files, the terms of a file, and the words of a file of vectors. ``report`` gets lines
    of progress, and ``progress`` a stage, the texts done and the number of all. An unfinished run
    continues from ``<out>.partial``. Returns the number of ``texts`` and their ``dim``; a bad
    setting or file, and no text at all, are a PocketIntentError.
    """
    settings.check()
    if settings.components is not None and settings.components > teacher.dim:
        raise PocketIntentError(
            f"--components {settings.components} is more than the {teacher.dim} dimensions of the "
            "teacher's vectors"
        )
    found: list[str] = []
    if words is not None:
        found += read_vectors(words, settings.limit).terms
    elif settings.limit is not None:
        raise PocketIntentError("the setting limit requires --words")
    lines = list(dict.fromkeys(" ".join(line.split()) for line in read_texts(texts)))
    found += [*_make_texts(settings, lines, teacher, report, progress), *lines]
    for path in templates:
        found += load_templates(path).all_texts()
    if terms is not None:
        found += [term.term for term in load_terms(terms)]
    if not found:
        names = ", ".join(map(str, texts))
        raise PocketIntentError(
            f"{names}: no text in it; write one text on each line"
            if texts
            else "there are no texts; name files with --texts, --templates, --terms or --words"
        )
    # In most formats "fire alarm" and "fire_alarm" are one term.
    distinct: dict[str, str] = {}
    for term, text in zip(written_terms(out, found), found, strict=True):
        distinct.setdefault(term, text)
    report(f"{len(distinct)} texts")
    unfinished = Path(f"{out}.partial")
    targets = encode_texts(
        teacher,
        list(distinct.values()),
        settings.batch_size,
        cache=unfinished,
        progress=partial(progress, "texts"),
    )
    if settings.components is not None:
        targets = principal_components(targets, settings.components)
    write_vectors(out, targets)
    unfinished.unlink()
    return {"texts": len(targets), "dim": targets.dim}


def _make_texts(
    settings: TargetSettings,
    lines: list[str],
    teacher: Encoder,
    report: Callable[[str], object],
    progress: Callable[[str, int, int], None],
) -> list[str]:
    """The words, phrases and texts with other words that the settings ask for."""
    least, seed = settings.single_words, settings.seed
    if not lines and any((least, settings.phrases, settings.substitutions, settings.topics)):
        raise PocketIntentError(
            "--single-words, --phrases, --substitutions and --topics require --texts"
        )
    own = teacher_words(teacher) if settings.teacher_words else []
    single = frequent_words(lines, least) if least else []
    if least and not single:
        raise PocketIntentError(
            f"no word occurs {least} times in --texts; give --single-words a smaller number, or "
            "more texts"
        )
    phrases = make_phrases(lines, settings.phrases, seed)
    substitutions = substitute_words(lines, own, settings.substitutions, seed)
    topics: list[str] = []
    words = [*frequent_words(lines, _TOPIC_WORD_COUNT), *own] if settings.topics else []
    if words := list(dict.fromkeys(words)):
        vectors = encode_texts(
            teacher, words, settings.batch_size, progress=partial(progress, "topic words")
        ).vectors
        shown = partial(progress, "texts on other topics")
        topics = substitute_topics(lines, words, vectors, settings.topics, seed, shown)
    for name, number, made in (
        ("phrases", settings.phrases, phrases),
        ("substitutions", settings.substitutions, substitutions),
        ("texts on other topics", settings.topics, topics),
    ):
        if len(made) < number:
            report(f"the texts give no more than {len(made)} {name}")
    return [*single, *own, *phrases, *substitutions, *topics]


def make_phrases(texts: Sequence[str], num: int, seed: int) -> list[str]:
    """Draw up to ``num`` phrases: 2 to 8 neighbouring words of a text, separated by spaces.

    Texts of fewer than four words are not drawn from. Phrases are distinct, and none is a text.
    """
    rng = np.random.default_rng(seed)
    known, phrases = set(texts), dict[str, None]()
    least, most = PHRASE_WORDS
    for _ in range(_ATTEMPTS * num if texts else 0):
        if len(phrases) == num:
            break
        words = texts[int(rng.integers(len(texts)))].split()
        if len(words) < 2 * least:
            continue
        length = rng.integers(least, min(most + 1, len(words)))
        start = rng.integers(len(words) - length + 1)
        phrase = " ".join(words[start : start + length])
        if phrase not in known:
            phrases[phrase] = None
    return list(phrases)


def substitute_words(
    texts: Sequence[str], extra_words: Sequence[str], num: int, seed: int
) -> list[str]:
    """Draw texts and replace one or two words of each by any other words.

    Rare words are replaced rather than frequent ones, and replace others more often than their
    number in the corpus would suggest. ``extra_words`` need not be in the texts. Returns distinct
    texts, as tokens separated by spaces; fewer than ``num`` if the texts are few.
    """
    rng = np.random.default_rng(seed)
    least, most = SUBSTITUTED_WORDS
    tokens = [words for words in map(simple_tokenize, texts) if least <= len(words) <= most]
    if not tokens:
        return []
    counted = count_vocabulary(tokens)
    share = dict(zip(counted.words, (counted.counts / counted.counts.sum()).tolist(), strict=True))
    counts = dict(zip(counted.words, counted.counts.tolist(), strict=True))
    others = list(dict.fromkeys([*counted.words, *extra_words]))
    chances = np.array([counts.get(word, 0) + 1.0 for word in others]) ** _REPLACEMENT_POWER
    chances /= chances.sum()
    drawn = iter(rng.choice(len(others), 2 * _ATTEMPTS * num, p=chances).tolist())
    made: dict[str, None] = {}
    for _ in range(_ATTEMPTS * num):
        if len(made) == num:
            break
        words = list(tokens[int(rng.integers(len(tokens)))])
        rarity = np.array([_FREQUENT / (_FREQUENT + share[word]) for word in words])
        size = 1 if rng.random() < 0.5 else 2
        for place in rng.choice(len(words), size, replace=False, p=rarity / rarity.sum()):
            words[place] = others[next(drawn)]
        made[" ".join(words)] = None
    return list(made)


def frequent_words(texts: Iterable[str], min_count: int) -> list[str]:
    """The words that occur at least ``min_count`` times in texts, the most frequent first."""
    counter = Counter(token for text in texts for token in simple_tokenize(text))
    ranked = sorted(counter, key=lambda word: (-counter[word], word))
    return [word for word in ranked if counter[word] >= min_count]


def teacher_words(teacher: Encoder) -> list[str]:
    """The whole words of a transformer's vocabulary, in lower case and alphabetical order.

    Of WordPiece, parts of words begin with ``##``; of BPE and SentencePiece, whole words begin with
    a mark. They have three ASCII letters or more. A model without tokens is a PocketIntentError.
    """
    vocabulary = getattr(teacher, "vocabulary", None)
    tokens = vocabulary() if callable(vocabulary) else []
    if not tokens:
        raise PocketIntentError(
            "a pocketintent model as the teacher has no tokens; for its words, name the model "
            "with --words"
        )
    if any(token.startswith(_MARKS) for token in tokens):
        tokens = [token[1:] for token in tokens if token.startswith(_MARKS)]
    words = {token.lower() for token in tokens if token.isascii() and token.isalpha()}
    return sorted(word for word in words if len(word) >= _LEAST_LETTERS)
