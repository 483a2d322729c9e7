"""Names of Numba's in a kernel, however they were imported: they are played, or the sentence says that they are not."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, NamedTuple

import numba
import numba.cuda.libdevice
import numpy
import pytest
from numba.cuda import atomic, blockDim, cg, laneid, libdevice, shared, syncthreads, threadIdx, to_device
from numba.cuda import cg as groups
from numba.cuda import libdevice as of_the_device
from numba.cuda.cg import this_grid
from numba.cuda.libdevice import byte_perm, sincosf
from numba.cuda.libdevice import sqrtf as root

import tensorkit as tk
from tensorkit.kernels.cuda.traced.names.libdevice import function
from tests.cuda.learners import cuda

Run = Callable[..., Any]
UNKNOWN = "is not known to the emulated device"


@pytest.fixture(params=["launch", "trace"])
def run(request: pytest.FixtureRequest) -> Iterator[Run]:
    with tk.cuda.emulate():
        yield tk.cuda.launch if request.param == "launch" else tk.cuda.trace


# ---- libdevice


def test_libdevice_by_every_name(run: Run) -> None:
    inner = root

    def kernel(x: Any, out: Any) -> None:
        out[0], out[1], out[2], out[3] = (
            root(x[0]),
            inner(x[0]),
            libdevice.sqrtf(x[0]),
            of_the_device.sqrtf(x[0]),
        )
        out[4], out[5] = cuda.libdevice.sqrtf(x[0]), numba.cuda.libdevice.sqrtf(x[0])
        out[6], out[7] = sincosf(x[0])

    out = numpy.zeros(8)
    run(kernel, 1, 1, numpy.array([2.0], numpy.float32), out)
    assert out.tolist() == [
        *[numpy.sqrt(numpy.float32(2))] * 6,
        numpy.sin(numpy.float32(2)),
        numpy.cos(numpy.float32(2)),
    ]


def test_what_libdevice_computes() -> None:
    """Against Python's own ``math``, where it has the function."""
    names = ("acos", "asin", "atan", "ceil", "cos", "cosh", "erf", "erfc", "exp", "expm1", "fabs", "floor", "lgamma",
             "log", "log10", "log1p", "log2", "sin", "sinh", "sqrt", "tan", "tanh", "trunc")  # fmt: skip
    for name in names:
        for x in (0.1, 0.5, 0.9):
            single, double = function(f"{name}f"), function(name)
            assert single is not None
            assert double is not None
            assert type(single(x)) is numpy.float32
            assert single(x) == pytest.approx(getattr(math, name)(float(numpy.float32(x))), rel=1e-6), name
            assert double(x) == pytest.approx(getattr(math, name)(x), rel=1e-14), name


@pytest.mark.parametrize(("name", "given", "expected"), [
    ("round", 0.49999999999999994, 0.0), ("round", -2.5, -3.0), ("rint", 2.5, 2.0), ("rsqrt", 4.0, 0.5),
    ("exp10", 3.0, 1000.0), ("tgamma", 5.0, 24.0), ("saturatef", 1.5, 1.0), ("saturatef", math.nan, 0.0),
    ("abs", -3, 3), ("isnand", math.nan, 1), ("frexp", 8.0, (0.5, 4)), ("modf", 2.5, (0.5, 2.0)),
    ("fast_expf", 0.0, 1.0),
])  # fmt: skip
def test_some_that_python_does_not_have(name: str, given: float, expected: Any) -> None:
    called = function(name)
    assert called is not None
    assert called(given) == pytest.approx(expected, rel=1e-6)


def test_libdevice_says_what_it_was_given_too_few_of() -> None:
    called = function("atan2f")
    assert called is not None
    with pytest.raises(TypeError, match=r"libdevice.atan2f\(\) takes 2 numbers, and was given 1"):
        called(1.0)


# ---- what is not played


def a(out: Any) -> None:
    byte_perm(1, 2, 3)


def b(out: Any) -> None:
    libdevice.byte_perm(1, 2, 3)


def c(out: Any) -> None:
    numba.cuda.libdevice.byte_perm(1, 2, 3)


def d(out: Any) -> None:
    cg.this_grid().sync()


def e(out: Any) -> None:
    groups.this_grid()


def f(out: Any) -> None:
    this_grid().sync()


def g(out: Any) -> None:
    out[0] = numba.cuda.fp16.hadd(out[0], out[0])


def h(out: Any) -> None:
    out[0] = laneid


def i(out: Any) -> None:
    to_device(out)


SAID = {
    a: f"cuda.libdevice.byte_perm {UNKNOWN}", b: f"cuda.libdevice.byte_perm {UNKNOWN}",
    c: f"cuda.libdevice.byte_perm {UNKNOWN}", d: f"cuda.cg {UNKNOWN}", e: f"cuda.cg {UNKNOWN}",
    f: f"cuda.cg.this_grid {UNKNOWN}", g: f"cuda.fp16 {UNKNOWN}", h: "laneid changes with the thread: .* cuda.laneid",
    i: "cuda.to_device is for the program that launches a kernel",
}  # fmt: skip


@pytest.mark.parametrize("kernel", SAID, ids=lambda kernel: kernel.__name__)
def test_a_name_that_is_not_played(run: Run, kernel: Any) -> None:
    line = kernel.__code__.co_firstlineno + 1
    with pytest.raises(AttributeError, match=rf"^line {line} of {kernel.__name__}, .*: {SAID[kernel]}"):
        run(kernel, 1, 1, numpy.ones(1))


