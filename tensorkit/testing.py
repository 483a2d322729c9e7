"""Assertions about tensors: `assert_close`, which says how many elements differ, where and by how much.

Source: behaviour and texts follow https://docs.pytorch.org/docs/stable/testing.html.
"""

from __future__ import annotations

import cmath
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy

from tensorkit import dtypes
from tensorkit.device import META
from tensorkit.dtypes import dtype
from tensorkit.ops.shared.tensor_data import as_tensor, tensor
from tensorkit.tensor import Tensor

__all__ = ["assert_allclose", "assert_close"]


def __dir__() -> list[str]:
    return __all__


_RELATIVE = {"float16": 1e-3, "bfloat16": 1.6e-2, "float32": 1.3e-6, "complex64": 1.3e-6}
_DOUBLES = ("float64", "complex128")
_CLASSES = (bool, int, float, complex)
_NUMBERS = (int, float, complex, numpy.number, numpy.bool_)
_ARRAYS = (numpy.ndarray, numpy.generic)


class _Options(NamedTuple):
    """How two things are compared; the names are those of the arguments of `assert_close`."""

    rtol: float | None
    atol: float | None
    equal_nan: bool
    check_device: bool
    check_dtype: bool
    check_layout: bool
    check_stride: bool
    allow_subclasses: bool

    def tolerances(self, *kinds: dtype) -> tuple[float, float]:
        """rtol and atol: as given, or the largest of the defaults of these dtypes."""
        if self.rtol is not None and self.atol is not None:
            return self.rtol, self.atol
        return max(map(_default_rtol, kinds)), max(map(_default_atol, kinds))


def _default_rtol(kind: dtype) -> float:
    return 1e-7 if kind.name in _DOUBLES else _RELATIVE.get(kind.name, 0.0)


def _default_atol(kind: dtype) -> float:
    return 1e-7 if kind.name in _DOUBLES else 1e-5 if kind.name in _RELATIVE else 0.0


class _Mismatch(Exception):
    """Two things differ: the class of the error to raise, what it says, and where in the containers they are."""

    def __init__(self, error: type[Exception], text: str, path: tuple[Any, ...] = ()) -> None:
        super().__init__(text)
        self.error, self.text, self.path = error, text, path

    def told(self) -> str:
        """The text, with the item in which it was found."""
        if not self.path:
            return self.text
        return f"{self.text}\n\nThe failure occurred for item {''.join(f'[{step!r}]' for step in self.path)}"


# -- what is compared with what -----------------------------------------------------------------------------------


Pair = tuple[Any, Any, tuple[Any, ...]]


def _pairs(actual: Any, expected: Any, path: tuple[Any, ...] = ()) -> Iterator[Pair]:
    """What two structures hold, side by side, with the way to it."""
    if _both(Sequence, actual, expected) and not _either(str, actual, expected):
        if len(actual) != len(expected):
            text = f"The length of the sequences mismatch: {len(actual)} != {len(expected)}"
            raise _Mismatch(AssertionError, text, path)
        for place, (one, other) in enumerate(zip(actual, expected, strict=True)):
            yield from _pairs(one, other, (*path, place))
    elif _both(Mapping, actual, expected):
        yield from _by_key(actual, expected, path)
    else:
        yield actual, expected, path


def _by_key(actual: Mapping[Any, Any], expected: Mapping[Any, Any], path: tuple[Any, ...]) -> Iterator[Pair]:
    missing, additional = expected.keys() - actual.keys(), actual.keys() - expected.keys()
    if missing or additional:
        raise _Mismatch(
            AssertionError,
            "The keys of the mappings do not match:\n"
            f"Missing keys in the actual mapping: {_in_order(missing)}\n"
            f"Additional keys in the actual mapping: {_in_order(additional)}",
            path,
        )
    keys = list(actual)
    try:
        keys.sort()
    except TypeError:  # keys of several types have no order
        keys = list(actual)
    for key in keys:
        yield from _pairs(actual[key], expected[key], (*path, key))


def _in_order(keys: set[Any]) -> list[Any]:
    try:
        return sorted(keys)
    except TypeError:
        return list(keys)


def _both(kind: Any, actual: Any, expected: Any) -> bool:
    return isinstance(actual, kind) and isinstance(expected, kind)


def _either(kind: Any, actual: Any, expected: Any) -> bool:
    return isinstance(actual, kind) or isinstance(expected, kind)


