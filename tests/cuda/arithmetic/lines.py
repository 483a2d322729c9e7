"""Lines of kernels, generated for two kinds of numbers, with what Numba makes of them: it compiles them for the CPU.

Numba's CPU and CUDA targets type numbers alike and compute them alike; where they do not, no line asks: float16 (which
the CPU does not take), ``math.floor`` and its kin (an integer there, floating point here), ``max`` of a nan, and what C
leaves open, such as a shift by a negative number or an integer made of inf.
"""

from __future__ import annotations

import linecache
import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numpy

from tensorkit.kernels.cuda.traced.arithmetic import kind_of
from tensorkit.kernels.cuda.traced.memory import Watch
from tensorkit.kernels.cuda.traced.play import typing_for
from tensorkit.kernels.cuda.traced.report import KernelTrace
from tensorkit.kernels.cuda.traced.stand_in import TracedCuda

WHOLE = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
REAL = (*WHOLE, "float32", "float64")
KINDS = (*REAL, "complex64", "complex128")

ULPS = 4
"""How far a function of ``math`` may lie from Numba's: they come from different libraries."""


class Line(NamedTuple):
    """The body of a kernel that makes `r` of `a` and `b`; `left` and `right` are the kinds that Numba
    takes there.

    `near` allows `ULPS`; `small` is for finite numbers below 2**31 alone; `valued` compares the number, not its kind.
    """

    body: str
    left: tuple[str, ...] = KINDS
    right: tuple[str, ...] = KINDS
    near: bool = False
    small: bool = False
    valued: bool = False


def _lines(pattern: str, *parts: str, **more: Any) -> list[Line]:
    return [Line(pattern.replace("@", part), **more) for part in parts]


FLOATS = ("float32", "float64")
NOT_BOOL = tuple(kind for kind in REAL if kind != "bool")
NARROW = ("bool", "int8", "int16", "int32", "uint8", "uint16", "uint32")
ONE = {"right": ("int32",)}  # lines about `a` alone are asked once

