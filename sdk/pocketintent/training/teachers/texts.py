"""The texts that a teacher encodes: those of files, and those that are made from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.templates.files import load_templates
from pocketintent.training.corpora.reader import read_texts
from pocketintent.training.corpora.terms import load_terms
from pocketintent.training.teachers.encode import encode_texts
from pocketintent.training.teachers.loader import teacher_words
from pocketintent.training.teachers.settings import TargetSettings
from pocketintent.training.teachers.targets import principal_components
from pocketintent.training.teachers.topics import substitute_topics
from pocketintent.training.teachers.variants import frequent_words, make_phrases, substitute_words
from pocketintent.training.vectors.reading import read_vectors
from pocketintent.training.vectors.writing import write_vectors, written_terms

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
