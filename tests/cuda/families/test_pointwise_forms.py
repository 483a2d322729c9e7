"""Kernels of pointwise operations: fused and in steps, written into what is there, and views that stand for others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit import dtypes, tracing
from tensorkit.kernels import cuda
from tensorkit.kernels.cuda import EmulatedRunner, Runner, TracedRunner, work
from tensorkit.kernels.scalars import arithmetic, elementary, gamma_shares, questions, special
from tensorkit.kernels.scalars.forms import Scalar

BOOL = dtypes.ALL[12]


@pytest.fixture(autouse=True)
def device() -> Iterator[None]:
    with cuda.emulate(devices=1):
        yield


# -- fused and in steps -------------------------------------------------------------------------------------------

RUNNERS: dict[str, Callable[[], Runner]] = {
    "fused": EmulatedRunner,
    "a grid of threads": lambda: EmulatedRunner(3, 4),
    "traced": lambda: TracedRunner(3, 4),
}
CASES: dict[str, Callable[[Any, Any], Any]] = {
    "half precision, rounded once": lambda a, b: a.half() * b.half() + 1,
    "a 0-d tensor of more digits": lambda a, b: a.half() - tk.tensor(0.1, device="cuda"),
    "bfloat16 written as float32": lambda a, b: tk.add(
        a.bfloat16(), b.bfloat16(), out=tk.empty(0, device="cuda")
    ),
    "integers that wrap around": lambda a, b: (a * 9).to(tk.int8) * (b * 9).to(tk.int8),
    "an integer and a half": lambda a, b: (a * 1000).to(tk.int64) + b.half(),
    "transposed": lambda a, b: a.t() - b,
    "broadcast": lambda a, b: a[:1] / b[:, :1],
    "a number first": lambda a, b: 2 - a.t(),
    "a bool and two numbers": lambda a, b: tk.where(a.t() > 2, 0.1, b.half()),
    "three tensors and a number": lambda a, b: tk.addcmul(a, b.t(), b, value=0.3),
    "complex": lambda a, b: tk.complex(a, b.t()).acos(),
    "a special function": lambda a, b: a.t().half().digamma(),
    "bool": lambda a, b: (a > 2) + (b.t() > 2),
}


def operands() -> tuple[tk.Tensor, tk.Tensor]:
    a = tk.linspace(0.3, 5.1, 25).view(5, 5)
    return a.to("cuda"), (a * a - 3).to("cuda")


@pytest.mark.parametrize("runner", RUNNERS)
@pytest.mark.parametrize("name", CASES)
def test_a_fused_kernel_gives_the_same_bits(name: str, runner: str, monkeypatch: pytest.MonkeyPatch) -> None:
    case = CASES[name]
    expected = case(*operands()).cpu()
    monkeypatch.setattr(work, "FUSED_ON_HOST", 0)
    with cuda.using(RUNNERS[runner]()):
        got = case(*operands()).cpu()
    assert got.dtype is expected.dtype
    assert got.stride() == expected.stride()
    if runner == "traced":  # Python's functions are other ones in the last digit
        x, y = (t.to(tk.complex128).numpy() for t in (got, expected))
        numpy.testing.assert_allclose(x, y, rtol=2e-3)
    else:
        assert got._nd().tobytes() == expected._nd().tobytes()


def test_one_operation_is_told_as_one_kernel() -> None:
    a, b = operands()
    half = a.half()
    with tracing.record() as events:
        tk.add(half.t(), b.half(), alpha=2)
    launched = [event for event in events if isinstance(event, tracing.LaunchEvent)]
    assert [event.kernel.partition("_")[0] for event in launched][-1:] == ["add"]
    assert sum(event.kernel.startswith("add") for event in launched) == 1
    assert launched[-1].kernel == "add_float16_float16_float16_2d"


def test_large_tensors_take_the_fused_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[Any] = []
    monkeypatch.setattr("tensorkit.kernels.cuda.launch.run_staged", lambda *what: steps.append(what))
    a = tk.zeros(256, 256, device="cuda")
    a.t() + a
    assert steps == []
    a[:9].t() + a[:9].t() * 1  # fewer elements go by steps
    assert steps


def test_bodies_are_compiled_once_for_all_dtypes_that_are_computed_alike() -> None:
    from tensorkit.kernels.cuda.families import zip_kernel

    for kind in (tk.int8, tk.int16, tk.int32, tk.uint8):
        a = tk.arange(6, device="cuda").to(kind).view(2, 3)
        before = zip_kernel.cache_info().currsize
        a.t().bitwise_xor(a.t())
        a.bitwise_xor(a)
        a.bitwise_xor(3)
        made = zip_kernel.cache_info().currsize - before
    assert made <= 4  # casts to and from 64 bits, and strided copies of bytes; the body is there


# -- written into what is there -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [tk.float16, tk.float64, tk.int8, tk.int64, tk.complex64, tk.bool])
def test_in_place_and_out(kind: tk.dtype) -> None:
    def both(device: str) -> list[tk.Tensor]:
        a = tk.tensor([[1, 2, 3], [4, 5, 6]], device=device)
        changed = a.to(kind).t()
        changed.mul_(changed)
        out = tk.empty(0, dtype=tk.complex128, device=device)
        tk.add(a.to(kind), a.to(kind), out=out)
        strided = tk.zeros(4, 6, dtype=tk.complex64, device=device)[::2, ::2]
        tk.mul(a.to(kind), 3, out=strided)
        ordered = tk.lt(a, 3, out=tk.empty(2, 3, dtype=tk.int8, device=device))
        return [changed, out, strided, ordered]

    for got, expected in zip(both("cuda"), both("cpu"), strict=True):
        assert (got.dtype, got.stride()) == (expected.dtype, expected.stride())
        assert got.cpu().tolist() == expected.tolist()


def test_a_number_that_divides_integers_must_not_be_0() -> None:
    a = tk.tensor([1, 2], device="cuda")
    for divide in (a.floor_divide, a.remainder, a.fmod, lambda n: a.div(n, rounding_mode="trunc")):
        with pytest.raises(RuntimeError, match="ZeroDivisionError"):
            divide(0)
    # Elements are not looked at: as on a GPU, what a division by one of them leaves is no error.
    assert a.floor_divide(tk.zeros(2, dtype=tk.int64, device="cuda")).tolist() == [-1, -1]


# -- views that stand for conjugates and negatives ----------------------------------------------------------------

Z = [[1 + 2j, -3j], [4 - 1j, 0.5 + 0j]]
VIEWS: dict[str, Callable[[Any], Any]] = {
    "conj": lambda z: z.conj(),
    "conj of a transposed": lambda z: z.t().conj(),
    "mH": lambda z: z.mH,
    "imaginary part of conj": lambda z: z.conj().imag,
    "real part of conj": lambda z: z.conj().real,
    "negatives": lambda z: z._neg_view(),
    "negatives of conj": lambda z: z.conj()._neg_view()[:, :1],
}


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_is_read_turned_wherever_it_goes(name: str) -> None:
    view, here = VIEWS[name], tk.tensor(Z)
    expected, there = view(here), here.to("cuda")
    ways = {
        "to the cpu": view(there).cpu(),
        "to the device": view(here).to("cuda").cpu(),
        "clone": view(there).clone().cpu(),
        "as float64s": view(there).to(tk.complex128).cpu(),
        "into another": tk.zeros(expected.shape, dtype=tk.complex64, device="cuda").copy_(view(there)).cpu(),
        "from the cpu": tk.zeros(expected.shape, dtype=tk.complex64, device="cuda").copy_(view(here)).cpu(),
        "computed with": (view(there) + 0).cpu(),
    }
    for way, got in ways.items():
        assert got.tolist() == expected.tolist(), way


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_is_written_turned(name: str) -> None:
    def written(device: str) -> list[Any]:
        z = tk.tensor(Z, device=device)
        target = VIEWS[name](z)
        target.add_(2)
        target.copy_(tk.ones(target.shape, dtype=target.dtype) * 3 + target.cpu())
        tk.mul(target, 2, out=target)
        VIEWS[name](z).fill_(5)
        z[0, 0] = 7 + 1j
        target.copy_(VIEWS[name](tk.tensor(Z, device=device)))
        return z.tolist()  # type: ignore[no-any-return]

    assert written("cuda") == written("cpu")


def test_a_real_number_written_to_a_view_of_conjugates_loses_no_sign() -> None:
    z = tk.tensor([1 + 2j], device="cuda")
    z.conj().copy_(tk.tensor([3.0], device="cuda"))
    assert str(z.cpu().imag.tolist()) == "[-0.0]"


# -- one text for all runners -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scalar", "given", "expected"),
    [
        (arithmetic.LEFT_SHIFT, (1, 64), 0),
        (arithmetic.LEFT_SHIFT, (1, -1), 0),
        (arithmetic.RIGHT_SHIFT, (-8, 99), -1),
        (arithmetic.CUT_QUOTIENT, (-7, 2), -3),
        (arithmetic.GCD, (-12, 18), 6),
        (questions.SIGN, (-3,), -1),
    ],
)
def test_python_can_run_a_body(scalar: Scalar, given: tuple[int, ...], expected: int) -> None:
    assert scalar.of(dtypes.int64)(*map(numpy.int64, given)) == expected


@pytest.mark.parametrize("scalar", [elementary.SIN, special.DIGAMMA, gamma_shares.IGAMMA])
def test_what_has_no_form_for_a_class_says_so(scalar: Scalar) -> None:
    assert not scalar.takes(dtypes.int32)
    with pytest.raises(NotImplementedError, match="has no kernel for Int"):
        scalar.of(dtypes.int32)
