"""From a plan to its tasks: the points of the curves, and the measurements of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pocketintent.runtime.errors import PocketIntentError
from pocketintent.training.loop.work_folder import fingerprint
from pocketintent_lab.comparison.compression_tasks import PruneTask, SweepTask
from pocketintent_lab.comparison.corpora import ALL
from pocketintent_lab.comparison.plan import Algorithm, Plan
from pocketintent_lab.comparison.tasks import (
    EncodeTask,
    IntentsTask,
    StsTask,
    Task,
    TrainTask,
)

ParseTraining = Callable[[Sequence[str]], Mapping[str, Any]]
"""From the words after ``pocketintent`` to the values of all options of the command, by their
names with underscores. Raises PocketIntentError for words that the command refuses."""

PRUNE_METHODS = ("frequency", "norm")

_OWN_OPTIONS = ("out", "seed", "resume", "restart")
"""Options that the comparison gives or that would stop it from repeating a run."""


@dataclass(frozen=True)
class Point:
    """A training run with its measurements."""

    algorithm: Algorithm
    epochs: int | None
    """None for a command without epochs."""
    is_main: bool
    """Whether it has the settings of the plan and the whole corpus."""
    train: TrainTask
    sts: StsTask
    encode: EncodeTask | None
    """Only of a main run, as are the intents."""
    intents: tuple[IntentsTask, ...]

    @property
    def tasks(self) -> list[Task]:
        """The training and the measurements."""
        encode = [] if self.encode is None else [self.encode]
        return [self.train, self.sts, *encode, *self.intents]


@dataclass(frozen=True)
class Work:
    """All work of a plan."""

    points: list[Point]
    pruning: list[PruneTask]
    sweep: list[SweepTask]

    @property
    def tasks(self) -> list[Task]:
        """All tasks, each once: the main runs, compression, then the other points of the curves.

        The curves grow side by side, so that an unfinished comparison has something of each. The
        training of a model comes before its measurements.
        """
        lengths: Counter[tuple[str, str, int]] = Counter()
        ranks: list[tuple[int, int]] = []
        for point in self.points:
            curve = (point.algorithm.name, point.train.corpus.name, point.train.seed)
            ranks.append((lengths[curve], len(ranks)))
            lengths[curve] += 1
        points = [self.points[number] for _, number in sorted(ranks)]
        num_main = sum(point.is_main for point in points)
        main = [task for point in points[:num_main] for task in point.tasks]
        others = [task for point in points[num_main:] for task in point.tasks]
        tasks: list[Task] = [*main, *self.pruning, *self.sweep, *others]
        return list({task.key: task for task in tasks}.values())


def expand(plan: Plan, parse: ParseTraining) -> Work:
    """List the work of a plan.

    Args:
        plan: The plan.
        parse: Reads the words of a training command.

    Raises:
        PocketIntentError: A training command refuses its options, or a file cannot be read.
    """
    points: list[Point] = []
    mains: dict[tuple[str, str, int], TrainTask] = {}
    for algorithm in plan.algorithms.values():
        for corpus in algorithm.corpora:
            for seed in plan.seeds:
                builder = _Builder(plan, algorithm, corpus, seed, parse, mains)
                mains[algorithm.name, corpus, seed] = builder.main.train
                points += builder.points()
    first: dict[tuple[str, str], Point] = {}  # a point may be on several curves
    for point in points:
        first.setdefault((point.algorithm.name, point.train.key), point)
    return Work(list(first.values()), *_compression(plan, mains))


def _compression(
    plan: Plan, mains: Mapping[tuple[str, str, int], TrainTask]
) -> tuple[list[PruneTask], list[SweepTask]]:
    compression, pairs = plan.compression, plan.measures.sts
    if compression is None:
        return [], []
    model = mains[compression.algorithm, compression.corpus, plan.seeds[0]]
    pruning = [
        PruneTask(model, pairs, method, keep)
        for method in PRUNE_METHODS
        for keep in compression.keep
    ]
    return pruning, [
        SweepTask(model, pairs, compression, variant) for variant in compression.variants
    ]


class _Builder:
    """Builds the points of an algorithm on a corpus with a seed."""

    def __init__(
        self,
        plan: Plan,
        algorithm: Algorithm,
        corpus: str,
        seed: int,
        parse: ParseTraining,
        mains: Mapping[tuple[str, str, int], TrainTask],
    ) -> None:
        self._plan, self._algorithm = plan, algorithm
        self._corpus, self._seed = plan.corpora[corpus], seed
        self._parse = parse
        self._models = {
            option: mains[value["model"], value["corpus"], seed]
            for option, value in algorithm.options.items()
            if isinstance(value, Mapping) and "model" in value
        }
        self.main = self._point(None, ALL)

    def points(self) -> list[Point]:
        """The main run, and those of the curves."""
        points = [self.main]
        if self._corpus.name in self._plan.curves.corpora:
            points += [self._point(epochs, ALL) for epochs in self._algorithm.epochs]
            points += [self._point(None, share) for share in self._algorithm.shares]
        return points

    def _point(self, epochs: int | None, share: float) -> Point:
        train = self._train(epochs, share)
        is_main = epochs is None and share == ALL
        measures = self._plan.measures
        folders = measures.intents if is_main else ()
        return Point(
            self._algorithm,
            train.settings.get("epochs"),
            is_main,
            train,
            StsTask(train, measures.sts),
            EncodeTask(train, measures.encode) if is_main else None,
            tuple(IntentsTask(train, folder, measures) for folder in folders),
        )

    def _train(self, epochs: int | None, share: float) -> TrainTask:
        algorithm = self._algorithm
        given = {} if epochs is None else {"epochs": epochs}
        options = {**algorithm.options, **given, "seed": self._seed}
        groups = [_words(name, options[name]) for name in options if name not in self._models]
        words = tuple(word for group in groups for word in group)
        return TrainTask(
            algorithm.name if epochs is None else f"{algorithm.name}, epochs: {epochs}",
            algorithm.method,
            words,
            self._settings(words),
            self._corpus,
            algorithm.corpus_option,
            share,
            self._seed,
            needs=tuple(self._models.values()),
            models=tuple(self._models.items()),
        )

    def _settings(self, words: Sequence[str]) -> dict[str, Any]:
        """The values of all options, which identify the run."""
        algorithm = self._algorithm
        for name in (*_OWN_OPTIONS, algorithm.corpus_option):
            if name in algorithm.options:
                raise PocketIntentError(
                    f"{algorithm.place}.{name}: the comparison gives this option itself; remove it"
                )
        models = [word for option in self._models for word in (f"--{option}", "model.safetensors")]
        command = [
            *("train", algorithm.method, f"--{algorithm.corpus_option}", "corpus.txt"),
            *("--out", "model.safetensors", *words, *models),
        ]
        try:
            values = self._parse(command)
        except PocketIntentError as error:
            raise PocketIntentError(f"{algorithm.place} of {algorithm.name!r}: {error}") from error
        left_out = {*_OWN_OPTIONS[:1], *_OWN_OPTIONS[2:], algorithm.corpus_option, *self._models}
        left_out = {name.replace("-", "_") for name in left_out}
        return {name: _content(value) for name, value in values.items() if name not in left_out}


def _words(name: str, value: Any) -> list[str]:
    """An option as words of a command."""
    option = f"--{name}"
    if isinstance(value, bool):
        return [option if value else f"--no-{name}"]
    if isinstance(value, Mapping):
        return [option, str(value["file"])]
    if isinstance(value, list):
        return [option, *map(str, value)]
    text = str(value)
    return [f"{option}={text}"] if text.startswith("-") else [option, text]


def _content(value: Any) -> Any:
    """The value of an option; of a file, its hash."""
    if isinstance(value, Path):
        return fingerprint(value) if value.is_file() else value.name
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [_content(item) for item in value]
    return value
