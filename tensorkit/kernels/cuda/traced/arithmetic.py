"""The arithmetic of a kernel: what its operators make of numbers, typed as Numba types them.

Python's own integers grow without end, and NumPy's stay as narrow as they are. In a kernel integers are computed in
64 bits and wrap, a bool is an integer, a Python number is an int64 or a float64, float32 meets an int32 as float64, and
a division by zero gives inf, nan or 0. Here an int64 is a Python int, a bool one of Python's, and any other number a
scalar of NumPy's. `BINARY`, `UNARY` and `COMPARE` hold the operators by the names of Python's syntax tree.

Source: https://numba.readthedocs.io/en/stable/proposals/integer-typing.html, and Numba's ``cpython/numbers.py``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy

Function = Callable[..., Any]
Way = Callable[[Any, Any], Any]

_FLOATS, _COMPLEX = ("float16", "float32", "float64"), ("complex64", "complex128")
_INTEGERS = tuple(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))
_BITS = {name: int(name.lstrip("uint")) for name in _INTEGERS}
KINDS: dict[type, str] = {
    bool: "bool", numpy.bool_: "bool", int: "int64", float: "float64", complex: "complex128",
    **{numpy.dtype(name).type: name for name in (*_INTEGERS, *_FLOATS, *_COMPLEX)},
    numpy.longlong: "int64", numpy.ulonglong: "uint64",
}  # fmt: skip
"""What Numba calls the types of numbers: those of Python and of NumPy."""

_HIGH, _ALL = 2**63, 2**64 - 1
_EXACT_IN = {
    "float16": ("bool", "int8", "float16"),
    "float32": ("int16", "uint8", "float32", "complex64"),
}
"""Which numbers meet a float16 or a float32 without needing a float64."""


def kind_of(value: Any) -> str:
    """What Numba calls the type of a number; empty for anything else.

    >>> kind_of(3), kind_of(True), kind_of(numpy.uint8(3)), kind_of("three")
    ('int64', 'bool', 'uint8', '')
    """
    return KINDS.get(type(value), "")


def _is_whole(kind: str) -> bool:
    return kind == "bool" or kind in _BITS


def _wrapped(number: int, kind: str) -> int:
    """An integer as its last bits say."""
    bits = _BITS[kind]
    number &= (1 << bits) - 1
    return number - (1 << bits) if kind[0] == "i" and number >> bits - 1 else number


def as_kind(kind: str, value: Any) -> Any:
    """A number as another kind of number, as C converts it; anything but a number comes back as it is.

    A number too large for an integer is left open by C: it becomes what this computer makes of it.

    >>> as_kind("uint8", 300), as_kind("int64", 2.7), as_kind("float32", 0.1)
    (np.uint8(44), 2, np.float32(0.1))
    """
    given = kind_of(value)
    if given in (kind, "") or not kind:
        return value
    if kind == "bool":
        return bool(value)
    if given in _COMPLEX and kind not in _COMPLEX:
        value = value.real
    if kind in _BITS:
        whole = int(value) if _is_whole(given) else int(numpy.asarray(value).astype(_cast_through(kind)))
        whole = _wrapped(whole, kind)
        return whole if kind == "int64" else _SCALAR[kind](whole)
    return _SCALAR[kind](value)


def _cast_through(kind: str) -> str:
    return "uint64" if kind == "uint64" else "int64"


_SCALAR = {name: numpy.dtype(name).type for name in (*_INTEGERS, *_FLOATS, *_COMPLEX)}


# ---- which kind two numbers meet in


def floating_kind(*kinds: str) -> str:
    """The floating point kind that numbers of which one is floating point are computed in."""
    bits = 16
    for kind in kinds:
        if kind not in _EXACT_IN["float16"]:
            bits = max(bits, 32 if kind in _EXACT_IN["float32"] else 64)
    if any(kind in _COMPLEX for kind in kinds):
        return "complex64" if bits <= 32 else "complex128"
    return f"float{bits}"


def common_kind(*kinds: str) -> str:
    """In which kind of number ``+`` and its kin compute.

    >>> common_kind("uint8", "uint8"), common_kind("uint8", "int64"), common_kind("int32", "float32")
    ('uint64', 'int64', 'float64')
    """
    if not all(map(_is_whole, kinds)):
        return floating_kind(*kinds)
    return "uint64" if all(kind[0] == "u" for kind in kinds) else "int64"


def joined_kind(*kinds: str) -> str:
    """The kind of a variable that holds one of these, whichever way the program went, and of their ``max``.

    >>> joined_kind("float32", "float64"), joined_kind("uint8", "int8"), joined_kind("int64", "uint64")
    ('float64', 'int16', 'float64')
    """
    return numpy.result_type(*kinds).name


def compared_kind(*kinds: str) -> str:
    """In which kind of number two are compared."""
    return joined_kind(*kinds) if all(map(_is_whole, kinds)) else floating_kind(*kinds)


# ---- an operator, and the way that it takes for two types


def _by_types(name: str, otherwise: Function, choose: Callable[[type, type], Way]) -> Way:
    """An operator of two numbers: `choose` says once for two types what is done; `otherwise` takes the rest."""
    ways: dict[tuple[type, type], Way] = {}

    def operate(a: Any, b: Any) -> Any:
        try:
            way = ways[a.__class__, b.__class__]
        except KeyError:
            numbers = type(a) in KINDS and type(b) in KINDS
            way = ways[type(a), type(b)] = choose(type(a), type(b)) if numbers else otherwise
        return way(a, b)

    operate.__name__ = operate.__qualname__ = name
    return operate


def _in(kind: str, work: Way, types: tuple[type, type]) -> Way:
    """`work` on two numbers that are made to be of one kind; of integers, on Python's, and its result wraps."""
    if kind == "int64":
        return _signed(work, types)
    make = _SCALAR[kind]
    if kind == "uint64":
        return lambda a, b: make(work(int(a), int(b)) & _ALL)
    ready = [one is make or (one is float and kind == "float64") for one in types]
    if all(ready) and make in types:
        return work
    if ready[0]:
        return lambda a, b: work(a, make(b))
    return (lambda a, b: work(make(a), b)) if ready[1] else lambda a, b: work(make(a), make(b))


