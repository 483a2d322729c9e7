"""`GraphView`: the autograd graph over the tensors that it saved, with a backward pass to step through.

>>> w = tk.tensor([1.0, 2.0], requires_grad=True)
>>> loss = (w * w).sum()
>>> view = GraphView(loss)
>>> view.step().step().status, w.grad
('rehearsing', None)
>>> view.backward()
>>> view.status, w.grad
('walked', tensor([2., 4.]))
>>> view.close()
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tensorkit_widgets.diagnosis.way_out import in_words
from tensorkit_widgets.graph.adapter import Live, named, read
from tensorkit_widgets.graph.calls import calls_of, modules_named
from tensorkit_widgets.graph.model import Graph, Walk
from tensorkit_widgets.graph.plan import groups_of
from tensorkit_widgets.graph.rehearse import rehearse
from tensorkit_widgets.graph.scene import GraphSheet, compose_graph, steps_of, translated
from tensorkit_widgets.graph.scene_fold import Fold
from tensorkit_widgets.graph.text import text_twin
from tensorkit_widgets.snapshot.adapter import library_of
from tensorkit_widgets.snapshot.number_text import whole_number
from tensorkit_widgets.widget import cell_hook
from tensorkit_widgets.widget.board import Board, Control, State
from tensorkit_widgets.widget.picture import css

Names = Mapping[str, Any]


@dataclass(frozen=True)
class GraphState(State):
    """The step of the rehearsal, and the vertices whose runs are drawn one by one or whose lists are open."""

    unfolded: frozenset[int] = frozenset()


class GraphView(Board):
    """The graph that autograd recorded behind some tensors, and a rehearsal of the way back.

    Each step runs one node of the rehearsal: the picture shows the gradients on the wires, the ``.grad`` jars that they
    would fill and the saved tensors that would be let go. Nothing of the learner's changes, and hooks do not run, until
    `backward` is called (or its button pressed): that is the real thing.

    Args:
        tensors: a tensor of tensorkit or PyTorch, such as a loss, or several of them.
        names: what tensors and modules are called, ``{"w": w}``; None looks into the namespace of the caller.
        gradient: what to begin the way back with; None begins with ones.

    Raises:
        TypeError: for something that has no graph, or an unknown keyword.
    """

    kind = "graph-view"
    live = ("_tensors", "_gradient", "_pairs")
    moments = "step of the rehearsal"
    writes = frozenset({"backward"})

    scene_kind = "graph"
    styles = ("sheet.css", "board.css", "graph_scene.css", "graph_view.css")
    _css = css("sheet.css", "board.css", "graph_scene.css", "graph_view.css")
    _text_of = staticmethod(text_twin)

    _state: GraphState

    def __init__(
        self, tensors: Any, *, names: Names | None = None, gradient: Any = None, **unknown: Any
    ) -> None:
        if unknown:
            words = ", ".join(sorted(unknown))
            raise TypeError(f"GraphView has no option {words}: it takes tensors, names and gradient")
        self._tensors = tuple(tensors) if isinstance(tensors, list | tuple) else (tensors,)
        self._gradient = gradient
        known = _known(names, sys._getframe(1))
        library = library_of(self._tensors[0]) if self._tensors else ""
        self._pairs: Sequence[tuple[str, Any]] = tuple(named(known, library))
        self._paths = modules_named(known, library)
        self._graph, _ = self._read(None)
        self._pairs = _used(self._pairs, self._graph)
        self._walk: Walk | None = None
        self._news = ""
        self._walked = False
        self._settled = False
        self._begin(GraphState())

    # ---- what Python sees

    @property
    def status(self) -> str:
        """``ready``, ``rehearsing``, ``done``, ``refused``, ``walked`` (after `backward`), ``freed`` (walked before the
        view was made), or ``empty`` (nothing was recorded)."""
        with self._guard:
            return str(self._sheet_now().status)

    def unfold(self, number: int | None = None) -> GraphView:
        """Draw the operations of a folded run one by one, and list the many inputs of one operation: those of vertex
        ``number``, or all."""
        with self._guard:
            found = {box.number for box in self._sheet_now().boxes if box.folded}
            self._refold(self._opened(found if number is None else found & {number}))
            self._paint()
        return self

    def fold(self) -> GraphView:
        """Fold every run again, and close every list."""
        with self._guard:
            self._refold(frozenset())
            self._paint()
        return self

    def backward(self, gradient: Any = None, retain_graph: bool | None = None) -> None:
        """Run the real backward pass: fills the ``.grad`` of the leaves and lets go of what was saved.

        Raises:
            RuntimeError: whatever the engine refuses; the picture says it too.
        """
        with self._guard:
            try:
                self._backward(self._gradient if gradient is None else gradient, retain_graph)
            finally:
                self._paint()
        cell_hook.repaint(skip=self)

    def alt(self) -> str:
        """One sentence for those who do not see the picture."""
        with self._guard:
            scene = self._sheet_now()
        return f"GraphView: {self._graph.title}. {' '.join(scene.words)}. {scene.said}"

    def __repr__(self) -> str:
        return f"GraphView({self._graph.title})"

    # ---- the rehearsal

    def _rehearsed(self) -> Walk:
        if self._walk is None:
            graph, parts = self._read(self._graph)
            self._graph = graph
            self._walk = rehearse(graph, parts, self._gradient)
        return self._walk

    def _steps(self) -> int:
        return steps_of(self._graph, self._rehearsed(), self._state.unfolded)

    def _known_steps(self) -> int | None:
        return self._steps() if self._walk else None

    def _go(self, at: int) -> None:
        self._complaint = ""
        if at > 0:
            self._news = ""
        super()._go(at)

    def _read(self, before: Graph | None) -> tuple[Graph, Live]:
        graph, live = read(self._tensors, self._pairs, before)
        return replace(graph, calls=calls_of(graph, live, self._paths)), live

    def _opened(self, numbers: Collection[int]) -> frozenset[int]:
        """What is unfolded when these boxes are too: of calls within one another, one at a time."""
        groups = {group.members[0]: group for group in groups_of(self._graph, self._state.unfolded)}
        keys = (groups.get(number) for number in numbers)
        return self._state.unfolded | {
            group.key if isinstance(group, Fold) else group.members[0] for group in keys if group is not None
        }

    def _refold(self, unfolded: frozenset[int]) -> None:
        at = self._state.at
        if self._walk is not None:
            at = translated(self._graph, self._walk, at, self._state.unfolded, unfolded)
        if unfolded != self._state.unfolded:
            self._change(at=at, unfolded=unfolded)

    def _backward(self, gradient: Any, retain_graph: bool | None) -> None:
        library = sys.modules[self._graph.library]
        given = None
        if gradient is not None:
            given = list(gradient) if isinstance(gradient, list | tuple) else [gradient]
        self._begin_again()
        self._complaint = ""
        try:
            library.autograd.backward(list(self._tensors), given, retain_graph=retain_graph)
        except Exception as error:
            self._complaint = f"backward() was refused. {type(error).__name__}: {in_words(error)}"
            raise
        self._walked = True
        kept = "and, with retain_graph=True, the graph keeps what it saved" if retain_graph else ""
        self._news = "backward() has run, the real one: the gradients are in .grad, " + (
            kept or "and the graph has let go of what it had saved."
        )

    def _begin_again(self) -> None:
        self._walk, self._state = None, replace(self._state, at=0)

    def _look(self) -> None:
        """Read the graph again; a rehearsal of what has changed since begins again."""
        graph, _ = self._read(self._graph)
        if graph == self._graph:
            return
        if self._state.at:
            self._news = (
                "The graph has changed since the rehearsal began, so it was taken back to its beginning."
            )
        self._graph = graph
        self._begin_again()

    def _sheet(self, at: int) -> GraphSheet:
        return compose_graph(
            self._graph, self._walk, at, self._state.unfolded, self._news, self._walked, self._width
        )

    def _sheet_now(self) -> GraphSheet:
        settled, self._settled = self._settled, False
        if not settled:
            self._look()
        return self._sheet(self._state.at)

    def _kept_steps(self) -> Sequence[int]:
        self._look()
        self._rehearsed()
        return super()._kept_steps()

    # ---- the browser

    def _controls(self) -> Sequence[Control]:
        fold = Control("fold", "button", "Fold again", title="fold what was unfolded", group="bar")
        words = "the real backward pass: fills .grad, frees what was saved"
        real = Control("backward", "button", "Run backward()", title=words, group="bar")
        return (fold, real) if self._state.unfolded else (real,)

    def _act(self, kind: str, message: Mapping[str, Any]) -> None:
        super()._act(kind, message)
        # A rehearsal was recorded: to show another step of it, the graph need not be read again.
        self._settled = self._walk is not None

    def _do(self, kind: str, message: Mapping[str, Any]) -> None:
        key = message.get("key")
        if kind == "unfold" and isinstance(key, str) and (number := whole_number(key)) is not None:
            self._refold(self._opened({number}))
        elif kind == "fold":
            self._refold(frozenset())
        elif kind == "backward":
            try:
                self._backward(self._gradient, None)
            except Exception as error:  # said in the picture: a click never raises in the kernel
                self._complaint = self._complaint or str(error)

    def _facts(self) -> Mapping[str, str]:
        scene: GraphSheet | None = self._last
        return {
            "library": self._graph.library,
            "operations": str(self._graph.operations),
            "folded": str(scene.folded if scene else 0),
            "unfolded": str(len(self._state.unfolded)),
        }


def _known(names: Names | None, frame: Any) -> Names:
    """The names that the picture may use."""
    if names is None:
        return {**frame.f_globals, **frame.f_locals}
    if not isinstance(names, Mapping) or not all(isinstance(name, str) for name in names):
        raise TypeError('names must be a dictionary from names to tensors, such as {"w": w}')
    return names


def _used(pairs: Sequence[tuple[str, Any]], graph: Graph) -> tuple[tuple[str, Any], ...]:
    """The names that occur, so that the view keeps no other tensor alive."""
    seen = {vertex.name for vertex in graph.vertices} | {m.name for v in graph.vertices for m in v.made}
    seen |= {kept.source for vertex in graph.vertices for kept in vertex.kept} | set(graph.title.split(", "))
    return tuple((name, tensor) for name, tensor in pairs if name in seen)
