"""CPU time, memory and STS-B of the original GloVe, Sent2Vec and StarSpace beside ours.

    python -m lab_benchmarks.training.originals --data ../shared/data --epochs 2,4,8 \
        --glove GloVe/build --sent2vec sent2vec/fasttext --starspace StarSpace/starspace

Trains the original, then ours, with the same dimension, window, negatives and epochs, on one
thread and on the same words: the sentences of ``sts/stsb/train.jsonl``, or of ``--corpus``, as the
`simple` tokenizer splits them. Each program is a process of its own, whose whole CPU time counts:
start, counting, training and saving. The runs take turns, and ``--repeats`` repeats all of them.
Pearson is that of STS-B ``dev`` with the mean of the words' vectors. docs/family.md says how to
build the originals.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import pocketintent
from lab_benchmarks.training.programs import (
    Job,
    Recipe,
    Step,
    original_glove,
    original_sent2vec,
    original_starspace,
    ours,
)
from pocketintent.evaluation.records import read_pairs
from pocketintent.evaluation.similarity.sts import evaluate_sts
from pocketintent.runtime.text.tokenizer import simple_tokenize
from pocketintent.training.corpora.reader import read_texts
from pocketintent.training.vectors.reading import read_vectors
from pocketintent_lab.comparison import launcher
from pocketintent_lab.evaluation.similarity.word_tables import table_encoder

HEADER = "| algorithm | program | epochs | CPU s | words a CPU s | peak MB | Pearson, `dev` |"


@dataclass(frozen=True)
class Run:
    """What a program used, and how good its vectors are."""

    algorithm: str
    program: str
    epochs: int
    cpu_seconds: float
    peak_bytes: int
    pearson: float


def run_steps(steps: Sequence[Step], folder: Path) -> tuple[float, int]:
    """Run commands one after the other.

    Args:
        steps: The commands.
        folder: An existing folder for their output. Python modules are compiled once, to a folder
            beside it, where the environment forbids it, since pip compiles what it installs.

    Returns:
        The CPU seconds of all steps, and the largest peak of memory in bytes.

    Raises:
        SystemExit: A command failed; the message ends with its output.
    """
    sources = str(Path(pocketintent.__file__).resolve().parent.parent)
    paths = os.pathsep.join([sources, *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": paths}
    if environment.pop("PYTHONDONTWRITEBYTECODE", None):
        environment["PYTHONPYCACHEPREFIX"] = str(folder.parent / "bytecode")
    seconds, peak = 0.0, 0
    log, usage = folder / "log.txt", folder / "usage.json"
    for step in steps:
        line = "exec " + shlex.join(map(str, step.command))
        for sign, path in (("<", step.stdin), (">", step.stdout)):
            line += "" if path is None else f" {sign} {shlex.quote(str(path))}"
        command = [sys.executable, "-S", "-E", launcher.__file__, str(usage), "sh", "-c", line]
        with (
            log.open("wb") as output,
            subprocess.Popen(  # the launcher ends the command when its standard input is closed
                command,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment,
            ) as process,
        ):
            process.wait()
        used = json.loads(usage.read_text("utf-8"))
        if used["status"]:
            tail = log.read_text("utf-8", "replace")[-500:]
            raise SystemExit(f"{step.command[0]} ended with status {used['status']}: {tail}")
        seconds, peak = seconds + used["cpu_seconds"], max(peak, used["peak_bytes"])
    return seconds, peak


def measure(algorithm: str, program: str, recipe: Recipe, job: Job, dev: Path) -> Run:
    """Train, and evaluate the vectors; the program's files are removed."""
    with tempfile.TemporaryDirectory(dir=job.folder) as folder:
        steps, vectors = recipe(replace(job, folder=Path(folder)))
        seconds, peak = run_steps(steps, Path(folder))
        encoder = table_encoder(read_vectors(vectors), join_terms=False)
        pearson = evaluate_sts(encoder, dev)["pearson"]
    return Run(algorithm, program, job.epochs, seconds, peak, pearson)