def _signed(work: Way, types: tuple[type, type]) -> Way:
    if types == (int, int):

        def quick(a: int, b: int) -> int:
            found: int = work(a, b)
            return found if -_HIGH <= found < _HIGH else _wrapped(found, "int64")

        return quick
    whole = (lambda n: _wrapped(int(n), "int64")) if "uint64" in map(KINDS.get, types) else int

    def signed(a: Any, b: Any) -> int:
        found: int = work(whole(a), whole(b))
        return found if -_HIGH <= found < _HIGH else _wrapped(found, "int64")

    return signed


def _arithmetic(name: str, work: Way, real: Way | None = None, imaginary: Way | None = None) -> Way:
    """An operator that computes in the kind that its two numbers meet in."""

    def choose(a: type, b: type) -> Way:
        kind = common_kind(KINDS[a], KINDS[b])
        chosen = (imaginary or work) if kind in _COMPLEX else (real or work) if kind in _FLOATS else work
        return _in(kind, chosen, (a, b))

    return _by_types(name, getattr(operator, name), choose)


# ---- division


def _refused(symbol: str) -> Way:
    def refuse(a: Any, b: Any) -> Any:
        raise TypeError(f"unsupported operand type(s) for {symbol}: {kind_of(a)!r} and {kind_of(b)!r}")

    return refuse


def _whole_quotient(a: int, b: int) -> int:
    return a // b if b and (a, b) != (-_HIGH, -1) else 0


def _whole_rest(a: int, b: int) -> int:
    return a % b if b else 0


