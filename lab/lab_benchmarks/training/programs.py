"""How ``originals.py`` calls the original programs, and ours beside them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

Words = list[str | Path]
"""The words of a command."""


@dataclass(frozen=True)
class Step:
    """A command, with the files that are its standard input and output, if any."""

    command: Words
    stdin: Path | None = None
    stdout: Path | None = None


@dataclass(frozen=True)
class Job:
    """What a program is asked for."""

    corpus: Path
    folder: Path
    """An existing folder for the program's files."""
    dim: int
    epochs: int
    seed: int


Recipe = Callable[[Job], tuple[list[Step], Path]]
"""The steps of a training, and the file of its vectors."""


def original_glove(programs: Path) -> Recipe:
    """The four programs of stanfordnlp/GloVe; the shared settings are its own defaults."""

    def recipe(job: Job) -> tuple[list[Step], Path]:
        words, counts, shuffled, vectors = (
            job.folder / name for name in ("words.txt", "counts.bin", "shuffled.bin", "vectors")
        )
        quiet = ("-verbose", "0")
        cooccur: Words = [programs / "cooccur", *quiet, "-window-size", "10", "-vocab-file", words]
        glove: Words = [programs / "glove", *quiet, "-input-file", shuffled, "-vocab-file", words]
        glove += ["-save-file", vectors, "-vector-size", str(job.dim), "-iter", str(job.epochs)]
        steps = [
            Step([programs / "vocab_count", *quiet, "-min-count", "1"], job.corpus, words),
            Step([*cooccur, "-overflow-file", job.folder / "overflow"], job.corpus, counts),
            Step(
                [programs / "shuffle", *quiet, "-temp-file", job.folder / "part"], counts, shuffled
            ),
            Step([*glove, "-x-max", "100", "-eta", "0.05", "-threads", "1", "-binary", "0"]),
        ]
        return steps, vectors.with_suffix(".txt")

    return recipe


def original_sent2vec(program: Path, *bigrams: str) -> Recipe:
    """The program of epfml/sent2vec; it predicts every word, as ours does by default."""

    def recipe(job: Job) -> tuple[list[Step], Path]:
        vectors = job.folder / "vectors"
        command: Words = [program, "sent2vec", "-input", job.corpus, "-output", vectors]
        command += ["-dim", str(job.dim), "-epoch", str(job.epochs), "-neg", "10", "-lr", "0.2"]
        command += ["-minCount", "1", "-t", "1", "-thread", "1", "-verbose", "0", *bigrams]
        return [Step(command)], vectors.with_suffix(".bin")

    return recipe


def original_starspace(program: Path) -> Recipe:
    """The program of facebookresearch/StarSpace; beside its thread, one shortens long vectors."""

    def recipe(job: Job) -> tuple[list[Step], Path]:
        vectors = job.folder / "vectors"
        command: Words = [program, "train", "-trainFile", job.corpus, "-model", vectors]
        command += ["-dim", str(job.dim), "-epoch", str(job.epochs), "-trainMode", "5"]
        command += ["-ws", "5", "-negSearchLimit", "5", "-maxNegSamples", "5", "-lr", "0.05"]
        return [Step([*command, "-thread", "1"])], vectors.with_suffix(".tsv")

    return recipe


def ours(name: str, *options: str) -> Recipe:
    """``pocketintent train NAME``."""

    def recipe(job: Job) -> tuple[list[Step], Path]:
        vectors = job.folder / "model.safetensors"
        command: Words = [
            sys.executable,
            "-m",
            "pocketintent",
            "train",
            name,
            "--corpus",
            job.corpus,
        ]
        command += ["--out", vectors, "--dim", str(job.dim), "--epochs", str(job.epochs)]
        return [Step([*command, "--threads", "1", "--seed", str(job.seed), *options])], vectors

    return recipe
