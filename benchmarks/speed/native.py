"""Compare the core in C with the NumPy runtime: one match at a time, on one thread.

    python -m benchmarks.speed.native my_bot.safetensors utterances.txt
    python -m benchmarks.speed.native my_bot.safetensors utterances.txt --plain
    python -m benchmarks.speed.native my_bot.safetensors utterances.txt --before OTHER/sdk/native

Compiles the core by gcc at -O3, `--plain` without SIMD. Prints a JSON object: the medians, in
microseconds, of texts that neither has met before and of the same texts again; the least and the
median of 50 openings of the bot file, in milliseconds of processor time, in turns with the SHA-256
of as many bytes by hashlib and, with `--before`, with another state of the core; and the bytes that
the open bot has allocated.
"""

from __future__ import annotations

import argparse
import ctypes
import hashlib
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pocketintent.recognizer import IntentRecognizer
from pocketintent.runtime.threads import one_blas_thread

CORE = Path(__file__).resolve().parents[2] / "sdk" / "native"
CACHE = 64 << 20
"""Bytes of the scratch's cache of words: room for as many as the NumPy runtime keeps."""
OPENINGS = 50


def compile_core(source: Path, folder: Path, plain: bool) -> ctypes.CDLL:
    """The library, compiled in a folder that is made."""
    folder.mkdir()
    library = folder / "libpocketintent.so"
    flags = ["-std=c11", "-O3", "-ffp-contract=fast", "-shared", "-fPIC"]
    flags += ["-DPINTENT_PLAIN"] if plain else []
    call = ["gcc", *flags, str(source / "pocketintent.c"), "-o", str(library), "-lm"]
    subprocess.run(call, check=True)
    core = ctypes.CDLL(str(library))
    core.pintent_instructions.restype = ctypes.c_char_p
    return core


def open_bot(core: ctypes.CDLL, path: str) -> ctypes.c_void_p:
    """An open bot; SystemExit with the library's message if it cannot be opened."""
    bot, message = ctypes.c_void_p(), ctypes.create_string_buffer(512)
    if core.pintent_open(path.encode(), None, ctypes.byref(bot), message):
        raise SystemExit(message.value.decode())
    return bot


def median(call: Callable[[Any], object], texts: Sequence[Any]) -> float:
    """Median time of a call with each text, in microseconds."""
    times = []
    for text in texts:
        start = time.perf_counter_ns()
        call(text)
        times.append(time.perf_counter_ns() - start)
    return round(statistics.median(times) / 1000, 1)


def time_openings(cores: dict[str, ctypes.CDLL], path: str) -> dict[str, list[float]]:
    """The least and the median milliseconds of processor time of each core to open a bot file.

    Args:
        cores: By their names in the result.
        path: The bot file.
    """
    content = Path(path).read_bytes()
    times: dict[str, list[int]] = {name: [] for name in (*cores, "sha256")}
    for _ in range(OPENINGS):
        for name, core in cores.items():
            start = time.process_time_ns()
            bot = open_bot(core, path)
            times[name].append(time.process_time_ns() - start)
            core.pintent_close(bot)
        start = time.process_time_ns()
        hashlib.sha256(content).digest()
        times["sha256"].append(time.process_time_ns() - start)
    return {
        name: [round(figure / 1e6, 2) for figure in (min(each), statistics.median(each))]
        for name, each in times.items()
    }


def count_memory(core: ctypes.CDLL, path: str) -> int:
    """The bytes that an open bot has allocated."""
    sizes: dict[int, int] = {}
    blocks: dict[int, Any] = {}
    take = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
    give = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)

    def allocate(_: int | None, size: int) -> int:
        block = ctypes.create_string_buffer(size + 16)
        place = (ctypes.addressof(block) + 15) & ~15
        sizes[place], blocks[place] = size, block
        return place

    def release(_: int | None, place: int, __: int) -> None:
        del sizes[place], blocks[place]

    class Allocator(ctypes.Structure):
        _fields_ = (("allocate", take), ("release", give), ("context", ctypes.c_void_p))

    allocator, bot = Allocator(take(allocate), give(release), None), ctypes.c_void_p()
    core.pintent_open(path.encode(), ctypes.byref(allocator), ctypes.byref(bot), None)
    taken = sum(sizes.values())
    core.pintent_close(bot)
    return taken


def main() -> int:
    """Measure both, and print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.native", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("bot", help="a bot file")
    parser.add_argument("texts", type=Path, help="texts, one a line")
    parser.add_argument("--plain", action="store_true", help="compile the core without SIMD")
    parser.add_argument("--before", type=Path, metavar="DIR", help="sdk/native of another state")
    args = parser.parse_args()
    texts = args.texts.read_text("utf-8").splitlines()
    with tempfile.TemporaryDirectory() as folder, one_blas_thread():
        core = compile_core(CORE, Path(folder) / "core", args.plain)
        cores = {"core": core}
        if args.before is not None:
            cores["before"] = compile_core(args.before, Path(folder) / "before", args.plain)
        openings = time_openings(cores, args.bot)
        bot, scratch = open_bot(core, args.bot), ctypes.c_void_p()
        core.pintent_scratch_new(bot, ctypes.c_size_t(CACHE), ctypes.byref(scratch))
        room = ctypes.create_string_buffer(256)
        core.pintent_match_text.argtypes = [ctypes.c_void_p] * 2 + [
            ctypes.c_char_p,
            ctypes.c_size_t,
            ctypes.c_void_p,
        ]
        recognizer = IntentRecognizer.load(args.bot)

        def match(text: bytes) -> int:
            status: int = core.pintent_match_text(bot, scratch, text, len(text), room)
            return status

        encoded = [text.encode() for text in texts]
        figures = {
            "instructions": core.pintent_instructions(bot).decode(),
            "texts": len(texts),
            "numpy_new": median(recognizer.match, texts),
            "numpy_again": median(recognizer.match, texts),
            "core_new": median(match, encoded),
            "core_again": median(match, encoded),
            "open_ms": openings,
            "open_bytes": count_memory(core, args.bot),
        }
        print(json.dumps(figures))
        core.pintent_scratch_free(scratch)
        core.pintent_close(bot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
