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

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tensorkit_widgets.drawing.sheet import PAGE
from tensorkit_widgets.snapshot import view_chain
from tensorkit_widgets.snapshot.adapter import Meta, look
from tensorkit_widgets.snapshot.expression import Call, NotAllowed, join, parse
from tensorkit_widgets.snapshot.geometry import Ints
from tensorkit_widgets.snapshot.number_text import full, size_text
from tensorkit_widgets.snapshot.view_chain import Link, Step, StepFailed
from tensorkit_widgets.snapshot.window import Window, clamp_focus
from tensorkit_widgets.stride_explorer.controls import PANELS, Form, controls, step_code
from tensorkit_widgets.stride_explorer.model import (
    SLIDING,
    StrideState,
    asked_layout,
    chain_for,
    clamped,
    numbers,
    read,
    window_of,
)
from tensorkit_widgets.stride_explorer.scene import Refusal, StrideSheet, compose
from tensorkit_widgets.stride_explorer.words import chain_said, element_text, text_twin
from tensorkit_widgets.widget.board import Board, Control
from tensorkit_widgets.widget.caller import called
from tensorkit_widgets.widget.saved_page import PageStep


@dataclass(frozen=True, slots=True)
class Refused:
    """A moment of which a step was refused: what was asked is part of it."""

    state: StrideState
    calls: tuple[Call, ...]
    typed: str


