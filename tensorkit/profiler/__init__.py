"""``profiler``: which operations a program calls, how often, and how long they take.

>>> with tk.profiler.profile() as prof:
...     with tk.profiler.record_function("step"):
...         t = tk.ones(3).add(1)
>>> sorted((entry.key, entry.count) for entry in prof.key_averages())
[('aten::add', 1), ('aten::ones', 1), ('step', 1)]

It listens to the events of `tracing`; `tracing` itself has the tensors too, and the kernels of a GPU.

Source: https://docs.pytorch.org/docs/stable/profiler.html
"""

from __future__ import annotations

import functools
import json
import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from tensorkit import tracing

__all__ = [
    "EventList",
    "FunctionEvent",
    "FunctionEventAvg",
    "ProfilerAction",
    "ProfilerActivity",
    "profile",
    "record_function",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
]


def __dir__() -> list[str]:
    return __all__


class ProfilerActivity(Enum):
    """What is looked at. Operations are, wherever they are computed."""

    CPU = 0
    XPU = 1
    CUDA = 2

    def __str__(self) -> str:
        return f"ProfilerActivity.{self.name}"


class ProfilerAction(Enum):
    """What a profiler does in a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def supported_activities() -> set[ProfilerActivity]:
    """What can be looked at."""
    return {ProfilerActivity.CPU}


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:
    """Which steps are recorded: after `wait` and `warmup` steps the `active` ones, again and again.

    Args:
        wait, warmup, active: how many steps each.
        repeat: how often; 0 is for ever.
        skip_first: how many steps are left out before. skip_first_wait: whether the first `wait` is left out.

    >>> which = schedule(wait=1, warmup=1, active=2, repeat=1)
    >>> [which(step).name for step in range(5)]
    ['NONE', 'WARMUP', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """

    def action(step: int) -> ProfilerAction:
        step -= skip_first
        if skip_first_wait:
            step += wait
        whole = wait + warmup + active
        if step < 0 or (repeat > 0 and step >= repeat * whole):
            return ProfilerAction.NONE
        place = step % whole
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < whole - 1 else ProfilerAction.RECORD_AND_SAVE

    return action


@dataclass
class FunctionEvent:
    """One call: of an operation, or of a `record_function`. Times are in microseconds."""

    name: str
    begun: float
    depth: int
    cpu_time_total: float = 0.0
    inside: float = 0.0
    input_shapes: list[Any] = field(default_factory=list)

    @property
    def key(self) -> str:
        """The name."""
        return self.name

    @property
    def self_cpu_time_total(self) -> float:
        """How long it took without the calls inside it."""
        return self.cpu_time_total - self.inside


@dataclass
class FunctionEventAvg:
    """All calls of one name. Times are in microseconds."""

    key: str
    count: int = 0
    cpu_time_total: float = 0.0
    self_cpu_time_total: float = 0.0
    input_shapes: Any = ""

    @property
    def cpu_time(self) -> float:
        """How long one took, on average."""
        return self.cpu_time_total / self.count if self.count else 0.0

    def __repr__(self) -> str:
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={_time(self.self_cpu_time_total)} "
            f"cpu_time={_time(self.cpu_time)}  self_cuda_time=0.000us cuda_time=0.000us "
            f"input_shapes={self.input_shapes} cpu_memory_usage=0 cuda_memory_usage=0>"
        )


def _time(microseconds: float) -> str:
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if microseconds >= size:
            return f"{microseconds / size:.3f}{unit}"
    return f"{microseconds:.3f}us"


def _share(part: float, whole: float) -> str:
    return f"{part * 100.0 / whole:.2f}%" if whole else "NaN"


_COLUMNS = ("Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "# of Calls")
_LONGEST_NAME = 55


class EventList(list[Any]):
    """Calls, or averages of calls, which print as a table."""

    @property
    def self_cpu_time_total(self) -> float:
        """How long all took together."""
        return float(sum(event.self_cpu_time_total for event in self))

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int = 75,
        max_name_column_width: int = _LONGEST_NAME,
        max_shapes_column_width: int = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """The table, as text.

        Args:
            sort_by: the name of an attribute, such as ``"cpu_time_total"``; the greatest comes first.
            row_limit: how many rows; -1 for all.
            max_name_column_width: how much of a name.
            header: a line above.
            max_src_column_width, max_shapes_column_width, top_level_events_only, time_unit: without effect.
        """
        if not self:
            return ""
        rows = list(self)
        if sort_by is not None:
            name = sort_by.replace("cuda", "cpu").replace("device", "cpu")
            rows.sort(key=lambda event: getattr(event, name), reverse=True)
        whole = self.self_cpu_time_total
        width = min(max(len(event.key) for event in rows) + 4, max_name_column_width)
        widths = [width, *([12] * len(_COLUMNS))]
        rule = "".join(f"{'-' * size}  " for size in widths)
        lines = [rule, _line(["Name", *_COLUMNS], widths), rule]
        for event in rows if row_limit < 0 else rows[:row_limit]:
            key = event.key if len(event.key) < width else f"{event.key[: width - 3]}..."
            mine, total = event.self_cpu_time_total, event.cpu_time_total
            count = getattr(event, "count", 1)
            shown = [key, _share(mine, whole), _time(mine), _share(total, whole), _time(total)]
            lines.append(_line([*shown, _time(total / count), str(count)], widths))
        lines += [rule, f"Self CPU time total: {_time(whole)}", ""]
        above = [] if header is None else ["-" * len(rule), header]
        return "\n".join(above + lines)

    def __str__(self) -> str:
        return self.table()

    def total_average(self) -> FunctionEventAvg:
        """All together."""
        return _averaged("Total", self)


def _line(cells: Iterable[str], widths: Iterable[int]) -> str:
    return "".join(f"{cell:>{width}}  " for cell, width in zip(cells, widths, strict=True))


def _averaged(key: str, events: Iterable[Any]) -> FunctionEventAvg:
    made = FunctionEventAvg(key)
    for event in events:
        made.count += getattr(event, "count", 1)
        made.cpu_time_total += event.cpu_time_total
        made.self_cpu_time_total += event.self_cpu_time_total
    return made


_running: list[profile] = []


class record_function:
    """A part of a program under a name of its own in the table; as a context manager or decorator.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.autograd.profiler.record_function.html
    """

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name = name
        self.args = args

    def __enter__(self) -> record_function:
        self._profilers = list(_running)
        for one in self._profilers:
            one._begin(self.name)
        return self

    def __exit__(self, *exception: object) -> None:
        for one in self._profilers:
            one._end()

    def __call__(self, func: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(func)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with record_function(self.name):
                return func(*args, **kwargs)

        return inside


class profile:
    """Records the operations that a program calls while it is entered.

    Args:
        schedule: says for each step what to do; see `schedule`. By default all is recorded.
        on_trace_ready: is called with the profiler when a recording ends.
        record_shapes: whether sizes of inputs are kept.
        activities, profile_memory, with_stack, with_flops, with_modules, and what follows: without effect.

    Source: https://docs.pytorch.org/docs/stable/profiler.html#torch.profiler.profile
    """

    def __init__(
        self,
        *,
        activities: Iterable[ProfilerActivity] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[..., Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_flops: bool = False,
        with_modules: bool = False,
        **options: Any,
    ) -> None:
        self.activities = set(activities) if activities else supported_activities()
        self.schedule = schedule or (lambda step: ProfilerAction.RECORD)
        self.on_trace_ready = on_trace_ready
        self.record_shapes = record_shapes
        self.step_num = 0
        self.current_action = self.schedule(0)
        self._events: list[FunctionEvent] = []
        self._open: list[FunctionEvent] = []
        self._listening: Any = None

    # -- what is recorded -----------------------------------------------------------------------------------------

    def _begin(self, name: str, inputs: Iterable[Any] = ()) -> None:
        shapes = [list(getattr(one, "shape", ())) for one in inputs] if self.record_shapes else []
        event = FunctionEvent(name, time.perf_counter_ns() / 1000, len(self._open), input_shapes=shapes)
        self._events.append(event)
        self._open.append(event)

    def _end(self) -> None:
        if not self._open:
            return  # begun before the recording
        event = self._open.pop()
        event.cpu_time_total = time.perf_counter_ns() / 1000 - event.begun
        if self._open:
            self._open[-1].inside += event.cpu_time_total

    def _heard(self, event: Any) -> None:
        if isinstance(event, tracing.CallEvent):
            self._begin(f"aten::{event.name}", event.args)
        elif isinstance(event, (tracing.OpEvent, tracing.FailEvent)):
            self._end()

    def _listen(self) -> None:
        if self._listening is None:
            self._events, self._open = [], []
            self._listening = tracing.listen(self._heard, calls=True)
            self._listening.__enter__()
            _running.append(self)

    def _silence(self) -> None:
        if self._listening is not None:
            _running.remove(self)
            self._listening.__exit__(None, None, None)
            self._listening = None
            while self._open:
                self._end()

    # -- steps ----------------------------------------------------------------------------------------------------

    def _records(self) -> bool:
        return self.current_action in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)

    def start(self) -> None:
        """Begin, as on entering."""
        if self._records():
            self._listen()

    def stop(self) -> None:
        """End, as on leaving."""
        recording = self._listening is not None
        self._silence()
        if recording and self.on_trace_ready:
            self.on_trace_ready(self)

    def step(self) -> None:
        """Tell that the next step begins."""
        before = self.current_action
        self.step_num += 1
        self.current_action = self.schedule(self.step_num)
        if before is ProfilerAction.RECORD_AND_SAVE:
            self.stop()
        if self._records():
            self._listen()
        else:
            self._silence()

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.stop()

    # -- what came of it ------------------------------------------------------------------------------------------

    def events(self) -> EventList:
        """All calls, in their order."""
        return EventList(self._events)

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, **options: Any
    ) -> EventList:
        """The calls of each name together.

        Args:
            group_by_input_shape: whether calls with inputs of other sizes are told apart.
            group_by_stack_n: without effect.
        """
        groups: dict[tuple[str, str], list[FunctionEvent]] = {}
        for event in self._events:
            shapes = str(event.input_shapes) if group_by_input_shape else ""
            groups.setdefault((event.name, shapes), []).append(event)
        made = EventList()
        for (name, shapes), events in groups.items():
            average = _averaged(name, events)
            average.input_shapes = shapes
            made.append(average)
        return made

    def export_chrome_trace(self, path: str, *options: Any) -> None:
        """Write the calls to a file that the page chrome://tracing of a browser shows."""
        calls = [
            {
                "name": event.name,
                "ph": "X",
                "ts": event.begun,
                "dur": event.cpu_time_total,
                "pid": os.getpid(),
                "tid": 0,
                "cat": "cpu_op",
            }
            for event in self._events
        ]
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": calls}, file)


def tensorboard_trace_handler(
    dir_name: str, worker_name: str | None = None, use_gzip: bool = False
) -> Callable[[Any], None]:
    """For `on_trace_ready`: write each recording to a file of its own in a folder.

    Args:
        dir_name: the folder; made if there is none.
        worker_name: what begins the file's name; by default the number of the process.
        use_gzip: without effect.
    """

    def write(prof: profile) -> None:
        os.makedirs(dir_name, exist_ok=True)
        name = f"{worker_name or os.getpid()}.{time.time_ns()}.pt.trace.json"
        prof.export_chrome_trace(os.path.join(dir_name, name))

    return write