def _quotient_and_rest(x: Any, y: Any) -> tuple[Any, Any]:
    """Floor division of floating point numbers, as Python had it when Numba took it over."""
    rest = numpy.fmod(x, y)
    if y == 0:
        return x / y, rest
    quotient = (x - rest) / y
    if rest == 0:
        rest = numpy.copysign(type(y)(0), y)
    elif (y < 0) != (rest < 0):
        quotient, rest = quotient - type(y)(1), rest + y
    if quotient == 0 or numpy.isnan(quotient):
        return quotient * quotient * x / y, rest
    below = numpy.floor(quotient)
    return (below + type(y)(1) if quotient - below > 0.5 else below), rest


def _complex_quotient(a: Any, b: Any) -> Any:
    if b == 0:
        return a / b
    if abs(b.real) >= abs(b.imag):
        ratio = b.imag / b.real
        under = b.real + b.imag * ratio
        parts = (a.real + a.imag * ratio) / under, (a.imag - a.real * ratio) / under
    elif b.imag:
        ratio = b.real / b.imag
        under = b.real * ratio + b.imag
        parts = (a.real * ratio + a.imag) / under, (a.imag * ratio - a.real) / under
    else:  # a nan
        parts = numpy.nan, numpy.nan
    made = numpy.zeros(1, type(a))
    made.real, made.imag = parts
    return made[0]


def _true_quotient(a: type, b: type) -> Way:
    kinds = KINDS[a], KINDS[b]
    kind = "float64" if all(map(_is_whole, kinds)) else common_kind(*kinds)
    return _in(kind, _complex_quotient if kind in _COMPLEX else operator.truediv, (a, b))


# ---- powers


def _repeated(base: Any, exponent: int, one: Any, product: Way) -> Any:
    """A power by squaring, as a machine does it."""
    result = one
    while exponent:
        if exponent & 1:
            result = product(result, base)
        exponent >>= 1
        base = product(base, base)
    return result


def _whole_power(kind: str) -> Way:
    def power(base: int, exponent: int) -> int:
        if exponent >= 0:
            return pow(base, exponent, 2**64)
        if base == 0:
            return -_HIGH
        return (1 if exponent % 2 == 0 else base) if base in (1, -1) else 0

    made = int if kind == "int64" else numpy.uint64
    return lambda a, b: made(_wrapped(power(int(as_kind(kind, a)), int(b)), kind))


def _power(left: type, right: type) -> Way:
    types = left, right
    a, b = KINDS[types[0]], KINDS[types[1]]
    if (a, b) == ("bool", "int32"):
        return lambda x, y: _power(numpy.float32, numpy.int32)(numpy.float32(x), y)
    kind = common_kind(a, b)
    if kind in _BITS:
        return _whole_power(kind)
    if a in _FLOATS and _is_whole(b):
        make = _SCALAR[a if a != "float16" else "float32"]

        def by_squaring(base: Any, exponent: Any) -> Any:
            base, times = make(base), int(exponent)
            if abs(times) > 0x10000:
                return make(numpy.power(numpy.float64(base), numpy.float64(times)))
            found = _repeated(base, abs(times), make(1), operator.mul)
            return make(1) / found if times < 0 else found

        return by_squaring
    if kind in _COMPLEX:
        return _in(kind, lambda x, y: x * x if y == 2 else numpy.power(x, y), types)
    return _in(kind, numpy.power, types)


# ---- bits


def _refusing(symbol: str, kinds: tuple[str, ...]) -> None:
    if not all(map(_is_whole, kinds)):
        raise TypeError(f"unsupported operand type(s) for {symbol}: {kinds[0]!r} and {kinds[1]!r}")


def _shift(symbol: str, work: Way) -> Callable[[type, type], Way]:
    """A shift by as many bits as there are, or more, leaves nothing: 0, or -1 of a negative number shifted right."""

    def choose(a: type, b: type) -> Way:
        _refusing(symbol, (KINDS[a], KINDS[b]))
        kind = "uint64" if KINDS[a][0] == "u" else "int64"
        return _in(kind, lambda x, by: work(x, by if 0 <= by < 64 else 64), (a, b))

    return choose


