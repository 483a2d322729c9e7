"""The only reader of live autograd graphs, of tensorkit and of PyTorch: both show the same few things of a node.

`read` makes a frozen `Graph`; the way back is rehearsed in `rehearse`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from tensorkit_widgets.graph.model import Graph, Input, Kept, Made, Value, Vertex
from tensorkit_widgets.namespace.storage_adapter import leaf_of
from tensorkit_widgets.snapshot.adapter import (
    Memory,
    Meta,
    describe,
    library_of,
    link_of,
    look,
    same_buffer,
)
from tensorkit_widgets.snapshot.geometry import slot_of
from tensorkit_widgets.snapshot.number_text import short
from tensorkit_widgets.snapshot.window import Window

LIMIT = 2000
"""Operations and tensors that one picture holds."""

_VERSIONS = re.compile(r"is at version (\d+); expected version (\d+)")
_FREED = "second time"
_OLD = {"self": "input", "result": "out"}
_MOST_ITEMS = 64
_WIDE, _HIGH = 6, 4

Part = tuple[str, int | None]
"""A piece of a value's text; a number comes with its slot."""


@dataclass
class Live:
    """What a `Graph` was read from: its nodes (or, for constants, tensors) by vertex, in the same order."""

    tensors: tuple[Any, ...]
    parts: list[Any] = field(default_factory=list)
    numbers: dict[int, int] = field(default_factory=dict)

    def number(self, part: Any) -> int | None:
        """The vertex of a node or a tensor."""
        return self.numbers.get(id(part))

    def add(self, part: Any) -> int:
        """A new vertex. Holding the part keeps its `id` its own."""
        self.parts.append(part)
        self.numbers[id(part)] = len(self.parts) - 1
        return len(self.parts) - 1


# ---- values


def value_of(tensor: Any, room: int = 24, linked: bool = False) -> Value:
    """A tensor's size, dtype and a few numbers, in at most about ``room`` characters.

    ``linked`` says that the tensor lives on: then the value knows where its numbers lie.

    >>> import numpy
    >>> value_of(numpy.arange(100.0)).text
    '[0., 1., 2., 3., 4., …]'
    >>> value_of(numpy.arange(6.0)[1::2], linked=True).marks
    ((1, 3, 1), (5, 7, 3), (9, 11, 5))
    """
    try:
        meta = describe(tensor)
        parts = [("unreadable", None)] if meta.fault else _preview(tensor, meta, room)
    except (TypeError, RuntimeError, ValueError) as error:
        size = tuple(getattr(tensor, "shape", ()))
        return Value(size, str(tensor.dtype).rpartition(".")[2], type(error).__name__)
    text, version = "".join(words for words, _ in parts), _version(tensor)
    if not linked or meta.fault or 0 in meta.size:
        return Value(meta.size, meta.dtype, text, version)
    memory = Memory(link_of(meta), meta.size, meta.stride, meta.offset)
    return Value(meta.size, meta.dtype, text, version, memory, tuple(_marks(parts)))


def _marks(parts: Sequence[Part]) -> Iterator[tuple[int, int, int]]:
    """Where each number stands in the text of these parts, and its slot."""
    at = 0
    for words, slot in parts:
        if slot is not None:
            yield at, at + len(words), slot
        at += len(words)


def _version(tensor: Any) -> int:
    try:
        return int(getattr(tensor, "_version", 0))
    except RuntimeError:  # PyTorch's inference tensors do not count
        return 0


def _preview(tensor: Any, meta: Meta, room: int) -> list[Part]:
    """The first numbers of each dimension, as printed tensors are written; one reading of a small window."""
    if 0 in meta.size:
        return [("[]", None)]
    d = len(meta.size)
    window = Window((0,) * d, tuple(min(n, _WIDE if k == d - 1 else _HIGH) for k, n in enumerate(meta.size)))
    shown = look(tensor, window, ()).grid
    slots = (slot_of(index, meta.stride, meta.offset) for index in product(*map(range, window.count)))
    numbers: list[Part] = [
        (short(number, meta.dtype), slot) for number, slot in zip(shown, slots, strict=False)
    ]
    for most in range(_WIDE, 0, -1):
        parts = _nested(numbers, window.count, meta.size, most)
        if sum(len(words) for words, _ in parts) <= room:
            return parts
    return [("[" * d + "…" + "]" * d if d <= 3 else "[…]", None)]


