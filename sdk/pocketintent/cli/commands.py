"""Subcommands whose modules are imported when they are chosen.

``pocketintent``, ``pocketintent train`` and ``pocketintent evaluate`` each have a table of
commands, which is all that their help needs.
"""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from pocketintent.runtime.plugins import installed_plugins


class Command(NamedTuple):
    """A subcommand."""

    name: str
    """Its name on the command line."""
    module: str
    """Dotted name of its module, which has ``add_arguments(parser)`` and, unless it has
    subcommands of its own, ``run(args)``."""
    summary: str
    """Its line in the help of the command above it."""


def plugin_commands(group: str) -> tuple[Command, ...]:
    """The subcommands that other distributions add to a command.

    Args:
        group: The command, such as ``"train"``: entry points of this name in the group
            ``pocketintent.commands`` are tuples of commands.
    """
    plugins = installed_plugins("pocketintent.commands")
    return tuple(plugins[group].load()) if group in plugins else ()


class HelpFormatter(argparse.RawDescriptionHelpFormatter):
    """Wraps a text of one line; a text of several lines, such as examples, stays as it is."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if "\n" in text:
            return super()._fill_text(text, width, indent)
        return argparse.HelpFormatter._fill_text(self, text, width, indent)


class CommandParser(argparse.ArgumentParser):
    """The parser of a subcommand, which imports its module when it parses arguments.

    Args:
        module: Dotted name of the module, see :attr:`Command.module`.
        options: Arguments of :class:`argparse.ArgumentParser`.
    """

    def __init__(self, *, module: str, **options: Any) -> None:
        super().__init__(**options)
        self._module = module
        self._is_filled = False

    def fill(self) -> None:
        """Import the module and let it add its arguments; does nothing the second time."""
        if not self._is_filled:
            self._is_filled = True
            self.set_defaults(parser=self)
            import_module(self._module).add_arguments(self)

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Fill the parser, and parse as argparse does, but refuse what is left.

        argparse leaves that to the parser above, whose usage does not have the options.
        """
        self.fill()
        parsed, unknown = super().parse_known_args(args, namespace)
        if unknown:
            options = list(self._option_string_actions)
            near = difflib.get_close_matches(unknown[0].partition("=")[0], options, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            self.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
        return parsed, unknown


def add_commands(
    parser: argparse.ArgumentParser, metavar: str, commands: Iterable[Command]
) -> None:
    """Add subcommands to a parser.

    Args:
        parser: The parser of the command above.
        metavar: The word for a subcommand in the help.
        commands: The subcommands, in the order of the help.
    """
    subparsers = parser.add_subparsers(metavar=metavar, required=True, parser_class=CommandParser)
    for command in commands:
        subparsers.add_parser(
            command.name,
            module=command.module,
            help=command.summary,
            formatter_class=HelpFormatter,
        )
