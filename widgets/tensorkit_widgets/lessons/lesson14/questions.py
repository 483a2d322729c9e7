"""The questions of lesson 14, with what proves them."""

from __future__ import annotations

from typing import Any

from tensorkit_widgets.practice.facts import Slip
from tensorkit_widgets.practice.kinds import Question

__all__ = ["QUESTIONS"]

ALIAS = "a slice aliases its base"


ID = "id() as a storage test"


DETACH = "detach vs clone"


def _id_of_a_view(tk: Any) -> str:
    t = tk.arange(4.0)
    v = t[:]
    same = v.untyped_storage().data_ptr() == t.untyped_storage().data_ptr()
    return "Two objects, one storage" if id(v) != id(t) and same else ""


def _detached(tk: Any) -> str:
    a = tk.ones(2, requires_grad=True)
    d = a.detach()
    d[0] = 5.0
    return "`a[0]` is 5 as well" if a[0].item() == 5.0 else "Nothing: `d` has numbers of its own"


COPYING = (
    Question(
        "id_of_a_view",
        "`v = t[:]` takes all of `t`. Are `v` and `t` one object, and one storage?",
        "Two objects, one storage",
        "Every slice is a new tensor object, this one too. `id()` sees the objects and knows nothing of the storage.",
        options=("One object, one storage", "Two objects, one storage", "Two objects, two storages"),
        slips=(
            Slip(
                ID,
                "A slice is an object of its own, even if it takes everything.",
                given="One object, one storage",
            ),
            Slip(
                ALIAS,
                "A new object, yes; but its numbers are those of `t`.",
                given="Two objects, two storages",
            ),
        ),
        proof=_id_of_a_view,
    ),
    Question(
        "detached",
        "`a = tk.ones(2, requires_grad=True)`, then `d = a.detach()`, then `d[0] = 5.0`. What happens to `a`?",
        "`a[0]` is 5 as well",
        "`detach` takes the history off and leaves the numbers where they are. It is a view.",
        options=("Nothing: `d` has numbers of its own", "`a[0]` is 5 as well", "An error: `a` requires grad"),
        slips=(
            Slip(
                DETACH,
                "A clone would have; `detach` copies no number.",
                given="Nothing: `d` has numbers of its own",
            ),
            Slip(
                DETACH, "`d` does not require grad, so nobody objects.", given="An error: `a` requires grad"
            ),
        ),
        proof=_detached,
    ),
)


QUESTIONS = (*COPYING,)
