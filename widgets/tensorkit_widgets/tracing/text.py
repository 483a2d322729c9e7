"""A trace or a story as plain text: the same words every time, with no address in them.

>>> from tensorkit_widgets.tracing.explain_model import explain_line
>>> print(story_text(explain_line("x.t().view(-1)", {"x": tk.arange(6).view(2, 3)})))
x.t().view(-1)
it raised at step 2 of 2
<BLANKLINE>
1. x.t()  view
   in   x: size (2, 3), stride (3, 1), offset 0, int64, storage A
   out  size (3, 2), stride (1, 3), offset 0, int64, storage A
   why: the strides change places; no number moves
   bytes moved: 0
<BLANKLINE>
2. ….view(-1)  error
   in   x.t(): size (3, 2), stride (1, 3), offset 0, int64, storage A
   ViewError: view size is not compatible with input tensor's size and stride (at least one dimension spans across ...
   why: dimensions 0 and 1 of x.t() cannot merge into one: at the end of dimension 1 the walk has gone ...
   next: write .reshape(…) in place of .view(…): it copies when it must
   next: or copy first and see it: .contiguous().view(…)
   next: or view before you transpose: while the strides still run in order
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tensorkit_widgets.snapshot.adapter import Meta
from tensorkit_widgets.snapshot.frozen_tensor import Seen, Write
from tensorkit_widgets.snapshot.number_text import short, size_text
from tensorkit_widgets.tracing.explain_model import Story
from tensorkit_widgets.tracing.recorder import Recorder, Recording, TraceStep
from tensorkit_widgets.tracing.tally import Tally


def story_text(told: Story | Recording | Recorder) -> str:
    """A story, or what was recorded, as text."""
    steps, left_out = tuple(told.steps), told.left_out
    lines = [*told.code.strip().splitlines()] if isinstance(told, Story) else []
    lines.append(outcome(told) if isinstance(told, Story) else summary(steps, told.beyond))
    if left_out:
        lines.append(f"{left_out:,} more call{'s' * (left_out != 1)} left out of the list")
    for step in steps:
        lines += ["", *step_text(step).splitlines()]
    if isinstance(told, Story) and told.shown:
        lines += ["", "value", *("   " + line for line in told.shown.splitlines())]
    return "\n".join(lines)


def outcome(story: Story) -> str:
    """In one line: what came of the code."""
    if story.failed is not None:
        many = len(story.steps) + story.left_out
        return f"it raised at step {story.failed.number + story.left_out} of {many:,}"
    if story.failure is not None:
        return f"it raised {story.failure.kind}: {_first_line(story.failure.message)}"
    return summary(story.steps, story.beyond)


def summary(steps: Sequence[TraceStep], beyond: Tally | None = None) -> str:
    """How many calls of each kind, and the bytes that were moved and made; with those that were too many to keep.

    >>> summary([])
    'no call had to do with a tensor'
    """
    if not steps:
        return "no call had to do with a tensor"
    rest = beyond or Tally()
    counts = {kind: sum(step.kind == kind for step in steps) + rest.kinds.get(kind, 0) for kind in _PLURALS}
    said = [
        f"{n:,} {kind if n == 1 and kind in ('view', 'copy') else _PLURALS[kind]}"
        for kind, n in counts.items()
        if n
    ]
    made = sum(step.bytes_made for step in steps) + rest.made
    counted = [step.bytes_moved for step in steps if step.bytes_moved is not None]
    moved = f"{sum(counted) + rest.moved:,} bytes moved" if counted else "bytes moved: not counted"
    calls = len(steps) + rest.calls
    many = f"{calls:,} call{'s' * (calls != 1)}"
    return f"{many}: {', '.join(said)}; {moved}; {made:,} bytes newly made"


_PLURALS = {
    "view": "views", "copy": "copies", "in place": "in place", "made": "made new", "same": "gave the same tensor back",
    "value": "gave no tensor", "error": "raised",
}  # fmt: skip


def step_text(step: TraceStep) -> str:
    """One step: what was called, what went in and came out, view or copy and why."""
    return "\n".join(_step_lines(step))


def _step_lines(step: TraceStep) -> Iterator[str]:
    where = f"  (thread {step.thread})" if step.thread else ""
    inside = f"  (line {step.place.line})" if step.level and step.place.line else ""
    yield f"{step.number}. {step.call or step.place.code or 'the code'}  {step.kind}{inside}{where}"
    written = {write.operand for write in step.writes}
    for place, seen in enumerate(step.inputs):
        if place not in written:
            yield f"   in   {_named(seen)}{meta_text(seen.meta)}, storage {seen.storage}"
    for write in step.writes:
        yield from _write_lines(write)
    if not step.writes:
        for seen in step.outputs:
            yield f"   out  {meta_text(seen.meta)}, storage {seen.storage}"
    if step.value:
        yield f"   out  {step.value}"
    if step.failure is None:
        yield f"   why: {step.why}"
        yield f"   bytes moved: {_moved(step.bytes_moved)}"
    for kernel in step.kernels:
        yield f"   kernel: {kernel}"
    yield from _failure_lines(step)


def _moved(count: int | None) -> str:
    return "not counted by this library" if count is None else f"{count:,}"


def _named(seen: Seen) -> str:
    return f"{seen.name}: " if seen.name else ""


def _write_lines(write: Write) -> Iterator[str]:
    before, after = write.before, write.after
    yield f"   in   {_named(before)}{_versioned(before)}"
    yield f"   now  {_named(before)}{_versioned(after)}"
    if write.changed:
        yield f"   changed: {_changes(write)}"


def _versioned(seen: Seen) -> str:
    version = "" if seen.version is None else f", version {seen.version}"
    return f"{meta_text(seen.meta)}, storage {seen.storage}{version}"


def _changes(write: Write) -> str:
    """The first elements that changed, with both numbers."""
    before, after, dtype = write.before.snapshot, write.after.snapshot, write.before.meta.dtype
    origin, count = before.window.origin, before.window.count
    said = []
    for index in write.changed[:4]:
        flat = 0
        for i, o, n in zip(index, origin, count, strict=True):
            flat = flat * n + i - o
        said.append(
            f"[{', '.join(map(str, index))}] {short(before.grid[flat], dtype)} → {short(after.grid[flat], dtype)}"
        )
    more = len(write.changed) - len(said)
    return ", ".join(said) + (f", and {more} more of those shown" if more > 0 else "")


def meta_text(meta: Meta) -> str:
    """Size, stride, offset and dtype; the device where it is not the CPU.

    >>> import numpy
    >>> from tensorkit_widgets.snapshot.adapter import describe
    >>> meta_text(describe(numpy.ones((2, 3))[1:]))
    'size (1, 3), stride (3, 1), offset 3, float64'
    """
    where = "" if meta.device == "cpu" else f", {meta.device}"
    return f"size {size_text(meta.size)}, stride {size_text(meta.stride)}, offset {meta.offset}, {meta.dtype}{where}"


def _first_line(message: str) -> str:
    lines = message.strip().splitlines()
    return lines[0].strip() if lines else ""


def _failure_lines(step: TraceStep) -> Iterator[str]:
    if step.failure is None:
        return
    yield f"   {step.failure.kind}: {_first_line(step.failure.message)}".rstrip(": ")
    found = step.failure.diagnosis
    if found is not None:
        yield f"   why: {found.why}"
        yield from (f"   next: {line}" for line in found.then)
