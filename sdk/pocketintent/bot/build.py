"""Building a bot: a recogniser on a model that may first be adapted to its texts, and pruned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from pocketintent.compression.kinds import table_of, words_of
from pocketintent.compression.prune import frequent_words, select_words
from pocketintent.recognizer import IntentRecognizer
from pocketintent.runtime.decision.registry import DEFAULT_DECISION, Decision
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.index.building import Search
from pocketintent.runtime.templates.files import find_bot_file
from pocketintent.runtime.templates.template_set import TemplateSet
from pocketintent.training.loop.run import DEFAULT_OPTIONS, RunOptions
from pocketintent.training.teachers.encode import Progress, encode_texts


def build_bot(
    templates: str,
    model: str | None = None,
    *,
    decision: Decision | None = None,
    search: Search | None = None,
    correct: bool | None = None,
    teacher: Path | None = None,
    texts: Iterable[str] = (),
    max_words: int | None = None,
    options: RunOptions = DEFAULT_OPTIONS,
    progress: Progress | None = None,
) -> tuple[IntentRecognizer, dict[str, Any]]:
    """Make a recogniser, with all that is fitted on the adapted and pruned model.

    Args:
        templates: A template file, the name of a shipped set, or a bot file, which is built again
            with its own settings.
        model: As of :meth:`IntentRecognizer.load`, like ``decision``, ``search`` and ``correct``.
        decision: How an intent is scored.
        search: How the templates are kept.
        correct: Whether typing errors are corrected.
        teacher: Path of a sentence encoder, whose vectors of the bot's texts the model is trained
            on; None to leave the model as it is.
        texts: Further texts of the bot's subject to train on, such as the lines of a log.
        max_words: Number of the most frequent words that the model keeps, beside every word of
            the bot's texts; None for all.
        options: Options of the training.
        progress: Called with the number of texts that the teacher has encoded, and of all texts.

    Returns:
        The recogniser, and a report: its ``decision`` and ``search``; the numbers of ``intents``,
        of ``templates`` and of those in which the model knows no word, ``unknown``; ``adapted``,
        the number of texts that the model was trained on, or None; and the numbers of its
        ``words``, ``before`` and ``after``, or None for a model without a table of words.

    Raises:
        PocketIntentError: The templates or the model cannot be used, or not be changed so.
    """
    is_bot_file = find_bot_file(templates) is not None
    is_changed = teacher is not None or max_words is not None
    bot = IntentRecognizer.load(
        templates,
        model,
        # Nothing is fitted on a model before it changes.
        decision="nearest" if is_changed and not is_bot_file else decision,
        search=search,
        correct=correct,
        backend="numpy",
    )
    assert isinstance(bot.encoder, ModelEncoder)
    original = encoder = bot.encoder
    if teacher is not None:
        from pocketintent.bot.adapt import (  # imports torch
            adapt_encoder,
            adaptation_texts,
            check_adaptable,
        )

        lines = adaptation_texts([*bot.templates.all_texts(), *texts])
        with _naming("--teacher"):
            adaptable = check_adaptable(encoder)
            vectors = encode_texts(teacher, lines, progress=progress)
            encoder = adapt_encoder(adaptable, vectors, options=options)
    if max_words is not None:
        with _naming("--max-words"):
            encoder = keep_for_bot(encoder, bot.templates, max_words)
    decision = bot.decision if is_bot_file else decision or DEFAULT_DECISION
    if encoder is not original or decision != bot.decision:
        bot = IntentRecognizer(
            encoder, bot.templates, decision=decision, search=bot.search, correct=bot.correct
        )
    intents = bot.templates.intents
    num_templates = sum(len(intent.templates) for intent in intents.values())
    tables = [table_of(model) for model in (original, encoder)]
    before, after = (None if table is None else len(table.vocabulary) for table in tables)
    return bot, {
        "decision": bot.decision,
        "search": bot.search,
        "intents": len(intents),
        "templates": num_templates,
        "unknown": num_templates - len(bot.indexed.texts),
        "adapted": None if teacher is None else encoder.manifest["training"]["texts"]["training"],
        "words": None if before is None else {"before": before, "after": after},
    }


def keep_for_bot(encoder: ModelEncoder, templates: TemplateSet, keep: int) -> ModelEncoder:
    """A copy of an encoder with its ``keep`` most frequent words, and every word of a bot's texts.

    The words of its templates, of ``none`` and of its counter-examples stay, so that their vectors
    are those of the whole model. The encoder itself is returned if these are all of its words.
    The errors are those of :func:`keep_frequent`.
    """
    vocabulary = words_of(encoder).vocabulary
    texts = list(templates.none)
    for intent in templates.intents.values():
        texts += intent.templates + intent.counter_examples
    is_kept = np.zeros(len(vocabulary), np.bool_)
    is_kept[frequent_words(encoder, keep)] = True
    for text in texts:
        is_kept[vocabulary.ids(encoder.tokenize(text))] = True
    if is_kept.all():
        return encoder
    pruned = select_words(encoder, np.flatnonzero(is_kept))
    manifest = {key: value for key, value in pruned.manifest.items() if key != "quality"}
    compression = {**manifest.get("compression", {}), "keep": keep, "prune": "bot"}
    return pruned.replace(manifest=manifest | {"compression": compression})


@contextmanager
def _naming(option: str) -> Iterator[None]:
    """Begin the message of an error with the option of ``build`` that is at fault."""
    try:
        yield
    except PocketIntentError as error:
        raise PocketIntentError(f"{option}: {error}") from error
