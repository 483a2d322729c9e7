"""Sorting and searching by kernels of the kit's own."""

from __future__ import annotations

from tensorkit.kernels.cuda.sorting.launch import (
    choose_middle,
    choose_mode,
    make_keys,
    mark_runs,
    search,
    sort_rows,
    sum_segments,
)

__all__ = [
    "choose_middle",
    "choose_mode",
    "make_keys",
    "mark_runs",
    "search",
    "sort_rows",
    "sum_segments",
]
