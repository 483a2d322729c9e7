"""Random numbers against PyTorch: every bit of every number, every byte of the generator's state after it."""

from __future__ import annotations

import copy
import math
import pickle
import threading
from collections import Counter
from typing import Any

import ml_dtypes
import numpy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tensorkit as tk
from tensorkit import random
from tests.support.warnings import recorded
from tests.torch_oracle import exhaust, fused, fuzz_seconds, require_torch, sentence

FLOATS = {"float16": 4, "bfloat16": 4, "float32": 8, "float64": 6, "complex64": 4, "complex128": 3}
COUNTED = ("int64", "int32", "int16", "uint8", "float32", "float64", "bfloat16", "bool")
SIZES = (
    (),
    (0,),
    (1,),
    (2,),
    (7,),
    (15,),
    (16,),
    (17,),
    (40,),
    (1500,),
    (5000,),
    (3, 5),
    (4, 8),
    (1, 5, 1),
    (2, 0, 3),
    (2, 3, 4, 5),
)
RANGES = ((0, 2), (0, 100), (-3, 90), (0, 2**28 - 1), (0, 2**28), (-(2**40), 2**40), (-(2**63), 2**63 - 1))


def as_numpy(name: str) -> Any:
    return ml_dtypes.bfloat16 if name == "bfloat16" else numpy.dtype(name)


def numbers_of(tensor: Any) -> Any:
    """A torch tensor's elements as a NumPy array with the same strides."""
    if str(tensor.dtype) == "torch.bfloat16":
        return tensor.view(require_torch().int16).numpy().view(ml_dtypes.bfloat16)
    return tensor.numpy()


def same_bits(ours: Any, theirs: Any) -> bool:
    kind = f"u{min(ours.itemsize, 8)}"
    a, b = numpy.ascontiguousarray(ours).reshape(-1), numpy.ascontiguousarray(theirs).reshape(-1)
    return ours.shape == theirs.shape and bool((a.view(kind) == b.view(kind)).all())


@st.composite
def memories(draw: st.DrawFn) -> tuple[tuple[int, ...], list[int], bool]:
    """A size, the order of its dimensions in memory, and whether every second element is left out."""
    size = draw(st.sampled_from(SIZES))
    order = draw(st.permutations(range(len(size)))) if draw(st.booleans()) else list(range(len(size)))
    return size, list(order), bool(size) and draw(st.integers(0, 5)) == 0


def lay_out(zeros: Any, memory: tuple[tuple[int, ...], list[int], bool]) -> Any:
    """The same memory made by NumPy or by PyTorch: `zeros` is given the size in memory."""
    size, order, gaps = memory
    made = zeros(tuple(size[dim] for dim in order))
    back = [order.index(dim) for dim in range(len(order))]
    turned = made.transpose(*back) if isinstance(made, numpy.ndarray) else made.permute(back)
    return turned[..., ::2] if gaps else turned


STEPS = st.tuples(
    st.sampled_from(["rand", "rand", "randn", "randn", "randint", "randperm", "bernoulli", "uniform"]),
    memories(),
    st.sampled_from([name for name, weight in FLOATS.items() for _ in range(weight)]),
    st.sampled_from(COUNTED),
    st.sampled_from(RANGES),
    st.sampled_from([(0.0, 1.0), (-1.5, 3.0), (2.5, 2.75)]),
)
SEEDS = st.integers(-(2**63), 2**64 - 1)


