"""Programs of a few lines that lesson 22 asks about: as they are shown, and as they run on emulated devices."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any
from unittest import mock

import tensorkit as tk

__all__ = ["LATE", "TABLE", "WAITS", "Line", "lettered", "told_at"]

Names = dict[str, Any]
Line = tuple[str, Callable[[Names], object]]
"""A line of a program as it is shown, and what it does with the program's names."""

WAITS: tuple[Line, ...] = (
    ("y = x * 2", lambda its: its.update(y=its["x"] * 2)),
    ("print(y.shape)", lambda its: repr(its["y"].shape)),
    ("s = y.sum()", lambda its: its.update(s=its["y"].sum())),
    ("print(s.item())", lambda its: repr(its["s"].item())),
    ("z = y[y > 4]", lambda its: its.update(z=its["y"][its["y"] > 4])),
    ("print(z)", lambda its: repr(its["z"])),
)
LATE: tuple[Line, ...] = (
    ('x = tk.arange(5.0, device="cuda")', lambda its: its.update(x=tk.arange(5.0, device="cuda"))),
    ('i = tk.tensor([1, 99], device="cuda")', lambda its: its.update(i=tk.tensor([1, 99], device="cuda"))),
    ("y = x[i]", lambda its: its.update(y=its["x"][its["i"]])),
    ("z = y * 2", lambda its: its.update(z=its["y"] * 2)),
    ("print(z.shape)", lambda its: repr(its["z"].shape)),
    ("print(z)", lambda its: repr(its["z"])),
)
TABLE: tuple[Line, ...] = (
    ('table = tk.zeros(10, device="cuda")', lambda its: its.update(table=tk.zeros(10, device="cuda"))),
    (
        'index = tk.tensor([3, 10], device="cuda")',
        lambda its: its.update(index=tk.tensor([3, 10], device="cuda")),
    ),
    ("rows = table[index]", lambda its: its.update(rows=its["table"][its["index"]])),
    ("print(rows.shape)", lambda its: repr(its["rows"].shape)),
    ("total = rows.sum()", lambda its: its.update(total=its["rows"].sum())),
    ("half = total.item() / 2", lambda its: its.update(half=its["total"].item() / 2)),
)


def lettered(lines: tuple[Line, ...], marks: str) -> str:
    """The lines as a block of code, each behind its mark.

    >>> print(lettered(LATE[2:4], "34"))
        3  y = x[i]
        4  z = y * 2
    """
    return "\n".join(f"    {mark}  {text}" for mark, (text, _) in zip(marks, lines, strict=True))


def told_at(lines: tuple[Line, ...], *, blocking: bool = False) -> int:
    """The number of the line, counted from 1, at which the program hears of an error; 0 when it hears of none.

    >>> told_at(LATE), told_at(LATE, blocking=True), told_at(LATE[:-1])
    (6, 3, 0)
    """
    with mock.patch.dict(os.environ, CUDA_LAUNCH_BLOCKING="1" if blocking else "0"), tk.cuda.emulate():
        its: Names = {}
        for number, (_, act) in enumerate(lines, start=1):
            try:
                act(its)
            except Exception:
                return number
    return 0
