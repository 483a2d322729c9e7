"""What a reduction does, asked of the tensor's own library: the call, its result, and which elements went into each."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Any

from tensorkit_widgets.snapshot.adapter import Snapshot, describe, library_of, look, quietly
from tensorkit_widgets.snapshot.arrays import as_tensor
from tensorkit_widgets.snapshot.geometry import Ints, contiguous_stride
from tensorkit_widgets.snapshot.number_text import short
from tensorkit_widgets.snapshot.window import Window

LARGEST = 1_000_000
"""Numbers that are read for every picture; a larger tensor is reduced once, when it is asked for."""

MOST_ASKED = 50_000_000
"""Numbers that are all reduced when it is asked for; of a larger tensor those that go into what is drawn."""

OPS = (
    "sum", "mean", "prod", "max", "min", "argmax", "std", "var", "any", "all", "norm", "median",
)  # fmt: skip

Dim = int | Ints | None


@dataclass(frozen=True, slots=True)
class Request:
    """One call: ``dim`` as it was written, None when no dimension is named."""

    op: str
    dim: Dim
    keepdim: bool


@dataclass(frozen=True, slots=True)
class Reduced:
    """What came of it: the visible part of the result (None when refused), and the library's own refusal."""

    result: Snapshot | None
    size: Ints
    dtype: str
    error: str = ""
    known: bool = True


def normal_dims(dim: Dim, dims: int) -> Ints | None:
    """The dimensions that go, counted from 0; None when the call names one that is not there.

    >>> normal_dims(-1, 3), normal_dims(None, 2), normal_dims((0, 5), 2)
    ((2,), (0, 1), None)
    """
    if dim is None or dim == ():
        return tuple(range(dims))
    named = (dim,) if isinstance(dim, int) else dim
    if any(not -max(dims, 1) <= d < max(dims, 1) for d in named):
        return None
    return tuple(sorted({d % dims for d in named})) if dims else ()


def code_of(name: str, request: Request, library: str) -> str:
    """The call as it is written.

    >>> code_of("t", Request("sum", (0, 1), True), "torch"), code_of("t", Request("norm", None, False), "numpy")
    ('t.sum(dim=(0, 1), keepdim=True)', 'numpy.linalg.norm(t)')
    """
    dim = request.dim
    inside = [] if dim is None and not request.keepdim else [f"dim={dim}"]
    inside += ["keepdim=True"] * request.keepdim
    if library != "numpy":
        return f"{name}.{request.op}({', '.join(inside)})"
    inside = [part.replace("keepdim", "keepdims").replace("dim=", "axis=", 1) if part.startswith("dim")
              else part.replace("keepdim", "keepdims") for part in inside]  # fmt: skip
    home = "numpy.linalg" if request.op == "norm" else "numpy"
    return f"{home}.{request.op}({', '.join([name, *inside])})"


def _call(tensor: Any, request: Request) -> Any:
    """The values of the reduction, in the tensor's own library."""
    library, dim = library_of(tensor), request.dim
    with quietly(library), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the learner's own call warns; a picture repeats it many times
        if library == "numpy":
            home = sys.modules["numpy.linalg" if request.op == "norm" else "numpy"]
            more = {"keepdims": True} if request.keepdim else {}
            return as_tensor(getattr(home, request.op)(tensor, axis=dim, **more))
        named: dict[str, Any] = {} if dim is None and not request.keepdim else {"dim": dim}
        named.update({"keepdim": True} if request.keepdim else {})
        found = getattr(tensor, request.op)(**named)
    return found[0] if isinstance(found, tuple) else found


def tensor_window(size: Sequence[int], lead: Sequence[int] = ()) -> Window:
    """The part of the tensor that is drawn: what fits beside its result.

    >>> tensor_window((5, 9, 3, 2), (4,))
    Window(origin=(4, 0, 0, 0), count=(1, 3, 3, 2))
    """
    most = {0: (), 1: (7,), 2: (6, 7)}.get(len(size), (3, 4, 4))
    ahead = max(len(size) - 3, 0)
    held = [min(max(lead[d] if d < len(lead) else 0, 0), max(size[d] - 1, 0)) for d in range(ahead)]
    inner = [min(n, m) for n, m in zip(size[ahead:], most, strict=True)]
    return Window((*held, *(0 for _ in inner)), (*(min(n, 1) for n in size[:ahead]), *inner))


