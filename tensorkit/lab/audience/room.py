"""What the audience sees, and what it has answered. All of it is in memory, and there is a limit to each part."""

from __future__ import annotations

import json
from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

MOST_SCENES = 60
"""A phone can look back at this many pictures."""
MOST_PICTURE_BYTES = 24 * 1024 * 1024
"""The pictures that are kept take no more together; the one on the stage is kept whatever it takes."""
MOST_QUESTIONS = 50
"""This many questions keep their answers."""
MOST_OPTIONS = 12
"""A question with more options is not asked of phones."""
MOST_PHONES = 500
MOST_PHONES_OF_AN_ADDRESS = 40
"""Behind one address there may be a whole room, where the network hides its phones behind a router."""
_LONGEST = 4000  # characters of a question, or of another text that is shown
_LONGEST_TWIN = 100_000


class Refused(Exception):
    """An answer that is not counted: its HTTP status, and why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


@dataclass
class Scene:
    """One picture, as it was drawn last."""

    key: str
    number: int
    cell: str
    scene: int | None
    """Which of the cell's scenes it is; None before the first."""
    step: int | None
    title: str
    name: str
    said: str
    text: str
    svg: str

    @property
    def weight(self) -> int:
        return len(self.svg) + len(self.text)


@dataclass
class Question:
    """A question with its options, and which option each phone has chosen."""

    number: int
    key: str
    ask: str
    options: tuple[str, ...]
    open: bool = True
    shown: bool = False
    right: int | None = None
    answers: dict[str, int] = field(default_factory=dict)

    @property
    def counts(self) -> list[int]:
        chosen = Counter(self.answers.values())
        return [chosen[option] for option in range(len(self.options))]


