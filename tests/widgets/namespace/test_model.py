"""The memory of a namespace as data: what is found, what holds what, what a moment changed, and what it costs."""

from __future__ import annotations

import collections
import dataclasses
import sys
import threading
import weakref
from pathlib import Path
from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit_widgets.namespace.diff import difference
from tensorkit_widgets.namespace.find_tensors import MOST_ITEMS, MOST_NODES, MOST_STEPS, MOST_TENSORS, scan
from tensorkit_widgets.namespace.fingerprint import WHOLE
from tensorkit_widgets.namespace.model import Change, Difference, MemorySnapshot, Storage
from tensorkit_widgets.namespace.reached_slots import distinct, reached_slots
from tensorkit_widgets.namespace.sentences import bytes_words, keeps_alive, remedy, slots_words, summary
from tensorkit_widgets.namespace.watch import MemoryWatch
from tensorkit_widgets.namespace.words import storage_text
from tests.widgets.conftest import weight


def libraries() -> list[Any]:
    """tensorkit, and PyTorch where it is installed."""
    return [pytest.param("tensorkit"), pytest.param("torch", marks=pytest.mark.parity)]


@pytest.fixture(params=libraries())
def lib(request: pytest.FixtureRequest) -> Any:
    return tk if request.param == "tensorkit" else pytest.importorskip(request.param)


def ways(namespace: dict[str, Any], hidden: dict[str, Any] | None = None) -> list[list[str]]:
    """Every way to say each found tensor."""
    return [[way.text for way in found.ways] for found in scan(namespace, hidden).found]


def look(namespace: dict[str, Any]) -> MemorySnapshot:
    return MemoryWatch().look(namespace)[0]


class Notebook:
    """A namespace that is looked at after every cell."""

    def __init__(self, **names: Any) -> None:
        self.names: dict[str, Any] = names
        self.watch = MemoryWatch()
        self.snapshot, self.change = self.watch.look(self.names)

    def cell(self, code: str) -> Difference:
        exec(code, self.names)
        self.snapshot, self.change = self.watch.look(self.names)
        return self.change

    def fate(self, code: str) -> Change:
        """What a cell did to the only storage that it did anything to."""
        [one] = [change for change in self.cell(code).changes if change.fate != "unchanged"]
        return one

    def of(self, name: str) -> Storage:
        return next(s for s in self.snapshot.storages if name in {w.text for h in s.holders for w in h.ways})


# ---- what is found, and how it is said


def test_names_containers_and_attributes() -> None:
    a, b = numpy.zeros(2), tk.zeros(3)

    @dataclasses.dataclass
    class Pair:
        left: Any
        right: Any

    class Slotted:
        __slots__ = ("here", "nowhere")

        def __init__(self) -> None:
            self.here = tk.ones(1)

    class Deeper(Slotted):
        __slots__ = ("there",)

        def __init__(self) -> None:
            super().__init__()
            self.there = tk.ones(2)

    Point = collections.namedtuple("Point", "x y")
    assert ways({"a": a, "batch": [1, b, a]}) == [["a", "batch[2]"], ["batch[1]"]]
    assert ways({"d": {"k": a, 3: b, ("t", 1): tk.ones(1)}}) == [["d['k']"], ["d[3]"], ["d[a tuple]"]]
    assert ways({"p": Pair(a, (b,))}) == [["p.left"], ["p.right[0]"]]
    assert ways({"s": Deeper()}) == [["s.there"], ["s.here"]]
    assert ways({"q": Point(a, [b])}) == [["q.x"], ["q.y[0]"]]
    assert ways({"u": {b}, "f": frozenset([b])}) == [["(an item of u)", "(an item of f)"]]
    assert ways({"w": collections.deque([a]), "o": collections.OrderedDict(x=b)}) == [["w[0]"], ["o['x']"]]
    assert ways({"dd": collections.defaultdict(list, x=[a])}) == [["dd['x'][0]"]]
    assert ways({"u": {Pair}, "x": b}) == [["x"]]


@pytest.mark.parity
def test_a_model_is_said_as_it_is_written() -> None:
    torch = pytest.importorskip("torch")
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
    model.extra = [torch.ones(1)]
    found = {way for one in ways({"model": model}) for way in one}
    assert {"model[0].weight", "model[0].bias", "model[1].running_mean", "model.extra[0]"} <= found
    for way in found:
        assert isinstance(eval(way, {"model": model}), torch.Tensor)
    optimiser = torch.optim.Adam(model.parameters())
    model(torch.ones(4, 2)).sum().backward()
    optimiser.step()
    both = scan({"model": model, "opt": optimiser}).found
    [weight] = [[w.text for w in one.ways] for one in both if one.tensor is model[0].weight]
    assert weight[:2] == ["model[0].weight", "opt.param_groups[0]['params'][0]"]
    assert any(way.text.endswith("['exp_avg']") for one in both for way in one.ways)