class StrideExplorer(Board):
    """A live tensor as a grid and as slots of its storage, with a chain of view steps to build, step by step.

    Args:
        tensor: a `tensorkit.Tensor`, a `numpy.ndarray` or a `torch.Tensor`. It is not copied: what is written in the
            picture is written into the tensor, and what Python writes shows in the picture.
        expression: steps to begin with, such as ``"[1:, ::2].t()"``. None shows the tensor itself.
        name: what the tensor is called in the code that is shown; by default its name where the widget is made, so that
            the code can be pasted, else ``"t"``.
        focus: the index of the element that is explained first.

    Raises:
        TypeError: for something that cannot be drawn, or an unknown keyword.
        NotAllowed: for an expression outside the grammar of `tensorkit_widgets.snapshot.expression`.
        Whatever the engine raises for a step that it refuses.
    """

    kind = "stride-explorer"
    live = ("_tensor",)
    scene_kind = "stride"
    widths = (320.0, 400.0, 480.0, 560.0, 680.0, 800.0, PAGE)
    panels = PANELS
    offered = "what works instead, with a copy:"
    _text_of = staticmethod(text_twin)

    _state: StrideState

    def __init__(
        self,
        tensor: Any,
        expression: str | None = None,
        *,
        name: str | None = None,
        focus: Sequence[int] | None = None,
        **unknown: Any,
    ) -> None:
        if unknown:
            names = ", ".join(sorted(unknown))
            raise TypeError(
                f"StrideExplorer has no option {names}: it takes a tensor, expression, name and focus"
            )
        if name is not None and (not isinstance(name, str) or not name):
            raise TypeError(f"name must be a text such as 't', not {name!r}")
        self._tensor, self._name = tensor, called(tensor, "t", name)
        self._links = tuple[Link, ...]()
        self._refusal: Refusal | None = None
        self._refused: tuple[Call, ...] = ()
        self._moved = self._settled = False
        self._typed, self._form = "", Form()
        self._seen: Meta | None = None
        first = StrideState(calls=self._built(expression))
        self._seen = self._links[0].meta
        chosen = focus if focus is None else numbers(list(focus))
        self._begin(replace(first, focus=clamp_focus(chosen, self._meta.size)))

    # ---- what Python sees

    @property
    def expression(self) -> str:
        """The steps, such as ``"[1:, ::2].t()"``. Setting it applies another chain; raises what the engine raises."""
        with self._guard:
            return join(self._state.calls)

    @expression.setter
    def expression(self, text: str | None) -> None:
        with self._guard:
            calls = self._built(text)
            self._refusal, self._typed, self._said = None, "", chain_said(self._links)
            if calls != self._state.calls:
                focus = clamp_focus(self._state.focus, self._meta.size)
                self._change(calls=calls, focus=focus, origin=None, point=None)
            self._paint()

    @property
    def element(self) -> Ints | None:
        """The index of the element that is explained; None of an empty tensor. Setting it raises `IndexError` for none.

        >>> import numpy
        >>> w = StrideExplorer(numpy.arange(6).reshape(2, 3))
        >>> w.element = 1, 2
        >>> w.element
        (1, 2)
        """
        with self._guard:
            return self._state.focus

    @element.setter
    def element(self, index: Sequence[int]) -> None:
        chosen = numbers(list(index))
        with self._guard:
            if chosen is None or clamp_focus(chosen, self._meta.size) != chosen:
                raise IndexError(f"{self.code} has the size {size_text(self._meta.size)}: no element {index}")
            self._look("look", {"key": f"t:{','.join(map(str, chosen))}"})
            self._paint()

    @property
    def code(self) -> str:
        """The Python that yields the present view."""
        return self._name + self.expression

    @property
    def result(self) -> Any:
        """The live tensor at the end of the chain."""
        with self._guard:
            self._rebuild()
            return self._links[-1].tensor

    @property
    def steps(self) -> tuple[Step, ...]:
        """Each step with its size, stride, offset, *view or copy*, and why."""
        with self._guard:
            return tuple(link.step for link in self._links)

    def attempt(self, expression: str) -> StrideExplorer:
        """Type these steps into the picture's box, as a learner would: a refused step is drawn there, not raised.

        Returns the widget itself, so that a cell may end with it.

        >>> import numpy
        >>> StrideExplorer(numpy.arange(6).reshape(2, 3)).attempt("[5]").result.shape
        (2, 3)
        """
        with self._guard:
            self._tried("expression", {"value": expression})
            self._paint()
        return self

    def alt(self) -> str:
        """One sentence for those who do not see the picture."""
        element = element_text(self._last.formula) if self._last and self._last.formula else ""
        return f"StrideExplorer: {self.code}. {element}".strip()

    def __repr__(self) -> str:
        return f"StrideExplorer({self.code})"

    # ---- the chain

    def _let_go(self) -> None:
        """The views of the chain go too: they are taken again when the picture is."""
        super()._let_go()
        self._links, self._settled = (), False

    @property
    def _meta(self) -> Meta:
        return self._links[-1].meta

    def _built(self, text: str | None) -> tuple[Call, ...]:
        """Another chain, from Python: a wrong one raises the library's own error, and nothing has changed then."""
        try:
            self._links = view_chain.build(
                self._tensor, parse(text or "", self._name), self._name, self._links
            )
        except StepFailed as failed:
            raise failed.error from None
        self._settled = True
        return tuple(link.call for link in self._links[1:] if link.call)

    def _rebuild(self) -> None:
        """Bring the chain up to date with the live tensor; a step that no longer applies is cut off and said."""
        first, calls = view_chain.base_link(self._tensor, self._name), self._state.calls
        if first.meta.fault:
            self._links = (first,)
        else:
            try:
                self._links = view_chain.build(self._tensor, calls, self._name, self._links, first)
            except StepFailed as failed:
                calls = calls[: failed.at]
                self._links = view_chain.build(self._tensor, calls, self._name, self._links, first)
                self._said = f"{failed.call.code} no longer applies: {failed}"
            self._state = replace(
                self._state, calls=calls, focus=clamp_focus(self._state.focus, self._meta.size)
            )
        self._notice()

    def _notice(self) -> None:
        """Say it when the tensor was resized or freed since the last look."""
        now, then = self._links[0].meta, self._seen
        if then is not None and now.fault and now.fault != then.fault:
            self._said = now.fault
        elif then is not None and (now.size, now.nbytes) != (then.size, then.nbytes):
            self._said = (
                f"{self._name} was resized: size {size_text(then.size)} in {then.nbytes} bytes before, "
                f"size {size_text(now.size)} in {now.nbytes} bytes now"
            )
        self._seen = now

    def _try(self, calls: Sequence[Call], typed: str, sliding: bool) -> None:
        """Try a chain; what the library refuses stays out, with its reason, and the legal part before it is shown."""
        self._refusal, self._refused = None, ()
        try:
            links = view_chain.build(self._tensor, calls, self._name, self._links)
        except StepFailed as failed:
            links = view_chain.build(self._tensor, calls[: failed.at], self._name, self._links)
            self._refusal = Refusal(failed.call.code, _lines(str(failed)), failed.conflicts)
            self._refused, self._typed = tuple(calls[failed.at :]), typed
            self._said = f"{failed.call.code} was refused: {_plain(str(failed))}"
        done, before = tuple(link.call for link in links[1:] if link.call), self._state
        self._moved = done != before.calls
        if self._moved:
            # The pointer stays on its element where the new view still has one of that index.
            same = len(links[-1].meta.size) == len(self._meta.size)
            focus = clamp_focus(before.focus if same else None, links[-1].meta.size)
            going_on = (
                bool(before.calls) and len(calls) == len(before.calls) and calls[:-1] == before.calls[:-1]
            )
            if sliding and going_on and self._past and not self._rewrites("undo"):
                self._state = replace(before, calls=done, focus=focus, origin=None, point=None)
            else:
                self._change(calls=done, focus=focus, origin=None, point=None)
        self._links, self._settled = links, True
        if self._refusal is None:
            self._said = chain_said(links)

    def _remember(self) -> Any:
        """The state, and what stands refused beside it."""
        if self._refusal is None:
            return self._state
        return Refused(self._state, self._refused, self._typed)

    def _return(self, moment: Any) -> None:
        refused = moment if isinstance(moment, Refused) else None
        super()._return(refused.state if refused else moment)
        self._again("")
        if refused:  # asked once more: the engine may have changed its mind
            self._try((*self._state.calls, *refused.calls), refused.typed, sliding=False)

    def _undo(self) -> None:
        if self._refusal is not None and not self._moved:
            self._refusal, self._typed, self._said = None, "", "undone: the refused step is gone"
        elif self._past:
            typed = self._rewrites("undo")
            super()._undo()
            said = self._said
            self._again("undone: ")
            self._said = said if typed else self._said

    def _again(self, lead: str) -> None:
        """Another state was taken up: nothing of it is refused."""
        self._refusal, self._refused, self._typed = None, (), ""
        self._rebuild()
        self._settled = True
        self._said = lead + chain_said(self._links)

    def _undoable(self) -> bool:
        return bool(self._past) or self._refusal is not None

    # ---- the picture

    def _drawn(self, live: bool, width: float) -> StrideSheet:
        settled, self._settled = self._settled, False
        if not settled or self._links[0].meta.fault:
            self._rebuild()
        for _ in range(3):
            snapshot = read(self._links[-1], self._state, width)
            if snapshot.meta.size == self._meta.size:
                break
            self._rebuild()
        return compose(
            self._links, snapshot, self._state.focus, self._refusal, live, width, complaint=self._complaint
        )

    def _compose(self) -> StrideSheet:
        return self._drawn(live=True, width=self._width)

    def _sheet_now(self) -> StrideSheet:
        return self._drawn(live=False, width=PAGE)

    def _sheet(self, at: int) -> StrideSheet:
        """The picture after so many steps of the chain, for a saved page."""
        if at >= len(self._links) - 1:
            return self._drawn(live=False, width=self._width)
        links = self._links[: at + 1]
        state = StrideState(focus=clamp_focus(None, links[-1].meta.size))
        return compose(links, read(links[-1], state, self._width), state.focus, width=self._width)

    def _kept_steps(self) -> Sequence[int]:
        return range(len(self._links))

    def _first_kept(self) -> int:
        return len(self._links) - 1

    def _page_step(self, number: int, sheet: StrideSheet) -> PageStep:
        kept, meta = super()._page_step(number, sheet), sheet.snapshot.meta
        return PageStep(kept.svg, {**kept.data, "size": _listed(meta.size), "stride": _listed(meta.stride)})

    def _fallback(self) -> str:
        lines = [
            f"{s.code}  {s.kind}  size {s.size}  stride {s.stride}  offset {s.offset}" for s in self.steps
        ]
        return "\n".join([self.code, *lines])

    # ---- the browser

    def _do(self, kind: str, message: Mapping[str, Any]) -> None:
        if kind in ("look", "hold", "pan", "strip-window"):
            self._look(kind, message)
        elif kind == "edit":
            self._edit(message)
        elif kind == "method":
            self._form.choose(message.get("value"))
        elif kind == "argument":
            self._form.fill(message.get("name"), message.get("value"))
        else:
            self._step_on(kind, message)

    def _step_on(self, kind: str, message: Mapping[str, Any]) -> None:
        """A message that asks for another chain."""
        if kind == "add-step":
            message = {"value": step_code(self._meta, self._form)}
        self._typed, text = "", message.get("value")
        try:
            calls = chain_for(kind, message, self._links, self._name)
        except (NotAllowed, MemoryError, RecursionError) as error:
            self._refuse_text(error, text)
            return
        if calls is None:
            return
        asked = asked_layout(kind, message, self._meta)
        slots = self._meta.slots
        typed = (
            "" if not isinstance(text, str) else text if kind in ("expression", "offer") else self.code + text
        )
        try:
            self._try(calls, typed[:1200], kind in SLIDING)
        except (NotAllowed, MemoryError, RecursionError) as error:
            self._refuse_text(error, text)
            return
        if asked is not None and clamped(*asked, slots) != asked and self._refusal is None:
            self._said = "clamped to the storage: " + self._said

    def _refuse_text(self, error: Exception, text: object) -> None:
        allowed = isinstance(error, NotAllowed)
        self._complaint = self._said = str(error) if allowed else f"not possible here: {type(error).__name__}"
        self._refusal, self._refused = None, ()
        self._typed = text[:2000] if allowed and isinstance(text, str) else ""

    def _look(self, kind: str, message: Mapping[str, Any]) -> None:
        """Move the window: to an element, or to a slot of the strip."""
        table, _, place = str(message.get("key", "")).partition(":")
        value, dim, state = message.get("value"), message.get("dim"), self._state
        focus, slot = None, None
        if kind == "strip-window" and type(value) is int:
            slot = value
        elif kind == "look" and table == "s":
            slot = next(iter(numbers(place, 1) or ()), None)
        elif kind == "look" and table == "t":
            focus = numbers(place)
        elif type(value) is int and type(dim) is int and state.focus and 0 <= dim < len(state.focus):
            focus = (*state.focus[:dim], value, *state.focus[dim + 1 :])
        if slot is not None:
            self._state = replace(state, point=max(0, min(slot, self._meta.slots - 1)))
        elif focus is not None and clamp_focus(focus, self._meta.size) == focus:
            moved = replace(state, focus=focus, point=None)
            self._state = replace(moved, origin=window_of(self._links[-1], moved, self._width).origin)

    def _edit(self, message: Mapping[str, Any]) -> None:
        index = numbers(str(message.get("key", "")).removeprefix("t:"))
        if index is None or clamp_focus(index, self._meta.size) != index:
            return
        value = self._write(self._links[-1].tensor, index, message)
        if value is None:
            return
        place = f"{self.code}[{', '.join(map(str, index))}]" if index else f"{self.code}[()]"
        self._state = replace(self._state, focus=index)
        one = Window(index, (1,) * len(index))
        got = next(iter(look(self._links[-1].tensor, one, ()).grid), None)
        self._said = f"{place} = {full(value, 'float64')}: written through to the storage"
        if isinstance(got, int | float) and not isinstance(value, complex) and not _same(got, value):
            self._said += f"; {self._meta.dtype} keeps it as {full(got, self._meta.dtype)}"

    def _refused_words(self) -> str:
        if self._complaint:
            return self._complaint
        if self._refusal is not None:
            return f"{self._refusal.code} was refused: {self._refusal.message}"
        return self._links[0].meta.fault

    def _offers(self) -> Sequence[tuple[str, str]]:
        refusal, first = self._refusal, self._refused[0] if self._refused else None
        if refusal is None or not refusal.pairs or first is None or first.name != "view":
            return ()
        copier = ".flatten()" if self._meta.library == "numpy" else ".contiguous()"
        shape, rest = first.code.removeprefix(".view"), join(self._refused[1:])
        codes = (
            f"{self.expression}{copier}{first.code}{rest}",
            f"{self.expression}.reshape{shape}{rest}",
        )
        return [(code, self._name + code) for code in codes]

    def _controls(self) -> Sequence[Control]:
        if self._last is None:
            return ()
        return controls(self._name, self._links, self._state, self._last, self._form, self._typed)

    def _facts(self) -> Mapping[str, str]:
        meta, step = self._meta, self._links[-1].step
        pairs = self._refusal.pairs if self._refusal else ()

        return {
            "expression": self.expression, "code": self.code, "size": _listed(meta.size),
            "stride": _listed(meta.stride), "offset": str(meta.offset), "slots": str(meta.slots), "dtype": meta.dtype,
            "library": meta.library.partition(".")[0], "steps": str(len(self._links) - 1), "kind": step.kind,
            "conflicts": " ".join(f"{d}-{e}" for d, e in pairs),
        }  # fmt: skip


def _listed(ints: Ints) -> str:
    return ",".join(map(str, ints))


def _lines(message: str) -> str:
    """An error's text with its lines kept and its indents gone."""
    return "\n".join(line.strip() for line in message.strip().splitlines())


def _plain(message: str) -> str:
    return " ".join(message.split())


def _same(got: float, value: float) -> bool:
    if math.isnan(value) or math.isnan(got):
        return math.isnan(value) and math.isnan(got)
    return got == value or math.isclose(got, value, rel_tol=1e-6)
