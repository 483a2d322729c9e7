"""`BitView`: the bits of one number in each dtype, to press, to sweep over, and to cast.

>>> w = BitView(0.1, dtypes=("float32", "bfloat16"))
>>> w.bits("float32")
'00111101110011001100110011001101'
>>> w.flip(31).value
-0.10000000149011612
>>> w.cast("int8").run().text().splitlines()[-1]
'It is kept as 0. Nothing was rounded.'
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

from tensorkit_widgets.bits.casts import places, story
from tensorkit_widgets.bits.cell import Cell, NumberCell, cell_of
from tensorkit_widgets.bits.controls import bit_controls, dtype_name, dtype_names, rank
from tensorkit_widgets.bits.formats import (
    FORMATS,
    Format,
    Number,
    bits_of,
    cast,
    neighbours,
    parse_number,
    value_of,
    written,
)
from tensorkit_widgets.bits.scene import Asked, BitRow, compose_bits
from tensorkit_widgets.bits.scene_cast import STEPS, compose_cast
from tensorkit_widgets.drawing.sheet import Sheet
from tensorkit_widgets.snapshot.adapter import Link
from tensorkit_widgets.snapshot.geometry import Ints
from tensorkit_widgets.snapshot.number_text import whole_number
from tensorkit_widgets.widget import cell_hook
from tensorkit_widgets.widget.board import Board, Control, State

WRITES = ("flip", "go", "value", "undo", "reset")
"""What may change a tensor, so that other pictures have to look again."""

_USUAL = {
    "float": ("float32", "float16", "bfloat16"),
    "int": ("int32", "int8", "uint8"),
    "uint": ("uint8", "int8", "int16"),
    "bool": ("bool", "uint8", "float32"),
}


@dataclass(frozen=True)
class _State(State):
    source: str = "float64"
    bits: int = 0
    shown: tuple[str, ...] = ()
    focus: str = ""
    asked: Asked | None = None
    index: Ints = ()
    target: str = ""


class BitView(Board):
    """The bits of a number, dtype by dtype.

    Args:
        x: a Python number, or a tensor of tensorkit, NumPy or PyTorch. A tensor is not copied: what is flipped is
            written into it, through its own library.
        index: which element of the tensor; the first one without it.
        dtypes: names of the dtypes to show, such as ``("float32", "bfloat16")``.
        name: what the number is called.

    Raises:
        TypeError: for something that has no bits to show, or an unknown keyword.
        ValueError: for a dtype that there is none of, a tensor without elements, an integer of more than 64 bits.
        IndexError: for an index outside of the tensor.
    """

    kind = "bit-view"
    live = ("_cell",)
    moments = "step of the cast"

    def __init__(
        self, x: Any, *, index: Any = None, dtypes: Any = None, name: str = "", **unknown: Any
    ) -> None:
        if unknown:
            raise TypeError(
                f"BitView has no option {', '.join(sorted(unknown))}: it takes x, index, dtypes and name"
            )
        self._cell: Cell = cell_of(x, index)
        self._name = str(name)
        source, readable = self._cell.format.name, not self._cell.fault()
        usual = _USUAL[self._cell.format.kind]
        own = isinstance(self._cell, NumberCell)
        shown = usual if own and dtypes is None else tuple(dict.fromkeys((source, *usual)))[:3]
        if dtypes is not None:
            shown = dtype_names(dtypes)
        self._begin(
            _State(
                source=source, bits=self._cell.read() if readable else 0, shown=shown, focus=next(iter(shown), ""),
                asked=self._cell.asked, index=self._cell.index,
            )
        )  # fmt: skip

    # ---- what Python sees

    @property
    def dtype(self) -> str:
        """The dtype of the number itself: the tensor's, or that of the row that was changed last."""
        with self._guard:
            return str(self._state.source)

    @property
    def value(self) -> Number:
        """The number itself."""
        with self._guard:
            return value_of(self._now(), FORMATS[self._state.source])

    def bits(self, dtype: Any = None) -> str:
        """The bits in a dtype (its own without one), the highest first."""
        with self._guard:
            format = FORMATS[dtype_name(dtype) if dtype is not None else self._state.source]
            return f"{self._cast(format):0{format.width}b}"

    def flip(self, place: int, dtype: Any = None) -> Self:
        """Turn one bit round; ``place`` counts from the lowest, 0. Without a dtype: the one that is explained.

        Raises:
            IndexError: for a bit that the dtype does not have.
            ValueError: for another dtype than the tensor's.
        """
        with self._guard:
            name = self._state.focus or self._state.source if dtype is None else dtype_name(dtype)
            if not 0 <= place < (1 if name == "bool" else FORMATS[name].width):
                raise IndexError(f"{name} has no bit {place}")
            self._put(self._cast(FORMATS[name]) ^ (1 << place), name, None)
            self._paint()
        self._others()
        return self

    def set(self, value: Any) -> Self:
        """Another number, as a Python number or as text."""
        with self._guard:
            self._enter(value if isinstance(value, str) else repr(value))
            self._paint()
        self._others()
        return self

    def show(self, *dtypes: Any) -> Self:
        """Which dtypes have a row."""
        with self._guard:
            self._change(shown=dtype_names(dtypes), target="", at=0)
            self._paint()
        return self

    def explain(self, dtype: Any) -> Self:
        """Explain this dtype's row under the rows."""
        with self._guard:
            self._explain(dtype_name(dtype))
            self._paint()
        return self

    def cast(self, dtype: Any = None) -> Self:
        """Show step by step what ``.to(dtype)`` does; without a dtype, the rows again."""
        with self._guard:
            self._change(target="" if dtype is None else dtype_name(dtype), at=0)
            self._paint()
        return self

    # ---- the number

    def _now(self) -> int:
        """The bits of the number itself, at this moment."""
        state = self._state
        return state.bits if isinstance(self._cell, NumberCell) else self._cell.at(state.index).read()

    def _cast(self, format: Format) -> int:
        return cast(self._now(), self._state.source, format.name)

    def _put(self, bits: int, name: str, asked: Asked | None) -> None:
        """Other bits: a number's dtype is then the one they were set in, a tensor keeps its own."""
        if isinstance(self._cell, NumberCell):
            self._change(bits=bits, source=name, asked=asked, focus=name)
            return
        if name != self._state.source:
            raise ValueError(
                f"the tensor holds {self._state.source}: only those bits can be changed, {name} is a cast of them"
            )
        # Undo brings back what was there, from wherever it was written.
        self._state = replace(self._state, bits=self._now())
        self._cell.at(self._state.index).write(bits)
        self._change(bits=bits, asked=asked, focus=name if name in self._state.shown else self._state.focus)

    def _enter(self, text: str) -> None:
        value, number = parse_number(text)
        if isinstance(self._cell, NumberCell):
            cell = NumberCell(value)
            asked = Asked(text.strip()[:40], number)
            self._change(bits=cell.read(), source=cell.format.name, asked=asked)
            return
        format = FORMATS[self._state.source]
        self._put(bits_of(value, format), format.name, Asked(text.strip()[:40], number))

    def _explain(self, name: str) -> None:
        shown = self._state.shown if name in self._state.shown else (*self._state.shown, name)
        self._change(focus=name, shown=shown)

    def _others(self) -> None:
        if not isinstance(self._cell, NumberCell):
            cell_hook.repaint(skip=self)

    def _undo(self) -> None:
        before = self._state
        super()._undo()
        self._restore(before)

    def _return(self, name: str | None) -> None:
        before = self._state
        super()._return(name)
        self._restore(before)

    def _restore(self, before: _State) -> None:
        """What undo takes back was written into the tensor: it is written again."""
        now = self._state
        if isinstance(self._cell, NumberCell) or now.index != before.index or now.bits == before.bits:
            return
        self._cell.at(now.index).write(now.bits)

    # ---- the board

    def _steps(self) -> int:
        return STEPS if self._state.target else 0

    def _sheet(self, at: int) -> Sheet:
        state = self._state
        fault = self._cell.at(state.index).fault()
        if fault:
            return compose_bits((), 0, None, self._called(""), fault, self._width)
        bits, source = self._now(), FORMATS[state.source]
        link, slot = self._cell.at(state.index).place()
        if state.target:
            told = story(bits, source, FORMATS[state.target])
            own = BitRow(source, bits, link=link, slot=slot)
            return compose_cast(
                own, FORMATS[state.target], told, at, self._called(written(bits, source)), self._width
            )
        rows = [self._row(name, bits, (link, slot)) for name in state.shown]
        focus = state.shown.index(state.focus) if state.focus in state.shown else 0
        if rows:
            rows[focus] = replace(rows[focus], kin=_same_places(rows[focus], rows))
        name = self._called(written(bits, source))
        return compose_bits(rows, focus, self._meant(bits), name, page=self._width)

    def _row(self, name: str, bits: int, place: tuple[Link | None, int | None]) -> BitRow:
        own, format = name == self._state.source, FORMATS[name]
        link, slot = place if own else (None, None)
        pressed = own or isinstance(self._cell, NumberCell)
        note = self._note(name, bits)
        return BitRow(format, self._cast(format), note, pressed, link=link, slot=slot)

    def _called(self, value: str) -> str:
        return self._name or self._cell.at(self._state.index).called(value)

    def _meant(self, bits: int) -> Asked | None:
        """What the explained row is measured by: what was written, or the number that it is a cast of."""
        state = self._state
        source = FORMATS[state.source]
        if state.asked is not None and bits == state.bits:
            asked: Asked = state.asked
            return asked
        value = value_of(bits, source)
        if state.focus == state.source or (isinstance(value, float) and not math.isfinite(value)):
            return None
        return Asked(written(bits, source).rstrip("."), Fraction(value))

    def _note(self, name: str, bits: int) -> str:
        if name == self._state.source:
            return self._cell.note
        return f"from {self._state.source}: {story(bits, FORMATS[self._state.source], FORMATS[name]).verdict}"

    def _controls(self) -> Sequence[Control]:
        state, cell = self._state, self._cell.at(self._state.index)
        number = ""
        if not cell.fault():
            bits = self._now()
            kept = state.asked is not None and bits == state.bits
            number = state.asked.text if kept else written(bits, FORMATS[state.source])
        return bit_controls(number, state.shown, state.focus, state.target, cell.size, state.index)

    def _heard(self, _widget: Any, message: Any, _buffers: Any) -> None:
        super()._heard(_widget, message, _buffers)
        # Not under this widget's own lock: another one may be waiting for it with its own in hand.
        if isinstance(message, dict) and message.get("kind") in WRITES and not self._closed:
            self._others()

    def _do(self, kind: str, message: Mapping[str, Any]) -> None:
        value, key = message.get("value"), message.get("key")
        if kind == "flip" and isinstance(key, str):
            self._flip(key)
        elif kind == "go" and key in ("next:low", "next:high"):
            self._go_to(str(key))
        elif kind == "value" and isinstance(value, str):
            self._enter(value)
        elif kind == "explain" and value in self._state.shown:
            self._explain(str(value))
        elif kind == "cast" and isinstance(value, str) and value in ("", *FORMATS):
            self._change(target=value, at=0)
        elif kind.startswith("show-") and kind[5:] in FORMATS:
            self._toggle(kind[5:], bool(value))
        elif kind.startswith("index-"):
            self._pick(kind[6:], value)

    def _flip(self, key: str) -> None:
        name, _, digits = key.partition(":")
        place = whole_number(digits)
        if name not in FORMATS or place is None:
            return
        if place < (1 if name == "bool" else FORMATS[name].width):
            self._put(self._cast(FORMATS[name]) ^ (1 << place), name, None)

    def _go_to(self, key: str) -> None:
        name = self._state.focus if self._state.focus in self._state.shown else self._state.source
        found = neighbours(self._cast(FORMATS[name]), FORMATS[name])[key == "next:high"]
        if found is not None:
            self._put(found, name, None)

    def _toggle(self, name: str, on: bool) -> None:
        kept = tuple(n for n in self._state.shown if n != name)
        shown = tuple(sorted((*kept, name), key=rank)) if on else kept
        focus = name if on else self._state.focus if self._state.focus in shown else next(iter(shown), "")
        self._change(shown=shown, focus=focus, target="", at=0)

    def _pick(self, which: str, value: Any) -> None:
        size = () if isinstance(self._cell, NumberCell) else self._cell.size
        dim = whole_number(which)
        if dim is None or dim >= len(size) or type(value) is not int:
            return
        index = list(self._state.index)
        index[dim] = max(0, min(value, size[dim] - 1))
        self._change(index=tuple(index), bits=self._cell.at(tuple(index)).read(), asked=None)

    def _facts(self) -> Mapping[str, str]:
        state = self._state
        if self._cell.at(state.index).fault():
            return {"dtype": state.source}
        bits, source = self._now(), FORMATS[state.source]
        return {
            "dtype": state.source, "value": written(bits, source), "bits": f"{bits:0{source.width}b}",
            "shown": ",".join(state.shown), "explained": state.focus, "target": state.target,
            "index": ",".join(map(str, state.index)),
        }  # fmt: skip


def _same_places(row: BitRow, rows: Sequence[BitRow]) -> dict[int, tuple[str, ...]]:
    """Which bits of the other rows mean the same as a bit of this one: they light up together."""
    out = dict[int, tuple[str, ...]]()
    for other in rows:
        if other.format != row.format:
            for place, there in places(row.format, other.format):
                out[place] = (*out.get(place, ()), f"{other.called}:{there}")
    return out