def _bitwise(symbol: str, work: Way) -> Callable[[type, type], Way]:
    def choose(a: type, b: type) -> Way:
        kinds = KINDS[a], KINDS[b]
        _refusing(symbol, kinds)
        if set(kinds) == {"bool"}:
            return lambda x, y: bool(work(bool(x), bool(y)))
        return _in(common_kind(*kinds), work, (a, b))

    return choose


def _compare(name: str) -> Way:
    work: Way = getattr(operator, name)

    def choose(a: type, b: type) -> Way:
        kind = compared_kind(KINDS[a], KINDS[b])
        if (kind in _COMPLEX and name not in ("eq", "ne")) or a is b is int:
            return work
        if _is_whole(kind):
            return lambda x, y: work(int(x), int(y))
        typed = _in(kind, work, (a, b))
        return lambda x, y: bool(typed(x, y))

    return _by_types(name, work, choose)


BINARY: dict[str, Way] = {
    "Add": _arithmetic("add", operator.add),
    "Sub": _arithmetic("sub", operator.sub),
    "Mult": _arithmetic("mul", operator.mul),
    "Div": _by_types("truediv", operator.truediv, _true_quotient),
    "FloorDiv": _arithmetic(
        "floordiv", _whole_quotient, lambda x, y: _quotient_and_rest(x, y)[0], _refused("//")
    ),
    "Mod": _arithmetic("mod", _whole_rest, lambda x, y: _quotient_and_rest(x, y)[1], _refused("%")),
    "Pow": _by_types("pow", operator.pow, _power),
    "LShift": _by_types("lshift", operator.lshift, _shift("<<", operator.lshift)),
    "RShift": _by_types("rshift", operator.rshift, _shift(">>", operator.rshift)),
    "BitAnd": _by_types("and_", operator.and_, _bitwise("&", operator.and_)),
    "BitOr": _by_types("or_", operator.or_, _bitwise("|", operator.or_)),
    "BitXor": _by_types("xor", operator.xor, _bitwise("^", operator.xor)),
}
COMPARE: dict[str, Way] = {
    "Eq": _compare("eq"), "NotEq": _compare("ne"), "Lt": _compare("lt"), "LtE": _compare("le"), "Gt": _compare("gt"),
    "GtE": _compare("ge"),
}  # fmt: skip


# ---- operators of one number


def _widened(number: int, kind: str) -> Any:
    """An integer that wraps in the bits that it had, in 64 bits."""
    whole = _wrapped(number, kind)
    return whole if kind[0] == "i" else numpy.uint64(whole)


def _negative(a: Any) -> Any:
    """``-a``: of a narrow integer without a sign it wraps first, and is widened then."""
    kind = kind_of(a)
    if kind in _BITS:
        return _widened(-int(a), kind)
    return -int(a) if kind == "bool" else -a


def _positive(a: Any) -> Any:
    """``+a``."""
    kind = kind_of(a)
    if kind in _BITS:
        return _widened(int(a), kind)
    return int(a) if kind == "bool" else +a


def _inverted(a: Any) -> Any:
    """``~a``: of a bool, the other one."""
    kind = kind_of(a)
    if kind in _BITS:
        return _widened(~int(a), kind)
    return not a if kind == "bool" else ~a


UNARY: dict[str, Function] = {"USub": _negative, "UAdd": _positive, "Invert": _inverted}


# ---- Python's functions of numbers


def _integer(x: Any = 0, *base: Any) -> Any:
    """``int(x)``: an integer keeps its kind."""
    kind = kind_of(x)
    if base or not kind or kind in _COMPLEX:
        return int(x, *base)
    return x if kind in _BITS else as_kind("int64", x)


def _real(x: Any = 0.0) -> Any:
    """``float(x)``: a float32 stays one."""
    return x if kind_of(x) == "float32" else numpy.float64(x)


