"""`ConvExplorer`: a kernel slides over an image, and each window that it lies on is a view of it.

>>> w = ConvExplorer(tk.arange(16.0).view(4, 4), tk.ones(3, 3))
>>> w.run().steps, w.status, w.tile(1, "y:0,0")
(4, 'ok', '45.')
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from tensorkit_widgets.conv.model import Convolution, Pair, convolved
from tensorkit_widgets.conv.scene import Moment, Part, compose_conv, compose_refused
from tensorkit_widgets.drawing.page_width import FEW
from tensorkit_widgets.drawing.sheet import Sheet
from tensorkit_widgets.snapshot.adapter import Snapshot, describe, library_of, link_of, look
from tensorkit_widgets.snapshot.geometry import Ints
from tensorkit_widgets.snapshot.number_text import short, size_text
from tensorkit_widgets.snapshot.window import Window
from tensorkit_widgets.widget.board import Board, Control, State
from tensorkit_widgets.widget.caller import called
from tensorkit_widgets.widget.picture import css

Number = bool | int | float | complex

MOST, MOST_RESULTS, MOST_ROWS, MOST_WIDE = 6, 5, 4, 12
"""Rows and columns that are shown of the input, of the kernel and the result; rows and columns of im2col."""
MOST_COPIED = 1_000_000
"""Numbers that im2col may have to be shown."""
MOST_PRODUCTS = 20_000_000
"""Numbers that are multiplied for one picture: beyond it a picture would keep its cell waiting."""


@dataclass(frozen=True)
class _State(State):
    image: int = 0
    channel: int = 0
    kernel: int = 0
    rows: bool = False


class ConvExplorer(Board):
    """A convolution: every step lays the kernel on one window, and adds up what lies on one another.

    Args:
        x: an image (height, width), (channels, height, width) or (images, channels, height, width). It is not copied.
        w: kernels: (height, width), (channels, height, width) or (kernels, channels, height, width).
        stride: how far the window goes from step to step; one number, or (down, across).
        padding: rows and columns of zeros around the image; a number, two, ``"valid"`` or ``"same"``.
        dilation: how far apart the numbers of a window are.
        names: what the two are called; by default their names where the widget is made, else ``x`` and ``w``.
        im2col: whether each window is shown as a row too.

    Raises:
        TypeError: for what has no convolution, or an unknown keyword.
    """

    kind = "conv-explorer"
    live = ("_pair",)
    styles = ("sheet.css", "board.css", "conv.css")
    _css = css("sheet.css", "board.css", "conv.css")

    def __init__(
        self,
        x: Any,
        w: Any,
        stride: int | Sequence[int] = 1,
        padding: int | Sequence[int] | str = 0,
        dilation: int | Sequence[int] = 1,
        *,
        names: Sequence[str] | None = None,
        im2col: bool = False,
        **unknown: Any,
    ) -> None:
        if unknown:
            words = ", ".join(sorted(unknown))
            raise TypeError(
                f"ConvExplorer has no option {words}: it takes x, w, stride, padding, dilation, names and im2col"
            )
        if library_of(x) != library_of(w):
            raise TypeError(f"x and w must be of one library, not of {library_of(x)} and {library_of(w)}")
        if library_of(x) == "numpy":
            raise TypeError("NumPy has no conv2d: give tensors of tensorkit or PyTorch, as from_numpy(x)")
        for name, tensor in (("x", x), ("w", w)):
            if not 2 <= len(describe(tensor).size) <= 4:
                raise TypeError(f"{name} must have 2, 3 or 4 dimensions, not {len(describe(tensor).size)}")
        self._pair = (x, w)
        one, other = (None, None) if names is None else names
        self._names = (called(x, "x", one), called(w, "w", other))
        self._asked = {"stride": stride, "padding": padding, "dilation": dilation}
        self._settings = (_pair(stride, "stride"), _padding(padding), _pair(dilation, "dilation"))
        self._begin(_State(rows=bool(im2col)))

    # ---- what Python sees

    @property
    def status(self) -> str:
        """``ok``, or ``refused`` when the library refuses the convolution."""
        with self._guard:
            return "refused" if isinstance(self._made(), str) else "ok"

    def tile(self, step: int, key: str) -> str:
        """The text of one tile of a step's picture, such as ``"y:0,1"``."""
        with self._guard:
            tiles = {tile.key: tile for table in self._sheet(step).tables for tile in table.tiles}
            return tiles[key].text

    # ---- the convolution

    def _counts(self) -> tuple[int, int, int]:
        """How many images, channels and kernels there are."""
        x, w = (describe(own).size for own in self._pair)
        return (x[0] if len(x) == 4 else 1, x[-3] if len(x) > 2 else 1, w[0] if len(w) == 4 else 1)

    def _chosen(self) -> tuple[int, int, int]:
        wanted = (self._state.image, self._state.channel, self._state.kernel)
        image, channel, kernel = (max(0, min(k, n - 1)) for k, n in zip(wanted, self._counts(), strict=True))
        return image, channel, kernel

    def _made(self) -> Convolution | str:
        """The convolution, or the library's refusal."""
        x, w = (describe(own) for own in self._pair)
        count = prod(x.size[-3:]) * prod(w.size[-2:])
        if count > MOST_PRODUCTS:
            return f"{count:,} products are too many for a picture: slice the image first, as in x[:1, :, :16, :16]."
        if 0 in self._counts():
            return f"there is nothing to show: the sizes are {size_text(x.size)} and {size_text(w.size)}."
        try:
            stride, padding, dilation = self._settings
            return convolved(*self._pair, stride, padding, dilation, self._chosen())
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    def _steps(self) -> int:
        made = self._made()
        return 0 if isinstance(made, str) else prod(describe(made.result).size)

    # ---- the board

    def _sheet(self, at: int) -> Sheet:
        made = self._made()
        if isinstance(made, str):
            sizes = [(name, describe(own).size) for name, own in zip(self._names, self._pair, strict=True)]
            return compose_refused(self._title(), sizes, made, self._width)
        columns = describe(made.result).size[1]
        place = divmod(at - 1, columns) if at and columns else None
        narrow = self._width < FEW
        x, w = self._names
        seen = MOST - 1 if narrow else MOST
        padded = describe(made.plane).size != made.inside
        corner = self._corner(place or (0, 0))
        parts = (
            Part(
                "x",
                f"{x}, padded" if padded else x,
                _seen(made.plane, corner, seen),
                None if padded else link_of(describe(made.plane)),
            ),
            Part("w", w, _seen(made.kernel, (0, 0), MOST_RESULTS), link_of(describe(made.kernel))),
            Part("y", "result", _seen(made.result, _around(place or (0, 0), MOST_RESULTS), MOST_RESULTS)),
        )
        rows = self._rows(made, place) if self._state.rows and self._copied(made) <= MOST_COPIED else None
        known = self._known(made, parts[2].snapshot, at)
        return compose_conv(self._title(), parts, rows, self._told(made, place, known, padded), self._width)

    def _copied(self, made: Convolution) -> int:
        """How many numbers im2col has."""
        return prod(describe(made.windows).size)

    def _known(self, made: Convolution, seen: Snapshot, at: int) -> dict[Ints, Number]:
        """What is in sight of the result after so many elements."""
        columns = describe(made.result).size[1]
        return {index: value for index, value in _values(seen).items() if index[0] * columns + index[1] < at}

    def _title(self) -> str:
        usual = {"stride": 1, "padding": 0, "dilation": 1}
        told = [f"{key}={value!r}" for key, value in self._asked.items() if value != usual[key]]
        return f"conv2d({', '.join([*self._names, *told])})"

    def _corner(self, place: Ints) -> Ints:
        """Where a window begins."""
        return tuple(i * s for i, s in zip(place, self._settings[0], strict=True))

    def _rows(self, made: Convolution, place: Ints | None) -> Part:
        rows, columns, *kernel = describe(made.windows).size
        table = made.windows.reshape(rows * columns, prod(kernel))
        row = 0 if place is None else place[0] * columns + place[1]
        size = describe(table).size
        low = max(0, min(row - 1, size[0] - MOST_ROWS))
        wide = MOST_WIDE // 2 if self._width < FEW else MOST_WIDE
        window = Window((low, 0), (min(size[0], MOST_ROWS), min(size[1], wide)))
        return Part("r", "im2col: each window as a row", look(table, window, ()))

    def _told(self, made: Convolution, place: Ints | None, known: dict[Ints, Number], padded: bool) -> Moment:
        top, left = made.edge
        high, wide = made.inside

        def edge(index: Ints) -> bool:
            return not (top <= index[0] < top + high and left <= index[1] < left + wide)

        size = describe(made.windows)
        source = f"{self._names[0]}_padded" if padded else self._names[0]
        code = f"windows = {source}.as_strided({size_text(size.size)}, {size_text(size.stride)})"
        if len(describe(self._pair[0]).size) > 2:
            code = f"windows of one channel: size {size_text(size.size)}, strides {size_text(size.stride)}"
        if place is None:
            return Moment(frozenset(), edge, None, None, known, (code,), self._before(made, padded))
        lit = self._lit(made, place)
        row = place[0] * describe(made.result).size[1] + place[1]
        words = self._during(made, place)
        return Moment(lit, edge, place, row, known, (code, self._sum(made, place)), words)

    def _lit(self, made: Convolution, place: Ints) -> frozenset[Ints]:
        """The elements of the input that lie in the window."""
        corner, apart = self._corner(place), self._settings[2]
        spans = (range(n) for n in describe(made.kernel).size)
        return frozenset(
            tuple(c + k * a for c, k, a in zip(corner, offset, apart, strict=True))
            for offset in product(*spans)
        )

    def _sum(self, made: Convolution, place: Ints) -> str:
        """The products of the window and the kernel, and what the other channels add."""
        window, kernel = (list(_all(part).values()) for part in (made.windows[place], made.kernel))
        terms = [f"{_bare(a)}·{_bare(b)}" for a, b in zip(window, kernel, strict=True)]
        shown = " + ".join(terms[:9]) + (f" + {len(terms) - 9} more" if len(terms) > 9 else "")
        channel = self._chosen()[1]
        others = [
            f"{_bare(value)} (channel {k})"
            for k, value in enumerate(_all(made.shares[(slice(None), *place)]).values())
            if k != channel
        ]
        if others:
            shown = " + ".join([f"({shown})", *others[:2]])
            shown += f" + {len(others) - 2} more channels" if len(others) > 2 else ""
        (value,) = _all(made.result[place]).values()
        return f"{shown} = {_bare(value)}"

    def _before(self, made: Convolution, padded: bool) -> tuple[str, ...]:
        size = describe(made.windows).size
        if 0 in describe(made.result).size:
            return ("The result has no elements.",)
        count = size[0] * size[1]
        words = [
            f"The kernel slides over {count:,} {'window' if count == 1 else 'windows'}. On each, numbers that lie on "
            "one another are multiplied, and the products added: that is one number of the result."
        ]
        if padded:
            words.append("Padding is a copy with zeros around it; the windows are views of that copy.")
        else:
            words.append(
                "No number is copied for it: the windows are a view, and overlap in the same storage."
            )
        return tuple(words)

    def _during(self, made: Convolution, place: Ints) -> tuple[str, ...]:
        meta = describe(made.windows)
        slot = meta.offset + sum(i * s for i, s in zip(place, meta.stride, strict=False))
        words = [
            f"windows{list(place)} begins at slot {slot:,} and has strides {size_text(meta.stride[2:])}: times the "
            f"kernel, and summed, it is element {list(place)} of the result."
        ]
        if self._state.rows:
            copied, own = self._copied(made), prod(made.inside)
            more = "It is too large to be shown." if copied > MOST_COPIED else ""
            words.append(
                f"im2col writes every window into a row of its own: {copied:,} numbers are copied from {own:,}, so "
                f"that one matrix product does the whole convolution. {more}".strip()
            )
        return tuple(words)

    def _controls(self) -> Sequence[Control]:
        if isinstance(self._made(), str):
            return ()
        out = [
            Control("rows", "toggle", "im2col", self._state.rows, title="each window as a row of a matrix")
        ]
        for role, here, n in zip(("image", "channel", "kernel"), self._chosen(), self._counts(), strict=True):
            if n > 1:
                out.append(Control(role, "range", role, here, low=0, high=n - 1))
        return out

    def _do(self, kind: str, message: Mapping[str, Any]) -> None:
        value = message.get("value")
        if kind == "rows" and isinstance(value, bool):
            self._change(rows=value)
        elif kind in ("image", "channel", "kernel") and type(value) is int:
            self._change(**{kind: max(0, min(value, 1 << 20))})

    def _facts(self) -> Mapping[str, str]:
        made = self._made()
        return {"size": "" if isinstance(made, str) else ",".join(map(str, describe(made.result).size))}


