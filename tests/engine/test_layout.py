"""`Layout` against its own definition and against PyTorch: size, stride, offset, exception and sentence."""

from __future__ import annotations

import functools
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, product
from math import prod
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tensorkit.errors import ViewError
from tensorkit.strides import basic_index, split
from tensorkit.strides.layout import Layout, contiguous
from tensorkit.strides.output import iterator_strides, like_strides
from tensorkit.strides.sizes import (
    broadcast_sizes,
    contiguous_stride,
    infer_size,
    normalise_dim,
)
from tests.torch_oracle import exhaust, fuzz_seconds, require_torch, sentence

CHAINS = 2500
SLOTS = 4096
ITEMSIZE = 8
VIEW_SENTENCE = (
    "view size is not compatible with input tensor's size and stride (at least one dimension spans across "
    "two contiguous subspaces). Use .reshape(...) instead."
)


def generated(examples: int) -> Callable[[Any], Any]:
    """Settings of a generated test: the same cases in every ordinary run, new ones when fuzzing."""
    return settings(
        max_examples=examples,
        derandomize=fuzz_seconds() == 0,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


class Hand:
    """Choices read off random bytes: quick to draw, and Hypothesis shrinks them towards the first option."""

    def __init__(self, data: bytes) -> None:
        self._bytes: Iterator[int] = iter(data)

    def pick(self, options: Sequence[Any]) -> Any:
        return options[next(self._bytes, 0) % len(options)]

    def chance(self, percent: int) -> bool:
        return 255 - next(self._bytes, 0) < percent * 256 // 100

    def order(self, items: Sequence[Any]) -> list[Any]:
        left = list(items)
        return [left.pop(next(self._bytes, 0) % len(left)) for _ in items]


# ---------------------------------------------------------------------- against the definition, no PyTorch


def layouts(most: int = 4) -> st.SearchStrategy[Layout]:
    return st.binary(min_size=24, max_size=24).map(lambda data: start(Hand(data), most))


def start(hand: Hand, most: int = 4) -> Layout:
    """Any layout of up to `most` dimensions: contiguous, permuted, strided, overlapping, expanded, empty."""
    size = tuple(hand.pick((1, 2, 3, 1, 2, 4, 5)) for _ in range(hand.pick(range(most + 1))))
    if size and hand.chance(12):
        size = (*size[:-1], 0)
    stride = contiguous_stride(size)
    if hand.chance(40):
        stride = tuple(hand.pick((1, 0, 2, 3, 6, 7, 12)) for _ in size)
    order = hand.order(range(len(size))) if hand.chance(40) else range(len(size))
    return Layout(tuple(size[d] for d in order), tuple(stride[d] for d in order), hand.pick((0, 0, 3, 7)))


@generated(300)
@given(layouts())
def test_slots_follow_the_formula(layout: Layout) -> None:
    slots = list(layout.slots())
    indices = list(product(*map(range, layout.size)))
    assert slots == [layout.slot(index) for index in indices]
    assert slots == [
        layout.offset + sum(i * s for i, s in zip(index, layout.stride, strict=True)) for index in indices
    ]
    assert len(slots) == layout.numel == prod(layout.size)
    assert layout.ndim == len(layout.size) == len(layout.stride)
    assert layout.reach() == (max(slots) + 1 if slots else 0)
    if slots:
        assert layout.slot_range() == range(min(slots), max(slots) + 1)
        assert layout.is_contiguous() == (slots == list(range(layout.offset, layout.offset + len(slots))))
        dense = len(set(slots)) == len(slots) == len(layout.slot_range())
        assert not layout.is_non_overlapping_and_dense() or dense
        if layout.has_internal_overlap() != "too hard":
            assert (layout.has_internal_overlap() == "yes") == (len(set(slots)) < len(slots))
    else:
        assert len(layout.slot_range()) == 0
        assert layout.is_contiguous()


def test_a_huge_layout_opens_lazily() -> None:
    slots = contiguous((10**6, 10**6)).slots()
    assert [next(slots) for _ in range(3)] == [0, 1, 2]


def test_negative_strides_of_borrowed_arrays_are_understood() -> None:
    backwards = Layout((3, 2), (-2, 1), 4)
    assert list(backwards.slots()) == [4, 5, 2, 3, 0, 1]
    assert backwards.slot_range() == range(6)
    assert not backwards.is_contiguous()


def test_slot_refuses_what_is_not_an_index() -> None:
    grid = contiguous((2, 3))
    assert grid.slot((-1, -3)) == 3
    with pytest.raises(IndexError, match="index 3 is out of bounds for dimension 1 with size 3"):
        grid.slot((0, 3))
    with pytest.raises(IndexError, match="2 indices name one element here, but got 1"):
        grid.slot((0,))


def test_equality_hash_and_repr() -> None:
    one, same = Layout((2, 3), (3, 1), 4), Layout((2, 3), (3, 1), 4)
    assert one == same
    assert hash(one) == hash(same)
    assert (
        len({one, same, Layout((2, 3), (3, 1), 5), Layout((2, 3), (1, 2), 4), Layout((3, 2), (3, 1), 4)}) == 4
    )
    assert one != ((2, 3), (3, 1), 4)
    assert eval(repr(one)) == one
    assert not hasattr(one, "__dict__")


@pytest.mark.parametrize(
    ("layout", "shape", "conflicts", "lines"),
    [
        (
            Layout((3, 2), (1, 3)),
            (6,),
            ((0, 1),),
            [
                "dimensions 0 and 1 cannot merge: one step in dimension 0 is 1 slot, "
                "but stepping over all of dimension 1 is 2·3 = 6 slots"
            ],
        ),
        (
            Layout((2, 3, 2), (20, 4, 1), 5),
            (-1,),
            ((0, 1), (1, 2)),
            [
                "dimensions 0 and 1 cannot merge: one step in dimension 0 is 20 slots, "
                "but stepping over all of dimension 1 is 3·4 = 12 slots",
                "dimensions 1 and 2 cannot merge: one step in dimension 1 is 4 slots, "
                "but stepping over all of dimension 2 is 2·1 = 2 slots",
            ],
        ),
        # Only the pair that this size would merge is named, not every pair that could not merge.
        (Layout((2, 3, 2), (20, 4, 1)), (6, 2), ((0, 1),), None),
        (Layout((2, 3, 2), (20, 4, 1)), (2, 6), ((1, 2),), None),
        # A dimension of size 1 is never in the way: its neighbours are neighbours of each other.
        (Layout((3, 1, 2), (1, 77, 3)), (6,), ((0, 2),), None),
        # A repeated dimension: one step is no slot at all.
        (
            Layout((4, 3), (0, 1)),
            (12,),
            ((0, 1),),
            [
                "dimensions 0 and 1 cannot merge: one step in dimension 0 is 0 slots, "
                "but stepping over all of dimension 1 is 3·1 = 3 slots"
            ],
        ),
    ],
)
def test_a_failing_view_names_what_cannot_merge(
    layout: Layout, shape: tuple[int, ...], conflicts: tuple[tuple[int, int], ...], lines: list[str] | None
) -> None:
    with pytest.raises(ViewError) as caught:
        layout.view(shape)
    first, *rest = str(caught.value).split("\n")
    assert first == VIEW_SENTENCE
    assert caught.value.conflicts == conflicts
    assert caught.value.size == layout.size
    assert caught.value.stride == layout.stride
    assert caught.value.requested == infer_size(shape, layout.numel)
    assert len(rest) == len(conflicts)
    assert lines is None or rest == lines
    assert layout.reshape(shape) is None


@generated(500)
@given(layouts(), st.binary(min_size=8, max_size=8))
def test_the_named_pairs_are_all_the_obstacles(layout: Layout, data: bytes) -> None:
    """A view reads the same slots in the same order; a refusal names pairs, none of which can merge."""
    shape = factors(Hand(data), layout.numel)
    view = layout.reshape(shape)
    if view is not None:
        assert layout.view(shape) == view
        assert list(view.slots()) == list(layout.slots())
        return
    with pytest.raises(ViewError) as caught:
        layout.view(shape)
    assert caught.value.conflicts
    for left, right in caught.value.conflicts:
        assert all(layout.size[dim] == 1 for dim in range(left + 1, right))
        rows = list(
            Layout(
                (layout.size[left], layout.size[right]), (layout.stride[left], layout.stride[right])
            ).slots()
        )
        assert len({after - before for before, after in pairwise(rows)}) > 1


def factors(hand: Hand, numel: int) -> tuple[int, ...]:
    """A shape that holds `numel` elements."""
    if numel == 0:
        return tuple(hand.pick(((0,), (0, 3), (2, 0), (3, 0, 1))))
    shape, left = [], numel
    while left > 1 and len(shape) < 4:
        shape.append(hand.pick([n for n in range(1, left + 1) if left % n == 0]))
        left //= shape[-1]
    return tuple(hand.order([*shape, left] if left > 1 or hand.chance(30) else shape))


@pytest.mark.parametrize(
    "key", [True, (0, False), [0], (slice(None), [1]), 1.5, "a", (0, 1j), {}, b"x", range(2)]
)
def test_what_is_not_basic_is_left_to_others(key: Any) -> None:
    assert basic_index.index(contiguous((2, 3)), key) is None


def test_whatever_has_an_index_is_an_int() -> None:
    class Two:
        def __index__(self) -> int:
            return 2

    grid = contiguous((4, 5))
    assert basic_index.index(grid, Two()) == basic_index.index(grid, 2)
    assert basic_index.index(grid, (slice(Two(), None), Two())) == basic_index.index(
        grid, (slice(2, None), 2)
    )


def test_numpy_integers_are_ints_and_arrays_are_not() -> None:
    numpy = pytest.importorskip("numpy")
    grid = contiguous((4, 5))
    assert basic_index.index(grid, numpy.int64(-1)) == basic_index.index(grid, -1)
    assert basic_index.index(grid, (numpy.uint8(1), numpy.int32(2))) == basic_index.index(grid, (1, 2))
    assert basic_index.index(grid, numpy.array([1])) is None
    assert basic_index.index(grid, numpy.bool_(True)) is None


def test_helpers_of_sizes() -> None:
    assert contiguous_stride(()) == ()
    assert contiguous_stride((2, 0, 3)) == (3, 3, 1)
    assert contiguous([4, 0]) == Layout((4, 0), (1, 1), 0)
    assert broadcast_sizes() == ()
    assert broadcast_sizes((2, 1), (3,), ()) == (2, 3)
    assert broadcast_sizes((0,), (1,)) == (0,)
    assert infer_size((), 1) == ()
    assert infer_size([2, -1], 6) == (2, 3)
    assert [normalise_dim(dim, 3) for dim in (-3, 2)] == [0, 2]
    assert [normalise_dim(dim, 0) for dim in (-1, 0)] == [0, 0]


# ----------------------------------------------------------------------------- chains of views, as PyTorch


def a_dim(hand: Hand, ndim: int) -> int:
    count = ndim or 1
    return hand.pick((-count - 1, count, count + 3) if hand.chance(8) else range(-count, count))


def a_shape(hand: Hand, layout: Layout) -> tuple[int, ...]:
    shape = list(factors(hand, layout.numel))
    if layout.ndim > 1 and hand.chance(40):
        shape, dim = list(layout.size), hand.pick(range(layout.ndim - 1))
        shape[dim : dim + 2] = [prod(shape[dim : dim + 2])]
    if shape and hand.chance(25):
        shape[hand.pick(range(len(shape)))] = -1
    if shape and hand.chance(10):
        shape[hand.pick(range(len(shape)))] = hand.pick((-1, -2, 0, 7))
    if hand.chance(10):
        shape.insert(0, hand.pick((1, -1, 0)))
    return tuple(shape)


def a_key(hand: Hand, layout: Layout) -> Any:
    if hand.chance(40):
        return a_part(hand)
    parts = [a_part(hand) for _ in range(hand.pick(range(layout.ndim + 2)))]
    # A second ellipsis makes PyTorch read sizes beyond the tensor's own; there is nothing to compare.
    while parts.count(...) > 1:
        parts.remove(...)
    return tuple(parts)


def a_part(hand: Hand) -> Any:
    kind = hand.pick(("int", "slice", "slice", "step", None, ...))
    if kind == "int":
        return hand.pick((0, 1, -1, 0, -2, 2, -4, 5, 10**30))
    if kind in ("slice", "step"):
        bounds = (None, 0, 1, 2, 3, -1, -2, -3, 9, -9, 2**63, -(2**70))
        steps = (2, 3, 1, 7, 0, -1, 2**40) if kind == "step" else (None,)
        return slice(hand.pick(bounds), hand.pick(bounds), hand.pick(steps))
    return kind


def an_order(hand: Hand, layout: Layout) -> tuple[int, ...]:
    dims = [dim - layout.ndim if hand.chance(30) else dim for dim in hand.order(range(layout.ndim))]
    if dims and hand.chance(15):
        dims[0] = a_dim(hand, layout.ndim)
    return tuple([*dims, 0] if hand.chance(5) else dims)


def a_move(hand: Hand, layout: Layout) -> tuple[Any, Any]:
    if hand.chance(40):
        return a_dim(hand, layout.ndim), a_dim(hand, layout.ndim)
    count = hand.pick(range(layout.ndim + 1))
    sources, targets = (an_order(hand, layout)[:count] for _ in range(2))
    return sources, targets


def an_expansion(hand: Hand, layout: Layout) -> tuple[int, ...]:
    sizes = [hand.pick((1, 2, 3, -1, 0)) if n == 1 else hand.pick((n, n, -1)) for n in layout.size]
    if sizes and hand.chance(12):
        sizes[hand.pick(range(len(sizes)))] = hand.pick((5, 0, -1))
    # PyTorch expands a scalar to sizes like (0, -1) as they stand; we refuse a negative size.
    front = [hand.pick((2, 1, 3, 0, -1) if sizes else (2, 1, 3, 0)) for _ in range(hand.pick((0, 1, 2)))]
    return tuple([*front, *sizes][1 if hand.chance(5) else 0 :])


def some_lengths(hand: Hand, layout: Layout, dim: int) -> list[int]:
    n = layout.size[dim] if -layout.ndim <= dim < layout.ndim else 3
    lengths: list[int] = []
    while sum(lengths) < n and len(lengths) < 4:
        lengths.append(hand.pick((1, 2, 0, n - sum(lengths))))
    return [*lengths, hand.pick((-1, 1))] if hand.chance(10) else lengths


def new_geometry(hand: Hand, layout: Layout) -> tuple[Any, ...]:
    ndim = hand.pick(range(4))
    size = tuple(hand.pick((2, 1, 3, 0, 9)) for _ in range(ndim))
    stride = tuple(hand.pick((1, 0, 2, 3, 4000, -1 if hand.chance(20) else 1)) for _ in range(ndim))
    if hand.chance(5):
        stride = (*stride, 1)
    if size and 0 not in size and all(stride) and hand.chance(5):
        size = (-2, *size[1:])
    return size, stride, hand.pick((0, None, 2, SLOTS - 1, SLOTS, 5000, -1))


def dim_with(*options: Any) -> Callable[[Hand, Layout], tuple[Any, ...]]:
    return lambda hand, layout: (a_dim(hand, layout.ndim), *map(hand.pick, options))


def with_dim(*options: Any) -> Callable[[Hand, Layout], tuple[Any, ...]]:
    return lambda hand, layout: (*map(hand.pick, options), a_dim(hand, layout.ndim))


def two_dims(hand: Hand, layout: Layout) -> tuple[Any, ...]:
    return a_dim(hand, layout.ndim), a_dim(hand, layout.ndim)


def nothing(hand: Hand, layout: Layout) -> tuple[Any, ...]:
    return ()


def sizes_then_dim(hand: Hand, layout: Layout) -> tuple[Any, ...]:
    dim = a_dim(hand, layout.ndim)
    return some_lengths(hand, layout, dim), dim


def dim_then_parts(hand: Hand, layout: Layout) -> tuple[Any, ...]:
    dim = a_dim(hand, layout.ndim)
    n = layout.size[dim] if -layout.ndim <= dim < layout.ndim else 4
    parts = list(factors(hand, n))
    if parts and hand.chance(40):
        parts[hand.pick(range(len(parts)))] = hand.pick((-1, -1, -2, 0, 7))
    return dim, parts


SECTIONS = (2, 1, 3, 4, 0, -1, -2, 9)
CUTS = ((1,), (), (2, 1), (-1,), (1, 9), (0, 2, 3))

# For each method of Layout, how its arguments are drawn.
MOVES: dict[str, Callable[[Hand, Layout], tuple[Any, ...]]] = {
    "view": lambda hand, layout: (a_shape(hand, layout),),
    "reshape": lambda hand, layout: (a_shape(hand, layout),),
    "flatten": two_dims,
    "unflatten": dim_then_parts,
    "transpose": two_dims,
    "swapaxes": two_dims,
    "swapdims": two_dims,
    "t": nothing,
    "T": nothing,
    "mT": nothing,
    "mH": nothing,
    "H": nothing,
    "permute": lambda hand, layout: (an_order(hand, layout),),
    "movedim": a_move,
    "moveaxis": a_move,
    "squeeze": lambda hand, layout: hand.pick(
        ((), (a_dim(hand, layout.ndim),), (two_dims(hand, layout),), ((),), (two_dims(hand, layout)[:1],))
    ),
    "unsqueeze": lambda hand, layout: (a_dim(hand, layout.ndim + 1),),
    "expand": lambda hand, layout: (an_expansion(hand, layout),),
    "broadcast_to": lambda hand, layout: (an_expansion(hand, layout),),
    "narrow": dim_with((0, 1, -1, 2, -2, 5, -4), (1, 0, 2, 3, -1)),
    "select": dim_with((0, 1, -1, 2, -2, 5, -4)),
    "slice": dim_with((None, 0, 1, -1, -2, 4, -9), (None, 1, 2, 3, -1, 9, -9), (1, 2, 3, 0, -1)),
    "diagonal": lambda hand, layout: (hand.pick((0, 1, -1, 2, -2, 9)), *two_dims(hand, layout)),
    "unfold": dim_with((1, 2, 3, 0, -1), (1, 2, 3, 0, -1)),
    "as_strided": new_geometry,
    "split": with_dim((2, 1, 3, 0, -1, 99)),
    "split_with_sizes": sizes_then_dim,
    "chunk": with_dim(SECTIONS),
    "tensor_split": with_dim((*SECTIONS, *CUTS)),
    "hsplit": lambda hand, layout: (hand.pick((*SECTIONS, *CUTS)),),
    "vsplit": lambda hand, layout: (hand.pick((*SECTIONS, *CUTS)),),
    "dsplit": lambda hand, layout: (hand.pick((*SECTIONS, *CUTS)),),
    "unbind": with_dim(),
    "index": lambda hand, layout: (a_key(hand, layout),),
}
# The ones that learners meet most are drawn more often.
DRAWN = (*MOVES, "index", "index", "index", "view", "view", "transpose", "permute", "expand")

Chain = list[tuple[str, bytes]]


def chains() -> st.SearchStrategy[Chain]:
    move = st.tuples(st.sampled_from(DRAWN), st.binary(min_size=20, max_size=20))
    return st.lists(move, min_size=3, max_size=6)


def layout_of(tensor: Any) -> Layout:
    return Layout(tuple(tensor.shape), tensor.stride(), tensor.storage_offset())


def ask_torch(torch: Any, tensor: Any, name: str, args: tuple[Any, ...]) -> Any:
    """What PyTorch does: a Layout, a list of them, None for a copy, or an exception's class and sentence."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # `.T` of a batch and `.mT` of a scalar are deprecated, not gone
            if name == "index":
                answer = tensor[args[0]]
            elif name == "slice":
                answer = torch.ops.aten.slice.Tensor(tensor, *args)
            elif name in ("T", "mT", "mH", "H"):
                answer = getattr(tensor, name)
            else:
                answer = getattr(tensor, name)(*args)
    except (IndexError, RuntimeError, TypeError, ValueError) as error:
        return type(error).__name__, sentence(error)
    if isinstance(answer, tuple | list):
        return [layout_of(piece) for piece in answer]
    same = answer.untyped_storage().data_ptr() == tensor.untyped_storage().data_ptr()
    return layout_of(answer) if same or answer.numel() == 0 else None


def ask_layout(layout: Layout, name: str, args: tuple[Any, ...]) -> Any:
    """What Layout does, in the same terms."""
    extra: dict[str, Any] = {}
    if name in ("expand", "broadcast_to"):
        extra["kind"] = "tensorkit.DoubleTensor"
    if name == "as_strided":
        extra = {"storage_nbytes": SLOTS * ITEMSIZE, "itemsize": ITEMSIZE}
    try:
        home = basic_index if name == "index" else split if hasattr(split, name) else None
        method = functools.partial(getattr(home, name), layout) if home else getattr(layout, name)
        answer = method(*args, **extra) if callable(method) else method
    except ViewError as error:
        return "RuntimeError" if error.conflicts else "nothing named", str(error).split("\n")[0]
    except (IndexError, RuntimeError, TypeError, ValueError) as error:
        return type(error).__name__, str(error)
    return list(answer) if isinstance(answer, tuple) else answer


def tally(seen: Counter[str], layout: Layout, answer: Any) -> None:
    seen["steps"] += 1
    seen["refused"] += isinstance(answer, tuple)
    seen["copies"] += answer is None
    seen["0-d"] += layout.ndim == 0
    seen["empty"] += layout.numel == 0
    seen["offset"] += layout.offset > 0
    seen["stride 0"] += 0 in layout.stride
    seen["size 1"] += 1 in layout.size
    seen["contiguous"] += layout.is_contiguous()
    slots = list(layout.slots()) if layout.numel <= 500 else []
    seen["overlapping"] += len(set(slots)) < len(slots)


@pytest.mark.parity
def test_chains_of_views_are_those_of_pytorch(capsys: pytest.CaptureFixture[str]) -> None:
    torch = require_torch()
    storage = torch.zeros(SLOTS, dtype=torch.float64)
    seen: Counter[str] = Counter()
    done: Counter[str] = Counter({f"{name}{end}": 0 for name in MOVES for end in ("", " refused")})

    @generated(CHAINS)
    @given(layouts(), chains())
    def run(layout: Layout, chain: Chain) -> None:
        seen["chains"] += 1
        for name, data in chain:
            tensor = storage.as_strided(layout.size, layout.stride, layout.offset)
            args = MOVES[name](Hand(data), layout)
            wanted = ask_torch(torch, tensor, name, args)
            given_ = ask_layout(layout, name, args)
            assert given_ == wanted, f"{layout}.{name}{args}: PyTorch {wanted}, Layout {given_}"
            tally(seen, layout, wanted)
            done[f"{name} refused" if isinstance(wanted, tuple) else name] += 1
            if isinstance(wanted, list) and wanted:
                layout = wanted[data[-1] % len(wanted)]
            elif isinstance(wanted, Layout):
                layout = wanted

    exhaust(run, "moves of views")
    with capsys.disabled():
        print(f"\n  view chains against PyTorch {torch.__version__}: " + tell(seen))
    assert seen["chains"] >= 2000
    assert all(seen[case] for case in ("refused", "copies", "0-d", "empty", "offset", "stride 0", "size 1"))
    assert seen["overlapping"]
    assert seen["contiguous"] < seen["steps"]
    always = {"T refused"}  # `.T` takes any number of dimensions
    assert {name for name, count in done.items() if count == 0} == always


def tell(seen: Counter[str]) -> str:
    return ", ".join(f"{case} {count}" for case, count in sorted(seen.items(), key=lambda item: -item[1]))


# -------------------------------------------------------------- single cases that chains would seldom draw


SINGLE_CASES = """
    index(s, 5)  index(s, 0)  index(s, -1)  index(s, (0, 0))  index(s, slice(None))
    index(s, slice(None, None, -1))  index(s, slice(None, None, 0))  index(s, (None, 0))  index(s, ...)
    index(s, None)  index(s, ())  index(x, 2)  index(x, -3)  index(x, (0, 3))  index(x, (0, 0, 0, 0))
    index(x, (..., 7))  index(x, (None, 5))  index(x, (None, slice(None), 5))
    index(x, (5, slice(None, None, 0)))  index(x, slice('a', None))  index(x, slice(None, None, 1.5))
    index(x, slice(None, 'b'))  index(x, 2**63)  index(x, -2**63)  index(x, -2**63-1)
    index(x, (slice(None, None, -1), 5))  index(x, (..., 0, ...))  index(x, (..., 0, 0, 0, 0))
    index(x, (0, slice(None), None, ..., 2))  index(x, slice(None, None, 2**63))
    index(x, slice(1, None, 2**60))  index(e, 0)  index(e, (slice(None), 3))
    index(x, slice(2**64, None))  index(x, slice(None, -2**64))  view(x, (2**40, 2**40))
    view(e, (2**40, 2**40, 0))  view(x, (0, -1))  view(e, (-1, 0))  view(e, (2, -1, 0))  view(x, ())
    view(s, ())  view(s, (1, -1, 1))  view(e, (3, 0))  view(x, (-1, -1, -2))  view(x, (-2, -1, -1))
    expand(s, (-1,))  expand(s, (2**62, 2))  expand(o, (2**40, 2**40, 0))  expand(x, (-1, 2, 3, 4))
    expand(x, (2, -2, 4))  expand(o, (-5,))  expand(x, (3, 4))  expand(x, (1, 1, 2, 3, 4))
    unflatten(x, 2, ())  unflatten(s, 2, ())  unflatten(s, 0, (1,))  unflatten(x, -1, (3, -1))
    unflatten(x, 2, (-1, -1))  unflatten(e, 0, (0, -1))  unflatten(x, 2, (4, -2))  split(x, -1, 5)
    split(s, 1, 5)  split_with_sizes(x, (5, 1), 1)  split_with_sizes(x, (1, 1), -1)
    split_with_sizes(e, (), 0)  chunk(s, 0, 4)  chunk(x, 0, 9)  chunk(e, 3, 0)  tensor_split(x, 0, 4)
    tensor_split(s, (), 0)  hsplit(s, 1)  vsplit(v, (1,))  dsplit(x, -2)  unbind(s, 0)  unbind(s, 4)
    narrow(s, 5, 0, -1)  narrow(x, 7, 9, -1)  narrow(x, 0, 1, 2**63-1)  select(s, 5, 0)  select(e, 0, 0)
    unfold(x, 9, -1, 0)  unfold(x, 0, -1, 0)  unfold(x, 0, 9, 0)  unfold(s, 0, 0, 1)
    unfold(s, -1, 1, 3)  diagonal(s, 0, 5, 0)  diagonal(x, 0, 1, -2)  diagonal(x, 2**62, 0, 1)
    flatten(s, 0, -1)  flatten(x, 2, -3)  as_strided(x, (2, 2), (1,))  as_strided(x, (2,), (-1,), -1)
    as_strided(x, (-2,), (1,), -1)  as_strided(x, (2,), (2**62,))  as_strided(x, (2**62,), (1,))
    as_strided(x, (5,), (1,), 2**62)  as_strided(x, (2**40, 2**40), (0, 0))
    as_strided(x, (0, 5), (1, 2), 9999)  as_strided(x, (), (), 4096)  movedim(x, (0, -3), (1, 2))
    movedim(x, (0, 1), (2,))  movedim(s, (), ())  permute(x, (1, 1, 5))  squeeze(x, (5, 5))
    squeeze(x, (-3, 0))  squeeze(s, (0, -1))
"""
SUBJECTS = {
    "s": Layout((), ()),
    "v": Layout((5,), (1,)),
    "o": Layout((1,), (1,)),
    "x": Layout((2, 3, 4), (12, 4, 1)),
    "e": Layout((0, 3), (3, 1)),
}


@pytest.mark.parity
@pytest.mark.parametrize("case", re.split(r"\s{2,}", SINGLE_CASES.strip()))
def test_single_cases_are_those_of_pytorch(case: str) -> None:
    torch = require_torch()
    storage = torch.zeros(SLOTS, dtype=torch.float64)
    name, _, rest = case.partition("(")
    layout, *args = eval(f"({rest}", {"slice": slice, **SUBJECTS})
    tensor = storage.as_strided(layout.size, layout.stride, layout.offset)
    assert ask_layout(layout, name, tuple(args)) == ask_torch(torch, tensor, name, tuple(args))


@pytest.mark.parity
@pytest.mark.parametrize(
    "sizes", [((3,), (2,)), ((2, 3), (4, 1, 2)), ((3,), (2,), (4,)), ((0,), (2,)), ((2, 3), (2,))]
)
def test_sizes_that_do_not_broadcast(sizes: tuple[tuple[int, ...], ...]) -> None:
    torch = require_torch()
    with pytest.raises(RuntimeError) as theirs:
        torch.broadcast_tensors(*[torch.zeros(size) for size in sizes])
    with pytest.raises(RuntimeError) as ours:
        broadcast_sizes(*sizes)
    assert str(ours.value) == sentence(theirs.value)


# -------------------------------------------------------------------------------- strides of fresh results


def operands(hand: Hand) -> list[Layout]:
    """One to three layouts that mostly broadcast: of one size, with 1s, repeated, fewer in front."""
    first = start(hand, most=5)
    found = [first]
    for _ in range(hand.pick((0, 1, 1, 2))):
        kind = hand.pick(("same", "strided", "permuted", "ones", "fewer", "scalar", "any"))
        size = first.size
        if kind == "same":
            found.append(first)
        elif kind == "strided":
            found.append(Layout(size, tuple(hand.pick((1, 0, 2, 3, 6, 12)) for _ in size)))
        elif kind == "permuted":
            order = hand.order(range(len(size)))
            stride = contiguous_stride([size[dim] for dim in order])
            found.append(Layout(size, tuple(stride[order.index(dim)] for dim in range(len(size)))))
        elif kind == "ones":
            found.append(contiguous(tuple(1 if hand.chance(50) else n for n in size)))
        elif kind == "fewer":
            found.append(contiguous(size[1:]))
        else:
            found.append(Layout((), ()) if kind == "scalar" else start(hand))
    return hand.order(found)


def pointwise_of(torch: Any, tensors: list[Any]) -> Any:
    if len(tensors) == 1:
        return -tensors[0]
    return tensors[0] + tensors[1] if len(tensors) == 2 else torch.addcmul(*tensors)


def attempt(what: Callable[[], Any]) -> Any:
    """What comes out, or the sentence of the refusal."""
    try:
        return what()
    except RuntimeError as error:
        return sentence(error)


@pytest.mark.parity
def test_fresh_strides_are_those_of_pytorch(capsys: pytest.CaptureFixture[str]) -> None:
    torch = require_torch()
    storage = torch.zeros(SLOTS, dtype=torch.float32)
    wide = torch.zeros(SLOTS, dtype=torch.float64)
    seen: Counter[str] = Counter()

    @generated(4000)
    @given(st.binary(min_size=60, max_size=60).map(lambda data: operands(Hand(data))))
    @example([Layout((2, 3, 1, 4), (12, 1, 12, 3)), Layout((2, 3, 1, 4), (12, 1, 99, 3))])  # channels last
    @example([Layout((2, 1, 3), (3, 7, 1))])  # contiguous, with a stride that means nothing
    def run(given_: list[Layout]) -> None:
        tensors = [storage.as_strided(each.size, each.stride, each.offset) for each in given_]
        for layout, tensor in zip(given_, tensors, strict=True):
            assert like_strides(layout) == torch.empty_like(tensor).stride(), layout
            assert like_strides(layout) == tensor.clone().stride(), layout
            assert layout.is_contiguous() == tensor.is_contiguous(), layout
            dense = torch.ops.aten.is_non_overlapping_and_dense(tensor)
            assert layout.is_non_overlapping_and_dense() == dense, layout
            verdict = ("no", "yes", "too hard")[torch._debug_has_internal_overlap(tensor)]
            assert layout.has_internal_overlap() == verdict, layout
        size = attempt(lambda: broadcast_sizes(*[each.size for each in given_]))
        wanted = attempt(lambda: pointwise_of(torch, tensors))
        if isinstance(wanted, str):
            assert size == wanted
            seen["do not broadcast"] += 1
            return
        assert size == tuple(wanted.shape)
        stride = iterator_strides(size, given_)
        assert stride == wanted.stride(), given_
        seen[f"{len(given_)} operands"] += 1
        seen["not contiguous"] += not wanted.is_contiguous()
        seen["empty"] += 0 in size
        seen["repeated"] += any(0 in each.stride for each in given_)
        # A mask, and a dtype that has to change first: the converted operand has the strides of a clone.
        if len(given_) == 2:
            assert stride == (tensors[0] < tensors[1]).stride()
            if all(tensor.dim() for tensor in tensors):
                double = wide.as_strided(given_[0].size, given_[0].stride, given_[0].offset)
                cast = Layout(given_[1].size, like_strides(given_[1]))
                assert iterator_strides(size, [given_[0], cast]) == (double + tensors[1]).stride(), given_

    exhaust(run, "strides of results")
    with capsys.disabled():
        print("\n  strides of fresh results against PyTorch: " + tell(seen))
    cases = (
        "do not broadcast",
        "1 operands",
        "2 operands",
        "3 operands",
        "not contiguous",
        "empty",
        "repeated",
    )
    assert all(seen[case] for case in cases)
