"""Runs of equal numbers in sorted rows, compiled: the mode is the element of the longest."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit.kernels.cpu.sorting.sort_compiled import over_rows
from tensorkit.kernels.jit.compiler import Loop
from tensorkit.kernels.sizes import LOOPS_AT_ONCE

Array = numpy.ndarray[Any, Any]


def _longest(v, found):  # type: ignore[no-untyped-def]
    for i in range(v.shape[0]):
        row = v[i]
        most, start = 0, 0
        for j in range(row.size):
            if j + 1 == row.size or row[j + 1] != row[j]:
                if j + 1 - start > most:
                    most = j + 1 - start
                    found[i] = j
                start = j + 1


_runs = Loop(_longest, tuple(f"void({k}[:,::1],i8[::1])" for k in ("i4", "i8", "f8")))


def ends_of_longest(ranged: Array) -> Array | None:
    """Where the first of the longest runs of equal numbers in each row ends."""
    fast: Any = _runs.compiled() if ranged.size >= LOOPS_AT_ONCE and ranged.itemsize <= 8 else None
    if fast is None:
        return None
    if ranged.dtype.char not in "ild":
        wide = numpy.float64 if ranged.dtype.kind not in "biu" else numpy.int64
        ranged = ranged.astype(numpy.int32 if wide is numpy.int64 and ranged.itemsize < 4 else wide)
    found = numpy.empty(len(ranged), numpy.int64)
    over_rows(lambda a, b: fast(ranged[a:b], found[a:b]), ranged.shape)
    return found
