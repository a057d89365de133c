"""A comparison from its plan to its page."""

from __future__ import annotations

from typing import Any

import orjson

from pocketintent.runtime.files.atomic import write_atomically
from pocketintent_lab.comparison.expansion import Work
from pocketintent_lab.comparison.page import html_page, markdown_page
from pocketintent_lab.comparison.plan import Plan
from pocketintent_lab.comparison.plots import draw_plots
from pocketintent_lab.comparison.results import collect
from pocketintent_lab.comparison.store import Store
from pocketintent_lab.comparison.worker import Report, failed, run_tasks


def make_runs(work: Work, store: Store, report: Report, *, retry: bool = False) -> None:
    """Make the runs of a plan that are not finished.

    Several processes may call this with the same folder; each run is made by one of them.

    Args:
        work: The work, by :func:`pocketintent_lab.comparison.expansion.expand`.
        store: Keeps results and models.
        report: Receives progress.
        retry: Whether failed runs are made again.

    Raises:
        OSError: The folder cannot be written.
    """
    if retry:
        for task in work.tasks:
            if failed(store.result(task.key)):
                store.forget(task.key)
    run_tasks(work.tasks, store, report)


def write_page(plan: Plan, work: Work, store: Store, command: str) -> dict[str, Any]:
    """Write the page from the results that there are.

    Args:
        plan: The plan.
        work: Its work.
        store: Has the results; its folder gets ``comparison.html``, ``comparison.json``,
            ``comparison.md`` and ``plots``.
        command: The command that makes the comparison, for the page.

    Returns:
        The content of ``comparison.json``, see
        :func:`pocketintent_lab.comparison.results.collect`.

    Raises:
        MissingExtraError: matplotlib is not installed.
        OSError: The folder cannot be written.
    """
    content = collect(plan, work, store, command)
    folder = store.folder / "plots"
    folder.mkdir(exist_ok=True)
    plots = draw_plots(content, folder)
    files = {
        "comparison.html": html_page(content, plots).encode(),
        "comparison.md": markdown_page(content, plots).encode(),
        "comparison.json": orjson.dumps(
            content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
        ),
    }
    for name, data in files.items():
        write_atomically(store.folder / name, data)
    return content
