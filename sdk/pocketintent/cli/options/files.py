"""Argument types for files and folders, which are checked before the work begins.

A type raises OSError, which ends the command with status 1 and a message that names the file.
"""

from __future__ import annotations

import argparse
import errno
import os
from pathlib import Path


def input_file(text: str) -> Path:
    """Argument type: a file to read, which exists.

    Raises:
        OSError: There is no such file, it is a folder or a device, or it cannot be read.
    """
    path = _read_path(text)
    if not path.exists():
        raise OSError(errno.ENOENT, "cannot be read: there is no such file", text)
    if path.is_dir():
        raise OSError(errno.EISDIR, "cannot be read: it is a folder; name a file", text)
    if not path.is_file():
        raise OSError(errno.EINVAL, "cannot be read: it is not a regular file", text)
    return _readable(path, text)


def input_folder(text: str) -> Path:
    """Argument type: a folder to read, which exists.

    Raises:
        OSError: There is no such folder, it is a file, or it cannot be read.
    """
    path = _read_path(text)
    if not path.exists():
        raise OSError(errno.ENOENT, "cannot be read: there is no such folder", text)
    if not path.is_dir():
        raise OSError(errno.ENOTDIR, "cannot be read: it is a file; name a folder", text)
    return _readable(path, text)


def input_path(text: str) -> Path:
    """Argument type: a file or folder to read, which exists.

    Raises:
        OSError: There is no such file or folder, it is a device, or it cannot be read.
    """
    return input_folder(text) if os.path.isdir(text) else input_file(text)


def output_file(text: str) -> Path:
    """Argument type: a file to write, whose folder exists.

    Raises:
        OSError: There is no such folder, it cannot be written to, or the file is a folder.
    """
    path = _read_path(text)
    if path.is_dir():
        raise OSError(errno.EISDIR, "it is a folder; name a file", text)
    folder = path.absolute().parent
    if not folder.exists():
        raise OSError(errno.ENOENT, f"there is no folder {path.parent}; make it first", text)
    return _writable(path, folder, text)


def output_folder(text: str) -> Path:
    """Argument type: a folder to write, which may be missing, as may the folders above it.

    Raises:
        OSError: It, or the folder above it that exists, is a file or cannot be written to.
    """
    path = _read_path(text)
    folder = path.absolute()
    while not folder.exists():
        folder = folder.parent
    return _writable(path, folder, text)


def _read_path(text: str) -> Path:
    if not text:
        raise argparse.ArgumentTypeError("is empty; give a name")
    try:
        text.encode()
    except UnicodeEncodeError:
        # Names are written into manifests and results, which are JSON.
        raise OSError(errno.EILSEQ, "the name is not UTF-8; rename the file", text) from None
    return Path(text)


def _readable(path: Path, text: str) -> Path:
    if not os.access(path, os.R_OK):
        raise OSError(errno.EACCES, "cannot be read: permission denied", text)
    return path


def _writable(path: Path, folder: Path, text: str) -> Path:
    if not folder.is_dir():
        raise OSError(errno.ENOTDIR, f"{folder} is a file, not a folder", text)
    if not os.access(folder, os.W_OK):
        raise OSError(errno.EACCES, f"the folder {folder} cannot be written to", text)
    return path
