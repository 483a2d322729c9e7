"""Every pointwise operation on an emulated device and on the CPU: all dtypes, layouts, edge values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit import dtypes
from tensorkit.dispatch.registry import Op, registry
from tensorkit.kernels import cuda

Array = numpy.ndarray[Any, Any]
INF, NAN = math.inf, math.nan

REAL = (0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 0.1, 1e30, -1e30, 1e-42, 20.0, -88.0, INF, -INF, NAN)
WHOLE = (0, 1, -1, 2, 3, -7, 10, 63, 64, 100)
COMPLEX = (
    0j,
    1 + 0j,
    1j,
    -1 - 0.5j,
    3 - 4j,
    complex(INF, 1),
    complex(-INF, -2),
    complex(1, INF),
    complex(NAN, 1),
    1e-3 + 20j,
)

#: The calls of an operation; all others are called with as many tensors as their scalar body takes.
CALLS: dict[str, tuple[str, ...]] = {
    "add": ("op(a, b)", "op(a, 2)", "op(a, 0.1)", "op(a, b, alpha=3)", "2 + a"),
    "sub": ("op(a, b)", "op(a, 2)", "op(a, b, alpha=3)", "5 - a"),
    "rsub": ("op(a, b)", "op(a, 2)"),
    "div": (
        "op(a, b)",
        "op(a, 3)",
        "op(a, b, rounding_mode='trunc')",
        "op(a, b, rounding_mode='floor')",
        "7 / b",
    ),
    "pow": (
        "op(a, b)",
        "op(a, 2)",
        "op(a, 3)",
        "op(a, -0.5)",
        "op(a, 0.5)",
        "op(2, a)",
        "op(a, -1)",
        "op(a, 2.5)",
    ),
    "addcmul": ("op(a, b, c)", "op(a, b, c, value=2)"),
    "addcdiv": ("op(a, b, c)", "op(a, b, c, value=2)"),
    "lerp": ("op(a, b, 0.25)", "op(a, b, 0.75)", "op(a, b, c)"),
    "clamp": (
        "op(a, 1, 2)",
        "op(a, min=1)",
        "op(a, max=1.5)",
        "op(a, b, c)",
        "op(a, -0.0, 3)",
        "op(a, 0.5, 3.5)",
    ),
    "clamp_min": ("op(a, 1)", "op(a, b)"),
    "clamp_max": ("op(a, 1)", "op(a, b)"),
    "where": ("op(a > 0, a, b)", "op(b.eq(b), a, 3)", "op(a.ne(0), 2, b)", "op(a.ne(0), a, c.t())"),
    "complex": ("op(a, b)",),
    "polar": ("op(a, b)",),
    "round": ("op(a)", "op(a, decimals=1)", "op(a, decimals=-1)"),
    "nan_to_num": ("op(a)", "op(a, nan=2.5, posinf=7, neginf=-1)"),
    "logit": ("op(a)", "op(a, 0.25)"),
    "ldexp": (
        "op(a, b)",
        "op(a, (b.nan_to_num() if b.dtype.is_floating_point else b).clamp(-60, 60).to(tk.int32))",
    ),
    "float_power": ("op(a, b)", "op(a, 2)"),
    "polygamma": ("op(0, a)", "op(1, a)", "op(2, a)"),
    "special_zeta": ("op(a, b)", "op(2, a)"),
    "frexp": ("op(a).mantissa", "op(a).exponent"),
    "isclose": ("op(a, b)", "op(a, b, equal_nan=True)"),
    "maximum": ("op(a, b)", "op(a, c)"),
    "bitwise_left_shift": ("op(a, b)", "op(a, 2)", "1 << a"),
    "bitwise_right_shift": ("op(a, b)", "op(a, 2)", "1 >> a"),
    "square": ("op(a)",),
    "__invert__": ("~a",),
}
#: Operations of this kind that are reductions or products inside.
OTHERS = {"addmm", "baddbmm", "addbmm", "addmv", "addr", "outer", "ger", "kron", "diff", "mvlgamma"}
#: Where the CPU refuses to divide integers by 0, which a kernel does not look for.
DIVIDES = {"div", "floor_divide", "remainder", "fmod"}
#: Steps of the last digit where the CPU's own functions are that far from the truth (SciPy's `igamma`: 100 of float64).
ULPS = {"igamma": 150.0, "igammac": 150.0, "lgamma": 20.0, "digamma": 20.0, "polygamma": 40.0}
#: Whose zeros come of an exponential of -inf and no number: the C standard leaves their signs open.
OPEN_ZEROS = {"pow", "ldexp", "float_power"}
#: Which of 0.0 and -0.0 is the larger, NumPy leaves to the processor: vectors and the odd elements after them differ.
TIES = {"maximum", "minimum", "fmax", "fmin", "clamp", "clamp_min", "clamp_max"}
#: Complex functions that the CPU computes in several rounded steps, and kernels in double precision.
STEP_BY_STEP = {*OPEN_ZEROS, "logaddexp"}


def names() -> list[str]:
    found = [name for name, op in registry.items() if op.kind == "pointwise" and name not in OTHERS]
    return [*found, "frexp", "isclose"]


def calls_of(name: str) -> tuple[str, ...]:
    if name in CALLS:
        return CALLS[name]
    if "polynomial" in name:  # of a small degree: recurrences climb to it
        return ("op(a, 3)",)
    op = registry[name]
    count = next((len(sample.sizes) for sample in op.samples if len(sample.sizes) > 1), 1)
    return ("op(a, b)", "op(a, 2)", "op(2, b)") if count == 2 else ("op(a)",)


# -- operands -----------------------------------------------------------------------------------------------------


def edges(kind: dtypes.dtype) -> Array:
    if kind.category == 0:
        return numpy.array([False, True])
    if kind.category == 1:
        info = numpy.iinfo(kind.numpy)
        whole = [n for n in WHOLE if info.min <= n <= info.max]
        return numpy.array([*whole, info.max, info.min], kind.numpy)
    with numpy.errstate(all="ignore"):
        return numpy.array(COMPLEX if kind.is_complex else REAL).astype(kind.numpy)


def pairs(kind: dtypes.dtype, name: str) -> tuple[Any, Any, Any]:
    """Two square matrices in which every edge value meets every other, and a third one."""
    values = edges(kind)
    a = numpy.repeat(values, len(values)).reshape(len(values), -1)
    b = a.T.copy()
    if name in DIVIDES and kind.category < 2:
        b[b == 0] = 5
    c = numpy.roll(b, 3, axis=1)
    first, second, third = (tk.tensor(array.tolist(), dtype=kind) for array in (a, b, c))
    return first, second, third


LAYOUTS: dict[str, Callable[[tk.Tensor], tk.Tensor]] = {
    "contiguous": lambda t: t,
    "transposed": lambda t: t.t(),
    "step 2": lambda t: t[:, ::2],
    "expanded": lambda t: t[:1].expand(3, *t.shape),
    "0-d": lambda t: t[1, 1],
    "empty": lambda t: t[:0],
    "negated": lambda t: t._neg_view(),
    "conjugated": lambda t: t.conj().t(),
}
FIRST = ("contiguous", "transposed", "step 2", "expanded", "0-d", "empty")


def layouts(kind: dtypes.dtype) -> tuple[str, ...]:
    return (*FIRST, "negated", "conjugated") if kind.is_complex else FIRST


def same(got: Array, expected: Array, ulps: float) -> Array:
    """Where two arrays agree: nan with nan, zeros with their signs, numbers to so many steps of the last digit."""
    if got.dtype.kind == "c":
        parts = [numpy.where(numpy.isfinite(part), abs(part), 0) for part in (expected.real, expected.imag)]
        scale = numpy.maximum(*parts)
        return same_parts(got.real, expected.real, ulps, scale) & same_parts(
            got.imag, expected.imag, ulps, scale
        )
    return same_parts(got, expected, ulps, numpy.abs(expected) if got.dtype.kind != "b" else expected)


def same_parts(got: Array, expected: Array, ulps: float, scale: Array) -> Array:
    if got.dtype.kind in "biu":
        alike: Array = numpy.equal(got, expected)
        return alike
    wide = numpy.float64
    x, y = got.astype(wide), expected.astype(wide)
    with numpy.errstate(all="ignore"):
        narrow = wide if got.dtype.itemsize == 8 else numpy.float32
        step = numpy.spacing(numpy.where(numpy.isfinite(scale), scale, 0).astype(narrow)).astype(wide)
        if got.dtype.itemsize == 2:
            step = step * (2**13 if got.dtype == numpy.float16 else 2**16)
        near = numpy.abs(x - y) <= ulps * step
    equal = (x == y) & ((x != 0) | (numpy.signbit(x) == numpy.signbit(y)))
    found: Array = equal | (numpy.isnan(x) & numpy.isnan(y)) | (near & numpy.isfinite(x) & (x != 0))
    return found


# -- the comparison -----------------------------------------------------------------------------------------------


def outcome(call: str, op: Op, operands: dict[str, tk.Tensor]) -> Any:
    try:
        return eval(call, {"tk": tk, "op": op.function or getattr(tk.Tensor, op.name), **operands})
    except Exception as error:
        return error


class Refusals(list[str]):
    """What had no kernel, printed when all is done."""


@pytest.fixture(scope="module")
def refused() -> Iterator[Refusals]:
    found = Refusals()
    yield found
    print(f"\n{len(set(found))} pointwise operations are refused on cuda: {sorted(set(found))}")


def compare(name: str, kind: dtypes.dtype, refused: Refusals) -> list[str]:
    op, wrong = registry[name], []
    here = pairs(kind, name)
    there = tuple(t.to("cuda") for t in here)
    ulps = allowed(op, kind)
    signed = name not in TIES and not (kind.is_complex and name in OPEN_ZEROS)
    for layout in layouts(kind):
        view = LAYOUTS[layout]
        for call in calls_of(name):
            expected = outcome(call, op, dict(zip("abc", map(view, here), strict=True)))
            got = outcome(call, op, dict(zip("abc", map(view, there), strict=True)))
            if isinstance(got, NotImplementedError) and not isinstance(expected, Exception):
                refused.append(name)
                return []
            said = difference(got, expected, ulps, signed)
            if said:
                wrong.append(f"{call} of {kind.name}, {layout}: {said}")
    return wrong


def allowed(op: Op, kind: dtypes.dtype) -> float:
    """Steps of the last digit: two for transcendental functions; 16-bit numbers are rounded once more, or once less."""
    if not op.rounded:
        return 1.0 if kind.itemsize == 2 or kind.is_complex else 0.0
    if kind.is_complex and op.name in STEP_BY_STEP:
        return 64.0
    return ULPS.get(op.name, 2.0 * op.rounded * (2 if kind.is_complex else 1))


def difference(got: Any, expected: Any, ulps: float, signed: bool) -> str:
    if isinstance(got, Exception) or isinstance(expected, Exception):
        alike = type(got) is type(expected) and str(got).replace("CUDA", "CPU") == str(expected)
        return "" if alike else f"{got!r} in place of {expected!r}"
    if not got.is_cuda:
        return f"it is on {got.device}"
    facts = [(t.dtype, t.size(), t.stride()) for t in (got, expected)]
    if facts[0] != facts[1]:
        return f"{facts[0]} in place of {facts[1]}"
    x, y = got.cpu()._nd(), expected._nd()
    if not signed and x.dtype.kind != "b":
        x, y = x + 0, y + 0
    bad = ~same(x, y, ulps)
    return f"{x[bad][:3]} in place of {y[bad][:3]} ({bad.sum()} of {bad.size})" if bad.any() else ""


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", names())
def test_as_the_cpu(name: str, refused: Refusals) -> None:
    with cuda.emulate(devices=1):
        wrong = [said for kind in dtypes.ALL for said in compare(name, kind, refused)]
    assert wrong == []
    assert name.startswith("special_") or name not in refused