def table(runs: Sequence[Run], words: int) -> list[str]:
    """A row for each algorithm, program and number of epochs: medians, and least to most.

    Args:
        runs: The runs, of which those that differ in nothing but their results are repeats.
        words: Words of the corpus.
    """
    lines = [HEADER, "| --- | --- | --- | --- | --- | --- | --- |"]
    for (algorithm, program, epochs), repeats in _by_setting(runs).items():
        times = [run.cpu_seconds for run in repeats]
        median = statistics.median(times)
        lines.append(
            f"| {algorithm} | {program} | {epochs} "
            f"| {median:.1f} ({min(times):.1f} to {max(times):.1f}) "
            f"| {words * epochs / median:,.0f} "
            f"| {max(run.peak_bytes for run in repeats) / 1e6:.0f} "
            f"| {statistics.mean(run.pearson for run in repeats):.3f} |"
        )
    return lines


def summary(runs: Sequence[Run], words: int) -> list[str]:
    """Lines on each algorithm: start and speed of both programs, and equal quality.

    The CPU time of an epoch is the slope between the fewest and the most epochs; what remains is
    the start: imports, counting and saving. Equal quality is the Pearson that both programs reach:
    the lower of their best. A program's time to it is that of its cheapest run that reaches it.
    """
    lines, medians = [], defaultdict[str, dict[str, dict[int, tuple[float, float]]]](dict)
    for (algorithm, program, epochs), repeats in _by_setting(runs).items():
        medians[algorithm].setdefault(program, {})[epochs] = (
            statistics.median(run.cpu_seconds for run in repeats),
            statistics.mean(run.pearson for run in repeats),
        )
    for algorithm, programs in medians.items():
        for program, results in programs.items():
            few, many = min(results), max(results)
            if few < many and results[many][0] > results[few][0]:
                an_epoch = (results[many][0] - results[few][0]) / (many - few)
                start = results[few][0] - few * an_epoch
                lines.append(
                    f"{algorithm}, {program}: {start:.1f} s to start, then {an_epoch:.2f} s an "
                    f"epoch, {words / an_epoch:,.0f} words a second"
                )
        if len(programs) == 2:
            theirs, own = programs["original"], programs["ours"]
            ratios = [f"{own[n][0] / theirs[n][0]:.2f} for {n}" for n in own if n in theirs]
            lines.append(f"{algorithm}, CPU time ours/original by epochs: {', '.join(ratios)}")
            goal = min(max(pearson for _, pearson in side.values()) for side in (theirs, own))
            cheapest = [
                min(seconds for seconds, pearson in side.values() if pearson >= goal)
                for side in (own, theirs)
            ]
            lines.append(
                f"{algorithm}, CPU time to a Pearson of {goal:.3f}: ours {cheapest[0]:.1f} s, "
                f"original {cheapest[1]:.1f} s, ratio {cheapest[0] / cheapest[1]:.2f}"
            )
    return lines


def main(argv: Sequence[str] | None = None) -> int:
    """Run the programs that are given, beside ours, and print the table and the summary."""
    parser = _parser()
    args = parser.parse_args(argv)
    programs = _programs(args)
    if not programs:
        parser.error("give at least one of --glove, --sent2vec and --starspace")
    dev, runs = args.data / "sts/stsb/dev.jsonl", []
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus.txt"
        words = write_corpus(args.corpus, args.data / "sts/stsb/train.jsonl", corpus)
        start = Path(folder) / "start"
        start.mkdir()
        run_steps([Step([sys.executable, "-c", "import torch, tqdm"])], start)  # compiles them
        for repeat in range(args.repeats):
            for epochs in map(int, args.epochs.split(",")):
                for algorithm, program, recipe in programs:
                    job = Job(corpus, Path(folder), args.dim, epochs, repeat)
                    runs.append(measure(algorithm, program, recipe, job, dev))
                    print(json.dumps(asdict(runs[-1])), file=sys.stderr, flush=True)
    print(f"{words:,} words, {args.dim} dimensions, {args.repeats} runs of each\n")
    print("\n".join([*table(runs, words), "", *summary(runs, words)]))
    return 0


