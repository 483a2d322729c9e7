"""View, copy, in place or made new, and why: judged from what a call was given and what it gave, never from a guess.

The metadata decide: a result on the storage of an operand is a view; a counter that moved is a write. The name of the
operation only chooses the words.

>>> plain_name("__getitem__"), plain_name("numpy_T"), plain_name("add_"), plain_name("__init__")
('[]', 'T', 'add', '__init__')
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tensorkit.dispatch.registry import registry
from tensorkit_widgets.snapshot.adapter import Meta
from tensorkit_widgets.snapshot.expression import Call
from tensorkit_widgets.snapshot.frozen_tensor import Seen, Write
from tensorkit_widgets.snapshot.geometry import conflicts
from tensorkit_widgets.snapshot.number_text import size_text
from tensorkit_widgets.snapshot.view_chain import why as why_of_step

CASTS = frozenset(
    {
        "to", "type", "type_as", "half", "bfloat16", "float", "double", "byte", "char", "short", "int", "long",
        "bool", "cfloat", "cdouble", "astype",
    }
)  # fmt: skip
JOINERS = frozenset(
    {"cat", "concat", "concatenate", "stack", "hstack", "vstack", "dstack", "column_stack", "row_stack"}
)
PICKERS = frozenset(
    {
        "[]", "index_select", "gather", "take", "take_along_dim", "take_along_axis", "masked_select", "repeat",
        "tile", "repeat_interleave", "flip", "fliplr", "flipud", "roll", "rot90", "compress", "select_scatter",
    }
)  # fmt: skip
WHOLE = frozenset(
    {
        "clone", "copy", "contiguous", "reshape", "flatten", "ravel", "reshape_as", "cpu", "cuda", "tensor", "array",
        "asarray", "as_tensor", "from_numpy", "numpy", "__deepcopy__", "deepcopy", "ascontiguousarray", "narrow_copy",
    }
)  # fmt: skip
COPIERS = CASTS | JOINERS | PICKERS | WHOLE
"""Operations whose result holds the operands' own numbers; where it is no view, it is a copy."""

_ALIASES = {
    "__getitem__": "[]", "__setitem__": "[]=", "numpy_T": "T", "matrix_H": "mH", "concat": "cat", "array": "tensor",
}  # fmt: skip
_SHAPE_CHANGERS = {"reshape", "flatten", "ravel", "reshape_as"}


def plain_name(op: str) -> str:
    """The name by which a sentence is chosen: without the underscore of the in-place form."""
    name = _ALIASES.get(op, op)
    if name.endswith("_") and not name.endswith("__"):
        return name[:-1]
    return name


def judge(
    op: str,
    before: Sequence[Seen],
    outputs: Sequence[Seen],
    writes: Sequence[Write],
    same: bool,
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
) -> tuple[str, str]:
    """What a call did, in one word, and why, in a sentence.

    Args:
        same: it returned the very object that it was given.
        args, kwargs: what it was given beside tensors, for the words.

    Returns:
        ``"in place"``, ``"same"``, ``"view"``, ``"copy"``, ``"made"`` or ``"value"``; and the sentence.
    """
    name = plain_name(op)
    if writes:
        return "in place", _why_written(name, before, outputs, writes)
    if name == "grad" and outputs:
        return "same", "it is the tensor that backward() left there; nothing was computed"
    if not outputs:
        return "value", _why_value(name, before)
    if same:
        return "same", _why_same(name)
    origin = next((seen for seen in before if seen.storage == outputs[0].storage), None)
    if origin is not None:
        return "view", _why_view(name, origin.meta, outputs[0].meta, args, kwargs or {})
    if not before:
        return "made", f"a new storage of {_bytes(outputs[0].meta.nbytes)} was filled"
    if name in COPIERS:
        return "copy", _why_copy(name, before, outputs[0], args, kwargs or {})
    return "made", _why_made(name, before, outputs[0])


def _bytes(count: int) -> str:
    return f"{count:,} byte" + ("" if count == 1 else "s")


def _called(seen: Seen, otherwise: str = "the tensor") -> str:
    return seen.name or otherwise


