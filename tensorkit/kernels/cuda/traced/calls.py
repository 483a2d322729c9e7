"""What kind of number a call gives back, found without making it: for `joins`, which looks at ways not taken."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from tensorkit.kernels.cuda.traced.arithmetic import FUNCTIONS, as_kind, joined_kind, kind_of
from tensorkit.kernels.cuda.traced.joins import Array, sample
from tensorkit.kernels.cuda.traced.machine_math import Converter
from tensorkit.kernels.cuda.traced.memory import TracedArray, TracedPointer
from tensorkit.kernels.cuda.traced.records import Records

_WHOLE = frozenset({
    "len", "syncthreads_count", "syncthreads_and", "syncthreads_or", "activemask", "ballot_sync", "lanemask_lt", "popc",
    "clz", "ffs", "match_any_sync", "all_sync", "any_sync", "eq_sync",
})  # fmt: skip
_ATOMIC = frozenset({
    "add", "sub", "max", "min", "nanmax", "nanmin", "and_", "or_", "xor", "inc", "dec", "exch", "cas",
    "compare_and_swap",
})  # fmt: skip
_SHUFFLES = frozenset({"shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync"})


def facts(value: Any) -> Any:
    """A kernel's argument, as far as the kinds of its numbers go: a sample of it."""
    kind = kind_of(value)
    if kind:
        return sample(kind)
    if isinstance(value, TracedArray):
        return Array(value.dtype.name, value.ndim)
    if isinstance(value, TracedPointer):
        return Array(value.array.dtype.name, 1)
    if isinstance(value, numpy.ndarray):
        return Array(value.dtype.name, value.ndim)
    if isinstance(value, Records):
        return None
    if isinstance(value, tuple) and not isinstance(value, Array):
        return value._make(map(facts, value)) if hasattr(value, "_make") else tuple(map(facts, value))
    return value


def _of_numbers(function: Callable[..., Any], given: list[Any]) -> Any:
    """A sample of what a function of numbers alone makes of them."""
    if not all(map(kind_of, given)):
        return None
    with numpy.errstate(all="ignore"):
        found = function(*given)
    return tuple(map(facts, found)) if isinstance(found, tuple) else facts(found)


def result_of(function: Any, given: list[Any]) -> Any:
    """A sample of what a call gives back; None where that is unknown."""
    name = getattr(function, "__name__", "")
    module = getattr(function, "__module__", "") or ""
    if (
        isinstance(function, Converter)
        or function in FUNCTIONS.values()
        or module.endswith((".machine_math", ".names.libdevice"))
    ):
        return _of_numbers(function, given)
    if function is range:
        return range(1)
    if function is bool:
        return True
    if name in _WHOLE:
        return 1
    if not module.endswith(".stand_in"):
        return None
    if name in ("grid", "gridsize"):
        return 1 if given[0] == 1 else (1,) * given[0]
    if name in ("_shared_array", "_local_array"):
        kind = numpy.dtype(getattr(given[1], "name", given[1])).name
        return Array(kind, len(given[0]) if isinstance(given[0], tuple) else 1)
    if name == "_constant":
        return facts(given[0])
    if name in _ATOMIC and isinstance(given[0], Array):
        return sample(given[0].kind)
    if name in _SHUFFLES:
        return given[1]
    if name == "selp":
        return as_kind(joined_kind(*map(kind_of, given[1:3])), given[1])
    return _of_numbers(function, given) if name in ("fma", "cbrt", "brev") else None
