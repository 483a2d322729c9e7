"""The element types, their names, and how two of them combine.

A `dtype` says how many bytes one element takes and how to read them. There is exactly one object for each, so
``is`` compares them:

>>> tk.float is tk.float32, tk.float32.itemsize, tk.int64.is_floating_point
(True, 4, False)

Promotion goes by category first, then by width: bool < integer < floating point < complex.

>>> tk.promote_types(tk.int64, tk.float16)
tensorkit.float16

Source: the table is PyTorch 2.13's ``torch.promote_types``; the storage of bfloat16 is ml_dtypes'.
"""

from __future__ import annotations

import builtins
from typing import Final

import ml_dtypes
import numpy

from tensorkit.errors import Spoken, type_name


class dtype(metaclass=Spoken):
    """The type of a tensor's elements. Never made by hand: use ``tensorkit.float32`` and its kin.

    Attributes:
        name: such as ``"float32"``.
        numpy: the NumPy dtype that holds it.
        itemsize: bytes of one element.
        is_floating_point, is_complex, is_signed: what kind of number it holds.
        label: the name that PyTorch's error messages use, such as ``"Float"``.
        category: 0 bool, 1 integer, 2 floating point, 3 complex.

    >>> tk.bfloat16.itemsize, tk.uint8.is_signed, tk.complex64.is_complex
    (2, False, True)
    """

    __slots__ = (
        "category",
        "is_complex",
        "is_floating_point",
        "is_signed",
        "itemsize",
        "label",
        "name",
        "numpy",
    )

    def __init__(self, name: str, np_type: object, label: str) -> None:
        self.name = name
        self.label = label
        self.numpy: Final = numpy.dtype(np_type)  # type: ignore[call-overload]
        self.itemsize: Final[builtins.int] = self.numpy.itemsize
        self.is_complex: Final = name.startswith("complex")
        self.is_floating_point: Final = "float" in name
        self.is_signed: Final = not (name.startswith("uint") or name == "bool")
        self.category: Final = (
            3 if self.is_complex else 2 if self.is_floating_point else 0 if name == "bool" else 1
        )

    def __repr__(self) -> str:
        return f"tensorkit.{self.name}"

    def __reduce__(self) -> str:
        return self.name

    def to_complex(self) -> dtype:
        """The complex type whose parts have this type's precision (float64 → complex128)."""
        if self.is_complex:
            return self
        return complex128 if self.name in ("float64",) else complex64

    def to_real(self) -> dtype:
        """The type of the real part of a complex type (complex64 → float32); other types are their own."""
        return {"complex64": float32, "complex128": float64}.get(self.name, self)


float16 = half = dtype("float16", numpy.float16, "Half")
bfloat16 = dtype("bfloat16", ml_dtypes.bfloat16, "BFloat16")
float32 = dtype("float32", numpy.float32, "Float")
float64 = double = dtype("float64", numpy.float64, "Double")
uint8 = dtype("uint8", numpy.uint8, "Byte")
uint16 = dtype("uint16", numpy.uint16, "UInt16")
uint32 = dtype("uint32", numpy.uint32, "UInt32")
uint64 = dtype("uint64", numpy.uint64, "UInt64")
int8 = dtype("int8", numpy.int8, "Char")
int16 = short = dtype("int16", numpy.int16, "Short")
int32 = dtype("int32", numpy.int32, "Int")
int64 = long = dtype("int64", numpy.int64, "Long")
complex64 = cfloat = dtype("complex64", numpy.complex64, "ComplexFloat")
complex128 = cdouble = dtype("complex128", numpy.complex128, "ComplexDouble")
# The names `float`, `int` and `bool` are PyTorch's; inside this file the built-ins go by ``builtins.…``.
float = float32
int = int32
bool = dtype("bool", numpy.bool_, "Bool")

_BOOL: dtype = bool
ALL: tuple[dtype, ...] = (
    float16,
    bfloat16,
    float32,
    float64,
    uint8,
    uint16,
    uint32,
    uint64,
    int8,
    int16,
    int32,
    int64,
    _BOOL,
    complex64,
    complex128,
)
_FROM_NUMPY = {kind.numpy: kind for kind in ALL}
#: Unsigned integers wider than a byte: PyTorch promotes them to no other integer, and few of its kernels take them.
LIMITED = (uint16, uint32, uint64)
_default: dtype = float32


