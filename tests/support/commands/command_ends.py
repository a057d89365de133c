"""The status of a command."""

from collections.abc import Callable


def ending(call: Callable[[], int]) -> object:
    """The status that a call returns or, where argparse ends the process, exits with."""
    try:
        return call()
    except SystemExit as ended:
        return ended.code
