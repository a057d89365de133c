"""Learning curves of several systems on several data sets, kept on disk as they grow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from pocketintent.evaluation.intents.datasets import IntentData
from pocketintent.evaluation.intents.few_shot import System, describe, evaluate_system
from pocketintent.runtime.errors import PocketIntentError
from pocketintent.runtime.files.atomic import write_atomically


class ResultFile:
    """Rows of results on disk, so that a run that was killed goes on where it stopped.

    The file is rewritten whole, by way of a second file, after each group of rows.

    Args:
        path: The JSON file; None keeps the rows in memory only.
        settings: What all rows depend on. A file made with other settings is refused.

    Raises:
        PocketIntentError: The file holds no results, or those of other settings.
    """

    def __init__(self, path: str | Path | None, settings: Mapping[str, Any]) -> None:
        self.path = None if path is None else Path(path)
        self.settings = dict(settings)
        self.groups: dict[str, list[dict[str, Any]]] = {}
        if self.path is not None and self.path.exists():
            self.groups = self._read(self.path)

    def _read(self, path: Path) -> dict[str, list[dict[str, Any]]]:
        advice = "give another --out, or remove the file to start anew"
        try:
            content = orjson.loads(path.read_bytes())
            settings, groups = content["settings"], dict(content["groups"])
        except (orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
            raise PocketIntentError(
                f"{path}: holds no results of an evaluation; {advice}"
            ) from error
        if settings != self.settings:
            raise PocketIntentError(
                f"{path}: was made with {settings}, this run has {self.settings}; {advice}"
            )
        return groups

    def add(self, key: str, rows: list[dict[str, Any]]) -> None:
        """Keep the rows of a key, on disk too.

        Raises:
            OSError: The file cannot be written; the error names it and says why.
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
    """Measure several systems on one data set, all with the same draws of templates.

    Args:
        systems: How to make each system, by its name.
        data: The data set.
        shots: Numbers of templates of an intent.
        runs: Draws for each number.
        seed: Seed of the draws.
        results: Where finished rows are kept, and taken from instead of measured again.
        progress: Called after each draw with the name of the system.

    Returns:
        As :func:`evaluate_intents`, each row with its ``"system"``.
    """
    kept = results if results is not None else ResultFile(None, {})
    rows: list[dict[str, Any]] = []
    for name, make_system in systems.items():
        key = {number: f"{data.key}/{name}/{number}" for number in shots}
        missing = [number for number in shots if key[number] not in kept.groups]
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
                kept.add(key[number], [{"system": name, **row} for row in group])
        for number in shots:
            rows.extend(kept.groups[key[number]])
    return {**describe(data, runs=runs, seed=seed), "results": rows}
