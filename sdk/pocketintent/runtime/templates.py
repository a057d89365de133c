"""Template sets: the intents of a bot, each with the texts that express it.

Three JSON forms are read, one is saved; ``docs/templates.md`` describes them::

    {"intents": {"lights_on": {"templates": ["turn on the lights"], "threshold": 0.6}}}
    {"lights_on": ["turn on the lights"]}
    {"lights_on": [{"text": "turn on the lights"}]}
"""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from pocketintent.runtime.errors import TemplateError
from pocketintent.runtime.model_file import write_atomically
from pocketintent.runtime.template_forms import normalise_form
from pocketintent.runtime.text import simple_tokenize

DEFAULT_THRESHOLD = 0.5
"""Cosine similarity below which nothing is recognised, for a set that names none."""

DEFAULT_MARGIN = 0.0
"""Lead over the runner-up that a match needs, for a set that names none; 0 asks for none."""


@dataclass
class IntentTemplates:
    """The templates of one intent."""

    templates: list[str]
    """Texts that express the intent, at least one."""
    threshold: float | None = None
    """Threshold of this intent, -1..1; None takes the set's."""


@dataclass
class TemplateSet:
    """The intents of a bot; equal sets save to equal files."""

    intents: dict[str, IntentTemplates] = field(default_factory=dict)
    """Intents by name, in the order of the file."""
    language: str | None = None
    """Language tag of the templates, for people and tools; matching does not use it."""
    threshold: float = DEFAULT_THRESHOLD
    """Lowest score of a match, -1..1."""
    margin: float = DEFAULT_MARGIN
    """Smallest lead over the runner-up, 0..2."""
    schema: str | None = None
    """The file's ``$schema``, kept for the editors that read it."""

    def add_intent(self, name: str, texts: Iterable[str], threshold: float | None = None) -> None:
        """Add an intent, or more templates to one that is there.

        Args:
            name: The intent.
            texts: Its templates, at least one.
            threshold: The intent's own threshold; None leaves what it has.

        Raises:
            TemplateError: A name, text or threshold breaks the format; the set is unchanged.
        """
        entry: dict[str, Any] = {"templates": texts if isinstance(texts, str) else list(texts)}
        if threshold is not None:
            entry["threshold"] = threshold
        added = parse_templates({"intents": {name: entry}}, "add_intent").intents[name]
        intent = self.intents.setdefault(name, IntentTemplates([]))
        intent.templates.extend(added.templates)
        if added.threshold is not None:
            intent.threshold = added.threshold

    def remove_intent(self, name: str) -> None:
        """Remove an intent and its templates.

        Raises:
            TemplateError: There is no such intent.
        """
        if name not in self.intents:
            near = difflib.get_close_matches(str(name), self.intents, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are: {_names(self.intents)}"
            raise TemplateError(f"no intent {name!r}; {hint}")
        del self.intents[name]

    def to_dict(self) -> dict[str, Any]:
        """The set in the form that is saved; parsing it gives an equal set."""
        head = {"$schema": self.schema, "language": self.language}
        return {
            **{key: value for key, value in head.items() if value is not None},
            "threshold": self.threshold,
            "margin": self.margin,
            "intents": {
                name: {"templates": list(intent.templates)}
                | ({} if intent.threshold is None else {"threshold": intent.threshold})
                for name, intent in self.intents.items()
            },
        }


TemplateSource = str | os.PathLike[str] | Mapping[str, Any] | TemplateSet
"""A path, the name of a shipped set, a mapping in one of the three forms, or a set."""


def parse_templates(obj: Any, source: str = "templates") -> TemplateSet:
    """Build a template set from a decoded JSON value.

    Args:
        obj: A mapping in one of the three forms.
        source: Where it came from, for error messages; usually the file.

    Returns:
        A new set.

    Raises:
        TemplateError: The value breaks the format. The message names the source, the intent, the
            template's position (from 1) and what to do, and counts the other problems.
    """
    form, problems = normalise_form(obj)
    if problems:
        more = f" (problems in all: {len(problems)})" if len(problems) > 1 else ""
        raise TemplateError(f"{source}: {problems[0]}{more}")
    return TemplateSet(
        {name: IntentTemplates(**entry) for name, entry in form["intents"].items()},
        language=form.get("language"),
        threshold=form.get("threshold", DEFAULT_THRESHOLD),
        margin=form.get("margin", DEFAULT_MARGIN),
        schema=form.get("$schema"),
    )


def load_templates(source: TemplateSource) -> TemplateSet:
    """Read a template set.

    Args:
        source: A path, the name of a shipped set such as ``"smart_home"``, a mapping in one of
            the three forms, or a template set, which is checked and copied.

    Returns:
        A new set.

    Raises:
        TemplateError: There is no such file or shipped set, or it breaks the format.
    """
    if isinstance(source, TemplateSet):
        return parse_templates(source.to_dict(), "template set")
    if isinstance(source, Mapping):
        return parse_templates(source)
    path = find_templates(source)
    return parse_templates(read_json(path), str(path))


def find_templates(source: str | os.PathLike[str]) -> Path:
    """The file that a path or the name of a shipped set stands for; a file wins over a name."""
    path = Path(source)
    if path.is_file():
        return path
    shipped = bundled_templates()
    if str(source) in shipped:
        return shipped[str(source)]
    if str(source) and path.is_dir():
        raise TemplateError(f"{path} is a folder; name the template file (JSON) in it")
    raise TemplateError(
        f"{path}: no such file, and no shipped set of this name; shipped: {_names(shipped)}"
    )


def bundled_templates() -> dict[str, Path]:
    """The template sets that come with the package: name to file, by name."""
    package = Path(__file__).resolve().parents[1]
    folder = package / "templates"  # where an installation puts them
    if not folder.is_dir():
        folder = package.parents[1] / "templates"  # a checkout keeps them at its root
    files = sorted(folder.glob("*.json"))
    return {file.stem: file for file in files if not file.name.endswith(".schema.json")}


def read_json(path: Path) -> Any:
    """Read a JSON file strictly: UTF-8, no repeated keys, no NaN.

    Raises:
        TemplateError: The file cannot be read as such; the message has line and column.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise TemplateError(f"{path}: cannot be read: {error.strerror}") from error
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TemplateError(f"{path}: line {line} is not UTF-8; save the file as UTF-8") from error
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise TemplateError(f"{path}: not JSON at {place}: {error.msg}") from error
    try:
        # orjson keeps the last of two equal keys, which would lose templates without a word.
        return json.loads(text, object_pairs_hook=_unique_keys)
    except (ValueError, RecursionError) as error:
        raise TemplateError(f"{path}: {error}") from error


def save_templates(template_set: TemplateSet, path: str | os.PathLike[str]) -> None:
    """Write a set in the long form; a write that is cut off leaves the old file whole.

    Args:
        template_set: What to save; it is checked first.
        path: The file, replaced if it is there. Its folder must exist.

    Raises:
        TemplateError: The set breaks the format.
        OSError: The file cannot be written; the error names it and says why.
    """
    checked = parse_templates(template_set.to_dict(), f"saving {os.fspath(path)}")
    data = orjson.dumps(checked.to_dict(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)
    write_atomically(path, data, keep_permissions=True)


def check_templates(template_set: TemplateSet) -> list[str]:
    """Warnings about a valid set: what is allowed, but makes recognition worse.

    Args:
        template_set: The set.

    Returns:
        One sentence for each finding: a set without intents, an intent with one template, a text
        without a word, and texts that are equal but for case and punctuation, in one intent or
        in two.
    """
    warnings = [] if template_set.intents else ["the set has no intents"]
    seen: dict[tuple[str, ...], str] = {}
    for name, intent in template_set.intents.items():
        if len(intent.templates) == 1:
            warnings.append(f"intent {name!r} has one template; 5 or more are recognised better")
        for position, text in enumerate(intent.templates, 1):
            place = f"intent {name!r}, template {position} ({text!r})"
            tokens = tuple(simple_tokenize(text))
            if not tokens:
                warnings.append(f"{place} holds no word, so it never matches")
            elif tokens in seen:
                warnings.append(f"{place} says the same as {seen[tokens]}")
            else:
                seen[tokens] = place
    return warnings


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise ValueError(f"{key!r} stands twice in one object; merge the two")
        result[key] = value
    return result


def _names(names: Iterable[str]) -> str:
    return ", ".join(sorted(names)) or "none"
