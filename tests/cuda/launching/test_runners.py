"""One body, three runners: each gives NumPy's numbers in any layout, and touches nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tensorkit import dtypes
from tensorkit.kernels import cuda
from tensorkit.kernels.cuda import EmulatedRunner, Operand, Runner, TracedRunner
from tensorkit.kernels.cuda.half import identity
from tests.cuda.layouts import Laid, laid, numbers, read_back, sizes

RUNNERS: dict[str, Callable[[], Runner]] = {
    "one host thread": EmulatedRunner,
    "3 blocks of 4 host threads": lambda: EmulatedRunner(3, 4),
    "traced": lambda: TracedRunner(3, 4),
}
Array = numpy.ndarray[Any, Any]
# The devices outlive the examples of one test on purpose: every example allocates its own buffers.
many = settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])


def add(a: Any, b: Any, alpha: Any) -> Any:
    return a + alpha * b


def multiply_add(a: Any, b: Any, c: Any) -> Any:
    return a * b + c


def seven() -> Any:
    return 7


def check(
    runner: Runner, body: Callable[..., Any], out: Laid, inputs: list[Laid], scalars: tuple[Any, ...]
) -> None:
    """Run the body on a device and compare every slot of the output's buffer, the gaps included."""
    size = out.view.shape
    with cuda.emulate(devices=1) as emulation, cuda.using(runner):
        target = out.operand(emulation.memory)
        cuda.launch_zip(body, target, tuple(a.operand(emulation.memory) for a in inputs), size, scalars)
        _, slots = read_back(emulation.memory, target, size)
    expected = out.base.copy()
    writable = Laid(expected, _same_view(expected, out), out.kind)
    wide = numpy.float64 if out.kind.is_floating_point else numpy.int64
    if out.view.size:
        values = body(*(a.view.astype(wide) for a in inputs), *scalars)
        writable.view[...] = numpy.asarray(values).astype(out.kind.numpy)
    numpy.testing.assert_array_equal(slots, expected)


def _same_view(base: Array, like: Laid) -> Array:
    first = like.view.__array_interface__["data"][0] - like.base.__array_interface__["data"][0]
    if not like.view.size:
        return numpy.empty(like.view.shape, base.dtype)
    return numpy.ndarray(like.view.shape, base.dtype, base, first, like.view.strides)


@st.composite
def cases(draw: st.DrawFn, kinds: tuple[dtypes.dtype, ...], inputs: int) -> tuple[Laid, list[Laid]]:
    size = draw(sizes())
    kind = draw(st.sampled_from(kinds))
    return draw(laid(size, kind, broadcast=False)), [draw(laid(size, kind)) for _ in range(inputs)]


@pytest.mark.parametrize("name", RUNNERS)
@many
@given(case=cases((dtypes.float32, dtypes.int64), inputs=2), alpha=st.integers(-3, 3))
def test_add(name: str, case: tuple[Laid, list[Laid]], alpha: int) -> None:
    check(RUNNERS[name](), add, *case, (alpha,))


@pytest.mark.parametrize("name", RUNNERS)
@many
@given(case=cases((dtypes.float32,), inputs=3))
def test_three_inputs(name: str, case: tuple[Laid, list[Laid]]) -> None:
    check(RUNNERS[name](), multiply_add, *case, ())


@pytest.mark.parametrize("name", RUNNERS)
@many
@given(case=cases((dtypes.int64,), inputs=0))
def test_no_input_fills(name: str, case: tuple[Laid, list[Laid]]) -> None:
    check(RUNNERS[name](), seven, *case, ())


@pytest.mark.parametrize("name", RUNNERS)
@many
@given(case=cases((dtypes.bfloat16, dtypes.complex128), inputs=1))
def test_copy(name: str, case: tuple[Laid, list[Laid]]) -> None:
    out, (source,) = case
    with cuda.emulate(devices=1) as emulation, cuda.using(RUNNERS[name]()):
        target = out.operand(emulation.memory)
        cuda.copy(target, source.operand(emulation.memory), out.view.shape)
        got, _ = read_back(emulation.memory, target, out.view.shape)
    numpy.testing.assert_array_equal(got, source.view)