LINES: tuple[Line, ...] = (
    # two numbers
    *_lines("r = a @ b", "+", "-", "*", "==", "!="),
    *_lines("r = a @ b", "/", "//", "%", "<", "<=", ">", ">=", left=REAL, right=REAL),
    *_lines("r = a @ b", "&", "|", "^", left=WHOLE, right=WHOLE),
    *_lines("r = a @ (b & 63)", "<<", ">>", left=WHOLE, right=WHOLE),
    *_lines("r = divmod(a, b)[@]", "0", "1", left=REAL, right=REAL),
    *_lines("r = @(a, b)", "min", "max", left=WHOLE, right=REAL),
    *_lines("r = a ** b", left=WHOLE, right=WHOLE),
    Line("r = a / (b + 0.3)", ("complex64", "complex128"), KINDS),
    Line("r = a ** b", FLOATS, FLOATS, near=True),
    Line("r = (a * a + 1) ** b", FLOATS, WHOLE),
    # several operators
    *_lines("r = (a @ b) // 2", "+", "-", "*", left=REAL, right=REAL),
    *_lines("r = (a + b) @ a", "*", "-", "+"),
    *_lines("r = (a > b) @ (a > 1)", "+", "-", "*", "&", "|", "^", "==", "<", left=REAL, right=REAL),
    Line("r = (a > b) * a + (a <= b) * b", REAL, REAL),
    Line("r = 0 < a <= b", REAL, REAL),
    Line("r = a < b < 100 != 7", REAL, REAL),
    Line("r = not a"),
    Line("r = not (a < b)", REAL, REAL),
    Line("r = (a & 255) * 256 + (b & 255)", WHOLE, WHOLE),
    # with numbers of Python
    *_lines("r = a @ 3", "+", "-", "*", "==", "!=", **ONE),
    *_lines("r = 7 @ a", "+", "-", "*", **ONE),
    *_lines("r = a @ 3", "/", "//", "%", "<", "<=", ">", ">=", left=REAL, **ONE),
    *_lines("r = 7 @ a", "/", "//", "%", "<", ">", left=REAL, **ONE),
    *_lines("r = a @ -3", "//", "%", "/", left=REAL, **ONE),
    *_lines("r = a @ 0", "/", "//", "%", "*", left=REAL, **ONE),
    *_lines("r = a @ 0.5", "+", "-", "*", **ONE),
    *_lines("r = a @ 0.1", "/", "//", "%", "==", "<", ">=", left=REAL, **ONE),
    *_lines("r = 2.5 @ a", "/", "//", "%", "-", left=REAL, **ONE),
    *_lines("r = a << @", "0", "1", "4", "31", "63", left=WHOLE, **ONE),
    *_lines("r = a >> @", "0", "1", "4", "31", "63", left=WHOLE, **ONE),
    *_lines("r = 5 @ (a & 15)", "<<", ">>", "&", "|", "^", "**", left=WHOLE, **ONE),
    *_lines("r = a @ 12", "&", "|", "^", left=WHOLE, **ONE),
    *_lines("r = a ** @", "2", "3", "0", "1", left=REAL, **ONE),
    *_lines("r = a ** @", "-1", "-2", left=WHOLE, **ONE),
    *_lines("r = (a * a + 1) ** @", "-1", "-3", left=FLOATS, **ONE),
    *_lines("r = a * @", "300", "True", "2**40", "(1 << 20)", "1j", **ONE),
    Line("r = a + 2**40", WHOLE, **ONE),
    *_lines("r = a @", "* 10 // 256", "* 16 >> 8", "* 16 // 256", left=NARROW, **ONE),
    *_lines("r = a @", "== 16777217", "< 0.3", "== 2**53 + 1", left=REAL, **ONE),
    *_lines("r = (a + @) * a", "1", "1.0", "True", **ONE),
    # one number
    *_lines("r = @a", "-", "+", **ONE),
    *_lines("r = -(@a)", "-", "+", **ONE),
    Line("r = ~a", WHOLE, **ONE),
    Line("r = ~a * 2", WHOLE, **ONE),
    Line("r = -a * 2 + 1", **ONE),
    Line("r = abs(a)", **ONE),
    Line("r = abs(a) * a", REAL, **ONE),
    Line("r = bool(a)", **ONE),
    Line("r = int(a)", REAL, small=True, **ONE),
    Line("r = int(a) * 3", REAL, small=True, **ONE),
    Line("r = int(a / 16)", REAL, small=True, **ONE),
    Line("r = round(a)", REAL, small=True, **ONE),
    *_lines("r = round(a, @)", "1", "3", "-1", left=FLOATS, **ONE),
    Line("r = float(a)", NOT_BOOL, **ONE),
    Line("r = float(a) * a", NOT_BOOL, **ONE),
    *_lines("r = complex(a)", left=NOT_BOOL, **ONE),
    *_lines("r = numpy.@(a)", *WHOLE[1:5], left=REAL, small=True, **ONE),
    *_lines("r = numpy.@(a)", *WHOLE[5:], left=WHOLE, **ONE),
    *_lines("r = numpy.@(abs(a))", *WHOLE[5:], left=REAL, small=True, **ONE),
    *_lines("r = numpy.@(a)", "float32", "float64", left=REAL, **ONE),
    *_lines("r = numpy.@(a) * a", "uint8", "int16", "int64", left=WHOLE, **ONE),
    *_lines("r = numpy.@(a) * a", "float32", "float64", left=REAL, **ONE),
    *_lines("r = @", "a.real", "a.imag", "a.real * 2 + a.imag", left=("complex64", "complex128"), **ONE),
    # functions
    *_lines(
        "r = math.@(a)", "sqrt", "exp", "expm1", "log1p", "sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "asinh",
        "log", "log2", "log10", "asin", "acos", "acosh", "atanh", "erf", "erfc", "degrees", "radians", "fabs",
        left=REAL, near=True, **ONE,
    ),
    *_lines("r = math.@(a)", "isnan", "isinf", "isfinite", left=REAL, **ONE),
    *_lines("r = math.@(a)", "floor", "ceil", "trunc", left=REAL, small=True, valued=True, **ONE),
    *_lines("r = math.@(a, b)", "atan2", "hypot", left=REAL[:-3], right=REAL[:-3], near=True),
    Line("r = math.copysign(a, b)", REAL, REAL),
    Line("r = math.sqrt(a) * a + b", REAL, REAL, near=True),
    *_lines("r = numpy.@(a)", "sqrt", "exp", "sin", "abs", left=NOT_BOOL, near=True, **ONE),
    # statements
    *_lines("r = a\nr @= b", "+", "-", "*"),
    *_lines("r = a\nr @= b", "/", "//", "%", left=REAL, right=REAL),
    *_lines("r = a\nr @= b", "&", "|", "^", left=WHOLE, right=WHOLE),
    *_lines("r = a\nr @= 3", "+", "-", "*", **ONE),
    Line("r = a\nr **= 3", REAL, **ONE),
    Line("r = a ** 2", ("complex64", "complex128"), **ONE),
    *_lines("r = a\nr @= 3", "<<", ">>", "//", "%", left=WHOLE, **ONE),
    Line("r = 0\nfor _ in range(5):\n    r += a"),
    Line("r = 0.0\nfor _ in range(5):\n    r += a * b"),
    Line("r = 1\nfor k in range(1, 26):\n    r *= k", ("int8",), **ONE),
    Line("r = 1\nfor _ in range(70):\n    r *= 2\nr //= 3", ("int8",), **ONE),
    Line("r, s = 0, 1\nfor _ in range(100):\n    r, s = s, r + s", ("int8",), **ONE),
    Line("r = 0\nfor k in range(4):\n    r = r * 31 + k * a", WHOLE, **ONE),
    Line("r = a + b\nk = 0\nwhile k < 3:\n    r = r * b + a\n    k += 1", REAL, REAL),
    Line("r = 0\nfor k in range(5):\n    if a > k:\n        r += k / (k + 1)", REAL, **ONE),
    Line("r = 0\nfor k in range(3):\n    r += 5 // k + 5 % k", ("int8",), **ONE),
    Line("r = 0.0\nfor k in range(3):\n    r += 1 / (k + 1)", ("int8",), **ONE),
    # where ways meet
    Line("r = a\nif b > 1:\n    r = b\nr = r * 3", REAL, REAL),
    Line("r = a\nif b > 1:\n    r = 0.0\nr = r * r", **ONE),
    Line("r = a\nif b > 1:\n    r = 0\nr = r + r * 3", REAL, **ONE),
    Line("r = a * a\nif b > 1:\n    r = b\nelif b < 0:\n    r = 1\nr = r - 1", REAL, REAL),
    Line("r = (a if b > 1 else 0.0) * a", **ONE),
    Line("r = (a if b > 1 else 0) * 3", REAL, **ONE),
    Line("r = (a if a > b else b) + a", REAL, REAL),
    Line("r = 0.0\nfor k in range(3):\n    if a > r:\n        r = a\nr = r * r", REAL, **ONE),
    Line("r = a\nfor k in range(3):\n    if a > k:\n        r = r * 1.5\nr = r * r", FLOATS, **ONE),
    Line("r = a\nk = 3\nwhile k > 0:\n    k -= 1\n    if a > 2:\n        continue\n    r = r / 3", REAL, **ONE),
    Line("r = a\nfor k in range(4):\n    if k == 2:\n        r = 0.5\n        break\nr = r + a", FLOATS, **ONE),
    Line("r = a\nfor k in range(4):\n    if a > k:\n        r = r + 0.1\n        break\nr = r * a", FLOATS, **ONE),
    Line("r = (a or b) * 2", REAL, REAL),
    Line("r = (a and b) + 1", REAL, REAL),
)  # fmt: skip


