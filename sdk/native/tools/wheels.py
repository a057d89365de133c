"""Build the wheels of pocketintent-native for every platform.

    make native-wheels
    python sdk/native/tools/wheels.py --out dist      # in an environment with zig and hatchling

One wheel serves all versions of Python.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from build import TARGETS

PACKAGE = Path(__file__).resolve().parents[1] / "python"


def main(arguments: Sequence[str] | None = None) -> int:
    """Build a wheel for each target that Python runs on."""
    names = [name for name in TARGETS if not name.startswith("wasm")]
    parser = argparse.ArgumentParser(prog="wheels.py", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--out", type=Path, required=True, help="the folder for the wheels")
    parser.add_argument("--target", choices=names, action="append", help="one of the targets")
    args = parser.parse_args(arguments)
    call = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", args.out.resolve()]
    for name in args.target or names:
        environment = {**os.environ, "POCKETINTENT_TARGET": name}
        run = subprocess.run(call, cwd=PACKAGE, env=environment, check=False)
        if run.returncode:
            print(f"wheels: no wheel for {name}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
