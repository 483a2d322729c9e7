"""Which dtype a pointwise operation computes in and gives, and what numbers become.

Source: https://docs.pytorch.org/docs/stable/tensor_attributes.html#type-promotion-doc
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.device import CPU, META, device
from tensorkit.dtypes import dtype
from tensorkit.elementwise.block import NUMBERS, Pointwise
from tensorkit.errors import DeviceMismatchError, two_devices
from tensorkit.kernels.cpu import elementwise
from tensorkit.number_range import check_number, check_range
from tensorkit.tensor import Array, Tensor


def _higher(higher: dtype | None, lower: dtype | None) -> dtype | None:
    """PyTorch's ``combine_categories``: the lower-priority operand matters only when its category is higher."""
    if higher is None:
        return lower
    if higher.is_complex or lower is None:
        return higher
    if higher.is_floating_point:
        return higher.to_complex() if lower.is_complex else higher
    if lower.is_complex:
        return lower
    if higher.category == 0 or lower.category == 2:
        return dtypes.promote_types(higher, lower)
    return higher


def python_number(number: Any) -> Any:
    """A NumPy number as Python's; NumPy's bool and complex64, which do not subclass Python's types, count as floats."""
    odd = isinstance(number, (numpy.bool_, numpy.complexfloating)) and not isinstance(number, complex)
    return float(number) if odd else number.item()


def result_dtype(*operands: Any) -> dtype:
    """The dtype of a result: tensors with dimensions decide, then 0-d tensors, then Python numbers.

    Within its category a number or a 0-d tensor promotes nothing that has dimensions.
    """
    with_dims: dtype | None = None
    zero_dim: dtype | None = None
    number: dtype | None = None
    for operand in operands:
        if not isinstance(operand, Tensor):
            kind = dtypes.of_number(python_number(operand) if isinstance(operand, numpy.generic) else operand)
            number = kind if number is None else dtypes.promote_types(number, kind)
        elif not (operand._layout or operand._lay()).size:
            zero_dim = operand._dtype if zero_dim is None else dtypes.promote_types(zero_dim, operand._dtype)
        else:
            with_dims = (
                operand._dtype if with_dims is None else dtypes.promote_types(with_dims, operand._dtype)
            )
    found = _higher(with_dims, number if zero_dim is None else _higher(zero_dim, number))
    assert found is not None
    return found


def check_devices(operands: Iterable[Any], written: Any = None) -> device:
    """The one device of all tensors. A 0-d CPU tensor may join tensors elsewhere, as in PyTorch.

    Args:
        written: the tensor that the result goes into: it has to be on that device.

    Raises:
        DeviceMismatchError: when they live on two.
    """
    tensors = [o for o in operands if isinstance(o, Tensor)]
    elsewhere = [t._device for t in tensors if t._device.type != "cpu"]
    # As in PyTorch, the first operand that is not on the CPU says where the others should be.
    common = elsewhere[0] if elsewhere else CPU
    numbers = 0
    for tensor in tensors:
        here = tensor._device
        if here == common:
            continue
        if here.type == "cpu" and not tensor._lay().size:
            numbers += 1
        else:
            raise _mismatch(common, here, tensors[0]._device)
    if isinstance(written, Tensor) and written._device != common and META not in (common, written._device):
        raise two_devices(common, written._device)
    if numbers > 1:
        raise RuntimeError("Trying to pass too many CPU scalars to non-CPU kernel!")
    return common


def _mismatch(common: device, here: device, first: device) -> DeviceMismatchError:
    if "meta" in (common.type, here.type):
        other = here if first == common else common
        return DeviceMismatchError(f"Tensor on device {other} is not on the expected device {first}!")
    return two_devices(common, here)


def one_device(*tensors: Any) -> None:
    """Refuse tensors that live on two devices; of the meta device nothing is read.

    Raises:
        DeviceMismatchError: a number without dimensions has to be moved too.
    """
    places = [tensor._device for tensor in tensors if isinstance(tensor, Tensor)]
    apart = [place for place in places if place != places[0]]
    if apart and META not in places:
        raise two_devices(places[0], apart[0])


def as_number_array(value: Any, kind: dtype) -> Array:
    """A Python number as a 0-d array; integers wrap around as in C.

    Raises:
        OverflowError: for an integer that 64 bits cannot hold.
    """
    if isinstance(value, int) and not isinstance(value, bool):
        check_range(value)
        if kind.category > 1:
            return elementwise.cast(numpy.array(float(value)), kind)
        whole = value - 2**64 if value >= 2**63 else value
        return elementwise.cast(numpy.array(whole, numpy.int64), kind)
    return elementwise.cast(numpy.array(value), kind)


def check_castable(kind: dtype, target: dtype) -> None:
    """Refuse to write results of one dtype into a tensor of another that cannot hold their kind of number."""
    if not dtypes.can_cast(kind, target):
        raise RuntimeError(
            f"result type {kind.label} can't be cast to the desired output type {target.label}"
        )


FLOATING = ("float", "real float")
REAL = ("real", "real float")


def dtypes_of(block: Pointwise, operands: tuple[Any, ...]) -> tuple[dtype, dtype]:
    """The dtype to compute in and the dtype of the result."""
    compute = result_dtype(*operands[block.result == "chosen" :])
    if block.result in FLOATING and compute.category < 2:
        compute = dtypes.get_default_dtype()
    if block.result == "bool":
        return compute, dtypes.bool
    return compute, compute.to_real() if block.result in REAL else compute


def check_alpha(name: str, alpha: Any, kind: dtype) -> None:
    if not isinstance(alpha, NUMBERS):
        raise TypeError(f"{name}(): argument 'alpha' must be Number, not {type(alpha).__name__}")
    if isinstance(alpha, bool) and kind.category != 0:
        raise RuntimeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, (float, numpy.floating)) and kind.category < 2:
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    if isinstance(alpha, complex) and not kind.is_complex:
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex number.")
    check_number(alpha, kind, narrow=True)


def holds_complex(out: Any) -> bool:
    return isinstance(out, Tensor) and out._dtype.is_complex