class Pair:
    """A generator of ours and one of PyTorch's, drawing the same things in turn."""

    def __init__(self, torch: Any, seed: int) -> None:
        self.torch = torch
        self.ours = random.Generator().manual_seed(seed)
        self.theirs = torch.Generator().manual_seed(seed)
        self.exact = fused()
        self.seen: Counter[str] = Counter()

    def make(self, memory: Any, name: str) -> tuple[Any, Any]:
        ours = lay_out(lambda size: numpy.zeros(size, as_numpy(name)), memory)
        theirs = lay_out(lambda size: self.torch.zeros(size, dtype=getattr(self.torch, name)), memory)
        assert tuple(step // ours.itemsize for step in ours.strides) == theirs.stride() or not ours.size
        return ours, theirs

    def compare(self, ours: Any, theirs: Any, vectors: bool = False) -> None:
        """Compare what was drawn, and the states; ``vectors`` is for loops over vectors, which some processors lack."""
        theirs = numbers_of(theirs)
        if vectors and not self.exact:
            coarse = {2: 2e-2, 4: 4e-6}.get(ours.real.itemsize, 1e-14)
            assert numpy.allclose(
                ours.astype(numpy.complex128), theirs.astype(numpy.complex128), coarse, coarse
            )
        else:
            assert same_bits(ours, theirs)
        assert same_bits(self.ours.get_state(), self.theirs.get_state().numpy())

    def step(self, kind: str, memory: Any, real: str, counted: str, span: Any, ends: Any) -> None:
        name = counted if kind in ("randint", "randperm") else "float32" if kind == "bernoulli" else real
        if kind == "uniform" and name.startswith("complex"):
            name = "float32"
        getattr(self, kind)(memory, name, span, ends)
        size, order, gaps = memory
        self.seen.update([kind, name])
        self.seen["out of order"] += order != sorted(order) and math.prod(size) > 1
        self.seen["gaps"] += gaps
        self.seen["empty"] += math.prod(size) == 0
        self.seen["a number kept"] += self.ours._spare is not None

    def rand(self, memory: Any, name: str, span: Any, ends: Any) -> None:
        ours, theirs = self.make(memory, name)
        random.fill_uniform(ours, self.ours)
        self.torch.rand(theirs.shape, out=theirs, generator=self.theirs)
        self.compare(ours, theirs)

    def uniform(self, memory: Any, name: str, span: Any, ends: Any) -> None:
        ours, theirs = self.make(memory, "float32" if name == "float64" else name)
        random.fill_uniform(ours, self.ours, *ends)
        theirs.uniform_(*ends, generator=self.theirs)
        self.compare(ours, theirs, vectors=True)

    def randn(self, memory: Any, name: str, span: Any, ends: Any) -> None:
        ours, theirs = self.make(memory, name)
        random.fill_normal(ours, self.ours)
        self.torch.randn(theirs.shape, out=theirs, generator=self.theirs)
        self.compare(ours, theirs, vectors=True)
        self.seen["blocks"] += ours.size >= 16 and ours.flags.c_contiguous

    def randint(self, memory: Any, name: str, span: Any, ends: Any) -> None:
        low, high = {"uint8": (3, 200), "bool": (0, 2), "int16": (-(2**15), 2**15)}.get(name, span)
        if name == "int32":
            low, high = max(low, -(2**31)), min(high, 2**31)
        if name in ("float32", "bfloat16"):
            low, high = max(low, -200), min(high, 200)
        if name == "float64":
            low, high = max(low, -(2**53)), min(high, 2**53)
        ours, theirs = self.make(memory, name)
        random.fill_integers(ours, self.ours, low, high)
        self.torch.randint(low, high, theirs.shape, out=theirs, generator=self.theirs)
        self.compare(ours, theirs)

    def randperm(self, memory: Any, name: str, span: Any, ends: Any) -> None:
        count = min(math.prod(memory[0]), 200 if name in ("uint8", "bfloat16") else 5000)
        name = "int64" if name == "bool" else name
        ours = numpy.empty(count, as_numpy(name))
        random.fill_permutation(ours, self.ours)
        self.compare(ours, self.torch.randperm(count, generator=self.theirs, dtype=getattr(self.torch, name)))

    def bernoulli(self, memory: Any, name: str, span: Any, ends: Any) -> None:
        ours, theirs = self.make(memory, name)
        chances = numpy.linspace(0, 1, ours.size, dtype=numpy.float32).reshape(ours.shape)
        random.fill_bernoulli(ours, self.ours, 0.3)
        theirs.bernoulli_(0.3, generator=self.theirs)
        self.compare(ours, theirs)
        even = numpy.zeros(ours.shape, numpy.float32)
        random.fill_bernoulli(even, self.ours, chances)
        self.compare(even, self.torch.bernoulli(self.torch.from_numpy(chances), generator=self.theirs))


def programs(examples: int) -> Any:
    return settings(
        max_examples=examples,
        derandomize=fuzz_seconds() == 0,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )


@pytest.mark.parity
def test_any_program_of_draws_gives_every_bit_and_leaves_the_same_state() -> None:
    torch = require_torch()
    seen: Counter[str] = Counter()

    @programs(250)
    @given(SEEDS, st.lists(STEPS, min_size=1, max_size=8))
    def check(seed: int, steps: list[Any]) -> None:
        pair = Pair(torch, seed)
        for step in steps:
            pair.step(*step)
        seen.update(pair.seen)

    exhaust(check, "random")
    print(dict(sorted(seen.items())))
    wanted = {"rand", "uniform", "randn", "randint", "randperm", "bernoulli", *FLOATS, *COUNTED}
    for case in (*wanted, "out of order", "gaps", "empty", "a number kept", "blocks"):
        assert seen[case] > 0, f"no case of {case!r} was tried"


@pytest.mark.parity
@pytest.mark.parametrize("count", [70_000, 250_001])
def test_large_draws_take_the_fast_roads_to_the_same_numbers(count: int) -> None:
    pair = Pair(require_torch(), 11)
    memory = ((count,), [0], False)
    for kind in ("rand", "randn", "randint", "randperm"):
        for name in ("float32", "float64") if kind in ("rand", "randn") else ("int64",):
            pair.step(kind, memory, name, "int64", (0, 1000), (0.0, 1.0))
    pair.step("randint", memory, "", "int64", (0, 2**50), (0.0, 1.0))


# -- the public operations ----------------------------------------------------------------------------------

CALLS = """
tk.rand(5)
tk.rand(2, 3)
tk.rand((2, 3), dtype=tk.float64)
tk.rand([], dtype=tk.float16)
tk.rand(size=(2,), dtype=tk.bfloat16)
tk.rand(tk.tensor(3))
tk.rand(2, dtype=complex)
tk.rand(2, 0, 3)
tk.rand(2, out=tk.zeros(3))
tk.rand(2, out=tk.zeros(0))
tk.rand(2, 2, out=tk.zeros(2, 2, dtype=tk.float64).t())
tk.rand(2, out=tk.zeros(2), dtype=tk.float64)
tk.rand(2, out=tk.zeros(2), device="meta")
tk.rand(2, out=tk.zeros(1).expand(2))
tk.rand(2, out=3)
tk.rand(2, device="meta")
tk.rand(2, device="foo")
tk.rand(2, device=2.5)
tk.rand(2, dtype=tk.int64)
tk.rand(0, dtype=tk.uint8)
tk.rand(2, dtype=tk.bool)
tk.rand(2, dtype=3)
tk.rand(-1)
tk.rand(2.0)
tk.rand()
tk.rand("a")
tk.rand(2, "a")
tk.rand((2, None))
tk.rand((2,), (3,))
tk.rand(size=3)
tk.rand(2, size=(2,))
tk.rand(2, foo=3)
tk.rand(2, generator=3)
tk.rand(True)
tk.randn(3)
tk.randn(5, 7)
tk.randn(20, dtype=tk.float64)
tk.randn(9, dtype=tk.complex128)
tk.randn(0, dtype=tk.int64)
tk.randn(2, dtype=tk.int32)
tk.randn(2, dtype=tk.int32, device="meta")
tk.randn(2, out=tk.zeros(4)[::2])
tk.randn()
tk.randint(10, (2, 3))
tk.randint(0, 5, ())
tk.randint(-3, 3, [4], dtype=tk.float16)
tk.randint(high=5, size=(2,))
tk.randint(low=2, high=5, size=(2,), dtype=int)
tk.randint(tk.tensor(3), (2,))
tk.randint(0, 256, (3,), dtype=tk.uint8)
tk.randint(0, 2, (3,), dtype=tk.bool)
tk.randint(-2**63, 2**63 - 1, (3,))
tk.randint(0, 2**63, (3,))
tk.randint(5, 5, (2,))
tk.randint(5, 3, (0,))
tk.randint(-3, (2,))
tk.randint(0, 257, (2,), dtype=tk.uint8)
tk.randint(-1, 3, (2,), dtype=tk.uint16)
tk.randint(0, 70000, (2,), dtype=tk.int16)
tk.randint(0, 2**40, (2,), dtype=tk.uint32)
tk.randint(0, 3, (2,), dtype=tk.bool)
tk.randint(0, 5, (2,), dtype=tk.complex64)
tk.randint(0, 2**11 + 2, (3,), dtype=tk.float16)
tk.randint(0, 2**8 + 2, (3,), dtype=tk.bfloat16)
tk.randint(-2999, 2999, (9,), dtype=tk.float16)
tk.randint(-5001, 5003, (9,), dtype=tk.float16)
tk.randint(0, 2**24 + 2, (3,), dtype=tk.float32)
tk.randint(0, 2**53 + 2, (3,), dtype=tk.float64)
tk.randint(-2**63, 2**63 - 1, (3,), dtype=tk.bfloat16)
tk.randint(2**12 - 1, 2**12, (1,), dtype=tk.float16)
tk.randint(-70000, 2, (3,), dtype=tk.float16)
tk.randint(0, 5, (2,), out=tk.zeros(2))
tk.randint(5, 3)
tk.randint(5)
tk.randint()
tk.randint(0, 5, 3)
tk.randint(0.0, 2.5, (3,))
tk.randint(True, (2,))
tk.randint(0, 5, (2,), foo=1)
tk.randint(0, 5, (-1,))
tk.randint(5, size=3)
tk.randint(5, (2,), size=(3,))
tk.randint(5, 3, (2,), device="meta")
tk.randperm(6)
tk.randperm(0)
tk.randperm(n=3)
tk.randperm(5, dtype=tk.float32)
tk.randperm(5, out=tk.zeros(2, 2))
tk.randperm(3, device="meta")
tk.randperm(-1)
tk.randperm(2.0)
tk.randperm(True)
tk.randperm(257, dtype=tk.uint8)
tk.randperm(129, dtype=tk.int8)
tk.randperm(2050, dtype=tk.float16)
tk.randperm(3, dtype=tk.bool)
tk.randperm(3, dtype=tk.uint32)
tk.randperm(3, dtype=tk.complex64)
tk.randperm(3, generator=3)
tk.randperm(2**63)
tk.rand_like(tk.zeros(2, 3).t())
tk.rand_like(tk.zeros(2, 3).t(), memory_format=tk.contiguous_format)
tk.rand_like(tk.zeros(1, 3).expand(2, 3)).stride()
tk.rand_like(tk.zeros(2, dtype=tk.int64))
tk.rand_like(tk.zeros(2, dtype=tk.int64), dtype=tk.float32)
tk.rand_like(tk.zeros(2), device="meta")
tk.rand_like(tk.zeros(2), foo=3)
tk.rand_like(3)
tk.randn_like(tk.zeros(5, 4).t())
tk.randn_like(tk.zeros(2, dtype=tk.uint8))
tk.randint_like(tk.zeros(3, 2).t(), 9)
tk.randint_like(tk.zeros(3), 1, 9)
tk.randint_like(tk.zeros(3), low=1, high=9)
tk.randint_like(tk.zeros(2, dtype=tk.uint8), 500)
tk.randint_like(tk.zeros(2), 2.5)
tk.randint_like(3, 4)
tk.randint_like(tk.zeros(2), 5, 1)
tk.manual_seed(-3).initial_seed()
tk.manual_seed("3").initial_seed()
tk.manual_seed(2**64)
tk.manual_seed(-2**63 - 1)
tk.manual_seed(None)
tk.Generator().initial_seed()
tk.Generator().manual_seed(2.5)
tk.Generator().manual_seed(True)
tk.Generator("cpu:1").device
tk.Generator("meta")
tk.Generator("foo")
tk.Generator(2.5)
tk.get_rng_state()
tk.get_rng_state().sum()
tk.set_rng_state(3)
tk.set_rng_state(tk.zeros(5056))
tk.set_rng_state(tk.zeros(5056, dtype=tk.uint8))
tk.set_rng_state(tk.zeros(12, dtype=tk.uint8))
""".strip().splitlines()


def outcome(module: Any, call: str) -> tuple[str, list[str]]:
    """What a call prints or raises after ``manual_seed(0)``, and what it warns."""
    module.manual_seed(0)
    with recorded() as caught:
        try:
            text = repr(eval(call, {"tk": module})).replace("torch.", "tensorkit.")
        except Exception as error:
            # Our exceptions may be subclasses: the class that PyTorch raises is the built-in one.
            built_in = next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins")
            text = f"{built_in.__name__}: {sentence(error)}"
    return text, [str(warning.message).split(" (Triggered internally")[0] for warning in caught]


@pytest.mark.parity
@pytest.mark.parametrize("call", CALLS)
def test_calls_print_raise_and_warn_as_in_pytorch(call: str) -> None:
    torch = require_torch()
    # Some warnings PyTorch gives once in a process; here every one counts.
    torch.set_warn_always(True)
    try:
        assert outcome(tk, call) == outcome(torch, call)
    finally:
        torch.set_warn_always(False)


# -- without PyTorch ----------------------------------------------------------------------------------------


def test_the_numbers_that_every_tutorial_prints() -> None:
    tk.manual_seed(0)
    assert tk.rand(3).tolist() == [0.49625658988952637, 0.7682217955589294, 0.08847743272781372]
    tk.manual_seed(0)
    assert tk.randn(2).tolist() == [1.5409960746765137, -0.293428897857666]
    tk.manual_seed(0)
    assert tk.randint(0, 10, (5,)).tolist() == [4, 9, 3, 0, 3]
    tk.manual_seed(0)
    assert tk.randperm(4).tolist() == [0, 1, 3, 2]


def test_a_state_goes_on_where_it_was_taken_with_the_number_kept_in_it() -> None:
    source = tk.Generator().manual_seed(5)
    tk.randn(3, generator=source)  # an odd number of normal ones: the fourth is kept
    state = source.get_state()
    assert state.dtype is tk.uint8
    assert state.numel() == 5056
    twins = [tk.Generator(), source.clone_state(), pickle.loads(pickle.dumps(source)), copy.deepcopy(source)]
    twins[0].set_state(state)
    expected = tk.randn(5, generator=source).tolist()
    for twin in twins:
        assert twin is not source
        assert twin.initial_seed() == 5
        assert tk.randn(5, generator=twin).tolist() == expected


def test_seeding_forgets_the_number_kept() -> None:
    tk.manual_seed(1)
    tk.randn(1)
    tk.manual_seed(1)
    first = tk.randn(2).tolist()
    tk.manual_seed(1)
    assert tk.randn(2).tolist() == first


def test_seed_differs_and_is_told() -> None:
    seeds = {tk.seed() for _ in range(4)}
    assert len(seeds) == 4
    assert tk.initial_seed() in seeds
    assert all(0 <= seed < 2**64 for seed in seeds)


def test_generators_do_not_move_each_other() -> None:
    tk.manual_seed(3)
    expected = tk.rand(4).tolist()
    tk.manual_seed(3)
    tk.rand(100, generator=tk.Generator().manual_seed(3))
    assert tk.rand(4).tolist() == expected


def test_fork_rng_gives_the_state_back_even_after_an_error() -> None:
    tk.manual_seed(3)
    before = tk.get_rng_state().tolist()

    def draw_and_fail() -> None:
        with random.fork_rng():
            tk.rand(5)
            raise KeyError

    with pytest.raises(KeyError):
        draw_and_fail()
    assert tk.get_rng_state().tolist() == before
    with random.fork_rng(enabled=False):
        tk.rand(5)
    assert tk.get_rng_state().tolist() != before


def test_an_out_tensor_counts_one_write_and_keeps_its_storage() -> None:
    out = tk.zeros(4)
    storage = out.untyped_storage()
    for draw in (tk.rand, tk.randn):
        version = out._version
        assert draw(4, out=out) is out
        assert out._version == version + 1
    assert out.untyped_storage() is storage


def test_a_refused_mean_of_complex_numbers_writes_nothing() -> None:
    out = tk.zeros(3)
    with pytest.raises(
        RuntimeError, match="result type ComplexFloat can't be cast to the desired output type Float"
    ):
        tk.normal(tk.ones(3, dtype=tk.complex64), out=out)
    assert out.tolist() == [0.0, 0.0, 0.0]


def test_without_a_cuda_device_nothing_is_drawn_on_one() -> None:
    with pytest.raises(RuntimeError, match="Cannot get CUDA generator without ATen_cuda library"):
        tk.Generator("cuda")
    with pytest.raises(AssertionError, match="not compiled with CUDA enabled"):
        tk.rand(2, device="cuda")


def test_threads_draw_whole_tensors_from_one_generator() -> None:
    source = tk.Generator().manual_seed(9)
    drawn: list[float] = []
    threads = [
        threading.Thread(target=lambda: drawn.extend(tk.rand(200_000, generator=source).tolist()))
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = tk.rand(600_000, generator=tk.Generator().manual_seed(9)).tolist()
    assert sorted(drawn) == sorted(expected)
    rest = tk.Generator().manual_seed(9)
    tk.rand(600_000, generator=rest)
    assert source.get_state().tolist() == rest.get_state().tolist()
