"""Checks that argparse does not have: values given twice, and options that have no effect."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

from pocketintent.cli.options.numbers import check_distinct
from pocketintent.cli.options.settings import option_name


def refuse_options(args: argparse.Namespace, names: Iterable[str], reason: str) -> None:
    """Refuse options that have no effect in this call as bad usage, status 2.

    Args:
        args: The arguments of a command.
        names: Names of the options in ``args``. One that is not given, or has its default, passes.
        reason: Why they have no effect, for the message: ``"requires --teacher"``.
    """
    for name in names:
        if vars(args).get(name) != args.parser.get_default(name):
            args.parser.error(f"{option_name(name)} {reason}")


class Distinct(argparse.Action):
    """Action of an option of several values, which refuses a value that is given twice."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Store the values of the option, a list."""
        try:
            check_distinct(values)
        except argparse.ArgumentTypeError as error:
            raise argparse.ArgumentError(self, str(error)) from error
        setattr(namespace, self.dest, values)
