"""What every widget that draws one picture has in common: how it is shown, saved, closed, and shown again.

The live view and the static picture are two outputs. The picture is ``text/html`` with an ``<img>`` of the SVG, and the
text twin; the live view hides it while it is alive.
"""

from __future__ import annotations

import base64
import json
import re
import warnings
from collections.abc import Mapping
from contextlib import nullcontext
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import traitlets

from tensorkit.process import forks
from tensorkit_widgets.render.esm import static
from tensorkit_widgets.render.marks import drawable
from tensorkit_widgets.render.palette import live_css
from tensorkit_widgets.widget import cell_hook
from tensorkit_widgets.widget.host import Hosted, display
from tensorkit_widgets.widget.let_go import Gone, remembered
from tensorkit_widgets.widget.live_view import display_live
from tensorkit_widgets.widget.saved_file import save_as
from tensorkit_widgets.widget.script import Scene, Script, scenes_of


def css(*names: str) -> str:
    """The style sheet of a live view: what all of them have, and files of its own."""
    return "\n".join([live_css(), *map(static, ("scene.css", "view.css", "presenter.css", *names))])


_ESCAPED = re.compile(r"\\u(?:00(?:0[0-8bcef]|1|7f)|d[89a-f]|fff[ef])")
"""What JSON makes of characters that no message can carry, and of some that one can."""


def _sendable(frame: dict[str, Any]) -> Any:
    """A frame as a message can carry it: nearly always as it is."""
    return _cleaned(frame) if _ESCAPED.search(json.dumps(frame)) else frame


def _cleaned(part: Any) -> Any:
    if isinstance(part, str):
        return drawable(part)
    if isinstance(part, dict):
        return {key: _cleaned(value) for key, value in part.items()}
    if isinstance(part, list):
        return [_cleaned(value) for value in part]
    return tuple(map(_cleaned, part)) if type(part) is tuple else part


def _scenes_of_cell() -> tuple[Scene, ...]:
    """The scenes that the running cell's metadata list; wrong ones are warned about, and never break the cell."""
    try:
        return scenes_of(cell_hook.cell_settings().get("scenes", ()))
    except TypeError as error:
        warnings.warn(f"the scenes of this cell were left out: {error}", stacklevel=4)
        return ()


