"""A plain tensor is read as the engine's: the same metadata, numbers, storages, writes and steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import tensorkit as tk
from tensorkit import plain
from tensorkit_widgets.snapshot.adapter import (
    PLAIN,
    describe,
    library_of,
    link_of,
    look,
    same_buffer,
    twin,
    write,
)
from tensorkit_widgets.snapshot.expression import parse
from tensorkit_widgets.snapshot.frozen_tensor import Ledger, compare, see, tensors_in
from tensorkit_widgets.snapshot.promised import promised
from tensorkit_widgets.snapshot.view_chain import StepFailed, build
from tensorkit_widgets.snapshot.window import Window

MADE: dict[str, Callable[[Any], Any]] = {
    "rows": lambda tk: tk.arange(12.0).view(3, 4),
    "columns": lambda tk: tk.arange(12).view(3, 4).t(),
    "part": lambda tk: tk.arange(12.0).view(3, 4)[1:, ::2],
    "expanded": lambda tk: tk.arange(3.0).view(3, 1).expand(3, 4),
    "one": lambda tk: tk.tensor(2.5),
    "none": lambda tk: tk.zeros(2, 0),
    "bytes": lambda tk: tk.tensor([[1, -2], [3, 4]], dtype=tk.int8),
    "truth": lambda tk: tk.tensor([True, False]),
}


@pytest.mark.parametrize("name", MADE)
def test_what_is_known_of_it_is_what_is_known_of_the_engines(name: str) -> None:
    mine, theirs = describe(MADE[name](plain)), describe(MADE[name](tk))
    assert mine.library == PLAIN
    for field in (
        "dtype",
        "itemsize",
        "device",
        "size",
        "stride",
        "offset",
        "slots",
        "nbytes",
        "fault",
        "turned",
    ):
        assert getattr(mine, field) == getattr(theirs, field), field


@pytest.mark.parametrize("name", MADE)
def test_its_numbers_are_read_from_the_window_and_from_the_storage(name: str) -> None:
    seen = []
    for engine in (plain, tk):
        tensor = MADE[name](engine)
        size = describe(tensor).size
        found = look(tensor, Window((0,) * len(size), size), [(0, 3), (2, 100)])
        seen.append((found.grid, found.strip, [type(number) for number in found.grid]))
    assert seen[0] == seen[1]


def test_views_have_one_storage_and_copies_have_their_own() -> None:
    t = plain.arange(12.0).view(3, 4)
    others = [
        plain.zeros(10_000) for _ in range(20)
    ]  # long: their lists lie closer than their bytes would reach
    assert same_buffer(describe(t), describe(t.t()[1:]))
    assert link_of(describe(t)) == link_of(describe(t[0]))
    assert not any(same_buffer(describe(t), describe(other)) for other in [t.clone(), *others])
    assert not same_buffer(describe(t), describe(tk.arange(12.0)))


def test_a_write_goes_through_to_the_storage_and_is_taken_back() -> None:
    t = plain.arange(6).view(2, 3)
    written = write(t.t(), (2, 1), 50)
    assert t.tolist() == [[0, 1, 2], [3, 4, 50]]
    written.take_back()
    assert t.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert written.exchange(back=False)
    assert t[1, 2].item() == 50
    t[1, 2] = 7
    assert not written.exchange(back=True), "something else has been written there"


@pytest.mark.parametrize("engine", [plain, tk], ids=["plain", "engine"])
def test_a_leaf_that_wants_a_gradient_refuses_a_write(engine: Any) -> None:
    with pytest.raises(
        RuntimeError, match="leaf Variable that requires grad is being used in an in-place operation"
    ):
        write(engine.ones(2, requires_grad=True), (0,), 3.0)


def test_a_twin_has_a_storage_of_its_own() -> None:
    t = plain.arange(12.0).view(3, 4)[1:, ::2]
    other = twin(t, describe(t))
    other[0, 0] = -1.0
    assert t[0, 0].item() == 4.0
    assert (describe(other).stride, describe(other).offset, describe(other).slots) == ((4, 2), 4, 12)


@pytest.mark.parametrize(
    "typed", ["t[1:].t()", "t.view(2, 6)", "t.t().reshape(12)", "t[[0, 2]]", "t.unfold(1, 2, 1)", "t.T"]
)
def test_a_chain_of_steps_says_the_same(typed: str) -> None:
    told = []
    for engine in (plain, tk):
        links = build(engine.arange(12.0).view(3, 4), parse(typed))
        told.append(
            [
                (link.step, look(link.tensor, Window((), ()), ()) if not link.meta.size else None)
                for link in links
            ]
        )
    assert told[0] == told[1]


def test_a_refused_step_has_the_same_words_and_conflicts() -> None:
    words = []
    for engine in (plain, tk):
        with pytest.raises(StepFailed) as refused:
            build(engine.arange(12.0).view(3, 4).t(), parse("t.view(12)"))
        words.append((str(refused.value), refused.value.conflicts))
    assert words[0] == words[1]


def test_a_result_is_promised_as_it_would_be_laid_out() -> None:
    def promises(engine: Any) -> Any:
        found = promised(lambda a, b: a + b, engine.arange(6.0).view(2, 3).t(), engine.ones(3, 1))
        assert found is not None
        return found.size, found.stride, found.dtype, found.nbytes

    assert promises(plain) == promises(tk)
    large = plain.arange(100).view(100, 1)
    assert promised(lambda a, b: a + b, large, large.t()) is None, "10,000 numbers are not worth the wait"


def test_a_recording_knows_its_storages_and_what_changed() -> None:
    t, ledger = plain.arange(6).view(2, 3), Ledger()
    before = see(ledger, t, "t")
    view = see(ledger, t[0], "row")
    copy = see(ledger, t.clone(), "copy")
    assert before is not None
    assert [one.storage for one in (before, view, copy) if one is not None] == ["A", "A", "B"]
    t[0, 1] = 9
    after = see(ledger, t, "t")
    assert after is not None
    change = compare(0, before, after)
    assert change is not None
    assert change.changed == ((0, 1),)
    assert tensors_in([t, [t], 3]) == [t, t]


def test_it_is_a_library_of_its_own() -> None:
    assert [library_of(engine.ones(1)) for engine in (plain, tk)] == [PLAIN, "tensorkit"]
