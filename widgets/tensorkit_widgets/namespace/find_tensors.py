"""Which tensors a notebook can reach, and how to say it: ``batch[2]``, ``model.weight``, ``Out[3]``.

The walk looks at names, containers, the attributes of objects (also in ``__slots__``), and the autograd graphs of what
it finds. It runs no code of the learner's: no property, no ``__getattr__``, no ``__iter__``, no ``repr``.
It is bounded, and says where it stopped.

What it does not see: tensors that are held only by closures, default arguments, bound methods, running generators, the
traceback of the last error, modules, arrays of objects, or the insides of C extensions and of plotting and widget
libraries.

>>> import numpy
>>> a = numpy.zeros(3)
>>> [(found.tensor.shape, [way.text for way in found.ways]) for found in scan({"a": a, "d": {"x": [a, a[1:]]}}).found]
[((3,), ['a', "d['x'][0]"]), ((2,), ["d['x'][1]"])]
"""

from __future__ import annotations

import collections
import types
import weakref
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Any, Literal

from tensorkit_widgets.namespace.storage_adapter import leaf_of, lineage, reader_for, saved_by, tensor_library

Kind = Literal["name", "inside", "output", "grad", "graph"]

MOST_STEPS = 10_000
"""Values that one walk looks at."""
MOST_TENSORS = 1_000
"""Tensors that one walk finds."""
MOST_ITEMS = 256
"""Items of one container."""
MOST_NODES = 200
"""Nodes of autograd graphs."""
DEEPEST = 8
"""Steps from a name."""
_MOST_WAYS = 12

_OPAQUE = frozenset(
    [
        "IPython",
        "anywidget",
        "asyncio",
        "concurrent",
        "importlib",
        "ipykernel",
        "ipywidgets",
        "jupyter_client",
        "logging",
        "matplotlib",
        "multiprocessing",
        "threading",
        "tensorkit_widgets",
        "tornado",
        "traitlets",
        "zmq",
    ]
)
_OUTPUTS = ("_", "__", "___")
_RANK: dict[str, int] = {"name": 0, "inside": 1, "grad": 2, "output": 3, "graph": 4}
"""What the learner wrote comes before what the notebook keeps by itself."""
_LEAF = "kept for backward() to fill its .grad"
"""How a graph holds a leaf: the node at the end of each wire saved no number of it, it writes the gradient."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to say a tensor: a plain *name*, something *inside* another, an *output* of a cell, a *grad*, or a
    *graph* that holds it (``text`` is then a sentence's part: "saved by MulBackward0")."""

    text: str
    kind: Kind


_way = lru_cache(maxsize=4096)(Way)


@dataclass(slots=True)
class Found:
    """A live tensor and the ways to it, the learner's own first, then the nearest. Dies with the look that found it."""

    tensor: Any
    library: str
    ways: list[Way] = field(default_factory=list)


@dataclass(slots=True)
class Reach:
    """What a walk found, and sentences about where it stopped."""

    found: list[Found]
    cut: tuple[str, ...] = ()


# A way is a chain of pieces, put together only when a tensor stands at its end.
_Path = tuple["_Path | None", str, Kind]
_Step = tuple[str, Any]


def scan(namespace: Mapping[str, Any], hidden: Mapping[str, Any] | None = None) -> Reach:
    """Every tensor of tensorkit, NumPy and PyTorch that can be reached from a namespace.

    Args:
        namespace: such as IPython's ``user_ns``.
        hidden: what the notebook itself had put there (``user_ns_hidden``): left out unless it was bound again.
    """
    search = _Search()
    search.start(namespace, hidden or {})
    search.walk()
    search.graphs()
    for found in search.found.values():
        found.ways.sort(key=lambda way: _RANK[way.kind])
    return Reach(list(search.found.values()), tuple(search.cut))


