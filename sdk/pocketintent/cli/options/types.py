"""Argument types, which check numbers, files and folders.

Files and folders are checked when the whole command line has been read, and before the work begins.
A problem is an OSError, which ends the command with status 1 and a message that names the file.
"""

from __future__ import annotations

import argparse
import errno
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pocketintent.runtime.arguments import MAX_SEED
from pocketintent.runtime.errors import MissingExtraError, require
from pocketintent.runtime.files.atomic import NOT_A_FILE
from pocketintent.settings import Bounds


@dataclass(frozen=True)
class NumberType:
    """Argument type: a number within bounds.

    It raises errors of its own, because argparse would show the name of the Python function.
    """

    kind: type[int] | type[float]
    bounds: Bounds

    @property
    def metavar(self) -> str:
        """Its name in the help."""
        return "N" if self.kind is int else "X"

    def __call__(self, text: str) -> Any:
        """Read the number, an ``int`` or a ``float``."""
        try:
            value = self.kind(text)
        except ValueError:
            wanted = "a whole number" if self.kind is int else "a number"
            raise argparse.ArgumentTypeError(f"{text[:40]!r} is not {wanted}") from None
        if problem := self.bounds.problem(value):
            raise argparse.ArgumentTypeError(problem)
        return value


def whole_number(least: int, most: int | None = None) -> NumberType:
    """Argument type: a whole number from ``least`` to ``most``, by default 2,147,483,647."""
    return NumberType(int, Bounds(least, most=most))


def number(**limits: float) -> NumberType:
    """Argument type: a finite number within limits, see :class:`Bounds`."""
    return NumberType(float, Bounds(**limits))


def whole_numbers(least: int) -> Callable[[str], tuple[int, ...]]:
    """Argument type: distinct whole numbers, see :func:`whole_number`, separated by commas."""

    def read(text: str) -> tuple[int, ...]:
        numbers = tuple(map(whole_number(least), text.split(",")))
        if problem := given_twice(numbers):
            raise argparse.ArgumentTypeError(problem)
        return numbers

    return read


def given_twice(values: Sequence[Any]) -> str | None:
    """What to say of a value that is given twice, and would be measured twice; None without one."""
    twice = (value for value in values if values.count(value) > 1)
    return next((f"{value} is given twice; give it once" for value in twice), None)


SEED = whole_number(0, MAX_SEED)
"""Argument type: a seed, which every generator of random numbers accepts."""


def file_name(text: str) -> str:
    """Argument type: the name of a file or of something that is shipped; not empty."""
    if not text:
        raise argparse.ArgumentTypeError("is empty; give a name")
    return text


@dataclass(frozen=True)
class PathType:
    """Argument type: a file or folder that is read or written."""

    problem: Callable[[Path], str | None]
    """What is wrong with a path, for a message; None if it can be used."""
    metavar: str = "FILE"
    """Its name in the help."""
    shipped: Callable[[], dict[str, Path]] = dict
    """Files that may be given by name; an existing file wins over a name."""

    def __call__(self, text: str) -> Path:
        """Return the path, which is not checked yet."""
        path = Path(file_name(text))
        return path if path.exists() else self.shipped().get(text, path)


def check_paths(parser: argparse.ArgumentParser, args: argparse.Namespace) -> None:
    """Check the files and folders of a command; OSError for one that cannot be used.

    A file to write that is one of the files to read is bad usage, status 2; ``model`` alone may be
    replaced by what is made of it.
    """
    read: list[Path] = []
    written: list[Path] = []
    for action in parser._actions:
        value = getattr(args, action.dest, None)
        for path in value if isinstance(value, list) else [value]:
            if isinstance(path, Path):
                check_name(path)
                if isinstance(action.type, PathType):  # other types have checked it already
                    _refuse(path, action.type.problem(path))
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
        _refuse(path, "the name is not UTF-8; rename the file")


def _refuse(path: Path, problem: str | None) -> None:
    if problem is not None:
        raise OSError(errno.EINVAL, problem, str(path))


def _reading_problem(path: Path, *, file: bool = False, folder: bool = False) -> str | None:
    """Why a path, which is to be that of a file, a folder or either, cannot be read."""
    problem = None
    if not path.exists():
        problem = f"there is no such {'file' if file else 'folder'}"
    elif path.is_dir() and not folder:
        problem = "it is a folder; name a file"
    elif not path.is_dir() and not file:
        problem = "it is a file; name a folder"
    elif not path.is_dir() and not path.is_file():
        problem = "it is not a regular file"
    elif not os.access(path, os.R_OK):
        problem = "permission denied"
    return problem and f"cannot be read: {problem}"


def _file_problem(path: Path) -> str | None:
    """Why a file cannot be written."""
    if path.is_dir():
        return "it is a folder; name a file"
    if path.exists() and not path.is_file():
        return NOT_A_FILE
    folder = path.absolute().parent
    if not folder.exists():
        return f"there is no folder {path.parent}; make it first"
    return _folder_problem(folder)


def _folder_problem(path: Path) -> str | None:
    """Why a folder cannot be written to, or made."""
    folder = next(part for part in (path.absolute(), *path.absolute().parents) if part.exists())
    if not folder.is_dir():
        return f"{folder} is a file, not a folder"
    return None if os.access(folder, os.W_OK) else f"the folder {folder} cannot be written to"


input_file = PathType(partial(_reading_problem, file=True))
input_folder = PathType(partial(_reading_problem, folder=True), "DIR")
input_path = PathType(partial(_reading_problem, file=True, folder=True), "PATH")
"""Argument types: a file, a folder or either of them to read, which exists."""

output_file = PathType(_file_problem)
output_folder = PathType(_folder_problem, "DIR")
"""Argument types: a file to write, whose folder exists; a folder to write, where all may be new."""


def plot_file(text: str) -> Path:
    """Argument type: the file of a plot that can be drawn and written; bad usage otherwise."""
    path, suffixes = Path(text), (".png", ".svg", ".pdf")
    if path.suffix.lower() not in suffixes:
        raise argparse.ArgumentTypeError(f"{text}: the name must end with {', '.join(suffixes)}")
    if not path.absolute().parent.is_dir():
        raise argparse.ArgumentTypeError(f"{text}: there is no folder {path.parent}")
    try:
        require("matplotlib", "evaluate")
    except MissingExtraError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    return path
