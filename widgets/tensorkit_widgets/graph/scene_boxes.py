"""The boxes of a graph: how large they are and what they say. Shape and line tell the kinds apart.

A *leaf* is a sharp box with a thick line and a jar for its ``.grad``; an *operation* a pill, with the tensor that it
made below it in a thin rounded box; a *constant*, which no gradient reaches, has cut corners and a dashed line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from tensorkit_widgets.drawing.boxes import Box, Jar, Line, Marks
from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.graph.model import Graph, Kept, Value, Vertex
from tensorkit_widgets.graph.scene_fold import Bundle, Fold
from tensorkit_widgets.graph.step import Moment
from tensorkit_widgets.snapshot.number_text import size_text

MOST_KEPT = 3
MOST_LISTED = 64
NAME_ROOM = 26


def grown(box: Box, x: float, y: float) -> Box:
    """The box at its place."""
    return replace(box, x=round(x, 2), y=round(y, 2))


def fitted(box: Box, most: float) -> Box:
    """The box no wider than ``most``, its jar included: what is too long is cut, but not in the label."""
    if box.full_width <= most:
        return box
    jar = box.jar
    if jar is not None:
        wide = max(min(jar.width, 0.45 * most), most - 8 - box.width)
        jar = replace(jar, width=round(wide, 2), **_shortened(jar.text, jar.marks, (wide - 20) / (MONO * 13)))
    width = most - (jar.width + 8 if jar else 0)
    room = width - 40 - len(box.tag) * (MONO * 17 if box.kind == "op" else 7.5)
    return replace(
        box,
        title=_cut(box.title, max(2, int(room / (MONO * 17)))),
        lines=tuple(_narrow(line, width) for line in box.lines),
        lower=tuple(_narrow(line, width) for line in box.lower),
        jar=jar,
        width=round(width, 2),
        whole=box,
    )


def _narrow(line: Line, width: float) -> Line:
    letter = {"number": MONO * 13, "about": 7.0}.get(line.role, MONO * 12)
    return replace(
        line, **_shortened(line.text, line.marks, (width - 26 - (16 if line.mark else 0)) / letter)
    )


def _shortened(words: str, marks: Marks, room: float) -> dict[str, Any]:
    """Text of at most ``room`` characters, and the places of the numbers that are still whole in it."""
    text = _cut(words, max(2, int(room)))
    whole = len(text) - (text != words)
    return {"text": text, "marks": tuple(one for one in marks if one[1] <= whole)}


def reference(number: int, source: Box) -> Box:
    """A small sign that stands for a box far away."""
    name = source.title or "a constant"
    width = 34 + len(name) * MONO * 17
    label = f"{source.uncut.title or 'a constant'}, drawn further up"
    return Box(
        number, "reference", name, "", (), (), None, "waiting", (), 0, label, round(width, 2), 26.0, 26.0,
        memory=source.memory,
    )  # fmt: skip


def box_of(
    graph: Graph, vertex: Vertex, group: Fold | Bundle | None, moment: Moment, names: Mapping[int, str]
) -> Box:
    """The box of a vertex, or of the fold or bundle that it begins."""
    if isinstance(group, Fold):
        return _folded(graph, vertex, group, moment)
    if group is not None:
        return _bundle([graph.vertices[member] for member in group.members], group, moment, names)
    return (
        _operation(vertex, moment) if vertex.kind == "op" else _tensor(vertex, moment, names[vertex.number])
    )


def _cut(text: str, room: int = NAME_ROOM) -> str:
    """At most ``room`` characters.

    >>> _cut("a" * 40, 5)
    'aaaa…'
    """
    return text if len(text) <= room else text[: room - 1] + "…"


def _valued(lead: str, value: Value, rest: str, role: str, mark: str = "") -> Line:
    """A line with the numbers of a tensor in it, each where it stands."""
    marks = tuple((start + len(lead), stop + len(lead), slot) for start, stop, slot in value.marks)
    return Line(lead + value.text + rest, role, mark, value.memory, marks)


def _width(title: str, lines: tuple[Line, ...], least: float) -> float:
    widths = [len(title) * MONO * 17 + 40]
    widths += [len(line.text) * MONO * 13 + 30 + (16 if line.mark else 0) for line in lines]
    return round(max(least, *widths), 2)


def _state(vertices: tuple[int, ...], moment: Moment) -> str:
    if moment.refused in vertices:
        return "refused"
    if moment.running.intersection(vertices):
        return "running"
    return "ran" if moment.ran.issuperset(vertices) else "waiting"


def _about(value: Value) -> str:
    """``(3,) float32``, and the version once there is more than one."""
    return f"{size_text(value.size)} {value.dtype} · v{value.version}"


def _room(vertex: Vertex) -> int:
    """How many characters a gradient gets."""
    return max(8, min(26, len(vertex.value.text) + 5 if vertex.value else 8))


def _jar(vertex: Vertex, moment: Moment) -> Jar:
    """What a tensor's ``.grad`` holds at a moment."""
    rehearsed = moment.jars.get(vertex.number)
    value = rehearsed or vertex.grad
    room = _room(vertex)
    text = "None" if value is None else _cut(value.text, room)
    cut = value is not None and text != value.text
    return Jar(
        round(room * MONO * 13 + 20, 2),
        text,
        value is not None,
        vertex.number in moment.running and rehearsed is not None,
        rehearsed is not None,
        None if value is None else value.memory,
        tuple(one for one in (value.marks if value else ()) if one[1] <= len(text) - cut),
    )


