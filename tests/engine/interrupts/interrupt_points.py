"""An interrupt at each point where Python looks for one: what is left of the program's state and tensors?

Python looks as a function begins, after a call into C has returned, and where a loop jumps back. `tried` runs a piece
of a program once for each such point, hands the signal to its handler there, and lists what is wrong afterwards.
"""

from __future__ import annotations

import dis
import gc
import random
import signal
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

import numpy

import tensorkit as tk
from tensorkit import tracing
from tensorkit.autograd import anomaly_mode, engine, saved_tensors_hooks
from tensorkit.dispatch import recording
from tensorkit.process import interrupts

_device = sys.modules["tensorkit.device"]
_CALLS = {"CALL", "CALL_KW", "CALL_FUNCTION_EX"}
_INSIDE = ("tensorkit", "contextlib")
_steps: dict[CodeType, dict[int, str]] = {}


def _step(code: CodeType, at: int) -> str:
    if code not in _steps:
        _steps[code] = {step.offset: step.opname for step in dis.get_instructions(code)}
    return _steps[code].get(at, "")


class _Points:
    """A trace function that counts the points, and interrupts at the one asked for.

    Args:
        at: the number of the point; 0 for none.
        raw: raise at once, as if nobody handled the signal.
    """

    def __init__(self, at: int = 0, *, raw: bool = False) -> None:
        self.at, self.raw, self.count, self.where = at, raw, 0, ""
        self._last: dict[FrameType, str] = {}

    def _point(self, frame: FrameType, kind: str) -> None:
        self.count += 1
        if self.count != self.at:
            return
        code = frame.f_code
        self.where = f"{code.co_filename.rpartition('tensorkit/')[2]}:{frame.f_lineno} {code.co_name}, {kind}"
        sys.settrace(None)
        if self.raw:
            raise KeyboardInterrupt
        interrupts.handle(signal.SIGINT, frame)

    def __call__(self, frame: FrameType, event: str, _argument: Any) -> Any:
        if event == "call":
            if frame.f_back is not None:
                self._last.pop(frame.f_back, None)
            if not str(frame.f_globals.get("__name__")).startswith(_INSIDE):
                return None
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
            self._point(frame, "as it begins")
        elif event == "opcode":
            before = self._last.get(frame, "")
            if before in _CALLS:
                self._point(frame, "after a call")
            elif before.startswith("JUMP_BACKWARD"):
                self._point(frame, "in a loop")
            self._last[frame] = _step(frame.f_code, frame.f_lasti)
        elif event == "return":
            self._last.pop(frame, None)
            if frame.f_back is not None:
                self._last.pop(frame.f_back, None)
        return self


def _state() -> dict[str, Any]:
    """What an interrupt must leave as it was."""
    state: dict[str, Any] = {
        "grad": tk.is_grad_enabled(),
        "inference": tk.is_inference_mode_enabled(),
        "default dtype": tk.get_default_dtype(),
        "default device": (_device._default.chosen, len(_device._default.stack)),
        "threads": tk.get_num_threads(),
        "tracing": (
            tracing._held,
            len(tracing._listeners),
            len(tracing._pauses),
            tracing.active,
            tracing.calls,
        ),
        "silence": tracing._silence.depth,
        "anomaly": (anomaly_mode.on, anomaly_mode.watched, anomaly_mode._packers),
        "walk": engine.current_walk() is not None,
        "hooks": (len(saved_tensors_hooks._here.hooks), saved_tensors_hooks._here.refusal),
        "depth": recording._depth.value,
        "gc": gc.isenabled(),
        "errors of numpy": numpy.geterr(),
        "deterministic": tk.are_deterministic_algorithms_enabled(),
        "locks": (tracing._lock.locked(), anomaly_mode._counting.locked()),
        "devices": tk.cuda.device_count(),
    }
    if tk.cuda.is_available():
        state["current device"] = tk.cuda.current_device()
        state["current stream"] = tk.cuda.current_stream().stream_id
    return state


