"""Batches of samples of every kind, against PyTorch."""

from __future__ import annotations

import array
import collections
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy
import pytest

import tensorkit
from tests.torch_oracle import require_torch
from tests.training.data.both import Program, assert_same

pytestmark = pytest.mark.parity


class Point(NamedTuple):
    x: Any
    y: Any


class Record(dict[str, Any]):
    """A mapping that holds more than its members."""

    name = "a record"


class Frozen(Mapping[str, Any]):
    """A mapping that cannot be made of members."""

    def __init__(self) -> None:
        self.members = {"a": 1}

    def __getitem__(self, key: str) -> Any:
        return self.members[key]

    def __iter__(self) -> Any:
        return iter(self.members)

    def __len__(self) -> int:
        return len(self.members)


class Row(Sequence[Any]):
    """A sequence that can be made of members."""

    def __init__(self, members: Sequence[Any]) -> None:
        self.members = list(members)

    def __getitem__(self, index: Any) -> Any:
        return self.members[index]

    def __len__(self) -> int:
        return len(self.members)


class Number(int):
    pass


#: Samples of a batch, made with a library.
BATCHES: dict[str, Program] = {
    "tensors": lambda lib: [lib.ones(2, 3), lib.zeros(2, 3)],
    "tensors of two dtypes": lambda lib: [lib.ones(2, dtype=lib.int64), lib.zeros(2)],
    "tensors of two shapes": lambda lib: [lib.ones(2), lib.ones(3)],
    "0-d tensors": lambda lib: [lib.tensor(1), lib.tensor(2)],
    "arrays": lambda lib: [numpy.arange(3), numpy.ones(3, int)],
    "arrays of numbers": lambda lib: [numpy.array(1.5), numpy.array(2.5)],
    "arrays of text": lambda lib: [numpy.array(["a"]), numpy.array(["b"])],
    "arrays of objects": lambda lib: [numpy.array([None])],
    "numpy's float32": lambda lib: [numpy.float32(1.5), numpy.float32(2)],
    "numpy's float64": lambda lib: [numpy.float64(1.5), numpy.float64(2)],
    "numpy's integers": lambda lib: [numpy.int16(1), numpy.int16(2)],
    "numpy's bools": lambda lib: [numpy.bool_(True), numpy.bool_(False)],
    "numpy's text": lambda lib: [numpy.str_("a"), numpy.str_("b")],
    "floats": lambda lib: [0.5, 1],
    "integers": lambda lib: [1, 2],
    "bools": lambda lib: [True, False],
    "integers of a class": lambda lib: [Number(1), Number(2)],
    "integers, then floats": lambda lib: [1, 2.5],
    "complex numbers": lambda lib: [1j, 2j],
    "texts": lambda lib: ["a", "b"],
    "bytes": lambda lib: (b"a", b"b"),
    "none": lambda lib: [None, None],
    "objects": lambda lib: [object()],
    "sets": lambda lib: [{1}, {2}],
    "types": lambda lib: [int, float],
    "dicts": lambda lib: [{"a": 1, "b": [1, 2]}, {"a": 2, "b": [3, 4]}],
    "dicts with other keys": lambda lib: [{"a": 1}, {"b": 2}],
    "dicts of what makes no batch": lambda lib: [{"a": None}],
    "ordered dicts": lambda lib: [collections.OrderedDict(a=1), collections.OrderedDict(a=2)],
    "default dicts": lambda lib: [collections.defaultdict(int, a=1)],
    "records": lambda lib: [Record(a=1.5), Record(a=2.5)],
    "mapping proxies": lambda lib: [MappingProxyType({"a": 1})],
    "frozen mappings": lambda lib: [Frozen(), Frozen()],
    "named tuples": lambda lib: [Point(1, "a"), Point(2, "b")],
    "tuples": lambda lib: [(1, lib.ones(2)), (2, lib.zeros(2))],
    "tuples of two lengths": lambda lib: [(1, 2), (3,)],
    "named tuple, then a shorter tuple": lambda lib: [Point(1, 2), (3,)],
    "empty tuples": lambda lib: [(), ()],
    "lists": lambda lib: [[0, 1], [2, 3]],
    "lists of lists": lambda lib: [[[1], (2,)], [[3], (4,)]],
    "lists of two lengths": lambda lib: [[1], [2, 3]],
    "deques": lambda lib: [collections.deque([1, 2]), collections.deque([3, 4])],
    "arrays of Python": lambda lib: [array.array("i", [1, 2]), array.array("i", [3, 4])],
    "ranges": lambda lib: [range(2), range(2, 4)],
    "rows": lambda lib: [Row([1, 2]).members, [3, 4]],
    "memory views": lambda lib: [memoryview(b"ab")],
    "nothing": lambda lib: [],
    "user lists": lambda lib: [collections.UserList([1, 2])],
}


