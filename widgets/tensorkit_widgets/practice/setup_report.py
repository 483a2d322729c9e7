"""`SetupReport`: what `tensorkit check` finds, as a picture in a notebook."""

from __future__ import annotations

from itertools import groupby

from tensorkit.lab.report import Row, report
from tensorkit_widgets.practice.markup import escape

_MARKS = {"ok": "✓", "missing": "✗", "optional": "–"}
_WORDS = {"ok": "ready", "missing": "missing", "optional": "not needed"}


class SetupReport:
    """Python, packages, devices and widgets of this machine, each with a mark, and what to do where it lacks.

    The report is taken once, when it is made; folders are left out, so that a saved notebook names nobody's.

    >>> SetupReport([Row("packages", "numpy", "2.2.0"), Row("devices", "cuda", "no GPU found", "optional")])
    packages
      ✓ numpy  2.2.0
    devices
      – cuda   no GPU found
    This machine is ready.
    """

    def __init__(self, rows: list[Row] | None = None) -> None:
        self._rows = report() if rows is None else list(rows)

    @property
    def ready(self) -> bool:
        """Is everything there that is needed?"""
        return all(row.state != "missing" for row in self._rows)

    def __repr__(self) -> str:
        width = max((len(row.name) for row in self._rows), default=0)
        lines = []
        for group, rows in groupby(self._rows, lambda row: row.group):
            lines.append(group)
            lines += [f"  {_MARKS[row.state]} {row.name:<{width}}  {_found(row)}" for row in rows]
        return "\n".join([*lines, *self._advice(), self._summary()])

    def _repr_html_(self) -> str:
        groups = [(group, list(rows)) for group, rows in groupby(self._rows, lambda row: row.group)]
        # The longest group stands beside all the others, so that the report fits a screen.
        longest = max((len(rows) for _, rows in groups), default=0)
        left = "".join(_box(group, rows) for group, rows in groups if len(rows) < longest)
        right = "".join(_box(group, rows) for group, rows in groups if len(rows) == longest)
        boxes = f"<div>{left}</div><div>{right}</div>"
        advice = "".join(f"<li>{escape(line)}</li>" for line in self._advice())
        listed = f"<ul>{advice}</ul>" if advice else ""
        mark = "✓" if self.ready else "✗"
        return (
            f'<div style="display: flex; flex-wrap: wrap; gap: 8px 48px; align-items: flex-start">{boxes}</div>'
            f"{listed}<p><strong>{mark} {self._summary()}</strong></p>"
        )

    def _advice(self) -> list[str]:
        return [f"{row.name}: {row.advice}" for row in self._rows if row.state == "missing"]

    def _summary(self) -> str:
        if self.ready:
            return "This machine is ready."
        return "Something is missing: do what is said above, then restart the kernel and run this cell again."


def _found(row: Row) -> str:
    """What was found, without the folders of this machine."""
    words = [word for word in row.found.split() if "/" not in word and "\\" not in word]
    return " ".join(words).rstrip(",").removesuffix(" in")


def _box(group: str, rows: list[Row]) -> str:
    lines = "".join(
        f'<tr><td style="text-align: center" title="{_WORDS[row.state]}">'
        f"{_MARKS[row.state]}</td>"
        f'<td style="text-align: left"><strong>{escape(row.name)}</strong></td>'
        f'<td style="text-align: left">{escape(_found(row))}</td></tr>'
        for row in rows
    )
    caption = f'<caption style="text-align: left"><strong>{escape(group)}</strong></caption>'
    return f"<table>{caption}<tbody>{lines}</tbody></table>"
