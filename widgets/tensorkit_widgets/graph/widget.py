"""`GraphView`: the autograd graph over the tensors that it saved, with a backward pass to step through.

>>> import tensorkit as tk
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
from collections.abc import Mapping, Sequence
from typing import Any

from tensorkit_widgets.drawing.page_width import WIDTHS, width_in
from tensorkit_widgets.graph.adapter import named, read, rehearse
from tensorkit_widgets.graph.model import Graph, Walk
from tensorkit_widgets.graph.render import render_graph, render_graph_text
from tensorkit_widgets.graph.scene import WIDTH, GraphScene, compose_graph, steps_of, translated
from tensorkit_widgets.render.esm import link
from tensorkit_widgets.snapshot.adapter import library_of
from tensorkit_widgets.widget import cell_hook
from tensorkit_widgets.widget.picture import Picture, css
from tensorkit_widgets.widget.saved_page import HALF, PageKind, PageStep, page

__all__ = ["GraphView"]

Names = Mapping[str, Any]
_MOST_PAGES = 60


class GraphView(Picture):
    """The graph that autograd recorded behind some tensors, and a rehearsal of the way back.

    Each step runs one node of the rehearsal: the picture shows the gradients on the wires, the ``.grad`` jars that they
    would fill and the saved tensors that would be let go. Nothing of the learner's changes, and hooks do not run, until
    `backward` is called (or its button pressed): that is the real thing.

    Args:
        tensors: a tensor of tensorkit or PyTorch, such as a loss, or several of them.
        names: what tensors are called, ``{"w": w}``; None looks into the namespace of the caller.
        gradient: what to begin the way back with; None begins with ones.

    Raises:
        TypeError: for something that has no graph, or an unknown keyword.
    """

    _esm = link("graph_view.js")
    _css = css("graph_scene.css", "graph_view.css")

    def __init__(
        self, tensors: Any, *, names: Names | None = None, gradient: Any = None, **unknown: Any
    ) -> None:
        if unknown:
            words = ", ".join(sorted(unknown))
            raise TypeError(f"GraphView has no option {words}: it takes tensors, names and gradient")
        self._tensors = tuple(tensors) if isinstance(tensors, list | tuple) else (tensors,)
        self._gradient = gradient
        self._pairs = _pairs(self._tensors, names, sys._getframe(1))
        self._graph, _ = read(self._tensors, self._pairs)
        self._pairs = _used(self._pairs, self._graph)
        self._walk: Walk | None = None
        self._at = 0
        self._unfolded: frozenset[int] = frozenset()
        self._past = self._complaint = ""
        self._walked = False
        self._settled = False
        self._width = WIDTH
        super().__init__()
        self._paint()
        cell_hook.register(self)

    # ---- what Python sees

    @property
    def status(self) -> str:
        """``ready``, ``rehearsing``, ``done``, ``refused``, ``walked`` (after `backward`), ``freed`` (walked before the
        view was made), or ``empty`` (nothing was recorded)."""
        with self._guard:
            return self._scene().status

    @property
    def at(self) -> int:
        """The step of the rehearsal that is shown; 0 is before it."""
        return self._at

    @property
    def steps(self) -> int:
        """How many steps the rehearsal has."""
        with self._guard:
            return steps_of(self._graph, self._rehearsed(), self._unfolded)

    def step(self, count: int = 1) -> GraphView:
        """Go on in the rehearsal; ``step(-1)`` goes back. Returns the view, so that a cell may end with it."""
        with self._guard:
            self._go(self._at + count)
            self._paint()
        return self

    def back(self) -> GraphView:
        """One step back."""
        return self.step(-1)

    def run(self) -> GraphView:
        """To the end of the rehearsal."""
        return self.step(self.steps)

    def goto(self, at: int) -> GraphView:
        """To one step of the rehearsal; negative numbers count from the end."""
        return self.step((at + self.steps + 1 if at < 0 else at) - self._at)

    def reset(self, name: str | None = None) -> GraphView:
        """Before the rehearsal, with everything folded; or to a checkpoint.

        Raises:
            KeyError: for a name that no checkpoint has.
        """
        with self._guard:
            self._recall((0, frozenset()) if name is None else self._moment(name))
            self._paint()
        return self

    def _remember(self) -> Any:
        return self._at, self._unfolded

    def _recall(self, moment: Any) -> None:
        at, self._unfolded = moment
        self._go(at)

    def unfold(self, number: int | None = None) -> GraphView:
        """Draw the operations of a folded run one by one, and list the many inputs of one operation: those of vertex
        ``number``, or all."""
        with self._guard:
            found = {box.number for box in self._scene().boxes if box.folded}
            self._refold(self._unfolded | (found if number is None else found & {number}))
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

    def svg(self, theme: str | None = None) -> str:
        """The picture of this moment as SVG; ``theme`` is "light", "dark", or None for what the reader prefers."""
        with self._guard:
            return render_graph(self._scene(), theme)

    def text(self) -> str:
        """The picture of this moment as text."""
        with self._guard:
            return render_graph_text(self._scene())

    def alt(self) -> str:
        """One sentence for those who do not see the picture."""
        scene = self._scene()
        return f"GraphView: {self._graph.title}. {' '.join(scene.words)}. {scene.said}"

    def __repr__(self) -> str:
        return f"GraphView({self._graph.title})"

    # ---- the rehearsal

    def _rehearsed(self) -> Walk:
        if self._walk is None:
            graph, parts = read(self._tensors, self._pairs, self._graph)
            self._graph = graph
            self._walk = rehearse(graph, parts, self._gradient)
        return self._walk

    def _go(self, step: int) -> None:
        self._complaint = ""
        if step > 0:
            self._past = ""
        self._at = 0 if step <= 0 else min(step, steps_of(self._graph, self._rehearsed(), self._unfolded))

    def _refold(self, unfolded: frozenset[int]) -> None:
        if self._walk is not None:
            self._at = translated(self._graph, self._walk, self._at, self._unfolded, unfolded)
        self._unfolded = unfolded

    def _backward(self, gradient: Any, retain_graph: bool | None) -> None:
        library = sys.modules[self._graph.library]
        given = None
        if gradient is not None:
            given = list(gradient) if isinstance(gradient, list | tuple) else [gradient]
        self._at, self._walk, self._complaint = 0, None, ""
        try:
            library.autograd.backward(list(self._tensors), given, retain_graph=retain_graph)
        except Exception as error:
            self._complaint = f"backward() was refused. {type(error).__name__}: {error}"
            raise
        self._walked = True
        kept = "and, with retain_graph=True, the graph keeps what it saved" if retain_graph else ""
        self._past = "backward() has run, the real one: the gradients are in .grad, " + (
            kept or "and the graph has let go of what it had saved."
        )

    def _look(self) -> None:
        """Read the graph again; a rehearsal of what has changed since begins anew."""
        graph, _ = read(self._tensors, self._pairs, self._graph)
        if graph == self._graph:
            return
        if self._at:
            self._past = (
                "The graph has changed since the rehearsal began, so it was taken back to its beginning."
            )
        self._graph, self._walk, self._at = graph, None, 0

    def _scene(self, look: bool = True) -> GraphScene:
        if look:
            self._look()
        return compose_graph(
            self._graph, self._walk, self._at, self._unfolded, self._past, self._walked, self._width
        )

    # ---- the browser

    def _heard(self, _widget: Any, message: Any, _buffers: Any) -> None:
        if not isinstance(message, dict):
            return
        with self._guard:
            if self._closed:
                return
            if not (isinstance(message.get("kind"), str) and self._staged(message)):
                self._do(message)
            # A rehearsal was recorded: to show another step of it, the graph need not be read again.
            self._settled = self._walk is not None
            self._paint(serial=message.get("serial"))
            self._settled = False
        if message.get("kind") == "backward":
            cell_hook.repaint(skip=self)

    def _do(self, message: dict[str, Any]) -> None:
        kind, number = message.get("kind"), message.get("number")
        whole = number if isinstance(number, int) and abs(number) < 1 << 31 else None
        if kind == "goto" and whole is not None:
            self._go(whole)
        elif kind in ("step", "back"):
            self._go(self._at + (1 if kind == "step" else -1))
        elif kind == "run":
            self._go(steps_of(self._graph, self._rehearsed(), self._unfolded))
        elif kind == "reset":
            self._unfolded = frozenset()
            self._go(0)
        elif kind == "room":
            self._width = width_in(message.get("value"), WIDTHS, self._width)
        elif kind == "unfold" and whole is not None:
            self._refold(self._unfolded | {whole})
        elif kind == "fold":
            self._refold(frozenset())
        elif kind == "backward":
            try:
                self._backward(self._gradient, None)
            except Exception as error:  # said in the picture: a click never raises in the kernel
                self._complaint = self._complaint or str(error)

    def _compose(self) -> GraphScene:
        return self._scene(look=not self._settled)

    def _rendered(self, scene: GraphScene) -> tuple[str, str]:
        return render_graph(scene, live=True), render_graph_text(scene)

    def _shown(self) -> dict[str, Any]:
        scene: GraphScene | None = self._last
        graph = self._graph
        steps = steps_of(graph, self._walk, self._unfolded) if self._walk else None
        return {
            "title": graph.title, "library": graph.library, "operations": graph.operations,
            "status": scene.status if scene else "", "step": self._at, "steps": steps,
            "folded": scene.folded if scene else 0, "unfolded": len(self._unfolded),
            "said": scene.said if scene else "",
            "complaint": self._complaint, "warnings": list(scene.words[1:]) if scene else [],
            "width": scene.width if scene else 0, "empty": not graph.operations,
        }  # fmt: skip

    def _page(self) -> str:
        with self._guard:
            self._look()
            walk = self._rehearsed()
            last = min(steps_of(self._graph, walk, self._unfolded), _MOST_PAGES)
            layouts = {
                width: [
                    compose_graph(self._graph, walk, k, self._unfolded, self._past, page=width)
                    for k in range(last + 1)
                ]
                for width in (min(WIDTHS), HALF, WIDTH)
            }
            first = min(self._at, last)
            shown = layouts[WIDTH][first]
            drawn = {width: list(map(_page_step, scenes)) for width, scenes in layouts.items()}
            return page(_PAGE, shown.graph.title, drawn, render_graph_text(shown), first)


_PAGE = PageKind("GraphView", "graph_page.js", ("graph_scene.css", "graph_view.css"))


def _page_step(scene: GraphScene) -> PageStep:
    data = {"step": str(scene.step), "status": scene.status, "said": scene.said}
    return PageStep(render_graph(scene, live=True), data)


def _pairs(tensors: Sequence[Any], names: Names | None, frame: Any) -> list[tuple[str, Any]]:
    """The names that the picture may use."""
    if names is None:
        names = {**frame.f_globals, **frame.f_locals}
    elif not isinstance(names, Mapping) or not all(isinstance(name, str) for name in names):
        raise TypeError('names must be a dictionary from names to tensors, such as {"w": w}')
    return named(names, library_of(tensors[0])) if tensors else []


def _used(pairs: Sequence[tuple[str, Any]], graph: Graph) -> list[tuple[str, Any]]:
    """The names that occur, so that the view keeps no other tensor alive."""
    seen = {vertex.name for vertex in graph.vertices} | {m.name for v in graph.vertices for m in v.made}
    seen |= {kept.source for vertex in graph.vertices for kept in vertex.kept} | set(graph.title.split(", "))
    return [(name, tensor) for name, tensor in pairs if name in seen]
