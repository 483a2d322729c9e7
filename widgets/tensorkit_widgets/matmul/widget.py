"""`MatmulExplorer`: where a row meets a column, product by product, or tile by tile as a fast kernel goes.

>>> import numpy
>>> w = MatmulExplorer(numpy.array([[1.0, 2.0]]), numpy.array([[3.0], [4.0]]))
>>> w.run().steps, w.status, w.tile(1, "c:0,0")
(1, 'ok', '11.')
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product, zip_longest
from math import prod
from typing import Any

from tensorkit_widgets.diagnosis.way_out import way_out
from tensorkit_widgets.drawing.sheet import Sheet
from tensorkit_widgets.matmul.scene import Factor, Moment, Number, compose_matmul, compose_refused
from tensorkit_widgets.snapshot.adapter import Snapshot, describe, library_of, link_of, look, quietly
from tensorkit_widgets.snapshot.arrays import as_tensor
from tensorkit_widgets.snapshot.geometry import Ints
from tensorkit_widgets.snapshot.number_text import whole_number
from tensorkit_widgets.snapshot.window import Window
from tensorkit_widgets.widget.board import Board, Control, State
from tensorkit_widgets.widget.caller import called

MOST = 5
"""Rows and columns that are shown of each matrix."""

MOST_PRODUCTS = 500_000_000
"""Numbers that are multiplied for one picture: beyond it a picture would keep its cell waiting."""


@dataclass(frozen=True)
class _State(State):
    lead: Ints = ()
    tiled: bool = False
    side: int = 2


@dataclass(frozen=True)
class _Product:
    """The two factors as matrices (a vector has a dimension of 1), their product, and what can be seen of them."""

    a: Any
    b: Any
    result: Any
    inner: int

    @property
    def shown(self) -> tuple[int, int, int]:
        """How many rows, inner places and columns are in the window."""
        rows, columns = describe(self.result).size[-2:]
        return min(rows, MOST), min(self.inner, MOST), min(columns, MOST)


class MatmulExplorer(Board):
    """A matrix product: every step lights the row and the column that make one number.

    Args:
        a, b: matrices, vectors, or batches of them, of one library. They are not copied.
        names: what the two are called; by default their names where the widget is made, else ``a`` and ``b``.
        tile: compute tile by tile, with tiles of this many rows and columns (1 to 4), as the fast kernels do.

    Raises:
        TypeError: for something that cannot be drawn, or an unknown keyword.
        ValueError: for another size of tiles.
    """

    kind = "matmul-explorer"
    live = ("_pair",)

    def __init__(
        self, a: Any, b: Any, *, names: Sequence[str] | None = None, tile: int | None = None, **unknown: Any
    ) -> None:
        if unknown:
            words = ", ".join(sorted(unknown))
            raise TypeError(f"MatmulExplorer has no option {words}: it takes a, b, names and tile")
        if tile is not None and tile not in (1, 2, 3, 4):
            raise ValueError(f"tile must be 1, 2, 3 or 4, not {tile!r}")
        if library_of(a) != library_of(b):
            raise TypeError(f"a and b must be of one library, not of {library_of(a)} and {library_of(b)}")
        self._pair = (a, b)
        one, other = (None, None) if names is None else names
        self._names = (called(a, "a", one), called(b, "b", other))
        self._begin(_State(tiled=tile is not None, side=tile or 2))

    # ---- what Python sees

    @property
    def status(self) -> str:
        """``ok``, or ``refused`` when the sizes or dtypes do not fit."""
        with self._guard:
            return "refused" if isinstance(self._product(), str) else "ok"

    def tile(self, step: int, key: str) -> str:
        """The text of one tile of a step's picture, such as ``"c:0,1"``."""
        with self._guard:
            tiles = {tile.key: tile for table in self._sheet(step).tables for tile in table.tiles}
            return tiles[key].text

    # ---- the product

    def _product(self) -> _Product | str:
        """Factors and result as matrices, computed by the library itself on what is shown; or its refusal."""
        a, b = self._pair
        count = _products(describe(a).size, describe(b).size)
        if count > MOST_PRODUCTS:
            return (
                f"{count:,} products are too many for a picture: slice the matrices first, as in a[:8, :8]."
            )
        try:
            with quietly(library_of(a)):
                whole = a @ b
                left = a[None, :] if len(describe(a).size) == 1 else a
                right = b[:, None] if len(describe(b).size) == 1 else b
                return _Product(left, right, self._matrix(whole), describe(left).size[-1])
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    def _matrix(self, whole: Any) -> Any:
        """The result with the dimensions that a vector had taken away."""
        one, other = (len(describe(part).size) for part in self._pair)
        whole = as_tensor(whole)
        if other == 1:
            whole = whole[..., None]
        return whole[..., None, :] if one == 1 else whole

    def _held(self, size: Ints) -> Ints:
        """The place in the leading dimensions of a factor or of the result that is shown (a size of 1 is stretched)."""
        ahead = size[:-2]
        lead = self._state.lead[len(self._state.lead) - len(ahead) :] if ahead else ()
        lead = (*([0] * (len(ahead) - len(lead))), *lead)
        return tuple(min(place, n - 1) for place, n in zip(lead, ahead, strict=True))

    def _look(self, tensor: Any) -> Snapshot:
        size = describe(tensor).size
        held = self._held(size)
        count = tuple(min(n, MOST) for n in size[-2:])
        return look(tensor, Window((*held, 0, 0), (*([1] * len(held)), *count)), ())

    # ---- the board

    def _blocks(self, made: _Product) -> list[tuple[int, int, int]]:
        """Which tile of the result is in work, and which block of the inner dimension, step by step."""
        side = self._state.side
        rows, inner, columns = (range(0, n, side) for n in made.shown)
        return list(product(rows, columns, inner))

    def _steps(self) -> int:
        made = self._product()
        if isinstance(made, str):
            return 0
        rows, _, columns = made.shown
        return len(self._blocks(made)) if self._state.tiled else rows * columns

    def _sheet(self, at: int) -> Sheet:
        made = self._product()
        if isinstance(made, str):
            metas = describe(self._pair[0]), describe(self._pair[1])
            operands = list(zip(self._names, self._pair, strict=True))
            way = way_out("matmul", made, operands, code=" @ ".join(self._names))
            return compose_refused(self._names, metas, made, self._width, way)
        factors, whole = self._factors(made)
        result = whole.snapshot
        if 0 in result.window.count:
            moment = Moment(words=("The result has no elements: one of its sizes is 0.",))
        elif self._state.tiled:
            moment = self._by_tile(made, factors, result, at)
        else:
            moment = _by_element(made, factors, result, at)
        return compose_matmul(factors[0], factors[1], whole, _told(moment, made), self._width)

    def _factors(self, made: _Product) -> tuple[list[Factor], Factor]:
        """Both factors and their product, as matrices that know which of their dimensions a vector does not have."""
        a, b = (describe(own) for own in self._pair)
        row, column = len(a.size) == 1, len(b.size) == 1
        last = len(describe(made.result).size) - 1
        factors = [
            Factor(self._names[0], self._look(made.a), link_of(a), a.size, (0,) if row else ()),
            Factor(self._names[1], self._look(made.b), link_of(b), b.size, (1,) if column else ()),
        ]
        gone = (last - 1,) * row + (last,) * column
        seen = self._look(made.result)
        size = tuple(n for d, n in enumerate(seen.meta.size) if d not in gone)
        return factors, Factor(" @ ".join(self._names), seen, None, size, gone)

    def _by_tile(self, made: _Product, factors: list[Factor], result: Snapshot, at: int) -> Moment:
        """The moment after ``at`` blocks of the tiled order."""
        blocks, side = self._blocks(made), self._state.side
        values = _values(result)
        if at == 0:
            words = f"A kernel computes the result in tiles of {side} × {side}: it keeps one tile of sums at hand, and "
            return Moment(words=(words + "walks through a and b block by block.",))
        i, j, k = blocks[at - 1]
        rows, inner, columns = (
            range(start, min(start + side, n)) for start, n in zip((i, k, j), made.shown, strict=True)
        )
        finished = {(p, q) for p, q, s in blocks[:at] if s == blocks[-1][2]}
        known = {place: value for place, value in values.items() if _tile_of(place, side) in finished}
        if (i, j) not in finished:
            known |= _partial(factors, values, rows, range(inner.stop), columns)
        order = sorted(known, key=lambda place: (place[-2] in rows and place[-1] in columns, place))
        count = len(range(0, made.shown[1], side))
        words = (
            f"Tile ({i // side}, {j // side}) of the result: block {k // side + 1} of {count} of the inner "
        )
        words += "dimension is added; each number of the two small blocks is read once and used "
        words += f"{side} times."
        return Moment(rows, inner, columns, tuple((p, known[p]) for p in order), words=(words,))

    def _controls(self) -> Sequence[Control]:
        made = self._product()
        if isinstance(made, str):
            return ()
        out = [Control("tiled", "toggle", "tile by tile", self._state.tiled, title="as a fast kernel goes")]
        if self._state.tiled:
            out.append(Control("side", "range", "tile", self._state.side, low=1, high=4))
        for d, n in enumerate(describe(made.result).size[:-2]):
            if n > 1:
                here = self._state.lead[d] if d < len(self._state.lead) else 0
                out.append(Control(f"lead-{d}", "range", f"dim {d}", here, low=0, high=n - 1))
        return out

    def _do(self, kind: str, message: Mapping[str, Any]) -> None:
        value = message.get("value")
        if kind == "tiled" and isinstance(value, bool):
            self._change(tiled=value, at=0)
        elif kind == "side" and value in (1, 2, 3, 4) and type(value) is int:
            self._change(side=value, at=0)
        elif kind.startswith("lead-") and type(value) is int and (dim := whole_number(kind[5:])) is not None:
            made = self._product()
            size = () if isinstance(made, str) else describe(made.result).size[:-2]
            if dim < len(size):
                lead = [*self._state.lead, *([0] * len(size))][: len(size)]
                lead[dim] = max(0, min(value, size[dim] - 1))
                self._change(lead=tuple(lead))

    def _facts(self) -> Mapping[str, str]:
        made = self._product()
        size = "" if isinstance(made, str) else ",".join(map(str, describe(made.result).size))
        return {"size": size, "tiled": str(self._state.tiled).lower()}


