"""An autograd graph as plain frozen data: what `graph.adapter` reads of a live one and `graph.scene` draws.

Nothing here holds a tensor.  Numbers were written out when they were read, a few of each tensor.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tensorkit_widgets.snapshot.adapter import Memory
from tensorkit_widgets.snapshot.geometry import Ints


@dataclass(frozen=True, slots=True)
class Value:
    """A tensor as a picture shows it: ``text`` holds a few of its numbers.

    A tensor that lives on after the reading has a ``memory``, and ``marks`` says of each number in the text where it
    begins and ends, and which slot it is read from: pictures of one storage light up together.
    """

    size: Ints
    dtype: str
    text: str
    version: int = 0
    memory: Memory | None = None
    marks: tuple[tuple[int, int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Input:
    """One input of an operation: the vertex and output that it comes from (None when the graph does not know), whether
    a gradient goes back along it, and the text of a number that stood there."""

    source: int | None
    output: int
    gradient: bool
    number: str = ""


@dataclass(frozen=True, slots=True)
class Kept:
    """A tensor that an operation saved for the way back.

    ``state`` is *kept*, *freed* (let go), or *modified*: then the tensor is at version ``now``, and the derivative
    needs version ``expected``. ``source`` is the tensor's name, if it has one.
    """

    name: str
    state: Literal["kept", "freed", "modified"]
    source: str = ""
    value: Value | None = None
    expected: int | None = None
    now: int | None = None


@dataclass(frozen=True, slots=True)
class Made:
    """A result of an operation that is known, as which of its outputs, with its name (empty for none)."""

    output: int
    name: str
    value: Value


@dataclass(frozen=True, slots=True)
class Vertex:
    """An operation (*op*), a tensor that wants its gradient (*leaf*), or one that wants none (*constant*).

    ``name`` is the node's name, as ``MulBackward0``, or the tensor's, empty when it has none; ``value`` the tensor, or
    the operation's first known result (all of them are in ``made``); ``size`` the size of that result; ``grad`` what
    ``.grad`` holds, if the tensor ``collects`` one; ``note`` whose storage a constant shares; ``hooked`` whether hooks
    of the user's run when its turn comes.
    """

    number: int
    kind: Literal["op", "leaf", "constant"]
    name: str
    inputs: tuple[Input, ...] = ()
    kept: tuple[Kept, ...] = ()
    value: Value | None = None
    made: tuple[Made, ...] = ()
    size: Ints | None = None
    grad: Value | None = None
    collects: bool = False
    note: str = ""
    hooked: bool = False

    @property
    def result(self) -> str:
        """The name of the operation's first known result."""
        return self.made[0].name if self.made else ""

    @property
    def short(self) -> str:
        """The operation's name without its ending: ``Mul``.

        >>> Vertex(0, "op", "MulBackward0").short
        'Mul'
        """
        plain = self.name.rpartition("::")[2]
        stem, found, number = plain.rpartition("Backward")
        return stem if found and (number.isdigit() or not number) and stem else plain


@dataclass(frozen=True, slots=True)
class Call:
    """The call of a neural network's module: ``members`` are the operations that it recorded, its result's first.

    ``name`` is how the learner would write the module, or its class where no name leads to it.
    """

    name: str
    members: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Graph:
    """The graph behind some tensors, loss first: ``roots`` are the vertices (with output numbers) that they are.

    ``calls`` are the modules' calls of several operations, a module's before those of its parts.
    """

    library: str
    title: str
    vertices: tuple[Vertex, ...]
    roots: tuple[tuple[int, int], ...]
    outputs: tuple[Value, ...]
    cut: bool = False
    calls: tuple[Call, ...] = ()

    @property
    def operations(self) -> int:
        """How many operations were recorded."""
        return sum(vertex.kind == "op" for vertex in self.vertices)

    @property
    def keeps(self) -> bool:
        """Whether something that the way back needs is still there."""
        return any(kept.state != "freed" for vertex in self.vertices for kept in vertex.kept)

    @property
    def freed(self) -> bool:
        """Whether something that the way back needs was let go."""
        return any(kept.state == "freed" for vertex in self.vertices for kept in vertex.kept)


@dataclass(frozen=True, slots=True)
class Visit:
    """One node's turn on the way back: the gradients that had arrived for its outputs, and those that it sends on.

    For a leaf, ``fills`` is what ``.grad`` holds afterwards.
    """

    vertex: int
    arrived: tuple[Value | None, ...]
    sent: tuple[Value | None, ...] = ()
    fills: Value | None = None


@dataclass(frozen=True, slots=True)
class Walk:
    """A rehearsed backward pass. ``start`` says how it began, ``begins`` with which gradients.

    ``error`` says why it stopped at vertex ``stopped`` (None: at the start).
    """

    visits: tuple[Visit, ...]
    start: str = ""
    begins: tuple[Value | None, ...] = ()
    error: str = ""
    stopped: int | None = None