def write_corpus(texts: Path | None, pairs: Path, corpus: Path) -> int:
    """Write the words of each text, separated by spaces, as a line.

    Args:
        texts: The texts; None for both sentences of the scored pairs.
        pairs: The scored pairs.
        corpus: The file to write.

    Returns:
        The number of words.
    """
    words = 0
    with corpus.open("w", encoding="utf-8") as file:
        for text in _sentences(pairs) if texts is None else read_texts([texts]):
            tokens = simple_tokenize(text)
            words += len(tokens)
            if tokens:
                file.write(" ".join(tokens) + "\n")
    return words


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__.partition("\n")[0],
        epilog="Example: python -m lab_benchmarks.training.originals --data ../shared/data "
        "--glove GloVe/build --epochs 4,8 --repeats 3",
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of the public data sets")
    parser.add_argument(
        "--corpus", type=Path, help="texts to train on (default: the sentences of STS-B train)"
    )
    parser.add_argument(
        "--glove",
        type=Path,
        metavar="FOLDER",
        help="folder of vocab_count, cooccur, shuffle, glove",
    )
    parser.add_argument("--sent2vec", type=Path, metavar="PROGRAM", help="Sent2Vec's `fasttext`")
    parser.add_argument("--starspace", type=Path, metavar="PROGRAM", help="`starspace`")
    parser.add_argument("--dim", type=int, default=300, help="dimension (%(default)s)")
    parser.add_argument(
        "--epochs", default="4,8", help="numbers of epochs, separated by commas (%(default)s)"
    )
    parser.add_argument(
        "--buckets", type=int, default=20_000, help="buckets of Sent2Vec's bigrams (%(default)s)"
    )
    parser.add_argument("--repeats", type=int, default=2, help="runs of each (%(default)s)")
    return parser


def _programs(args: argparse.Namespace) -> list[tuple[str, str, Recipe]]:
    """Algorithm, program and recipe: each original that is given, and ours after it."""
    programs: list[tuple[str, str, Recipe]] = []
    if args.glove:
        glove = ours("glove", "--window", "10", "--x-max", "100", "--learning-rate", "0.05")
        programs += [("GloVe", "original", original_glove(args.glove.resolve()))]
        programs += [("GloVe", "ours", glove)]
    if args.sent2vec:
        program, buckets = args.sent2vec.resolve(), str(args.buckets)
        for name, bigrams, number in (
            ("Sent2Vec, no bigrams", ("-wordNgrams", "1"), "0"),
            ("Sent2Vec", ("-wordNgrams", "2", "-bucket", buckets), buckets),
        ):
            sent2vec = ours("sent2vec", "--negatives", "10", "--num-buckets", number)
            programs += [(name, "original", original_sent2vec(program, *bigrams))]
            programs += [(name, "ours", sent2vec)]
    if args.starspace:
        starspace = ours("starspace")  # its defaults: a window of 5, 5 negatives
        programs += [("StarSpace", "original", original_starspace(args.starspace.resolve()))]
        programs += [("StarSpace", "ours", starspace)]
    return programs


def _sentences(pairs: Path) -> list[str]:
    scored = read_pairs(pairs)[0]
    return [pair.a for pair in scored] + [pair.b for pair in scored]


def _by_setting(runs: Sequence[Run]) -> dict[tuple[str, str, int], list[Run]]:
    groups: dict[tuple[str, str, int], list[Run]] = {}
    for run in runs:
        groups.setdefault((run.algorithm, run.program, run.epochs), []).append(run)
    return groups


if __name__ == "__main__":
    raise SystemExit(main())