def _nested(numbers: Sequence[Part], count: Sequence[int], size: Sequence[int], most: int) -> list[Part]:
    """``numbers`` in row-major order over ``count``, at most ``most`` to a row, with the brackets around them."""
    if not size:
        return [numbers[0] if numbers else ("?", None)]
    share = len(numbers) // count[0] if count[0] else 0
    shown = min(count[0], most if len(size) == 1 else max(1, most - 1))
    out: list[Part] = [("[", None)]
    for k in range(shown):
        out += [(", ", None)] * (k > 0) + _nested(
            numbers[k * share : (k + 1) * share], count[1:], size[1:], most
        )
    return [*out, (", …]" if size[0] > shown else "]", None)]


# ---- names


def named(namespace: Mapping[str, Any], library: str) -> list[tuple[str, Any]]:
    """The tensors of a namespace with their names, those in lists and models too; names with ``_`` first are skipped.

    >>> named({"n": 3, "_hidden": None}, "torch")
    []
    """
    kind = getattr(sys.modules.get(library), "Tensor", ())
    module = getattr(getattr(sys.modules.get(library), "nn", None), "Module", ())
    out, within = [], []
    for name, value in list(namespace.items()):
        if not isinstance(name, str) or name.startswith("_"):
            continue
        if isinstance(value, kind):
            out.append((name, value))
        elif isinstance(value, module):
            within += [(f"{name}.{path}", tensor) for path, tensor in value.named_parameters()]
        elif type(value) in (list, tuple) and len(value) <= _MOST_ITEMS:
            within += [(f"{name}[{k}]", item) for k, item in enumerate(value) if isinstance(item, kind)]
    return [(clean(name), tensor) for name, tensor in out + within]


def clean(name: str) -> str:
    """A name as it can be drawn: of a sane length, and without characters that no picture can hold."""
    return "".join(c if c.isprintable() else "\ufffd" for c in name[:100])


class _Names:
    """Names of leaves by identity, of results by the node and output that made them."""

    def __init__(self, pairs: Sequence[tuple[str, Any]]) -> None:
        self.leaves: dict[int, str] = {}
        self.results: dict[tuple[int, int], tuple[str, Any]] = {}
        self.tensors = [tensor for _, tensor in pairs]
        self.nodes: list[Any] = []
        for name, tensor in pairs:
            node = tensor.grad_fn if tensor.requires_grad else None
            if node is None:
                self.leaves.setdefault(id(tensor), name)
            else:
                self.nodes.append(node)
                self.results.setdefault((id(node), tensor.output_nr), (name, tensor))

    def of(self, tensor: Any) -> str:
        node = tensor.grad_fn if tensor.requires_grad else None
        if node is None:
            return self.leaves.get(id(tensor), "")
        return self.results.get((id(node), tensor.output_nr), ("", None))[0]


# ---- reading a node


def _edges(node: Any) -> tuple[tuple[Any, int], ...]:
    return tuple(node.next_functions)


def _plain(name: str) -> str:
    stem = name.removeprefix("_saved_")
    return _OLD.get(stem, stem)


def _is_tensor(value: Any) -> bool:
    return any(
        isinstance(value, getattr(sys.modules.get(name), "Tensor", ())) for name in ("tensorkit", "torch")
    )


@dataclass(frozen=True, slots=True)
class _Held:
    """What a node saved under a name: a tensor with the version it had, or the sentence that refuses it."""

    name: str
    tensor: Any = None
    expected: int | None = None
    refusal: str = ""


def _holdings(node: Any) -> list[_Held]:
    """Everything that a node saved, inputs first."""
    saved = getattr(node, "saved", None)
    if isinstance(saved, dict):
        held = [
            _Held(key, tensor, one.version, "" if tensor is not None else _FREED)
            for key, one in saved.items()
            for tensor in (_unpacked(node, one),)
        ]
    else:
        names = [name for name in dir(type(node)) if name.startswith("_saved_")] or ["saved_tensors"]
        held = [one for name in names for one in _asked(node, name)]
    return sorted(held, key=lambda one: (one.name != "input", one.name))


def _unpacked(node: Any, saved: Any) -> Any:
    """What tensorkit saved, None when it was let go; an operation's own result is no tensor before it is asked for."""
    if saved.tensor is None:
        with suppress(RuntimeError):  # let go, or written to since: then the versions tell
            saved.unpack(node)
    return saved.tensor


