"""Learning curves of several systems on several data sets, saved to disk as they grow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from pocketintent.evaluation.intents.datasets import IntentData
from pocketintent.evaluation.intents.few_shot import describe, evaluate_system
from pocketintent.evaluation.intents.systems import System
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.atomic import remove_leftovers, write_atomically


class ResultFile:
    """Rows of results on disk, so that an interrupted run can be continued.

    The whole file is rewritten atomically after each group of rows.

    Args:
        path: The JSON file; None to keep the rows in memory.
        settings: The settings that all rows depend on; a file with other settings is rejected.

    Raises:
        PocketIntentError: The file has no results, or results of other settings.
    """

    def __init__(self, path: str | Path | None, settings: Mapping[str, Any]) -> None:
        self.path = None if path is None else Path(path)
        self.settings = dict(settings)
        self.groups: dict[str, list[dict[str, Any]]] = {}
        if self.path is not None:
            remove_leftovers(self.path)
            if self.path.exists():
                self.groups = self._read(self.path)

    def _read(self, path: Path) -> dict[str, list[dict[str, Any]]]:
        advice = "give another --out, or remove the file to start from scratch"
        try:
            content = orjson.loads(path.read_bytes())
            settings, groups = content["settings"], dict(content["groups"])
        except (orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
            raise PocketIntentError(f"{path}: has no results of an evaluation; {advice}") from error
        if settings != self.settings:
            raise PocketIntentError(
                f"{path}: has results of {settings}, but this run has {self.settings}; {advice}"
            )
        return groups

    def add(self, key: str, rows: list[dict[str, Any]]) -> None:
        """Store the rows of a key, in memory and on disk.

        Raises:
            OSError: The file cannot be written; the error gives its name and the cause.
        """
        self.groups[key] = rows
        if self.path is None:
            return
        content = {"settings": self.settings, "groups": self.groups}
        write_atomically(self.path, orjson.dumps(content, option=orjson.OPT_INDENT_2))


def learning_curves(
    systems: Mapping[str, Callable[[], System]],
    data: IntentData,
    *,
    shots: Sequence[int],
    runs: int = 10,
    seed: int = 0,
    results: ResultFile | None = None,
    progress: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """Measure several systems on one data set, with the same draws of templates.

    Args:
        systems: Factories of the systems by name.
        data: The data set.
        shots: Numbers of templates per intent.
        runs: Draws for each number.
        seed: Seed of the draws.
        results: Store of finished rows; rows that it has are not measured again.
        progress: Called with the name of the system after each draw.

    Returns:
        The report of :func:`evaluate_intents` without ``"search"``, each row with its
        ``"system"``.
    """
    finished = results if results is not None else ResultFile(None, {})
    rows: list[dict[str, Any]] = []
    for name, make_system in systems.items():
        key = {number: f"{data.key}/{name}/{number}" for number in shots}
        missing = [number for number in shots if key[number] not in finished.groups]
        if missing:
            groups = evaluate_system(
                make_system(),
                data,
                shots=missing,
                runs=runs,
                seed=seed,
                progress=None if progress is None else partial(progress, name),
            )
            for number, group in zip(missing, groups, strict=True):
                finished.add(key[number], [{"system": name, **row} for row in group])
        for number in shots:
            rows.extend(finished.groups[key[number]])
    return {**describe(data, runs=runs, seed=seed), "results": rows}
