"""The report as one HTML page that needs nothing else, and as Markdown."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from pocketintent_lab.comparison.sections import (
    Section,
    TableOfFigures,
    commands_section,
    sections_of,
)

_STYLE = """\
body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; max-width: 72rem;
       margin: 2rem auto; padding: 0 1rem; }
h1, h2 { line-height: 1.25; } h2 { margin-top: 2.5rem; }
nav a { margin-right: 1.2em; white-space: nowrap; }
img { max-width: 100%; }
.table { overflow-x: auto; max-height: 40rem; }
table { border-collapse: collapse; font-size: 14px; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid #ddd; text-align: left; }
th { position: sticky; top: 0; background: #f4f4f4; cursor: pointer; }
th::after { content: " \\2195"; color: #999; }
pre { background: #f4f4f4; padding: .6rem; overflow-x: auto; font-size: 13px; }
.failures { border-left: 4px solid #b00; padding-left: 1rem; }
"""

# A click on a heading sorts by its column, by number where both cells begin with one.
_SCRIPT = """\
for (const head of document.querySelectorAll("th")) head.onclick = () => {
  const body = head.closest("table").tBodies[0], column = head.cellIndex;
  const down = head.dataset.down = head.dataset.down === "1" ? "" : "1";
  const value = (row) => row.cells[column].textContent;
  const number = (row) => parseFloat(value(row).replaceAll(",", ""));
  const order = (a, b) => number(a) - number(b) || value(a).localeCompare(value(b));
  body.append(...[...body.rows].sort((a, b) => (down ? 1 : -1) * order(a, b)));
};
"""


def html_page(report: dict[str, Any], plots: Mapping[str, Path]) -> str:
    """The page, with style, script and pictures inside.

    Args:
        report: The report of :func:`pocketintent_lab.comparison.results.collect`.
        plots: The pictures by name.
    """
    sections = sections_of(report)
    parts = [_html_section(section, report["command"], plots) for section in sections]
    commands = commands_section(report)
    body = [
        f"<h1>{escape(report['title'])}</h1>",
        f"<p>{escape(_summary(report))}</p>",
        f"<pre>{escape(report['command'])}</pre>",
        "<nav>"
        + " ".join(f'<a href="#{s.name}">{escape(s.title)}</a>' for s in sections)
        + "</nav>",
        *parts,
        f'<section id="{commands.name}"><h2>{commands.title}</h2><p>{escape(commands.remark)}</p>'
        f"<details><summary>{len(commands.table.rows)} runs</summary>"
        f"{_html_table(commands.table)}</details></section>",
        '<section id="machines"><h2>Machines, versions and data</h2>',
        _html_table(_machines(report)),
        _html_table(_corpora(report)),
        "</section>",
    ]
    title = escape(report["title"])
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        f"<style>\n{_STYLE}</style></head><body>\n"
        + "\n".join(body)
        + f"\n<script>\n{_SCRIPT}</script></body></html>\n"
    )


def markdown_page(report: dict[str, Any], plots: Mapping[str, Path]) -> str:
    """The page as Markdown, with links to the pictures; their folder is beside it."""
    lines = [f"# {report['title']}", _summary(report), f"    {report['command']}"]
    for section in sections_of(report):
        lines += [f"## {section.title}", section.remark]
        for name in section.plots:
            if name in plots:
                path = plots[name]
                lines.append(f"![{section.title}]({path.parent.name}/{path.name})")
        lines += [_markdown_table(section.table), *section.notes]
    tables = [_markdown_table(_machines(report)), _markdown_table(_corpora(report))]
    return "\n\n".join([*lines, "## Machines, versions and data", *tables]) + "\n"


def _summary(report: dict[str, Any]) -> str:
    done = sum(row["sts"] is not None for row in report["points"])
    seeds = ", ".join(map(str, report["seeds"]))
    failed = f", {len(report['failures'])} failed" if report["failures"] else ""
    return f"{done} of {len(report['points'])} training runs measured{failed}; seeds: {seeds}."


def _html_section(section: Section, command: str, plots: Mapping[str, Path]) -> str:
    pictures = [_picture(plots[name], section.title) for name in section.plots if name in plots]
    notes = "".join(f"<p>{escape(note)}</p>" for note in section.notes)
    again = f"<p>Made by:</p><pre>{escape(command)}</pre>" if pictures else ""
    return (
        f'<section id="{section.name}" class="{section.name}"><h2>{escape(section.title)}</h2>'
        f"<p>{escape(section.remark)}</p>{''.join(pictures)}{again}"
        f"{_html_table(section.table)}{notes}</section>"
    )


def _picture(path: Path, title: str) -> str:
    data = base64.b64encode(path.read_bytes()).decode()
    return f'<p><img alt="{escape(title)}" src="data:image/png;base64,{data}"></p>'


def _html_table(table: TableOfFigures) -> str:
    head = "".join(f"<th>{escape(text)}</th>" for text in table.header)
    rows = "\n".join(
        "<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>" for row in table.rows
    )
    return (
        f'<div class="table"><table><thead><tr>{head}</tr></thead>\n<tbody>{rows}</tbody>'
        "</table></div>"
    )


def _markdown_table(table: TableOfFigures) -> str:
    rows = [table.header, ["---"] * len(table.header), *table.rows]
    return "\n".join(_markdown_row(row) for row in rows)


def _markdown_row(row: Sequence[str]) -> str:
    cells = (text.replace("|", "\\|").replace("\n", " ") for text in row)
    return f"| {' | '.join(cells)} |"


def _machines(report: dict[str, Any]) -> TableOfFigures:
    machines = report["machines"]
    header = list(dict.fromkeys(name for machine in machines for name in machine))
    return TableOfFigures(header, [[m.get(name, "") for name in header] for m in machines])


def _corpora(report: dict[str, Any]) -> TableOfFigures:
    rows = [
        [name, file["file"], f"{file['bytes']:,}", file["sha256"]]
        for name, files in report["corpora"].items()
        for file in files
    ]
    return TableOfFigures(["corpus", "file", "bytes", "SHA-256"], rows)
