"""Operations side by side with PyTorch, and NumPy where it has them: sizes from one element to ten million.

Every operation is a line of code that runs under each library, on tensors ``a``, ``b``, ``m`` … of four layouts. A cell
is one operation, layout and size: its value is the median over the rounds of ours ÷ PyTorch's, both on as many threads.
"""

from __future__ import annotations

import gc
import os
import time
import timeit
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import geometric_mean, median
from typing import Any

import numpy

import tensorkit
from tensorkit.kernels import compiled
from tests.benchmarks.measure import Row, Skip, benchmark, duration

__all__ = [
    "CASES", "LAYOUTS", "LINEAR", "REASONS", "SIZES", "SQUARE", "account", "accounted", "explained", "reason", "speed",
]  # fmt: skip

SIZES = {1: (1, 1), 1_000: (40, 25), 1_000_000: (1000, 1000), 10_000_000: (4000, 2500)}
LAYOUTS = ("contiguous", "transposed", "sliced", "broadcast")
ROUNDS = 9
_ROUND_SECONDS = 0.001
# PyTorch's threads spin for about 9 ms after their last piece of work, waiting for more (measured: the processor time
# that a process takes while it sleeps). Who uses one library never meets that; the side that comes next would.
_REST = 0.015
GOAL, LOOSE = 1.3, 1.6


@dataclass(frozen=True)
class Case:
    """An operation to time.

    Attributes:
        code: under tensorkit and PyTorch, both called ``tk``.
        numpy: the same under NumPy, called ``np``; "" where it has none.
        layouts: how many of `LAYOUTS` apply, from the left: 1, 3 or 4.
        largest: the largest of `SIZES` to try.
        goal: the most that a cell of a thousand elements and more may be.
    """

    code: str
    numpy: str = ""
    layouts: int = 3
    largest: int = 10_000_000
    goal: float = GOAL