@pytest.mark.parametrize("count", [1, 11, 12, 13, 31])
@pytest.mark.parametrize("name", RUNNERS)
def test_sizes_around_the_grid(name: str, count: int) -> None:
    """12 threads: fewer elements than threads, as many, one more, and a number that 12 does not divide."""
    one = [Laid(base, base, dtypes.float32) for base in (numbers(dtypes.float32, count, k) for k in range(3))]
    check(RUNNERS[name](), add, one[0], one[1:], (2,))


def host(kind: dtypes.dtype, values: list[Any]) -> Laid:
    base = numpy.array(values).astype(kind.numpy)
    return Laid(base, base, kind)


@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
@pytest.mark.parametrize("target", dtypes.ALL, ids=lambda kind: kind.name)
def test_a_copy_casts_from_and_to_every_dtype(target: dtypes.dtype) -> None:
    """From the dtypes one and four places further on in the list: each also serves as a source twice."""
    place = dtypes.ALL.index(target)
    sources = {dtypes.ALL[(place + k) % len(dtypes.ALL)] for k in (1, 4)}
    for source in sorted(sources - {target}, key=lambda kind: kind.name):
        given_ = host(source, [0, 1, 2, 3, 100])
        out = host(target, [9] * 5)
        for runner in (EmulatedRunner(), TracedRunner()):
            with cuda.emulate(devices=1) as emulation, cuda.using(runner):
                there = out.operand(emulation.memory)
                cuda.copy(there, given_.operand(emulation.memory), (5,))
                got, _ = read_back(emulation.memory, there, (5,))
            numpy.testing.assert_array_equal(got, given_.base.astype(target.numpy), f"from {source}")


@pytest.mark.parametrize(
    ("source", "target", "values", "expected"),
    [
        (dtypes.float32, dtypes.uint8, [-1.5, 3.9, 255.0], [255, 3, 255]),
        (dtypes.float64, dtypes.uint64, [-1.0, 2.0**63, 7.9], [2**64 - 1, 2**63, 7]),
        (dtypes.int64, dtypes.int8, [300, -129, 127], [44, 127, 127]),
        (dtypes.float32, dtypes.ALL[12], [float("nan"), -0.0, 0.5], [True, False, True]),
        (dtypes.complex64, dtypes.float32, [1 + 2j, 3j], [1.0, 0.0]),
        (dtypes.float64, dtypes.float16, [2049.0, 65520.0, 1e-8], [2048.0, float("inf"), 0.0]),
    ],
)
def test_casts_at_the_edge(
    source: dtypes.dtype, target: dtypes.dtype, values: list[Any], expected: list[Any]
) -> None:
    given_, out = host(source, values), host(target, [0] * len(values))
    for runner in (EmulatedRunner(), TracedRunner()):
        with cuda.emulate(devices=1) as emulation, cuda.using(runner):
            there = out.operand(emulation.memory)
            cuda.copy(there, given_.operand(emulation.memory), (len(values),))
            got, _ = read_back(emulation.memory, there, (len(values),))
        numpy.testing.assert_array_equal(got, numpy.array(expected, target.numpy))


def test_half_precision_is_computed_in_float32_and_rounded_once() -> None:
    """2048 + 1.0 × 1.5 is 2049.5, which float16 rounds to 2050; rounding each step would give 2048."""
    a, b = host(dtypes.float16, [2048.0]), host(dtypes.float16, [0.5])
    for runner in (EmulatedRunner(), TracedRunner()):
        with cuda.emulate(devices=1) as emulation, cuda.using(runner):
            memory = emulation.memory
            out = host(dtypes.float16, [0]).operand(memory)
            cuda.launch_zip(add, out, (a.operand(memory), b.operand(memory)), (1,), (3.0,))
            assert read_back(memory, out, (1,))[0][0] == 2050.0


