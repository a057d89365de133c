"""One text at a time into its vector, on one thread: MiniLM, word vectors and CharEmb.

    python -m benchmarks.speed.encoding --data ../shared/data --plot encoding_latency.png
    python -m benchmarks.speed.encoding --data ../shared/data --model tiny.safetensors
    python -m benchmarks.speed.encoding --data ../shared/data --device cuda

Fig. 3 of the CharEmb paper, for this package. The networks of the presets are untrained: they
have the presets' sizes, the default model's dimensions and random weights, stored as int8, since
the time does not depend on what was learnt. ``--model`` adds trained models.

Texts: words and phrases are keyphrases of ``terms/inspec.jsonl``, utterances are test queries of
CLINC150; each clean and with typing errors. Encoders that cache the vectors of unknown words
(CharEmb that reads words, combined models, n-grams) are timed twice: with an empty cache before
each text (``median_us``), and after other texts of the same kind (``met``). MiniLM is timed with
its tokenizer. The encoders take turns, so that a slow moment of the machine affects all alike; on
a machine that others use, ``--clock cpu`` leaves out the pauses that they cause. The encoders run
on NumPy, MiniLM on ONNX Runtime; ``--device`` also times CharEmb and a transformer of MiniLM's
sizes as torch modules on that device, in turns of their own.

Prints one JSON line for each kind of text and number of errors, and a Markdown table on stderr;
``times_faster`` is MiniLM's median divided by the encoder's.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.speed.encoders.plot import plot_encoding
from benchmarks.speed.encoders.systems import (
    MINILM,
    Candidate,
    Forgetful,
    make_charemb,
    open_minilm,
    open_model,
)
from benchmarks.speed.encoders.texts import Texts, draw_texts
from benchmarks.systems.contract import DEFAULT_CACHE
from benchmarks.timing import CLOCKS, Times, measure, processor
from pocketintent.cli.options.types import whole_numbers
from pocketintent.runtime.encoders.registry import load_encoder
from pocketintent.runtime.errors import PocketIntentError

DEFAULT = "default"
PRESETS = ("tiny", "small", "base", "large")
SYSTEMS = (*MINILM, DEFAULT, *PRESETS)
TORCH_MINILM = "MiniLM's sizes"
WARM_UP = 10
NOTE = "The CharEmb presets are untrained networks of their sizes."


def open_candidates(args: argparse.Namespace) -> list[Candidate]:
    """The encoders of the command line, in the order of the table."""
    dim = load_encoder().dim
    candidates = []
    for name in args.systems:
        print(f"opening {name}", file=sys.stderr, flush=True)
        if name in MINILM:
            candidates.append(open_minilm(name, args.cache))
        elif name == DEFAULT:
            candidates.append(open_model(None))
        else:
            candidates += [make_charemb(name, reads, dim) for reads in args.reads]
    return candidates + [open_model(path) for path in args.model]


def time_numpy(
    candidates: Sequence[Candidate], texts: Texts, args: argparse.Namespace
) -> dict[str, Any]:
    """Time the encoders on one kind of text, on the CPU; the report."""
    forgetful = {(c.name, False): Forgetful(c.encoder) for c in candidates}
    met = {(c.name, True): Forgetful(c.encoder) for c in candidates if c.keeps_words}
    for encoder in met.values():
        encoder.read(texts.others)
    both = forgetful | met
    names = {key: f"{key[0]}, {'met' if key[1] else 'new'}" for key in both}
    times = measure(
        {names[key]: encoder.encode for key, encoder in both.items()},
        texts.timed,
        args.rounds,
        warm_up=texts.others[:WARM_UP],
        before={names[key]: encoder.forget for key, encoder in forgetful.items()},
        clock=args.clock,
    )
    rows: dict[str, Any] = {}
    for candidate in candidates:
        key = (candidate.name, True)
        rows[candidate.name] = {
            "family": candidate.family,
            "trained": candidate.trained,
            "bytes": candidate.bytes,
            **summary(times[names[(candidate.name, False)]]),
            "met": summary(times[names[key]]) if key in names else None,
        }
    report = report_of(texts, rows, list(MINILM), "one CPU thread", processor())
    return report | {"clock": args.clock}


def time_torch(texts: Texts, args: argparse.Namespace) -> dict[str, Any]:
    """Time torch modules on one kind of text, on ``--device``; the report."""
    import torch

    from benchmarks.speed.encoders.torch_modules import TorchCharEmb, TorchMiniLM

    device = torch.device(args.device)
    dim = load_encoder().dim
    families = {TORCH_MINILM: "MiniLM"}
    calls: dict[str, Callable[[str], object]] = {
        TORCH_MINILM: TorchMiniLM(args.cache, device).encode
    }
    for preset in (name for name in args.systems if name in PRESETS):
        for reads in args.reads:
            name = f"{preset} ({reads})"
            families[name] = f"CharEmb, {reads}"
            calls[name] = TorchCharEmb(preset, reads, dim, device).encode
    times = measure(calls, texts.timed, args.rounds, warm_up=texts.others[:WARM_UP])
    rows = {
        name: {"family": families[name], "trained": False, **summary(elapsed), "met": None}
        for name, elapsed in times.items()
    }
    machine = torch.cuda.get_device_name(device) if device.type == "cuda" else processor()
    report = report_of(texts, rows, [TORCH_MINILM], f"torch, {device}", machine)
    return report | {"clock": "wall"}


def summary(times: Times) -> dict[str, float]:
    """Median and 99th percentile, in microseconds to a tenth."""
    return {
        "median_us": round(float(np.median(times)), 1),
        "p99_us": round(float(np.percentile(times, 99)), 1),
    }


def report_of(
    texts: Texts, rows: dict[str, Any], references: Sequence[str], device: str, machine: str
) -> dict[str, Any]:
    """The report that is printed, with each encoder's speed relative to the references."""
    for row in rows.values():
        for times in filter(None, (row, row["met"])):
            times["times_faster"] = {
                name: float(f"{rows[name]['median_us'] / times['median_us']:.3g}")
                for name in references
                if name in rows
            }
    return {
        "texts": texts.kind,
        "errors": texts.errors,
        "count": len(texts.timed),
        "mean_chars": round(float(np.mean([len(text) for text in texts.timed])), 1),
        "mean_words": round(float(np.mean([len(text.split()) for text in texts.timed])), 1),
        "device": device,
        "machine": machine,
        "python": platform.python_version(),
        "note": NOTE,
        "systems": rows,
    }


