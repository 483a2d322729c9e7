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

import base64
import threading
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any
from zlib import crc32

import anywidget
import traitlets

from tensorkit_widgets import live
from tensorkit_widgets.actions import do
from tensorkit_widgets.adapters import Buffer
from tensorkit_widgets.chain import Step, StepFailed
from tensorkit_widgets.esm import link, static
from tensorkit_widgets.facts import facts
from tensorkit_widgets.page import page
from tensorkit_widgets.render import element_text, render_svg, render_text
from tensorkit_widgets.render.palette import live_css
from tensorkit_widgets.scene import Scene
from tensorkit_widgets.session import Session

__all__ = ["StrideExplorer"]


def _storage_number(buffer: Buffer) -> int:
    """A number for a storage, the same for every widget on it, so that hovering links them in the browser."""
    return crc32(f"{buffer.device} {buffer.start}".encode())


class StrideExplorer(anywidget.AnyWidget):
    """A live tensor as a grid and as slots of its storage, with a chain of view steps to build, step by step.

    Args:
        tensor: a `tensorkit.Tensor`, a `numpy.ndarray` or a `torch.Tensor`. It is not copied: what is written in the
            picture is written into the tensor, and what Python writes shows in the picture.
        expression: steps to begin with, such as ``"[1:, ::2].t()"``. None shows the tensor itself.
        name: what the tensor is called in the code that is shown.
        focus: the index of the element that is explained first.

    Raises:
        TypeError: for something that cannot be drawn, or an unknown keyword.
        NotAllowed: for an expression outside the grammar of `tensorkit_widgets.expression`.
        Whatever the engine raises for a step that it refuses.
    """

    _esm = link("stride_explorer.js")
    _css = "\n".join([live_css(), static("scene.css"), static("stride_explorer.css")])

    frame = traitlets.Dict().tag(sync=True)

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
        self._guard = threading.RLock()
        self._session = Session(tensor, name)
        self._closed = False
        self._revision = 0
        self._last: Scene | None = None
        try:
            self._session.set(expression or "")
        except StepFailed as failed:
            raise failed.error from None
        self._session.first, self._session.said = self._session.calls, ""
        if focus is not None:
            do(self._session, {"kind": "look", "focus": list(focus)})
        super().__init__()
        self.on_msg(self._heard)
        self._paint()
        live.register(self)

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

    def svg(self, theme: str | None = None) -> str:
        """The picture of this moment as SVG; ``theme`` is "light", "dark", or None for what the reader prefers."""
        with self._guard:
            return render_svg(self._session.scene(), theme)

    def text(self) -> str:
        """The picture of this moment as text."""
        with self._guard:
            return render_text(self._session.scene())

    def save(self, path: str | Path) -> Path:
        """Write the picture to ``x.svg``, ``x.txt``, or ``x.html``: a page that needs no kernel and no network."""
        target = Path(path)
        writers = {".svg": self.svg, ".txt": lambda: self.text() + "\n", ".html": self._page}
        if target.suffix not in writers:
            raise ValueError(f"cannot save {target.name}: the name must end in .svg, .txt or .html")
        target.write_text(writers[target.suffix](), encoding="utf-8")
        return target

    def _page(self) -> str:
        with self._guard:
            return page(self._session.scenes())

    def refresh(self) -> bool:
        """Look at the tensor again, and repaint if anything has changed. Called after every cell; never raises."""
        with self._guard:
            return not self._closed and self._paint(only_if_changed=True)

    def close(self) -> None:
        """Take the widget down: its view, its hook and its hold on the tensor's memory map."""
        live.unregister(self)
        self._closed = True
        super().close()

    def _reopen(self) -> None:
        """Displayed again after it was closed: live once more."""
        self._closed = False
        self.__dict__.pop("_repr_mimebundle_", None)  # closing had hidden the class's own
        self.open()
        self.refresh()
        live.register(self)

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
            do(self._session, message)
            self._paint(serial=message.get("serial"))
        if message.get("kind") == "edit":
            live.repaint(skip=self)

    def _paint(self, serial: Any = None, only_if_changed: bool = False) -> bool:
        try:
            scene = self._session.scene(live=True)
            if only_if_changed and scene == self._last and not self.frame["reason"]:
                return False
            self._last = scene
            drawn = {"svg": render_svg(scene, live=True), "text": render_text(scene), "reason": ""}
            if only_if_changed and drawn == {name: self.frame[name] for name in drawn}:
                return False  # nan is never equal to itself, but it is drawn the same
        except Exception as error:  # a failed draw falls back to text, and never breaks the learner's cell
            drawn = {
                "svg": "",
                "text": self._fallback(),
                "reason": f"the picture could not be drawn: {error}",
            }
            if only_if_changed and drawn["reason"] == self.frame.get("reason"):
                return False
        self._publish(drawn, serial)
        return True

    def _fallback(self) -> str:
        lines = [
            f"{s.code}  {s.kind}  size {s.size}  stride {s.stride}  offset {s.offset}" for s in self.steps
        ]
        return "\n".join([self._session.code, *lines])

    def _publish(self, drawn: dict[str, Any], serial: Any) -> None:
        self._revision += 1
        focus = self._last and element_text(self._last)
        state = {
            **facts(self._session),
            "storage": _storage_number(self._session.meta.buffer),
            "element": focus,
        }
        shown = serial if isinstance(serial, int) else None
        self.frame = {"revision": self._revision, "serial": shown, **drawn, "facts": state}

    # ---- display: the live view, and the picture as an output of its own

    def _ipython_display_(self, **_options: Any) -> None:
        from IPython.display import display

        if self._closed:
            self._reopen()
        live.replace_in_cell(self)
        bundle = self._repr_mimebundle_()
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle or {}, {})
        # The view alone: its words are in the second output, so a saved notebook shows them once.
        display({k: v for k, v in data.items() if k != "text/plain"}, metadata=metadata, raw=True)
        display(self._still(), raw=True)

    def _still(self) -> dict[str, str]:
        """The static picture: hidden by the live view while that is alive."""
        with self._guard:
            twin, picture = self.text(), self.svg()
            element = element_text(self._last) if self._last else ""
        words = f"StrideExplorer: {self.code}. {element}".strip()
        data = base64.b64encode(picture.encode("utf-8")).decode("ascii")
        image = f'<img class="tk-still" alt="{escape(words)}" src="data:image/svg+xml;base64,{data}">'
        return {"text/html": image, "text/plain": twin}
