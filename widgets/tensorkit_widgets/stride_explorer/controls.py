"""The controls of a StrideExplorer: the line of code, sliders, dimensions to drag, shapes, raw numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tensorkit_widgets.snapshot.adapter import Meta
from tensorkit_widgets.snapshot.geometry import contiguous_stride, view_shapes
from tensorkit_widgets.snapshot.number_text import size_text
from tensorkit_widgets.snapshot.view_chain import Link
from tensorkit_widgets.stride_explorer.model import StrideState, slices
from tensorkit_widgets.stride_explorer.scene import StrideSheet
from tensorkit_widgets.widget.board import BELOW, Control

PANELS: tuple[tuple[str, str], ...] = (
    ("slice", "Slice and order"),
    ("shape", "Shape"),
    ("raw", "Raw numbers"),
)
"""The tabs under the picture: their names, and what is written on them."""


@dataclass
class Form:
    """The step with numbers that is being put together: its method, and what was filled in."""

    method: str = "narrow"
    filled: dict[str, int] = field(default_factory=dict)

    def choose(self, method: object) -> None:
        """Another method: its numbers begin as they are proposed."""
        if isinstance(method, str) and method in _METHODS:
            self.method, self.filled = method, {}

    def fill(self, name: object, value: object) -> None:
        """One of its numbers."""
        if isinstance(name, str) and type(value) is int and abs(value) < 2**62:
            self.filled[name[:20]] = value


def controls(
    name: str, links: Sequence[Link], state: StrideState, sheet: StrideSheet, form: Form, typed: str
) -> list[Control]:
    """All of them, for a chain and what is drawn of it; ``typed`` is text that was refused."""
    meta = links[-1].meta
    code = "".join(link.step.code for link in links[1:])
    shown = typed.removeprefix(name) if typed else code
    line = [
        Control("expression", "text", name, shown, wide=True, wrong=typed != "", group="bar",
                title="expression: steps after the tensor's name", placeholder="[1:, ::2].t()"),
        Control("apply", "button", "Apply", group="bar"),
        Control("copy", "copy", "Copy code", name + code, group="bar"),
    ]  # fmt: skip
    parts = (
        _window(state, sheet),
        _order(meta),
        _slices(links),
        _shapes(meta),
        _step(meta, form),
        _raw(meta),
    )
    return [*line, *(control for part in parts for control in part)]


def _window(state: StrideState, sheet: StrideSheet) -> Iterator[Control]:
    """What does not fit: leading dimensions, large dimensions, a long storage."""
    meta, window = sheet.snapshot.meta, sheet.snapshot.window
    ahead = len(meta.size) - 3
    for d, (n, count) in enumerate(zip(meta.size, window.count, strict=True)):
        if state.focus is not None and count < n and d < len(state.focus):
            role, verb = ("hold", "hold") if d < ahead else ("pan", "look at")
            yield Control(
                role, "range", f"{verb} dim {d}, index", state.focus[d], low=0, high=n - 1, dim=d, panel=BELOW,
                group=f"{role} {d}", wide=True,
            )  # fmt: skip
    drawn = sheet.storage.tiles
    if len(drawn) < meta.slots and not sheet.snapshot.fault:
        at = state.point if state.point is not None else drawn[0].slot if drawn else 0
        yield Control(
            "strip-window", "range", "look at the storage around slot", at, low=0, high=meta.slots - 1,
            panel=BELOW, group="strip", wide=True,
        )  # fmt: skip


def _order(meta: Meta) -> Iterator[Control]:
    words = tuple(
        (str(d), f"dim {d} · size {n} · stride {s}")
        for d, (n, s) in enumerate(zip(meta.size, meta.stride, strict=True))
    )
    yield Control("permute", "order", "order of the dimensions", options=words, panel="slice", group="order")


def _slices(links: Sequence[Link]) -> Iterator[Control]:
    _, rows, size = slices(links)
    if not rows:
        yield _words("A 0-d tensor has no dimension to slice.", "slice", "none")
    for d, (row, n) in enumerate(zip(rows, size, strict=True)):
        yield _words(f"dim {d}", "slice", f"dim {d}", d)
        spans = (("start", 0, n), ("stop", 0, n), ("step", 1, max(1, min(n, 100))))
        for value, (part, low, high) in zip(row, spans, strict=True):
            yield Control(
                f"slice-{part}", "range", part, value, low=low, high=high, dim=d, panel="slice",
                title=f"dimension {d}: {part}", enabled=low < high, group=f"dim {d}", wide=True,
            )  # fmt: skip


def _words(words: str, panel: str, group: str, dim: int | None = None) -> Control:
    return Control(f"words {group} {words}", "words", words, panel=panel, group=group, dim=dim)


def _code(role: str, code: str, label: str, group: str) -> Control:
    return Control(role, "code", label, code, panel="shape", group=group)


def _shapes(meta: Meta) -> Iterator[Control]:
    """Ready-made steps, and the shapes that `view` can give, or only a copy."""
    array, n = meta.library == "numpy", len(meta.size)
    codes = [".T", ".flatten()", ".squeeze()", "[None]"]
    if not array:
        turned = [".t()"] if n == 2 else [".mT"] if n > 2 else []
        codes = [*turned, ".flatten()", ".squeeze()", ".unsqueeze(0)", ".contiguous()", ".clone()"]
    yield _words("a step:", "shape", "quick")
    for code in codes:
        yield _code("quick", code, code, "quick")
    verb, free = ".reshape" if array else ".view", view_shapes(meta.size, meta.stride)
    yield _words(f"{verb} without a copy:" + ("" if free else " none"), "shape", "views")
    for shape in free:
        yield _code("view", f"{verb}({', '.join(map(str, shape))})", size_text(shape), "views")
    copies = [shape for shape in view_shapes(meta.size, contiguous_stride(meta.size)) if shape not in free][
        :6
    ]
    if copies:
        yield _words(".reshape, with a copy:", "shape", "views")
    for shape in copies:
        yield _code("reshape", f".reshape({', '.join(map(str, shape))})", size_text(shape), "views")


# ---- a step with numbers

Field = tuple[str, int, int, int]
"""A number of a step: its label, the least, the most, and what is proposed."""


def _dim(meta: Meta, label: str = "dim", value: int = 0) -> Field:
    return (label, 0, max(0, len(meta.size) - 1), value)


def _most(meta: Meta) -> int:
    return max(1, *meta.size, 1)


def _at(meta: Meta, dim: int, item: str) -> str:
    return "[" + ":, " * max(dim, 0) + item + "]"


_METHODS: Mapping[str, tuple[Callable[[Meta], list[Field]], Callable[[list[int], bool, Meta], str]]] = {
    "narrow": (
        lambda m: [_dim(m), ("start", 0, _most(m), 0), ("length", 0, _most(m), 1)],
        lambda v, array, m: _at(m, v[0], f"{v[1]}:{v[1] + v[2]}") if array else f".narrow({v[0]}, {v[1]}, {v[2]})",
    ),
    "select": (
        lambda m: [_dim(m), ("index", -_most(m), _most(m) - 1, 0)],
        lambda v, array, m: _at(m, v[0], str(v[1])) if array else f".select({v[0]}, {v[1]})",
    ),
    "squeeze": (
        lambda m: [_dim(m, value=m.size.index(1) if 1 in m.size else 0)],
        lambda v, array, m: f".squeeze({v[0]})",
    ),
    "unsqueeze": (
        lambda m: [("dim", 0, len(m.size), 0)],
        lambda v, array, m: _at(m, v[0], "None") if array else f".unsqueeze({v[0]})",
    ),
    "expand": (
        lambda m: [(f"size {d}", 0, 99, 3 if n == 1 else n) for d, n in enumerate(m.size)],
        lambda v, array, m: f".expand({', '.join(map(str, v))})",
    ),
    "transpose": (
        lambda m: [_dim(m, "dim 0"), _dim(m, "dim 1", max(0, len(m.size) - 1))],
        lambda v, array, m: f".swapaxes({v[0]}, {v[1]})" if array else f".transpose({v[0]}, {v[1]})",
    ),
    "diagonal": (lambda m: [("offset", -99, 99, 0)], lambda v, array, m: f".diagonal({v[0]})"),
    "unfold": (
        lambda m: [_dim(m), ("size", 1, _most(m), 2), ("step", 1, _most(m), 1)],
        lambda v, array, m: f".unfold({v[0]}, {v[1]}, {v[2]})",
    ),
}  # fmt: skip


def _filled(meta: Meta, form: Form) -> tuple[list[str], str, list[tuple[Field, int]]]:
    """The methods that there are, the one that is chosen, and its numbers."""
    array = meta.library == "numpy"
    names = [name for name in _METHODS if not array or name not in ("expand", "unfold")]
    method = form.method if form.method in names else names[0]
    fields = _METHODS[method][0](meta)
    return names, method, [(field, form.filled.get(field[0], field[3])) for field in fields]


def step_code(meta: Meta, form: Form) -> str:
    """The step with numbers as code."""
    _, method, numbers = _filled(meta, form)
    return _METHODS[method][1]([value for _, value in numbers], meta.library == "numpy", meta)


def _step(meta: Meta, form: Form) -> Iterator[Control]:
    names, method, numbers = _filled(meta, form)
    options = tuple((name, name) for name in names)
    yield Control("method", "choice", "a step with numbers:", method, options, panel="shape", group="form")
    for (label, low, high, _), value in numbers:
        yield Control(
            "argument", "number", label, value, low=low, high=high, name=label, panel="shape", group="form", live=True
        )  # fmt: skip
    yield Control("method-code", "output", "", step_code(meta, form), panel="shape", group="form")
    yield Control("add-step", "button", "Add this step", panel="shape", group="form")


def _raw(meta: Meta) -> Iterator[Control]:
    """Size, stride and offset as numbers; `chain_for` clamps them to the storage."""
    if meta.library == "numpy":
        words = "A NumPy array has no as_strided method: wrap it with tensorkit.from_numpy to turn its dials."
        yield _words(words, "raw", "none")
        return
    dims, last = len(meta.size), max(0, meta.slots - 1)

    def dial(role: str, label: str, value: int, most: int, dim: int | None, group: str) -> Control:
        said = label if dim is None else f"dimension {dim}: {label}"
        return Control(
            role, "number", label, value, low=0, high=most, dim=dim, title=said, panel="raw", group=group, live=True
        )  # fmt: skip

    yield dial("dial-offset", "offset", meta.offset, last, None, "offset")
    yield Control("dial-more", "button", "+ dimension", enabled=dims < 8, panel="raw", group="offset")
    yield Control("dial-less", "button", "− dimension", enabled=dims > 0, panel="raw", group="offset")
    for d, (n, s) in enumerate(zip(meta.size, meta.stride, strict=True)):
        yield _words(f"dim {d}", "raw", f"raw {d}", d)
        yield dial("dial-size", "size", n, max(64, meta.slots), d, f"raw {d}")
        yield dial("dial-stride", "stride", s, last, d, f"raw {d}")