_WHOLE_EDGES = (0, 1, 2, 3, 7, 100, 200)
_REAL_EDGES = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.1,
    -2.5,
    3.5,
    100.25,
    -7.0,
    16777216.0,
    1e30,
    -1e-30,
    math.inf,
    -math.inf,
    math.nan,
)
_COMPLEX_EDGES = (0j, 1 + 0j, 1j, -2.5 + 0.1j, 3 - 4j, 1e10 + 1e-10j)


def values(kind: str, lowest: bool = True) -> list[Any]:
    """Numbers of a kind: the ends of its range, what lies around zero, nan and inf."""
    make = numpy.dtype(kind).type
    if kind == "bool":
        return [False, True]
    if kind in WHOLE:
        info = numpy.iinfo(kind)
        low = [*([info.min] if lowest else []), info.min + 1, -1, -7] if info.min else []
        ends = [info.max, info.max - 1, info.max // 3]
        return [make(n) for n in (*_WHOLE_EDGES[: 6 if info.max < 200 else 7], *low, *ends)]
    return [make(n) for n in (_COMPLEX_EDGES if kind.startswith("complex") else _REAL_EDGES)]


class Difference(NamedTuple):
    """A line of which the emulation makes another number than Numba, or one of another kind."""

    kinds: tuple[str, str]
    line: str
    given: tuple[Any, Any]
    numba: Any
    ours: Any

    def __str__(self) -> str:
        a, b = self.given
        return f"{self.line!r}, a = {a!r}, b = {b!r}: Numba {self.numba!r}, emulated {self.ours!r}"


def lines_for(left: str, right: str) -> list[Line]:
    """The lines that Numba takes for two kinds of numbers."""
    return [line for line in LINES if left in line.left and right in line.right]


def function(lines: list[Line]) -> Callable[..., Any]:
    """A function of `a` and `b` that runs all lines and gives back what each has made."""
    text = ["def lines(a, b):"]
    for number, line in enumerate(lines):
        own = re.sub(r"\b([rsk])\b", rf"\g<1>{number}", line.body)
        text += [f"    {part}" for part in own.split("\n")]
    text.append(f"    return ({' '.join(f'r{n},' for n in range(len(lines)))})")
    return defined("\n".join(text) + "\n", "lines")


def defined(source: str, name: str) -> Callable[..., Any]:
    """A function by its text, which `inspect` finds as it finds a notebook's."""
    file = f"<{name} {hash(source)}>"
    linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
    scope: dict[str, Any] = {"math": math, "numpy": numpy}
    exec(compile(source, file, "exec"), scope)
    made: Callable[..., Any] = scope[name]
    return made


def emulated(function: Any) -> Callable[..., Any]:
    """A function as a kernel of an emulated device calls it."""
    called = typing_for(TracedCuda(Watch(KernelTrace((1,), (1,))))).exchanged(function)
    made: Callable[..., Any] = called
    return made


def _finite(value: Any) -> bool:
    return bool(numpy.isfinite(value)) and abs(value) < 2**31


def _alike(line: Line, one: Any, other: Any) -> bool:
    """Whether two numbers are the same, bit for bit but for what a nan carries; or near enough."""
    if one == other:
        return line.valued or bool(
            numpy.signbit(numpy.real(one)) == numpy.signbit(numpy.real(other))
            and numpy.signbit(numpy.imag(one)) == numpy.signbit(numpy.imag(other))
        )
    if numpy.iscomplexobj(one) and numpy.iscomplexobj(other):
        return _alike(line, one.real, other.real) and _alike(line, one.imag, other.imag)
    if one != one and other != other:
        return True
    return line.near and bool(abs(one - other) <= ULPS * numpy.spacing(numpy.abs(numpy.asarray(one))))


def differences(left: str, right: str) -> tuple[int, list[Difference]]:
    """How many results were compared for two kinds of numbers, and those that differ."""
    lines = lines_for(left, right)
    plain = function(lines)
    compiled = numba.njit(error_model="numpy")(plain)
    ours = emulated(plain)
    found: list[Difference] = []
    count = 0
    with numpy.errstate(all="ignore"):
        for a in values(left):
            for b in values(right, lowest=False):  # Numba raises an error for a power of the lowest
                wanted = compiled(a, b)
                kinds = [str(kind) for kind in compiled.nopython_signatures[0].return_type.types]
                for line, kind, one, other in zip(lines, kinds, wanted, ours(a, b), strict=True):
                    if line.small and not _finite(a):
                        continue
                    count += 1
                    make = numpy.dtype(kind).type
                    one, right_kind = make(one), line.valued or kind_of(other) == kind
                    if not (right_kind and _alike(line, one, make(other))):
                        found.append(Difference((left, right), line.body, (a, b), one, other))
    return count, found