def _refuse(cls: type[dtype], *args: object, **kwargs: object) -> dtype:
    raise TypeError("cannot create 'tensorkit.dtype' instances")


setattr(dtype, "__new__", _refuse)  # noqa: B010 - from here on there are no more of them


def category(kind: dtype) -> builtins.int:
    """0 for bool, 1 for integers, 2 for floating point, 3 for complex: the order of promotion."""
    return kind.category


def from_numpy_dtype(np_type: numpy.dtype) -> dtype:
    """The dtype that a NumPy array's elements have; TypeError for those a tensor cannot hold."""
    kind = _FROM_NUMPY.get(np_type) or _FROM_NUMPY.get(np_type.newbyteorder("="))
    if kind is None:
        raise TypeError(
            f"can't convert np.ndarray of type {np_type.type.__module__}.{np_type.type.__name__}. "
            "The only supported types are: float64, float32, float16, complex64, complex128, int64, int32, "
            "int16, int8, uint64, uint32, uint16, uint8, and bool."
        )
    return kind


def _join(a: dtype, b: dtype) -> dtype:
    """Two different types of one category: the narrowest that holds both, as PyTorch chooses it."""
    if a.category == 3:
        return complex128
    if a.category == 2:
        wide = a if a.itemsize > b.itemsize else b
        return float32 if a.itemsize == b.itemsize else wide
    if uint8 in (a, b):
        other = b if a is uint8 else a
        return int16 if other is int8 else other
    return a if a.itemsize > b.itemsize else b


def _given(function: str, kind: object, argument: str, position: builtins.int) -> dtype:
    """A dtype argument, which may be one of Python's own types."""
    if isinstance(kind, dtype):
        return kind
    known = {builtins.float: float64, builtins.int: int64, builtins.bool: _BOOL, complex: complex128}
    found = known.get(kind) if isinstance(kind, type) else None
    if found is None:
        raise TypeError(
            f"{function}(): argument '{argument}' (position {position}) must be tensorkit.dtype, "
            f"not {type_name(kind)}"
        )
    return found


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The dtype that holds the result of combining elements of two dtypes.

    Raises:
        RuntimeError: for uint16, uint32 and uint64 with another integer type, as PyTorch does.

    >>> tk.promote_types(tk.uint8, tk.int8), tk.promote_types(tk.float16, tk.bfloat16)
    (tensorkit.int16, tensorkit.float32)
    """
    if type1 is type2 and isinstance(type1, dtype):
        return type1
    type1 = _given("promote_types", type1, "type1", 1)
    type2 = _given("promote_types", type2, "type2", 2)
    if type1 is type2:
        return type1
    low, high = (type1, type2) if type1.category <= type2.category else (type2, type1)
    limited = low in LIMITED or high in LIMITED
    if limited and high.category != 2:
        raise RuntimeError(
            "Promotion for uint16, uint32, uint64 types is not supported, "
            f"attempted to promote {type1.label} and {type2.label}"
        )
    if low.category == high.category:
        return _join(low, high)
    if high is complex64 and low is float64:
        return complex128
    return high


def can_cast(from_: dtype, to: dtype) -> builtins.bool:
    """Whether PyTorch lets a result of dtype `from_` be written into a tensor of dtype `to`.

    >>> tk.can_cast(tk.float32, tk.int64), tk.can_cast(tk.int64, tk.float16)
    (False, True)
    """
    from_, to = _given("can_cast", from_, "from_", 1), _given("can_cast", to, "to", 2)
    if from_.is_complex and not to.is_complex:
        return False
    if from_.is_floating_point and to.category < 2:
        return False
    return not (from_.category == 1 and to.category == 0)


def get_default_dtype() -> dtype:
    """The dtype that Python floats become; ``tensorkit.float32`` unless changed."""
    return _default


def set_default_dtype(d: dtype) -> None:
    """Let Python floats become `d`: float16, bfloat16, float32 or float64.

    Raises:
        TypeError: when `d` is not a floating point dtype.
    """
    global _default  # a plain name: every creation of a tensor reads it
    if not isinstance(d, dtype):
        raise TypeError("invalid dtype object: only floating-point types are supported as the default type")
    if not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    _default = d


def of_number(value: object) -> dtype:
    """The dtype of a Python number: bool, int64, the default float or its complex partner."""
    if isinstance(value, builtins.bool):
        return _BOOL
    if isinstance(value, builtins.int):
        return int64
    return _default.to_complex() if isinstance(value, complex) else _default