class Picture(Hosted):
    """A widget whose state is one picture. Subclasses give `svg`, `text`, `alt`, `_page`, `_compose`, `_rendered`
    and `_shown`."""

    frame = traitlets.Dict().tag(sync=True)

    live: ClassVar[tuple[str, ...]] = ()
    """What holds the tensors: a closed picture lets go of these, and finds them again while others hold them."""

    def __init__(self) -> None:
        self._guard = forks.rlock()
        self._closed = False
        self._revision = 0
        self._last: Any = None
        self._script = Script(_scenes_of_cell())
        self._kept: dict[str, Any] = {}
        super().__init__()

    # ---- what a subclass gives

    def svg(self, theme: str | None = None) -> str:
        """The picture of this moment as SVG; ``theme`` is "light", "dark", or None for what the reader prefers."""
        raise NotImplementedError

    def text(self) -> str:
        """The picture of this moment as text."""
        raise NotImplementedError

    def alt(self) -> str:
        """One sentence for those who do not see the picture."""
        raise NotImplementedError

    def _page(self) -> str:
        raise NotImplementedError

    def _compose(self) -> Any:
        """The frozen scene of this moment, from the live tensors."""
        raise NotImplementedError

    def _rendered(self, scene: Any) -> tuple[str, str]:
        """A scene as the live SVG and as text."""
        raise NotImplementedError

    def _shown(self) -> dict[str, Any]:
        """What the controls show, beside the picture (`_last` is the scene that was drawn last)."""
        raise NotImplementedError

    def _fallback(self) -> str:
        """What stands in the place of a picture that could not be drawn."""
        return repr(self)

    def _remember(self) -> Any:
        """This moment, for `_recall`: what the picture shows, not the numbers in the tensor."""
        raise NotImplementedError

    def _recall(self, moment: Any) -> None:
        raise NotImplementedError

    def _marked(self) -> Any:
        """This moment, for `_come_back`: what a mark and a scene remember."""
        return self._remember()

    def _come_back(self, moment: Any) -> None:
        self._recall(moment)

    # ---- moments and scenes

    def checkpoint(self, name: str) -> Self:
        """Remember this moment under a name, for `reset`."""
        with self._guard:
            self._kept[str(name)] = self._remember()
            self._paint()
        return self

    def _moment(self, name: str) -> Any:
        """A checkpoint by its name."""
        if name not in self._kept:
            raise KeyError(f"no checkpoint is called {name!r}; there are {sorted(self._kept) or 'none yet'}")
        return self._kept[name]

    @property
    def scenes(self) -> tuple[Scene, ...]:
        """The moments of a talk, in order. Set pairs (name, action): see `tensorkit_widgets.widget.script`."""
        return self._script.scenes

    @scenes.setter
    def scenes(self, given: Any) -> None:
        with self._guard:
            self._script = Script(scenes_of(given))
            self._paint()

    def scene(self, number: int | str) -> Self:
        """Go to a scene by its number or name.

        Raises:
            IndexError, KeyError: when there is none.
        """
        if isinstance(number, str):
            names = [scene.name for scene in self.scenes]
            if number not in names:
                raise KeyError(f"no scene is called {number!r}; there are {names}")
            number = names.index(number)
        with self._guard:
            self._script.to(number, self, self._marked, self._come_back)
            self._paint()
        return self

    def _staged(self, message: Mapping[str, Any]) -> bool:
        """What the presenter asked for; whether it was that."""
        kind, value, script = message["kind"], message.get("value"), self._script
        if kind == "scene" and type(value) is int and 0 <= value < len(script.scenes):
            script.to(value, self, self._marked, self._come_back)
        elif kind == "mark":
            script.mark, script.marked = self._marked(), True
        elif kind == "return":
            if script.marked:
                self._come_back(script.mark)
        else:
            return bool(kind == "scene")
        return True

    # ---- files

    def save(self, path: str | Path) -> Path:
        """Write the picture to ``x.svg``, ``x.txt``, or ``x.html``: a page that needs no kernel and no network."""
        return save_as(path, {".svg": self.svg, ".txt": lambda: self.text() + "\n", ".html": self._page})

    # ---- life

    def refresh(self) -> bool:
        """Look again, and repaint if anything has changed. Called after every cell; never raises."""
        with self._guard:
            return not self._closed and self._paint(only_if_changed=True)

    def close(self) -> None:
        """Take the widget down: its view and its hook. It lets go of its tensors."""
        cell_hook.unregister(self)
        with self.__dict__.get("_guard") or nullcontext():  # one whose arguments were refused has none
            self._closed = True
            self._let_go()
        super().close()

    def _let_go(self) -> None:
        """Hold no tensor any more: a name, or the notebook's ``Out``, may hold the closed picture for long."""
        away, held = self.__dict__.setdefault("_away", {}), self.__dict__
        away.update({name: remembered(held.pop(name)) for name in self.live if name in held})

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """What a closed picture has let go of, where somebody else still holds it."""
            away = self.__dict__.get("_away", {})
            if name in away:
                return away[name]()
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def _reopen(self) -> None:
        """Displayed again after it was closed: live once more.

        Raises:
            Gone: when what it showed is no more.
        """
        away = self.__dict__.get("_away", {})
        self.__dict__.update({name: find() for name, find in away.items()})
        away.clear()
        self._closed = False
        self.__dict__.pop("_repr_mimebundle_", None)  # closing had hidden the class's own
        self.open()
        self.refresh()
        cell_hook.register(self)

    def _paint(self, serial: Any = None, only_if_changed: bool = False) -> bool:
        """Draw this moment and send it; whether it was sent: not when it would be the same again."""
        try:
            scene = self._compose()
            if only_if_changed and scene == self._last and not self.frame.get("reason", "undrawn"):
                return False
            svg, words = self._rendered(scene)
            drawn = {"svg": svg, "text": words, "reason": ""}
            self._last = scene
            if only_if_changed and drawn == {name: self.frame.get(name) for name in drawn}:
                return False  # nan is never equal to itself, but it is drawn the same
        except Exception as error:  # a failed draw falls back to text, and never breaks the learner's cell
            reason = f"the picture could not be drawn: {error}"
            if only_if_changed and reason == self.frame.get("reason"):
                return False
            drawn = {"svg": "", "text": self._fallback(), "reason": reason}
        self._publish(drawn, self._shown(), serial)
        return True

    def _publish(self, drawn: dict[str, Any], facts: dict[str, Any], serial: Any) -> None:
        """Send a frame: svg, text and the reason why there is no svg, with the facts that the controls show."""
        self._revision += 1
        shown = serial if type(serial) is int and abs(serial) < 1 << 53 else None
        script = self._script.facts(facts.get("step", 0), facts.get("steps", 0), self._marked())
        facts = {**facts, "script": script}
        self.frame = _sendable({"revision": self._revision, "serial": shown, **drawn, "facts": facts})

    # ---- display: the live view, and the picture as an output of its own

    def _ipython_display_(self, **_options: Any) -> None:
        try:
            if self._closed:
                self._reopen()
        except Gone as gone:
            display({"text/plain": f"{gone}\n\n{self.frame.get('text', '')}".rstrip()})
            return
        display_live(self, self._still(), "Run this cell to play with the picture.")

    def _still(self) -> dict[str, str]:
        """The static picture: hidden by the live view while that is alive."""
        try:
            with self._guard:
                twin, picture, words = drawable(self.text()), self.svg(), drawable(self.alt())
        except Exception as error:  # a failed draw falls back to text, and never breaks the learner's cell
            return {
                "text/plain": f"the picture could not be drawn: {error}\n{self.frame.get('text', '')}".strip()
            }
        data = base64.b64encode(picture.encode("utf-8")).decode("ascii")
        image = f'<img class="tk-still" alt="{escape(words)}" src="data:image/svg+xml;base64,{data}">'
        return {"text/html": image, "text/plain": twin}
