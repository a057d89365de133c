"""``pocketintent templates check``: errors and weak points of template files."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pocketintent.cli.options.files import check_name, file_name
from pocketintent.cli.options.model import MODEL_HELP
from pocketintent.cli.options.shared import add
from pocketintent.cli.output import print_json, print_note
from pocketintent.runtime.errors import ModelFileError, TemplateError
from pocketintent.runtime.templates.files import find_bot_file, find_templates, read_templates_file
from pocketintent.runtime.templates.forms import normalise_form
from pocketintent.runtime.templates.template_set import parse_templates
from pocketintent.runtime.text.languages import language_warning

if TYPE_CHECKING:
    from pocketintent.runtime.encoders.contract import ModelEncoder

EPILOG = """\
examples:
  pocketintent templates check my_bot.json
  pocketintent templates check templates/*.json
  pocketintent templates check smart_home
  pocketintent templates check my_bot.json --model tiny
  pocketintent templates check my_bot.json --json > report.jsonl

each line of the output:
  file       the file
  intents    number of intents, or null when there are errors
  templates  number of templates, or null when there are errors
  errors     breaches of the format, or the lack of any intent: nothing can be matched
  warnings   weak points that are allowed but make recognition worse
  left_out   of each intent: its templates, and how many of them would be refused, and confused
             with another intent, by a bot that is fitted without them

exit status: 0 no errors, 1 a file has errors"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of ``templates check``."""
    parser.description = (
        "Find all errors and weak points of template files. Prints one JSON line for each file; "
        "errors and warnings go to stderr too."
    )
    parser.epilog = EPILOG
    parser.set_defaults(run=run)
    parser.add_argument(
        "files",
        type=file_name,
        nargs="+",
        metavar="FILE",
        help="template file (JSON), the name of a shipped set, or a bot file",
    )
    warning = "warn of what it does not know of a file (default: the model 'default')"
    add(parser, "--model", help=f"{MODEL_HELP}: {warning}")
    add(parser, "--json")


def run(args: argparse.Namespace) -> int:
    """Check the named files."""
    for name in args.files:
        check_name(Path(name))
    if args.model is not None:
        _load(args.model)  # an error of the model is not one of the files
    reports = [_check(name, args.model) for name in args.files]
    for report in reports:
        for level in () if args.json else ("errors", "warnings"):
            for finding in report[level]:
                print_note(f"{report['file']}: {level[:-1]}: {finding}")
        print_json(report)
    return 1 if any(report["errors"] for report in reports) else 0


def _check(name: str, model: str | None) -> dict[str, Any]:
    from pocketintent.bot import template_checks as checks

    report: dict[str, Any] = {"file": name, "intents": None, "templates": None}
    nothing: dict[str, Any] = {"warnings": [], "left_out": []}
    try:
        path = find_templates(name)
        report["file"] = str(path)
        form, errors = normalise_form(read_templates_file(path))
        encoder = _load(find_bot_file(path) if model is None else model)
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
def _load(model: str | Path | None) -> ModelEncoder:
    """The model of a file or a name; None for the default model."""
    from pocketintent.runtime.encoders.registry import load_encoder

    return load_encoder(model)
