"""What the controls of the browser show of a session, as plain data."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.snapshot.adapter import Meta
from tensorkit_widgets.snapshot.expression import Call, join
from tensorkit_widgets.snapshot.geometry import Ints, contiguous_stride, view_shapes
from tensorkit_widgets.snapshot.view_chain import Link
from tensorkit_widgets.stride_explorer.session import Session, plain_slices

__all__ = ["facts"]


def facts(session: Session) -> dict[str, Any]:
    """What the controls show."""
    meta, (before, size) = session.meta, session.sliced()
    slices = [[0, n, 1] for n in size]
    if before != session.calls:
        slices = _slices_at(session.calls[-1], size)
    return {
        "name": session.name, "expression": session.expression, "code": session.code, "library": meta.library,
        "steps": [_step_facts(link) for link in session.links], "size": list(meta.size), "stride": list(meta.stride),
        "offset": meta.offset, "slots": meta.slots, "nbytes": meta.nbytes, "dtype": meta.dtype,
        "device": meta.device, "sliceSize": list(size), "slices": slices,
        "views": [list(shape) for shape in view_shapes(meta.size, meta.stride)],
        "copies": _reshapes(meta), "refusal": _refusal_facts(session), "complaint": session.complaint,
        "typed": session.typed, "fault": meta.fault, "said": session.said, "canUndo": bool(session.history),
    }  # fmt: skip


def _refusal_facts(session: Session) -> dict[str, Any] | None:
    if session.refusal is None:
        return None
    offers = []
    first = session.refused_calls[0] if session.refused_calls else None
    if session.refusal.pairs and first is not None and first.name == "view":
        rest = join(session.refused_calls)
        tail = join(session.refused_calls[1:])
        shape = first.code.removeprefix(".view")
        copier = ".flatten()" if session.meta.library == "numpy" else ".contiguous()"
        offers = [f"{session.expression}{copier}{rest}", f"{session.expression}.reshape{shape}{tail}"]
    pairs = [list(pair) for pair in session.refusal.pairs]
    return {
        "code": session.refusal.code,
        "message": session.refusal.message,
        "pairs": pairs,
        "offers": offers,
    }


def _step_facts(link: Link) -> dict[str, Any]:
    step = link.step
    return {
        "code": step.code, "size": list(step.size), "stride": list(step.stride), "offset": step.offset,
        "kind": step.kind, "why": step.why,
    }  # fmt: skip


def _slices_at(call: Call, size: Ints) -> list[list[int]]:
    parts = list(plain_slices(call) or ())
    parts += [slice(None)] * (len(size) - len(parts))
    return [list(part.indices(n)) for part, n in zip(parts, size, strict=True)]


def _reshapes(meta: Meta) -> list[list[int]]:
    """Shapes that only a copy can give, a few."""
    free = view_shapes(meta.size, meta.stride)
    return [list(s) for s in view_shapes(meta.size, contiguous_stride(meta.size)) if s not in free][:6]