def _absolute(x: Any) -> Any:
    """``abs(x)``: an integer keeps its kind."""
    kind = kind_of(x)
    if kind not in _BITS:
        return numpy.int8(x) if kind == "bool" else abs(x)
    whole = _wrapped(abs(int(x)), kind)
    return whole if kind == "int64" else _SCALAR[kind](whole)


def _rounded(x: Any, digits: Any = None) -> Any:
    """``round(x)``: half to even, an int64; with digits it stays what it was."""
    kind = kind_of(x)
    if not kind or kind in _COMPLEX:
        return round(x) if digits is None else round(x, digits)
    floating = x if kind in _FLOATS else _SCALAR[floating_kind(kind, "float32")](x)
    if digits is None:
        return as_kind("int64", numpy.rint(floating))
    return _SCALAR[kind_of(floating)](_rounded_to(floating, int(digits)))


def _rounded_to(x: Any, digits: int) -> Any:
    """Rounded as Python did before it knew how to print a float exactly; Numba has kept that."""
    if not numpy.isfinite(x):
        return x
    make = type(x)
    if digits < 0:
        power = make(10.0**-digits)
        return numpy.rint(x / power) * power
    first = make(10.0 ** min(digits, 22))
    second = make(10.0 ** (digits - 22)) if digits > 22 else make(1)
    scaled = x * first * second
    return numpy.rint(scaled) / second / first if numpy.isfinite(scaled) else x


def _extreme(ignoring: Function, better: Way) -> Function:
    """``min`` or ``max``: of two floating point numbers, the one that is not nan, as on a GPU."""

    def chosen(*given: Any) -> Any:
        values = given if len(given) > 1 else tuple(given[0])
        kinds = tuple(map(kind_of, values))
        if not all(kinds):
            raise TypeError("min and max in a kernel take numbers")
        made = [as_kind(joined_kind(*kinds), value) for value in values]
        if len(given) == 2 and all(kind in _FLOATS for kind in kinds):
            return ignoring(*made)
        return reduce(lambda best, value: value if better(value, best) else best, made)

    return chosen


def _both(a: Any, b: Any) -> tuple[Any, Any]:
    """``divmod(a, b)``."""
    kinds = kind_of(a), kind_of(b)
    kind = joined_kind(*kinds) if all(map(_is_whole, kinds)) else floating_kind(*kinds)
    if _is_whole(kind):
        kind = "uint64" if kind[0] == "u" else "int64"
    a, b = as_kind(kind, a), as_kind(kind, b)
    return BINARY["FloorDiv"](a, b), BINARY["Mod"](a, b)


def _complex(real: Any = 0.0, *imaginary: Any) -> Any:
    kinds = (kind_of(real), *map(kind_of, imaginary))
    made = complex(real, *imaginary)
    return numpy.complex64(made) if set(kinds) == {"float32"} else numpy.complex128(made)


def _pow(base: Any, exponent: Any) -> Any:
    return BINARY["Pow"](base, exponent)


def _sum(values: Any, start: Any = 0) -> Any:
    return reduce(BINARY["Add"], values, start)


def _is_one_of(value: Any, kinds: Any) -> bool:
    """``isinstance`` of numbers: every width counts."""
    names = {_integer: "int", _real: "float", _complex: "complex"}
    for kind in kinds if isinstance(kinds, tuple) else (kinds,):
        if kind not in names and isinstance(value, kind):
            return True
        if kind in names and kind_of(value).lstrip("u").startswith(names[kind]):
            return True
    return False


FUNCTIONS: dict[str, Function] = {
    "isinstance": _is_one_of,
    "int": _integer, "float": _real, "abs": _absolute, "round": _rounded, "divmod": _both, "complex": _complex,
    "pow": _pow, "sum": _sum, "min": _extreme(numpy.fmin, operator.lt), "max": _extreme(numpy.fmax, operator.gt),
}  # fmt: skip
"""What the names of Python's own functions stand for in a kernel."""