class _Search:
    def __init__(self) -> None:
        self.found: dict[int, Found] = {}
        self.seen: set[int] = set()
        self.queue: collections.deque[tuple[Any, _Path, int]] = collections.deque()
        self.cut: list[str] = []
        self.steps = 0
        self.deep = False

    # ---- names

    def start(self, namespace: Mapping[str, Any], hidden: Mapping[str, Any]) -> None:
        outputs = namespace.get("_oh")
        if type(outputs) is not dict:
            outputs = {}
        self.seen.add(id(outputs))
        late: list[tuple[Any, str]] = []
        for key, value in list(namespace.items()):
            name, text, number = _spelt(key) if type(key) is str else ("", "", None)
            if name in _OUTPUTS:
                late.append((value, name))
            elif (
                text
                and hidden.get(key, self) is not value
                and (number is None or outputs.get(number, self) is not value)
            ):
                self.meet(value, (None, text, "name"), 0)
        numbered = [(value, f"Out[{n}]") for n, value in list(outputs.items()) if type(n) is int]
        shown = {id(value) for value, _ in numbered}
        for value, name in numbered + [pair for pair in late if id(pair[0]) not in shown]:
            self.meet(value, (None, name, "output"), 0)

    # ---- containers and objects

    def meet(self, value: Any, path: _Path, depth: int) -> None:
        """A value that a way leads to: note it if it is a tensor, queue it if there may be something inside."""
        self.steps += 1
        kind = type(value)
        if id(kind) in _ATOMS:
            return
        plan = _plan(kind)
        if plan.library:
            self.note(value, plan.library, path)
            if plan.library != "numpy" and not _holds_more(value, plan):
                return  # most tensors
        if plan.bare and plan.length is not None and not plan.length(value):
            return  # an empty container
        if plan.opens and id(value) not in self.seen:
            if depth >= DEEPEST:
                self.deep = True
                return
            self.seen.add(id(value))
            self.queue.append((value, path, depth + 1))

    def note(self, tensor: Any, library: str, path: _Path) -> None:
        found = self.found.get(id(tensor))
        if found is None:
            if len(self.found) >= MOST_TENSORS:
                return
            found = self.found[id(tensor)] = Found(tensor, library)
        if len(found.ways) < _MOST_WAYS:
            way = _way(_words(path), path[2])
            if way not in found.ways:
                found.ways.append(way)

    def walk(self) -> None:
        while self.queue:
            if self.steps > MOST_STEPS or len(self.found) >= MOST_TENSORS:
                what = f"{MOST_STEPS:,} values" if self.steps > MOST_STEPS else f"{MOST_TENSORS:,} tensors"
                self.cut.append(f"only the first {what} were looked at")
                return
            value, path, depth = self.queue.popleft()
            try:
                self.open(value, path, depth)
            except (RuntimeError, AttributeError, TypeError, KeyError, ValueError):
                continue  # another thread changed it meanwhile: the next look sees it
        if self.deep:
            self.cut.append(f"what lies more than {DEEPEST} steps from a name was not looked at")

    def open(self, value: Any, path: _Path, depth: int) -> None:
        plan = _plan(type(value))
        inside: Kind = "inside" if path[2] == "name" else path[2]
        if plan.items is not None:
            for piece, item in islice(plan.items(value), MOST_ITEMS):
                self.meet(item, (path, piece, inside), depth)
            count = plan.length(value) if plan.length is not None else 0
            if count > MOST_ITEMS:
                self.cut.append(f"{_words(path)} has {count:,} items: the first {MOST_ITEMS} were looked at")
        for piece, item in islice(_attributes(value, plan), MOST_ITEMS):
            self.meet(item, (path, piece, inside), depth)
        if plan.library in ("tensorkit", "torch"):
            grad = _grad(value, plan.library)
            if grad is not None:
                self.meet(grad, (path, ".grad", "grad"), depth)

    # ---- graphs

    def graphs(self) -> None:
        """The tensors that the graphs behind the found tensors hold: what was saved, and the leaves."""
        nodes: list[Any] = []
        known: set[int] = set()
        for found in list(self.found.values()):
            if found.library != "numpy":
                _add(nodes, known, _graph(found.tensor, found.library))
        for node in nodes:  # grows while it is walked
            for source, _ in node.next_functions:
                if len(nodes) >= MOST_NODES:
                    self.cut.append(f"only {MOST_NODES} nodes of the autograd graphs were looked at")
                    break
                _add(nodes, known, source)
            else:
                continue
            break
        for node in nodes:
            leaf = leaf_of(node)
            words = f"saved by {clean(node.name().rpartition('::')[2])}" if leaf is None else _LEAF
            for tensor in saved_by(node) if leaf is None else (leaf,):
                library = tensor_library(type(tensor))
                if library:
                    self.note(tensor, library, (None, words, "graph"))


def _add(nodes: list[Any], known: set[int], node: Any) -> None:
    if node is not None and id(node) not in known and len(nodes) < MOST_NODES:
        known.add(id(node))
        nodes.append(node)


def _graph(tensor: Any, library: str) -> Any:
    try:
        read: Any = reader_for(library)
        return read.grad_fn(tensor) if read.requires_grad(tensor) else None
    except (RuntimeError, AttributeError):
        return None


def _grad(tensor: Any, library: str) -> Any:
    try:
        read: Any = reader_for(library)
        asks = read.requires_grad(tensor) and (read.is_leaf(tensor) or read.retains_grad(tensor))
        return read.grad(tensor) if asks else None
    except (RuntimeError, AttributeError):
        return None