def _held(tensor: tk.Tensor) -> tuple[Any, ...]:
    """A tensor's size and numbers."""
    values = tensor.detach().cpu().resolve_conj().resolve_neg()
    return (tuple(tensor.size()), tensor.dtype, numpy.array(values.numpy()).tobytes())


def _version(tensor: tk.Tensor) -> int:
    return -1 if tensor.is_inference() else tensor._version


def _within_storage(tensor: tk.Tensor) -> bool:
    layout, nbytes = tensor._lay(), tensor.untyped_storage().nbytes()
    return not layout.numel or layout.reach() * tensor.element_size() <= nbytes


@dataclass
class Found:
    """What was wrong after interrupts: how often each thing, and where.

    Attributes:
        points: how many there are. tried: at how many of them the program was interrupted.
    """

    name: str
    points: int = 0
    tried: int = 0
    wrong: dict[str, Counter[str]] = field(default_factory=dict)

    def note(self, what: str, where: str) -> None:
        self.wrong.setdefault(what, Counter())[where] += 1

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.points} points, {self.tried} tried"]
        for what, places in self.wrong.items():
            lines += [
                f"    {what}: {places.total()}",
                *(f"        {n} {at}" for at, n in places.most_common(5)),
            ]
        return "\n".join(lines)


Make = Callable[[], Sequence[Any]]
Act = Callable[[Sequence[Any]], object]


def _interrupted(act: Act, given: Sequence[Any], points: _Points) -> str:
    """Run, and say what came of it: `KeyboardInterrupt`, nothing, or another error."""
    try:
        try:
            sys.settrace(points)
            act(given)
        finally:
            sys.settrace(None)  # where an interrupt of a finaliser is seen, at the latest
    except KeyboardInterrupt:
        return "KeyboardInterrupt"
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    finally:
        sys.settrace(None)
    return ""


def tried(name: str, make: Make, act: Act, most: int, *, raw: bool = False, seed: int = 0) -> Found:
    """Interrupt `act(make())` at `most` of its points, one at a time.

    Args:
        make: makes what the program works on; the tensors among it are looked at afterwards.
        raw: raise at once, as if nobody handled the signal.
    """
    for _ in range(2):  # what is made once is not what is asked about
        act(make())
    given, points = make(), _Points()
    _interrupted(act, given, points)
    after = [_held(one) for one in given if isinstance(one, tk.Tensor)]
    found = Found(name, points.count)
    chosen = range(1, points.count + 1)
    for at in chosen if len(chosen) <= most else sorted(random.Random(seed).sample(chosen, most)):
        _try(found, make, act, after, _Points(at, raw=raw))
    return found


def _try(found: Found, make: Make, act: Act, after: list[Any], points: _Points) -> None:
    given = make()
    tensors = [one for one in given if isinstance(one, tk.Tensor)]
    before = [(_held(one), _version(one)) for one in tensors]
    state = _state()
    outcome = _interrupted(act, given, points)
    if not points.where:
        return  # a point that comes now and then, as where memory is collected
    found.tried += 1
    if outcome != "KeyboardInterrupt":
        found.note(f"it ended with {outcome or 'no error'}", points.where)
    now = _state()
    for key in state:
        if state[key] != now[key]:
            found.note(f"{key} was {state[key]}, is {now[key]}", points.where)
    for number, tensor in enumerate(tensors):
        if not _within_storage(tensor):
            found.note(f"tensor {number} reaches beyond its storage", points.where)
            continue
        held, (was, version) = _held(tensor), before[number]
        if held not in (was, after[number]):
            found.note(f"tensor {number} is half written", points.where)
        if held != was and 0 <= _version(tensor) == version:
            found.note(f"tensor {number} was written to, and that is not counted", points.where)
    try:
        again = make()
        act(again)
        right = [_held(one) for one in again if isinstance(one, tk.Tensor)] == after
    except BaseException as error:
        found.note(f"the next run raises {type(error).__name__}: {error}", points.where)
    else:
        if not right:
            found.note("the next run differs", points.where)
