"""Scenes for a presenter: a widget's moments by name, played in order, left for a "what if?", and returned to.

A scene is a name and what to do: a function of the widget, or settings such as ``{"step": 3}``,
``{"expression": ".t()"}``, ``{"element": [1, 2]}`` (the element that is explained) or ``{"reset": "name"}``. Scenes
also come from the metadata of the cell that shows the widget: ``{"tensorkit": {"scenes": [{"name": "the walk",
"step": 3}]}}``; those hold settings only, never code.
A mark, and a scene that was played, bring back what the picture showed, with the numbers in the cells: those that were
typed over them since are taken back from the tensor, and every picture of it shows that. What the notebook's own cells
have written there meanwhile stays.
Settings may have ``"notes"`` for the speaker, whose page follows the stage (``tensorkit present``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Action = Callable[[Any], Any] | Mapping[str, Any]

SETTINGS = ("reset", "expression", "attempt", "step", "run", "element")
"""What a scene without code can do, in this order."""


@dataclass(frozen=True)
class Scene:
    """One moment of a talk."""

    name: str
    action: Action
    notes: str = ""
    """What only the speaker sees."""

    def play(self, widget: Any) -> None:
        """Bring a widget to this moment."""
        if callable(self.action):
            self.action(widget)
            return
        for setting in SETTINGS:
            if setting in self.action:
                _set(widget, setting, self.action[setting])


def _set(widget: Any, setting: str, value: Any) -> None:
    if setting == "step" and isinstance(value, int):
        widget.goto(value)
    elif setting == "run":
        widget.run()
    elif setting == "reset":
        widget.reset(value if isinstance(value, str) else None)
    elif setting == "expression":
        widget.expression = str(value)
    elif setting == "attempt":
        widget.attempt(str(value))
    elif setting == "element":
        if not hasattr(type(widget), "element"):
            raise TypeError(f"{type(widget).__name__} explains no single element")
        widget.element = value


@dataclass
class Script:
    """The scenes of one widget: where it is, and the moment that a "what if?" returns to."""

    scenes: tuple[Scene, ...] = ()
    at: int = -1
    mark: Any = None
    marked: bool = False
    played: dict[int, Any] = field(default_factory=dict)

    def facts(self, step: int, steps: int | None, now: Any) -> dict[str, Any]:
        """What the stage in the browser shows; `steps` is None while nobody knows how many there are."""
        names = [scene.name for scene in self.scenes]
        away = self.marked and bool(self.mark != now)
        facts = {"step": step, "steps": steps, "scenes": names, "scene": self.at}
        facts |= {"marked": self.marked, "away": away}
        if any(scene.notes for scene in self.scenes):
            facts["notes"] = [scene.notes for scene in self.scenes]
        return facts

    def to(
        self, number: int, widget: Any, remember: Callable[[], Any], recall: Callable[[Any], None]
    ) -> None:
        """Go to a scene: one that was played is shown as it was, others are played in their order."""
        if not 0 <= number < len(self.scenes):
            raise IndexError(f"there is no scene {number}; the scenes are 0 to {len(self.scenes) - 1}")
        before = max((k for k in self.played if k <= number), default=-1)
        if before >= 0:
            recall(self.played[before])
        for k in range(before + 1, number + 1):
            self.scenes[k].play(widget)
            self.played[k] = remember()
        self.at, self.mark, self.marked = number, remember(), True


def scenes_of(given: Sequence[Any]) -> tuple[Scene, ...]:
    """Scenes as a presenter writes them: pairs (name, action), or settings with a name.

    >>> [scene.name for scene in scenes_of([("start", {"reset": True}), {"name": "the end", "run": True}])]
    ['start', 'the end']

    Raises:
        TypeError: for something else.
    """
    out = []
    for one in given:
        if isinstance(one, Mapping) and isinstance(one.get("name"), str):
            unknown = set(one) - {"name", "notes", *SETTINGS}
            if unknown:
                raise TypeError(
                    f"a scene knows {', '.join(SETTINGS)}, not {', '.join(sorted(map(str, unknown)))}"
                )
            out.append(
                Scene(one["name"], {k: v for k, v in one.items() if k in SETTINGS}, str(one.get("notes", "")))
            )
        elif (
            isinstance(one, tuple | list)
            and len(one) == 2
            and (callable(one[1]) or isinstance(one[1], Mapping))
        ):
            out.append(Scene(str(one[0]), one[1]))
        else:
            raise TypeError(f"a scene is (name, action) or settings with a name, not {one!r}")
    return tuple(out)
