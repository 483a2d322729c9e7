"""Functions that learners may write in the exercises of lesson 14, right and wrong, and the checks that call them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import tensorkit
from tensorkit_widgets.practice.checking.functions import Case, function_check
from tensorkit_widgets.practice.facts import Slip, Unreadable, is_tensor
from tensorkit_widgets.practice.markup import quoted

SAVED = "a saved slice saves the whole storage"


DETACH = "detach vs clone"


# ------------------------------------------------------------------ letting a storage go


def _begins(tensor: Any) -> int:
    return int(tensor.untyped_storage().data_ptr())


def by_storage(names: dict[str, Any], big: Any) -> None:
    for name in list(names):
        if names[name].untyped_storage().data_ptr() == big.untyped_storage().data_ptr():
            del names[name]


def by_storage_listed(names: dict[str, Any], big: Any) -> None:
    for name in [name for name, tensor in names.items() if _begins(tensor) == _begins(big)]:
        names.pop(name)


def popped_by_storage(names: dict[str, Any], big: Any) -> None:
    kept = {name: tensor for name, tensor in names.items() if _begins(tensor) != _begins(big)}
    names.clear()
    names.update(kept)


def by_identity(names: dict[str, Any], big: Any) -> None:
    for name in list(names):
        if id(names[name]) == id(big):
            del names[name]


def by_address(names: dict[str, Any], big: Any) -> None:
    for name in list(names):
        if names[name].data_ptr() == big.data_ptr():
            del names[name]


def by_equality(names: dict[str, Any], big: Any) -> None:
    for name in list(names):
        if names[name].size() == big.size() and (names[name] == big).all():
            del names[name]


def into_a_new_dictionary(names: dict[str, Any], big: Any) -> dict[str, Any]:
    names = {name: tensor for name, tensor in names.items() if _begins(tensor) != _begins(big)}
    return names


def while_walking(names: dict[str, Any], big: Any) -> None:
    for name in names:
        if _begins(names[name]) == _begins(big):
            del names[name]


def _two_tables() -> tuple[dict[str, Any], Any]:
    big = tensorkit.arange(12.0).view(3, 4)
    return {
        "big": big, "row": big[1], "copy": big.clone(), "again": big, "flat": big.view(-1),
        "total": big.sum(), "first": big[0].clone(),
    }, big  # fmt: skip


def _a_slice_and_more() -> tuple[dict[str, Any], Any]:
    table = tensorkit.arange(20.0)
    part = table[5:]
    return {"end": table[15:], "part": part, "all": table, "twice": part * 2, "own": part.clone()}, part


def _left(wanted: tuple[str, ...], says: str, arguments: Callable[[], tuple[object, ...]]) -> Case:
    def looks(given: tuple[Any, ...], got: Any) -> object:
        return tuple(sorted(given[0]))

    def tells(found: Any) -> str:
        kept = [name for name in found if name not in wanted]
        if kept:
            return f"the storage is still kept alive by {', '.join(f'`{name}`' for name in kept)}."
        gone = [name for name in wanted if name not in found]
        return f"{', '.join(f'`{name}`' for name in gone)} had a storage of its own, and should have stayed."

    return Case(says, arguments, wanted, looks, tells)


LET_GO = function_check(
    _left(("copy", "first", "total"), "with seven names, `big` a whole table", _two_tables),
    _left(("own", "twice"), "with five names, `big` itself a slice", _a_slice_and_more),
    slips=(
        Slip(
            "id() as a storage test",
            "`is` and `id()` find the names of the same *object*. A view is another object, and keeps the storage "
            "alive all the same.",
            behaves=by_identity,
        ),
        Slip(
            "data_ptr() of the tensor",
            "`t.data_ptr()` is where the first element of `t` is. A slice begins further on, in the same storage.",
            behaves=by_address,
        ),
        Slip(
            "equal is not shared",
            "you removed a copy with equal numbers, and left views whose numbers differ.",
            behaves=by_equality,
        ),
        Slip(
            "x += y vs x = x + y",
            "the dictionary that I gave you is as it was. If you wrote `names = …`: that only moves a name.",
            behaves=(into_a_new_dictionary, lambda names, big: None),
        ),
    ),
)


# ------------------------------------------------------------------ thumbnails


def _picture(rows: int, columns: int) -> Case:
    def photo() -> Any:
        return tensorkit.arange(float(rows * columns * 3)).view(rows, columns, 3)

    def looks(given: tuple[Any, ...], got: Any) -> object:
        if not is_tensor(got):
            raise Unreadable(f"it should return a tensor; yours returned {quoted(got)}.")
        return tuple(got.size()), tuple(got.reshape(-1).tolist()), int(got.untyped_storage().nbytes())

    def tells(found: Any) -> str:
        size, numbers, kept = found
        if (size, numbers) != wanted[:2]:
            return f"it should give the pixels of `photo[::8, ::8]`, size {wanted[0]}; yours has the size {size}."
        return f"it keeps {kept} bytes in memory; {wanted[2]} are enough for its pixels."

    small = photo()[::8, ::8].clone()
    wanted = (tuple(small.size()), tuple(small.reshape(-1).tolist()), 4 * small.numel())
    return Case(f"for a photograph of {rows} × {columns} pixels", lambda: (photo(),), wanted, looks, tells)


THUMBNAIL = function_check(
    _picture(16, 24),
    _picture(8, 8),
    slips=(
        Slip(
            SAVED,
            "the pixels are right, but they keep the whole photograph in memory: a slice reads the storage that it "
            "was taken from.",
            behaves=(lambda photo: photo[::8, ::8], lambda photo: photo.clone()[::8, ::8]),
        ),
        Slip(
            "what contiguous means",
            "this works for the photograph, but not for the icon: its single pixel is contiguous already, so "
            "nothing is copied, and the other 63 pixels stay in memory.",
            behaves=(
                lambda photo: photo[::8, ::8].contiguous(),
                lambda photo: photo[::8, ::8].reshape(-1, 3),
            ),
        ),
    ),
)


# ------------------------------------------------------------------ the best weights


def best_kept(keep: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    """A training that puts the best weights aside in this way."""

    def best_weights(w: Any, steps: Any) -> Any:
        best, lowest = None, float("inf")
        for step in steps:
            loss = step(w)
            if loss < lowest:
                best, lowest = keep(w), loss
        return best

    return best_weights


best_given = best_kept(lambda w: w.detach())
best_with_history = best_kept(lambda w: w.clone())
best_named = best_kept(lambda w: w)


def _training(says: str, *losses: float) -> Case:
    """Step n writes n and n + 0.5 into the weights."""

    def step(number: int, loss: float) -> Callable[[Any], float]:
        def run(w: Any) -> float:
            with tensorkit.no_grad():
                w.copy_(tensorkit.tensor([float(number), number + 0.5]))
            return loss

        return run

    def arguments() -> tuple[object, ...]:
        steps = [step(number, loss) for number, loss in enumerate(losses)]
        return tensorkit.zeros(2, requires_grad=True), steps

    def looks(given: tuple[Any, ...], got: Any) -> object:
        if not is_tensor(got):
            raise Unreadable(f"it should return a tensor; yours returned {quoted(got)}.")
        return tuple(got.tolist()), bool(got.requires_grad), got is given[0]

    def tells(found: Any) -> str:
        numbers, history, _ = found
        if numbers != wanted:
            return f"it returned {list(numbers)}; the best weights were {list(wanted)}."
        return "the numbers are right, but they carry a history." if history else "it returned `w` itself."

    lowest = losses.index(min(losses))
    wanted = (float(lowest), lowest + 0.5)
    return Case(says, arguments, (wanted, False, False), looks, tells)


BEST = function_check(
    _training("when the second of four steps is best", 3.0, 1.0, 2.0, 4.0),
    _training("when the first of three steps is best", 0.5, 0.75, 1.0),
    slips=(
        Slip(
            DETACH,
            "`best` still reads the storage of `w`, so every later step writes into it, too: `detach` copies no "
            "number.",
            behaves=best_given,
        ),
        Slip(
            DETACH,
            "the numbers are right. But a clone keeps the history: `best` requires grad.",
            behaves=best_with_history,
        ),
        Slip(
            "a copy is not a view",
            "`best = w` gives the weights one more name, and every step writes to them.",
            behaves=best_named,
        ),
    ),
)