CASES = {
    "add": Case("a + b", "a + b", 4),
    "sub": Case("a - b", "a - b", 4),
    "mul": Case("a * b", "a * b", 4),
    "div": Case("a / b", "a / b", 4),
    "add a number": Case("a + 1.5", "a + np.float32(1.5)"),
    "add in place": Case("a.add_(b)", "np.add(a, b, out=a)"),
    "add with out=": Case("tk.add(a, b, out=o)", "np.add(a, b, out=o)"),
    "add with alpha=": Case("tk.add(a, b, alpha=0.5)"),
    "pow 2": Case("a ** 2", "a ** 2"),
    "maximum": Case("tk.maximum(a, b)", "np.maximum(a, b)", 4),
    "lt": Case("a < b", "a < b", 4),
    "eq a number": Case("a == 0.5", "a == np.float32(0.5)"),
    "where": Case("tk.where(m, a, b)", "np.where(m, a, b)", 4),
    "addcmul": Case("tk.addcmul(a, b, b)"),
    "lerp": Case("tk.lerp(a, b, 0.3)"),
    "neg": Case("-a", "-a"),
    "abs": Case("a.abs()", "np.abs(a)"),
    "sqrt": Case("p.sqrt()", "np.sqrt(p)"),
    "rsqrt": Case("p.rsqrt()"),
    "exp": Case("a.exp()", "np.exp(a)"),
    "log": Case("p.log()", "np.log(p)"),
    "sin": Case("a.sin()", "np.sin(a)"),
    "tanh": Case("a.tanh()", "np.tanh(a)"),
    "sigmoid": Case("a.sigmoid()"),
    "erf": Case("a.erf()", goal=LOOSE),
    "relu": Case("a.relu()", "np.maximum(a, np.float32(0))"),
    "clamp": Case("a.clamp(-0.5, 0.5)", "np.clip(a, np.float32(-0.5), np.float32(0.5))"),
    "floor": Case("a.floor()", "np.floor(a)"),
    "round": Case("a.round()", "np.round(a)"),
    "sign": Case("a.sign()", "np.sign(a)"),
    "isnan": Case("a.isnan()", "np.isnan(a)"),
    "nan_to_num": Case("a.nan_to_num()", "np.nan_to_num(a)"),
    "to float64": Case("a.double()", "a.astype(np.float64)"),
    "to int64": Case("a.long()", "a.astype(np.int64)"),
    "clone": Case("a.clone()", "a.copy()"),
    "contiguous": Case("a.contiguous().add_(0)"),
    "copy_": Case("o.copy_(a)", "np.copyto(o, a)"),
    "fill_": Case("o.fill_(2.0)", "o.fill(2.0)", 1),
    "cat": Case("tk.cat((a, b))", "np.concatenate((a, b))"),
    "flip": Case("a.flip(0)", "np.flip(a, 0).copy()"),
    "roll": Case("a.roll(3, 0)", "np.roll(a, 3, 0)"),
    "repeat": Case("a[:, :1].repeat(1, 8)", "np.tile(a[:, :1], (1, 8))"),
    "tril": Case("a.tril()", "np.tril(a)"),
    "sum": Case("a.sum()", "a.sum()"),
    "sum of columns": Case("a.sum(0)", "a.sum(0)"),
    "sum of rows": Case("a.sum(1)", "a.sum(1)"),
    "mean of rows": Case("a.mean(1)", "a.mean(1)"),
    "var": Case("a.var()", "a.var(ddof=1)"),
    "std of rows": Case("a.std(1)", "a.std(1, ddof=1)"),
    "norm": Case("a.norm()", "np.linalg.norm(a)"),
    "max": Case("a.max()", "a.max()"),
    "amax of columns": Case("a.amax(0)", "a.max(0)"),
    "argmax": Case("a.argmax()", "a.argmax()"),
    "argmax of rows": Case("a.argmax(1)", "a.argmax(1)"),
    "any": Case("m.any()", "m.any()"),
    "count_nonzero": Case("m.count_nonzero()", "np.count_nonzero(m)"),
    "cumsum": Case("a.cumsum(1)", "a.cumsum(1)"),
    "cumsum of columns": Case("a.cumsum(0)", "a.cumsum(0)"),
    "softmax": Case("a.softmax(1)", goal=LOOSE),
    "log_softmax": Case("a.log_softmax(1)", goal=LOOSE),
    "logsumexp": Case("a.logsumexp(1)"),
    "sort": Case("a.sort(1)", "np.sort(a, 1)", 1, 1_000_000),
    "argsort": Case("v.argsort()", "v.argsort()", 1, 1_000_000),
    "topk": Case("a.topk(1, 1)", "", 1),
    "unique": Case("w.unique()", "np.unique(w)", 1, 1_000_000),
    "gather": Case("a.gather(1, j)", "np.take_along_axis(a, j, 1)"),
    "index_select": Case("a.index_select(0, i)", "np.take(a, i, 0)"),
    "a[i]": Case("v[k]", "v[k]", 1),
    "a[mask]": Case("a[m]", "a[m]"),
    "masked_fill": Case("a.masked_fill(m, 0.0)", "np.where(m, np.float32(0), a)"),
    "a[mask] = 0": Case("a[m] = 0.0", "a[m] = 0"),
    "nonzero": Case("m.nonzero()", "np.argwhere(m)"),
    "scatter_add": Case("o.scatter_add(1, j, a)", "", 1),
    "index_add": Case("o.index_add(0, i, a)", "", 1),
    "bincount": Case("w.bincount()", "np.bincount(w)", 1),
    "searchsorted": Case("tk.searchsorted(s, v)", "np.searchsorted(s, v)", 1, 1_000_000),
    "zeros": Case("tk.zeros(n)", "np.zeros(n, np.float32)", 1),
    "arange": Case("tk.arange(n)", "np.arange(n)", 1),
    "rand": Case("tk.rand(n)", "r.random(n, np.float32)", 1),
    "randn": Case("tk.randn(n)", "r.standard_normal(n, np.float32)", 1),
    "randperm": Case("tk.randperm(n)", "r.permutation(n)", 1, 1_000_000),
}

SQUARE = (50, 500, 2000)
LINEAR = {
    "matmul": ("x @ y", "x @ y"),
    "bmm": ("tk.bmm(xs, ys)", "xs @ ys"),
    "mv": ("x @ c", "x @ c"),
    "solve": ("tk.linalg.solve(x, y)", "np.linalg.solve(x, y)"),
    "svd": ("tk.linalg.svd(x)", "np.linalg.svd(x)"),
    "eigh": ("tk.linalg.eigh(h)", "np.linalg.eigh(h)"),
    "qr": ("tk.linalg.qr(x)", "np.linalg.qr(x)"),
}
LINEAR_GOAL = 1.2

