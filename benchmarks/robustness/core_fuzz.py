"""Run the fuzzers of the core in C (libFuzzer, AddressSanitizer, UndefinedBehaviorSanitizer).

    python -m benchmarks.robustness.core_fuzz bots --runs 1000000 --out fuzz
    python -m benchmarks.robustness.core_fuzz texts --runs 10000000 --out fuzz
    python -m benchmarks.robustness.core_fuzz edits --seconds 600 --out fuzz
    python -m benchmarks.robustness.core_fuzz sets --seconds 600 --out fuzz

`bots` changes bot files and keeps their checksum valid, `texts` asks open bots, `edits` makes
sequences of edits, saves and openings, `sets` reads JSON as template sets; `sdk/native/fuzz` has
them. Needs clang with its runtime:
on Debian, `apt-get install clang libclang-rt-14-dev`. The corpus grows in the folder of `--out`, so
that a second call goes on where the first ended; the progress goes to stderr. One JSON object goes
to stdout: the runs of this call, and of all calls into the folder. The status is 1 if something was
found: its input is then in the folder. docs/robustness.md has the figures.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.robustness.core.asking import SANITIZER_OPTIONS
from benchmarks.robustness.core.building import FUZZ, SANITIZERS, compile_core
from benchmarks.robustness.core.seeds import write_bots, write_seeds

LONGEST = {"bots": 1 << 16, "texts": 1 << 12, "edits": 1 << 9, "sets": 1 << 10}
"""Bytes of the longest input of each fuzzer."""
INSTALL = "it needs clang with its runtime: on Debian, apt-get install clang libclang-rt-14-dev"


class NoFuzzerError(Exception):
    """There is no clang with libFuzzer; the message says how to get one."""


def build_fuzzer(program: Path, *flags: str) -> Path:
    """Compile the program of all fuzzers.

    Args:
        program: The program.
        flags: More flags of the compiler.
    """
    clang, probe = shutil.which("clang"), program.with_name("probe")
    if clang is None:
        raise NoFuzzerError(f"no clang; {INSTALL}")
    call = [clang, "-fsanitize=fuzzer,address", "-x", "c", "-", "-o", str(probe)]
    code = "int LLVMFuzzerTestOneInput(const char *d, long n) { return d == 0 && n; }"
    if subprocess.run(call, input=code, text=True, capture_output=True, check=False).returncode:
        raise NoFuzzerError(f"this clang has no libFuzzer; {INSTALL}")
    probe.unlink()
    options = [*SANITIZERS, "-fsanitize=fuzzer", *flags]
    return compile_core(FUZZ / "fuzz.c", program, *options, compiler=[clang])


def run_fuzzer(
    program: Path, target: str, folder: Path, runs: int, seconds: int = 0, seed: int = 0
) -> tuple[int, int, str]:
    """Run a fuzzer in a folder, which keeps its corpus and what it finds.

    Args:
        program: That of :func:`build_fuzzer`.
        target: A key of ``LONGEST``.
        folder: The folder.
        runs: Most inputs.
        seconds: Longest time; 0 for no limit.
        seed: Of what libFuzzer draws; 0 for a different one in each call.

    Returns:
        The exit status, 0 if nothing was found; the number of inputs; and the end of the output.

    """
    names = ("bots", f"corpus-{target}", f"seeds-{target}")
    bots, corpus, seeds = (folder / name for name in names)
    for path in (bots, corpus, seeds):
        path.mkdir(parents=True, exist_ok=True)
    write_seeds(target, seeds, write_bots(bots))
    variables = {"POCKETINTENT_TRY": target, "POCKETINTENT_BOTS": str(bots)}
    options = [f"-runs={runs}", f"-max_total_time={seconds}", f"-max_len={LONGEST[target]}"]
    options += [f"-seed={seed}", "-timeout=120", "-rss_limit_mb=4096", "-print_final_stats=1"]
    run = subprocess.Popen(
        [program, *options, f"-artifact_prefix={folder}/", corpus, seeds],
        env=os.environ | SANITIZER_OPTIONS | variables,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    assert run.stderr is not None
    lines: list[str] = []
    for line in run.stderr:
        lines = [*lines[-60:], line]
        if re.match(r"#\d+\s+(pulse|INITED|DONE)", line):
            print(f"{target}: {line.strip()}", file=sys.stderr, flush=True)
    counted = re.findall(r"number_of_executed_units: (\d+)", "".join(lines))
    return run.wait(), int(counted[-1]) if counted else 0, "".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.robustness.core_fuzz",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("target", choices=LONGEST, help="what to try")
    parser.add_argument("--runs", type=int, default=100_000, help="inputs (%(default)s)")
    parser.add_argument("--seconds", type=int, default=0, help="longest time (no limit)")
    parser.add_argument("--out", type=Path, required=True, help="folder of the corpus")
    args = parser.parse_args(arguments)
    try:
        args.out.mkdir(parents=True, exist_ok=True)
        program = build_fuzzer(args.out / "fuzz")
    except NoFuzzerError as error:
        print(error, file=sys.stderr)
        return 1
    status, runs, output = run_fuzzer(program, args.target, args.out, args.runs, args.seconds)
    if status:
        print(output, file=sys.stderr)
    total = args.out / f"runs-{args.target}.txt"
    all_runs = runs + (int(total.read_text()) if total.exists() else 0)
    total.write_text(str(all_runs))
    figures = {"target": args.target, "runs": runs, "all_runs": all_runs, "found": bool(status)}
    print(json.dumps(figures))
    return 1 if status else 0


if __name__ == "__main__":
    sys.exit(main())
