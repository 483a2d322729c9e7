"""The table: on the screen, and committed as Markdown with its numbers beside it as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.machine import Machine
from tests.benchmarks.measure import Row

__all__ = ["RESULTS", "Report", "Section", "load", "newest", "save", "table"]

RESULTS = Path(__file__).resolve().parent / "results"


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
    """

    date: str
    machine: Machine
    sections: list[Section]
    load: float | None = None

    @property
    def missed(self) -> list[Row]:
        """The rows beyond their goals."""
        return [row for section in self.sections for row in section.rows if row.missed]

    def value(self, title: str, name: str) -> float | None:
        """What was measured under this title and name."""
        found = [r.value for s in self.sections if s.title == title for r in s.rows if r.name == name]
        return found[0] if found else None


def table(report: Report, before: Report | None = None) -> str:
    """The report as Markdown; with an earlier one, its values stand beside."""
    machine = report.machine
    lines = [
        f"# Benchmarks: {machine.processor}, {machine.cores} cores, {report.date}",
        "",
        f"{machine.system}, {machine.software}. Medians; the two sides ran by turns in the same minutes.",
        "A value with a goal is **bold** where it misses it. Made by `make bench ARGS=--save`.",
    ]
    if report.load is not None:
        lines.append(f"When it began, {report.load:g} programs wanted one of the {machine.cores} cores.")
    if before is not None:
        told = before.machine
        lines.append(f"Before: {before.date}, {told.processor}, {told.cores} cores, {told.software}.")
    for section in report.sections:
        lines += ["", f"## {section.title}", ""]
        if section.skipped:
            lines.append(f"Skipped: {section.skipped}.")
            continue
        lines += _grid([_head(before), *(_line(section.title, row, before) for row in section.rows)])
    return "\n".join(lines) + "\n"


def _head(before: Report | None) -> list[str]:
    return ["what", "value", "goal", *(["before"] if before else []), "behind it"]


def _line(title: str, row: Row, before: Report | None) -> list[str]:
    value = f"{row.value:.2f} {row.unit}"
    goal = "" if row.goal is None else f"≤ {row.goal:g}"
    earlier = before.value(title, row.name) if before else None
    then = [] if before is None else ["" if earlier is None else f"{earlier:.2f}"]
    return [f"`{row.name}`", f"**{value}**" if row.missed else value, goal, *then, row.detail]


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
    return Report(read["date"], Machine(**read["machine"]), sections, read["load"])


def newest(machine: Machine, folder: Path = RESULTS) -> Report | None:
    """The latest committed report: of this kind of machine, or else of any."""
    places = sorted(folder.glob("*.json"))
    same = [place for place in places if place.stem.endswith(machine.kind)]
    return load((same or places)[-1]) if places else None
