"""Which misconception is behind an error: some of the engine's, and NumPy's, can only come from one.

>>> try:
...     if tk.ones(2) > 0: ...
... except RuntimeError as error:
...     known_slip(error).misconception
'`if` on a tensor'
>>> known_slip(ValueError("something else")) is None
True
"""

from __future__ import annotations

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.markup import told

_TABLE: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (
        ("Boolean value of Tensor with", "truth value of an array with"),
        "`if` on a tensor",
        "`if`, `while`, `and`, `or` and `not` want **one** answer, and a comparison of tensors gives one for each "
        "element. Between tensors write `&`, `|` and `~`, with each comparison in brackets of its own; one answer for "
        "all of them comes from `.all()` or `.any()`.",
    ),
    (
        ('"bitwise_and_cpu" not implemented for', '"bitwise_or_cpu" not implemented for'),
        "`if` on a tensor",
        "Python works out `&` and `|` before it compares, so they met numbers. Put each comparison in brackets of its "
        "own: `(t > 1) & (t < 5)`.",
    ),
    (
        ("backward through the graph a second time",),
        "second backward fails",
        "the first walk back gave up what the graph had saved. Compute the result again before you walk again, or say "
        "`retain_graph=True` in the first walk.",
    ),
    (
        ("view size is not compatible with",),
        "view after transpose fails",
        "no single stride can walk these numbers in that order, and `view` never copies. `reshape` copies where it "
        "must.",
    ),
    (
        ("more than one element of the written-to tensor",),
        "in-place on an expanded tensor",
        "several of its elements are one and the same slot. Make a copy with slots of its own first: `clone()` or "
        "`contiguous()`.",
    ),
    (
        ("a leaf Variable that requires grad is being used in an in-place",),
        "in-place on a leaf",
        "that write was going to be recorded. Tell autograd to look away while you change the tensor: "
        "`with tk.no_grad():`.",
    ),
    (
        ("has been modified by an inplace operation",),
        "a saved tensor was changed",
        "a step saved a tensor for the walk back, and your code writes into that very storage before the walk.",
    ),
    (
        ("grad can be implicitly created only for scalar outputs",),
        "backward starts from one number",
        "`backward` starts from one number, and this is a tensor of several. `.sum()` or `.mean()` makes one of them.",
    ),
    (
        ("mean(): could not infer output dtype", "Input dtype must be either a floating point or complex"),
        "integer mean",
        "a mean of integers is seldom a whole number, so they have none. Make floats first, or say `dtype=` in `mean`.",
    ),
    (
        ("Can't call numpy() on Tensor that requires grad",),
        "detach vs clone",
        "an array has no history. Take it off first: `t.detach()`.",
    ),
    (
        (
            "Expected all tensors to be on the same device",
            "is not on the expected device",
            "indices should be either on",
        ),
        "operands on one device",
        "two tensors of one operation lie in different memories. Which line made one of them without saying where, or "
        "did not keep what `.to()` returned?",
    ),
    (
        ("device type tensor to numpy",),
        "operands on one device",
        "NumPy knows the memory of the CPU alone. Copy the tensor there first: `t.cpu()`.",
    ),
    (
        ("Both events must be completed before",),
        "timing a GPU without synchronising",
        "the device has not come to the second event yet. Wait for it before you ask for the time: "
        "`end.synchronize()`.",
    ),
    (
        ("device-side assert triggered",),
        "device errors blame the wrong line",
        "something that was given to the device earlier has failed there, an index out of bounds for example. The line "
        "that is told is only the first one that waited for the device.",
    ),
    (
        ("data type 'str'", "too many dimensions 'str'"),
        "text needs a table",
        "a tensor holds numbers only. Make a list of numbers of the text first.",
    ),
)


def known_slip(error: BaseException) -> Slip | None:
    """The slip that this error can only come from; None where it may be anything."""
    text = told(error)
    for pieces, name, says in _TABLE:
        if any(piece in text for piece in pieces):
            return Slip(name, f"it stopped with {_short(text)}: {says}", given="")
    return None


def _short(text: str) -> str:
    """The class of an error and what it begins with."""
    kind, _, message = text.partition(": ")
    first = message.partition(". ")[0]
    return f"{kind} ({first[:90].rstrip()}{'…' if len(first) > 90 else ''})" if first else kind