def kept_window(window: Window, dims: Sequence[int], keepdim: bool) -> Window:
    """The part of the result that belongs to the visible part of the tensor."""
    pairs = [
        (0, 1) if d in dims else (window.origin[d], window.count[d])
        for d in range(len(window.count))
        if keepdim or d not in dims
    ]
    return Window(tuple(o for o, _ in pairs), tuple(n for _, n in pairs))


def inputs_of(index: Ints, window: Window, dims: Sequence[int], keepdim: bool) -> Iterator[Ints]:
    """The visible elements that go into one element of the result.

    >>> list(inputs_of((1,), Window((0, 0), (2, 3)), (1,), False))
    [(1, 0), (1, 1), (1, 2)]
    """
    rest = iter(index)
    spans: list[range] = []
    for d, (start, count) in enumerate(zip(window.origin, window.count, strict=True)):
        if d in dims:
            spans.append(range(start, start + count))
            if keepdim:
                next(rest)
        else:
            at = next(rest)
            spans.append(range(at, at + 1))
    return product(*spans)


def _size_after(size: Ints, dims: Sequence[int], keepdim: bool) -> Ints:
    return tuple(1 if d in dims else n for d, n in enumerate(size) if keepdim or d not in dims)


def reduce(tensor: Any, request: Request, window: Window, asked: bool) -> Reduced:
    """Call it and look at the visible part of the result; a refusal is told, not raised.

    A large tensor is reduced over the visible elements of the result only, and only when ``asked``.
    """
    size = describe(tensor).size
    dims = normal_dims(request.dim, len(size))
    large = prod(size) > (MOST_ASKED if asked else LARGEST) and dims is not None
    part = tensor
    if large and dims is not None:
        whole = {d: slice(None) for d in dims} if asked else {}
        part = tensor[
            tuple(
                whole.get(d, slice(o, o + n))
                for d, (o, n) in enumerate(zip(window.origin, window.count, strict=True))
            )
        ]
    try:
        found = _call(part, request)
    except Exception as error:
        return Reduced(None, (), "", f"{type(error).__name__}: {error}")
    meta = describe(found)
    if dims is None:  # a library that takes what it cannot have named: nothing to draw from it
        return Reduced(None, meta.size, meta.dtype, "")
    seen = kept_window(window, dims, request.keepdim)
    after = _size_after(size, dims, request.keepdim)
    if not large:
        return Reduced(look(found, seen, ()), meta.size, meta.dtype)
    origin = Window((0,) * len(seen.count), seen.count)
    grid = look(found, origin, ()).grid if asked else ()
    wide = replace(meta, size=after, stride=contiguous_stride(after), offset=0)
    return Reduced(Snapshot(wide, seen, grid, ()), after, meta.dtype, known=asked)


def running(tensor: Any, request: Request, inputs: Sequence[Ints], dims: Sequence[int]) -> list[str]:
    """The reduction of the first one, two, three, … of these elements, by the library itself."""
    if not inputs:
        return []
    low = tuple(map(min, zip(*inputs, strict=True)))
    high = tuple(max(axis) + 1 for axis in zip(*inputs, strict=True))
    part = tensor[tuple(slice(a, b) for a, b in zip(low, high, strict=True))]
    with quietly(library_of(tensor)):
        row = part.reshape(-1)
    out = []
    for count in range(1, len(inputs) + 1):
        try:
            found = _call(row[:count], Request(request.op, None, False))
        except Exception:
            return []
        seen = look(found, Window((), ()), ())
        out.append(short(seen.grid[0], seen.meta.dtype) if seen.grid else "?")
    return out
