"""A rehearsal: before an audience sees a lesson, every cell of it is run in a fresh kernel, and every scene played.

Nothing of the presenter's is touched: the lesson and what was delivered with it are copied to a folder that is thrown
away, and no answer is recorded.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .files import read_notebook
from .kernel import started
from .lessons import companions
from .scene_rehearsal import as_in_jupyterlab, play_scenes, with_scenes

PATIENCE = 300
"""Seconds that one cell may take; a speaker in front of a room waits for none of them."""

_NOTABLE = 2.0
"""Seconds that a room waits for one cell without noticing."""

_UNDRAWN = "could not be drawn"


@dataclass(frozen=True)
class Performance:
    """How one code cell went, or its scenes: `problems` is empty when they did what they should."""

    number: int
    line: str
    seconds: float
    problems: tuple[str, ...] = ()
    scenes: int = 0
    """How many scenes of its pictures were played, after the last cell; 0 for the cell itself."""


@dataclass
class Rehearsal:
    """How a lesson went, cell by cell.

    Examples:
        >>> one = Rehearsal([Performance(1, "x = 1", 0.4), Performance(3, "1 / 0", 0.1, ("it failed",))])
        >>> print(one.summary())
        1 of 2 code cells did not go as it should; the whole lesson took 0.5 s.
        >>> one.good
        False
    """

    cells: list[Performance] = field(default_factory=list)

    @property
    def good(self) -> bool:
        """Whether every cell did what it should."""
        return not any(cell.problems for cell in self.cells)

    def summary(self) -> str:
        """One sentence."""
        bad, seconds = len({c.number for c in self.cells if c.problems}), sum(c.seconds for c in self.cells)
        cells, scenes = sum(not c.scenes for c in self.cells), sum(c.scenes for c in self.cells)
        counted = f"{cells} code cell{'' if cells == 1 else 's'}"
        if bad:
            return f"{bad} of {counted} did not go as it should; the whole lesson took {seconds:.1f} s."
        counted += f" and {scenes} scene{'' if scenes == 1 else 's'}" if scenes else ""
        return f"All went well: {counted} in {seconds:.1f} s."

    def beforehand(self) -> str:
        """What to run before people come in: only what would keep them waiting.

        Examples:
            >>> print(Rehearsal([Performance(1, "x = 1", 0.4)]).beforehand())
            Nothing need be run before people come in: the clicker, the space bar or → runs each cell.
            >>> print(Rehearsal([Performance(4, "train()", 8.06), Performance(5, "y = 2", 0.1)]).beforehand())
            Run the cells up to 4 before people come in, or talk while they run: cell 4 takes 8.1 s.
        """
        slow = [cell for cell in self.cells if not cell.scenes and cell.seconds > _NOTABLE]
        if not slow:
            return (
                "Nothing need be run before people come in: the clicker, the space bar or → runs each cell."
            )
        took = ", ".join(f"cell {cell.number} takes {cell.seconds:.1f} s" for cell in slow)
        return f"Run the cells up to {slow[-1].number} before people come in, or talk while they run: {took}."


def rehearse(lesson: Path, said: Callable[[Performance], None] | None = None) -> Rehearsal:
    """Run a whole lesson in a fresh kernel, in a copy of it.

    Args:
        lesson: the notebook.
        said: called with each cell's performance as soon as it is over.

    Returns:
        What every code cell took, and what was wrong with it: an exception (unless the cell is tagged
        ``raises-exception``), none where one was meant, a picture that could not be drawn, a kernel that died. Then the
        same of the scenes: they are played after the last cell, as for a speaker who runs the lesson beforehand.

    Raises:
        LabError: when the file is not a notebook, or its kernel is unknown or does not start.
    """
    done = Rehearsal()
    read_notebook(lesson)  # a damaged file is reported before anything starts
    with tempfile.TemporaryDirectory(prefix="tensorkit-rehearsal-") as place:
        copy = _copied(lesson, Path(place))
        for cell in _performed(copy, lesson.name):
            done.cells.append(cell)
            if said:
                said(cell)
    return done


def _copied(lesson: Path, place: Path) -> Path:
    """The lesson in a folder of its own, beside the files that it may read."""
    for name in companions(lesson.parent):
        target = place / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(lesson.parent / name, target)
    return Path(shutil.copyfile(lesson, place / lesson.name))


def _performed(lesson: Path, name: str) -> Iterator[Performance]:
    import nbclient
    import nbformat

    book = nbformat.convert(nbformat.reader.reads(lesson.read_text(encoding="utf-8")), 4)
    client = nbclient.NotebookClient(
        book, timeout=PATIENCE, allow_errors=True, resources={"metadata": {"path": str(lesson.parent)}}
    )
    with started(client, name):
        yield from _played(client, book.cells)


def _played(client: Any, cells: Sequence[Any]) -> Iterator[Performance]:
    """Every cell that has something to run, then the scenes."""
    undrawn: set[str] = set()
    staged: list[tuple[Performance, list[str]]] = []
    for number, cell in enumerate(cells):
        if cell.cell_type != "code" or not cell.source.strip():
            continue
        one, dead = _one(client, number, cell, undrawn)
        yield one
        if dead:
            return
        if models := with_scenes(client, {name for _, names in staged for name in names}):
            staged.append((one, models))
        elif _has_scenes(cell):
            staged.append((one, []))
    for one, models in staged:
        yield _staged(client, one, models)


def _one(client: Any, number: int, cell: Any, undrawn: set[str]) -> tuple[Performance, bool]:
    """One cell's performance, and whether the kernel died of it."""
    from nbclient.exceptions import CellTimeoutError, DeadKernelError

    began, dead, problems = time.perf_counter(), False, list[str]()
    as_in_jupyterlab(client, cell)
    try:
        client.execute_cell(cell, number)
    except DeadKernelError:
        dead, problems = True, ["the kernel died; the cells after it were not rehearsed"]
    except CellTimeoutError:
        dead, problems = True, [f"it ran for more than {PATIENCE} s; the cells after it were not rehearsed"]
    seconds = time.perf_counter() - began
    if not dead:
        problems = [*_failures(cell), *_undrawn(client, cell, undrawn)]
    first = next((line for line in cell.source.splitlines() if line.strip()), "")
    return Performance(number + 1, first.strip(), seconds, tuple(problems)), dead