def test_outputs_and_the_names_of_the_notebook_itself() -> None:
    t, u = tk.ones(2), tk.ones(3)
    out = {3: t, 5: u, 6: "text"}
    namespace = {
        "In": ["", "t"], "Out": out, "_oh": out, "_3": t, "_5": u, "_": u, "__": t, "_i": "t", "_i1": "t", "t": t,
        "exit": u, "np": numpy, "__builtins__": {"x": tk.ones(9)}, "_7": tk.ones(7),
    }  # fmt: skip
    hidden = {"In": namespace["In"], "Out": out, "_oh": out, "_": u, "exit": u}
    assert ways(namespace, hidden) == [["t", "Out[3]"], ["_7"], ["Out[5]"]]
    namespace["exit"] = mine = tk.ones(4)
    assert ["exit"] in ways(namespace, hidden), "it was bound anew"
    del namespace["_oh"], namespace["Out"], out, mine
    assert ["t", "__", "_3"] in [sorted(way, reverse=True) for way in ways(namespace, hidden)]
    kinds = {way.text: way.kind for one in scan({"_oh": {1: [t]}, "t": t}).found for way in one.ways}
    assert kinds == {"t": "name", "Out[1][0]": "output"}


def test_a_class_of_the_notebook_has_attributes() -> None:
    body = {"__module__": "__main__", "limit": tk.ones(2)}
    assert ways({"Config": type("Config", (), body)}) == [["Config.limit"]]
    assert ways({"Elsewhere": type("Elsewhere", (), body | {"__module__": "somewhere"})}) == []


def test_graphs_and_gradients_hold_tensors(lib: Any) -> None:
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    hidden = w * 2
    loss = (hidden * hidden).exp().sum()
    size = hidden.untyped_storage().nbytes()
    del hidden
    found = {
        way.text: one for one in look({"w": w, "loss": loss}).storages for h in one.holders for way in h.ways
    }
    assert {"w", "loss", "saved by MulBackward0", "saved by ExpBackward0"} <= set(found)
    assert [way.text for way in found["w"].holders[0].ways] == ["w", "kept for backward() to fill its .grad"]
    assert not [text for text in found if "AccumulateGrad" in text], (
        "it saves nothing: it writes the gradient"
    )
    saved = found["saved by ExpBackward0"]
    assert (saved.nbytes, saved.libraries, saved.holders[0].kind) == (size, (lib.__name__,), "Tensor")
    loss.backward()
    after = look({"w": w, "loss": loss})
    texts = {way.text: way.kind for s in after.storages for h in s.holders for way in h.ways}
    assert texts["w.grad"] == "grad"
    assert "saved by ExpBackward0" not in texts, "the graph was freed"


def test_a_leaf_without_a_name_is_held_by_the_graph_for_its_gradient(lib: Any) -> None:
    loss = (lib.ones(300, requires_grad=True)[:2] * 3).sum()
    [leaf] = [s for s in look({"loss": loss}).storages if s.nbytes == 1200]
    lines = storage_text(leaf, None)
    assert any(
        line.startswith("  a tensor kept for backward() to fill its .grad: size (300,)") for line in lines
    )


def test_what_the_graph_holds_too_is_not_said_to_be_freed_by_a_copy(lib: Any) -> None:
    large = lib.ones(1000)
    w = large[:2].requires_grad_()
    [alone] = look({"w": w}).storages
    assert remedy(alone) == "w = w.clone() would free it"
    loss = (w + 1).sum()
    [held] = [s for s in look({"w": w, "loss": loss}).storages if s.nbytes == 4000]
    assert keeps_alive(held)
    assert remedy(held) == "", "the graph keeps it, whatever w is bound to"
    assert storage_text(held, None)[-2].startswith(
        "  w (also kept for backward() to fill its .grad): size (2,)"
    )


@pytest.mark.parity
def test_hooks_of_saved_tensors_do_not_run() -> None:
    torch = pytest.importorskip("torch")
    ran: list[str] = []
    w = torch.ones(2, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: ran.append("unpacked") or x):
        y = w.exp()
    look({"w": w, "y": y})
    assert ran == []


def test_a_saved_result_stands_with_its_name(lib: Any) -> None:
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    y = w.exp()
    z = y * 3
    [one] = [s for s in look({"y": y, "z": z}).storages if "y" in s.names]
    assert [[way.text for way in h.ways] for h in one.holders] == [["y", "saved by ExpBackward0"]]