def _asked(node: Any, name: str) -> Iterator[_Held]:
    """What a node answers when it is asked for a saved tensor, or several."""
    plain = _plain(name).removesuffix("_tensors")
    try:
        value = getattr(node, name)
    except AttributeError:
        return
    except RuntimeError as error:
        yield _Held(plain, refusal=str(error))
        return
    if _is_tensor(value):
        yield _Held(plain, value, _version(value))
    elif isinstance(value, tuple | list):
        for k, item in enumerate(value):
            if _is_tensor(item):
                yield _Held(f"{plain}[{k}]", item, _version(item))


def _hooked(part: Any, made: Sequence[tuple[str, Any]]) -> bool:
    """Whether hooks of the user's run when a node has its turn: its own, as far as they can be seen, and those of the
    tensors that it made, or of the leaf that it fills."""
    tables = [getattr(part, "pre_hooks", None), getattr(part, "post_hooks", None)]
    tables += [one for many in (getattr(part, "tensor_hooks", None) or {}).values() for one in many]
    for _, tensor in made:
        about = getattr(tensor, "_autograd", None)  # where tensorkit has what PyTorch has on the tensor
        tables += [getattr(tensor, name, None) for name in ("_backward_hooks", "_post_accumulate_grad_hooks")]
        tables += [getattr(about, name, None) for name in ("hooks", "after")]
    return any(isinstance(table, dict) and table for table in tables)


# ---- reading a graph


def read(
    tensors: Sequence[Any],
    pairs: Sequence[tuple[str, Any]],
    before: Graph | None = None,
    limit: int = LIMIT,
) -> tuple[Graph, Live]:
    """A frozen picture of the graph behind ``tensors``.

    Args:
        tensors: where the way back begins, of one library.
        pairs: names and their tensors.
        before: an earlier reading of the same tensors, to say more about what was let go since.
        limit: how many vertices at most.

    Raises:
        TypeError: for what is no tensor of tensorkit or PyTorch.
    """
    libraries = {library_of(tensor) for tensor in tensors}
    if "numpy" in libraries:
        raise TypeError("a numpy.ndarray has no graph: GraphView draws what tensorkit or PyTorch recorded")
    if len(libraries) != 1:
        raise TypeError("GraphView draws the graph behind one tensor or several, all of one library")
    return _Reader(tuple(tensors), _Names(pairs), before, limit).graph(libraries.pop())