def with_map(kinds: Any) -> Program:
    """Collate with functions of one's own, for these classes."""

    def program(lib: Any) -> Any:
        known = {
            kind: (lambda batch, *, collate_fn_map, kind=kind: (str(kind), len(batch))) for kind in kinds
        }
        collate = lib.utils.data._utils.collate.collate
        return collate([{"a": True, "b": [1.5]}, {"a": 1, "b": [2]}], collate_fn_map=known)

    return program


MAPS: dict[str, Program] = {
    "own class first": with_map([int, bool, float]),
    "class above": with_map([int, float]),
    "several classes": with_map([(bool, float)]),
    "missing": with_map([bool]),
    "containers": with_map([list, bool]),
    "no map": lambda lib: lib.utils.data._utils.collate.collate([[1], [2]]),
}


@pytest.mark.parametrize("batch", BATCHES.values(), ids=BATCHES)
def test_a_batch_is_pytorchs(batch: Program) -> None:
    assert_same(lambda lib: lib.utils.data.default_collate(batch(lib)))


@pytest.mark.parametrize("batch", BATCHES.values(), ids=BATCHES)
def test_a_sample_is_converted_as_by_pytorch(batch: Program) -> None:
    assert_same(
        lambda lib: [
            lib.utils.data.default_convert(sample) for sample in batch(lib) if type(sample) is not object
        ]
    )


@pytest.mark.parametrize("program", MAPS.values(), ids=MAPS)
def test_a_map_of_functions_is_used_as_by_pytorch(program: Program) -> None:
    assert_same(program)


def test_a_sequence_keeps_its_class() -> None:
    for lib in (tensorkit, require_torch()):
        collate = lib.utils.data._utils.collate
        assert type(collate.default_collate([Row([1]), Row([2])])) is Row
        assert type(collate.default_convert(Row([numpy.array(1)])).members[0]) is lib.Tensor
        record = Record(a=1)
        record.name = "mine"
        assert collate.default_collate([record]).name == "mine"
        assert record == {"a": 1}


def test_the_default_map_can_be_added_to() -> None:
    class Mine:
        pass

    def program(lib: Any) -> Any:
        known = lib.utils.data._utils.collate.default_collate_fn_map
        known[Mine] = lambda batch, *, collate_fn_map: len(batch)
        try:
            return lib.utils.data.default_collate([(Mine(), 1), (Mine(), 2)]), [str(kind) for kind in known][
                1:
            ]
        finally:
            del known[Mine]

    assert_same(program)


def test_what_is_pinned() -> None:
    """Without a device PyTorch refuses a tensor, and goes through all that holds none."""
    things = [
        1,
        "a",
        b"a",
        {"a": 1},
        MappingProxyType({"a": 1}),
        (1, 2),
        Point(1, 2),
        [1, 2],
        range(2),
        Row([1]).members,
        None,
    ]
    assert_same(lambda lib: lib.utils.data._utils.pin_memory.pin_memory(things))
    with tensorkit.cuda.emulate():
        pinned = tensorkit.utils.data._utils.pin_memory.pin_memory(
            {
                "x": Point(tensorkit.ones(2), (tensorkit.ones(1), 3)),
                "y": collections.deque([tensorkit.ones(1)]),
            }
        )
        assert pinned["x"].x.is_pinned()
        assert pinned["x"].y[0].is_pinned()
        assert pinned["y"][0].is_pinned()
        assert type(pinned["y"]) is collections.deque
