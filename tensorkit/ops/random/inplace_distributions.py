"""Random numbers of many kinds, drawn as PyTorch draws them: fills in place.

The formulas are in `tensorkit.random`; here is what a call means, what it refuses, and in which order. What a fill
draws does not depend on what was there: its derivative by the old values is zero.

Source: https://docs.pytorch.org/docs/stable/torch.html#in-place-random-sampling
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy

from tensorkit import dtypes, random
from tensorkit.autograd.graph import Rule
from tensorkit.device import META
from tensorkit.dispatch.call_errors import missing_kernel, takes, unmatched
from tensorkit.dispatch.op import op
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import dtype
from tensorkit.elementwise.output import check_writable
from tensorkit.ops.random.draw import Drawing, draw
from tensorkit.ops.random.randint import check_range, random_bounds
from tensorkit.ops.shared.type_names import cpp_name
from tensorkit.random import Generator
from tensorkit.tensor import Array, Tensor

REAL = ("float16", "bfloat16", "float32", "float64")


# -- arguments ----------------------------------------------------------------------------------------------------


def _number(name: str, parameter: str, position: int | None, value: Any) -> float:
    """A float given as a number, or as a tensor that holds one and wants no gradient."""
    good = isinstance(value, (bool, int, float, numpy.number, numpy.bool_))
    if isinstance(value, Tensor):
        good = value.dim() == 0 and not value.requires_grad and not value.is_complex()
        value = value.item() if good else value
    if not good or isinstance(value, complex):
        where = "" if position is None else f" (position {position})"
        raise TypeError(f"{name}(): argument '{parameter}'{where} must be float, not {type_name(value)}")
    return float(value)


def _numbers(
    name: str, defaults: dict[str, Any], args: Sequence[Any], keyword: dict[str, Any]
) -> list[float]:
    """The numbers of a call, positional or by name; a parameter whose default is None must be given."""
    parameters = list(defaults)
    if len(args) > len(parameters):
        least = sum(default is None for default in defaults.values())
        most = len(parameters)
        takes = str(most) if least == most else f"from {least} to {most}"
        plural = "" if takes == "1" else "s"
        was = "was" if len(args) == 1 else "were"
        raise TypeError(f"{name}() takes {takes} positional argument{plural} but {len(args)} {was} given")
    given: dict[str, tuple[Any, int | None]] = {
        parameter: (value, place + 1)
        for place, (parameter, value) in enumerate(zip(parameters, args, strict=False))
    }
    missing = [p for p in parameters if defaults[p] is None and p not in given and p not in keyword]
    if missing:
        raise TypeError(f'{name}() missing 1 required positional arguments: "{missing[0]}"')
    for key, value in keyword.items():
        if key not in defaults:
            raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
        if key in given:
            raise TypeError(f"{name}() got multiple values for argument '{key}'")
        given[key] = value, None
    return [
        _number(name, parameter, given[parameter][1], given[parameter][0])
        if parameter in given
        else float(defaults[parameter])
        for parameter in parameters
    ]


def check_generator(name: str, generator: Any, position: int | None = None) -> None:
    if generator is not None and not isinstance(generator, Generator):
        where = "" if position is None else f" (position {position})"
        kind = type_name(generator)
        raise TypeError(f"{name}(): argument 'generator'{where} must be tensorkit.Generator, not {kind}")


def _shown(input: Tensor, number: float) -> str:
    """A number in an error: as C++ writes it, or Python, which makes the checks for tensors without data."""
    return repr(number) if input._device == META else f"{number:g}"


# -- fills in place -----------------------------------------------------------------------------------------------


def _fill(input: Tensor, generator: Generator | None, fill: Callable[[Array, Generator], None]) -> Tensor:
    return draw(input, generator, fill, given=True)


def _zeros(name: str, **formulas: Any) -> Rule:
    """The derivative of a fill: what was there before does not matter."""
    return Rule(f"{name}Backward0", input=lambda g, c: g.new_zeros(g.size()), **formulas)


def check_std(input: Tensor, std: float) -> None:
    if not std >= 0.0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {_shown(input, std)}")


def fill_normal(input: Tensor, generator: Generator | None, mean: float, std: float) -> Tensor:
    check_std(input, std)
    if input._dtype.category < 2:
        if input._device == META:
            raise RuntimeError(f"expected a floating-point or complex dtype, but got dtype={input._dtype}")
        if input.numel():
            raise missing_kernel("normal_kernel_cpu", input._dtype.label)
    check_writable(input)
    return _fill(input, generator, Drawing(random.fill_normal, mean, std))


@op(kind="inplace", function=False, derivative=_zeros("Normal"))
@takes("(Tensor input, float mean = 0, float std = 1, *, tensorkit.Generator generator = None)")
def normal_(input: Tensor, *numbers: Any, generator: Generator | None = None, **keyword: Any) -> Tensor:
    """Fill with normally distributed numbers: ``normal_(mean=0, std=1)``.

    Args:
        mean, std: of the distribution; std is not negative.
        generator: where the numbers come from; the default generator (`manual_seed`) if not given.

    Raises:
        RuntimeError: for a negative std. NotImplementedError: for integers and bool.

    >>> _ = tk.manual_seed(0)
    >>> tk.zeros(3).normal_(10, 0.5)
    tensor([10.7705,  9.8533,  8.9106])
    """
    mean, std = _numbers("normal_", {"mean": 0.0, "std": 1.0}, numbers, keyword)
    check_generator("normal_", generator)
    return fill_normal(input, generator, mean, std)


def _check_ends(kind: dtype, low: float, high: float) -> None:
    """Refuse ends that the dtype cannot hold, and those of no interval."""
    real = {dtypes.complex64: dtypes.float32, dtypes.complex128: dtypes.float64}.get(kind, kind)
    most = _largest(real)
    for name, value in (("from", low), ("to", high)):
        if not -most <= value <= most:
            raise RuntimeError(f"{name} is out of bounds for {cpp_name(real)}")
    if low > high:
        raise RuntimeError(
            f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}"
        )
    if high - low > most:
        raise RuntimeError(
            f"uniform_ expects to-from <= std::numeric_limits<{real.label}>::max(), but found to={high:g} "
            f"and from={low:g} which result in to-from to exceed the limit"
        )


def _largest(kind: dtype) -> float:
    """The largest number of a floating point dtype."""
    most = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38, "float32": 3.4028234663852886e38}
    return most.get(kind.name, 1.7976931348623157e308)


@op(kind="inplace", function=False, derivative=_zeros("Uniform"))
@takes("(Tensor input, float from = 0, float to = 1, *, tensorkit.Generator generator = None)")
def uniform_(input: Tensor, *numbers: Any, generator: Generator | None = None, **keyword: Any) -> Tensor:
    """Fill with numbers drawn evenly from [from, to): ``uniform_(from=0, to=1)``.

    Args:
        from, to: the ends. generator: where the numbers come from; the default generator if not given.

    Raises:
        RuntimeError: for ends in the wrong order or beyond the dtype's range.
        NotImplementedError: for integers and bool.

    >>> _ = tk.manual_seed(0)
    >>> tk.zeros(3).uniform_(-1, 1)
    tensor([-0.0075,  0.5364, -0.8230])
    """
    low, high = _numbers("uniform_", {"from": 0.0, "to": 1.0}, numbers, keyword)
    check_generator("uniform_", generator)
    if input._device != META:
        if input._dtype.category < 2:
            raise missing_kernel("check_uniform_bounds", input._dtype.label)
        if input.numel() or not input.is_complex():
            _check_ends(input._dtype, low, high)
        check_writable(input)
    return _fill(input, generator, Drawing(random.fill_uniform, low, high))


def _check_continuous(input: Tensor, name: str, given: str) -> None:
    """Refuse a dtype that is not real and floating point, in words that several distributions share."""
    if input._dtype.name not in REAL and (input.numel() or input._device == META or name == "Cauchy"):
        between = "        " if input._device == META else ""
        raise RuntimeError(
            f"{name} distribution is a continuous probability distribution. {between}"
            f"dtype must be a floating point but you specified {input._dtype if between else given}"
        )


@op(kind="inplace", function=False, derivative=_zeros("Exponential"))
@takes("(Tensor input, float lambd = 1, *, tensorkit.Generator generator = None)")
def exponential_(input: Tensor, *numbers: Any, generator: Generator | None = None, **keyword: Any) -> Tensor:
    """Fill with exponentially distributed numbers of the density lambd * exp(-lambd * x): ``exponential_(lambd=1)``.

    Args:
        lambd: the rate, positive. generator: where the numbers come from; the default generator if not given.

    Raises:
        RuntimeError: for a rate that is not positive, and for dtypes that are not real floating point.

    >>> _ = tk.manual_seed(0)
    >>> tk.zeros(3).exponential_()
    tensor([3.5083, 1.2304, 0.6150])
    """
    (rate,) = _numbers("exponential_", {"lambd": 1.0}, numbers, keyword)
    check_generator("exponential_", generator)
    if not rate > 0.0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={_shown(input, rate)}")
    check_writable(input)
    _check_continuous(input, "Exponential", input._dtype.label)
    return _fill(input, generator, Drawing(random.fill_exponential, rate))


@op(kind="inplace", function=False, derivative=_zeros("LogNormal"))
@takes("(Tensor input, float mean = 1, float std = 2, *, tensorkit.Generator generator = None)")
def log_normal_(input: Tensor, *numbers: Any, generator: Generator | None = None, **keyword: Any) -> Tensor:
    """Fill with numbers whose logarithms are normally distributed: ``log_normal_(mean=1, std=2)``.

    Args:
        mean, std: of the logarithms; std is positive.
        generator: where the numbers come from; the default generator if not given.

    Raises:
        RuntimeError: for a std that is not positive.
        NotImplementedError: for dtypes that are not real floating point.

    >>> _ = tk.manual_seed(0)
    >>> tk.zeros(3).log_normal_(0, 0.5)
    tensor([2.1608, 0.8635, 0.3364])
    """
    mean, std = _numbers("log_normal_", {"mean": 1.0, "std": 2.0}, numbers, keyword)
    check_generator("log_normal_", generator)
    if not std > 0.0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={_shown(input, std)}")
    check_writable(input)
    if input._dtype.name not in REAL:
        if input._device == META:
            raise RuntimeError(f"log_normal not implemented for {input._dtype}")
        if input.numel():
            raise missing_kernel("log_normal_cpu", input._dtype.label)
    return _fill(input, generator, Drawing(random.fill_log_normal, mean, std))


@op(kind="inplace", function=False, derivative=_zeros("Cauchy"))
@takes("(Tensor input, float median = 0, float sigma = 1, *, tensorkit.Generator generator = None)")
def cauchy_(input: Tensor, *numbers: Any, generator: Generator | None = None, **keyword: Any) -> Tensor:
    """Fill with Cauchy distributed numbers: ``cauchy_(median=0, sigma=1)``.

    Args:
        median: half of the numbers are below. sigma: half of the numbers are within this distance, positive.
        generator: where the numbers come from; the default generator if not given.

    Raises:
        RuntimeError: for a sigma that is not positive, and for dtypes that are not real floating point.

    >>> _ = tk.manual_seed(0)
    >>> tk.zeros(3).cauchy_()
    tensor([10.5977,  0.7648, -0.1283])
    """
    median, sigma = _numbers("cauchy_", {"median": 0.0, "sigma": 1.0}, numbers, keyword)
    check_generator("cauchy_", generator)
    if not sigma > 0.0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={_shown(input, sigma)}")
    _check_continuous(input, "Cauchy", cpp_name(input._dtype))
    check_writable(input)
    return _fill(input, generator, Drawing(random.fill_cauchy, median, sigma))


@op(kind="inplace", function=False, derivative=_zeros("Geometric"))
def geometric_(input: Tensor, p: float, *, generator: Generator | None = None) -> Tensor:
    """Fill with how many tries it takes until one succeeds: ``geometric_(p)``.

    Args:
        p: how often a try succeeds, between 0 and 1.
        generator: where the numbers come from; the default generator if not given.

    Raises:
        RuntimeError: for a p out of range. NotImplementedError: for bool, complex and wide unsigned integers.

    >>> _ = tk.manual_seed(0)
    >>> tk.zeros(5).geometric_(0.25)
    tensor([1., 2., 3., 1., 2.])
    """
    p = _number("geometric_", "p", 1, p)
    check_generator("geometric_", generator)
    if not 0.0 < p < 1.0:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={_shown(input, p)}")
    check_writable(input)
    check_counts("geometric_cpu", input)
    return _fill(input, generator, Drawing(random.fill_geometric, p))


UNCOUNTED = ("uint16", "uint32", "uint64", "complex64", "complex128")


def check_counts(kernel: str, input: Tensor, refused: Sequence[str] = (*UNCOUNTED, "bool")) -> None:
    """Refuse the dtypes that a kernel does not know, where there is anything to draw."""
    if input._dtype.name in refused and input.numel() and input._device != META:
        raise missing_kernel(kernel, input._dtype.label)


# -- whole numbers ------------------------------------------------------------------------------------------------


def _random_name(arguments: dict[str, Any]) -> str:
    """PyTorch counts its three forms from the one with two ends down."""
    ends = len(arguments.get("ends") or ()) + ("from" in arguments) + ("to" in arguments)
    return f"RandomBackward{2 - ends}"


_RANDOM_FORMS = (
    "*, tensorkit.Generator generator = None",
    "int from, int to, *, tensorkit.Generator generator = None",
    "int to, *, tensorkit.Generator generator = None",
)


def _range_of(
    args: tuple[Any, ...], keyword: dict[str, Any], generator: Any
) -> tuple[int, int | None] | None:
    """From where to where ``random_`` draws: None for the dtype's own range, (from, None) up to the dtype's end."""
    if len(args) > 2:
        raise TypeError(f"random_() takes 2 positional arguments but {len(args)} were given")
    named = keyword if generator is None or isinstance(generator, Generator) else {**keyword, "generator": 0}
    refused = unmatched("random_", args, named, _RANDOM_FORMS)
    names = ("to",) if len(args) == 1 and not keyword else ("from", "to")
    bound = dict(zip(names, args, strict=False))
    if set(bound) & set(keyword) or named is not keyword:
        raise refused
    bound |= keyword
    if not bound:
        return None
    if "to" not in bound or set(bound) - {"from", "to"}:
        raise refused
    first, last = bound.get("from", 0), bound["to"]
    if not _whole(first) or not (_whole(last) or (last is None and "from" in bound)):
        raise refused
    return _int64(first), None if last is None else _int64(last)


def _whole(value: Any) -> bool:
    if isinstance(value, Tensor):
        return value.dim() == 0 and value._dtype.category == 1
    return not isinstance(value, bool) and hasattr(value, "__index__")


def _int64(value: Any) -> int:
    number = int(value.item()) if isinstance(value, Tensor) else int(value.__index__())
    if not -(2**63) <= number < 2**63:
        raise ValueError("Overflow when unpacking long long")
    return number


def _random_all(input: Tensor, generator: Generator | None) -> Tensor:
    check_writable(input)
    check_counts("random_kernel_cpu", input, UNCOUNTED)
    return _fill(input, generator, random.fill_full_range)


def _random_bits(input: Tensor, generator: Generator | None) -> Tensor:
    """All 64 bits of a draw as they are."""
    check_writable(input)
    kernel = "random_full_64_bits_range_kernel_cpu"
    if input._device != META and input.numel():
        if input._dtype.name in ("uint8", "int8", "int16", "int32"):
            raise RuntimeError(f"{kernel} handles only int64, double, float and bfloat16")
        if input._dtype.name not in ("int64", "float64", "float32", "bfloat16"):
            raise missing_kernel(kernel, input._dtype.label)
    return _fill(input, generator, Drawing(random.fill_full_range, True))


def _last_of(kind: dtype, first: int) -> int:
    """The last whole number that ``random_(from, None)`` draws."""
    if kind.is_complex:
        raise RuntimeError("random_from_to_impl handles only integral, floating-point and boolean types")
    if kind is dtypes.bool:
        return 1
    if kind.category == 1:
        # PyTorch takes the end for an int64, and so has none for uint64.
        return -1 if kind is dtypes.uint64 else int(numpy.iinfo(kind.numpy).max)
    last: int = 2 ** {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}[kind.name]
    if first >= last:
        raise RuntimeError(
            "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, "
            f"but got from={first} > to_inc={last}"
        )
    return last


@op(kind="inplace", function=False, derivative=Rule(_random_name, input=lambda g, c: g.new_zeros(g.size())))
@takes(
    method=(
        "(*, tensorkit.Generator generator = None)",
        "(int from, int to, *, tensorkit.Generator generator = None)",
        "(int to, *, tensorkit.Generator generator = None)",
    )
)
def random_(input: Tensor, *ends: Any, generator: Generator | None = None, **keyword: Any) -> Tensor:
    """Fill with whole numbers: ``random_(to)`` from [0, to), ``random_(from, to)`` from [from, to).

    ``random_()`` draws all numbers of an integer dtype from 0 on, and of a floating point one all whole numbers that
    it can tell apart; ``random_(from, None)`` draws up to the same end.

    Args:
        from, to: int64 bounds. generator: where the numbers come from; the default generator if not given.

    Raises:
        RuntimeError: when from >= to, or the dtype cannot hold a bound. NotImplementedError: for complex dtypes.

    >>> _ = tk.manual_seed(0)
    >>> tk.zeros(5).random_(10)
    tensor([4., 9., 3., 0., 3.])
    """
    between = _range_of(ends, keyword, generator)
    if between is None:
        return _random_all(input, generator)
    low, last = between
    if input._device == META:
        return _fill(input, generator, random.fill_full_range)
    if last is None and low == -(2**63):
        return _random_bits(input, generator)
    check_writable(input)
    if last is not None:
        check_range(low, last)
    low, high = random_bounds(low, _last_of(input._dtype, low) + 1 if last is None else last, input._dtype)
    return _fill(input, generator, Drawing(random.fill_integers, low, high))
