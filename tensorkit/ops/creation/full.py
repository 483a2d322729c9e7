"""New tensors filled with one number: `zeros`, `ones`, `full`, and the same like another; `new_zeros` and its kin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorkit import dtypes
from tensorkit.device import CPU, DeviceLike, default_chosen
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dispatch.signatures import type_name
from tensorkit.elementwise.block import NUMBERS
from tensorkit.ops.creation.empty import (
    as_size,
    check_size,
    empty,
    empty_strided,
    like,
    named_size,
    new_or_out,
)
from tensorkit.ops.shared.fill import write_number
from tensorkit.ops.shared.int_args import as_ints
from tensorkit.ops.shared.signature_parts import FACTORY, MEMORY_FORMAT
from tensorkit.ops.shared.tensor_data import plain_number, tensor
from tensorkit.ops.shared.to import as_dtype
from tensorkit.tensor import Number, Tensor, attach


def _filled(
    name: str, value: int, size: tuple[Any, ...], keyword: dict[str, Any], out: Any, kind: Any, where: Any
) -> Tensor:
    sizes = as_size(size, name, named_size(keyword, name))
    check_size(sizes, name)
    made = new_or_out(sizes, kind, where, out, name)
    write_number(made, value)
    if out is not None:
        out._bump()
    return made


@op(kind="create", methods=(), out_error="aten::zeros", out_overlap="allowed")
@shortened("zeros")
def zeros(
    *size: Any, out: Tensor | None = None, dtype: Any = None, device: DeviceLike = None, **keyword: Any
) -> Tensor:
    """A tensor filled with 0.

    Args:
        size: the size, as several integers or one sequence.
        out: a tensor to write into. dtype: the default dtype if not given. device: the CPU if not given.

    >>> tk.zeros(2)
    tensor([0., 0.])
    """
    return _filled("zeros", 0, size, keyword, out, dtype, device)


@op(kind="create", methods=(), out_error="aten::ones", out_overlap="allowed")
@shortened("ones")
def ones(
    *size: Any, out: Tensor | None = None, dtype: Any = None, device: DeviceLike = None, **keyword: Any
) -> Tensor:
    """A tensor filled with 1.

    Args:
        size: the size, as several integers or one sequence.
        out: a tensor to write into. dtype: the default dtype if not given. device: the CPU if not given.

    >>> tk.ones(2)
    tensor([1., 1.])
    """
    return _filled("ones", 1, size, keyword, out, dtype, device)


@op(kind="create", methods=(), out_error="aten::full", out_overlap="allowed")
@shortened("full")
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


@op(kind="create", methods=())
@shortened("zeros_like")
def zeros_like(
    input: Tensor, *, dtype: Any = None, device: DeviceLike = None, memory_format: Any = None
) -> Tensor:
    """Zeros, of the size, dtype, device and order of dimensions of another tensor.

    >>> tk.zeros_like(tk.tensor([1, 2]))
    tensor([0, 0])
    """
    out = like(input, dtype, device, memory_format, "zeros_like")
    write_number(out, 0)
    return out


@op(kind="create", methods=())
@shortened("ones_like")
def ones_like(
    input: Tensor, *, dtype: Any = None, device: DeviceLike = None, memory_format: Any = None
) -> Tensor:
    """Ones, of the size, dtype, device and order of dimensions of another tensor.

    >>> tk.ones_like(tk.zeros(2))
    tensor([1., 1.])
    """
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