def _tensor(vertex: Vertex, moment: Moment, name: str) -> Box:
    value = vertex.value or Value((), "", "")
    leaf = vertex.kind == "leaf"
    tag = "leaf" if leaf else "detached" if vertex.note else "constant"
    title = _cut(name)
    lines = [_valued("", value, "", "number")]
    if leaf:
        lines.append(Line(_about(value), "about"))
    elif vertex.note:
        lines.append(Line(f"no grad · shares {_cut(vertex.note, 18)}’s numbers", "about", "none"))
    else:
        lines.append(
            Line(f"no grad · {_about(value)}" if value.dtype else "no grad · a number", "about", "none")
        )
    jar = _jar(vertex, moment) if leaf else None
    shown = tuple(lines)
    width = max(_width("", shown, 120), len(title) * MONO * 17 + len(tag) * 7.5 + 44)
    words = [
        f"{tag} {name}".strip(),
        f"value {value.text}",
        _about(value).replace("v", "version ", 1) if leaf else lines[1].text,
    ]
    if jar:
        words.append(f".grad {jar.text}" + (" in the rehearsal" if jar.rehearsed else ""))
    return Box(
        vertex.number, "leaf" if leaf else "constant", title, tag, shown, (), jar, _state((vertex.number,), moment), (),
        0, ", ".join(words), round(width, 2), 76.0, 76.0, memory=value.memory,
    )  # fmt: skip


