"""Whatever a picture prints of size, stride, offset, bytes or slots is what the library itself says."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit_widgets import (
    BoxedMemory,
    BroadcastExplorer,
    ImageView,
    IndexExplorer,
    MatmulExplorer,
    MemoryMap,
    ReductionExplorer,
    StrideExplorer,
    explain,
)
from tensorkit_widgets.widget.board import Board
from tests.widgets.printed import Truth, layout_of, wrong

Case = tuple[Board, Truth]


def arranged(*size: int, library: Any = tk) -> Any:
    """0, 1, 2, … in so many dimensions."""
    count = int(numpy.prod(size))
    if library is numpy:
        return numpy.arange(float(count)).reshape(size)
    return library.arange(float(count)).view(*size)


HARD: dict[str, Callable[[], Any]] = {
    "usual": lambda: arranged(3, 4),
    "windowed": lambda: arranged(60, 40),
    "transposed": lambda: arranged(60, 40).t(),
    "sliced": lambda: arranged(30, 40)[5:, ::3],
    "3d": lambda: arranged(4, 5, 6).transpose(0, 2),
    "folded": lambda: arranged(2, 3, 2, 3, 4)[1],
    "six": lambda: arranged(2, 2, 3, 2, 3, 4),
    "stride0": lambda: tk.arange(5.0).view(5, 1).expand(5, 7),
    "stride0_large": lambda: tk.arange(3.0).view(3, 1, 1).expand(3, 1500, 800),
    "large": lambda: arranged(1_500, 800),
    "long": lambda: tk.zeros(12_345_679)[12_345_600:],
    "empty": lambda: tk.zeros(3, 0),
    "row": lambda: arranged(40)[3::2],
    "one": lambda: tk.tensor(7.0),
    "bytes": lambda: tk.arange(60, dtype=tk.uint8).view(6, 10)[1:, 1:],
    "halves": lambda: tk.arange(12, dtype=tk.float16).view(3, 4).t(),
    "numpy": lambda: arranged(3, 4, library=numpy),
    "backwards": lambda: arranged(3, 4, library=numpy)[::-1, ::-2],
    "backwards_3d": lambda: arranged(4, 5, 6, library=numpy)[::-1, 1:, ::-1],
    "fortran": lambda: numpy.asfortranarray(arranged(14, 13, library=numpy)),
    "numpy_stride0": lambda: numpy.broadcast_to(numpy.arange(4.0), (3, 4)),
    "numpy_empty": lambda: numpy.zeros((0, 3)),
}


@contextmanager
def open_of(case: Case) -> Iterator[Case]:
    try:
        yield case
    finally:
        case[0].close()


def lies(case: Case) -> list[str]:
    with open_of(case) as (board, truth):
        return wrong(board, truth)


# ---- one tensor


def stride(t: Any) -> Case:
    return StrideExplorer(t, name="t"), Truth({"t": t}, strips={"s": t})


def stride_chain(t: Any) -> Case:
    """A view, and a view of it."""
    code = ".T" if isinstance(t, numpy.ndarray) else ".movedim(0, -1)" if t.dim() else ".unsqueeze(0)"
    board = StrideExplorer(t, code, name="t")
    return board, Truth({"t": board.result}, (t,), strips={"s": t})


def indexed(code: str, index: Callable[[Any], Any]) -> Callable[[Any], Case]:
    """An index as text, and as the library takes it."""

    def made(t: Any) -> Case:
        try:
            result = index(t)
        except (IndexError, RuntimeError):
            result = None
        board = IndexExplorer(t, code, name="t")
        assert (board.status == "refused") == (result is None), board.error
        return board, Truth({"t": t} | ({} if result is None else {"r": result}), strips=_strips(t, result))

    return made


def _strips(t: Any, result: Any) -> dict[str, Any]:
    return {"s": t} if result is None else {"s": t, "c": result}


def reduced(t: Any) -> Case:
    try:
        result = t.sum(0) if not isinstance(t, numpy.ndarray) else numpy.sum(t, axis=0)
    except (IndexError, RuntimeError, ValueError):
        return ReductionExplorer(t, "sum", 0, name="t"), Truth({"t": t})
    board = ReductionExplorer(t, "sum", 0, name="t")
    if board.status == "unknown":
        board._heard(None, {"kind": "compute"}, [])
    return board, Truth({"t": t, "r": result})


def broadcast(t: Any) -> Case:
    """With a column of its own: a size of 1 meets every size."""
    numpyish = isinstance(t, numpy.ndarray)
    column = numpy.ones((2, *[1] * t.ndim)) if numpyish else tk.ones(2, *[1] * t.dim(), dtype=t.dtype)
    wide = numpy.broadcast_arrays(column, t) if numpyish else tk.broadcast_tensors(column, t)
    tables = {"a": wide[0], "b": wide[1], "r": column + t}
    return BroadcastExplorer(column, t), Truth(tables, (column, t))


def image(t: Any) -> Case:
    return ImageView(t, "HW"), Truth({}, (t,), strips={"s": t})


def squared(t: Any) -> Case:
    """Times its own transpose, or of a vector itself."""
    other = t if t.ndim == 1 else t.swapaxes(-1, -2) if isinstance(t, numpy.ndarray) else t.transpose(-1, -2)
    made = t @ other
    tables = {} if t.ndim == 1 else {"a": t, "b": other, "c": made}
    return MatmulExplorer(t, other), Truth(tables, (t, other, made))


BOARDS: dict[str, Callable[[Any], Case]] = {
    "stride": stride,
    "stride_chain": stride_chain,
    "index_first": indexed("0", lambda t: t[0]),
    "index_slice": indexed("1:, ::2", lambda t: t[1:, ::2]),
    "index_list": indexed("[2, 0]", lambda t: t[[2, 0]]),
    "index_mask": indexed("t > 3", lambda t: t[t > 3]),
    "index_none": indexed("None", lambda t: t[None]),
    "reduction": reduced,
    "broadcast": broadcast,
    "image": image,
    "matmul": squared,
}

NOT_OF = {
    "image": {"row", "one", "long"},
    "matmul": {"one", "large", "stride0_large", "long"},
}
"""What a board does not draw at all."""


@pytest.mark.parametrize(
    ("board", "name"), [(b, n) for b in BOARDS for n in HARD if n not in NOT_OF.get(b, ())]
)
def test_a_picture_prints_what_is_so(board: str, name: str) -> None:
    assert not lies(BOARDS[board](HARD[name]()))


# ---- other kinds of picture


def memory_of(names: dict[str, Any]) -> Case:
    tensors = tuple(names.values())
    counts = {sum(layout_of(t).nbytes for t in tensors)}
    return MemoryMap(names), Truth({}, tensors, counts=counts)


@pytest.mark.parametrize("name", list(HARD))
def test_the_memory_map_prints_what_is_so(name: str) -> None:
    t = HARD[name]()
    assert not lies(memory_of({"t": t}))


@pytest.mark.parametrize(
    "code", ["x.T", "x[..., None]", "x + 1", "x.sum()", "x.reshape(-1)", "x[1:]", "x.T.reshape(-1)"]
)
@pytest.mark.parametrize(
    "name", [name for name in HARD if name not in ("one", "six", "folded", "3d", "stride0_large")]
)
def test_explain_prints_what_is_so(name: str, code: str) -> None:
    x = HARD[name]()
    if ".T" in code and x.ndim == 1:
        pytest.skip("a row has nothing to turn")
    made = eval(code, {"x": x})
    first = x.T if code == "x.T.reshape(-1)" else x
    counts = {0, made.nbytes if hasattr(made, "nbytes") else 0}
    assert not lies((explain(code, {"x": x}), Truth({}, (x, first, made), counts=counts)))


def test_a_loop_is_counted_whole() -> None:
    x = tk.ones(3)
    case = (
        explain("for _ in range(1000):\n    y = x * 2\n    z = y + 1", {"x": x}),
        Truth({}, (x,), counts={0, 24_000}),
    )
    assert not lies(case)
    assert "2,000 calls" in explain("for _ in range(1000):\n    y = x * 2\n    z = y + 1", {"x": x}).text()


@pytest.mark.parametrize(
    "values",
    [[1.5, 2.5], [0.5] * 3, list(range(5)), [[1.0, 2.0], [3.0, 4.0]], [], [10**30, 1.5], [True, 2, 3j]],
)
def test_boxes_are_as_many_bytes_as_python_says(values: Any) -> None:
    inner = [v for row in values for v in row] if values and isinstance(values[0], list) else values
    lists = sum(map(sys.getsizeof, [values, *(v for v in values if isinstance(v, list))]))
    boxes = {id(v): sys.getsizeof(v) for v in inner}
    shared = sum(1 for v in inner if sum(other is v for other in inner) > 1)
    try:
        t = (tk.tensor(values),)
    except (RuntimeError, OverflowError, TypeError):
        t = ()
    counts = {
        8,
        sys.getsizeof(values),
        lists,
        *boxes.values(),
        sum(boxes.values()),
        lists + sum(boxes.values()),
    }
    counts |= {item for one in t for item in (layout_of(one).item,)} | {4, 0}
    board = BoxedMemory(values)
    assert (f"{shared} of the {len(inner)} places" in board.run().text()) is (shared > 0)
    assert not lies((board, Truth({}, t, counts=counts)))


def test_no_refusal_is_blamed_on_the_engine_that_it_does_not_make() -> None:
    large, wide = tk.zeros(1).expand(5000, 5000), tk.zeros(5000, 5000)
    boards = [
        IndexExplorer(large, "t > 3"), IndexExplorer(large, "[3, 9]"), IndexExplorer(large, f"{[0] * 30}, :"),
        IndexExplorer(wide, "t[0] = 1").run(), MatmulExplorer(large, large), ReductionExplorer(large, "sum", 0),
        BroadcastExplorer(tk.ones(1_000_000, 1), tk.ones(1, 1_000_000)).run(),
    ]  # fmt: skip
    for board in boards:
        text = board.text()
        assert "The engine refuses" not in text
        assert "Error:" not in text
        board.close()


def test_a_refusal_says_the_same_everywhere() -> None:
    """What explain says of an error, and what to do, stands in the picture of every widget that meets it."""
    a, b, whole = tk.ones(3, 4), tk.ones(3), tk.ones(2, 3, dtype=tk.int64)
    for code, board in (
        ("a + b", BroadcastExplorer(a, b, names=("a", "b"))),
        ("a @ a", MatmulExplorer(a, a, names=("a", "a"))),
        ("whole.mean(dim=0)", ReductionExplorer(whole, "mean", 0, name="whole")),
        ("whole.sum(dim=5)", ReductionExplorer(whole, "sum", 5, name="whole")),
        ("a[0, 9]", IndexExplorer(a, "a[0, 9]", name="a")),
        ("a[0, 0, 0]", IndexExplorer(a, "a[0, 0, 0]", name="a")),
    ):
        told = explain(code, {"a": a, "b": b, "whole": whole})
        found = told.failed
        assert found is not None
        assert found.failure is not None
        assert found.failure.diagnosis is not None
        for words in (found.failure.diagnosis.why, *found.failure.diagnosis.then):
            assert words[1:] in told.text(), code
            assert words[1:] in board.text(), code
        for one in (told, board):
            one.close()
