"""`Ladder`: a target, and a `StrideExplorer` whose dials have to read it; or the reason why no dials can.

>>> rung = Ladder(5, record=False)
>>> rung.claim("twice").correct, rung.claim("negative").correct, rung.solved
(False, True, True)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import tensorkit
from tensorkit_widgets.practice.answers import letter
from tensorkit_widgets.practice.card import Card, button, verdict_part
from tensorkit_widgets.practice.checking.checks import layout_check
from tensorkit_widgets.practice.exercise import FRESH
from tensorkit_widgets.practice.facts import Answer, Verdict, slots
from tensorkit_widgets.practice.markup import escape, markup, plain
from tensorkit_widgets.puzzles.rungs import REASONS, RUNGS, Reason
from tensorkit_widgets.puzzles.sitting import card_name
from tensorkit_widgets.snapshot.geometry import Ints
from tensorkit_widgets.snapshot.number_text import size_text
from tensorkit_widgets.stride_explorer.widget import StrideExplorer
from tensorkit_widgets.widget.board import BELOW, Control

_ASK = "Turn the dials of `t` until it reads this, or say why no dials can. `t` is `arange(16).view(4, 4)`."
_CLAIM = "No dials can read this:"


class Dials(StrideExplorer):
    """A `StrideExplorer` with its raw numbers alone, which says what it reads whenever that has changed."""

    panels = (("raw", "Size, stride and offset"),)

    def __init__(self, tensor: Any, hear: Callable[[Ints, Ints, int], None]) -> None:
        self._hear: Callable[[Ints, Ints, int], None] | None = None
        super().__init__(tensor, name="t")
        self._hear = hear

    def _controls(self) -> Sequence[Control]:
        return [one for one in super()._controls() if one.panel in ("raw", BELOW)]

    def _still(self) -> dict[str, str]:
        """Without a kernel there is nothing to turn, and the card above tells the rest."""
        words = "The dials of t turn when this cell has been run."
        return {"text/html": f'<p class="tk-still">{words}</p>', "text/plain": words}

    def _paint(self, serial: Any = None, only_if_changed: bool = False) -> bool:
        painted = super()._paint(serial, only_if_changed)
        if self._hear is not None:
            self._hear(self._meta.size, self._meta.stride, self._meta.offset)
        return painted


class Ladder(Card):
    """A rung of the stride ladder, 1 to 16: `Ladder(3)` shows its target, and dials below it.

    The dials are judged at each turn. `turn(size, stride, offset)` turns them from Python, `claim("negative")` gives a
    reason why none will do: negative, uneven, beyond or twice.

    Raises `LookupError` for a rung that is not there.
    """

    kind = "exercise"
    label = "Rung"

    def __init__(self, rung: int, *, record: bool = True) -> None:
        if type(rung) is not int or not 1 <= rung <= len(RUNGS):
            raise LookupError(f"the ladder has the rungs 1 to {len(RUNGS)}, and none is called {rung!r}")
        self.recorded = record
        self.number, self._rung = rung, RUNGS[rung - 1]
        self._reading: tuple[Ints, Ints, int] = ((4, 4), (4, 1), 0)
        known = [slip.misconception for slip in self._rung.slips]
        super().__init__(card_name("A", f"Rung {rung}: {self._rung.title}"), FRESH, known)
        self.dials = Dials(tensorkit.arange(16).view(4, 4), self._turned)

    @property
    def solved(self) -> bool:
        """Was the target read, or the right reason given?"""
        return bool(self._state["solved"])

    @property
    def verdict(self) -> Verdict | None:
        """What the last answer was found to be."""
        found: Verdict | None = self._state["verdict"]
        return found

    def turn(self, size: Ints, stride: Ints, offset: int = 0) -> Ladder:
        """Turn the dials from Python; what the engine refuses is drawn as refused."""
        self.dials.attempt(f".as_strided({size_text(size)}, {size_text(stride)}, {offset})")
        return self

    def claim(self, reason: str) -> Verdict:
        """Say that no dials can read it, and why.

        Raises:
            ValueError: for a reason that is none of the four.
        """
        found = next((one for one in REASONS if one == reason), None)
        if found is None:
            raise ValueError(f"the reasons are {', '.join(REASONS)}, not {reason!r}")
        with self._guard:
            verdict = self._judged(found)
            self._settled_by(verdict, REASONS[found])
        return verdict

    def _judged(self, reason: Reason) -> Verdict:
        rung = self._rung
        if reason == rung.reason:
            return Verdict(True, rung.why)
        if reason == "twice":
            says = "that is no obstacle: stride 0, for one, reads a slot as often as you like."
            return Verdict(False, says, "broadcasting copies nothing")
        if rung.reason is None:
            return Verdict(False, f"there are dials that read it. {_AGAINST[reason]}")
        return Verdict(False, f"it is true that no dials can, but not for this reason. {_AGAINST[reason]}")

    def _turned(self, size: Ints, stride: Ints, offset: int) -> None:
        """The dials read this now."""
        with self._guard:
            if (size, stride, offset) == self._reading:
                return
            self._reading = (size, stride, offset)
            verdict, rung = self._found(), self._rung
            if verdict and not self.solved:
                said = f"Size {size_text(size)}, stride {size_text(stride)}, offset {offset}"
                self._settled_by(Verdict(True, f"{said}. {rung.why}"), said)
            elif any(slip.says == verdict.says for slip in rung.slips) and not self.solved:
                self._state["verdict"] = verdict
                self._draw(verdict.says, soon=True)
            else:
                if not self.solved:
                    self._state["verdict"] = None
                self._paint(self._now())

    def _found(self) -> Verdict:
        rung = self._rung
        if rung.reason is not None:
            return Verdict(False, "")
        check = layout_check(size=rung.size, stride=rung.stride, offset=rung.offset, slips=rung.slips)
        return check(Answer(self._reading))

    def _settled_by(self, verdict: Verdict, said: str) -> None:
        self._remember(said, verdict)
        if not self.solved:
            self._state["attempts"] += 1
            self._state["solved"] = bool(verdict)
        self._state["verdict"] = verdict
        self._draw(f"{verdict.title}. {plain(verdict.says)}")

    def _now(self) -> str:
        """How far the dials are, in a sentence."""
        (size, stride, offset), wanted = self._reading, self._rung.size
        if len(size) != len(wanted):
            return f"Your reading has {_many(len(size), 'dimension')}; the target has {len(wanted)}."
        if size != wanted:
            return f"Your reading has the size {size_text(size)}; the target has {size_text(wanted)}."
        pairs = zip(slots(size, stride, offset), self._rung.values, strict=True)
        return f"{sum(a == b for a, b in pairs)} of {len(self._rung.values)} elements are right."

    # ---- the card

    def _mood(self) -> str:
        verdict = self.verdict
        if self.solved or verdict is None:
            return "right" if self.solved else "open"
        return "wrong"

    def _body(self, *, live: bool) -> str:
        verdict, solved = self.verdict, self.solved
        parts = [
            f'<p class="tk-eyebrow"><strong>Rung {self.number} of {len(RUNGS)}</strong>'
            f" <span>{escape(self._rung.title)}</span></p>",
            markup(_ASK),
            drawn(self._rung.values, self._rung.size, solved),
        ]
        if live and not solved:
            parts.append(f'<p class="tk-note" data-now>{escape(self._now())}</p>')
            parts.append(self._claims())
        if verdict is not None:
            parts.append(verdict_part(verdict))
        if live and solved:
            parts.append(f'<div class="tk-row">{button("again", "Ask me again", quiet=True)}</div>')
        return "".join(parts)

    def _claims(self) -> str:
        rows = "".join(
            f'<label class="tk-option"><input type="radio" name="reason" value="{reason}" data-key="{reason}">'
            f'<span class="tk-letter" aria-hidden="true">{letter(i)}</span><span>{escape(words)}</span></label>'
            for i, (reason, words) in enumerate(REASONS.items())
        )
        row = f'<div class="tk-row" data-enter="claim">{button("claim", "That is my answer")}</div>'
        return f"<fieldset><legend>{escape(_CLAIM)}</legend>{rows}</fieldset>{row}"

    def _twin(self) -> str:
        target = tensorkit.tensor(self._rung.values).view(self._rung.size)
        lines = [f"Rung {self.number} of {len(RUNGS)}: {self._rung.title}", plain(_ASK), f"{target.tolist()}"]
        lines += [f"  {letter(i)}  {words}" for i, words in enumerate((*REASONS.values(),))]
        return "\n".join([*lines, *([repr(self.verdict)] if self.verdict is not None else [])])

    def _acts(self) -> Mapping[str, Callable[[str], object]]:
        return {"claim": self._claimed, "again": lambda _: self.again()}

    def _claimed(self, value: str) -> None:
        if value in REASONS:
            self.claim(value)
        else:
            self._paint("Choose a reason first.", "Choose a reason first.")

    def _ipython_display_(self, **options: Any) -> None:
        super()._ipython_display_(**options)
        self.dials._ipython_display_(**options)


def drawn(values: Ints, size: Ints, lit: bool = False) -> str:
    """The numbers as a table; of more than two dimensions a table of tables, the last two dimensions inside."""
    colour = "var(--tk-right, #00704f)" if lit else "var(--tk-edge, #6e7781)"
    cell = f"border: 2px solid {colour}; padding: 0.2em 0.5em; min-width: 1.4em; text-align: center; font-weight: 650"
    if len(size) > 2:
        cell, inner = "border: 0; padding: 0.3em 0.7em 0.3em 0", size[-2:]
        step = prod(inner)
        texts = [drawn(values[at : at + step], inner, lit) for at in range(0, len(values), step)]
    else:
        texts = [str(value) for value in values]
    cells = [f'<td style="{cell}">{text}</td>' for text in texts]
    columns = size[-3] if len(size) > 2 else size[-1]
    body = "".join(f"<tr>{''.join(cells[at : at + columns])}</tr>" for at in range(0, len(cells), columns))
    return f'<table style="border-collapse: collapse; margin: 0.4em 0; width: auto"><tbody>{body}</tbody></table>'


_AGAINST: Mapping[Reason, str] = {
    "negative": "Number the slots: does the reading ever go back along one dimension?",
    "uneven": "Subtract each number from the next one along each dimension.",
    "beyond": "The last slot is 15: does it read a higher one?",
    "twice": "",
}


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
