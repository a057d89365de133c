"""The training commands of a comparison as a person can paste them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from pocketintent_lab.comparison.corpora import ALL, file_names
from pocketintent_lab.comparison.expansion import Point

HOW_TO_REPEAT = (
    "They run in the folder that the paths of the plan are relative to (--data), and read OUT, the "
    "absolute path of the comparison's folder: export OUT=/…"
)
"""What the commands need, for people."""

_OUT = '"$OUT"'


def training_command(point: Point, folder: Path) -> str:
    """The command that repeats a training run, for a shell.

    Files of the plan are named relative to the folder; samples of a corpus, sentences of pairs and
    the models of other runs are in ``$OUT``, the folder of the comparison.

    Args:
        point: The run.
        folder: The folder that the paths of the plan are relative to.
    """
    train = point.train
    own = f"pocketintent_lab.training.{train.method.replace('-', '_')}"
    program = "pocketintent" if find_spec(own) is None else "pocketintent-lab"
    values = [value for value in point.algorithm.options.values() if isinstance(value, Mapping)]
    files = [value["file"] for value in values if "file" in value]
    shown = {str(path): _relative(path, folder) for path in files}
    models = [word for option, task in train.models
              for word in (f"--{option}", f"{_OUT}/models/{task.key}.safetensors")]  # fmt: skip
    return " ".join(
        [
            *(program, "train", train.method, f"--{train.corpus_option}"),
            *_corpus(point, folder),
            *("--out", f"{_OUT}/{train.key}.safetensors"),
            *(shlex.quote(shown.get(word, word)) for word in train.options),
            *models,
        ]
    )


def _corpus(point: Point, folder: Path) -> list[str]:
    """The files of the corpus, quoted: the plan's own where all their lines are read."""
    corpus, train = point.train.corpus, point.train
    if train.share == ALL and not corpus.pairs:
        return [shlex.quote(_relative(path, folder)) for path in corpus.files]
    sample = f"{_OUT}/corpora/{train.corpus_key}"
    return [f"{sample}/{shlex.quote(name)}" for name in file_names(corpus)]


def _relative(path: Path, folder: Path) -> str:
    """The path as the plan has it."""
    return str(path.relative_to(folder) if path.is_relative_to(folder) else path)