def _staged(client: Any, cell: Performance, models: list[str]) -> Performance:
    """How the scenes of a cell's pictures went."""
    began = time.perf_counter()
    count, problems = play_scenes(client, models)
    if not models:
        count, problems = 1, ["it has scenes, and they are of no picture that it shows"]
    return Performance(
        cell.number, f"scenes of {cell.line}", time.perf_counter() - began, tuple(problems), count
    )


def _has_scenes(cell: Any) -> bool:
    settings = cell.metadata.get("tensorkit")
    return isinstance(settings, dict) and bool(settings.get("scenes"))


def _failures(cell: Any) -> list[str]:
    """An exception that was not meant, or one that was and did not come."""
    meant = "raises-exception" in cell.metadata.get("tags", ())
    raised = [out for out in cell.outputs if out.output_type == "error"]
    if meant:
        return [] if raised else ["it was meant to fail, and did not"]
    return [
        f"{out.ename}: {str(out.evalue).splitlines()[0] if out.evalue else ''}".rstrip(": ") for out in raised
    ]


def _undrawn(client: Any, cell: Any, known: set[str]) -> list[str]:
    """Pictures of any cell that cannot be drawn since this cell ran."""
    found = []
    for number, state in client.widget_state.items():
        reason = _reason(state)
        if reason and number not in known:
            known.add(number)
            found.append(reason)
        elif not reason:
            known.discard(number)
    for out in cell.outputs:
        data = out.get("data", {})
        words = "" if "application/vnd.jupyter.widget-view+json" in data else str(data.get("text/plain", ""))
        if _UNDRAWN in words and not any(reason in words for reason in found):
            found.append(words.splitlines()[0])
    return found


def _reason(state: Mapping[str, Any]) -> str:
    frame = state.get("frame")
    reason = frame.get("reason") if isinstance(frame, dict) else None
    return reason if isinstance(reason, str) else ""