def test_a_nan_keeps_its_bits_in_a_copy(memory: Any) -> None:
    bits = numpy.array([0x7FC00001, 0xFF812345], numpy.uint32).view(numpy.float32)
    source = Laid(bits, bits, dtypes.float32).operand(memory)
    out = host(dtypes.float32, [0, 0, 0]).operand(memory)
    cuda.copy(Operand(out.buffer, out.dtype, (2,)), source, (2,))
    got = memory.to_host(out.buffer, 0, 12).view(numpy.uint32)[::2]
    assert got.tolist() == [0x7FC00001, 0xFF812345]


def less(a: Any, b: Any) -> Any:
    return a < b


def minus(a: Any, b: Any) -> Any:
    return a - b


def test_mixed_dtypes_meet_in_the_dtype_to_compute_in(memory: Any) -> None:
    a, b = host(dtypes.int32, [1, 2, 3]), host(dtypes.float32, [1.5, 1.5, 4.0])
    out = host(dtypes.ALL[12], [0, 0, 0]).operand(memory)
    cuda.launch_zip(less, out, (a.operand(memory), b.operand(memory)), (3,))
    assert read_back(memory, out, (3,))[0].tolist() == [True, False, True]


@pytest.mark.parametrize(("first", "expected"), [(True, [9, 8, 7]), (False, [-9, -8, -7])])
def test_a_number_may_stand_on_either_side(memory: Any, first: bool, expected: list[int]) -> None:
    a = host(dtypes.int64, [1, 2, 3]).operand(memory)
    out = host(dtypes.int64, [0, 0, 0]).operand(memory)
    cuda.launch_zip(minus, out, (10, a) if first else (a, 10), (3,))
    assert read_back(memory, out, (3,))[0].tolist() == expected


def test_complex_scalars_keep_both_parts(memory: Any) -> None:
    a, b = host(dtypes.complex64, [1, 1j]), host(dtypes.complex64, [1, 2])
    out = host(dtypes.complex64, [0, 0]).operand(memory)
    cuda.launch_zip(add, out, (a.operand(memory), b.operand(memory)), (2,), (2 - 1j,))
    assert read_back(memory, out, (2,))[0].tolist() == [3 - 1j, 4 - 1j]


def test_more_than_eight_dimensions(memory: Any) -> None:
    size = (2,) * 10
    base = numpy.arange(2**10, dtype=numpy.float32)
    source = Laid(base, base.reshape(size).transpose((3, 0, 9, 1, 7, 5, 2, 8, 4, 6)), dtypes.float32)
    gaps = numpy.zeros(3**10, numpy.float32)
    out = Laid(gaps, gaps.reshape((3,) * 10)[(slice(2),) * 10], dtypes.float32)
    there = out.operand(memory)
    cuda.copy(there, source.operand(memory), size)
    numpy.testing.assert_array_equal(read_back(memory, there, size)[0], source.view)


@pytest.mark.parametrize(
    ("stride", "offset", "size"), [((1,), 0, (6,)), ((1,), -1, (3,)), ((-1,), 1, (3,)), ((2,), 0, (4,))]
)
def test_leaving_the_buffer_is_an_illegal_access(memory: Any, stride: Any, offset: int, size: Any) -> None:
    out = host(dtypes.float32, [0] * 9).operand(memory)
    source = host(dtypes.float32, [0] * 5).operand(memory)
    outside = Operand(source.buffer, source.dtype, stride, offset)
    with pytest.raises(RuntimeError, match=r"^CUDA error: an illegal memory access was encountered"):
        cuda.launch_zip(identity, out, (outside,), size)


def test_a_kernel_cannot_reach_another_device(memory: Any) -> None:
    out = host(dtypes.float32, [0]).operand(memory, index=0)
    other = host(dtypes.float32, [1]).operand(memory, index=1)
    with pytest.raises(RuntimeError, match="a kernel on cuda:0 was handed memory of cuda:1"):
        cuda.launch_zip(identity, out, (other,), (1,))


def test_too_many_inputs_are_refused(memory: Any) -> None:
    one = host(dtypes.float32, [0]).operand(memory)
    with pytest.raises(NotImplementedError, match="up to five inputs, not 6"):
        cuda.launch_zip(add, one, (one,) * 6, (1,))
