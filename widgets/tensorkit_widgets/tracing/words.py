"""What is said of one call of a story: view or copy and why, what was moved, what an error means and what to write.

>>> cut("x.t().view(-1)", 8)
'x.t().v…'
"""

from __future__ import annotations

from collections.abc import Iterator

from tensorkit_widgets.diagnosis.way_out import rewritten
from tensorkit_widgets.drawing.words import sentence
from tensorkit_widgets.snapshot.frozen_tensor import Seen
from tensorkit_widgets.snapshot.number_text import size_text
from tensorkit_widgets.tracing.recorder import Failure, TraceStep

KINDS_SAID: dict[str, tuple[str, str]] = {
    "view": ("a view", "good-words"),
    "copy": ("a copy", "copy-words"),
    "in place": ("written in place", "copy-words"),
    "made": ("made new", "big"),
    "same": ("the same tensor", "big"),
    "value": ("no tensor came out", "big"),
    "error": ("it raised", "alarm"),
}
"""What a call did, in words, and the role that draws them."""

LONGEST_ERROR = 4


def cut(text: str, most: int) -> str:
    """A text of at most ``most`` characters.

    >>> cut("x.t().view(-1)", 8)
    'x.t().v…'
    """
    return text if len(text) <= most else text[: max(most, 1) - 1] + "…"


def _names(step: TraceStep) -> tuple[str, ...]:
    return (step.op, step.op.rstrip("_"), *(seen.name for seen in step.inputs))


def why_sentence(step: TraceStep) -> str:
    """Why a call did what it did, or what its error means."""
    failure = step.failure
    if failure is None:
        return sentence(step.why, _names(step))
    if failure.diagnosis is None:
        return ""
    return sentence(failure.diagnosis.why, _names(step))


def link_text(step: TraceStep) -> str:
    """The call as it is written, what was computed before it elided."""
    return step.call or step.place.code or "the code"


def moved_words(step: TraceStep) -> str:
    """What a call cost: bytes moved, bytes made, kernels, in one sentence."""
    if step.kind in ("error", "value") and not step.bytes_moved:
        return ""
    moved = step.bytes_moved
    parts = (
        []
        if step.kind == "made" and not moved and step.bytes_made
        else [
            "Moved bytes are not counted by this library"
            if moved is None
            else f"{moved:,} byte{'s' * (moved != 1)} moved"
            if moved
            else "No byte was copied"
        ]
    )
    if step.bytes_made:
        parts.append(f"{step.bytes_made:,} bytes newly made")
    parts += [f"kernel {kernel}" for kernel in step.kernels]
    return ", ".join(parts) + "."


def result_words(step: TraceStep) -> str:
    """What came out, in a few words for a list."""
    if step.failure is not None:
        return step.failure.kind
    shown = [write.after for write in step.writes] or list(step.outputs)
    if not shown:
        return cut(step.value, 24)
    more = f" and {len(shown) - 1} more" if len(shown) > 1 else ""
    return f"{size_text(shown[0].meta.size)} on storage {shown[0].storage}{more}"


def error_lines(failure: Failure, explained: bool = False) -> list[str]:
    """The library's own words: the first lines, however long the message is.

    Where the reason is ``explained`` beside them, only the first: the others would say it twice.
    """
    lines = [line.rstrip() for line in failure.message.strip().splitlines() if line.strip()]
    if explained and failure.diagnosis is not None:
        lines = lines[:1]
    kept = [f"{failure.kind}: {lines[0].strip()}" if lines else failure.kind, *lines[1:LONGEST_ERROR]]
    return [cut(line, 400) for line in kept] + ["…"] * (len(lines) > LONGEST_ERROR)


# ---- what to write instead


def offers(step: TraceStep) -> tuple[str, ...]:
    """The piece of code that raised, written so that it does what was meant.

    >>> from tensorkit_widgets.tracing.explain_model import explain_line
    >>> offers(explain_line("x.t().view(-1)", {"x": tk.ones(2, 3)}).steps[-1])
    ('x.t().reshape(-1)', 'x.t().contiguous().view(-1)')
    """
    found = step.failure.diagnosis if step.failure is not None else None
    return () if found is None else rewritten(found.name, step.place.code)


# ---- for the ear


def _met(seen: Seen) -> str:
    name = seen.name or "a tensor"
    meta = seen.meta
    return (
        f"{name}: size {size_text(meta.size)}, stride {size_text(meta.stride)}, offset {meta.offset}, "
        f"{meta.dtype}, storage {seen.storage}"
    )


def story_words(step: TraceStep) -> Iterator[str]:
    """A step as sentences: for the text twin, and for those who do not see the picture."""
    yield f"Step {step.number}, {link_text(step)}: {KINDS_SAID[step.kind][0]}."
    for seen in step.inputs:
        yield f"In: {_met(seen)}."
    for seen in [write.after for write in step.writes] or step.outputs:
        yield f"Out: {_met(seen)}."
    if step.value:
        yield f"Out: {step.value}"
    if step.failure is not None:
        yield from error_lines(step.failure, explained=True)
    if why := why_sentence(step):
        yield why
    if moved := moved_words(step):
        yield moved
    found = step.failure.diagnosis if step.failure is not None else None
    codes = offers(step)
    for k, line in enumerate(found.then if found is not None else ()):
        yield sentence(line) + (f"  {codes[k]}" if k < len(codes) else "")
