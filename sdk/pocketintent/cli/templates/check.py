"""``pocketintent templates check``: errors and weak points of template files."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pocketintent.cli.options.files import check_name, file_name
from pocketintent.cli.options.model import MODEL_HELP
from pocketintent.cli.output import print_json, print_note
from pocketintent.runtime.errors import ModelFileError, TemplateError
from pocketintent.runtime.templates.checks import check_templates, language_warning
from pocketintent.runtime.templates.files import find_templates, read_templates_file
from pocketintent.runtime.templates.forms import normalise_form
from pocketintent.runtime.templates.template_set import parse_templates

EPILOG = """\
examples:
  pocketintent templates check my_bot.json
  pocketintent templates check templates/*.json
  pocketintent templates check smart_home
  pocketintent templates check my_bot.json --model tiny

each line of the output:
  file       the file
  intents    number of intents, or null when there are errors
  templates  number of templates, or null when there are errors
  errors     breaches of the format, or the lack of any intent: nothing can be matched
  warnings   weak points that are allowed but make recognition worse

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
    parser.add_argument(
        "--model",
        metavar="MODEL",
        help=f"warn if this model does not speak the language of a file: {MODEL_HELP} (none)",
    )


def run(args: argparse.Namespace) -> int:
    """Check the named files."""
    for name in args.files:
        check_name(Path(name))
    manifest = {} if args.model is None else _read_manifest(args.model)
    reports = [_check(name, manifest) for name in args.files]
    for report in reports:
        for level in ("errors", "warnings"):
            for finding in report[level]:
                print_note(f"{report['file']}: {level[:-1]}: {finding}")
        print_json(report)
    return 1 if any(report["errors"] for report in reports) else 0


def _read_manifest(model: str) -> dict[str, Any]:
    from pocketintent.runtime.encoders.registry import load_encoder

    return load_encoder(model).manifest


def _check(name: str, manifest: Mapping[str, Any]) -> dict[str, Any]:
    report: dict[str, Any] = {"file": name, "intents": None, "templates": None}
    try:
        path = find_templates(name)
        report["file"] = str(path)
        form, errors = normalise_form(read_templates_file(path))
    except (ModelFileError, TemplateError) as error:
        place = f"{report['file']}: "
        return {**report, "errors": [str(error).removeprefix(place)], "warnings": []}
    if errors:
        return {**report, "errors": errors, "warnings": []}
    template_set = parse_templates(form)
    if not template_set.intents:
        empty = 'there is nothing to match; add an intent: {"lights_on": ["turn on the lights"]}'
        return {**report, "errors": [empty], "warnings": []}
    report["intents"] = len(template_set.intents)
    report["templates"] = sum(len(intent.templates) for intent in template_set.intents.values())
    language = language_warning(template_set, manifest)
    warnings = check_templates(template_set) + ([] if language is None else [language])
    return {**report, "errors": [], "warnings": warnings}
