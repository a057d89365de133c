"""The page of a comparison, from results that no training has made."""

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("matplotlib")
from pocketintent_lab.cli.compare import parse_training
from pocketintent_lab.comparison.comparison import write_page
from pocketintent_lab.comparison.compression_tasks import PruneTask, SweepTask
from pocketintent_lab.comparison.expansion import Work, expand
from pocketintent_lab.comparison.plan import Plan
from pocketintent_lab.comparison.plots import draw
from pocketintent_lab.comparison.results import averages
from pocketintent_lab.comparison.sections import pruning_section
from pocketintent_lab.comparison.store import Store
from pocketintent_lab.comparison.tasks import (
    EncodeTask,
    IntentsTask,
    StsTask,
    Task,
    TrainTask,
)

SECTIONS = ["models", "epochs", "share", "encoding", "cost", "intents", "pruning", "quantisation"]


def outcome(task: Task, number: int) -> dict[str, Any]:
    """Figures such as the task gives, which differ from task to task."""
    figure = number / 1000
    sts = {"pearson": figure, "spearman": figure, "pairs": 4}
    if isinstance(task, TrainTask):
        use = {"cpu_seconds": 2.0 + number, "wall_seconds": 3.0, "peak_bytes": 5_000_000}
        sizes = {"texts": 20, "words": 60, "model_bytes": 1_500_000}
        return {**use, **sizes, "record": {"command": "none"}}
    if isinstance(task, StsTask):
        return sts
    if isinstance(task, EncodeTask):
        return {"texts": 8, "batch_seconds": 0.25, "single_seconds": 0.5}
    if isinstance(task, IntentsTask):
        accuracy = {"mean": figure, "std": None}
        rows = [{"shots": 1, "decision": "nearest", "accuracy": accuracy}]
        return {"dataset": "intents", "results": rows}
    if isinstance(task, PruneTask) and (task.method, task.keep) == ("norm", 2):
        return {"refused": "takes 3 words, but --keep is 2"}
    if isinstance(task, PruneTask):
        return {"words": task.keep, "bytes": 9, "vector_bytes": 8000, **sts}
    assert isinstance(task, SweepTask)
    cells = [
        {"variant": task.variant, "sub_dim": 2, "codebook_size": size, "bytes": size,
         "vector_bytes": size, "quality": {"sts": sts}}
        for size in task.compression.codebook_sizes
    ]  # fmt: skip
    return {"made_from": {}, "baseline": {"quality": {"sts": sts}, "bytes": 9}, "cells": cells}


def fill(work: Work, store: Store, failing: str = "no label") -> None:
    machine = {"machine": {"processor": "abacus", "python": "3"}, "version": "1"}
    for number, task in enumerate(work.tasks):
        result = {"outcome": outcome(task, number)}
        if task.label == failing:
            result = {"error": "line 3: <bad>"}  # type: ignore[dict-item]
        store.save(task.key, {"label": task.label, "seconds": 1, **machine, **result})


@pytest.fixture
def plan(plan_of: Callable[..., Plan]) -> Plan:
    return plan_of()


@pytest.fixture
def work(plan: Plan) -> Work:
    return expand(plan, parse_training)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


