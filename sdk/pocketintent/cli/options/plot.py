"""The option ``--plot``, checked before hours of measuring and not after them."""

from __future__ import annotations

import argparse
from pathlib import Path

from pocketintent.runtime.errors import MissingExtraError, require

SUFFIXES = (".png", ".svg", ".pdf")


def add_plot_option(parser: argparse.ArgumentParser, what: str) -> None:
    """Add ``--plot FILE.png``.

    Args:
        parser: What gets the option.
        what: What is drawn, for ``--help``.
    """
    parser.add_argument("--plot", type=plot_file, metavar="FILE.png", help=f"draw {what}")


def plot_file(text: str) -> Path:
    """A type of argument: the file of a plot that can be drawn and written.

    Raises:
        ArgumentTypeError: Its ending names no format of a picture, there is no such folder, or
            matplotlib is not installed.
    """
    path = Path(text)
    if path.suffix.lower() not in SUFFIXES:
        raise argparse.ArgumentTypeError(f"{text}: the name must end with {', '.join(SUFFIXES)}")
    if not path.absolute().parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text}: there is no folder {path.parent}")
    try:
        require("matplotlib", "evaluate")
    except MissingExtraError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return path
