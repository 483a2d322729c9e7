"""`StrideExplorer`: question, push and break the size, stride and offset of a live tensor.

>>> import numpy
>>> w = StrideExplorer(numpy.arange(12.0).reshape(3, 4), "[1:, ::2].T", name="a")
>>> w.code, w.result.shape, w.steps[-1].stride
('a[1:, ::2].T', (2, 2), (2, 4))
>>> w.expression = "[0]"
>>> w.result.tolist()
[0.0, 1.0, 2.0, 3.0]
>>> w.close()
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorkit_widgets.drawing.page_width import WIDTHS
from tensorkit_widgets.render.esm import link
from tensorkit_widgets.snapshot.adapter import storage_number
from tensorkit_widgets.snapshot.view_chain import Step, StepFailed
from tensorkit_widgets.stride_explorer.actions import do
from tensorkit_widgets.stride_explorer.control_state import facts
from tensorkit_widgets.stride_explorer.render_svg import render_svg
from tensorkit_widgets.stride_explorer.render_text import element_text, render_text
from tensorkit_widgets.stride_explorer.scene import WIDTH, Scene
from tensorkit_widgets.stride_explorer.session import Session
from tensorkit_widgets.widget import cell_hook
from tensorkit_widgets.widget.picture import Picture, css
from tensorkit_widgets.widget.saved_page import HALF, PageKind, PageStep, page

__all__ = ["StrideExplorer"]


class StrideExplorer(Picture):
    """A live tensor as a grid and as slots of its storage, with a chain of view steps to build, step by step.

    Args:
        tensor: a `tensorkit.Tensor`, a `numpy.ndarray` or a `torch.Tensor`. It is not copied: what is written in the
            picture is written into the tensor, and what Python writes shows in the picture.
        expression: steps to begin with, such as ``"[1:, ::2].t()"``. None shows the tensor itself.
        name: what the tensor is called in the code that is shown.
        focus: the index of the element that is explained first.

    Raises:
        TypeError: for something that cannot be drawn, or an unknown keyword.
        NotAllowed: for an expression outside the grammar of `tensorkit_widgets.snapshot.expression`.
        Whatever the engine raises for a step that it refuses.
    """

    _esm = link("stride_explorer.js")
    _css = css()

    def __init__(
        self,
        tensor: Any,
        expression: str | None = None,
        *,
        name: str = "t",
        focus: Sequence[int] | None = None,
        **unknown: Any,
    ) -> None:
        if unknown:
            names = ", ".join(sorted(unknown))
            raise TypeError(
                f"StrideExplorer has no option {names}: it takes a tensor, expression, name and focus"
            )
        if not isinstance(name, str) or not name:
            raise TypeError(f"name must be a text such as 't', not {name!r}")
        self._session = Session(tensor, name)
        try:
            self._session.set(expression or "")
        except StepFailed as failed:
            raise failed.error from None
        self._session.first, self._session.said = self._session.calls, ""
        if focus is not None:
            do(self._session, {"kind": "look", "focus": list(focus)})
        super().__init__()
        self._paint()
        cell_hook.register(self)

    # ---- what Python sees

    @property
    def expression(self) -> str:
        """The steps, such as ``"[1:, ::2].t()"``. Setting it applies another chain; raises what the engine raises."""
        with self._guard:
            return self._session.expression

    @expression.setter
    def expression(self, text: str | None) -> None:
        with self._guard:
            try:
                self._session.set(text or "")
            except StepFailed as failed:
                raise failed.error from None
            self._paint()

    @property
    def code(self) -> str:
        """The Python that yields the present view."""
        with self._guard:
            return self._session.code

    @property
    def result(self) -> Any:
        """The live tensor at the end of the chain."""
        with self._guard:
            self._session.rebuild()
            return self._session.tensor

    @property
    def steps(self) -> tuple[Step, ...]:
        """Each step with its size, stride, offset, *view or copy*, and why."""
        with self._guard:
            return tuple(link.step for link in self._session.links)

    def attempt(self, expression: str) -> StrideExplorer:
        """Type these steps into the picture's box, as a learner would: a refused step is drawn there, not raised.

        Returns the widget itself, so that a cell may end with it.

        >>> import numpy
        >>> StrideExplorer(numpy.arange(6).reshape(2, 3)).attempt("[5]").result.shape
        (2, 3)
        """
        with self._guard:
            do(self._session, {"kind": "expression", "text": expression})
            self._paint()
        return self

    def reset(self, name: str | None = None) -> StrideExplorer:
        """Back to the chain that it began with, or to a checkpoint.

        Raises:
            KeyError: for a name that no checkpoint has.
        """
        with self._guard:
            if name is None:
                do(self._session, {"kind": "reset"})
            else:
                self._recall(self._moment(name))
            self._paint()
        return self

    def _remember(self) -> Any:
        return self._session.moment()

    def _recall(self, moment: Any) -> None:
        self._session.recall(moment)

    def svg(self, theme: str | None = None) -> str:
        """The picture of this moment as SVG; ``theme`` is "light", "dark", or None for what the reader prefers."""
        with self._guard:
            return render_svg(self._session.scene(), theme)

    def text(self) -> str:
        """The picture of this moment as text."""
        with self._guard:
            return render_text(self._session.scene())

    def alt(self) -> str:
        """One sentence for those who do not see the picture."""
        element = element_text(self._last) if self._last else ""
        return f"StrideExplorer: {self.code}. {element}".strip()

    def _page(self) -> str:
        with self._guard:
            layouts = {width: self._session.scenes(width) for width in (min(WIDTHS), HALF, WIDTH)}
            last = layouts[WIDTH][-1]
            drawn = {width: list(map(_page_step, range(len(s)), s)) for width, s in layouts.items()}
            return page(PageKind("StrideExplorer", "page.js"), last.code, drawn, render_text(last))

    def __repr__(self) -> str:
        return f"StrideExplorer({self._session.code})"

    # ---- the browser

    def _heard(self, _widget: Any, message: Any, _buffers: Any) -> None:
        """A message from the browser, on whichever thread the host runs it."""
        if not isinstance(message, dict):
            return
        with self._guard:
            if self._closed:
                return
            if not (isinstance(message.get("kind"), str) and self._staged(message)):
                do(self._session, message)
            self._paint(serial=message.get("serial"))
        if message.get("kind") == "edit":
            cell_hook.repaint(skip=self)

    def _compose(self) -> Scene:
        return self._session.scene(live=True)

    def _rendered(self, scene: Scene) -> tuple[str, str]:
        return render_svg(scene, live=True), render_text(scene)

    def _fallback(self) -> str:
        lines = [
            f"{s.code}  {s.kind}  size {s.size}  stride {s.stride}  offset {s.offset}" for s in self.steps
        ]
        return "\n".join([self._session.code, *lines])

    def _shown(self) -> dict[str, Any]:
        return {
            **facts(self._session),
            "storage": storage_number(self._session.meta.buffer),
            "element": self._last and element_text(self._last),
        }


def _page_step(number: int, scene: Scene) -> PageStep:
    meta = scene.snapshot.meta
    data = {
        "step": str(number),
        "code": scene.cards[number].code if number < len(scene.cards) else scene.code,
        "size": ",".join(map(str, meta.size)),
        "stride": ",".join(map(str, meta.stride)),
    }
    return PageStep(render_svg(scene, live=True), data)