@pytest.mark.parametrize("kernel", [k for k in SAID if k is not h], ids=lambda kernel: kernel.__name__)
def test_also_where_the_source_is_not_known(run: Run, kernel: Any) -> None:
    hidden: Any = type(kernel)(kernel.__code__.replace(co_filename="<nowhere>"), kernel.__globals__)
    with pytest.raises(AttributeError, match=SAID[kernel]):
        run(hidden, 1, 1, numpy.ones(1))


def test_names_that_are_played_however_they_were_imported(run: Run) -> None:
    def kernel(out: Any) -> None:
        part = shared.array(4, numba.float32)
        part[threadIdx.x] = blockDim.x
        syncthreads()
        atomic.add(out, 0, part[3 - threadIdx.x])

    out = numpy.zeros(1)
    run(kernel, 1, 4, out)
    assert out[0] == 16


def test_random_numbers_by_the_module(run: Run) -> None:
    random: Any = import_module("numba.cuda.random")
    draw = random.xoroshiro128p_uniform_float32

    def kernel(states: Any, out: Any) -> None:
        out[0] = draw(states, 0)
        out[1] = random.xoroshiro128p_uniform_float32(states, 0)

    states, out = numpy.zeros(1, [("s0", numpy.uint64), ("s1", numpy.uint64)]), numpy.zeros(2)
    states[0] = (1 << 63, 5)
    run(kernel, 1, 1, states, out)
    assert 0 < out[0] < 1
    assert out[0] != out[1]


# ---- what is taken


class Pair(NamedTuple):
    x: Any
    y: Any


def test_integers_of_numpy(run: Run) -> None:
    def kernel(x: Any) -> None:
        cuda.atomic.add(x, 0, cuda.shared.array(0, numba.float64).size)

    x = numpy.zeros(1)
    run(kernel, numpy.int64(2), (numpy.int32(3), numpy.uint8(1)), x, sharedmem=numpy.int64(32))
    assert x[0] == 24


@pytest.mark.parametrize("grid", [1.5, "3", (1, 2.0), None])
def test_what_is_no_size(run: Run, grid: Any) -> None:
    with pytest.raises(TypeError, match="a grid is an integer, or up to three, not"):
        run(a, grid, 1, numpy.ones(1))


def test_tuples_and_namedtuples(run: Run) -> None:
    def kernel(pair: Any, both: Any) -> None:
        i = cuda.grid(1)
        pair.y[i] = pair.x[i] + both[0][i] * both[1]

    x, out = numpy.arange(3.0), numpy.zeros(3)
    found = run(kernel, 1, 3, Pair(x, out), (x, 10))
    assert out.tolist() == [0, 11, 22]
    if found is not None:
        assert set(found.views) == {"pair[0]", "pair[1]", "both[0]"}
        assert {one.array for one in found.traffic} == set(found.views)


def test_records_by_attribute(run: Run) -> None:
    kind = numpy.dtype([("x", numpy.float32), ("count", numpy.int32)])
    records = numpy.zeros(4, kind)
    records["x"] = [1, 2, 3, 4]
    one = numpy.zeros(1, kind)[0]

    def kernel(r: Any, out: Any, one: Any) -> None:
        i = cuda.grid(1)
        if i < r.size and i < len(r):
            r[i].count += i
            r[i].x = 2 * r[i].x + r["x"][i] + r[i]["x"] + one.x
            cuda.atomic.add(r.count, 0, 1)
            if i == 3:
                out[i] = r[i]

    out = numpy.zeros(4, kind)
    found = run(kernel, 1, 5, records, out, one)
    assert records["x"].tolist() == [4, 8, 12, 16]
    assert records["count"].tolist() == [4, 1, 2, 3]
    assert out[3] == records[3]
    if found is not None:
        assert (0, 1, 2, 3) in {step.threads for step in found.steps if step.array == "r.x"}
        assert [access.slot for access in found.accesses if access.array == "r.x"][:4] == [0, 2, 4, 6]
    with pytest.raises(AttributeError, match=r"a record of r has no field 'y': its fields are x, count"):
        run(lambda r: r[0].y, 1, 1, records)


def test_a_ufunc_with_a_place_for_its_result(run: Run) -> None:
    def kernel(x: Any, out: Any) -> None:
        numpy.sin(x, out)
        numpy.hypot(out, 0.5, out)

    x, out = numpy.arange(6.0).reshape(2, 3), numpy.zeros((2, 3))
    run(kernel, 1, 1, x, out)
    assert out.tolist() == numpy.hypot(numpy.sin(x), 0.5).tolist()


def test_errors_of_python_say_names_that_a_kernel_knows(run: Run) -> None:
    hidden: dict[str, Any] = {"cuda": cuda}
    exec("def k(x): x[cuda.threadIdx]", hidden)
    with pytest.raises(TypeError, match=r"x was indexed with <Dim3>, and an index is an integer or a slice"):
        run(hidden["k"], 1, 1, numpy.ones(1))
    exec("def k(x): x.sum()", hidden)
    with pytest.raises(AttributeError, match=r"^x.sum is not known to the emulated device: write a loop"):
        run(hidden["k"], 1, 1, numpy.ones(1))
    exec("def k(x): cuda.grid()", hidden)
    with pytest.raises(TypeError, match=r"^cuda.grid\(\) missing 1 required"):
        run(hidden["k"], 1, 1, numpy.ones(1))