def _products(a: Ints, b: Ints) -> int:
    """How many pairs of numbers are multiplied; 0 where the library refuses before it begins."""
    rows, inner = (a[-2:-1] or (1,)), a[-1:]
    columns = b[-1:] if len(b) > 1 else (1,)
    if not inner or inner != (b[-2:-1] or b[-1:]):
        return 0
    ahead = zip_longest(reversed(a[:-2]), reversed(b[:-2]), fillvalue=1)
    lead = prod(max(one, other) for one, other in ahead)
    return lead * rows[0] * inner[0] * columns[0]


def _values(result: Snapshot) -> dict[Ints, Number]:
    """The visible numbers of the result by their index."""
    window = result.window
    spans = [range(o, o + n) for o, n in zip(window.origin, window.count, strict=True)]
    return dict(zip(product(*spans), result.grid, strict=True))


def _tile_of(place: Ints, side: int) -> tuple[int, int]:
    return place[-2] // side * side, place[-1] // side * side


def _grid(snapshot: Snapshot) -> list[tuple[Number, ...]]:
    """The visible numbers of a factor, row by row."""
    width = snapshot.window.count[-1]
    return [snapshot.grid[k * width : (k + 1) * width] for k in range(snapshot.window.count[-2])]


def _partial(
    factors: list[Factor], values: dict[Ints, Number], rows: range, inner: range, columns: range
) -> dict[Ints, Number]:
    """The sums so far of the places in work."""
    a, b = (_grid(factor.snapshot) for factor in factors)
    lead = next(iter(values))[:-2]
    return {
        (place := (*lead, i, j)): type(values[place])(sum(a[i][k] * b[k][j] for k in inner))
        for i in rows
        for j in columns
    }