def test_what_is_not_looked_at() -> None:
    def closure() -> Any:
        inner = tk.ones(5)
        return lambda: inner

    def default(x: Any = tk.ones(6)) -> Any:  # noqa: B008
        return x

    def generate() -> Any:
        held = tk.ones(7)
        yield held

    running = generate()
    next(running)
    objects = numpy.array([None, tk.ones(8)], dtype=object)
    found = ways({"f": closure(), "g": default, "r": running, "m": tk.ones(1).add, "np": numpy, "o": objects})
    assert found == [["o"]]
    assert look({"o": objects}).storages[0].fault == "elements of dtype object are no numbers"
    assert "closures" in str(sys.modules[scan.__module__].__doc__)


def test_cycles_depth_and_counts() -> None:
    t = tk.ones(1)
    ring: list[Any] = [t]
    ring.append({"back": ring})
    assert ways({"ring": ring}) == [["ring[0]"]]
    deep: Any = t
    for _ in range(30):
        deep = [deep]
    reach = scan({"deep": deep})
    assert reach.found == []
    assert reach.cut == ("what lies more than 8 steps from a name was not looked at",)
    many = scan({"many": [tk.ones(1) for _ in range(MOST_ITEMS + 9)]})
    assert len(many.found) == MOST_ITEMS
    assert many.cut == (f"many has {MOST_ITEMS + 9} items: the first {MOST_ITEMS} were looked at",)
    wide = scan({f"l{k}": list(range(MOST_ITEMS)) for k in range(MOST_STEPS // MOST_ITEMS + 9)})
    assert wide.cut == (f"only the first {MOST_STEPS:,} values were looked at",)
    crowd = scan({f"l{k}": [tk.ones(1) for _ in range(MOST_ITEMS)] for k in range(5)})
    assert len(crowd.found) == MOST_TENSORS
    assert crowd.cut == (f"only the first {MOST_TENSORS:,} tensors were looked at",)


def test_a_long_graph_is_cut(lib: Any) -> None:
    y = lib.ones(1, requires_grad=True)
    for _ in range(MOST_NODES + 50):
        y = y * 2
    assert scan({"y": y}).cut == (f"only {MOST_NODES} nodes of the autograd graphs were looked at",)


# ---- hostile things


class Hostile:
    """Whatever is asked of it goes wrong, and is noted."""

    asked: list[str] = []  # noqa: RUF012

    def __init__(self, inside: Any) -> None:
        object.__setattr__(self, "inside", inside)

    def __getattribute__(self, name: str) -> Any:
        Hostile.asked.append(name)
        raise RuntimeError(name)

    def __getattr__(self, name: str) -> Any:
        Hostile.asked.append(name)
        raise RuntimeError(name)

    @property
    def trap(self) -> Any:
        Hostile.asked.append("trap")
        raise RuntimeError("trap")

    def __repr__(self) -> str:
        Hostile.asked.append("repr")
        raise RuntimeError("repr")

    def __eq__(self, other: object) -> bool:
        Hostile.asked.append("eq")
        raise RuntimeError("eq")

    def __hash__(self) -> int:
        return 7

    def __iter__(self) -> Any:
        Hostile.asked.append("iter")
        raise RuntimeError("iter")

    def __len__(self) -> int:
        Hostile.asked.append("len")
        raise RuntimeError("len")

    def __bool__(self) -> bool:
        Hostile.asked.append("bool")
        raise RuntimeError("bool")


class HostileMeta(type):
    def __getattribute__(cls, name: str) -> Any:
        Hostile.asked.append(f"meta {name}")
        raise RuntimeError(name)

    def __hash__(cls) -> int:
        raise RuntimeError("hash")

    def __eq__(cls, other: object) -> bool:
        raise RuntimeError("eq")


def test_hostile_objects_are_not_asked_anything() -> None:
    t = tk.ones(2)
    odd = type.__call__(HostileMeta, "Odd", (), {})
    thing = object.__new__(odd)
    shadowed = type("Shadowed", (), {"__dict__": property(lambda _self: Hostile.asked.append("dict"))})()

    class Lying(list):  # type: ignore[type-arg]
        def __iter__(self) -> Any:
            Hostile.asked.append("list iter")
            raise RuntimeError

        def __len__(self) -> int:
            Hostile.asked.append("list len")
            return 10**9

        __class__ = property(lambda _self: Hostile.asked.append("class"))  # type: ignore[assignment]

    Hostile.asked.clear()
    names = {
        "h": Hostile(t),
        "d": {Hostile(1): t},
        "odd": odd,
        "thing": thing,
        "s": shadowed,
        "l": Lying([t]),
    }
    found = ways(names)
    assert Hostile.asked == []
    assert found == [["d[a Hostile]", "l[0]", "h.inside"]] or found == [["h.inside", "d[a Hostile]", "l[0]"]]
    snapshot = look(names)
    assert Hostile.asked == []
    assert len(snapshot.storages) == 1


def test_hostile_subclasses_of_tensors() -> None:
    class Array(numpy.ndarray):  # type: ignore[type-arg]
        shape = property(lambda _self: 1 / 0)  # type: ignore[assignment]
        strides = property(lambda _self: 1 / 0)  # type: ignore[assignment]
        base = property(lambda _self: 1 / 0)  # type: ignore[assignment]
        dtype = property(lambda _self: 1 / 0)  # type: ignore[assignment]

        def __array_finalize__(self, _other: Any) -> None:
            return None

    class Bad(tk.Tensor):
        def size(self, *_: Any) -> Any:
            raise RuntimeError("size")

        untyped_storage = stride = storage_offset = size

    bad = tk.ones(3)
    bad.__class__ = Bad  # as somebody's subclass would come about
    snapshot = look({"a": numpy.arange(4.0).view(Array), "b": bad})
    assert [(s.names, s.holders[0].size, s.holders[0].kind) for s in snapshot.storages] == [
        (("a",), (4,), "Array"),
        (("b",), (3,), "Bad"),
    ]


@pytest.mark.parity
def test_subclasses_of_torch_are_not_told() -> None:
    torch = pytest.importorskip("torch")
    told: list[Any] = []

    class Loud(torch.Tensor):  # type: ignore[misc, name-defined]
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            told.append(func)
            return super().__torch_function__(func, types, args, kwargs or {})

    loud = torch.arange(4.0).as_subclass(Loud)
    told.clear()
    snapshot = look({"loud": loud})
    assert told == []
    assert snapshot.storages[0].holders[0].kind == "Loud"


@pytest.mark.parametrize(
    "name", ["<img src=x onerror=alert(1)>", "a b", "\u202eevil", "\ud800", "x" * 5000, "", "__x__"]
)
def test_hostile_names(name: str) -> None:
    snapshot = look({name: tk.ones(2), "plain": tk.ones(1)})
    for text in [way.text for s in snapshot.storages for h in s.holders for way in h.ways]:
        assert text.isprintable()
        assert len(text) <= 80
    assert any(s.names == ("plain",) for s in snapshot.storages)


@pytest.mark.parity
def test_what_has_no_memory_of_its_own_is_told() -> None:
    torch = pytest.importorskip("torch")
    records = numpy.zeros(4, dtype=[("a", "f4"), ("b", "i1")])
    snapshot = look({"s": torch.eye(3).to_sparse(), "r": records["a"], "ok": torch.ones(1)})
    assert {unread.ways[0].text: unread.reason for unread in snapshot.unread} == {
        "s": "a tensor of layout sparse_coo has no stride",
        "r": "an array of dtype float32 whose strides are not whole elements",
    }
    assert [s.names for s in snapshot.storages] == [("ok",)]


# ---- what holds what


def test_views_of_a_storage_are_one(lib: Any) -> None:
    t = lib.arange(12.0).view(3, 4)
    [one] = look({"t": t, "row": t[1], "cols": [t.t(), t[:, ::2]]}).storages
    assert one.names == ("t", "row", "cols[0]", "cols[1]")
    assert (one.nbytes, one.slots, one.dtype, one.viewed, one.exact) == (48, 12, "float32", 48, True)
    assert one.runs[0].values == tuple(float(n) for n in range(12))
    row, column = one.holders[1], one.holders[3]
    assert (row.size, row.stride, row.offset, row.reach, row.viewed) == ((4,), (1,), 4, (4, 8), 16)
    assert reached_slots(one, row) == (4, 5, 6, 7)
    assert reached_slots(one, column) == (0, 2, 4, 6, 8, 10)


def test_a_buffer_shared_between_libraries_is_one_storage(lib: Any) -> None:
    t = lib.arange(12.0)
    a = numpy.arange(6.0)
    names = {"t": t, "n": t.numpy()[2:], "a": a, "s": lib.from_numpy(a[2:]), "other": numpy.arange(6.0)}
    one, two, three = look(names).storages
    assert (one.names, one.libraries) == (("t", "n"), (lib.__name__, "numpy"))
    assert (two.names, two.libraries) == (("a", "s"), ("numpy", lib.__name__))
    assert (two.nbytes, three.names) == (48, ("other",))
    assert reached_slots(two, two.holders[1]) == (2, 3, 4, 5)
    assert reached_slots(one, one.holders[1]) == tuple(range(2, 12))


@pytest.mark.parity
def test_three_libraries_on_one_buffer() -> None:
    torch = pytest.importorskip("torch")
    a = numpy.arange(6.0)
    snapshot = look({"x": torch.from_numpy(a), "y": tk.from_numpy(a)})
    assert [s.names for s in snapshot.storages] == [("x", "y")]
    n = torch.arange(1000.0)[4:6].numpy()
    [one] = look({"n": n}).storages
    assert (one.nbytes, one.viewed, one.holders[0].offset) == (4000, 8, 4)


def test_overlapping_arrays_without_a_common_owner() -> None:
    buffer = bytearray(64)
    names = {
        "a": numpy.frombuffer(buffer, numpy.int32, 8),
        "b": numpy.frombuffer(buffer, numpy.int32, 8, 16),
        "c": numpy.frombuffer(buffer, numpy.int32, 4, 48),
    }
    one, two = look(names).storages
    assert (one.names, one.nbytes, one.slots, two.names) == (("a", "b"), 48, 12, ("c",))
    assert (one.holders[1].first, one.holders[1].reach) == (16, (4, 12))
    assert reached_slots(one, one.holders[0]) == tuple(range(8))


def test_elements_of_another_width() -> None:
    t = numpy.arange(4.0)
    [one] = look({"t": t, "h": t.view(numpy.int16)[4:6], "b": t.view(numpy.uint8)[8:]}).storages
    assert (one.dtype, one.slots) == ("float64", 4)
    assert [reached_slots(one, h) for h in one.holders] == [(0, 1, 2, 3), (1,), (1, 2, 3)]
    assert one.holders[1].reach == (1, 2)


def test_a_small_slice_of_a_large_storage(lib: Any) -> None:
    big = lib.zeros(10_000_000)
    thumb = big[:4]
    [one] = look({"thumb": thumb}).storages
    assert (one.nbytes, one.viewed) == (40_000_000, 16)
    assert keeps_alive(one) == "this 4-element slice keeps 40 MB alive"
    assert remedy(one) == "thumb = thumb.clone() would free it"
    [two] = look({"big": big, "thumb": thumb}).storages
    assert keeps_alive(two) == remedy(two) == ""
    [three] = look({"a": big[:4], "b": [big[4:8]]}).storages
    assert keeps_alive(three) == "these 2 views of 32 bytes keep 40 MB alive"
    assert remedy(three) == ""


def test_owned_and_viewed_by_device() -> None:
    snapshot = look({"a": tk.zeros(4), "m": tk.empty(10**6, device="meta"), "b": numpy.zeros(2)})
    assert (snapshot.devices, snapshot.owned(), snapshot.owned("cpu"), snapshot.viewed()) == (
        ("cpu", "meta"),
        32,
        32,
        32,
    )
    assert [s.names for s in snapshot.on("meta")] == [("m",)]
    assert snapshot.on("meta")[0].fault.startswith("a tensor on the meta device")
    assert (snapshot.names, snapshot.on("meta")[0].compared) == (3, "nothing")


def test_many_forms() -> None:
    names: dict[str, Any] = {
        "empty": tk.empty(0, 3), "none": numpy.empty((0, 4)), "scalar": tk.tensor(5), "ten": tk.zeros(*[2] * 10),
        "expanded": tk.ones(1).expand(10**9), "repeated": numpy.broadcast_to(numpy.ones(1), (10**9,)),
        "nan": tk.tensor([float("nan"), 1.0]), "half": tk.ones(2, dtype=tk.bfloat16),
        "c": tk.ones(2, dtype=tk.complex64),
        "long": numpy.ones(2, numpy.longdouble), "swapped": numpy.arange(3, dtype=">i4"), "text": numpy.array(["ab"]),
        "back": numpy.arange(6)[::-2],
    }  # fmt: skip
    snapshot = look(names)
    by = {s.names[0]: s for s in snapshot.storages}
    assert set(by) == set(names)
    assert (by["empty"].nbytes, by["empty"].runs, by["none"].viewed) == (0, (), 0)
    assert (by["ten"].viewed, by["ten"].holders[0].elements) == (4096, 1024)
    assert (by["expanded"].nbytes, by["expanded"].viewed, by["repeated"].viewed) == (4, 4, 8)
    assert by["expanded"].holders[0].elements == 10**9
    assert by["half"].runs[0].values == (1.0, 1.0)
    assert by["c"].runs[0].values == (1 + 0j, 1 + 0j)
    assert by["swapped"].runs[0].values == (0, 1, 2)
    assert by["text"].fault == "elements of dtype str64 are no numbers"
    assert (by["back"].holders[0].offset, reached_slots(by["back"], by["back"].holders[0])) == (5, (1, 3, 5))
    assert summary(snapshot, Difference(None, snapshot.moment)).startswith("memory map: 13 storages")


def test_an_as_strided_that_leaves_its_memory_is_not_read() -> None:
    wild = numpy.lib.stride_tricks.as_strided(numpy.zeros(1), (10**9,), (8,))
    [one] = look({"wild": wild}).storages
    assert one.nbytes == 8
    assert (
        one.holders[0].fault == "the storage is too small: it holds 8 bytes, and this tensor needs 8000000000"
    )
    inside = numpy.lib.stride_tricks.as_strided(numpy.zeros(4), (10**5, 10**4), (0, 0))
    [two] = look({"inside": inside}).storages
    assert (two.holders[0].fault, two.nbytes, two.viewed) == ("", 32, 8)


def test_a_mapped_file_of_a_billion_numbers(tmp_path: Path) -> None:
    mapped = numpy.memmap(tmp_path / "large", numpy.int64, "w+", shape=(10**9,))
    book = Notebook(mapped=mapped, part=mapped[5:9])
    [one] = book.snapshot.storages
    assert (one.names, one.nbytes, one.compared) == (("mapped", "part"), 8 * 10**9, "window")
    assert book.fate("part[1] = 7").slots == (6,)
    assert book.cell("pass").changes[0].words == "unchanged, as far as the visible slots tell"


@pytest.mark.parametrize(
    ("size", "stride", "count"),
    [
        ((), (), (1, True)),
        ((0, 3), (3, 1), (0, True)),
        ((4,), (-2,), (4, True)),
        ((3, 4), (0, 1), (4, True)),
        ((1000, 1000), (1, 1), (1999, True)),
        ((2, 3), (2, 3), (6, True)),
        ((10**5, 10**5), (2, 3), (5 * (10**5 - 1) + 1, False)),
    ],
)
def test_distinct_slots(size: Any, stride: Any, count: Any) -> None:
    assert distinct(size, stride) == count


def test_reaching_is_bounded() -> None:
    t = tk.zeros(2000)
    nasty = t.as_strided((9,) * 10, (2, 4, 6, 8, 10, 12, 14, 16, 18, 20), 0)
    book = Notebook(t=t, nasty=nasty)
    [one] = book.snapshot.storages
    assert reached_slots(one, one.holders[1], range(20)) == tuple(range(0, 20, 2))
    coins = t.as_strided((3, 3, 3), (6, 10, 15), 1)
    [two] = look({"t": t, "coins": coins}).storages
    sums = {1 + 6 * a + 10 * b + 15 * c for a in range(3) for b in range(3) for c in range(3)}
    assert reached_slots(two, two.holders[1], range(70)) == tuple(sorted(sums))


# ---- what a moment changed


def test_the_first_look_says_nothing() -> None:
    book = Notebook(t=tk.ones(2))
    assert (book.change.before, book.change.changes) == (None, ())
    assert book.cell("pass").quiet


def test_in_place_through_a_view(lib: Any) -> None:
    book = Notebook(t=lib.arange(12.0).view(3, 4))
    book.names["row"] = book.names["t"][1]
    assert book.cell("pass").bound[0].name == "row"
    change = book.fate("row.add_(10)")
    assert (change.fate, change.slots, change.counted, change.through) == (
        "changed",
        (4, 5, 6, 7),
        True,
        "row",
    )
    assert change.words == "changed in place: slots 4–7"
    assert book.of("t").runs[0].values[4:8] == (14.0, 15.0, 16.0, 17.0)
    assert book.cell("pass").quiet


def test_made_rebound_and_freed(lib: Any) -> None:
    book = Notebook(lib=lib, t=lib.ones(3), keep=lib.ones(2))
    old = book.of("t").number
    change = book.cell("t = t + 1")
    fates = {c.storage: c.fate for c in change.changes}
    new = book.of("t").number
    assert fates[old] == "freed"
    assert fates[new] == "made"
    assert old != new
    assert [(r.name, r.before, r.after) for r in change.rebound] == [("t", old, new)]
    assert book.cell("u = lib.zeros(5)").of("made")[0].words == "made: 20 bytes"
    gone = book.cell("del u")
    assert [c.words for c in gone.of("freed")] == ["freed: 20 bytes"]
    assert [r.name for r in gone.unbound] == ["u"]
    again = book.cell("t = t.view(3, 1)")
    assert [(r.before, r.after) for r in again.rebound] == [(new, new)]
    assert [c.fate for c in again.changes] == ["unchanged", "unchanged"]


def test_a_freed_tensor_and_a_new_one_at_its_address_are_two() -> None:
    book = Notebook(a=numpy.zeros(1000))
    for _ in range(20):
        before = book.of("a").number
        change = book.cell("del a\nimport numpy\na = numpy.zeros(1000)")
        assert len(change.of("freed")) == len(change.of("made")) == 1
        assert book.of("a").number != before


def test_an_alias_in_a_container_keeps_it(lib: Any) -> None:
    book = Notebook(t=lib.ones(3))
    book.cell("kept = {'x': [t]}")
    change = book.cell("del t")
    assert [r.name for r in change.unbound] == ["t"]
    assert change.of("freed") == change.of("lost") == ()
    assert book.snapshot.storages[0].names == ("kept['x'][0]",)


def test_what_no_name_reaches_but_lives_is_lost_and_not_freed(lib: Any) -> None:
    book = Notebook(t=lib.ones(3))
    [lost] = book.cell("f = (lambda x: lambda: x)(t)\ndel t").of("lost")
    assert (
        lost.words
        == "no name leads to these 12 bytes any more, but something that is not looked at still holds them"
    )
    assert [s.nbytes for s in book.snapshot.lost] == [12]
    assert book.cell("pass").quiet
    assert [c.fate for c in book.cell("back = f()\nback[0] = 9").changes] == ["changed"]
    book.cell("del back")
    assert [c.fate for c in book.cell("del f").changes] == ["freed"]
    assert book.snapshot.lost == ()


def test_a_write_through_numpy_into_shared_memory(lib: Any) -> None:
    book = Notebook(t=lib.zeros(4), big=lib.zeros(100_000))
    book.cell("n, m = t.numpy(), big.numpy()")
    change = book.fate("n[2] = 5")
    assert (change.slots, change.counted, change.through) == ((2,), False, "")
    assert book.of("m").compared == "sample"
    change = book.fate("m[:] = 1")
    assert change.words.startswith("changed in place: slots 0–23 and ")
    assert change.words.endswith(" more out of sight (of those that were compared)")
    book.cell("del n")
    assert book.fate("t.numpy()[1] = 3").slots == (1,), (
        "no name of the array is left, and it is seen all the same"
    )


def test_numpy_alone_is_compared_by_sample() -> None:
    book = Notebook(a=numpy.zeros((1000, 1000)), small=numpy.zeros(WHOLE))
    assert (book.of("a").compared, book.of("small").compared) == ("sample", "whole")
    assert (
        book.cell("pass").change(book.of("a").number).words
        == "unchanged, as far as a sample of its slots tells"
    )  # type: ignore[union-attr]
    change = book.fate("a[:, 3] = 1")
    assert change.fate == "changed"
    change = book.fate("a[500:] = 2")
    assert change.slots[0] >= 500_000
    assert book.of("a").runs[-1].values.count(2.0) > 0, "the change is brought into sight"
    assert book.fate("small[255] = 1").slots == (255,)
    assert book.cell("a[500, 2] = 2").quiet, "it was 2 before"


def test_a_counter_sees_what_the_visible_slots_do_not(lib: Any) -> None:
    book = Notebook(t=lib.zeros(100_000))
    change = book.fate("t[70_001] = 1")
    assert (change.slots, change.counted, change.compared) == ((), True, "window")
    assert change.words == (
        "changed in place, says its version counter; none of the slots that were compared differs"
    )
    assert book.of("t").compared == "window"
    unchanged = book.cell("pass").changes[0].words
    assert unchanged == "unchanged, as far as its version counter and the visible slots tell"


def test_writing_what_was_there(lib: Any) -> None:
    book = Notebook(t=lib.zeros(3))
    assert book.fate("t.add_(0)").words == "its version counter went up; the numbers are as they were"


def test_nan_is_no_change(lib: Any) -> None:
    book = Notebook(t=lib.tensor([float("nan"), 1.0]), a=numpy.array([numpy.nan] * 1000))
    assert book.cell("pass").quiet
    assert book.fate("t[1] = float('nan')").slots == (1,)


def test_resized_and_freed_under_a_tensor(lib: Any) -> None:
    book = Notebook(t=lib.zeros(4))
    number = book.of("t").number
    change = book.fate("t.untyped_storage().resize_(32)")
    assert (change.storage, change.resized, change.words) == (number, 16, "resized from 16 bytes to 32 bytes")
    book.cell("t.untyped_storage().resize_(0)")
    [one] = book.snapshot.storages
    assert one.holders[0].fault == "the storage is freed: it holds 0 bytes, and this tensor needs 16"
    assert (one.runs, one.number) == ((), number)


def test_any_two_moments_can_be_compared() -> None:
    book = Notebook(t=tk.zeros(4))
    first = book.snapshot
    book.cell("t[0] = 1")
    book.cell("t[2] = 1")
    assert difference(first, book.snapshot).changes[0].slots == (0, 2)


def test_words() -> None:
    assert bytes_words(999_999) == "1 MB"
    assert bytes_words(2_500) == "2.5 kB"
    assert bytes_words(10**19) == "10,000 PB"
    assert slots_words([8, 1, 2, 3]) == "slots 1–3, 8"


def test_a_summary_reads_as_text() -> None:
    book = Notebook(t=tk.arange(4.0))
    book.cell("row = t[1:]\nrow.add_(1)")
    assert summary(book.snapshot, book.change).splitlines() == [
        "memory map: 1 storage, 16 bytes owned, 16 bytes viewed, 2 names",
        "float32 storage on cpu, 16 bytes; changed in place: slots 1–3",
        "  t: Tensor (4,) (1,) +0",
        "  row: Tensor (3,) (1,) +1",
    ]


# ---- it costs nothing and keeps nothing


def test_nothing_is_kept_alive(lib: Any) -> None:
    names: dict[str, Any] = {"t": lib.ones(1000), "a": numpy.ones(1000)}
    names["g"] = (lib.ones(3, requires_grad=True) * 2).exp()
    watch = MemoryWatch()
    kept = [watch.look(names) for _ in range(3)]
    refs = [weakref.ref(names[key]) for key in ("t", "a", "g")] + [weakref.ref(names["t"].untyped_storage())]
    names.clear()
    assert [ref() for ref in refs] == [None] * 4
    assert len(watch.look(names)[1].of("freed")) == len(kept[-1][0].storages)


def test_a_snapshot_holds_plain_data_only() -> None:
    seen: list[Any] = [look({"t": tk.ones(300), "a": numpy.ones(300), "b": [numpy.ones(3)]})]
    plain = (str, int, float, bytes, bool, type(None))
    for value in seen:
        if dataclasses.is_dataclass(value):
            seen += [getattr(value, field.name) for field in dataclasses.fields(value)]
        elif isinstance(value, tuple):
            seen += value
        else:
            assert isinstance(value, plain), type(value)


def test_ten_thousand_looks_do_not_grow() -> None:
    names: dict[str, Any] = {"t": tk.zeros(8), "a": numpy.zeros(500)}
    watch = MemoryWatch()

    def turn(k: int) -> None:
        names["t"] = tk.zeros(8 + k % 3)
        names[f"n{k % 5}"] = numpy.zeros(300 + k % 7)
        names["a"][k % 500] += 1
        names["g"] = (tk.ones(2, requires_grad=True) * 2).exp()
        names["view"] = names["t"][k % 8 :]
        watch.look(names)

    for k in range(1_000):
        turn(k)
    before = weight()
    for k in range(10_000):
        turn(k)
    blocks, resident = (now - then for now, then in zip(weight(), before, strict=True))
    assert blocks < 20_000
    assert resident < 5_000_000
    assert len(watch._storages.known) + len(watch._tensors.known) < 400
    assert len(watch._known) < 400
    assert len(watch._contents._spans) < 200


def test_looking_does_not_disturb_the_graph(lib: Any) -> None:
    w = lib.tensor([1.0, 2.0], requires_grad=True)
    loss = (w.exp() * w).sum()
    watch = MemoryWatch()
    watch.look({"w": w, "loss": loss})
    loss.backward()
    watch.look({"w": w, "loss": loss})
    assert w.grad.tolist() == pytest.approx([5.436564, 22.167168], rel=1e-5)
    assert w._version == 0


def test_names_may_change_while_somebody_looks() -> None:
    names: dict[str, Any] = {"t": tk.zeros(100)}
    watch = MemoryWatch()
    stop = threading.Event()
    wrong: list[BaseException] = []

    def change() -> None:
        k = 0
        while not stop.is_set():
            k += 1
            names[f"x{k % 50}"] = tk.zeros(k % 40 + 1)
            names.pop(f"x{(k + 7) % 50}", None)
            names["t"].untyped_storage().resize_(4 * (k % 100))

    worker = threading.Thread(target=change, daemon=True)
    worker.start()
    try:
        for _ in range(200):
            watch.look(names)
    except BaseException as error:
        wrong.append(error)
    finally:
        stop.set()
        worker.join(20)
    assert wrong == []