def _bundle(tensors: list[Vertex], bundle: Bundle, moment: Moment, names: Mapping[int, str]) -> Box:
    """The many inputs of one operation: the first and the last, or, opened, a line for each."""
    leaf = tensors[0].kind == "leaf"
    title = f"{len(tensors)} {'leaves' if leaf else 'constants'}"
    values = [one.value or Value((), "", "") for one in tensors]
    same = len({(value.size, value.dtype) for value in values}) == 1
    each = f"{size_text(values[0].size)} {values[0].dtype}" if same else "of several sizes"
    lines = [Line(f"each {each}" if same else each, "about")]
    wide = list(lines)
    if bundle.opened:
        shown = list(zip(tensors, values, strict=True))[:MOST_LISTED]
        lines += [_listed(one, value, moment, names) for one, value in shown]
        wide += [_listed(one, value, None, names) for one, value in shown]
        if len(tensors) > len(shown):
            lines.append(Line(f"and {len(tensors) - len(shown)} more", "about"))
    else:
        ends = (("", tensors[0], values[0]), ("… ", tensors[-1], values[-1]))
        lines += [_valued(sign + _lead(one.name), value, "", "number") for sign, one, value in ends]
        wide = lines
    jar = _jars(tensors, moment) if leaf and not bundle.opened else None
    height = 39.0 + 19 * len(lines) + (0 if bundle.opened else 8)
    state = _state(bundle.members, moment)
    if state == "waiting" and moment.running.intersection(bundle.members):
        state = "running"
    words = [title, *(line.text for line in lines)]
    words += [f".grad {jar.text}" + (" in the rehearsal" if jar.rehearsed else "")] if jar else []
    words += [] if bundle.opened else ["Enter opens it"]
    return Box(
        tensors[0].number, "leaf" if leaf else "constant", title, "" if bundle.opened else "folded", tuple(lines), (),
        jar, state, (), 0 if bundle.opened else len(tensors), ", ".join(words),
        max(_width("", tuple(wide), 150), len(title) * MONO * 17 + 90), height, height - (0 if bundle.opened else 8),
        stands=bundle.members,
    )  # fmt: skip


def _listed(vertex: Vertex, value: Value, moment: Moment | None, names: Mapping[int, str]) -> Line:
    """A tensor of an open bundle; without a moment, as wide as it may come to be."""
    rest = ""
    if vertex.kind == "leaf":
        rest = f" · .grad {_jar(vertex, moment).text if moment else '0' * _room(vertex)}"
    return _valued(_lead(names[vertex.number]), value, rest, "number")


def _lead(name: str) -> str:
    return f"{_cut(name, 14)} = " if name else ""


def _jars(tensors: list[Vertex], moment: Moment) -> Jar:
    """How many of the leaves of a bundle have a gradient."""
    jars = [_jar(one, moment) for one in tensors]
    filled = sum(jar.filled for jar in jars)
    text = f"{filled} of {len(jars)}" if filled else "None"
    room = len(f"{len(jars)} of {len(jars)}")
    fresh, rehearsed = any(jar.fresh for jar in jars), any(jar.rehearsed for jar in jars)
    return Jar(round(room * MONO * 13 + 20, 2), text, filled > 0, fresh, rehearsed)


def _kept(kept: Kept, let_go: bool) -> Line:
    """One saved tensor as a line: kept, let go, or changed since."""
    what = f"{kept.name} = {_cut(kept.source, 14)}" if kept.source else kept.name
    memory = None if kept.value is None else kept.value.memory
    if kept.state == "modified":
        return Line(f"{what}: v{kept.now} now, needs v{kept.expected}", "modified", "modified", memory)
    if kept.state == "freed" or let_go:
        return Line(f"{what}: let go", "gone", "gone")
    rest = f" · v{kept.expected}"
    if kept.source or kept.value is None:
        return Line(f"keeps {what}{rest}", "kept", "kept", memory)
    return _valued(f"keeps {what} ", kept.value, rest, "kept", "kept")


def _operation(vertex: Vertex, moment: Moment) -> Box:
    ran = vertex.number in moment.ran
    saved = [_kept(kept, ran) for kept in vertex.kept]
    if len(saved) > MOST_KEPT:
        saved = [*saved[: MOST_KEPT - 1], Line(f"and {len(saved) - MOST_KEPT + 1} more saved", "about")]
    unknown = [(k, one) for k, one in enumerate(vertex.inputs) if not one.gradient and one.source is None]
    blind = [
        Line(
            f"input {k}: " + (f"the number {_cut(one.number, 12)}" if one.number else "no gradient"),
            "about",
            "none",
        )
        for k, one in unknown
    ]
    if len(blind) > MOST_KEPT:
        blind = [Line(f"{len(blind)} inputs: no gradient", "about", "none")]
    lines = (*saved, *blind)
    lower = _lower(vertex, moment)
    tag = "" if vertex.size is None or lower else size_text(vertex.size)
    width = max(_width(vertex.short + tag, (*lines, *_variants(vertex)), 116), _width("", lower, 0))
    upper = 34.0 + 19 * len(lines) + (6 if lines else 0)
    height = upper + (10 + 19 * len(lower) if lower else 0)
    words = [f"operation {vertex.short}", *(line.text for line in (*lines, *lower)), _said(vertex, moment)]
    return Box(
        vertex.number, "op", _cut(vertex.short), tag, lines, lower, None, _state((vertex.number,), moment),
        tuple(f"{kept.name}:{_fate(kept, ran)}" for kept in vertex.kept), 0, ", ".join(w for w in words if w), width,
        height, upper,
    )  # fmt: skip


