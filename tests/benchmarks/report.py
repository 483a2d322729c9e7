"""The table: on the screen, and committed as Markdown with its numbers beside it as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.machine import Machine
from tests.benchmarks.measure import METHOD, Row

RESULTS = Path(__file__).resolve().parent / "results"
#: The method of the tables that do not name one.
SINGLE = (
    "single calls or a millisecond of them by turns, which lets the second thread of PyTorch fall asleep in between: "
    "not to be compared with tables of another method"
)


@dataclass(frozen=True)
class Section:
    """The rows of one benchmark, or why it was skipped."""

    title: str
    rows: list[Row]
    skipped: str = ""


@dataclass(frozen=True)
class Report:
    """One run on one machine.

    Attributes:
        load: how many programs wanted a core when it began: ratios bear a busy machine, milliseconds do not.
        load_after: the same when it ended, this program among them.
        method: how it was measured; only reports of one method can be compared.
    """

    date: str
    machine: Machine
    sections: list[Section]
    load: float | None = None
    load_after: float | None = None
    method: str = METHOD

    @property
    def missed(self) -> list[Row]:
        """The rows beyond their goals."""
        return [row for section in self.sections for row in section.rows if row.missed]

    def row(self, title: str, name: str) -> Row | None:
        """What was measured under this title and name."""
        found = (r for s in self.sections if s.title == title for r in s.rows if r.name == name)
        return next(found, None)


def table(report: Report, before: Report | None = None) -> str:
    """The report as Markdown; with an earlier one of the same method, its values stand beside."""
    machine = report.machine
    lines = [
        f"# Benchmarks: {machine.processor}, {machine.cores} cores, {report.date}",
        "",
        f"{machine.system}, {machine.software}. Medians; the two sides ran by turns in the same minutes.",
        f"Method: {report.method}.",
        "A value with a goal is **bold** where it misses it. Made by `make bench ARGS=--save`.",
    ]
    if report.load is not None:
        lines.append(_busy(report))
    if before is not None:
        told = before.machine
        kind = f"{before.date}, {told.processor}, {told.cores} cores, {told.software}"
        same = before.method == report.method
        lines.append(f"Before: {kind}{'' if same else ', by another method: not shown'}.")
        before = before if same else None
    for section in report.sections:
        lines += ["", f"## {section.title}", ""]
        lines += [f"Skipped: {section.skipped}."] if section.skipped else _grid(_cells(section, before))
    return "\n".join(lines) + "\n"


def _busy(report: Report) -> str:
    cores = report.machine.cores
    began = f"When it began, {report.load:g} programs wanted one of the {cores} cores"
    return f"{began}." if report.load_after is None else f"{began}; when it ended, {report.load_after:g} did."


def _cells(section: Section, before: Report | None) -> list[list[str]]:
    """The rows of a section beneath their head, with as many values in each as one of them has."""
    threaded = any(row.threaded is not None for row in section.rows)
    values = ["1 thread", "all threads"] if threaded else ["value"]
    lines = [["what", *values, "goal", *(["before"] if before else []), "behind it"]]
    for row in section.rows:
        shown = [f"**{_shown(row, v)}**" if row.beyond(v) else _shown(row, v) for v in row.values]
        shown += [""] * (len(values) - len(shown))
        earlier = before.row(section.title, row.name) if before else None
        then = ", ".join(f"{value:.2f}" for value in earlier.values) if earlier else ""
        goal = "" if row.goal is None else f"≤ {row.goal:g}"
        lines.append([f"`{row.name}`", *shown, goal, *([then] if before else []), row.detail])
    return lines


def _shown(row: Row, value: float) -> str:
    return f"{value:.2f} {row.unit}"


def _grid(cells: list[list[str]]) -> list[str]:
    """Rows of a Markdown table, in columns that line up on the screen too."""
    widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
    rows = [
        "| " + " | ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)) + " |"
        for line in cells
    ]
    return [rows[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *rows[1:]]


def save(report: Report, folder: Path = RESULTS) -> Path:
    """Write the table and its numbers; the path of the table."""
    folder.mkdir(exist_ok=True)
    place = folder / f"{report.date}-{report.machine.kind}.md"
    place.write_text(table(report), encoding="utf-8")
    numbers = json.dumps(asdict(report), indent=1, ensure_ascii=False) + "\n"
    place.with_suffix(".json").write_text(numbers, encoding="utf-8")
    return place


def load(place: Path) -> Report:
    """A report from its numbers."""
    read: dict[str, Any] = json.loads(place.read_text(encoding="utf-8"))
    sections = [
        Section(s["title"], [Row(**row) for row in s["rows"]], s["skipped"]) for s in read["sections"]
    ]
    method = read.get("method", SINGLE)
    machine = Machine(**read["machine"])
    return Report(read["date"], machine, sections, read["load"], read.get("load_after"), method)


def newest(machine: Machine, folder: Path = RESULTS) -> Report | None:
    """The latest committed report: of this kind of machine, or else of any."""
    places = sorted(folder.glob("*.json"))
    same = [place for place in places if place.stem.endswith(machine.kind)]
    return load((same or places)[-1]) if places else None
