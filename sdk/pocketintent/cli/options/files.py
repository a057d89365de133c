"""Argument types for files and folders.

They are checked when the whole command line has been read, and before the work begins. A problem
is an OSError, which ends the command with status 1 and a message that names the file.
"""

from __future__ import annotations

import argparse
import errno
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pocketintent.runtime.errors import MissingExtraError, require
from pocketintent.runtime.files.atomic import NOT_A_FILE


def file_name(text: str) -> str:
    """Argument type: the name of a file or of something that is shipped; not empty."""
    if not text:
        raise argparse.ArgumentTypeError("is empty; give a name")
    return text


@dataclass(frozen=True)
class PathType:
    """Argument type: a file or folder that is read or written."""

    check: Callable[[Path], None]
    """Raises OSError for a path that cannot be used."""
    metavar: str = "FILE"
    """Its name in the help."""
    shipped: Callable[[], dict[str, Path]] = dict
    """Files that may be given by name; an existing file wins over a name."""

    def __call__(self, text: str) -> Path:
        """Return the path, which is not checked yet."""
        path = Path(file_name(text))
        return path if path.exists() else self.shipped().get(text, path)


def check_paths(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    """Check the files and folders of a command.

    A file to write that is one of the files to read is bad usage, status 2; ``model`` alone may be
    replaced by what is made of it.

    Args:
        parser: The parser of the command.
        args: Its arguments.

    Raises:
        OSError: A path cannot be used; the error names it and says why.
    """
    read: list[Path] = []
    written: list[Path] = []
    for action in parser._actions:
        value = getattr(args, action.dest, None)
        for path in value if isinstance(value, list) else [value]:
            if isinstance(path, Path):
                check_name(path)
                if isinstance(action.type, PathType):  # other types have checked it already
                    action.type.check(path)
                if action.type is output_file:
                    written.append(path)
                elif action.dest != "model":
                    read.append(path)
    for path in written:
        if path.exists() and any(other.exists() and path.samefile(other) for other in read):
            parser.error(f"{path} is read, and would be overwritten; name another file to write")


def check_name(path: Path) -> None:
    """Raise OSError for a name that is not UTF-8."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        # Names are written into manifests and results, which are JSON.
        raise _error(errno.EILSEQ, "the name is not UTF-8; rename the file", path) from None


def _check_input_file(path: Path) -> None:
    if not path.exists():
        raise _error(errno.ENOENT, "cannot be read: there is no such file", path)
    if path.is_dir():
        raise _error(errno.EISDIR, "cannot be read: it is a folder; name a file", path)
    if not path.is_file():
        raise _error(errno.EINVAL, "cannot be read: it is not a regular file", path)
    _check_readable(path)


def _check_input_folder(path: Path) -> None:
    if not path.exists():
        raise _error(errno.ENOENT, "cannot be read: there is no such folder", path)
    if not path.is_dir():
        raise _error(errno.ENOTDIR, "cannot be read: it is a file; name a folder", path)
    _check_readable(path)


def _check_input_path(path: Path) -> None:
    (_check_readable if path.is_dir() else _check_input_file)(path)


def _check_readable(path: Path) -> None:
    if not os.access(path, os.R_OK):
        raise _error(errno.EACCES, "cannot be read: permission denied", path)


def _check_output_file(path: Path) -> None:
    if path.is_dir():
        raise _error(errno.EISDIR, "it is a folder; name a file", path)
    if path.exists() and not path.is_file():
        raise _error(errno.EINVAL, NOT_A_FILE, path)
    folder = path.absolute().parent
    if not folder.exists():
        raise _error(errno.ENOENT, f"there is no folder {path.parent}; make it first", path)
    _check_writable(folder, path)


def _check_output_folder(path: Path) -> None:
    folder = path.absolute()
    while not folder.exists():
        folder = folder.parent
    _check_writable(folder, path)


def _check_writable(folder: Path, path: Path) -> None:
    if not folder.is_dir():
        raise _error(errno.ENOTDIR, f"{folder} is a file, not a folder", path)
    if not os.access(folder, os.W_OK):
        raise _error(errno.EACCES, f"the folder {folder} cannot be written to", path)


def _error(number: int, problem: str, path: Path) -> OSError:
    return OSError(number, problem, str(path))


input_file = PathType(_check_input_file)
"""Argument type: a file to read, which exists."""

input_folder = PathType(_check_input_folder, "DIR")
"""Argument type: a folder to read, which exists."""

input_path = PathType(_check_input_path, "PATH")
"""Argument type: a file or folder to read, which exists."""

output_file = PathType(_check_output_file)
"""Argument type: a file to write, whose folder exists."""

output_folder = PathType(_check_output_folder, "DIR")
"""Argument type: a folder to write, which may be missing, as may the folders above it."""

PLOT_SUFFIXES = (".png", ".svg", ".pdf")


def plot_file(text: str) -> Path:
    """Argument type: the file of a plot that can be drawn and written.

    Raises:
        ArgumentTypeError: The suffix is not a supported picture format, the folder does not
            exist, or matplotlib is not installed.
    """
    path = Path(text)
    if path.suffix.lower() not in PLOT_SUFFIXES:
        suffixes = ", ".join(PLOT_SUFFIXES)
        raise argparse.ArgumentTypeError(f"{text}: the name must end with {suffixes}")
    if not path.absolute().parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text}: there is no folder {path.parent}")
    try:
        require("matplotlib", "evaluate")
    except MissingExtraError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return path
