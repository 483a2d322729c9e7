"""CuPy without a GPU: the part of it that `kernels.cuda.gpu.libraries` calls, in NumPy and SciPy on the host's memory.

It keeps what CuPy is strict about: names and signatures are those of CuPy 14 and no others; an array of NumPy's is
refused where CuPy would not take it; a function of NumPy's does not take one of these; what reduces to one number is an
array still; a sort is stable; a factorisation that fails says so only where ``cupyx.errstate(linalg="raise")`` asks.
"""

from __future__ import annotations

import ctypes
import sys
import threading
import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numpy
import pytest
import scipy.linalg

_state = threading.local()
CALLED: set[str] = set()


class Memory:
    def __init__(self, ptr: int, size: int, owner: Any, device_id: int = -1) -> None:
        self.ptr, self.size, self.owner, self.device_id = ptr, size, owner, device_id


class MemoryPointer:
    def __init__(self, mem: Memory, offset: int) -> None:
        self.mem, self.ptr, self.room = mem, mem.ptr + offset, mem.size - offset


class ndarray(numpy.ndarray):
    """An array on a device."""

    memory: Any = None

    def __new__(
        cls, shape: Any, dtype: Any = float, memptr: Any = None, strides: Any = None, order: str = "C"
    ) -> ndarray:
        if memptr is None:
            count = int(numpy.prod(shape, dtype=numpy.int64)) * numpy.dtype(dtype).itemsize
            memptr = getattr(_state, "allocator", _system)(count)
        lent = (ctypes.c_uint8 * memptr.room).from_address(memptr.ptr) if memptr.room else bytearray()
        made: Any = numpy.ndarray.__new__(cls, shape, dtype, lent, 0, strides, order)
        made.memory = memptr
        return made

    def __array_finalize__(self, parent: Any) -> None:
        self.memory = getattr(parent, "memory", None)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if isinstance(out := kwargs.get("out"), tuple):
            kwargs["out"] = tuple(map(plain, out))
        with numpy.errstate(all="ignore"):
            return device(getattr(ufunc, method)(*map(plain, inputs), **kwargs))

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        raise TypeError(f"numpy.{func.__name__} would copy an array from the device")

    def __getitem__(self, at: Any) -> Any:
        return device(super().__getitem__(at))

    def __setitem__(self, at: Any, value: Any) -> None:
        if isinstance(value, numpy.ndarray):
            plain(value)
        super().__setitem__(at, value)

    def astype(
        self, dtype: Any, order: Any = "K", casting: Any = None, subok: Any = None, copy: Any = True
    ) -> Any:
        with warnings.catch_warnings(), numpy.errstate(all="ignore"):
            return device(plain(self).astype(dtype, order, copy=copy))


def _system(size: int) -> MemoryPointer:
    room = numpy.empty(size, numpy.uint8)
    return MemoryPointer(Memory(room.ctypes.data, size, room), 0)


def plain(value: Any) -> Any:
    """What NumPy computes with."""
    if isinstance(value, ndarray):
        return value.view(numpy.ndarray)
    if isinstance(value, numpy.ndarray):
        raise TypeError(f"Unsupported type {type(value)}")
    if isinstance(value, (tuple, list)):
        return type(value)(plain(part) for part in value)
    return value


def device(value: Any) -> Any:
    """A result of NumPy's as CuPy gives it."""
    if isinstance(value, tuple):
        return tuple(map(device, value))
    if isinstance(value, ndarray) or not isinstance(value, (numpy.ndarray, numpy.generic)):
        return value
    return numpy.asarray(value).view(ndarray)


