"""Build the C core for every target, by zig, which is a C compiler for all of them.

    make native                                      # in an environment with zig
    python sdk/native/tools/build.py --out FOLDER    # all targets, with the zig of this Python
    python sdk/native/tools/build.py --out FOLDER --target linux-x86_64

Prints one JSON line for each file with its size in bytes. The exit status is 1 if the compiler has
something to say, or a file is larger than its limit.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

CORE = Path(__file__).resolve().parents[1]
SOURCE = CORE / "pocketintent.c"
FLAGS = ["-std=c11", "-ffp-contract=fast", "-fvisibility=hidden", "-Wall", "-Wextra"]
FLAGS += ["-Wconversion", "-Werror", "-g0", "-fno-math-errno"]
# Nothing is thrown through C. The tables for that take 10 to 15 KB.
FLAGS += ["-fno-unwind-tables", "-fno-asynchronous-unwind-tables"]


class Target(NamedTuple):
    """One system and processor."""

    triple: str
    """The name that zig has for it, with the oldest glibc or macOS that it runs on, which the tags
    of the wheels name too."""
    library: str
    """Name of the shared library, or of the module."""
    limit: int
    """Largest size of the stripped library, in bytes."""
    flags: Sequence[str] = ("-O2", "-fPIC")
    """What else the compiler is told."""
    link: Sequence[str] = ("-shared",)
    """What the linker is told."""
    archive: str | None = "libpocketintent.a"
    """Name of the static library, if there is one."""


# A page has no files. Without them a module imports nothing, and is 8 KB smaller; without networks
# over characters, which no shipped model has, it is 13 KB smaller.
_WASM: tuple[str, ...] = ("-Os", "-DPINTENT_NO_FILES", "-DPINTENT_NO_CHARACTERS")
# JavaScript hands over its texts with malloc and free.
_MODULE = ("-mexec-model=reactor", "-Wl,--export-dynamic")
_MODULE += ("-Wl,--export=malloc", "-Wl,--export=free")

TARGETS = {
    "linux-x86_64": Target("x86_64-linux-gnu.2.17", "libpocketintent.so", 250_000),
    "linux-aarch64": Target("aarch64-linux-gnu.2.17", "libpocketintent.so", 250_000),
    "macos-aarch64": Target("aarch64-macos.11.0", "libpocketintent.dylib", 250_000),
    "macos-x86_64": Target("x86_64-macos.10.13", "libpocketintent.dylib", 250_000),
    "windows-x86_64": Target(
        "x86_64-windows-gnu", "pocketintent.dll", 250_000, ("-Os", "-DPINTENT_SHARED")
    ),
    "wasm32-relaxed": Target(
        "wasm32-wasi",
        "pocketintent.wasm",
        150_000,
        (*_WASM, "-msimd128", "-mrelaxed-simd"),
        _MODULE,
        None,
    ),
    "wasm32-simd": Target(
        "wasm32-wasi", "pocketintent.wasm", 150_000, (*_WASM, "-msimd128"), _MODULE, None
    ),
    "wasm32": Target("wasm32-wasi", "pocketintent.wasm", 150_000, _WASM, _MODULE, None),
}
"""The targets by the names of their folders."""


def zig(*arguments: object) -> None:
    """Call zig; CalledProcessError if it fails."""
    subprocess.run(_call(*arguments), check=True)


def _call(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "ziglang", *map(str, arguments)]


def compile_core(target: Target, part: Path, *flags: str) -> None:
    """Compile the core for a target."""
    zig("cc", "-target", target.triple, *FLAGS, *flags, "-c", SOURCE, "-o", part)


def build_library(target: Target, folder: Path) -> Path:
    """Build the shared library of a target, or its module, in a folder."""
    library, part = folder / target.library, folder / "pocketintent.o"
    compile_core(target, part, *target.flags)
    math = [] if "windows" in target.triple else ["-lm"]
    optimisation = target.flags[0]  # of what zig compiles of the C library
    link = ["cc", "-target", target.triple, optimisation, *target.link, "-s", part, "-o", library]
    if "wasm" in target.triple:
        link_module([*link, *math])
    else:
        zig(*link, *math)
    part.unlink()
    return library


def link_module(link: Sequence[object]) -> None:
    """Link a module of wasm, in which numbers of functions take no more bytes than they need.

    It is 5 % smaller so. The linker has an option for it, which zig does not hand on; but it says
    how it calls the linker, and calls it for others, too.
    """
    call = _call(*link, "--verbose")
    run = subprocess.run(call, check=False, stderr=subprocess.PIPE, text=True)
    if run.returncode:
        sys.stderr.write(run.stderr)
        run.check_returncode()
    (linker,) = (line for line in run.stderr.splitlines() if line.startswith("wasm-ld "))
    zig(*shlex.split(linker), "--compress-relocations")


def build(target: Target, folder: Path) -> list[tuple[Path, int | None]]:
    """Build the libraries of a target in a folder: each file, and its limit if it has one."""
    folder.mkdir(parents=True, exist_ok=True)
    files: list[tuple[Path, int | None]] = [(build_library(target, folder), target.limit)]
    if target.archive is not None:
        archive, part = folder / target.archive, folder / "pocketintent.o"
        compile_core(target, part, "-O2", "-fPIC")
        archive.unlink(missing_ok=True)
        zig("ar", "rcs", archive, part)
        part.unlink()
        files.append((archive, None))
    return files


def main(arguments: Sequence[str] | None = None) -> int:
    """Build the targets, and print the sizes."""
    parser = argparse.ArgumentParser(prog="build.py", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--out", type=Path, required=True, help="the folder for the folders")
    parser.add_argument("--target", choices=TARGETS, action="append", help="one of the targets")
    args = parser.parse_args(arguments)
    status = 0
    for name in args.target or TARGETS:
        try:
            files = build(TARGETS[name], args.out / name)
        except subprocess.CalledProcessError as error:
            print(f"{name}: {error}", file=sys.stderr)
            status = 1
            continue
        for path, limit in files:
            size = path.stat().st_size
            print(json.dumps({"target": name, "file": path.name, "bytes": size}), flush=True)
            if limit is not None and size > limit:
                print(f"{path}: {size} bytes, more than {limit}", file=sys.stderr)
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