def _comparer(pair: Pair, options: _Options) -> Callable[[], None]:
    """Compares two things that are not containers; raised for things that cannot be compared."""
    actual, expected, path = pair
    if _either(type(None), actual, expected):
        return lambda: _compare_none(actual, expected, path)
    if _both((bool, numpy.bool_), actual, expected):
        return lambda: _compare_booleans(actual, expected, path)
    if _both(_NUMBERS, actual, expected):
        return lambda: _compare_numbers(_plain(actual), _plain(expected), options, path)
    related = options.allow_subclasses or type(actual) is type(expected)
    related = related and (isinstance(actual, type(expected)) or isinstance(expected, type(actual)))
    if related and _both((Tensor, *_ARRAYS), actual, expected):
        return lambda: _Tensors(_as_tensor(actual), _as_tensor(expected), options, path).compare()
    kinds = f"{type(actual)} and {type(expected)}"
    raise _Mismatch(TypeError, f"No comparison pair was able to handle inputs of type {kinds}.", path)


def _as_tensor(value: Any) -> Tensor:
    return value if isinstance(value, Tensor) else as_tensor(value)


def _plain(number: Any) -> Any:
    return number.item() if isinstance(number, numpy.generic) else number


# -- single values ------------------------------------------------------------------------------------------------


def _compare_none(actual: Any, expected: Any, path: tuple[Any, ...]) -> None:
    if actual is not expected:
        raise _Mismatch(AssertionError, f"None mismatch: {actual} is not {expected}", path)


def _compare_booleans(actual: Any, expected: Any, path: tuple[Any, ...]) -> None:
    if bool(actual) is not bool(expected):
        raise _Mismatch(AssertionError, f"Booleans mismatch: {bool(actual)} is not {bool(expected)}", path)


_KINDS = {int: dtypes.int64, float: dtypes.float64, complex: dtypes.complex128, bool: dtypes.bool}


def _compare_numbers(actual: Any, expected: Any, options: _Options, path: tuple[Any, ...]) -> None:
    if options.check_dtype and type(actual) is not type(expected):
        text = f"The (d)types do not match: {type(actual)} != {type(expected)}."
        raise _Mismatch(AssertionError, text, path)
    rtol, atol = options.tolerances(_KINDS[type(actual)], _KINDS[type(expected)])
    difference = abs(actual - expected)
    if actual == expected or (options.equal_nan and _is_nan(actual) and _is_nan(expected)):
        return
    if cmath.isfinite(difference) and difference <= atol + rtol * abs(expected):
        return
    relative = difference / abs(expected) if expected != 0 else float("inf")
    raise _Mismatch(AssertionError, _scalars(actual, expected, difference, relative, rtol, atol), path)


def _is_nan(number: Any) -> bool:
    return bool(number != number)


def _scalars(actual: Any, expected: Any, difference: Any, relative: Any, rtol: float, atol: float) -> str:
    exact = rtol == 0 and atol == 0
    return "\n".join(
        (
            f"Scalars are not {'equal' if exact else 'close'}!\n",
            f"Expected {expected} but got {actual}.",
            f"Absolute difference: {difference}" + ("" if exact else f" (up to {atol} allowed)"),
            f"Relative difference: {relative}" + ("" if exact else f" (up to {rtol} allowed)"),
        )
    )


# -- tensors ------------------------------------------------------------------------------------------------------


class _Tensors:
    """Two tensors that are compared: first what they are, then what they hold."""

    def __init__(self, actual: Tensor, expected: Tensor, options: _Options, path: tuple[Any, ...]) -> None:
        self.actual, self.expected, self.options, self.path = (
            actual.detach(),
            expected.detach(),
            options,
            path,
        )

    def compare(self) -> None:
        """Raise if they differ."""
        self._check_attributes()
        rtol, atol = self.options.tolerances(self.actual.dtype, self.expected.dtype)
        actual, expected = self.actual, self.expected
        if actual.device != expected.device:
            actual, expected = actual.cpu(), expected.cpu()
        if META in (actual.device, expected.device) or not actual.numel():
            return
        if actual.dtype != expected.dtype:
            common = dtypes.promote_types(actual.dtype, expected.dtype)
            actual, expected = actual.to(common), expected.to(common)
        close = actual.isclose(expected, rtol=rtol, atol=atol, equal_nan=self.options.equal_nan)
        if not bool(close.all()):
            raise _Mismatch(AssertionError, _described(actual, expected, close, rtol, atol), self.path)

    def _check_attributes(self) -> None:
        actual, expected, options = self.actual, self.expected, self.options
        self._same("shape", actual.shape, expected.shape)
        self._same("layout", actual.layout, expected.layout, options.check_layout)
        self._same("stride()", actual.stride(), expected.stride(), options.check_stride)
        self._same("device", actual.device, expected.device, options.check_device)
        self._same("dtype", actual.dtype, expected.dtype, options.check_dtype)

    def _same(self, name: str, actual: Any, expected: Any, asked: bool = True) -> None:
        if asked and actual != expected:
            text = f"The values for attribute '{name}' do not match: {actual} != {expected}."
            raise _Mismatch(AssertionError, text, self.path)


