"""The option ``--plot``, which is checked before hours of measuring."""

from __future__ import annotations

import argparse
from pathlib import Path

from pocketintent.runtime.errors import MissingExtraError, require

SUFFIXES = (".png", ".svg", ".pdf")


def add_plot_option(parser: argparse.ArgumentParser, content: str) -> None:
    """Add ``--plot FILE.png``.

    Args:
        parser: The parser that gets the option.
        content: What the plot shows, for the help.
    """
    parser.add_argument("--plot", type=plot_file, metavar="FILE.png", help=f"draw {content}")


def plot_file(text: str) -> Path:
    """Argument type: the file of a plot that can be drawn and written.

    Raises:
        ArgumentTypeError: The suffix is not a supported picture format, the folder does not
            exist, or matplotlib is not installed.
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
