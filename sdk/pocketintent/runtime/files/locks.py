"""Lock files, which a process owns until it ends.

The operating system releases a lock when the process ends, even by a kill, so a lock tells the
work of dead processes from the work of running ones. A process id could not: ids are reused, and
they differ between containers and machines that share a disk.
"""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

_OPEN_LOCK = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
_LOCKED = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)  # what systems answer for a lock in use


def claim(path: Path, *, require_lock: bool) -> int | None:
    """Become the owner of a lock file, which is made if it is missing.

    Args:
        path: The lock file.
        require_lock: Whether to give up where the file system has no locks.

    Returns:
        The descriptor of the lock, which is released when the descriptor is closed; None if
        another process owns or removed the file, or its folder is missing.

    Raises:
        OSError: The lock file cannot be opened.
    """
    try:
        descriptor = os.open(path, _OPEN_LOCK, 0o600)
    except FileNotFoundError:
        return None
    try:
        try:
            _lock(descriptor)
        except (OSError, ImportError) as error:
            owned = not require_lock and getattr(error, "errno", None) not in _LOCKED
        else:
            # The former owner may have removed the file before it released the lock.
            owned = os.path.samestat(os.fstat(descriptor), path.stat())
    except OSError:
        owned = False
    if owned:
        return descriptor
    os.close(descriptor)
    return None


def _lock(descriptor: int) -> None:
    """Lock a file until it is closed or the process ends.

    Raises:
        OSError: Another process has the lock, or the file system has none.
        ImportError: Python has no locks on this platform, for example in a browser.
    """
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