def _holds_more(tensor: Any, plan: _Plan) -> bool:
    """Whether a tensor has a gradient, or attributes that somebody gave it."""
    if plan.slots or plan.items is not _nothing:
        return True
    return bool(plan.state is not None and plan.state(tensor)) or _grad(tensor, plan.library) is not None


# ---- words


def clean(text: str, most: int = 80) -> str:
    """A name as it can be drawn: of a sane length, without characters that no picture can hold.

    >>> clean("a\\u202eb" + "c" * 100, most=8)
    'a\ufffdbcccc…'
    """
    text = text if len(text) <= most else text[: most - 1] + "…"
    return text if text.isprintable() else "".join(c if c.isprintable() else "\ufffd" for c in text)


def _words(path: _Path) -> str:
    if path[0] is None:
        return path[1]  # clean by itself
    pieces: list[str] = []
    at: _Path | None = path
    while at is not None:
        pieces.append(at[1])
        at = at[0]
    text = ""
    for piece in reversed(pieces):
        text = f"({piece}{text})" if piece == _ITEM_OF else text + piece
    return clean(text)


_ITEM_OF = "an item of "


@lru_cache(maxsize=4096)
def _spelt(key: str) -> tuple[str, str, int | None]:
    """A variable's name, how a learner would write it (empty for what Python itself put there), and the number of the
    output that IPython keeps under it."""
    name = clean(key)
    number = int(name[1:]) if name[:1] == "_" and name[1:].isdecimal() else None
    if not name or _is_dunder(name):
        return name, "", number
    return name, name if name.isidentifier() else clean(f"globals()[{name!r}]"), number


def _is_dunder(name: str) -> bool:
    return name[:2] == "__" == name[-2:] and bool(name.strip("_"))


def _key(key: Any) -> str:
    """A dictionary's key, in brackets; an object is only named by its class."""
    if type(key) in (str, bytes, int, float, bool, complex, type(None)):
        return f"[{_short(key)}]"
    return f"[a {clean(type(key).__name__, 30)}]"


def _short(key: Any) -> str:
    return repr(key[:40]) if type(key) in (str, bytes) else repr(key)[:40]


# ---- what a class of values may hold


@dataclass(frozen=True, slots=True)
class _Plan:
    """How values of a class are opened. ``state`` gives an instance's dictionary, ``slots`` its slots; ``opens`` says
    whether there may be something inside, ``bare`` whether there are items and nothing else."""

    library: str = ""
    items: Callable[[Any], Iterator[_Step]] | None = None
    length: Callable[[Any], int] | None = None
    state: Callable[[Any], Any] | None = None
    slots: tuple[tuple[str, Callable[[Any], Any]], ...] = ()

    opens: bool = False
    bare: bool = False


_NOTHING = _Plan()
_plans: dict[int, tuple[weakref.ref[type], _Plan]] = {}


def _plan(kind: type) -> _Plan:
    # By id: a metaclass may make its classes unhashable. The reference tells a dead class from a new one.
    known = _plans.get(id(kind))
    if known is not None and known[0]() is kind:
        return known[1]
    plan = _made(kind)
    if len(_plans) > 2_000:
        _plans.clear()
    _plans[id(kind)] = (weakref.ref(kind), plan)
    return plan


def _made(kind: type) -> _Plan:
    line = lineage(kind)
    library = tensor_library(kind)
    if _among(type, line):
        return _Plan(items=_of_class, opens=True)
    if any(_among(base, line) for base in _CLOSED) or (not library and _package(kind) in _OPAQUE):
        return _NOTHING
    items, length = _items(line)
    if library and library != "numpy" and items is None:
        items = _nothing  # opened for its .grad
    own = line
    if library:  # the library's own attributes lie below the tensor, not beside it
        own = tuple(base for base in line if _package(base) not in (library, "torch"))
    state = None if items is not None and _package(kind) in ("", "collections") else _state(line)
    slots = tuple(_slots(own))
    inside = state is not None or bool(slots)
    return _Plan(
        library, items, length, state, slots, inside or items is not None, items is not None and not inside
    )


def _among(kind: type, line: tuple[type, ...]) -> bool:
    return any(base is kind for base in line)


def _package(kind: type) -> str:
    module = type.__dict__["__dict__"].__get__(kind).get("__module__")
    return module.partition(".")[0] if type(module) is str else ""


def _state(line: tuple[type, ...]) -> Callable[[Any], Any] | None:
    """What reads an instance's own dictionary; None where there is none, or a class put something in its place."""
    for base in line:
        found = type.__dict__["__dict__"].__get__(base).get("__dict__")
        if found is not None:
            return _call(found) if type(found) is types.GetSetDescriptorType else None
    return None


