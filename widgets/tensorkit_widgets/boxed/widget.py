"""`BoxedMemory`: a list's pointers and boxes against a tensor's buffer, with the bytes measured.

>>> w = BoxedMemory([1.0, 2.0, 3.0])
>>> w.tensor_bytes, w.list_bytes > 3 * w.tensor_bytes
(12, True)
>>> w.close()
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import tensorkit as tk
from tensorkit_widgets.boxed.model import Measured, measure
from tensorkit_widgets.boxed.scene import STEPS, Buffered, compose_boxed
from tensorkit_widgets.drawing.sheet import Sheet
from tensorkit_widgets.widget.board import Board, Control, State
from tensorkit_widgets.widget.caller import called

DTYPES = ("float32", "float64", "float16", "int64", "int32", "uint8", "complex64")
SHOWN = 9


@dataclass(frozen=True)
class _State(State):
    dtype: str = ""


class BoxedMemory(Board):
    """What a list of numbers is made of, and what a tensor of the same numbers is made of.

    The bytes are measured with `sys.getsizeof` on this machine. The list is read again after every cell.

    Args:
        values: a list of numbers, or a list of such lists.
        name: what it is called in the picture; by default its name where the widget is made, else ``"values"``.
        dtype: of the tensor beside it, such as ``"float64"``; by default the one that `tensorkit.tensor` takes.

    Raises:
        TypeError: for something else than numbers in lists, or an unknown keyword.
        ValueError: for more than a hundred thousand numbers, a list that holds itself, or an unknown dtype.
    """

    kind = "boxed-memory"
    live = ("_values", "_found")

    def __init__(
        self, values: Any, *, name: str | None = None, dtype: str | None = None, **unknown: Any
    ) -> None:
        if unknown:
            raise TypeError(
                f"BoxedMemory has no option {', '.join(sorted(unknown))}: it takes values, name and dtype"
            )
        if dtype is not None and dtype not in DTYPES:
            raise ValueError(f"dtype must be one of {', '.join(DTYPES)}, not {dtype!r}")
        self._found = measure(values)
        self._values, self._name = values, called(values, "values", name)
        self._begin(_State(dtype=dtype or ""))

    # ---- what Python sees

    @property
    def list_bytes(self) -> int:
        """Bytes of the lists and of all boxes, each box counted once."""
        with self._guard:
            return measure(self._values).total

    @property
    def tensor_bytes(self) -> int | None:
        """Bytes of the tensor's storage; None when the lists make no tensor."""
        with self._guard:
            buffer = self._buffer(measure(self._values))
            return None if buffer.refusal else buffer.nbytes

    # ---- the board

    def _buffer(self, found: Measured) -> Buffered:
        """The first of the same numbers as a tensor, made by the engine; or why they make none."""
        if found.shape is None:
            return Buffered("", 0, (), 0, "These lists make no tensor: the inner ones differ in length.")
        try:
            chosen = (
                getattr(tk, self._state.dtype) if self._state.dtype else tk.tensor(list(found.kinds)).dtype
            )
            sample = tk.tensor(_first(self._values, SHOWN), dtype=chosen)
        except (RuntimeError, TypeError, ValueError, OverflowError) as error:
            return Buffered(
                "", 0, (), 0, f"They make no tensor of that dtype. {type(error).__name__}: {error}"
            )
        name = str(sample.dtype).rpartition(".")[2]
        return Buffered(name, sample.element_size(), tuple(sample.tolist()), found.numbers)

    def _steps(self) -> int:
        return STEPS

    def _sheet(self, at: int) -> Sheet:
        found = self._found = measure(self._values)
        return compose_boxed(self._name, found, self._buffer(found), at, self._width)

    def _controls(self) -> Sequence[Control]:
        options = (("", "as tensor() takes it"), *((name, name) for name in DTYPES))
        return [Control("dtype", "choice", "dtype of the tensor", self._state.dtype, options)]

    def _do(self, kind: str, message: Mapping[str, Any]) -> None:
        value = message.get("value")
        if kind == "dtype" and value in ("", *DTYPES):
            self._change(dtype=value)

    def _facts(self) -> Mapping[str, str]:
        found = self._found
        buffer = self._buffer(found)
        return {
            "boxes": str(found.boxed), "listbytes": str(found.total),
            "tensorbytes": "" if buffer.refusal else str(buffer.nbytes),
        }  # fmt: skip


def _first(values: Any, most: int) -> list[Any]:
    """The first numbers, in order."""
    out: list[Any] = []
    stack = [iter(values)]
    while stack and len(out) < most:
        for item in stack[-1]:
            if isinstance(item, list | tuple):
                stack.append(iter(item))
            else:
                out.append(item)
            break
        else:
            stack.pop()
    return out