class Page(HTMLParser):
    """The sections, pictures, rows and addresses of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.sections: list[str] = []
        self.addresses: list[str] = []
        self.rows: dict[str, int] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if tag == "section":
            self.sections.append(values["id"] or "")
        if tag == "tr":
            self.rows[self.sections[-1]] = self.rows.get(self.sections[-1], 0) + 1
        self.addresses += [str(values[name]) for name in ("src", "href") if name in values]


def test_the_page_has_every_section_with_its_pictures_inside(
    plan: Plan, work: Work, store: Store
) -> None:
    fill(work, store)
    write_page(plan, work, store, "pocketintent-lab compare plan.toml")
    text = (store.folder / "comparison.html").read_text("utf-8")
    page = Page(text)
    assert page.sections == [*SECTIONS, "commands", "machines"]
    pictures = [address for address in page.addresses if not address.startswith("#")]
    assert len(pictures) == 5  # with a single number of templates, intents are no curve
    assert all(picture.startswith("data:image/png;base64,iVBOR") for picture in pictures)
    assert "A &lt;small&gt; comparison" in text and "<small>" not in text
    assert text.count("pocketintent-lab compare plan.toml") >= len(pictures)
    assert page.rows["quantisation"] == 1 + 2  # variants; the codebook sizes are columns
    assert page.rows["pruning"] == 1 + 4
    assert page.rows["commands"] == 1 + len(work.points)
    for name in (
        "<td>(refused)</td>",
        "<p>(refused) Pruned by norm: takes 3 words, but --keep is 2.</p>",
        "Pearson",
        "words/s",
        "peak, MB",
        "µs a text",
        "1 per intent",
        "abacus",
    ):
        assert name in text


def test_figures_of_several_seeds_are_averaged(plan: Plan, work: Work, store: Store) -> None:
    fill(work, store)
    report = write_page(plan, work, store, "command")
    rows = [r for r in report["points"] if r["algorithm"] == "own" and r["main"]]
    assert [row["seed"] for row in rows] == [0, 1]
    values = [row["sts"]["pearson"] for row in rows]
    mean = averages(rows, ("algorithm",), lambda row: row["sts"]["pearson"])["own",]
    assert mean["mean"] == pytest.approx(sum(values) / 2)
    markdown = (store.folder / "comparison.md").read_text("utf-8")
    assert re.search(
        rf"\| own \| chats \| 8 \| {mean['mean']:.4f} ± {mean['std']:.4f} \|", markdown
    )


def test_words_a_second_are_those_of_all_epochs_by_cpu_time(
    plan: Plan, work: Work, store: Store
) -> None:
    fill(work, store)
    row = write_page(plan, work, store, "command")["points"][0]
    assert row["epochs"] == 3
    seconds = row["training"]["cpu_seconds"]
    assert row["training"]["words_per_second"] == pytest.approx(60 * 3 / seconds)


def test_a_failed_run_is_reported_and_the_rest_is_shown(
    plan: Plan, work: Work, store: Store
) -> None:
    fill(work, store, failing="train CBOW, epochs: 1, chats, seed 0")
    report = write_page(plan, work, store, "command")
    (failure,) = report["failures"]
    assert failure["error"] == "line 3: <bad>"
    text = (store.folder / "comparison.html").read_text("utf-8")
    assert Page(text).sections == [*SECTIONS, "failures", "commands", "machines"]
    assert "line 3: &lt;bad&gt;" in text


def test_a_page_of_nothing_has_the_plan(plan: Plan, work: Work, store: Store) -> None:
    report = write_page(plan, work, store, "command")
    assert all(row["sts"] is None for row in report["points"])
    page = Page((store.folder / "comparison.html").read_text("utf-8"))
    assert page.sections == ["commands", "machines"]


def test_the_markdown_links_the_pictures_beside_it(plan: Plan, work: Work, store: Store) -> None:
    fill(work, store)
    write_page(plan, work, store, "command")
    markdown = (store.folder / "comparison.md").read_text("utf-8")
    links = re.findall(r"!\[[^]]*\]\(([^)]*)\)", markdown)
    assert len(links) == 5
    assert all((store.folder / link).is_file() for link in links)


def test_a_refused_pruning_is_a_mark_in_the_table_and_a_note_below_it(
    plan: Plan, work: Work, store: Store
) -> None:
    fill(work, store)
    write_page(plan, work, store, "command")
    markdown = (store.folder / "comparison.md").read_text("utf-8")
    table, note = markdown[markdown.index("| pruned by") :].split("\n\n")[:2]
    assert "| norm | 2 |  | (refused) |  |" in table.splitlines()
    assert note == "(refused) Pruned by norm: takes 3 words, but --keep is 2."


def test_the_reason_is_that_of_the_mildest_refusal() -> None:
    rows = [
        {"method": "norm", "keep": 300, "refused": "not 300"},
        {"method": "norm", "keep": 20, "refused": "not 20"},
        {"method": "norm", "keep": 400, "words": 400, "pearson": 0.5},
    ]
    report = {"pruning": rows, "compressed": "own", "compressed_corpus": "chats"}
    section = pruning_section(report)
    assert section.notes == ("(refused) Pruned by norm: not 300.",)
    assert [row[3] for row in section.table.rows] == ["(refused)", "(refused)", "0.5000"]


def test_many_panels_are_drawn_in_rows_of_three(tmp_path: Path) -> None:
    def size(num_panels: int) -> tuple[int, int]:
        path = tmp_path / f"{num_panels}.png"
        panels = {str(number): {"line": [(1, 0.5, 0), (2, 0.6, 0)]} for number in range(num_panels)}
        draw(panels, "x", "y", path, log=False)
        header = path.read_bytes()[16:24]
        return int.from_bytes(header[:4], "big"), int.from_bytes(header[4:], "big")

    (width, height), (row, low), (rows, high) = size(1), size(3), size(4)
    assert row > 2 * width and low == height
    assert high / rows == pytest.approx(2 * low / row, rel=0.01)