_CALL_ALONE = "whatever the size: without it the goal is met"
_NUMPY_TOO = "NumPy's own function takes as long"
_CALLS = (
    "what a call costs in Python beside NumPy's own half microsecond: from a third of a microsecond for row-major "
    "tensors to two for three operands or a view, of which NumPy has to be given dense copies; PyTorch's whole call "
    "takes one to two. At a million, both threads of PyTorch begin at once, and our second is handed Python's lock "
    "first, which takes 15 µs, or is woken, which takes 40"
)
_SUMS = (
    "NumPy needs one to two microseconds for a reduction before it adds anything, a compiled loop one to be called, "
    "and the steps in Python before either one to two more, where PyTorch's whole call takes two; exponentials take "
    "twice as long as its own"
)
_ORDER = (
    "ties come out in PyTorch's order, so keys are made of the elements and moved together with their places: "
    "three calls of compiled loops, of a microsecond before each begins, where PyTorch makes one pass"
)
_PLACES = (
    "keys are checked before anything is read or written, so that nothing is left half done: a pass of NumPy's over "
    "them, as long as PyTorch's whole call at a thousand elements"
)
_COPIES = (
    "NumPy copies and fills by way of the cache, which PyTorch's stores pass by, and rows that lie apart one by one; "
    "at a thousand elements, a call's cost in Python"
)
_HOUR = (
    "PyTorch takes 60 to 130 µs for such a call of a million elements in one minute and 450 to 550 in the next, as its "
    "second thread is awake or not; measured again, this tree and that of the table before it take the same"
)
_LAPACK = "NumPy's and SciPy's OpenBLAS against PyTorch's MKL: NumPy alone misses the goal"
_UNKNOWN = "28 µs against 18 of NumPy's own product and one of the call: where the rest goes is not found out"

#: Why cells are above their goals, in one sentence, by what their names begin with: every such cell of the committed
#: table must have a reason here, and every reason such a cell (`tests/benchmarks/test_report.py`).
REASONS: dict[str, str] = {
    "import tensorkit": "six times as many operations are declared as when the goal was set",
    "a graph's step, median": "95 to 119 ms in this day's tables: as much of the machine's hour as of the code",
    "sub,": _HOUR,
    "add with out=,": _HOUR,
    "maximum,": _HOUR,
    "mul,": _HOUR,
    "neg,": _HOUR,
    "sin,": _HOUR,
    "clamp,": _HOUR,
    "lt,": _HOUR,
    "clone,": _COPIES,
    "cat,": _COPIES,
    "max,": _HOUR,
    "amax of columns,": _HOUR,
    "z.softmax(1)": "the slowest of the calls on one element, within 1 % of its goal on either side",
    "add with alpha=,": _CALLS,
    "addcmul,": _CALLS,
    "lerp,": _CALLS,
    "sigmoid,": _CALLS,
    "floor,": _CALLS,
    "to float64,": _HOUR,
    "to int64,": _HOUR,
    "logsumexp,": _SUMS,
    "index_add,": _PLACES,
    "scatter_add,": _PLACES,
    "contiguous,": _COPIES,
    "mv,": _UNKNOWN,
    "svd,": "measured alone it is 25 µs beside the 260 of NumPy's own function; what a rest adds is not found out",
}


def reason(name: str) -> str:
    """Why the cell of that name is above its goal; "" if nobody knows."""
    return next((text for start, text in REASONS.items() if name.startswith(start)), "")


def accounted(row: Row) -> bool:
    """Whether the times of a row tell by themselves why its goal is missed."""
    return _CALL_ALONE in row.detail or _NUMPY_TOO in row.detail


def explained(row: Row) -> Row:
    """A row beyond its goal with the reason that was found out, where its times do not tell it."""
    why = reason(row.name) if row.missed and not accounted(row) else ""
    detail = f"{row.detail}. {why}" if why and why not in row.detail else row.detail
    return Row(row.name, row.value, row.unit, detail, row.goal)


# -- operands -----------------------------------------------------------------------------------------------------


def _laid_out(layout: str, make: Callable[[tuple[int, int]], Any], size: tuple[int, int]) -> Any:
    rows, columns = size
    if layout == "transposed":
        return make((columns, rows)).T
    if layout == "sliced":
        return make((2 * rows, columns + 1))[::2, 1:]
    return make(size)