def _step_call(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Call:
    return Call(name, name, tuple(args), tuple(kwargs.items()))


def _why_view(name: str, before: Meta, after: Meta, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    if name == "detach":
        return "the same numbers without their history: what is written through one is seen in the other"
    if before.library != after.library:
        return "both libraries look at the same memory; nothing was copied"
    return why_of_step(_step_call(name, args, kwargs), before, after, "view")


def _why_same(name: str) -> str:
    if name in CASTS:
        return "it has that dtype and lives on that device already, so the very same tensor came back"
    if name in ("requires_grad", "detach", "retain_grad", "register_hook"):
        return "the same tensor; only what autograd does with it has changed"
    if name == "contiguous":
        return "it was contiguous already, so the same tensor came back"
    return "there was nothing to do: the very same tensor came back"


def _why_value(name: str, before: Sequence[Seen]) -> str:
    if name == "backward":
        return "the graph was walked backwards; the gradients are in .grad of its leaves"
    if not before:
        return "no tensor came out of it"
    return f"it reads {_called(before[0])} and gives no tensor; nothing was written"


def _why_copy(
    name: str, before: Sequence[Seen], after: Seen, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> str:
    first, meta = before[0].meta, after.meta
    if first.device != meta.device:
        return f"{meta.device} has a memory of its own, so the numbers were sent there from {first.device}"
    if first.library != meta.library:
        return f"{meta.library} was asked for memory of its own, so the numbers were copied"
    if first.dtype != meta.dtype:
        return f"{first.dtype} and {meta.dtype} have different bytes: every element was converted into a new storage"
    if name in JOINERS:
        return "the parts lie in different storages, and one stride cannot jump between them: they were copied into one"
    if name == "[]":
        return "a mask or a list of indices picks elements one by one, and no stride can say that: they were copied"
    if name in PICKERS:
        return f"no stride can express what {name} does, so the elements were copied into a new storage"
    if name in _SHAPE_CHANGERS:
        return _why_reshaped(first, meta, name, args, kwargs)
    if name in ("clone", "contiguous"):
        return why_of_step(_step_call(name, args, kwargs), first, meta, "copy")
    return f"{name} copies the numbers into a storage of its own"


def _why_reshaped(first: Meta, meta: Meta, name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
    pairs = conflicts(first.size, first.stride, meta.size)
    if not pairs:
        return why_of_step(_step_call(name, args, kwargs), first, meta, "copy")
    d, e = pairs[0]
    needed = first.size[e] * first.stride[e]
    return (
        f"dimensions {d} and {e} cannot merge: stride[{d}] is {first.stride[d]} where size[{e}]·stride[{e}] is "
        f"{needed}, so the numbers were copied in reading order"
    )


def _why_made(name: str, before: Sequence[Seen], after: Seen) -> str:
    meta = after.meta
    parts = [f"the results went into a new storage of {_bytes(meta.nbytes)}; no operand changed"]
    stretched = [seen for seen in before if seen.meta.size != meta.size and _stretches(seen.meta, meta)]
    known = registry.get(name)
    if stretched and known is not None and known.kind == "pointwise":
        said = " and ".join(f"{_called(seen)} of size {size_text(seen.meta.size)}" for seen in stretched)
        if len(stretched) == 1:
            parts.append(
                f"{said} was read as if it had size {size_text(meta.size)}: stride 0, nothing copied"
            )
        else:
            told = f"{said} were both read as if they had size {size_text(meta.size)}"
            parts.append(f"{told}: every element of one meets every element of the other")
    kinds = list(dict.fromkeys(seen.meta.dtype for seen in before))
    if len(kinds) > 1:
        parts.append(f"{' and '.join(kinds)} together give {meta.dtype}")
    return "; ".join(parts)


def _stretches(small: Meta, large: Meta) -> bool:
    """Whether broadcasting gives the larger size."""
    if len(small.size) > len(large.size):
        return False
    ends = zip(reversed(small.size), reversed(large.size), strict=False)
    return all(n in (1, m) for n, m in ends)


def _why_written(name: str, before: Sequence[Seen], outputs: Sequence[Seen], writes: Sequence[Write]) -> str:
    first = writes[0]
    old, new = first.before, first.after
    called = _called(old)
    if old.storage != new.storage:
        return f"{called} is on another storage now; the old one is unchanged"
    if old.meta.size != new.meta.size or old.meta.stride != new.meta.stride:
        return f"{called} itself has other sizes and strides now; no number moved"
    told = f"the numbers were written into {called}’s own storage, so every tensor on storage {old.storage} sees them"
    if old.version is not None and new.version is not None and old.version != new.version:
        told += f"; its version went from {old.version} to {new.version}"
    if first.sampled:
        told += "; NumPy counts no writes: this was seen by comparing the numbers shown"
    return told