def print_table(report: Mapping[str, Any]) -> None:
    """The report as a Markdown table, on stderr."""
    rows = report["systems"]
    references = list(next(iter(rows.values()))["times_faster"])
    head = [
        f"{report['clock']} ms",
        "p99 ms",
        "as it comes, ms",
        *(f"x faster than {name}" for name in references),
    ]
    errors = f"{report['errors']} typing errors" if report["errors"] else "clean"
    lines = [
        f"\n{report['texts']}, {errors}: {report['mean_words']} words, {report['mean_chars']} "
        f"characters; {report['device']}, {report['machine']}. {NOTE}\n",
        f"| | {' | '.join(head)} | bytes |",
        f"| --- |{' --: |' * (len(head) + 1)}",
    ]
    for name, row in rows.items():
        met = row["met"]
        cells = [_ms(row["median_us"]), _ms(row["p99_us"]), _ms(met["median_us"]) if met else ""]
        for reference in references:
            ratios = [times["times_faster"][reference] for times in (row, met) if times]
            cells.append(", ".join(f"{ratio:.3g}" for ratio in ratios))
        size = f"{row['bytes']:,}" if "bytes" in row else ""
        lines.append(f"| {name} | {' | '.join(cells)} | {size} |")
    print("\n".join(lines), file=sys.stderr, flush=True)


def _ms(microseconds: float) -> str:
    return f"{microseconds / 1e3:.3g}"


def has_device(name: str) -> bool:
    """Whether torch sees a device; a note on stderr when it does not."""
    import torch

    if torch.device(name).type != "cuda" or torch.cuda.is_available():
        return True
    print(f"--device {name}: torch sees no GPU; this part is skipped", file=sys.stderr)
    return False


def main() -> None:
    """Time the encoders on each kind of text."""
    args = parse_arguments()
    reports = []
    try:
        args.cache.mkdir(parents=True, exist_ok=True)
        candidates = open_candidates(args)
        on_device = args.device is not None and has_device(args.device)
        for texts in draw_texts(args.data, args.errors, args.texts, args.met + WARM_UP):
            reports.append(time_numpy(candidates, texts, args))
            if on_device:
                reports.append(time_torch(texts, args))
            for report in reports[-2:] if on_device else reports[-1:]:
                print(json.dumps(report), flush=True)
                print_table(report)
        if args.plot is not None:
            plot_encoding(reports, args.plot)
    except PocketIntentError as error:
        sys.exit(f"encoding: {error}")


def parse_arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--data", type=Path, required=True, metavar="DIR", help="has intents/clinc150 and terms"
    )
    parser.add_argument(
        "--model", nargs="+", default=[], metavar="MODEL", help="further models to time"
    )
    parser.add_argument(
        "--systems",
        type=_names(SYSTEMS),
        default=SYSTEMS,
        metavar="NAME,…",
        help=f"of {', '.join(SYSTEMS)} (all)",
    )
    parser.add_argument(
        "--reads",
        type=_names(("text", "words")),
        default=("text", "words"),
        metavar="NAME,…",
        help="whether the presets read a whole text or its words (text,words)",
    )
    parser.add_argument(
        "--errors",
        type=whole_numbers(0),
        default=(0, 2),
        metavar="N,…",
        help="typing errors in each text (0,2)",
    )
    parser.add_argument("--texts", type=int, default=100, metavar="N", help="%(default)s of a kind")
    parser.add_argument(
        "--met", type=int, default=500, metavar="N", help="texts that come before (%(default)s)"
    )
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="%(default)s")
    parser.add_argument(
        "--clock",
        choices=tuple(CLOCKS),
        default="wall",
        help="cpu leaves out the time of other processes (%(default)s)",
    )
    parser.add_argument("--device", metavar="NAME", help="torch device, to time torch modules too")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the figure")
    parser.add_argument(
        "--cache", type=Path, default=DEFAULT_CACHE, metavar="DIR", help="default: %(default)s"
    )
    return parser.parse_args()


def _names(known: Sequence[str]) -> Callable[[str], tuple[str, ...]]:
    def read(text: str) -> tuple[str, ...]:
        names = tuple(text.split(","))
        for name in names:
            if name not in known:
                raise argparse.ArgumentTypeError(f"{name!r} is not one of {', '.join(known)}")
        return names

    return read


if __name__ == "__main__":
    main()