class Room:
    """The talk as the audience sees it.

    >>> room = Room("Storage and strides")
    >>> room.hear({"questions": [{"key": "q", "ask": "How many?", "options": ["one", "two"], "open": True}]})
    >>> room.answer("1" * 32, 1, 0, "10.0.0.7"); room.answer("1" * 32, 1, 1, "10.0.0.7")
    >>> room.counts()
    {'questions': [{'key': 'q', 'answers': 1, 'counts': [0, 1], 'shown': False}]}
    >>> room.hear({"shown": True}); json.loads(room.state())["questions"][0]["counts"]
    [0, 1]
    """

    def __init__(self, lesson: str, *, play: bool = False, css: str = "") -> None:
        self.lesson = lesson
        self.play = play
        self.css = css
        self.revision = 1
        self.scenes: list[Scene] = []
        self._on_stage = False
        self._numbers = 0  # of scenes and of questions; none is used twice
        self._known: OrderedDict[str, Question] = OrderedDict()
        self._asked: list[Question] = []
        self._phones: dict[str, str] = {}  # the address of each phone that has answered
        self._state: bytes | None = None

    # ---- from the presenter

    def hear(self, message: Mapping[str, Any]) -> None:
        """Take what the presenter's page says: ``scene``, ``questions``, ``shown``. What is malformed is left out."""
        if "scene" in message:
            self._stage(message["scene"])
        if isinstance(message.get("questions"), list):
            self._ask([one for one in message["questions"] if isinstance(one, dict)])
        if isinstance(message.get("shown"), bool):
            for question in self._asked:
                question.shown = message["shown"]
        self._changed()

    def _changed(self) -> None:
        self.revision += 1
        self._state = None

    def _stage(self, scene: object) -> None:
        self._on_stage = isinstance(scene, dict)
        if not isinstance(scene, dict):
            return
        svg = scene.get("svg")
        if not isinstance(svg, str) or not svg.startswith("<svg"):
            svg = ""
        key = _text(scene.get("key"))
        self._numbers += 1
        made = Scene(
            key, self._numbers, _text(scene.get("cell")), _count(scene.get("scene")), _count(scene.get("step")),
            _text(scene.get("title")), _text(scene.get("name")), _text(scene.get("said")),
            _text(scene.get("text"), _LONGEST_TWIN), self._styled(svg),
        )  # fmt: skip
        self.scenes = [*[one for one in self.scenes if one.key != key][1 - MOST_SCENES :], made]
        while len(self.scenes) > 1 and sum(one.weight for one in self.scenes) > MOST_PICTURE_BYTES:
            del self.scenes[0]

    def _styled(self, svg: str) -> str:
        """A picture with its own colours, as it is shown alone: on a phone it is an image, in which nothing runs."""
        opening, end, rest = svg.partition(">")
        return f"{opening}{end}<style>{self.css}</style>{rest}" if end and not opening.endswith("/") else svg

    def _ask(self, questions: Sequence[Mapping[str, Any]]) -> None:
        self._asked = [known for one in questions[:20] if (known := self._question(one))]
        for question in self._known.values():
            question.open = question.open and question in self._asked

    def _question(self, told: Mapping[str, Any]) -> Question | None:
        options = told.get("options")
        if not isinstance(options, list) or not 2 <= len(options) <= MOST_OPTIONS:
            return None
        key, ask = _text(told.get("key")), _text(told.get("ask"))
        named = tuple(_text(option) for option in options)
        is_open, right = told.get("open") is True, told.get("right")
        right = right if type(right) is int and 0 <= right < len(named) else None
        known = self._known.get(key)
        # What was answered and is open again is asked of another room: it begins at zero.
        again = known is not None and known.right is not None and right is None and is_open
        if known is None or again or (known.ask, known.options) != (ask, named):
            self._numbers += 1
            known = self._known[key] = Question(self._numbers, key, ask, named)
        known.open, known.right = is_open, right
        self._known.move_to_end(key)
        while len(self._known) > MOST_QUESTIONS:
            self._known.popitem(last=False)
        return known

    # ---- for the presenter

    def counts(self) -> dict[str, Any]:
        """How often each option of what is asked now was chosen."""
        return {
            "questions": [
                {"key": one.key, "answers": len(one.answers), "counts": one.counts, "shown": one.shown}
                for one in self._asked
            ]
        }

    # ---- for the phones

    def state(self) -> bytes:
        """What every phone is shown: the same for all, and no count that the presenter has not opened."""
        if self._state is None:
            questions = [
                {
                    "id": one.number, "ask": one.ask, "options": one.options, "open": one.open, "right": one.right,
                    "counts": one.counts if one.shown else None,
                }
                for one in self._asked
            ]  # fmt: skip
            scenes = [
                {"id": one.number, "title": one.title, "name": one.name, "drawn": bool(one.svg)}
                for one in self.scenes
            ]
            state = {
                "revision": self.revision, "lesson": self.lesson, "onStage": self._on_stage, "scenes": scenes,
                "questions": questions, "play": self.play,
            }  # fmt: skip
            self._state = json.dumps(state).encode()
        return self._state

    def scene(self, number: int) -> Scene | None:
        """A picture that is kept, by its number."""
        return next((one for one in self.scenes if one.number == number), None)

    def answer(self, phone: str, question: int, option: int, address: str) -> None:
        """Count what a phone has chosen, in place of what it chose before.

        Raises:
            Refused: when there is no such question or option, it is closed, or there are too many phones.
        """
        asked = next((one for one in self._asked if one.number == question), None)
        if asked is None:
            raise Refused(404, "This question is not asked now.")
        if not 0 <= option < len(asked.options):
            raise Refused(400, "This question has no such option.")
        if not asked.open:
            raise Refused(409, "The question is closed.")
        if phone not in self._phones:
            alike = sum(one == address for one in self._phones.values())
            if len(self._phones) >= MOST_PHONES or alike >= MOST_PHONES_OF_AN_ADDRESS:
                raise Refused(503, "The room is full: no more phones can answer.")
            self._phones[phone] = address
        if asked.answers.get(phone) != option:
            asked.answers[phone] = option
            if asked.shown:
                self._changed()


def _count(value: object) -> int | None:
    """A number of a scene or of a step."""
    return value if type(value) is int and 0 <= value < 1 << 20 else None


def _text(value: object, longest: int = _LONGEST) -> str:
    return value[:longest] if isinstance(value, str) else ""
