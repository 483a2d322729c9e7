"""`ImageView`: an image tensor beside its numbers and its storage, with the channels separable.

>>> import numpy
>>> w = ImageView(numpy.zeros((8, 8, 3), numpy.uint8))
>>> w.order, w.size
('HWC', (8, 8))
>>> w.close()
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from tensorkit_widgets.drawing.pixels import as_bytes, png
from tensorkit_widgets.drawing.sheet import PAGE, Sheet
from tensorkit_widgets.image.scene import ImageFacts, Shot, compose_image
from tensorkit_widgets.snapshot.adapter import Meta, Snapshot, describe, library_of, link_of, look, quietly
from tensorkit_widgets.snapshot.geometry import Ints, slot_of
from tensorkit_widgets.snapshot.number_text import whole_number
from tensorkit_widgets.snapshot.window import Window, strip_runs
from tensorkit_widgets.widget.board import Board, Control, State
from tensorkit_widgets.widget.caller import called

ORDERS = ("CHW", "HWC", "HW")
NAMES = {
    1: ("grey",),
    2: ("grey", "alpha"),
    3: ("red", "green", "blue"),
    4: ("red", "green", "blue", "alpha"),
}
MOST_PIXELS = 160
SEEN = 4


@dataclass(frozen=True)
class _State(State):
    lead: Ints = ()
    pixel: tuple[int, int] = (0, 0)
    apart: bool = False
    order: str = "HW"


class ImageView(Board):
    """A picture, the numbers of the pixels that you point at, and the slots in which they live.

    Args:
        tensor: ``(H, W)``, ``(C, H, W)``, ``(H, W, C)`` or a batch of these with further leading dimensions; bytes,
            floats (0 to 1), booleans or other real numbers. It is not copied, and shows what is written into it.
        order: ``"CHW"``, ``"HWC"`` or ``"HW"``; by default what the sizes suggest (1, 3 or 4 channels).
        name: what it is called; by default its name where the widget is made, else ``"image"``.

    Raises:
        TypeError: for something that cannot be drawn, complex numbers, or an unknown keyword.
        ValueError: for sizes that are no image, or another `order`.
    """

    kind = "image-view"
    live = ("_tensor",)

    def __init__(
        self, tensor: Any, order: str | None = None, *, name: str | None = None, **unknown: Any
    ) -> None:
        if unknown:
            raise TypeError(
                f"ImageView has no option {', '.join(sorted(unknown))}: it takes a tensor, order and name"
            )
        meta = describe(tensor)
        if meta.dtype.startswith("complex"):
            raise TypeError("an image is made of real numbers, not of complex ones")
        self._tensor, self._name = tensor, called(tensor, "image", name)
        self._begin(_State(order=_order(meta.size, order)))

    # ---- what Python sees

    @property
    def order(self) -> str:
        """How the dimensions are read: ``CHW``, ``HWC`` or ``HW``."""
        return str(self._state.order)

    @property
    def size(self) -> tuple[int, int]:
        """Height and width in pixels."""
        facts = self._facts_of(describe(self._tensor))
        return facts.rows, facts.columns

    # ---- the image

    def _dims(self, meta: Meta) -> tuple[int, int, int | None]:
        """Which dimensions are the rows, the columns and the channels."""
        n = len(meta.size)
        return {"HW": (n - 2, n - 1, None), "CHW": (n - 2, n - 1, n - 3), "HWC": (n - 3, n - 2, n - 1)}[
            self.order
        ]

    def _held(self, meta: Meta) -> Ints:
        """The image of a batch that is shown."""
        ahead = meta.size[: len(meta.size) - len(self.order)]
        lead = (*self._state.lead, *([0] * len(ahead)))[: len(ahead)]
        return tuple(max(0, min(place, n - 1)) for place, n in zip(lead, ahead, strict=True))

    def _facts_of(self, meta: Meta) -> ImageFacts:
        row, column, channel = self._dims(meta)
        rows, columns = meta.size[row], meta.size[column]
        channels = 1 if channel is None else meta.size[channel]
        at = tuple(max(0, min(p, n - 1)) for p, n in zip(self._state.pixel, (rows, columns), strict=True))
        corner = tuple(max(0, min(p - 1, n - SEEN)) for p, n in zip(at, (rows, columns), strict=True))
        names = NAMES.get(channels, tuple(f"channel {k}" for k in range(channels)))
        order = {"HW": "height by width", "CHW": "channels first", "HWC": "channels last"}[self.order]
        return ImageFacts(
            rows, columns, channels, row, column, channel, names, (at[0], at[1]), (corner[0], corner[1]),
            link_of(meta), order,
        )  # fmt: skip

    def _pixels(self, meta: Meta, facts: ImageFacts) -> Any:
        """The picture as an array ``(H, W, C)``, thinned out when it is large: only what is shown is read."""
        step = max(1, -(-max(facts.rows, facts.columns) // MOST_PIXELS))
        key: list[Any] = [*self._held(meta), *([slice(None)] * len(self.order))]
        key[facts.row_dim] = key[facts.column_dim] = slice(None, None, step)
        with quietly(library_of(self._tensor)):
            part = self._tensor[tuple(key)]
            if meta.library != "numpy":
                part = part.detach().cpu()
                part = part.float() if meta.dtype == "bfloat16" else part
                part = part.numpy()
        array = numpy.asarray(part)
        if self.order == "HW":
            array = array[..., None]
        return array.transpose(1, 2, 0) if self.order == "CHW" else array

    def _shots(self, meta: Meta, facts: ImageFacts) -> tuple[tuple[Shot, ...], str]:
        """The whole as a picture, its channels if they are wanted, and how the numbers were read."""
        array, said = as_bytes(self._pixels(meta, facts))
        channels = array.shape[-1]
        known = channels in (1, 3, 4)
        whole = array if known else numpy.repeat(array[..., :1], 3, -1)
        what = "all channels" if known and channels > 1 else facts.names[0]
        shots = [Shot(png(whole), what)]
        if self._state.apart and channels > 1:
            for k in range(min(channels, 4)):
                one = numpy.zeros((*array.shape[:2], 3), numpy.uint8)
                tint = [k] if channels >= 3 and k < 3 else [0, 1, 2]
                one[..., tint] = array[..., k : k + 1]
                shots.append(Shot(png(one), facts.names[k]))
        return tuple(shots), said

    # ---- the board

    def _sheet(self, at: int) -> Sheet:
        meta = describe(self._tensor)
        facts = self._facts_of(meta)
        if meta.fault or not facts.rows or not facts.columns or not facts.channels:
            words = meta.fault or "The image has no pixels: one of its sizes is 0."
            return Sheet("ImageView", self._name, 60, words=(words,), said=words, status="empty")
        shots, said = self._shots(meta, facts)
        window = self._window(meta, facts)
        told = tuple(filter(None, (self._where(meta, facts), said)))
        return compose_image(self._name, self._snapshot(meta, facts, window), facts, shots, told, self._width)

    def _window(self, meta: Meta, facts: ImageFacts) -> Window:
        origin, count = [*self._held(meta), *([0] * len(self.order))], [1] * len(meta.size)
        for dim, start, n in (
            (facts.row_dim, facts.corner[0], facts.rows),
            (facts.column_dim, facts.corner[1], facts.columns),
        ):
            origin[dim], count[dim] = start, min(SEEN, n)
        if facts.channel_dim is not None:
            count[facts.channel_dim] = min(facts.channels, 4)
        return Window(tuple(origin), tuple(count))

    def _snapshot(self, meta: Meta, facts: ImageFacts, window: Window) -> Snapshot:
        slots = []
        for channel in range(min(facts.channels, 4)):
            index = list(window.origin)
            index[facts.row_dim], index[facts.column_dim] = facts.pixel
            if facts.channel_dim is not None:
                index[facts.channel_dim] = channel
            slots.append(slot_of(index, meta.stride, meta.offset))
        # On a narrow page, where they may take several lines, fewer around those of the pixel.
        room = 15 if self._width == PAGE else 9
        return look(self._tensor, window, strip_runs(meta.slots, slots, room, len(slots)))

    def _where(self, meta: Meta, facts: ImageFacts) -> str:
        row, column = facts.pixel
        index = list(self._window(meta, facts).origin)
        index[facts.row_dim], index[facts.column_dim] = row, column
        terms = " + ".join(f"{i}·{s}" for i, s in zip(index, meta.stride, strict=True))
        first = f", {facts.names[0]}," if facts.channels > 1 else ""
        slot = slot_of(index, meta.stride, meta.offset)
        road = f"storage[{meta.offset} + {terms}] = storage[{slot}]"
        return f"The pixel in row {row}, column {column}{first} lives at {road}."

    def _controls(self) -> Sequence[Control]:
        meta = describe(self._tensor)
        facts = self._facts_of(meta)
        out = [
            Control("row", "range", "row", facts.pixel[0], low=0, high=max(facts.rows - 1, 0)),
            Control("column", "range", "column", facts.pixel[1], low=0, high=max(facts.columns - 1, 0)),
        ]
        if facts.channels > 1:
            out.append(Control("apart", "toggle", "separate the channels", self._state.apart))
        if len(meta.size) >= 3:
            words = {"CHW": "(C, H, W)", "HWC": "(H, W, C)", "HW": "(…, H, W)"}
            out.append(Control("order", "choice", "read as", self.order, tuple(words.items())))
        for d, n in enumerate(meta.size[: len(meta.size) - len(self.order)]):
            if n > 1:
                out.append(Control(f"lead-{d}", "range", f"dim {d}", self._held(meta)[d], low=0, high=n - 1))
        return out

    def _do(self, kind: str, message: Mapping[str, Any]) -> None:
        value, key = message.get("value"), message.get("key")
        whole = value if type(value) is int and abs(value) < 1 << 31 else None
        row, column = self._state.pixel
        if kind == "row" and whole is not None:
            self._change(pixel=(max(0, whole), column))
        elif kind == "column" and whole is not None:
            self._change(pixel=(row, max(0, whole)))
        elif kind == "apart" and isinstance(value, bool):
            self._change(apart=value)
        elif kind == "order" and value in ORDERS and len(describe(self._tensor).size) >= len(str(value)):
            self._change(order=value, pixel=(0, 0), lead=())
        elif kind in ("look", "pixel") and isinstance(key, str):
            self._look_at(key)
        elif kind.startswith("lead-") and whole is not None and (dim := whole_number(kind[5:])) is not None:
            lead = [*self._state.lead, *([0] * 16)][:16]
            if dim < 16:
                lead[dim] = max(0, whole)
                self._change(lead=tuple(lead))

    def _look_at(self, key: str) -> None:
        """A tile of the picture or of the numbers, ``px:3,4`` or ``v:3,4,0``."""
        row, column = [*map(whole_number, key.partition(":")[2].split(",")[:2]), None, None][:2]
        if row is not None and column is not None:
            self._change(pixel=(row, column))

    def _facts(self) -> Mapping[str, str]:
        facts = self._facts_of(describe(self._tensor))
        return {
            "pixel": ",".join(map(str, facts.pixel)), "order": self.order, "apart": str(self._state.apart).lower(),
        }  # fmt: skip


def _order(size: Ints, wanted: str | None) -> str:
    """How the sizes are read as an image."""
    if wanted is not None and wanted not in ORDERS:
        raise ValueError(f"order must be 'CHW', 'HWC' or 'HW', not {wanted!r}")
    if len(size) < 2 or (wanted is not None and len(size) < len(wanted)):
        raise ValueError(f"an image has a height and a width, but the size is {list(size)}")
    if wanted is not None:
        return wanted
    if len(size) >= 3 and size[-3] in (1, 3, 4):
        return "CHW"
    return "HWC" if len(size) >= 3 and size[-1] in (1, 3, 4) else "HW"
