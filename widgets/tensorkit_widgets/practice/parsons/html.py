"""How a puzzle is drawn, in HTML and in text. The browser moves its lines; what it may do stands in data attributes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tensorkit_widgets.practice.card import button, verdict_part
from tensorkit_widgets.practice.kinds import Puzzle
from tensorkit_widgets.practice.markup import code_block, escape, markup, plain
from tensorkit_widgets.practice.parsons.program import DEEPEST, Lines

_HEAD = "Put in order"


def body(puzzle: Puzzle, lines: Lines, state: Mapping[str, Any], tally: str, *, live: bool) -> str:
    """The card's inside."""
    title = f" <span>{escape(puzzle.title)}</span>" if puzzle.title else ""
    parts = [f'<p class="tk-eyebrow"><strong>{_HEAD}</strong>{title}</p>', markup(puzzle.prompt)]
    parts.append(_board(lines, state) if live else _still(lines, state))
    if state["note"]:
        parts.append(f'<p class="tk-note">{escape(state["note"])}</p>')
    if state["verdict"] is not None:
        parts.append(verdict_part(state["verdict"]))
    if state["hints"]:
        items = "".join(f"<li>{markup(hint)[3:-4]}</li>" for hint in puzzle.hints[: state["hints"]])
        parts.append(f'<p class="tk-sub">Hints</p><ol class="tk-hints">{items}</ol>')
    if state["solution"]:
        parts.append(f'<p class="tk-sub">A solution</p>{code_block(puzzle.program.strip(chr(10)))}')
    parts.append(_foot(puzzle, state, tally, live))
    return "".join(parts)


def _board(lines: Lines, state: Mapping[str, Any]) -> str:
    placed = state["placed"]
    order = " ".join(f"{number}:{indent}" for number, indent in placed)
    mine = "".join(_option(lines, number, indent) for number, indent in placed)
    rest = "".join(_option(lines, number, 0) for number in lines.rest(placed))
    deep = DEEPEST if lines.deep else 0
    return (
        f'<div class="tk-lines" data-order="{order}" data-deepest="{deep}">'
        '<div role="listbox" aria-label="Lines of code" aria-orientation="vertical">'
        f"{_zone('program', 'Your program', mine)}{_zone('rest', 'Lines to choose from', rest)}</div>"
        f"{_tools(lines.deep)}</div>"
        f'<div class="tk-row">{button("check", "Run and check")}</div>'
    )


def _zone(name: str, label: str, options: str) -> str:
    return (
        f'<p class="tk-sub" aria-hidden="true">{label}</p>'
        f'<div class="tk-zone" role="group" aria-label="{label}" data-zone="{name}">{options}</div>'
    )


def _option(lines: Lines, number: int, indent: int) -> str:
    return (
        f'<div class="tk-line" role="option" aria-selected="false" tabindex="-1" data-line="{number}"'
        f' data-indent="{indent}" data-key="line-{number}" style="--tk-indent:{indent}">'
        '<span class="tk-grip" aria-hidden="true"></span>'
        f'<code>{escape(lines.text(number))}</code><span class="tk-number" aria-hidden="true">{number}</span></div>'
    )


def _tools(deep: bool) -> str:
    """What the keys do, as buttons too: nobody has to drag."""
    moves = [("up", "↑", "Move the line up"), ("down", "↓", "Move the line down")]
    if deep:
        moves += [("left", "←", "Indent the line less"), ("right", "→", "Indent the line more")]
    moves.append(("take", "⇅", "Take the line into the program, or out of it"))
    buttons = "".join(
        f'<button type="button" class="tk-quiet" data-move="{move}" data-key="move-{move}" aria-label="{label}"'
        f' title="{label}">{sign}</button>'
        for move, sign, label in moves
    )
    sideways = ", <kbd>←</kbd> <kbd>→</kbd> indent" if deep else ""
    keys = (
        f"<kbd>Space</kbd> picks a line up, <kbd>↑</kbd> <kbd>↓</kbd> move it{sideways},"
        " <kbd>Enter</kbd> takes it in or out"
    )
    return f'<div class="tk-tools" role="group" aria-label="Move the line">{buttons}<p class="tk-keys">{keys}</p></div>'


def _still(lines: Lines, state: Mapping[str, Any]) -> str:
    placed = state["placed"]
    code = lines.arranged(placed).code
    rest = "\n".join(f"{number:>2}  {lines.text(number)}" for number in lines.rest(placed))
    mine = f'<p class="tk-sub">Your program</p>{code_block(code)}' if placed else ""
    return mine + (f'<p class="tk-sub">Lines to choose from</p>{code_block(rest)}' if rest else "")


def _foot(puzzle: Puzzle, state: Mapping[str, Any], tally: str, live: bool) -> str:
    buttons = ""
    if live and state["hints"] < len(puzzle.hints):
        buttons += button("hint", f"Hint {state['hints'] + 1} of {len(puzzle.hints)}", quiet=True)
    if live and not state["solution"]:
        buttons += button("solution", "Show a solution", quiet=True)
    if live and (state["placed"] or tally):
        buttons += button("again", "Start again", quiet=True)
    shown = f'<span class="tk-tally">{tally}</span>' if tally else ""
    return f'<div class="tk-row tk-foot">{buttons}{shown}</div>' if buttons or shown else ""


def twin(puzzle: Puzzle, lines: Lines, state: Mapping[str, Any], tally: str) -> str:
    """The same as text."""
    placed = state["placed"]
    said = [f"{_HEAD}: {plain(puzzle.title or puzzle.prompt)}"]
    said += [plain(puzzle.prompt)] if puzzle.title else []
    if placed:
        said += ["Your program:", *(f"    {line}" for line in lines.arranged(placed).code.split("\n"))]
    if rest := lines.rest(placed):
        said += ["Lines to choose from:", *(f"    {number:>2}  {lines.text(number)}" for number in rest)]
    said += [state["note"]] if state["note"] else []
    said += [repr(state["verdict"])] if state["verdict"] is not None else []
    said += [f"Hint {i + 1}: {plain(hint)}" for i, hint in enumerate(puzzle.hints[: state["hints"]])]
    if state["solution"]:
        said += ["A solution:", *(f"    {line}" for line in puzzle.program.strip("\n").split("\n"))]
    return "\n".join([*said, *([tally] if tally else [])])