def _by_element(made: _Product, factors: list[Factor], result: Snapshot, at: int) -> Moment:
    """The moment after ``at`` elements of the result, row by row."""
    values = _values(result)
    places = list(values)
    known = tuple((place, values[place]) for place in places[:at])
    if at == 0:
        row, column = _row_and_column(factors, "a row", "a column")
        words = f"Every number of the result is made of {row} and {column}: "
        told = words + "their numbers are multiplied pair by pair, and the products added."
        return Moment(words=(told, *_vectors(factors)))
    place = places[at - 1]
    i, j = place[-2:]
    a, b = (_grid(factor.snapshot) for factor in factors)
    pairs = tuple((x, row[j]) for x, row in zip(a[i], b, strict=True))
    row, column = _row_and_column(factors, f"Row {i}", f"column {j}")
    words = f"{row} and {column} have {made.inner:,} {'pair' if made.inner == 1 else 'pairs'} of numbers: "
    element = [*place[:-2], *([] if factors[0].gone else [i]), *([] if factors[1].gone else [j])]
    words += (
        f"their products add up to {f'element {element}' if element else 'the one number of the result'}."
    )
    inner = range(made.shown[1])
    return Moment(range(i, i + 1), inner, range(j, j + 1), known, pairs, made.inner - len(inner), (words,))


def _row_and_column(factors: list[Factor], row: str, column: str) -> tuple[str, str]:
    """What meets, in words: a row and a column, or a vector itself."""
    a, b = factors
    return (
        a.name if a.gone else f"{row} of {a.name}",
        b.name if b.gone else f"{column} of {b.name}",
    )


def _vectors(factors: list[Factor]) -> Iterator[str]:
    """What becomes of a vector."""
    for factor, kind in zip(factors, ("row", "column"), strict=True):
        if factor.gone:
            yield f"{factor.name} is a vector: it is taken as one {kind}, and the result has no dimension for it."


def _told(moment: Moment, made: _Product) -> Moment:
    """With a sentence about what is out of sight."""
    rows, columns = describe(made.result).size[-2:]
    if max(rows, columns, made.inner) <= MOST:
        return moment
    words = f"Only the first {MOST} rows and columns are shown; the finished numbers of the result are of the whole."
    return replace(moment, words=(*moment.words, words))
