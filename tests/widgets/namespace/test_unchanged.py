"""A watch that recognises what stands as it stood sees the same as one that reads everything again, look by look."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit_widgets.namespace.watch import MemoryWatch

Names = dict[str, Any]


def _forgetful() -> MemoryWatch:
    """A watch to which every tensor is loose."""
    watch = MemoryWatch()
    watch._standing.part = lambda ones, look: ([], list(ones))  # type: ignore[method-assign]
    return watch


def _some(names: Names, rng: random.Random) -> Any:
    return rng.choice([value for value in names.values() if not isinstance(value, (list, bytearray))])


def _make(names: Names, rng: random.Random) -> None:
    count = rng.choice([0, 3, 12, 300, 5000])
    kind = rng.choice([tk.float32, tk.int16, tk.float64])
    names[rng.choice("abcdefgh")] = tk.zeros(count, dtype=kind)


def _array(names: Names, rng: random.Random) -> None:
    names[rng.choice("abcdefgh")] = numpy.arange(float(rng.choice([3, 12, 300, 5000])))


def _view(names: Names, rng: random.Random) -> None:
    names[rng.choice("abcdefgh")] = _some(names, rng)[
        rng.choice([slice(1, None), slice(None, None, 2), slice(0, 0)])
    ]


def _other_library(names: Names, rng: random.Random) -> None:
    one = _some(names, rng)
    names[rng.choice("abcdefgh")] = tk.from_numpy(one) if isinstance(one, numpy.ndarray) else one.numpy()


def _write(names: Names, rng: random.Random) -> None:
    one = _some(names, rng)
    if len(one):
        one[rng.randrange(len(one))] = rng.choice([rng.randrange(100), float("nan")])


def _again(names: Names, rng: random.Random) -> None:
    """A write that leaves the numbers as they were: a counter tells it alone."""
    one = _some(names, rng)
    one[:0] = 1


def _resize(names: Names, rng: random.Random) -> None:
    one = _some(names, rng)
    if isinstance(one, tk.Tensor) and one.untyped_storage().resizable():
        one.untyped_storage().resize_(rng.choice([0, 48, 4096]))


def _point_elsewhere(names: Names, rng: random.Random) -> None:
    one, other = _some(names, rng), _some(names, rng)
    if isinstance(one, tk.Tensor) and isinstance(other, tk.Tensor) and one.dtype == other.dtype:
        one.set_(other)


def _halves(names: Names, rng: random.Random) -> None:
    """Two arrays that know nothing of each other, and sometimes a third over the memory of both."""
    names["left"], names["right"] = (numpy.frombuffer(names["buffer"], "u1", 64, at) for at in (0, 64))


def _bridge(names: Names, rng: random.Random) -> None:
    names["whole"] = numpy.frombuffer(names["buffer"], "u1")


def _poke(names: Names, rng: random.Random) -> None:
    names["buffer"][rng.randrange(128)] ^= 255


def _box(names: Names, rng: random.Random) -> None:
    names.setdefault("box", []).append(_some(names, rng))
    del names["box"][:-3]


def _rename(names: Names, rng: random.Random) -> None:
    names[rng.choice("abcdefgh")] = _some(names, rng)


def _forget(names: Names, rng: random.Random) -> None:
    key = rng.choice([key for key in names if key != "buffer"])
    if len(names) > 3:
        del names[key]


ACTS: list[Callable[[Names, random.Random], None]] = [
    _make, _array, _view, _other_library, _write, _again, _resize, _point_elsewhere, _halves, _bridge, _poke, _box,
    _rename, _forget,
]  # fmt: skip


@pytest.mark.parametrize("seed", range(40))
def test_what_stands_is_seen_as_if_it_were_read_anew(seed: int) -> None:
    rng = random.Random(seed)
    names: Names = {
        "buffer": bytearray(128),
        "a": tk.arange(12.0),
        "b": numpy.arange(300.0),
        "c": tk.ones(5000),
    }
    quick, slow = MemoryWatch(), _forgetful()
    for step in range(40):
        told = []
        for _ in range(rng.choice([0, 1, 1, 2])):
            act = rng.choice(ACTS)
            told.append(act.__name__)
            try:
                act(names, rng)
            except (RuntimeError, ValueError, TypeError, IndexError):
                continue  # refused, such as a view of an emptied storage
        # As text, since nan is unlike itself, and fresh memory may hold one.
        assert repr(quick.look(names)) == repr(slow.look(names)), (seed, step, told)


def test_it_is_recognised_at_all() -> None:
    names: Names = {"a": tk.arange(12.0), "b": numpy.arange(300.0), "c": tk.ones(5000)}
    names["row"], names["same"] = names["a"][2:], names["c"].numpy()
    watch = MemoryWatch()
    watch.look(names)
    loose: list[int] = []
    part = watch._standing.part

    def noted(ones: Any, look: int) -> Any:
        found = part(ones, look)
        loose.append(len(found[1]))
        return found

    watch._standing.part = noted  # type: ignore[method-assign]
    watch.look(names)
    names["row"][0] = 7  # two tensors on that memory
    watch.look(names)
    names["new"] = names["c"][:3]  # it joins two that stand
    watch.look(names)
    assert loose == [0, 2, 3]
