"""A chain of steps as cards, each with its code, what it is, and its size and stride."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from tensorkit_widgets.drawing.grid import MONO
from tensorkit_widgets.drawing.parts import CARD_LINES, Card
from tensorkit_widgets.render.annotations import button
from tensorkit_widgets.render.marks import group, path, rect, text


def cards_mark(cards: Sequence[Card], live: bool) -> str:
    """The cards, an arrow from one to the next; in a live picture they can be pressed, and taken away."""
    return group("".join(_card(card, k > 0, live) for k, card in enumerate(cards)), class_="tk-steps")


def _card(card: Card, follows: bool, live: bool) -> str:
    way = path("M{} {}h18m-6-5l6 5l-6 5", card.x - 25, card.y + card.height / 2)
    arrow = f'<path class="tk-then" d="{way}"/>'
    kind = f"tk-step tk-{card.kind}" + (" tk-current" if card.current else "")
    most = min(26, int((card.width - len(card.kind) * 7.2 - 47.9) / (MONO * 17)))
    code = card.code if len(card.code) <= most else card.code[: most - 1] + "…"
    inside = f"<title>{escape(card.why, quote=False)}</title>"
    inside += rect(card.x, card.y, card.width, card.height, "tk-step-box", 10.0)
    first, second, step = CARD_LINES
    inside += text(card.x + 14, card.y + first, code, "tk-mono tk-step-code")
    right = card.x + card.width - 14
    inside += text(right, card.y + first - 1, card.kind, f"tk-kind tk-kind-{card.kind}", text_anchor="end")
    for n, line in enumerate(card.lines):
        inside += text(card.x + 14, card.y + second + step * n, line, "tk-mono tk-step-line")
    more: dict[str, object] = {}
    if live and card.number is not None:
        said = f"step {card.number}: {card.code}, {card.kind}, {', '.join(card.lines)}. {card.why}"
        more = {**button("chain-step", card.number, said), "aria_pressed": str(card.current).lower()}
    drawn = (arrow if follows else "") + group(inside, class_=kind, **more)
    return drawn + (_remove(card) if live and card.number else "")


def _remove(card: Card) -> str:
    x, y = card.x + card.width - 27, card.y + card.height - 27
    inside = rect(x, y, 22, 22, "tk-remove-box", 6.0)
    inside += f'<path class="tk-then" d="{path("M{} {}l8 8m0-8l-8 8", x + 7, y + 7)}"/>'
    return group(inside, **button("remove", card.number, f"remove step {card.number}: {card.code}"))