class _Reader:
    def __init__(self, tensors: tuple[Any, ...], names: _Names, before: Graph | None, limit: int) -> None:
        self.live, self.names, self.before, self.limit = Live(tensors), names, before, limit
        self.vertices: list[Vertex] = []
        self.family: list[tuple[str, Meta]] | None = None
        self.remembered: dict[int, int] = {}
        self.values: dict[int, tuple[Any, Value]] = {}

    def value(self, tensor: Any) -> Value:
        """`value_of` a tensor that lives on, once for each tensor object."""
        found = self.values.get(id(tensor))
        if found is None:
            found = self.values[id(tensor)] = (tensor, value_of(tensor, linked=True))
        return found[1]

    def graph(self, library: str) -> tuple[Graph, Live]:
        roots, queue = [], []
        for tensor in self.live.tensors:
            part = (tensor.grad_fn if tensor.requires_grad else None) or _accumulator(tensor)
            known = self.live.number(part)
            roots.append((self.live.add(part) if known is None else known, tensor.output_nr))
            if known is None:
                queue.append(part)
        cut = self._explore(queue)
        self.vertices = [self._vertex(k, part) for k, part in enumerate(list(self.live.parts))]
        for k in range(len(self.vertices)):
            if self.vertices[k].kind == "op":
                self._constants(k)
        title = ", ".join(self.names.of(tensor) or "a tensor" for tensor in self.live.tensors)
        outputs = tuple(value_of(tensor) for tensor in self.live.tensors)
        return Graph(library, title, tuple(self.vertices), tuple(roots), outputs, cut), self.live

    def _explore(self, queue: list[Any]) -> bool:
        """Number every node, nearest to the loss first; whether there were more than there is room for."""
        for part in queue:
            if _is_tensor(part):
                continue
            for source, _ in _edges(part):
                if source is None or self.live.number(source) is not None:
                    continue
                if len(self.live.parts) >= self.limit:
                    return True
                self.live.add(source)
                queue.append(source)
        return False

    def _vertex(self, number: int, part: Any) -> Vertex:
        if _is_tensor(part):
            return self._tensor(number, part)
        leaf = leaf_of(part)
        if leaf is not None:
            return self._tensor(number, leaf, part)
        inputs = tuple(
            Input(None if source is None else self.live.number(source), nr, source is not None)
            for source, nr in _edges(part)
        )
        past = self.before.vertices[number] if self.before and number < len(self.before.vertices) else None
        past = past if past is not None and past.name == part.name() else None
        kept = tuple(kept for held in _holdings(part) for kept in self._kept(part, held, past))
        made, collected = self._made(part)
        grad = None if collected is None else collected.grad
        return Vertex(
            number, "op", part.name(), inputs, kept, made[0].value if made else None, made, size_of(part, 0),
            None if grad is None else self.value(grad), collected is not None,
            hooked=_hooked(part, [self.names.results[one] for one in self._outputs(part)]),
        )  # fmt: skip

    def _kept(self, part: Any, held: _Held, past: Vertex | None) -> Iterator[Kept]:
        """A saved tensor as it is now; of what was let go, as much as was known before."""
        known = {kept.name: kept for kept in past.kept} if past else {}
        if held.refusal:
            versions = _VERSIONS.search(held.refusal)
            old = known.get(held.name, Kept(held.name, "freed", self._given(part, held.name)))
            if versions:
                yield replace(old, state="modified", expected=int(versions[2]), now=int(versions[1]))
            elif _FREED in held.refusal and (held.name in known or past is None):
                yield replace(old, state="freed", now=None)
            elif (
                _FREED in held.refusal and held.name == "saved"
            ):  # a Function's tensors are refused all together
                yield from (replace(kept, state="freed", now=None) for kept in known.values())
            return
        now, name = _version(held.tensor), self.names.of(held.tensor)
        if not held.tensor.requires_grad and held.name != "out" and self._wraps(held.tensor):
            return
        if not name and held.name == "out":
            name = self.names.results.get((id(part), 0), ("", None))[0]
        state: Any = "kept" if now == held.expected else "modified"
        yield Kept(held.name, state, name, self.value(held.tensor), held.expected, now)

    def _given(self, part: Any, name: str) -> str:
        """What the tensor is called that an operation was given under a name, when the operation will not show it."""
        order = getattr(part, "order", ("input", "other"))
        edges = _edges(part)
        source, nr = next(
            ((s, nr) for (s, nr), key in zip(edges, order, strict=False) if key == name), (None, 0)
        )
        if source is None:
            return ""
        leaf = leaf_of(source)
        return (
            self.names.results.get((id(source), nr), ("", None))[0] if leaf is None else self.names.of(leaf)
        )

    def _outputs(self, part: Any) -> list[tuple[int, int]]:
        """The results of an operation that have a name: how `_Names.results` knows them."""
        keys = ((id(part), number) for number in range(outputs_of(part)))
        return [key for key in keys if key in self.names.results]

    def _made(self, part: Any) -> tuple[tuple[Made, ...], Any]:
        """The results of an operation that are known, and the first that collects its gradient."""
        found: dict[int, tuple[str, Any]] = {}
        for tensor in self.live.tensors:
            if tensor.requires_grad and tensor.grad_fn is part:
                found[tensor.output_nr] = ("", tensor)
        found |= {one[1]: self.names.results[one] for one in self._outputs(part)}
        made = tuple(Made(nr, name, self.value(tensor)) for nr, (name, tensor) in sorted(found.items()))
        return made, next((tensor for _, tensor in found.values() if tensor.retains_grad), None)

    def _tensor(self, number: int, tensor: Any, part: Any = None) -> Vertex:
        name, value = self.names.of(tensor), self.value(tensor)
        if not tensor.requires_grad:
            return Vertex(number, "constant", name, value=value, note=self._detached(tensor))
        grad = tensor.grad if tensor.is_leaf else None
        return Vertex(
            number, "leaf", name, value=value, grad=None if grad is None else self.value(grad), collects=True,
            hooked=_hooked(part, [("", tensor)]),
        )  # fmt: skip

    def _detached(self, tensor: Any) -> str:
        """Whose numbers a constant shares: it was detached from that one."""
        if self.family is None:
            leaves = [leaf_of(part) for part in self.live.parts if not _is_tensor(part)]
            wanted = [(self.names.of(leaf), leaf) for leaf in leaves if leaf is not None]
            wanted += list(self.names.results.values())
            self.family = [(name or "a leaf", describe(one)) for name, one in wanted]
        mine = describe(tensor)
        if mine.nbytes == 0:
            return ""
        return next((name for name, meta in self.family if meta.nbytes and same_buffer(mine, meta)), "")

    def _constants(self, number: int) -> None:
        """Give the inputs without a gradient a vertex, as far as the operation saved their tensors."""
        vertex, part = self.vertices[number], self.live.parts[number]
        blind = [k for k, one in enumerate(vertex.inputs) if not one.gradient]
        if not blind:
            return
        found = dict(self._constant_inputs(part, blind))
        inputs = list(vertex.inputs)
        for k in blind:
            if k in found and not isinstance(found[k], str):
                inputs[k] = Input(self._constant(found[k]), 0, False)
            else:
                inputs[k] = self._remembered(number, k) if k not in found else Input(None, 0, False, found[k])
        self.vertices[number] = replace(vertex, inputs=tuple(inputs))

    def _constant(self, tensor: Any) -> int | None:
        known = self.live.number(tensor)
        if known is None and len(self.live.parts) < self.limit:
            known = self.live.add(tensor)
            self.vertices.append(self._tensor(known, tensor))
        return known

    def _remembered(self, number: int, k: int) -> Input:
        """A constant or number of an operation that has let go of it since, as it was seen before."""
        before = self.before
        if before is None or number >= len(before.vertices) or k >= len(before.vertices[number].inputs):
            return Input(None, 0, False)
        past = before.vertices[number].inputs[k]
        source = past.source
        if source is None or before.vertices[source].kind != "constant":
            return Input(None, 0, False, past.number)
        if source not in self.remembered:
            self.remembered[source] = self.live.add(object())
            self.vertices.append(_gone(before.vertices[source], self.remembered[source]))
        return Input(self.remembered[source], 0, False)

    def _constant_inputs(self, part: Any, blind: list[int]) -> Iterator[tuple[int, Any]]:
        """The tensors of these inputs, or the numbers as text, as far as the node knows them."""
        holdings = [one for one in _holdings(part) if one.name != "out" and one.tensor is not None]
        held = {one.name: one.tensor for one in holdings if not one.tensor.requires_grad}
        order = getattr(part, "order", None)
        if order is not None:  # tensorkit says which parameter each edge is of
            arguments = getattr(part, "arguments", {})
            known = {
                key: repr(value)
                for key, value in arguments.items()
                if isinstance(value, int | float | complex)
            }
            known |= held
            yield from ((k, known[order[k]]) for k in blind if order[k] in known)
        elif len(held) == len(blind):
            pairs = zip(blind, held.values(), strict=True)
            yield from ((k, repr(one.item()) if self._wraps(one) else one) for k, one in pairs)

    def _wraps(self, tensor: Any) -> bool:
        """Whether a tensor is how PyTorch keeps a number that stood beside a tensor."""
        plain = tensor.dim() == 0 and str(tensor.dtype) in ("torch.int64", "torch.float64")
        return plain and not self.names.of(tensor)


def _gone(vertex: Vertex, number: int) -> Vertex:
    """A constant that nothing holds any more, as it was seen last: its memory may be another tensor's by now."""
    value = vertex.value
    return replace(vertex, number=number, value=value and replace(value, memory=None, marks=()))


def _accumulator(tensor: Any) -> Any:
    """The node that stands for a leaf; for a tensor that wants no gradient, the tensor itself."""
    if not tensor.requires_grad:
        return tensor
    with sys.modules[library_of(tensor)].enable_grad():
        return tensor.expand_as(tensor).grad_fn.next_functions[0][0]


def outputs_of(part: Any) -> int:
    about: Any = getattr(part, "faces", None)
    return max(1, len(getattr(part, "_input_metadata", ()) if about is None else about))


def size_of(part: Any, nr: int) -> tuple[int, ...] | None:
    """The size of a node's output, as the node remembers it."""
    faces = getattr(part, "faces", None)
    if faces is not None:
        face = faces[nr] if nr < len(faces) else None
        return None if face is None else tuple(face.size)
    about = getattr(part, "_input_metadata", ())
    return tuple(int(n) for n in about[nr].shape) if nr < len(about) else None
