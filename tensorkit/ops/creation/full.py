"""New tensors filled with one number: `zeros`, `ones`, `full`, and the same like another; `new_zeros` and its kin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.device import CPU, DeviceLike, default_chosen
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.signatures import type_name
from tensorkit.elementwise.block import NUMBERS
from tensorkit.kernels.sizes import NEW_AT_ONCE
from tensorkit.ops.creation.empty import (
    as_size,
    check_size,
    empty,
    empty_strided,
    like,
    named_size,
    new_or_out,
    quickly,
)
from tensorkit.ops.shared.fill import write_number
from tensorkit.ops.shared.int_args import as_ints
from tensorkit.ops.shared.signature_parts import FACTORY, MEMORY_FORMAT
from tensorkit.ops.shared.tensor_data import plain_number, tensor
from tensorkit.ops.shared.to import as_dtype
from tensorkit.tensor import Number, Tensor, attach, fresh

_PLAIN = {bool: dtypes.bool, int: dtypes.int64}


def _filled(name: str, value: int) -> Callable[..., Tensor]:
    def create(
        *size: Any, out: Tensor | None = None, dtype: Any = None, device: DeviceLike = None, **keyword: Any
    ) -> Tensor:
        if out is None and device is None and not keyword and not default_chosen.once:
            quick = quickly(size, dtype, value)
            if quick is not None:
                return quick
        sizes = as_size(size, name, named_size(keyword, name))
        check_size(sizes, name)
        made = new_or_out(sizes, dtype, device, out, name)
        write_number(made, value)
        if out is not None:
            out._bump()
        return made

    create.__name__ = name
    text = f"{float(value)}".removesuffix("0")
    create.__doc__ = f"""A tensor filled with {value}.

    Args:
        size: the size, as several integers or one sequence.
        out: a tensor to write into. dtype: the default dtype if not given. device: the CPU if not given.

    >>> tk.{name}(2)
    tensor([{text}, {text}])
    """
    return create


zeros = op(kind="create", methods=(), out_error="aten::zeros", out_overlap="allowed")(_filled("zeros", 0))
ones = op(kind="create", methods=(), out_error="aten::ones", out_overlap="allowed")(_filled("ones", 1))


@op(kind="create", methods=(), out_error="aten::full", out_overlap="allowed")
def full(
    size: Sequence[int],
    fill_value: Number,
    *,
    out: Tensor | None = None,
    dtype: Any = None,
    device: DeviceLike = None,
) -> Tensor:
    """A tensor filled with one number, of the number's own dtype unless told otherwise.

    >>> tk.full((2, 2), 3.5)
    tensor([[3.5000, 3.5000],
            [3.5000, 3.5000]])
    """
    if out is None and dtype is None and device is None and not default_chosen.once:
        chosen = _PLAIN.get(type(fill_value)) or (
            dtypes.get_default_dtype() if type(fill_value) is float else None
        )
        quick = None if chosen is None or type(size) is not tuple else quickly((size,), chosen, 0)
        if quick is not None and (chosen is not dtypes.int64 or -(2**63) <= fill_value < 2**63):  # type: ignore[operator]
            write_number(quick, fill_value)
            return quick
    if not isinstance(size, (tuple, list)):
        raise TypeError(f"full(): argument 'size' (position 1) must be tuple of ints, not {type_name(size)}")
    sizes = as_ints((size,), "full")
    check_size(sizes, "full")
    value = plain_number(fill_value)
    if not isinstance(value, NUMBERS):
        raise TypeError(
            f"full(): argument 'fill_value' (position 2) must be Number, not {type_name(fill_value)}"
        )
    own = fill_value._dtype if isinstance(fill_value, Tensor) else dtypes.of_number(value)
    chosen = dtype if dtype is not None or out is not None else own
    made = new_or_out(sizes, chosen, device, out, "full")
    write_number(made, value, narrow=made.numel() != 1)
    if out is not None:
        out._bump()
    return made


@op(kind="create", methods=())
def scalar_tensor(s: Number, *, dtype: Any = None, device: DeviceLike = None) -> Tensor:
    """A 0-d tensor of the default dtype.

    >>> tk.scalar_tensor(2)
    tensor(2.)
    """
    kind = dtypes.get_default_dtype() if dtype is None else as_dtype(dtype, "scalar_tensor")
    if not isinstance(plain_number(s), NUMBERS):
        raise TypeError(f"scalar_tensor(): argument 's' (position 1) must be Number, not {type_name(s)}")
    return full((), s, dtype=kind, device=device)


def _quickly_like(input: Tensor, kind: Any, where: Any, memory_format: Any, value: int) -> Tensor | None:
    """A small row-major CPU tensor like another such, filled; None where that is not plainly asked for."""
    if where is not None or memory_format is not None or type(input) is not Tensor:
        return None
    if kind is None:
        kind = input._dtype
    elif type(kind) is not dtypes.dtype:
        return None
    if input._array is None or not input._solid or input._array.size > NEW_AT_ONCE:
        return None
    if value == 0:
        return fresh(numpy.zeros(input._array.shape, kind.numpy), kind)
    made = numpy.empty(input._array.shape, kind.numpy)
    made.fill(value)
    return fresh(made, kind)


@op(kind="create", methods=())
def zeros_like(
    input: Tensor, *, dtype: Any = None, device: DeviceLike = None, memory_format: Any = None
) -> Tensor:
    """Zeros, of the size, dtype, device and order of dimensions of another tensor.

    >>> tk.zeros_like(tk.tensor([1, 2]))
    tensor([0, 0])
    """
    quick = _quickly_like(input, dtype, device, memory_format, 0)
    if quick is not None:
        return quick
    out = like(input, dtype, device, memory_format, "zeros_like")
    write_number(out, 0)
    return out


@op(kind="create", methods=())
def ones_like(
    input: Tensor, *, dtype: Any = None, device: DeviceLike = None, memory_format: Any = None
) -> Tensor:
    """Ones, of the size, dtype, device and order of dimensions of another tensor.

    >>> tk.ones_like(tk.zeros(2))
    tensor([1., 1.])
    """
    quick = _quickly_like(input, dtype, device, memory_format, 1)
    if quick is not None:
        return quick
    out = like(input, dtype, device, memory_format, "ones_like")
    write_number(out, 1)
    return out


@op(strict=True, kind="create", methods=())
@takes(f"(Tensor input, Number fill_value, *, {MEMORY_FORMAT}, {FACTORY})")
def full_like(
    input: Tensor, fill_value: Any, *, dtype: Any = None, device: DeviceLike = None, memory_format: Any = None
) -> Tensor:
    """One number, in the size, dtype, device and order of dimensions of another tensor.

    >>> tk.full_like(tk.zeros(2), 7)
    tensor([7., 7.])
    """
    out = like(input, dtype, device, memory_format, "full_like")
    write_number(out, plain_number(fill_value), narrow=out.numel() != 1)
    return out


def _new_form(create: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """``t.new_zeros(2)`` and its kin: the dtype and device of `t` unless told otherwise."""

    def method(
        self: Tensor, *args: Any, dtype: Any = None, device: DeviceLike = None, **kwargs: Any
    ) -> Tensor:
        kind = self._dtype if dtype is None else dtype
        where = device
        if device is None and (self._device is not CPU or default_chosen.once):
            where = self._device
        if "memory_format" in kwargs:
            raise TypeError(f"new_{name}() got an unexpected keyword argument 'memory_format'")
        known: Exception
        try:
            return create(*args, dtype=kind, device=where, **kwargs)
        except TypeError as wrong:
            sentence = str(wrong)
            if not sentence.startswith(f"{name}()"):
                raise
            known = TypeError(f"new_{sentence}")
        except (
            RuntimeError
        ) as wrong:  # `zeros` has words of its own for a negative length, `new_zeros` has not
            if name != "zeros":
                raise
            known = wrong
        if isinstance(known, RuntimeError):
            check_size(as_size(args, f"new_{name}", kwargs.get("size")), f"new_{name}")
        raise known

    name = create.__name__
    method.__name__ = f"new_{create.__name__}"
    method.__doc__ = f"``{create.__name__}`` with this tensor's dtype and device unless told otherwise."
    return method


def _attach_new_forms() -> None:
    for create in (empty, empty_strided, zeros, ones, full, tensor):
        attach(f"new_{create.__name__}", _new_form(create))


_attach_new_forms()
