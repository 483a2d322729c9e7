"""`BroadcastExplorer`: two tensors, their sizes written from the right, what is stretched, and which rule fails.

>>> import numpy
>>> w = BroadcastExplorer(numpy.ones((3, 1)), numpy.ones(4))
>>> w.size, w.run().status
((3, 4), 'ok')
>>> BroadcastExplorer(numpy.ones(3), numpy.ones(4)).status
'refused'
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tensorkit.strides.sizes import broadcast_sizes
from tensorkit_widgets.broadcast.scene import STEPS, Operand, compose_broadcast
from tensorkit_widgets.diagnosis.way_out import WayOut, way_out
from tensorkit_widgets.drawing.page_width import FEW
from tensorkit_widgets.drawing.sheet import Sheet
from tensorkit_widgets.snapshot.adapter import Snapshot, describe, library_of, link_of, look, quietly
from tensorkit_widgets.snapshot.arrays import as_tensor
from tensorkit_widgets.snapshot.geometry import Ints, contiguous_stride
from tensorkit_widgets.snapshot.number_text import whole_number
from tensorkit_widgets.snapshot.promised import promised
from tensorkit_widgets.snapshot.window import Window, held_window
from tensorkit_widgets.widget.board import Board, Control, State
from tensorkit_widgets.widget.caller import called

SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "==": operator.eq,
    "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
MOST = 6


@dataclass(frozen=True)
class _State(State):
    sign: str = "+"
    lead: Ints = ()


class BroadcastExplorer(Board):
    """How two tensors of different sizes meet, element by element.

    Args:
        a, b: tensors of one library (tensorkit, NumPy or PyTorch). They are not copied.
        op: ``"+"``, ``"-"``, ``"*"``, ``"/"``, ``"=="``, ``"!="``, ``"<"``, ``"<="``, ``">"`` or ``">="``.
        names: what the two are called; by default their names where the widget is made, else ``a`` and ``b``.

    Raises:
        TypeError: for something that cannot be drawn, or an unknown keyword.
        ValueError: for another `op`.
    """

    kind = "broadcast-explorer"
    live = ("_pair",)

    def __init__(
        self, a: Any, b: Any, op: str = "+", *, names: Sequence[str] | None = None, **unknown: Any
    ) -> None:
        if unknown:
            raise TypeError(
                f"BroadcastExplorer has no option {', '.join(sorted(unknown))}: it takes a, b, op and names"
            )
        if op not in SIGNS:
            raise ValueError(f"op must be one of {', '.join(SIGNS)}, not {op!r}")
        if library_of(a) != library_of(b):
            raise TypeError(f"a and b must be of one library, not of {library_of(a)} and {library_of(b)}")
        self._pair = (a, b)
        one, other = (None, None) if names is None else names
        self._names = (called(a, "a", one), called(b, "b", other))
        self._begin(_State(sign=op))

    # ---- what Python sees

    @property
    def size(self) -> Ints | None:
        """The size of the result; None when the sizes do not fit."""
        with self._guard:
            wide, _ = self._wide()
            return None if wide is None else describe(wide[0]).size

    @property
    def status(self) -> str:
        """``ok`` or ``refused``."""
        return "refused" if self.size is None else "ok"

    # ---- the board

    def _steps(self) -> int:
        return STEPS

    def _wide(self) -> tuple[tuple[Any, Any] | None, str]:
        """The two stretched to one size, as views; or the library's refusal."""
        a, b = self._pair
        library = library_of(a)
        try:
            with quietly(library):
                pair = _stretch(library, a, b)
        except (RuntimeError, ValueError):
            return None, self._refusal()
        return (pair[0], pair[1]), ""

    def _refusal(self) -> str:
        """What the operation itself says, which is what the learner will see."""
        try:
            with quietly(library_of(self._pair[0])):
                SIGNS[self._state.sign](*self._pair)
        except Exception as error:
            return f"{type(error).__name__}: {error}"
        return "the sizes do not fit"

    def _sheet(self, at: int) -> Sheet:
        wide, error = self._wide()
        if wide is None:
            a, b = (
                Operand(n, describe(t), None, link_of(describe(t)))
                for n, t in zip(self._names, self._pair, strict=True)
            )
            way = self._way(error)
            return compose_broadcast(a, b, None, self._state.sign, error, at, self._width, way)
        size = describe(wide[0]).size
        window = held_window(size, self._state.lead, MOST if self._width >= FEW else 4)
        operands = [
            Operand(name, describe(own), look(view, window, ()), link_of(describe(own)))
            for name, own, view in zip(self._names, self._pair, wide, strict=True)
        ]
        result, error = self._result(wide, window)
        way = self._way(error) if error else None
        return compose_broadcast(
            operands[0], operands[1], result, self._state.sign, error, at, self._width, way
        )

    def _way(self, error: str) -> WayOut | None:
        """What the refusal means, and what to write."""
        op = SIGNS[self._state.sign].__name__
        code = f"{self._names[0]} {self._state.sign} {self._names[1]}"
        return way_out(op, error, list(zip(self._names, self._pair, strict=True)), code=code)

    def _result(self, wide: tuple[Any, Any], window: Window) -> tuple[Snapshot | None, str]:
        """The visible part of the result, computed by the library itself, in the layout that the whole would have."""
        part = tuple(slice(o, o + n) for o, n in zip(window.origin, window.count, strict=True))
        call = SIGNS[self._state.sign]
        try:
            with quietly(library_of(wide[0])):
                found = call(wide[0][part], wide[1][part])
        except Exception as error:
            return None, f"{type(error).__name__}: {error}"
        seen = look(as_tensor(found), Window((0,) * len(window.count), window.count), ())
        whole = promised(call, *self._pair)
        if whole is None:  # nobody can tell its strides: those of a fresh tensor
            size = describe(wide[0]).size
            whole = replace(seen.meta, size=size, stride=contiguous_stride(size))
        return replace(seen, meta=whole, window=window), ""

    def _controls(self) -> Sequence[Control]:
        options = tuple((sign, sign) for sign in SIGNS)
        out = [Control("sign", "choice", "operation", self._state.sign, options)]
        size = self.size or ()
        for d, n in enumerate(size[:-2]):
            if n > 1:
                here = self._state.lead[d] if d < len(self._state.lead) else 0
                out.append(Control(f"lead-{d}", "range", f"dim {d}", here, low=0, high=n - 1))
        return out

    def _do(self, kind: str, message: Mapping[str, Any]) -> None:
        value = message.get("value")
        if kind == "sign" and isinstance(value, str) and value in SIGNS:
            self._change(sign=value)
        elif kind.startswith("lead-") and type(value) is int and (dim := whole_number(kind[5:])) is not None:
            size = self.size or ()
            if dim < len(size) - 2:
                lead = [*self._state.lead, *([0] * len(size))][: len(size) - 2]
                lead[dim] = max(0, min(value, size[dim] - 1))
                self._change(lead=tuple(lead))

    def _facts(self) -> Mapping[str, str]:
        size = self.size
        return {"size": "" if size is None else ",".join(map(str, size)), "sign": self._state.sign}


def _stretch(library: str, a: Any, b: Any) -> Sequence[Any]:
    """Both as views of the common size."""
    size = broadcast_sizes(describe(a).size, describe(b).size)
    return [sys.modules[library].broadcast_to(own, size) for own in (a, b)]
