"""`ReductionExplorer`: the named dimension collapses, cell by cell, and which numbers go into each cell of the result.

>>> import numpy
>>> w = ReductionExplorer(numpy.arange(12.0).reshape(3, 4), "sum", dim=1)
>>> w.code, w.size, w.run().at
('numpy.sum(t, axis=1)', (3,), 3)
>>> ReductionExplorer(numpy.arange(6), "sum", dim=1).status
'refused'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Any

from tensorkit_widgets.diagnosis.way_out import WayOut, way_out
from tensorkit_widgets.drawing.sheet import Sheet
from tensorkit_widgets.reduction.model import (
    LARGEST,
    OPS,
    Reduced,
    Request,
    code_of,
    inputs_of,
    normal_dims,
    reduce,
    running,
    tensor_window,
)  # fmt: skip
from tensorkit_widgets.reduction.scene import Collapse, compose_reduction
from tensorkit_widgets.snapshot.adapter import describe, library_of, link_of, look
from tensorkit_widgets.snapshot.geometry import Ints
from tensorkit_widgets.snapshot.number_text import whole_number
from tensorkit_widgets.widget.board import Board, Control, State
from tensorkit_widgets.widget.caller import called

MOST_WALK = 18


@dataclass(frozen=True)
class _State(State):
    op: str = "sum"
    dim: int | Ints | None = 0
    keepdim: bool = False
    lead: Ints = ()
    inside: int | None = None
    answer: Reduced | None = None


class ReductionExplorer(Board):
    """How many numbers become one, along one dimension, several or all.

    The steps walk over the cells of the result; pressing a cell of the result walks over its numbers instead.

    Args:
        t: a tensor of tensorkit, NumPy or PyTorch. It is not copied; typing into its cells writes into it.
        op: one of sum, mean, prod, max, min, argmax, std, var, any, all, norm, median.
        dim: the dimension that collapses, several of them, or None for all.
        keepdim: whether a 1 stays in its place.
        name: what the tensor is called; by default its name where the widget is made, else ``"t"``.

    Raises:
        TypeError: for something that cannot be drawn, a `dim` that is no number, or an unknown keyword.
        ValueError: for another `op`.
    """

    kind = "reduction-explorer"
    live = ("_tensor",)

    def __init__(
        self,
        t: Any,
        op: str = "sum",
        dim: int | Sequence[int] | None = 0,
        keepdim: bool = False,
        *,
        name: str | None = None,
        **unknown: Any,
    ) -> None:
        if unknown:
            raise TypeError(
                f"ReductionExplorer has no option {', '.join(sorted(unknown))}: it takes t, op, dim, keepdim and name"
            )
        if op not in OPS:
            raise ValueError(f"op must be one of {', '.join(OPS)}, not {op!r}")
        library_of(t)
        line = " ".join(called(t, "t", name).split())
        self._tensor, self._name = t, line if len(line) <= 24 else line[:23] + "…"
        self._painting = False
        self._answered: Reduced | None = None
        self._begin(_State(op=op, dim=_as_dim(dim), keepdim=bool(keepdim)))

    # ---- what Python sees

    @property
    def code(self) -> str:
        """The call that the picture shows."""
        with self._guard:
            return code_of(self._name, self._request(), library_of(self._tensor))

    @property
    def size(self) -> Ints | None:
        """The size of the result; None when the engine refuses."""
        with self._guard:
            found = self._reduced()
            return None if found.error else found.size

    @property
    def dtype(self) -> str:
        """The dtype of the result, as text; empty when the engine refuses."""
        with self._guard:
            return self._reduced().dtype

    @property
    def status(self) -> str:
        """``ok``, ``refused``, or ``unknown`` for a large tensor that nobody asked to reduce yet."""
        with self._guard:
            found = self._reduced()
            return "refused" if found.error else "ok" if found.known else "unknown"

    @property
    def error(self) -> str:
        """The engine's own refusal, or an empty text."""
        with self._guard:
            return self._reduced().error

    # ---- the board

    def _request(self) -> Request:
        return Request(self._state.op, self._state.dim, self._state.keepdim)

    def _reduced(self) -> Reduced:
        answer: Reduced | None = self._state.answer
        if answer is not None:
            return answer
        if self._answered is not None:
            return self._answered
        window = tensor_window(describe(self._tensor).size, self._state.lead)
        found = reduce(self._tensor, self._request(), window, asked=False)
        self._answered = found if self._painting else None
        return found

    def _paint(self, serial: Any = None, only_if_changed: bool = False) -> bool:
        """The engine is asked once for a picture, its controls and its facts."""
        self._painting = True
        try:
            return super()._paint(serial, only_if_changed)
        finally:
            self._painting, self._answered = False, None

    def _dims(self) -> Ints:
        return normal_dims(self._state.dim, len(describe(self._tensor).size)) or ()

    def _cells(self, found: Reduced) -> tuple[Ints, ...]:
        if found.result is None:
            return ()
        window = found.result.window
        return tuple(product(*(range(o, o + n) for o, n in zip(window.origin, window.count, strict=True))))

    def _inputs(self, cells: Sequence[Ints]) -> tuple[tuple[Ints, ...], ...]:
        window = tensor_window(describe(self._tensor).size, self._state.lead)
        dims, keep = self._dims(), self._state.keepdim
        return tuple(tuple(inputs_of(cell, window, dims, keep)) for cell in cells)

    def _steps(self) -> int:
        cells = self._cells(self._reduced())
        inside = self._state.inside
        if inside is not None and inside < len(cells):
            return min(len(self._inputs([cells[inside]])[0]), MOST_WALK)
        return len(cells)

    def _sheet(self, at: int) -> Sheet:
        meta = describe(self._tensor)
        base = look(self._tensor, tensor_window(meta.size, self._state.lead), ())
        found = self._reduced()
        cells = self._cells(found)
        inputs = self._inputs(cells)
        inside = (
            self._state.inside if self._state.inside is not None and self._state.inside < len(cells) else None
        )
        chosen = inside if inside is not None else at - 1 if at else None
        walked = inputs[chosen][:MOST_WALK] if chosen is not None and inside is not None else ()
        taken = at if inside is not None else MOST_WALK
        full = inside is None or at >= len(walked)
        so_far = running(self._tensor, self._request(), walked, self._dims()) if walked else []
        done = (inside + full) if inside is not None else at
        model = Collapse(
            self._name, self._state.op, code_of(self._name, self._request(), meta.library), meta.library, base,
            self._dims(), self._state.keepdim, found.result, found.size, found.dtype, found.error, found.known, cells,
            inputs, done, chosen, len(inputs[chosen]) if chosen is not None and full else taken, tuple(so_far),
            inside is not None, self._width, way=self._way(found.error) if found.error else None,
        )  # fmt: skip
        return compose_reduction(model, link_of(meta))

    def _way(self, error: str) -> WayOut | None:
        """What the refusal means, and what to write."""
        request = self._request()
        code = code_of(self._name, request, library_of(self._tensor))
        return way_out(
            request.op, error, [(self._name, self._tensor)], kwargs={"dim": request.dim}, code=code
        )

    def _controls(self) -> Sequence[Control]:
        state, size = self._state, describe(self._tensor).size
        out = [Control("op", "choice", "operation", state.op, tuple((op, op) for op in OPS))]
        named = () if state.dim is None else self._dims()
        for d in range(len(size)):
            out.append(Control(f"dim-{d}", "toggle", f"dim {d}", d in named, title="collapse this dimension"))
        out.append(Control("all", "toggle", "all", state.dim is None, title="name no dimension: all of them"))
        out.append(Control("keepdim", "toggle", "keepdim", state.keepdim, title="leave a 1 in its place"))
        if state.inside is not None:
            out.append(Control("whole", "button", "back to all cells", title="walk over the cells again"))
        if prod(size) > LARGEST:
            out.append(Control("compute", "button", "compute", title="reduce all its numbers, once"))
        for d in range(len(size) - 3):
            if size[d] > 1 and d not in self._dims():
                here = state.lead[d] if d < len(state.lead) else 0
                out.append(
                    Control(f"lead-{d}", "range", f"dim {d} at", here, low=0, high=size[d] - 1, group="lead")
                )
        return out

    def _do(self, kind: str, message: Mapping[str, Any]) -> None:
        value, key = message.get("value"), message.get("key")
        if kind == "op" and value in OPS:
            self._turn(op=value)
        elif kind == "keepdim" and isinstance(value, bool):
            self._turn(keepdim=value)
        elif kind == "all" and isinstance(value, bool):
            self._turn(dim=None if value else 0)
        elif (
            kind.startswith("dim-")
            and (dim := whole_number(kind[4:])) is not None
            and isinstance(value, bool)
        ):
            self._toggle(dim, value)
        elif kind.startswith("lead-") and (dim := whole_number(kind[5:])) is not None and type(value) is int:
            self._hold(dim, value)
        elif kind == "open" and isinstance(key, str):
            self._open(key)
        elif kind == "whole" and self._state.inside is not None:
            self._change(inside=None, at=self._state.inside + 1)
        elif kind == "compute":
            self._compute()
        elif kind == "edit" and isinstance(key, str):
            self._edit(key, message)

    def _turn(self, **values: Any) -> None:
        """Another call: the walk begins again, unless it was at its end."""
        ended = self._state.inside is None and 0 < self._steps() <= self._state.at
        self._change(inside=None, answer=None, at=0, **values)
        if ended:
            self._state = replace(self._state, at=self._steps())

    def _toggle(self, dim: int, on: bool) -> None:
        if dim >= len(describe(self._tensor).size):
            return
        named = set(() if self._state.dim is None else self._dims())
        chosen = tuple(sorted(named | {dim} if on else named - {dim}))
        self._turn(dim=None if not chosen else chosen[0] if len(chosen) == 1 else chosen)

    def _hold(self, dim: int, value: int) -> None:
        size = describe(self._tensor).size
        if dim >= len(size) - 3:
            return
        lead = [*self._state.lead, *([0] * len(size))][: len(size) - 3]
        lead[dim] = max(0, min(value, size[dim] - 1))
        self._change(lead=tuple(lead), inside=None, answer=None)

    def _open(self, key: str) -> None:
        cells = self._cells(self._reduced())
        names = [f"r:{','.join(map(str, cell))}" for cell in cells]
        if key in names:
            self._change(inside=names.index(key), at=0)

    def _compute(self) -> None:
        size = describe(self._tensor).size
        if prod(size) <= LARGEST:
            return
        found = reduce(self._tensor, self._request(), tensor_window(size, self._state.lead), asked=True)
        self._change(answer=found)
        self._said = "computed, once"

    def _edit(self, key: str, message: Mapping[str, Any]) -> None:
        size = describe(self._tensor).size
        window = tensor_window(size, self._state.lead)
        spans = (range(o, o + n) for o, n in zip(window.origin, window.count, strict=True))
        places = {f"t:{','.join(map(str, index))}": index for index in product(*spans)}
        if key in places:
            self._write(self._tensor, places[key], message)

    def _facts(self) -> Mapping[str, str]:
        state, found = self._state, self._reduced()
        return {
            "op": state.op, "dims": "all" if state.dim is None else ",".join(map(str, self._dims())),
            "keepdim": str(state.keepdim).lower(), "dtype": found.dtype, "size": ",".join(map(str, found.size)),
            "inside": "" if state.inside is None else str(state.inside),
        }  # fmt: skip


def _as_dim(dim: Any) -> int | Ints | None:
    """What was given for `dim`, with nothing but whole numbers in it."""
    named = () if dim is None else (dim,) if isinstance(dim, int) else dim
    try:
        whole = tuple(named)
    except TypeError:
        raise TypeError(f"dim must be a whole number, several of them, or None, not {dim!r}") from None
    if any(isinstance(d, bool) or not isinstance(d, int) for d in whole):
        raise TypeError(f"dim must be a whole number, several of them, or None, not {dim!r}")
    return None if dim is None else whole[0] if isinstance(dim, int) else whole
