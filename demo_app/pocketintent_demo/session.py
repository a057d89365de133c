"""The demo without its terminal: from a line to the text of the answer."""

from __future__ import annotations

import glob
import os
import time
from collections.abc import Callable
from dataclasses import dataclass

from pocketintent import IntentRecognizer, PocketIntentError
from pocketintent_demo.answers import describe_candidate, describe_explanation, describe_match
from pocketintent_demo.style import Style, quote

_WORDS = {"help": ":help", "quit": ":quit", "exit": ":quit", "bye": ":quit"}
"""Sentences after which the demo shows the command that may have been meant."""


class CommandError(Exception):
    """A command is misspelt or incomplete; the message shows its usage."""


@dataclass(frozen=True)
class Command:
    """One command of the demo."""

    run: Callable[[str], str]
    """Returns the answer to the text after the command's name."""
    usage: str
    """The command with its arguments."""
    help: str
    """What it does, for ``:help``."""


class Session:
    """A conversation with one recogniser.

    Args:
        templates: A template file, the name of a shipped set, or a bot file.
        model: A model file; None for the default model, or the model of a bot file.
        style: Colours of the answers.
        clock: Returns seconds, to time a match.

    Raises:
        PocketIntentError: The templates or the model cannot be used.
    """

    def __init__(
        self,
        templates: str,
        model: str | None = None,
        style: Style | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.model = templates if _is_bot(templates) else model
        self.style = style or Style()
        self.clock = clock
        self.finished = False
        self.last_text: str | None = None
        self.source = templates
        self.recognizer = IntentRecognizer.load(templates=templates, model=model)
        commands = (
            Command(self._add, ":add INTENT TEXT", "add a template, and its intent if new"),
            Command(self._except, ":except INTENT TEXT", "add a text that is not for the intent"),
            Command(self._none, ":none TEXT", "add a text that is for no intent"),
            Command(self._remove, ":remove INTENT", "remove an intent"),
            Command(self._intents, ":intents", "list the intents"),
            Command(self._why, ":why [TEXT]", "explain the last answer, or the answer to TEXT"),
            Command(self._why_not, ":whynot INTENT", "explain the score of another intent"),
            Command(self._threshold, ":threshold [NUMBER]", "lowest accepted score, {least}..1"),
            Command(self._margin, ":margin [NUMBER]", "least lead over the next intent, 0..{lead}"),
            Command(self._save, ":save FILE", "save the templates (.json), or all (.safetensors)"),
            Command(self._load, ":load FILE", "load a template file, a shipped set, or a bot file"),
            Command(self._help, ":help", "this list"),
            Command(self._quit, ":quit", "leave (Ctrl-D does too)"),
        )
        self.commands = {command.usage.partition(" ")[0]: command for command in commands}

    def respond(self, line: str) -> str:
        """Answer one line.

        Args:
            line: A command if it starts with a colon, otherwise an utterance.

        Returns:
            The answer, one or more lines; after a failed command it says what to do.
        """
        line = line.strip()
        try:
            return self._run(line) if line.startswith(":") else self._match(line)
        except (CommandError, PocketIntentError) as error:
            return self.style.error(str(error))
        except OSError as error:
            return self.style.error(f"{error.filename or 'file'}: {error.strerror or error}")

    def greeting(self) -> str:
        """Return the size and source of the template set, the backend, and how to begin."""
        return (
            f"{self._size()} from {self.source}, backend {self.recognizer.backend}. "
            "Type a sentence to see its intent, :help for the commands, :quit to leave."
        )

    def complete(self, line: str) -> list[str]:
        """List the completions of a command or its argument: commands, intents, files.

        Args:
            line: The line up to the cursor.

        Returns:
            Whole words or paths, in order; empty for an utterance.
        """
        if not line.startswith(":"):
            return []
        name, space, rest = line.partition(" ")
        if not space:
            return [command for command in self.commands if command.startswith(name)]
        if name in (":add", ":except", ":remove", ":whynot") and " " not in rest:
            return sorted(i for i in self.recognizer.templates.intents if i.startswith(rest))
        if name in (":load", ":save"):
            return _complete_path(rest)
        return []

    def _match(self, text: str) -> str:
        start = self.clock()
        match = self.recognizer.match(text)
        micros = (self.clock() - start) * 1e6
        self.last_text = text
        lines = [describe_match(self.recognizer, text, match, f"{micros:.0f} µs", self.style)]
        if (command := _WORDS.get(text.lower().strip(" .!?"))) is not None:
            lines.append(self.style.faint(f"  {command}: {self.commands[command].help}"))
        return "\n".join(lines)

    def _run(self, line: str) -> str:
        name, _, rest = line.partition(" ")
        if name not in self.commands:
            raise CommandError(f"{name} is not a command; :help lists them")
        return self.commands[name].run(rest.strip())

    def _add(self, rest: str) -> str:
        intent, text = self._intent_and_text(rest, ":add", "tea make me some tea")
        before = self.recognizer.templates.intents.get(intent)
        if before is not None and text in before.templates:
            raise CommandError(f"{intent} already has the template {quote(text)}")
        self.recognizer.add_intent(intent, [text])
        number = len(self.recognizer.templates.intents[intent].templates)
        return f"{intent} now has {_count(number, 'template')}; :save FILE saves them"

    def _except(self, rest: str) -> str:
        intent, text = self._intent_and_text(rest, ":except", "tea no tea please")
        if intent not in self.recognizer.intents:
            raise CommandError(f"there is no intent {intent}; :intents lists them")
        self.recognizer.add_intent(intent, [], counter_examples=[text])
        number = len(self.recognizer.templates.intents[intent].counter_examples)
        return f"{intent} now has {_count(number, 'counter-example')}; :save FILE saves them"

    def _intent_and_text(self, rest: str, name: str, example: str) -> tuple[str, str]:
        """The intent and the text after a command's name."""
        intent, _, text = rest.partition(" ")
        self._require(text.strip(), name, f", for example {name} {example}")
        return intent, text.strip()

    def _require(self, rest: str, name: str, hint: str) -> None:
        """Refuse a command without its last argument."""
        if not rest:
            raise CommandError(f"write {self.commands[name].usage}{hint}")

    def _none(self, rest: str) -> str:
        self._require(rest, ":none", ", for example :none thank you")
        templates = self.recognizer.templates
        templates.none.append(rest)
        self.recognizer.templates = templates
        number = _count(len(templates.none), "text")
        return f"{number} without an intent; :save FILE saves them"

    def _remove(self, rest: str) -> str:
        self._require(rest, ":remove", "; :intents lists them")
        self.recognizer.remove_intent(rest)
        return f"{rest} is removed; {self._size()} left"

    def _intents(self, rest: str) -> str:
        intents = self.recognizer.templates.intents
        if not intents:
            return "no intents yet; :add INTENT TEXT makes one"
        width = max(map(len, intents))
        lines = []
        for name, intent in intents.items():
            own = "" if intent.threshold is None else f"  threshold {intent.threshold:.3f}"
            example = self.style.faint(quote(intent.templates[0]))
            number = _count(len(intent.templates), "template")
            lines.append(f"{name:<{width}}  {number:>13}  {example}{own}")
        return "\n".join(lines)

    def _why(self, rest: str) -> str:
        self.last_text = rest or self.last_text
        if self.last_text is None:
            raise CommandError("nothing to explain yet; type a sentence first")
        return describe_explanation(self.recognizer, self.last_text, self.style)

    def _why_not(self, rest: str) -> str:
        if self.last_text is None or not rest:
            raise CommandError(f"type a sentence first, then {self.commands[':whynot'].usage}")
        return describe_candidate(self.recognizer, self.last_text, rest)

    def _threshold(self, rest: str) -> str:
        if rest:
            self.recognizer.threshold = self._number(":threshold", rest, self._least_score, 1)
        own = [i for i in self.recognizer.templates.intents.values() if i.threshold is not None]
        also = f"; {_count(len(own), 'intent')} with a separate threshold" if own else ""
        return f"threshold {self.recognizer.threshold:.3f}{also}"

    def _margin(self, rest: str) -> str:
        if rest:
            self.recognizer.margin = self._number(":margin", rest, 0, 1 - self._least_score)
        return f"margin {self.recognizer.margin:.3f}"

    def _number(self, name: str, text: str, least: float, most: float) -> float:
        """The number after a command's name."""
        usage = self.commands[name].usage
        try:
            value = float(text)
        except ValueError:
            raise CommandError(f"{text} is not a number; write {usage}") from None
        if not least <= value <= most:
            raise CommandError(f"{text} is not between {least} and {most}; write {usage}")
        return value

    def _save(self, rest: str) -> str:
        self._require(rest, ":save", ", for example :save my_bot.json")
        path = os.path.expanduser(rest)
        self.recognizer.save(path)
        return f"saved {self._size()} to {path}"

    def _load(self, rest: str) -> str:
        self._require(rest, ":load", ", for example :load travel")
        path = os.path.expanduser(rest)
        model = None if _is_bot(path) else self.model
        self.recognizer = IntentRecognizer.load(templates=path, model=model)
        self.source = path
        if _is_bot(path):
            self.model = path  # for templates that are loaded later
        return f"loaded {self._size()} from {path}"

    def _help(self, rest: str) -> str:
        width = max(len(command.usage) for command in self.commands.values())
        lines = [f"{c.usage:<{width}}  {c.help}" for c in self.commands.values()]
        text = "\n".join(["any other line is a sentence whose intent is shown", *lines])
        return text.format(least=self._least_score, lead=1 - self._least_score)

    @property
    def _least_score(self) -> int:
        """0 where scores are probabilities, -1 where they are similarities."""
        return 0 if self.recognizer.decision == "logistic" else -1

    def _quit(self, rest: str) -> str:
        self.finished = True
        return "bye"

    def _size(self) -> str:
        intents = self.recognizer.templates.intents
        texts = sum(len(intent.templates) for intent in intents.values())
        return f"{_count(len(intents), 'intent')} with {_count(texts, 'template')}"


def _is_bot(path: str) -> bool:
    """Whether a name is that of a bot file, as ``IntentRecognizer.save`` sees it."""
    return path.lower().endswith(".safetensors")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _complete_path(start: str) -> list[str]:
    paths = glob.glob(glob.escape(os.path.expanduser(start)) + "*")
    folders = [path + os.sep for path in paths if os.path.isdir(path)]
    return sorted(folders + [path for path in paths if path.endswith(".json") or _is_bot(path)])
