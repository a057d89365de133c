"""Subcommands whose modules are imported when they are chosen.

The help of ``pocketintent``, ``pocketintent train`` and the like needs only their tables.
"""

from __future__ import annotations

import argparse
import difflib
import shutil
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

from pocketintent.runtime.errors import install_command
from pocketintent.runtime.plugins import installed_plugins


class Command(NamedTuple):
    """A subcommand."""

    name: str
    """Its name on the command line."""
    module: str
    """Dotted name of its module. The docstring is the help, whose examples follow ``Examples:``;
    unless it has subcommands, it has ``add_arguments(parser)`` and ``run(args)``."""
    summary: str
    """Its line in the help of the command above it."""
    commands: tuple[Command, ...] = ()
    """Its subcommands, beside those of other distributions."""


RENAMED = {
    "combine": "pocketintent compress WORDS --characters CHAREMB --out FILE",
    "compare": "pocketintent-lab compare",
    "compress-sweep": "pocketintent-lab sweep",
    "evaluate calibration": "pocketintent evaluate intents DIR --calibration",
    "evaluate oos": "pocketintent evaluate intents DIR --oos",
    "evaluate pairs": "pocketintent evaluate sts",
    **{
        f"{group} {name}": f"pocketintent-lab {group} {name}"
        for group, names in {
            "evaluate": ("encoders", "reconstruction", "retrieval", "terms", "triplets"),
            "train": ("convrr", "glove", "infersent", "masked-lm", "sent2vec", "terms", "words"),
        }.items()
        for name in names
    },
}
"""Commands that the documentation once showed, and what takes their place."""


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Wraps a text of one line; a text of several lines, such as examples, stays as it is.

    An option of a number, a file or a folder is shown with the ``metavar`` of its type.
    """

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if "\n" in text:
            return super()._fill_text(text, width, indent)
        return argparse.HelpFormatter._fill_text(self, text, width, indent)

    def _get_default_metavar_for_optional(self, action: argparse.Action) -> str:
        default = super()._get_default_metavar_for_optional(action)
        return getattr(action.type, "metavar", default)


class CommandParser(argparse.ArgumentParser):
    """The parser of a command, which imports :attr:`Command.module` when it parses arguments.

    It tells the new name of a subcommand in :data:`RENAMED`, and what may be meant by a slip.
    """

    def __init__(self, *, command: Command, **options: Any) -> None:
        super().__init__(formatter_class=HelpFormatter, **options)
        self._command = command
        self._is_filled = False

    def fill(self) -> None:
        """Import the module and add its arguments or subcommands; once is enough.

        An entry point named ``train`` in the group ``pocketintent.commands`` is a tuple of further
        subcommands of ``pocketintent train``.
        """
        if self._is_filled:
            return
        self._is_filled = True
        module = import_module(self._command.module)
        about, _, examples = (module.__doc__ or "").partition("Examples:\n")
        self.description = " ".join(about.split())
        self.epilog = examples and f"examples:\n{examples.rstrip()}"
        self.set_defaults(parser=self, run=getattr(module, "run", None))
        if self._command.commands:
            group = self.prog.removeprefix("pocketintent ")
            # The program itself has no more commands, and the look-up would delay each start.
            plugins = {} if group == self.prog else installed_plugins("pocketintent.commands")
            more = plugins[group].load() if group in plugins else ()
            below = self.add_subparsers(metavar="COMMAND", required=True)
            for command in (*self._command.commands, *more):
                below.add_parser(command.name, command=command, help=command.summary)
        else:
            module.add_arguments(self)

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Fill the parser, and parse as argparse does, but refuse what is left.

        argparse leaves that to the parser above, whose usage does not have the options.
        """
        self.fill()
        parsed, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}{self._advice(unknown[0])}")
        return parsed, unknown

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        names = list(action.choices or ())
        if isinstance(action, argparse._SubParsersAction) and value not in names:
            new = RENAMED.get(f"{self.prog} {value}".removeprefix("pocketintent "))
            if new is not None:
                is_there = new.startswith("pocketintent ") or shutil.which(new.partition(" ")[0])
                advice = f", which is not installed: {install_command(folder='./lab')}"
                self.error(f"`{self.prog} {value}` is now `{new}`{'' if is_there else advice}")
            near = difflib.get_close_matches(str(value), names, n=1)
            meant = f"did you mean {near[0]}? " if near else ""
            self.error(f"there is no command {value!r}; {meant}known: {', '.join(names)}")
        super()._check_value(action, value)

    def _advice(self, argument: str) -> str:
        """What may have been meant by an unknown argument."""
        from pocketintent.cli.options.settings import settings_advice

        option = argument.partition("=")[0]
        near = difflib.get_close_matches(option, self._option_string_actions, n=1)
        meant = (
            (self.get_default("moved_options") or {}).get(option)
            or settings_advice(self.get_default("settings_classes") or (), option)
            or (near and f"did you mean {near[0]}?")
        )
        return f"; {meant}" if meant else ""