def _seen(plane: Any, corner: Ints, most: int) -> Snapshot:
    """A part of a matrix, as much as there is room for, with this corner in it."""
    size = describe(plane).size
    count = tuple(min(n, most) for n in size)
    origin = tuple(max(0, min(c, n - k)) for c, n, k in zip(corner, size, count, strict=True))
    return look(plane, Window(origin, count), ())


def _around(place: Ints, most: int) -> Ints:
    """The corner of a window that has an element in its middle."""
    return tuple(max(0, i - most // 2) for i in place)


def _all(tensor: Any) -> dict[Ints, Number]:
    """Every number of a small tensor by its index."""
    size = describe(tensor).size
    return _values(look(tensor, Window((0,) * len(size), size), ()))


def _values(seen: Snapshot) -> dict[Ints, Number]:
    """The numbers in sight by their index."""
    spans = (range(o, o + n) for o, n in zip(seen.window.origin, seen.window.count, strict=True))
    return dict(zip(product(*spans), seen.grid, strict=True))


def _bare(value: Number) -> str:
    return short(value, "float64").removesuffix(".")


def _pair(value: int | Sequence[int], name: str) -> Pair:
    """One number for both directions, or one for each."""
    both = (value, value) if isinstance(value, int) else tuple(value)
    if len(both) != 2 or not all(type(n) is int for n in both):
        raise TypeError(f"{name} must be a number or two, not {value!r}")
    return both[0], both[1]


def _padding(value: int | Sequence[int] | str) -> Pair | str:
    return value if isinstance(value, str) else _pair(value, "padding")
