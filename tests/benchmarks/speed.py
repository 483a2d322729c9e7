"""Operations side by side with PyTorch, and NumPy where it has them: sizes from one element to ten million.

Every operation is a line of code that runs under each library, on tensors ``a``, ``b``, ``m`` … of four layouts. A cell
is one operation, layout and size: its values are the medians over the rounds of ours ÷ PyTorch's, with one thread on
either side and with all.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import geometric_mean, median
from typing import Any

import numpy

import tensorkit
from tests.benchmarks.measure import (
    ROUNDS,
    Row,
    benchmark,
    by_turns,
    duration,
    on_threads,
    require_torch,
    side,
)

SIZES = {1: (1, 1), 1_000: (40, 25), 100_000: (400, 250), 1_000_000: (1000, 1000), 10_000_000: (4000, 2500)}
LAYOUTS = ("contiguous", "transposed", "sliced", "broadcast")
#: Of so many elements a round takes long: the first two of the layouts will do.
LARGE, FEW_LAYOUTS = 10_000_000, 2
GOAL, LOOSE = 1.3, 1.6
_SECONDS = 1.0  # of a cell's rounds
_SLOWEST = 10


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
    """What one operation, layout and size took, with so many threads."""

    ratio: float
    ours: float
    theirs: float
    numpy: float | None

    def told(self) -> str:
        text = f"tensorkit {duration(self.ours)}, PyTorch {duration(self.theirs)}"
        return text if self.numpy is None else f"{text}, NumPy {duration(self.numpy)}"


#: The cells of one operation by the number of threads.
Cells = dict[int, Cell]


def _cell(code: str, in_numpy: str, arrays: dict[str, Any], torch: Any) -> Cell:
    """One cell; NumPy's code is left out where there is none."""
    arrays = _used((code, in_numpy), arrays)
    sides = [side(code, _under(library, arrays)) for library in (tensorkit, torch)]
    if in_numpy:
        draw = numpy.random.default_rng(0)
        sides.append(side(in_numpy, {"np": numpy, "r": draw, **_under_numpy(arrays)}))
    ours, theirs, *others = by_turns(sides, ROUNDS, _SECONDS)
    ratio = median([one / two for one, two in zip(ours, theirs, strict=True)])
    return Cell(ratio, median(ours), median(theirs), median(others[0]) if others else None)


def _under_numpy(arrays: dict[str, Any]) -> dict[str, Any]:
    return {k: _copied(v) if isinstance(v, numpy.ndarray) else v for k, v in arrays.items()}


def _used(codes: tuple[str, str], arrays: dict[str, Any]) -> dict[str, Any]:
    """The operands that a code speaks of: those of ten million elements take a while to copy."""
    names = {name for code in codes if code for name in compile(code, "", "exec").co_names}
    return {name: value for name, value in arrays.items() if name in names}


def _counts() -> tuple[int, ...]:
    """The numbers of threads to measure with: one, and as many as the libraries begin with."""
    return tuple(sorted({1, tensorkit.get_num_threads()}))


def places() -> list[tuple[str, str, int]]:
    """Every cell's operation, layout and size, in the order of the table."""
    return [
        (name, layout, size)
        for layout in LAYOUTS
        for name, case in CASES.items()
        for size in SIZES
        if LAYOUTS.index(layout) < (case.layouts if size < LARGE else min(case.layouts, FEW_LAYOUTS))
        and size <= case.largest
    ]


def cells(torch: Any, counts: tuple[int, ...]) -> dict[tuple[str, str, int], Cells]:
    """Every cell, with each number of threads; NumPy has but one, and is measured beside one.

    The operands of a layout and size are made once for all operations.
    """
    found: dict[tuple[str, str, int], Cells] = {place: {} for place in places()}
    for layout in LAYOUTS:
        for size, shape in SIZES.items():
            here = [place for place in found if place[1:] == (layout, size)]
            arrays = _arrays(layout, shape) if here else {}
            for count in counts:
                with on_threads(torch, count):
                    for place in here:
                        case = CASES[place[0]]
                        found[place][count] = _cell(
                            case.code, case.numpy if count == 1 else "", arrays, torch
                        )
            gc.collect()
    return found


def _linear(torch: Any, counts: tuple[int, ...]) -> Iterator[Row]:
    """Products and decompositions; NumPy's have as many threads as the others."""
    for n in SQUARE:
        arrays = _matrices(n)
        found: dict[str, Cells] = {name: {} for name in LINEAR}
        for count in counts:
            with on_threads(torch, count):
                for name, (code, in_numpy) in LINEAR.items():
                    found[name][count] = _cell(code, in_numpy, arrays, torch)
        for name, its in found.items():
            yield _row(f"{name}, {n} × {n}", its, LINEAR_GOAL)


# -- the table ----------------------------------------------------------------------------------------------------


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


def _row(name: str, its: Cells, goal: float, alone: Cells | None = None) -> Row:
    """A line of the table, with the times of a cell and what they say of a goal that is missed."""
    told = []
    for count, cell in its.items():
        said = account(cell, goal, alone[count] if alone else None) if cell.ratio > goal else ""
        told.append(f"{_threads(count)}: {cell.told()}{f' ({said})' if said else ''}")
    return _compared(name, [cell.ratio for cell in its.values()], "; ".join(told), goal)


def _compared(name: str, ratios: list[float], told: str, goal: float) -> Row:
    """A row of the ratios with one thread and, where there are several, with all."""
    return Row(name, ratios[0], "× PyTorch", told, goal, ratios[-1] if len(ratios) > 1 else None)


def _threads(count: int) -> str:
    """How many, in words.

    >>> _threads(1), _threads(2)
    ('1 thread', '2 threads')
    """
    return f"{count} thread{'s' if count > 1 else ''}"


def rows(found: dict[tuple[str, str, int], Cells]) -> Iterator[Row]:
    """A row for every cell."""
    for (name, layout, size), its in found.items():
        alone = found.get((name, layout, 1)) if size > 1 else None
        goal = CASES[name].goal if size > 1 else 3.0
        yield _row(f"{name}, {layout}, {size:,}", its, goal, alone)


def summary(found: dict[tuple[str, str, int], Cells]) -> Iterator[Row]:
    """The geometric means, by size and of all that have a thousand elements and more."""
    sizes = {place[2] for place in found}
    kinds = {f"{size:,}": {size} for size in SIZES if size in sizes}
    for kind, among in ({"a thousand elements and more": sizes - {1}} | kinds).items():
        ratios: dict[int, list[float]] = {}
        for place, its in found.items():
            for count, cell in its.items():
                if place[2] in among:
                    ratios.setdefault(count, []).append(cell.ratio)
        if not ratios:
            continue
        told = "; ".join(f"{_threads(count)}: the slowest {max(r):.2f}" for count, r in ratios.items())
        many = len(next(iter(ratios.values())))
        means = [geometric_mean(r) for r in ratios.values()]
        yield _compared(f"geometric mean, {kind}", means, f"{many} cells; {told}", 1.0)


@benchmark("Operations by size and layout")
def speed() -> Iterator[Row]:
    torch, counts = require_torch(), _counts()
    found = cells(torch, counts)
    yield from summary(found)
    every = list(rows(found))
    for row in sorted(every, key=lambda row: -max(row.values))[:_SLOWEST]:
        yield Row(f"slowest: {row.name}", row.value, row.unit, row.detail, None, row.threaded)
    yield from every
    yield from _linear(torch, counts)
