"""What every widget that steps through one picture has in common: steps, controls, checkpoints, linked storages.

A subclass keeps all that can change in one frozen ``State`` and gives pure answers from it: the sheet of each step, the
controls, and what a message does. Everything else (drawing, the live view, saving, undoing, presenting) is here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Self

from tensorkit_widgets.diagnosis.way_out import in_words
from tensorkit_widgets.drawing.page_width import WIDTHS, width_in
from tensorkit_widgets.render.sheet import render_sheet, render_sheet_text
from tensorkit_widgets.snapshot import adapter
from tensorkit_widgets.snapshot.expression import number
from tensorkit_widgets.widget import cell_hook
from tensorkit_widgets.widget.picture import Picture, css
from tensorkit_widgets.widget.saved_page import HALF, PageKind, PageStep, Steps, page
from tensorkit_widgets.widget.typed_numbers import Typed, TypedNumbers

BELOW = "below"
"""Where a control has its place right under the picture: see `Control.panel`."""

MOST_PAGES = 60
MOST_UNDO = 100


@dataclass(frozen=True, slots=True)
class Control:
    """One control above or below a picture.

    ``kind`` is button, code (a button that says and sends a piece of code), toggle, choice, range, number, text, order
    (things that are dragged into another order), copy, output or words. What the learner does with it arrives as the
    message ``{"kind": role, "value": …}``, with the control's ``dim`` and ``name`` where it has them; output and words
    ask nothing, and copy puts ``value`` on the clipboard. ``options`` are the pairs (value, label) of a choice;
    ``group`` names the line in which it is: "bar" is that of the steps. ``panel`` is the tab below the picture in which
    that line is, `BELOW` the place right under the picture, and nothing the place above it. A ``live`` number is sent
    while it is typed; ``wrong`` marks text that was refused, ``placeholder`` is shown where there is none; ``dim``
    gives a control the colour of that dimension.
    """

    role: str
    kind: str
    label: str
    value: str | int | bool | None = None
    options: tuple[tuple[str, str], ...] = ()
    low: int = 0
    high: int = 0
    title: str = ""
    enabled: bool = True
    group: str = ""
    wide: bool = False
    panel: str = ""
    dim: int | None = None
    name: str = ""
    live: bool = False
    wrong: bool = False
    placeholder: str = ""


def _sent(message: Mapping[str, Any]) -> bool:
    """Whether a browser can have sent it: no bytes, no number that is too long for Python to write."""
    try:
        json.dumps(message)
    except (TypeError, ValueError, RecursionError):
        return False
    return True


@dataclass(frozen=True)
class State:
    """What can change: subclasses add their own fields. ``at`` is the step that is shown."""

    at: int = 0


class Board(Picture):
    """A picture with steps. Subclasses give `_steps`, `_sheet`, `_controls` and `_do`, and call `_begin` last."""

    kind: ClassVar[str] = "board"
    """What tests and style sheets call the widget: ``data-tk-widget``."""

    moments: ClassVar[str] = "step"
    """What one step is called, in the words of its buttons."""

    widths: ClassVar[tuple[float, ...]] = WIDTHS
    """The widths that the picture can be laid out for, narrowest first: the browser tells how much room there is."""

    writes: ClassVar[frozenset[str]] = frozenset({"edit"})
    """The messages that change tensors: the other widgets look again after them."""

    panels: ClassVar[tuple[tuple[str, str], ...]] = ()
    """The tabs below the picture, (name, words): the last one, the text twin, is always there."""

    plays: ClassVar[bool] = False
    """Whether its steps can be played like a film."""

    offered: ClassVar[str] = "what works instead:"
    """What stands before the `_offers`."""

    scene_kind: ClassVar[str] = "board"
    """What the pointer and the keyboard do in the picture: ``static/scenes.js`` knows the kinds."""

    styles: ClassVar[tuple[str, ...]] = ("sheet.css", "board.css")
    """The style sheets beside those of every view."""

    _script_file = "board.js"
    _css = css("sheet.css", "board.css")

    _svg_of: ClassVar[Any] = staticmethod(render_sheet)
    """A sheet as SVG; `_text_of` writes it as text."""
    _text_of: ClassVar[Any] = staticmethod(render_sheet_text)

    _state: Any

    # ---- what a subclass gives

    def _steps(self) -> int:
        """How many steps there are after the first picture; 0 for a picture without steps."""
        return 0

    def _known_steps(self) -> int | None:
        """How many steps the controls show; None where they are counted only when the first is asked for."""
        return self._steps()

    def _sheet(self, at: int) -> Any:
        """The picture of a step, a `Sheet`, from the live tensors. Never raises for what a learner can do."""
        raise NotImplementedError

    def _sheet_now(self) -> Any:
        """The picture of this moment."""
        return self._sheet(self.at)

    def _controls(self) -> Sequence[Control]:
        """What stands above the picture, beside the steps."""
        return ()

    def _do(self, kind: str, message: Mapping[str, Any]) -> None:
        """What the learner did with a control or a tile. Unknown messages are not answered."""

    def _facts(self) -> Mapping[str, str]:
        """What the view carries as ``data-*`` attributes, for tests."""
        return {}

    def _refused_words(self) -> str:
        """What the view says in an alert."""
        return self._complaint

    def _offers(self) -> Sequence[tuple[str, str]]:
        """What works in the stead of what was refused: what is sent when it is taken, and its code."""
        return ()

    def _about(self) -> tuple[str, str] | None:
        """What is behind a fold under the picture: a question, and the answer."""
        return None

    def _undoable(self) -> bool:
        """Whether there is something that undo takes back."""
        return bool(self._past)

    # ---- what a subclass calls

    def _begin(self, state: State) -> None:
        """Take up the first state and draw it: the last line of a subclass's ``__init__``."""
        self._state = self._first = state
        self._past: list[Any] = []
        self._numbers = TypedNumbers()
        self._said = self._complaint = ""
        self._wrong: dict[str, str] | None = None
        self._width = max(self.widths)
        Picture.__init__(self)
        self._paint()
        cell_hook.register(self)

    def _change(self, **values: Any) -> None:
        """Another state, which undo takes back."""
        with self._guard:
            self._past = [*self._past[-MOST_UNDO:], self._state]
            self._state = replace(self._state, **values)
            self._state = replace(self._state, at=self._clamped(self._state.at))

    def _write(self, tensor: Any, index: Sequence[int], message: Mapping[str, Any]) -> Any:
        """What was typed over a cell goes into its tensor, and undo takes it back: the number that was typed.

        None where it is no number, or the library refuses it: the cell says so, and keeps what it was.
        """
        key, text = str(message.get("key")), message.get("value", "")
        text = text if isinstance(text, str) else ""
        try:
            value = number(text)
            written = adapter.write(tensor, index, value)
        except Exception as error:  # the library's own refusal is what the learner must read
            words = " ".join(str(error).split()).removeprefix("not allowed here: ")
            self._wrong = {"key": key, "value": text[:60], "words": words or type(error).__name__}
            return None
        said = f"undone: [{', '.join(map(str, index))}] is what it was before {value} was typed"
        self._past = [*self._past[-MOST_UNDO:], self._numbers.add(written, said)]
        return value

    def _rewrites(self, kind: str) -> bool:
        """Whether a message changes tensors: undo does where the last change was typed over a cell."""
        return kind in self.writes or (kind == "undo" and bool(self._past) and type(self._past[-1]) is Typed)

    def _clamped(self, at: int) -> int:
        return 0 if at <= 0 else min(at, self._steps())

    def _let_go(self) -> None:
        """Nor does undo hold the tensor into whose cells numbers were typed."""
        super()._let_go()
        self._past = [past for past in self.__dict__.get("_past", ()) if type(past) is not Typed]
        self._numbers = TypedNumbers()

    # ---- what Python sees

    @property
    def at(self) -> int:
        """The step that is shown; 0 is before the first."""
        with self._guard:
            return self._clamped(int(self._state.at))

    @property
    def steps(self) -> Any:
        """How many steps there are."""
        with self._guard:
            return self._steps()

    def step(self, count: int = 1) -> Self:
        """Go on; ``step(-1)`` goes back. Returns the widget, so that a cell may end with it."""
        with self._guard:
            self._go(self.at + count)
            self._paint()
        return self

    def back(self) -> Self:
        """One step back."""
        return self.step(-1)

    def run(self) -> Self:
        """To the last step."""
        return self.step(self._steps())

    def goto(self, at: int) -> Self:
        """To one step; negative numbers count from the end."""
        return self.step((at + self._steps() + 1 if at < 0 else at) - self.at)

    def reset(self, name: str | None = None) -> Self:
        """Back to the first picture, or to a checkpoint.

        Raises:
            KeyError: for a name that no checkpoint has.
        """
        with self._guard:
            self._return(None if name is None else self._moment(name))
            self._paint()
        return self

    def undo(self) -> Self:
        """Take the last change back."""
        with self._guard:
            rewrites = self._rewrites("undo")
            self._undo()
            self._paint()
        if rewrites:
            cell_hook.repaint(skip=self)
        return self

    def svg(self, theme: str | None = None, *, width: float | None = None) -> str:
        """The picture of this moment as SVG.

        Args:
            theme: "light", "dark", or None for what the reader prefers.
            width: the room that there is, in pixels; None for the widest page.
        """
        with self._guard:
            sheet = (
                self._sheet_now()
                if width is None
                else self._laid_out([self._first_kept()], [width])[width][0]
            )
            return str(self._svg_of(sheet, theme))

    def _laid_out(self, steps: Sequence[int], widths: Sequence[float]) -> dict[float, list[Any]]:
        """The pictures of some steps, at each of some widths."""
        now, layouts = self._width, {}
        try:
            for width in widths:
                self._width = width
                layouts[width] = [self._sheet(k) for k in steps]
        finally:
            self._width = now
        return layouts

    def text(self) -> str:
        """The picture of this moment as text."""
        with self._guard:
            return str(self._text_of(self._sheet_now()))

    def alt(self) -> str:
        """One sentence for those who do not see the picture."""
        with self._guard:
            sheet = self._sheet_now()
        return f"{sheet.name}: {sheet.title}. {' '.join(sheet.words)}".strip()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._last.title if self._last else ''})"

    # ---- moving

    def _remember(self) -> Any:
        return self._state

    def _recall(self, moment: Any) -> None:
        self._return(moment)

    def _marked(self) -> Any:
        return self._remember(), self._numbers.standing()

    def _come_back(self, moment: Any) -> None:
        """Undo has nothing more to do with the numbers that are taken back here."""
        shown, numbers = moment
        left = self._numbers.return_to(numbers)
        self._past = [past for past in self._past if not isinstance(past, Typed) or past.stands]
        self._recall(shown)
        if left:
            stayed = "one number" if left == 1 else f"{left} numbers"
            self._said = f"{stayed} in the cells stayed: a cell of the notebook wrote there since"

    def scene(self, number: int | str) -> Self:
        before = self._numbers.standing()
        super().scene(number)
        if before != self._numbers.standing():
            cell_hook.repaint(skip=self)
        return self

    def _go(self, at: int) -> None:
        self._state = replace(self._state, at=self._clamped(at))

    def _return(self, moment: Any) -> None:
        target = self._first if moment is None else moment
        if target != self._state:
            self._past = [*self._past[-MOST_UNDO:], self._state]
        self._state = target
        self._go(target.at)

    def _undo(self) -> None:
        if not self._past:
            return
        last = self._past.pop()
        if isinstance(last, Typed):
            last.take_back()
            self._said = last.said
        else:
            self._state = last
            self._go(last.at)

    # ---- the browser

    def _heard(self, _widget: Any, message: Any, _buffers: Any) -> None:
        """A message from the browser, on whichever thread the host runs it."""
        if not isinstance(message, dict) or not isinstance(message.get("kind"), str) or not _sent(message):
            return
        with self._guard:
            if self._closed:
                return
            rewrites, before = self._rewrites(message["kind"]), self._numbers.standing()
            self._tried(message["kind"], message)
            rewrites = rewrites or before != self._numbers.standing()
            self._paint(serial=message.get("serial"))
        if rewrites:
            cell_hook.repaint(skip=self)

    def _tried(self, kind: str, message: Mapping[str, Any]) -> None:
        """Do what a message asks for: an error is said in the picture, for a click never raises in the kernel."""
        if kind not in ("room", "mark"):  # another width says nothing new, and a mark is of what is said
            self._said, self._complaint, self._wrong = "", "", None
        try:
            if not self._staged({**message, "kind": kind}):
                self._act(kind, message)
        except Exception as error:
            self._complaint = in_words(error)

    def _act(self, kind: str, message: Mapping[str, Any]) -> None:
        value = message.get("value")
        whole = (
            value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 31 else None
        )
        if kind in ("step", "back"):
            self._go(self.at + (1 if kind == "step" else -1))
        elif kind == "run":
            self._go(self._steps())
        elif kind == "goto" and whole is not None:
            self._go(whole)
        elif kind == "reset":
            self._return(self._kept.get(value) if isinstance(value, str) else None)
        elif kind == "undo":
            self._undo()
        elif kind == "room":
            self._width = width_in(value, self.widths, self._width)
        else:
            self._do(kind, message)

    def _compose(self) -> Any:
        return self._sheet_now()

    def _rendered(self, scene: Any) -> tuple[str, str]:
        return self._svg_of(scene, live=True), self._text_of(scene)

    def _shown(self) -> dict[str, Any]:
        sheet = self._last
        return {
            "kind": self.kind, "name": type(self).__name__, "title": sheet.title if sheet else "", "step": self.at,
            "steps": self._known_steps(), "moments": self.moments, "status": sheet.status if sheet else "undrawn",
            "said": self._said or (sheet.said if sheet else ""), "complaint": self._refused_words(),
            "offers": [list(offer) for offer in self._offers()], "offered": self.offered,
            "panels": [list(panel) for panel in self.panels], "plays": self.plays,
            "about": list(self._about() or ()),
            "checkpoints": list(self._kept), "controls": [asdict(control) for control in self._controls()],
            "changed": self._state != self._first, "undo": self._undoable(), "data": dict(self._facts()),
            "scene": self.scene_kind, "wrong": self._wrong,
        }  # fmt: skip

    def _page(self) -> str:
        return page(self.recorded())

    def recorded(self, *, between: bool = True) -> Steps:
        """Every step's picture, for a file: laid out for a phone, for a desk and, with `between`, for half a desk."""
        with self._guard:
            steps, half = self._kept_steps(), [HALF] if between else []
            layouts = self._laid_out(steps, [max(min(self.widths), min(WIDTHS)), *half, max(self.widths)])
            first = steps.index(min(self._first_kept(), steps[-1]))
            shown = layouts[max(layouts)][first]
            kind = PageKind(shown.name, self.kind, self.scene_kind, self.styles)
            drawn = {
                width: list(map(self._page_step, range(len(steps)), sheets))
                for width, sheets in layouts.items()
            }
            return Steps(kind, shown.title, drawn, self._text_of(shown), first)

    def _kept_steps(self) -> Sequence[int]:
        """The steps that a saved page holds."""
        return range(min(self._steps(), MOST_PAGES) + 1)

    def _first_kept(self) -> int:
        """The step that a saved page begins with."""
        return self.at

    def _page_step(self, number: int, sheet: Any) -> PageStep:
        data = {"step": str(number), "status": sheet.status, "said": sheet.said}
        return PageStep(self._svg_of(sheet, live=True), data)
