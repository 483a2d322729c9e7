"""Out of tensorkit: the elements as Python numbers, lists and NumPy arrays, and what Python asks of a tensor."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.grad_mode import state
from tensorkit.autograd.graph import requires_grad
from tensorkit.conj_bit import CONJ
from tensorkit.device import CPU, META
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import wants_grad
from tensorkit.elementwise.block import NUMBERS
from tensorkit.elementwise.output import empty_strided
from tensorkit.ops.shared.to import host_array, to_device
from tensorkit.strides.sizes import contiguous_stride
from tensorkit.tensor import Array, Tensor, attach


@op(kind="copy", function=False)
def item(input: Tensor) -> Any:
    """The one element as a Python number.

    Raises:
        RuntimeError: when there is not exactly one.

    >>> tk.tensor([[2.5]]).item()
    2.5
    """
    array = input._array
    if array is not None and array.size == 1 and input._dtype is not dtypes.bfloat16:
        return array.item()
    if input.numel() != 1:
        raise RuntimeError(f"a Tensor with {input.numel()} elements cannot be converted to Scalar")
    if input._device == META:
        raise RuntimeError("Tensor.item() cannot be called on meta tensors")
    return _python(host_array(input)).item()


def _python(array: Array) -> Array:
    """An array whose elements NumPy can turn into Python numbers: bfloat16 goes through float32."""
    return array.astype(numpy.float32) if array.dtype == dtypes.bfloat16.numpy else array


_AS_NUMPYS = frozenset((dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.bool))


@op(kind="copy", function=False)
def tolist(input: Tensor) -> Any:
    """The elements as nested lists of Python numbers; a 0-d tensor gives the number itself.

    >>> tk.arange(4).view(2, 2).tolist()
    [[0, 1], [2, 3]]
    """
    array = input._array
    if array is not None and input._dtype in _AS_NUMPYS:
        return array.tolist()
    return _python(host_array(input)).tolist()


@op(kind="copy", function=False, name="numpy")
def numpy_(input: Tensor, *, force: bool = False) -> Array:
    """A NumPy array on the same memory: writing to one changes the other.

    Args:
        force: copy from another device if need be, rather than refuse.

    Raises:
        TypeError: for a tensor on another device, and for bfloat16, which NumPy does not have.

    >>> t = tk.zeros(2)
    >>> t.numpy()[0] = 5
    >>> t
    tensor([5., 0.])
    """
    if input._device != CPU:
        if not force:
            raise TypeError(
                f"can't convert {input._device} device type tensor to numpy. Use Tensor.cpu() to copy the tensor to "
                "host memory first."
            )
        input = to_device(input, CPU)
    if wants_grad(input) and state.grad and requires_grad(input) and not force:
        raise RuntimeError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
        )
    if input._bits and not force:
        bit, way = ("conjugate", "conj") if input._bits & CONJ else ("negative", "neg")
        raise RuntimeError(
            f"Can't call numpy() on Tensor that has {bit} bit set. Use tensor.resolve_{way}().numpy() instead."
        )
    if input._dtype is dtypes.bfloat16:
        raise TypeError("Got unsupported ScalarType BFloat16")
    if input._bits:
        return input._nd()
    array = input._nd().view()
    input._store()._foreign = True  # the array looks at this very memory: it may no longer be moved
    if not array.size:  # NumPy itself would say so of an empty array, and PyTorch does
        array = numpy.ndarray(array.shape, array.dtype, array, 0, (0,) * array.ndim)
    return array


def _array(input: Tensor, dtype: Any = None, copy: bool | None = None) -> Array:
    array = numpy_(input)
    if dtype is not None and array.dtype != dtype:
        if copy is False:
            raise ValueError("Unable to avoid copy while creating an array as requested.")
        return array.astype(dtype)
    return array.copy() if copy else array


def _wrap_array(input: Tensor, array: Array, context: Any = None, return_scalar: bool = False) -> Tensor:
    if array.dtype == numpy.bool_:
        array = array.astype(numpy.uint8)  # PyTorch's habit, from the years before it had bool
    from_array = numpy.ascontiguousarray(array).reshape(array.shape)
    out = empty_strided(
        from_array.shape, contiguous_stride(from_array.shape), dtypes.from_numpy_dtype(array.dtype), CPU
    )
    out._nd()[...] = from_array
    return out


def _float(input: Tensor) -> float:
    array: Any = input._array
    alone = array is not None and array.size == 1 and input._base is None and not wants_grad(input)
    if alone and (input._dtype is dtypes.float32 or input._dtype is dtypes.float64):
        return array.item()  # type: ignore[no-any-return]
    return float(_real_part(_warned(input), "double"))


def _single(input: Tensor) -> Any:
    if input.numel() != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return item(input)


def _warned(input: Tensor) -> Any:
    """`_single`, with a word on the gradient that ends here."""
    found = _single(input)
    if wants_grad(input) and state.grad and requires_grad(input):
        warnings.warn(
            "Converting a tensor with requires_grad=True to a scalar may lead to unexpected behavior.\n"
            "Consider using tensor.detach() first.",
            UserWarning,
            stacklevel=3,
        )
    return found


def _bool(input: Tensor) -> bool:
    array = input._array
    if array is not None and array.size == 1 and input._dtype is dtypes.bool:
        return array.item()  # type: ignore[no-any-return]
    count = input.numel()
    if count != 1:
        many = "no values" if count == 0 else "more than one value"
        raise RuntimeError(f"Boolean value of Tensor with {many} is ambiguous")
    return bool(item(input))


def _real_part(value: Any, kind: str) -> Any:
    """A number without its imaginary part, which must be 0."""
    if isinstance(value, complex):
        if value.imag:
            raise RuntimeError(f"value cannot be converted to type {kind} without overflow")
        return value.real
    return value


def _contains(input: Tensor, element: Any) -> bool:
    if not isinstance(element, (Tensor, *NUMBERS)):
        raise RuntimeError(
            f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}."
        )
    return bool(host_array(input == element).any())


def _index(input: Tensor) -> int:
    if input.numel() != 1 or input._dtype.category > 1:
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(item(input))


def _iterate(input: Tensor) -> Iterator[Tensor]:
    if not input.dim():
        raise TypeError("iteration over a 0-d tensor")
    return iter(input.unbind(0))


def _attach_protocols() -> None:
    attach("__array__", _array)
    attach("__array_wrap__", _wrap_array)
    attach("__bool__", _bool)
    attach("__int__", lambda self: int(_real_part(_single(self), "int64_t")))
    attach("__float__", _float)
    attach("__complex__", lambda self: complex(_warned(self)))
    attach("__index__", _index)
    attach("__iter__", _iterate)
    attach("__contains__", _contains)


_attach_protocols()