def _arrays(layout: str, size: tuple[int, int]) -> dict[str, Any]:
    """NumPy arrays by the names that the codes use."""
    draw = numpy.random.default_rng(0)
    rows, columns = size
    of_a, of_b = ((rows, 1), (1, columns)) if layout == "broadcast" else (size, size)

    def numbers(shape: tuple[int, int]) -> Any:
        return draw.standard_normal(shape, numpy.float32)

    a, b = _laid_out(layout, numbers, of_a), _laid_out(layout, numbers, of_b)
    flat = draw.standard_normal(rows * columns, numpy.float32)
    return {
        "a": a,
        "b": b,
        "o": numpy.zeros(size, numpy.float32),
        "p": _laid_out(layout, lambda shape: draw.random(shape, numpy.float32) + numpy.float32(0.1), of_a),
        "m": _laid_out(layout, lambda shape: draw.random(shape, numpy.float32) < 0.3, of_a),
        "v": flat,
        "s": numpy.sort(flat[: max(1, flat.size // 100)]),
        "w": draw.integers(0, 1000, flat.size),
        "k": draw.integers(0, flat.size, flat.size),
        "i": draw.permutation(rows),
        "j": draw.integers(0, columns, size),
        "n": rows * columns,
    }


def _matrices(n: int) -> dict[str, Any]:
    draw = numpy.random.default_rng(0)
    x, y = (draw.standard_normal((n, n), numpy.float32) for _ in range(2))
    few = max(1, 2000 // n)
    xs, ys = (draw.standard_normal((few, n, n), numpy.float32) for _ in range(2))
    return {"x": x, "y": y, "h": x + x.T, "c": y[0].copy(), "xs": xs, "ys": ys}


def _under(library: Any, arrays: dict[str, Any]) -> dict[str, Any]:
    """The operands as tensors of a library, each with memory of its own, laid out alike."""
    names = {
        k: library.from_numpy(_copied(v)) if isinstance(v, numpy.ndarray) else v for k, v in arrays.items()
    }
    return {"tk": library, **names}


def _copied(array: Any) -> Any:
    base = array if array.base is None else array.base
    if base.shape == array.shape and base.strides == array.strides:
        return array.copy()
    own = base.copy()
    start = array.__array_interface__["data"][0] - base.__array_interface__["data"][0]
    return numpy.ndarray(array.shape, array.dtype, own, start, array.strides)


# -- cells --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cell:
    """What one operation, layout and size took."""

    ratio: float
    ours: float
    theirs: float
    numpy: float | None

    def told(self) -> str:
        text = f"{self.ratio:.2f} (tensorkit {duration(self.ours)}, PyTorch {duration(self.theirs)}"
        return text + (")" if self.numpy is None else f", NumPy {duration(self.numpy)})")


def _timer(code: str, names: dict[str, Any], clock: Callable[[], float], rest: bool) -> Callable[[], float]:
    timer = timeit.Timer(code, timer=clock, globals=names)
    once = min(timer.timeit(1) for _ in range(3))
    count = max(1, int(_ROUND_SECONDS / max(once, 1e-7)))

    def turn() -> float:
        if rest:
            time.sleep(_REST)
        if once < 0.05:
            timer.timeit(1)  # what the other side left in the caches does not count
        return timer.timeit(count) / count

    return turn


def _cell(
    codes: tuple[str, str],
    arrays: dict[str, Any],
    torch: Any,
    clock: Callable[[], float],
    rounds: int,
    threads: bool,
) -> Cell:
    """One cell of the table; ``threads`` says that the libraries share its work among several."""
    code, in_numpy = codes
    sides = [_timer(code, _under(library, arrays), clock, threads) for library in (tensorkit, torch)]
    if in_numpy:
        draw = numpy.random.default_rng(0)
        sides.append(_timer(in_numpy, {"np": numpy, "r": draw, **_under_numpy(arrays)}, clock, threads))
    times: list[list[float]] = [[] for _ in sides]
    for number in range(rounds):
        for which in range(len(sides)) if number % 2 else reversed(range(len(sides))):
            times[which].append(sides[which]())
    ratio = median([one / two for one, two in zip(times[0], times[1], strict=True)])
    return Cell(ratio, median(times[0]), median(times[1]), median(times[2]) if in_numpy else None)


def _under_numpy(arrays: dict[str, Any]) -> dict[str, Any]:
    return {k: _copied(v) if isinstance(v, numpy.ndarray) else v for k, v in arrays.items()}


# -- the table ----------------------------------------------------------------------------------------------------


_SHARED = 1_000_000  # from this size of `SIZES` on, the work of one call is shared among threads


def _rounds(size: int) -> int:
    return ROUNDS if size >= _SHARED else 3 * ROUNDS


def _cells(torch: Any) -> Iterator[tuple[str, Case, dict[int, Cell]]]:
    """Every operation and layout, with a cell for each size."""
    clock = time.perf_counter
    for layout in LAYOUTS:
        found: dict[str, dict[int, Cell]] = {}
        for size, shape in SIZES.items():  # the operands of a size are made once for all operations
            arrays = _arrays(layout, shape)
            for name, case in CASES.items():
                if LAYOUTS.index(layout) < case.layouts and size <= case.largest:
                    codes = (case.code, case.numpy)
                    used = _used(codes, arrays)
                    cell = _cell(codes, used, torch, clock, _rounds(size), size >= _SHARED)
                    found.setdefault(name, {})[size] = cell
            gc.collect()
        for name, cells in found.items():
            yield f"{name}, {layout}", CASES[name], cells


def _used(codes: tuple[str, str], arrays: dict[str, Any]) -> dict[str, Any]:
    """The operands that a code speaks of: those of ten million elements take a while to copy."""
    names = {name for code in codes if code for name in compile(code, "", "exec").co_names}
    return {name: value for name, value in arrays.items() if name in names}


def _linear(torch: Any) -> Iterator[Row]:
    for n in SQUARE:
        arrays = _matrices(n)
        for name, codes in LINEAR.items():
            used = _used(codes, arrays)
            rounds = ROUNDS if n < 1000 or name not in ("svd", "eigh") else 3
            cell = _cell(codes, used, torch, time.perf_counter, rounds, threads=True)
            told = _accounted(cell, LINEAR_GOAL)
            yield Row(f"{name}, {n} × {n}", cell.ratio, "× PyTorch", told, LINEAR_GOAL)


def account(cell: Cell, goal: float, one: Cell | None = None) -> str:
    """What the measured times themselves say of a goal that is missed; "" where they do not explain it.

    Args:
        one: the same operation on one element, which takes little but the call.

    >>> slow = Cell(ratio=2.0, ours=4e-6, theirs=2e-6, numpy=None)
    >>> account(slow, 1.3, Cell(1.5, 3e-6, 2e-6, None))
    'a call takes 3.00 µs whatever the size: without it the goal is met'
    >>> account(Cell(2.0, 4e-3, 2e-3, 3.9e-3), 1.3)
    "NumPy's own function takes as long"
    """
    if one is not None and cell.ours - one.ours <= goal * cell.theirs:
        return f"a call takes {duration(one.ours)} {_CALL_ALONE}"
    return _NUMPY_TOO if cell.numpy is not None and cell.numpy >= 0.9 * cell.ours else ""


def _accounted(cell: Cell, goal: float, one: Cell | None = None) -> str:
    """The times of a cell, and what they say of a goal that is missed."""
    said = account(cell, goal, one) if cell.ratio > goal else ""
    return f"{cell.told()}. {said}" if said else cell.told()


@benchmark("Operations by size and layout")
def speed() -> Iterator[Row]:
    try:
        import torch
    except ImportError as error:
        raise Skip("PyTorch is not installed (make bench PARITY=1 installs it)") from error
    threads = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else torch.get_num_threads()
    torch.set_num_threads(threads)  # other benchmarks of this run want but one
    tensorkit.set_num_threads(threads)
    compiled.wait()
    rows: list[Row] = []
    ratios: dict[int, list[float]] = {size: [] for size in SIZES}
    for name, case, cells in _cells(torch):
        for size, cell in cells.items():
            ratios[size].append(cell.ratio)
            goal = case.goal if size > 1 else 3.0
            told = _accounted(cell, goal, cells[1] if size > 1 else None)
            rows.append(Row(f"{name}, {size:,}", cell.ratio, "× PyTorch", told, goal))
    whole = [ratio for size, found in ratios.items() if size > 1 for ratio in found]
    told = f"{len(whole)} cells, {threads} threads"
    yield Row("geometric mean, a thousand elements and more", geometric_mean(whole), "× PyTorch", told, 1.0)
    for size, found in ratios.items():
        told = f"{len(found)} cells, the slowest {max(found):.2f}"
        yield Row(f"geometric mean, {size:,}", geometric_mean(found), "× PyTorch", told, 1.0)
    yield from rows
    yield from _linear(torch)