def on_device(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    def called(*args: Any, **kwargs: Any) -> Any:
        CALLED.add(name)
        with numpy.errstate(all="ignore"):
            found = function(*map(plain, args), **{key: plain(value) for key, value in kwargs.items()})
        return device(numpy.asarray(found) if isinstance(found, (int, bool)) else found)

    return called


# -- what differs from NumPy ------------------------------------------------------------------------------------------


def argsort(a: Any, axis: Any = -1, kind: Any = None) -> Any:
    return numpy.argsort(a, axis, kind="stable")


def isin(element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    return numpy.isin(element, test_elements, assume_unique, invert)


def searchsorted(a: Any, v: Any, side: str = "left") -> Any:
    """By halves for each value, as CuPy does it: among numbers in no order NumPy answers otherwise from 2.5 on."""
    assert a.ndim == 1
    find = bisect_right if side == "right" else bisect_left
    places = [find(a.tolist(), value) for value in v.ravel().tolist()]
    return numpy.array(places, numpy.int64).reshape(v.shape)


def bincount(x: Any, weights: Any = None, minlength: Any = None) -> Any:
    assert x.ndim == 1
    return numpy.bincount(x, weights, minlength or 0)


def empty(shape: Any, dtype: Any = float, order: str = "C") -> ndarray:
    return ndarray(shape, dtype, order=order)


def full(shape: Any, fill_value: Any, dtype: Any = None, order: str = "C") -> ndarray:
    made = empty(shape, numpy.asarray(fill_value).dtype if dtype is None else dtype, order)
    made[...] = fill_value
    return made


def zeros(shape: Any, dtype: Any = float, order: str = "C") -> ndarray:
    return full(shape, 0, dtype, order)


def ones(shape: Any, dtype: Any = float, order: str = "C") -> ndarray:
    return full(shape, 1, dtype, order)


SAME = (
    *(
        "abs",
        "all",
        "any",
        "append",
        "arange",
        "argmax",
        "asarray",
        "ascontiguousarray",
        "broadcast_to",
        "ceil",
        "sign",
        "sqrt",
        "conj",
    ),
    *("count_nonzero", "cumsum", "diagonal", "eye", "isfinite", "isnan", "lexsort", "log", "matmul", "max"),
    *(
        "maximum",
        "minimum",
        "moveaxis",
        "nonzero",
        "prod",
        "stack",
        "sum",
        "take_along_axis",
        "trace",
        "tril",
    ),
    *("triu", "where"),
)


# -- factorisations ---------------------------------------------------------------------------------------------------


def _single(function: Callable[..., Any]) -> Callable[..., Any]:
    def called(*arrays: Any, **kwargs: Any) -> Any:
        for array in filter(lambda value: hasattr(value, "dtype"), arrays):
            assert array.dtype.name in ("float32", "float64", "complex64", "complex128")
        try:
            return function(*arrays, **kwargs)
        except numpy.linalg.LinAlgError:
            if getattr(_state, "linalg", "ignore") == "raise":
                raise
            return numpy.full(arrays[-1].shape, numpy.nan, arrays[-1].dtype)

    return called


def _solve(a: Any, b: Any) -> Any:
    assert a.shape[:-1] == b.shape[:-1]
    return numpy.linalg.solve(a, b)


def _qr(a: Any, mode: str = "reduced") -> Any:
    found = numpy.linalg.qr(a, mode)
    return tuple(found) if isinstance(found, tuple) else found


def _svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    found = numpy.linalg.svd(a, full_matrices, compute_uv)
    return tuple(found) if compute_uv else found


def _eig(a: Any) -> Any:
    wide = numpy.result_type(a.dtype, numpy.complex64)
    return tuple(part.astype(wide) for part in numpy.linalg.eig(a))


def _eigvals(a: Any) -> Any:
    return numpy.linalg.eigvals(a).astype(numpy.result_type(a.dtype, numpy.complex64))


LINALG = {
    "cholesky": numpy.linalg.cholesky,
    "eig": _eig,
    "eigh": lambda a, UPLO="L": tuple(numpy.linalg.eigh(a, UPLO)),
    "eigvals": _eigvals,
    "eigvalsh": lambda a, UPLO="L": numpy.linalg.eigvalsh(a, UPLO),
    "inv": numpy.linalg.inv,
    "qr": _qr,
    "solve": _solve,
    "svd": _svd,
}


def lu_factor(a: Any, overwrite_a: bool = False, check_finite: bool = True) -> Any:
    assert a.ndim == 2
    warnings.warn("Diagonal number 1 is exactly zero. Singular matrix.", RuntimeWarning, stacklevel=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        packed, swaps = scipy.linalg.lu_factor(a, check_finite=check_finite)
    return packed, swaps.astype(numpy.int32)


def solve_triangular(
    a: Any,
    b: Any,
    trans: Any = 0,
    lower: bool = False,
    unit_diagonal: bool = False,
    overwrite_b: bool = False,
    check_finite: bool = False,
) -> Any:
    assert a.shape[:-1] == b.shape[: a.ndim - 1]
    assert trans == 0
    found = numpy.empty_like(b)
    (trsm,) = scipy.linalg.get_blas_funcs(("trsm",), (a, b))
    for at in numpy.ndindex(*a.shape[:-2]):
        found[at] = trsm(1, a[at], b[at], lower=int(lower), diag=int(unit_diagonal))
    return found


def expm(a: Any) -> Any:
    assert a.ndim == 2
    return scipy.linalg.expm(a)


# -- streams, devices, states ------------------------------------------------------------------------------------------


class Stream:
    """The current stream of a thread, while it is entered."""

    null: Any
    entered: list[Any] = []  # noqa: RUF012 -- what the tests ask

    def __init__(self, ptr: int, device_id: int = -1) -> None:
        self.ptr, self.device_id = ptr, device_id

    def __enter__(self) -> Any:
        Stream.entered.append(self.ptr)
        return self

    def __exit__(self, *_: Any) -> None:
        pass


Stream.null = Stream(0)


class Device:
    def __init__(self, device: int | None = None) -> None:
        self.id = device

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *_: Any) -> None:
        pass


@contextmanager
def using_allocator(allocator: Any = None) -> Iterator[None]:
    _state.allocator = allocator
    try:
        yield
    finally:
        del _state.allocator


@contextmanager
def errstate(
    *, divide: Any = None, over: Any = None, under: Any = None, invalid: Any = None, linalg: Any = None
) -> Iterator[None]:
    before, _state.linalg = getattr(_state, "linalg", "ignore"), linalg
    try:
        yield
    finally:
        _state.linalg = before


def _module(name: str, **members: Any) -> ModuleType:
    made = ModuleType(name)
    made.__dict__.update(members)
    return made


def modules() -> dict[str, ModuleType]:
    """The modules by name."""
    own = (argsort, isin, searchsorted, bincount)
    functions = {name: on_device(getattr(numpy, name), name) for name in SAME}
    functions |= {function.__name__: on_device(function, function.__name__) for function in own}
    functions |= {function.__name__: function for function in (empty, full, zeros, ones)}
    factors = {name: on_device(_single(function), f"linalg.{name}") for name, function in LINALG.items()}
    scipy_like = {
        f.__name__: on_device(f, f"scipy.{f.__name__}") for f in (lu_factor, solve_triangular, expm)
    }
    cuda = _module(
        "cupy.cuda",
        UnownedMemory=Memory,
        MemoryPointer=MemoryPointer,
        Device=Device,
        Stream=Stream,
        ExternalStream=Stream,
        using_allocator=using_allocator,
    )
    return {
        "cupy": _module(
            "cupy", ndarray=ndarray, cuda=cuda, linalg=_module("cupy.linalg", **factors), **functions
        ),
        "cupyx": _module("cupyx", errstate=errstate),
        "cupyx.scipy": _module("cupyx.scipy", linalg=_module("cupyx.scipy.linalg", **scipy_like)),
    }


def install(patch: pytest.MonkeyPatch | None = None) -> None:
    """Let ``import cupy`` find this."""
    for name, module in modules().items():
        if patch is None:
            sys.modules[name] = module
        else:
            patch.setitem(sys.modules, name, module)
