"""What the learner did, in this session and, where there is a file for it, over restarts.

A card's state is a dictionary of plain values. `MEMORY` holds one for each card by `kind name`, so that a cell may
be run again; every change is written to the file of `progress_file`. `history` in a state is what was answered in
the past, with the misconception behind it; asking again does not forget that.
"""

from __future__ import annotations

import atexit
import threading
import weakref
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from tensorkit.process import forks
from tensorkit_widgets.practice import progress_file
from tensorkit_widgets.practice.facts import Verdict, is_tensor
from tensorkit_widgets.practice.markup import LONGEST_TEXT, shown
from tensorkit_widgets.snapshot.adapter import describe

State = dict[str, Any]

MEMORY: dict[str, State] = {}
"""What the learner did, by the card's kind and name: it outlives the widget, so a cell may be run again."""

_KNOWS: dict[str, tuple[str, ...]] = {}
"""The misconceptions that a card can recognise, which outlive it too."""

CARDS: weakref.WeakSet[Any] = weakref.WeakSet()
"""The cards that are alive, so that forgetting reaches them, and two cards of one question agree."""

_LONGEST_NAME = 240
_PASSING = {"note"}  # what was said of the last slip of the keyboard
LATER_S = 0.4
"""Seconds after which the last moves of a line are written."""

_file: list[progress_file.ProgressFile] = []
_turn = forks.rlock()
_waiting: dict[str, progress_file.Record] = {}
_timers: list[threading.Timer] = []


def file() -> progress_file.ProgressFile:
    """This session's file; chosen when it is first needed."""
    if not _file:
        _file.append(progress_file.choose())
    return _file[0]


def use(chosen: progress_file.ProgressFile | None) -> None:
    """Use another file from now on; None chooses again."""
    flush()
    _file[:] = [] if chosen is None else [chosen]


def learner() -> str:
    """Who answers: a random name that is kept with the answers; `''` where nothing is kept."""
    file().read()
    return file().learner


def recall(key: str, fresh: Mapping[str, Any]) -> State:
    """The state of a card: this session's, or the file's, or a fresh one.

    What was kept by hand or by another version may be anything: only what looks like a state is taken.
    """
    if key in MEMORY:
        return MEMORY[key]
    kept = file().read().get(_short(key), {})
    state = dict(fresh)
    unpacked = {name: _unpacked(kept[name]) for name in fresh if name in kept}
    if all(_alike(value, fresh[name]) for name, value in unpacked.items()):
        state.update(unpacked)
    return MEMORY.setdefault(key, state)


def keep(key: str, state: State, knows: Iterable[str], *, soon: bool = False) -> None:
    """Write a card's state to the file; `knows` are the misconceptions that the card can recognise.

    With `soon` it is written a moment later, together with what follows: a line that moves should not wait for a disk.
    """
    MEMORY[key], _KNOWS[key] = state, tuple(knows)
    if file().path is None:
        return
    packed = {name: _packed(value) for name, value in state.items() if name not in _PASSING}
    with _turn:
        _waiting[_short(key)] = {**packed, "knows": list(_KNOWS[key]), "changed": _now()}
    if soon:
        _later()
    else:
        flush()


def flush() -> None:
    """Write what waits to be written."""
    with _turn:
        if _waiting:
            file().write(dict(_waiting))
            _waiting.clear()


def _later() -> None:
    with _turn:
        if not any(timer.is_alive() for timer in _timers):
            timer = threading.Timer(LATER_S, flush)
            timer.daemon = True  # a kernel that ends does not wait; `flush` is called then
            _timers[:] = [timer]
            timer.start()


atexit.register(flush)


def note(
    state: State,
    said: str,
    verdict: Verdict,
    sure: bool | None = None,
    about: Iterable[str] = (),
    asked: str = "",
) -> None:
    """Add an answer to the history of a card.

    `sure` is whether the learner was, None where that was not said; `about` are the misconceptions that the question
    recognises, `asked` is its name where the card has several.
    """
    event = {
        "at": _now(),
        "said": said[:LONGEST_TEXT],
        "correct": verdict.correct,
        "misconception": verdict.misconception,
        "about": tuple(about),
        **({} if sure is None else {"sure": sure}),
        **({"asked": asked} if asked else {}),
    }
    state["history"] = (*state["history"], event)[-progress_file.MOST_EVENTS :]


def events(state: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The history of a state, oldest first; what is no event of ours is left out."""
    found = state.get("history", ())
    wanted = {"at": str, "said": str, "correct": bool, "misconception": str}
    return [
        event
        for event in (found if isinstance(found, tuple) else ())
        if isinstance(event, dict) and all(isinstance(event.get(name), kind) for name, kind in wanted.items())
    ]


def everything() -> dict[str, State]:
    """All states by key, the file's and this session's; this session's are the newer ones."""
    flush()
    whole = {key: {k: _unpacked(v) for k, v in record.items()} for key, record in file().read().items()}
    for key, state in MEMORY.items():
        earlier = _KNOWS.get(key, whole.get(_short(key), {}).get("knows", ()))
        knows = next((card.knows for card in list(CARDS) if card.key == key), earlier)
        whole[_short(key)] = {**state, "knows": tuple(knows)}
    return whole


def forgotten(name: str) -> list[str]:
    """Take out of memory and file all (`''`), a lesson (`'02'`) or a card (`'03.size_one'`); their keys."""
    known = everything()
    gone = [
        key for key in known if name in ("", key.partition(" ")[2], key.partition(" ")[2].partition(".")[0])
    ]
    for key in [key for key in MEMORY if _short(key) in gone]:
        del MEMORY[key]
    if name:
        file().write(dict.fromkeys(gone))
    else:
        file().delete()
    return [key for key in gone if _touched(known[key])]


def _touched(state: State) -> bool:
    """Has anything been done to this card?"""
    values = [value for name, value in state.items() if name not in ("knows", "changed", "dealt")]
    return any(
        any(value)
        if isinstance(value, tuple)
        else value not in (None, "") and value is not False and value != 0
        for value in values
    )


def told_answer(value: object) -> str:
    """An answer in a few words, for the history; a tensor by its size and stride."""
    try:
        if is_tensor(value):
            meta = describe(value)
            return f"a tensor of size {meta.size} and stride {meta.stride}"
    except Exception:
        return f"a {type(value).__name__}"
    return value[:LONGEST_TEXT] if isinstance(value, str) else shown(value)


def _short(key: str) -> str:
    """A key as the file has it: the text of one's own question may be long."""
    return key if len(key) <= _LONGEST_NAME else key[: _LONGEST_NAME - 1] + "…"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _packed(value: Any) -> Any:
    if isinstance(value, Verdict):
        return {"correct": value.correct, "says": value.says, "misconception": value.misconception}
    if isinstance(value, (list, tuple)):
        return [_packed(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _packed(item) for key, item in value.items()}
    return value if value is None or isinstance(value, (bool, int, float, str)) else shown(value)


def _unpacked(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_unpacked(item) for item in value)
    if isinstance(value, dict) and set(value) == {"correct", "says", "misconception"}:
        correct, says, name = value["correct"], value["says"], value["misconception"]
        known = correct in (True, False, None) and isinstance(says, str) and isinstance(name, str)
        return Verdict(correct, says, name) if known else None
    return {key: _unpacked(item) for key, item in value.items()} if isinstance(value, dict) else value


def _alike(value: Any, fresh: Any) -> bool:
    """Is this the kind of value that the state has there?"""
    return fresh is None or type(value) is type(fresh)