def _call(descriptor: Any) -> Callable[[Any], Any]:
    getter: Callable[[Any], Any] = descriptor.__get__
    return getter


def _slots(line: tuple[type, ...]) -> Iterator[tuple[str, Callable[[Any], Any]]]:
    for base in line:
        inside = type.__dict__["__dict__"].__get__(base)
        if "__slots__" in inside:
            for name, found in list(inside.items()):
                if type(found) is types.MemberDescriptorType:
                    yield clean(name, 40), _call(found)


def _attributes(value: Any, plan: _Plan) -> Iterator[_Step]:
    state = plan.state(value) if plan.state is not None else None
    if type(state) is dict and state:
        module = "_modules" in state and all(type(state.get(name)) is dict for name in _MODULE)
        for name, item in list(islice(state.items(), MOST_ITEMS)):
            if type(name) is str and not (module and name in _MODULE):
                yield f".{clean(name, 40)}", item
        if module:
            yield from _children(state)
    for name, read in plan.slots:
        try:
            yield f".{name}", read(value)
        except AttributeError:
            continue  # not filled


_MODULE = ("_parameters", "_buffers", "_modules")


def _children(state: dict[str, Any]) -> Iterator[_Step]:
    """What a neural network's module keeps in three dictionaries and shows as its attributes."""
    for part in _MODULE:
        for name, item in list(state[part].items()):
            if type(name) is str:
                yield (f"[{name}]" if name.isdecimal() else f".{clean(name, 40)}"), item


def _items(line: tuple[type, ...]) -> tuple[Callable[[Any], Iterator[_Step]] | None, Any]:
    for base, (items, length) in _CONTAINERS.items():
        if _among(base, line):
            return (_fields(line) if base is tuple else None) or items, length
    return None, None


def _fields(line: tuple[type, ...]) -> Callable[[Any], Iterator[_Step]] | None:
    """A named tuple's own names."""
    for base in line:
        names = type.__dict__["__dict__"].__get__(base).get("_fields")
        if type(names) is tuple and all(type(name) is str for name in names):
            pieces = [f".{clean(name, 40)}" for name in names]
            return lambda value: zip(pieces, tuple.__iter__(value), strict=False)
    return None


def _of_sequence(walk: Callable[[Any], Iterator[Any]]) -> Callable[[Any], Iterator[_Step]]:
    def items(value: Any) -> Iterator[_Step]:
        return ((f"[{k}]", item) for k, item in enumerate(list(islice(walk(value), MOST_ITEMS))))

    return items


def _of_set(walk: Callable[[Any], Iterator[Any]]) -> Callable[[Any], Iterator[_Step]]:
    def items(value: Any) -> Iterator[_Step]:
        return ((_ITEM_OF, item) for item in list(islice(walk(value), MOST_ITEMS)))

    return items


def _of_dict(value: Any) -> Iterator[_Step]:
    return ((_key(key), item) for key, item in list(islice(dict.items(value), MOST_ITEMS)))


def _of_class(value: Any) -> Iterator[_Step]:
    """The attributes of a class that was written in the notebook."""
    inside = type.__dict__["__dict__"].__get__(value)
    if inside.get("__module__") != "__main__":
        return
    for name, item in list(inside.items()):
        if type(name) is str and not _is_dunder(name):
            yield f".{clean(name, 40)}", item


def _nothing(_value: Any) -> Iterator[_Step]:
    return iter(())


_CONTAINERS: dict[type, tuple[Callable[[Any], Iterator[_Step]], Any]] = {
    list: (_of_sequence(list.__iter__), list.__len__),
    tuple: (_of_sequence(tuple.__iter__), tuple.__len__),
    dict: (_of_dict, dict.__len__),
    set: (_of_set(set.__iter__), set.__len__),
    frozenset: (_of_set(frozenset.__iter__), frozenset.__len__),
    collections.deque: (_of_sequence(collections.deque.__iter__), collections.deque.__len__),
}
_CLOSED = (types.ModuleType, types.FunctionType, BaseException)
# By id: a metaclass may refuse to be hashed or compared.
_ATOMS = frozenset(
    id(kind)
    for kind in (
        int, float, bool, complex, str, bytes, bytearray, type(None), type(...), range, slice, types.FunctionType,
        types.BuiltinFunctionType, types.MethodType, types.ModuleType, types.CodeType, types.FrameType,
        types.GeneratorType, types.CoroutineType, memoryview, weakref.ref,
    )
)  # fmt: skip