def _variants(vertex: Vertex) -> Iterator[Line]:
    """Every line that a box may come to show: it is as wide from the first step to the last, so nothing moves."""
    for kept in vertex.kept[:MOST_KEPT]:
        yield _kept(kept, True)
        if kept.expected is not None:
            yield _kept(replace(kept, state="kept"), False)
    if vertex.collects and vertex.value is not None:
        yield Line(f".grad {'0' * _room(vertex)}", "grad")


def _fate(kept: Kept, ran: bool) -> str:
    return "freed" if ran and kept.state == "kept" else kept.state


def _said(vertex: Vertex, moment: Moment) -> str:
    state = _state((vertex.number,), moment)
    return {"running": "runs now", "ran": "has run", "refused": "refuses"}.get(state, "")


def _lower(vertex: Vertex, moment: Moment) -> tuple[Line, ...]:
    """The tensor that an operation made, when it has a name or is what the picture is about."""
    lines = [
        _valued(
            f"{_cut(made.name) or 'result'} = ",
            made.value,
            f" · v{made.value.version}" if made.value.version else "",
            "number",
        )
        for made in vertex.made[:MOST_KEPT]
    ]
    if len(vertex.made) > MOST_KEPT:
        lines.append(Line(f"and {len(vertex.made) - MOST_KEPT} more results", "about"))
    if vertex.collects:
        jar = _jar(vertex, moment)
        marks = tuple((start + 6, stop + 6, slot) for start, stop, slot in jar.marks)
        role = "grad" if jar.filled else "about"
        lines.append(Line(f".grad {jar.text}", role, memory=jar.memory, marks=marks))
    return tuple(lines)


def _folded(graph: Graph, vertex: Vertex, fold: Fold, moment: Moment) -> Box:
    kept = [kept for member in fold.members for kept in graph.vertices[member].kept]
    gone = sum(
        one.state == "freed" or member in moment.ran
        for member in fold.members
        for one in graph.vertices[member].kept
    )
    lines = [Line(f"{len(fold.members)} operations, folded", "about")]
    if kept:
        many = f"{len(kept)} tensor" + ("" if len(kept) == 1 else "s")
        some = f"{len(kept) - gone} of {many}" if gone else many
        lines.append(
            Line(f"{many} let go", "gone", "gone")
            if gone == len(kept)
            else Line(f"keeps {some}", "kept", "kept")
        )
    title = _cut(fold.title, 34)
    lower = _lower(vertex, moment) if fold.name else ()
    upper = 40.0 + 19 * len(lines)
    height = upper + (10 + 19 * len(lower) if lower else 8)
    state = _state(fold.members, moment)
    if state == "waiting" and moment.running.intersection(fold.members):
        state = "running"
    words = [f"folded: {fold.title}", *(line.text for line in (*lines, *lower)), "Enter unfolds it"]
    wide = (*lines, *lower, Line("0" * 22, "kept", "kept"))
    return Box(
        vertex.number, "op", title, "", tuple(lines), lower, None, state,
        (f"all:{'freed' if gone == len(kept) else 'kept'}",) if kept else (), len(fold.members), ", ".join(words),
        _width(title, wide, 150), height, upper,
    )  # fmt: skip
