"""The report on a template file: its errors and weak points."""

from __future__ import annotations

from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from pocketintent.bot import template_checks as checks
from pocketintent.runtime.encoders.contract import ModelEncoder
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.errors import ModelFileError, TemplateError
from pocketintent.runtime.templates.files import find_bot_file, find_templates, read_templates_file
from pocketintent.runtime.templates.forms import normalise_form
from pocketintent.runtime.templates.template_set import parse_templates
from pocketintent.runtime.text.languages import language_warning


def check_file(name: str, model: str | None = None) -> dict[str, Any]:
    """All errors and weak points of a template file.

    Args:
        name: A template file, the name of a shipped set, or a bot file.
        model: Model file or name of a shipped model; by default the bot file's, or ``default``.

    Returns:
        ``{"file", "intents", "templates", "errors", "warnings", "left_out"}``; the numbers are
        None where there are errors.
    """
    report: dict[str, Any] = {"file": name, "intents": None, "templates": None}
    nothing: dict[str, Any] = {"warnings": [], "left_out": []}
    try:
        path = find_templates(name)
        report["file"] = str(path)
        form, errors = normalise_form(read_templates_file(path))
        encoder = load_once(find_bot_file(path) if model is None else model)
    except (ModelFileError, TemplateError) as error:
        place = f"{report['file']}: "
        return {**report, "errors": [str(error).removeprefix(place)], **nothing}
    if errors:
        return {**report, "errors": errors, **nothing}
    template_set = parse_templates(form)
    if not template_set.intents:
        empty = 'there is nothing to match; add an intent: {"lights_on": ["turn on the lights"]}'
        return {**report, "errors": [empty], **nothing}
    report["intents"] = len(template_set.intents)
    report["templates"] = sum(len(intent.templates) for intent in template_set.intents.values())
    warnings = checks.check_templates(template_set)
    counts = checks.leave_out(encoder, template_set)
    of_model = (
        language_warning(template_set.language, encoder.manifest)
        or checks.vocabulary_warning(template_set, encoder.known_words)
        or checks.left_out_warning(counts)
    )
    warnings += [of_model] if of_model else []
    left_out = [asdict(count) for count in counts]
    return {**report, "errors": [], "warnings": warnings, "left_out": left_out}


@lru_cache(maxsize=1)
def load_once(model: str | Path | None) -> ModelEncoder:
    """The model of a file or a name, kept for the next file; None for the default model."""
    return load_encoder(model)
