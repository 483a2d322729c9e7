"""A `Layout` of a learner's own beside the engine's: right ones agree, wrong ones are shrunk to the simplest chain."""

from __future__ import annotations

from typing import Any

import pytest

from tensorkit_widgets.puzzles import compare, sitting
from tensorkit_widgets.puzzles.compare import METHODS, chains, differ
from tensorkit_widgets.snapshot.geometry import contiguous_stride

Row = tuple[int, ...]


class Mine:
    """A right one, as a learner may write it."""

    def __init__(self, size: Row, stride: Row, offset: int = 0) -> None:
        self.size, self.stride, self.offset = tuple(size), tuple(stride), offset

    def index(self, key: tuple[Any, ...]) -> Any:
        size, stride, offset = list(self.size[len(key) :]), list(self.stride[len(key) :]), self.offset
        for d in reversed(range(len(key))):
            part, n, step = key[d], self.size[d], self.stride[d]
            if isinstance(part, int):
                if not -n <= part < n:
                    raise IndexError(part)
                offset += part % n * step
            else:
                start, stop, jump = part.indices(n)
                size.insert(0, len(range(start, stop, jump)))
                stride.insert(0, jump * step)
                offset += start * step
        return type(self)(tuple(size), tuple(stride), offset)

    def transpose(self, a: int, b: int) -> Any:
        order = list(range(len(self.size)))
        order[a], order[b] = b, a
        return type(self)(
            tuple(self.size[d] for d in order), tuple(self.stride[d] for d in order), self.offset
        )

    def broadcast(self, size: Row) -> Any:
        new = len(size) - len(self.size)
        if new < 0 or any(n not in (1, m) for n, m in zip(self.size, size[new:], strict=True)):
            raise RuntimeError("it does not fit")
        kept = [s if n == m else 0 for n, m, s in zip(self.size, size[new:], self.stride, strict=True)]
        return type(self)(size, (*([0] * new), *kept), self.offset)

    def view(self, size: Row) -> Any:
        runs: list[list[int]] = []
        for n, s in zip(self.size, self.stride, strict=True):
            if n == 1:
                continue
            if runs and runs[-1][1] == n * s:
                runs[-1] = [runs[-1][0] * n, s]
            else:
                runs.append([n, s])
        stride: list[int] = []
        left, step = 1, 1
        for n in reversed(size):
            if left == 1 and n > 1 and runs:
                left, step = runs.pop()
            if left % n:
                raise RuntimeError("only a copy could")
            stride.insert(0, step)
            left, step = left // n, step * n
        if left != 1 or runs:
            raise RuntimeError("it has another number of elements")
        return type(self)(size, tuple(stride), self.offset)


def test_a_right_one_agrees_on_all_chains() -> None:
    verdict = compare(Mine, count=3000)
    assert verdict.correct
    assert verdict.says == "3,000 chains of index, transpose, view, broadcast: no difference."
    assert verdict.pictures() == ()


@pytest.mark.parametrize("name", METHODS)
def test_each_method_alone(name: str) -> None:
    assert compare(Mine, name, count=500).correct


def test_the_engine_itself_is_refused_now_and_then() -> None:
    """Chains that the engine refuses are among them: who never refuses is found out."""

    class Never(Mine):
        def view(self, size: Row) -> Any:
            return type(self)(size, contiguous_stride(size), self.offset)

    verdict = compare(Never, "transpose", "view")
    assert verdict.correct is False
    assert "the engine refuses" in verdict.says
    assert verdict.difference is not None
    assert [name for name, _ in verdict.difference.chain.steps] == ["transpose", "view"]
    assert sorted(n for n in verdict.difference.chain.size if n > 1) == [2, 2]
    yours, engine = verdict.pictures()
    assert "was refused" in engine.text()
    assert "was refused" not in yours.text()


def test_a_step_that_is_left_out_of_the_stride_is_shrunk_to_one_slice() -> None:
    class Stepless(Mine):
        def index(self, key: tuple[Any, ...]) -> Any:
            right = super().index(key)
            slices = [d for d, part in enumerate(key) if isinstance(part, slice)]
            kept = [self.stride[d] for d in (*slices, *range(len(key), len(self.size)))]
            return type(self)(right.size, tuple(kept), right.offset)

    found = compare(Stepless, "index").difference
    assert found is not None
    ((name, key),) = found.chain.steps
    assert name == "index"
    assert (found.chain.size, key) == ((3,), (slice(None, None, 2),))
    assert found.mine == ((2,), (1,), 0)
    assert found.engine is not None
    assert found.engine.stride == (2,)
    yours, engine = compare(Stepless, "index").pictures()
    assert (yours.result.tolist(), engine.result.tolist()) == ([0, 1], [0, 2])


def test_a_wrong_offset_and_a_forgotten_dimension_are_found() -> None:
    class Lost(Mine):
        def index(self, key: tuple[Any, ...]) -> Any:
            right = super().index(key)
            return type(self)(right.size, right.stride, self.offset)

    class Short(Mine):
        def broadcast(self, size: Row) -> Any:
            right = super().broadcast(size)
            return type(self)(right.size, tuple(s or 1 for s in right.stride), right.offset)

    assert "offset 0" in compare(Lost, "index").says
    found = compare(Short, "broadcast").difference
    assert found is not None
    assert found.engine is not None
    assert 0 in found.engine.stride


def test_what_stops_is_told() -> None:
    class Stops(Mine):
        def transpose(self, a: int, b: int) -> Any:
            raise KeyError(a)

    verdict = compare(Stops, "transpose")
    assert "yours stopped with" in verdict.says
    assert len(verdict.pictures()) == 1


def test_what_gives_no_layout_is_told() -> None:
    class Odd(Mine):
        def transpose(self, a: int, b: int) -> Any:
            return 3

    assert "an int without a size" in compare(Odd, "transpose").says


@pytest.mark.parametrize("answer", [..., None])
def test_what_is_not_written_yet_is_not_judged(answer: object) -> None:
    class Blank(Mine):
        def view(self, size: Row) -> Any:
            return answer

    verdict = compare(Blank, "view")
    assert verdict.correct is None
    assert "`view` is not written" in verdict.says
    assert compare(Blank, "index", count=50).correct
    assert compare(Blank, "index", "view").correct is None


def test_chains_are_the_same_for_a_seed_and_differ_between_seeds() -> None:
    assert list(chains(METHODS, 50, 1)) == list(chains(METHODS, 50, 1)) != list(chains(METHODS, 50, 2))
    assert all(differ(Mine, chain) is None for chain in chains(METHODS, 200, 3))


def test_it_is_kept_by_its_sitting() -> None:
    assert "0 of 5 solved" in sitting("D")
    compare(Mine, "index", count=20)
    compare(Mine, "index", "view", count=20)
    assert "1 of 5 solved" in sitting("D")
    compare(Mine, count=20)
    assert "2 of 5 solved" in sitting("D")


def test_there_is_no_such_method() -> None:
    with pytest.raises(LookupError, match="the methods are index, transpose, view, broadcast, not 'flip'"):
        compare(Mine, "flip")


def test_a_layout_with_too_few_strides_is_told_how_many_it_has() -> None:
    class Short(Mine):
        def broadcast(self, size: Any) -> Any:
            return Short(size, self.stride, self.offset)

    assert "yours is of size " in compare(Short, "broadcast").says