def _described(actual: Tensor, expected: Tensor, close: Tensor, rtol: float, atol: float) -> str:
    """What is to say about tensors that are not close: how many elements are not, and the greatest differences."""
    if not actual.dim():
        one, other = actual.item(), expected.item()
        difference = abs(one - other)
        relative = difference / abs(other) if other != 0 else float("inf")
        return _scalars(one, other, difference, relative, rtol, atol)
    exact = rtol == 0 and atol == 0
    wrong, total = int((~close).sum()), close.numel()
    if actual.dtype.category < 2:  # no difference of integers may overflow
        actual, expected = actual.to(dtypes.int64), expected.to(dtypes.int64)
    difference = (actual - expected).abs()
    difference[close] = 0
    relative = difference / expected.abs()
    relative[close] = 0
    return "\n".join(
        (
            f"Tensor-likes are not {'equal' if exact else 'close'}!\n",
            f"Mismatched elements: {wrong} / {total} ({wrong / total:.1%})",
            _greatest("absolute", difference, None if exact else atol),
            _greatest("relative", relative, None if exact else rtol),
        )
    )


def _greatest(what: str, differences: Tensor, allowed: float | None) -> str:
    place = int(differences.flatten().argmax())
    index = tuple(int(step) for step in numpy.unravel_index(place, differences.shape))
    up_to = "" if allowed is None else f" (up to {allowed} allowed)"
    return f"Greatest {what} difference: {differences.flatten()[place].item()} at index {index}{up_to}"


# -- the assertion ------------------------------------------------------------------------------------------------


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """Assert that `actual` and `expected` are close: ``|actual - expected| <= atol + rtol * |expected|``.

    Args:
        actual, expected: tensors, NumPy arrays or numbers, or sequences and mappings of them.
        rtol, atol: how far they may be apart: both or none; by default what their dtypes suggest, 0 for integers.
        equal_nan: whether nan equals itself.
        check_device, check_dtype, check_layout, check_stride: whether the tensors' attributes must agree too.
        allow_subclasses: whether a tensor may be compared with one of a subclass.
        msg: another message, or a function that makes it of the usual one.

    Raises:
        AssertionError: when they are not. TypeError: when they cannot be compared.
        ValueError: when only one of `rtol` and `atol` is given.

    >>> tk.testing.assert_close(tk.tensor([1.0, 2.0]), tk.tensor([1.0, 2.5]))
    Traceback (most recent call last):
        ...
    AssertionError: Tensor-likes are not close!
    <BLANKLINE>
    Mismatched elements: 1 / 2 (50.0%)
    Greatest absolute difference: 0.5 at index (1,) (up to 1e-05 allowed)
    Greatest relative difference: 0.20000000298023224 at index (1,) (up to 1.3e-06 allowed)

    Source: https://docs.pytorch.org/docs/stable/testing.html#torch.testing.assert_close
    """
    __tracebackhide__ = True
    if (rtol is None) != (atol is None):
        lacking = "rtol" if rtol is None else "atol"
        raise ValueError(f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {lacking}.")
    options = _Options(
        rtol, atol, equal_nan, check_device, check_dtype, check_layout, check_stride, allow_subclasses
    )
    try:
        # All are checked before any is compared: what cannot be compared is reported first.
        for compare in [_comparer(pair, options) for pair in _pairs(actual, expected)]:
            compare()
        return
    except _Mismatch as found:
        text, error = found.told(), found.error
        if msg is not None and error is AssertionError:
            text = msg(text) if callable(msg) else msg
    raise error(text)


#: How far apart numbers may be for `assert_allclose`, by dtype.
_ALLOWED = {"float16": (1e-3, 1e-3), "float32": (1e-4, 1e-5), "float64": (1e-5, 1e-8)}


def assert_allclose(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = True,
    msg: str = "",
) -> None:
    """The assertion of the years before `assert_close`: of any dtypes, and more generous.

    >>> import tensorkit as tk, warnings
    >>> warnings.simplefilter("ignore", FutureWarning)
    >>> tk.testing.assert_allclose(tk.tensor([1.0]), [1.00001])

    Source: https://docs.pytorch.org/docs/stable/testing.html#torch.testing.assert_allclose
    """
    __tracebackhide__ = True
    warnings.warn(
        "`tensorkit.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a future release. "
        "Please use `tensorkit.testing.assert_close()` instead. "
        "You can find detailed upgrade instructions in https://github.com/pytorch/pytorch/issues/61844.",
        FutureWarning,
        stacklevel=2,
    )
    if not isinstance(actual, Tensor):
        actual = tensor(actual)
    if not isinstance(expected, Tensor):
        expected = tensor(expected, dtype=actual.dtype)
    if rtol is None and atol is None:
        allowed = [_ALLOWED.get(one.dtype.name, (0.0, 0.0)) for one in (actual, expected)]
        rtol, atol = (max(bounds) for bounds in zip(*allowed, strict=True))
    assert_close(
        actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=False, msg=msg or None
    )
