"""Run a command and write down what it used: ``python launcher.py USAGE.json COMMAND …``.

The command is started by this small process, not by the comparison: on Linux the peak memory of a
process counts the memory of the process that started it. It is ended if the comparison ends first,
which closes the pipe that is this process' stdin. Imports the standard library alone.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from types import FrameType


def main() -> int:
    """Run the command; returns its status, negative for a signal."""
    usage_file, *command = sys.argv[1:]
    # Ctrl-C reaches the command too, and its end is reported here. A handler, unlike SIG_IGN, is
    # not inherited.
    signal.signal(signal.SIGINT, _wait)
    started = time.monotonic()
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, close_fds=False)
    threading.Thread(target=_end_with_caller, args=(child,), daemon=True).start()
    used = {}
    if hasattr(os, "wait4"):
        _, wait_status, usage = os.wait4(child.pid, 0)
        status = os.waitstatus_to_exitcode(wait_status)
        unit = 1 if sys.platform == "darwin" else 1024
        used["cpu_seconds"] = usage.ru_utime + usage.ru_stime
        used["peak_bytes"] = usage.ru_maxrss * unit
    else:
        status = child.wait()
    used |= {"wall_seconds": time.monotonic() - started, "status": status}
    with open(usage_file, "w", encoding="utf-8") as file:
        json.dump(used, file)
    return 0


def _wait(signum: int, frame: FrameType | None) -> None:
    """Do nothing; the command ends by itself."""


def _end_with_caller(child: subprocess.Popen[bytes]) -> None:
    os.read(0, 1)  # not sys.stdin, whose lock would be held when the interpreter ends
    child.terminate()


if __name__ == "__main__":
    sys.exit(main())
