"""New tensors of a size: empty, filled with one number, the identity; and the same like another tensor.

Arguments, defaults, dtypes and sentences are PyTorch 2.13's
(https://docs.pytorch.org/docs/stable/torch.html#creation-ops).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.device import CPU, META, DeviceLike, default_chosen, resolve
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.registry import sample
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import LIMITED, dtype
from tensorkit.elementwise.block import NUMBERS
from tensorkit.elementwise.output import empty_strided as _allocate
from tensorkit.errors import no_room
from tensorkit.memory_format import check_format, formatted_strides, preserve_format
from tensorkit.ops.shared.fill import write_number
from tensorkit.ops.shared.int_args import as_ints, listed_ints
from tensorkit.ops.shared.resize import resize_
from tensorkit.ops.shared.signature_parts import FACTORY, MEMORY_FORMAT
from tensorkit.ops.shared.tensor_data import plain_number, tensor
from tensorkit.ops.shared.to import as_dtype
from tensorkit.ops.shared.uninitialized import chosen, whole_filled
from tensorkit.strides import layout as layouts
from tensorkit.strides.sizes import (
    INT64_MAX,
    check_bytes,
    checked_size,
    contiguous_stride,
    overflowed,
)
from tensorkit.tensor import Array, Number, Tensor, attach, fresh

__all__ = [
    "SMALL",
    "empty",
    "empty_like",
    "empty_permuted",
    "empty_strided",
    "eye",
    "full",
    "full_like",
    "check_out",
    "new_or_out",
    "ones",
    "ones_like",
    "quick_size",
    "scalar_tensor",
    "zeros",
    "zeros_like",
]

_PLAIN = {bool: dtypes.bool, int: dtypes.int64}


def _size(size: tuple[Any, ...], name: str, keyword: Any = None) -> tuple[int, ...]:
    if keyword is not None:
        size = (keyword,)
    if not size:
        raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
    return as_ints(size, name)


def _check_size(size: tuple[int, ...], name: str) -> None:
    if any(n < 0 for n in size):
        if name == "zeros":
            raise RuntimeError(f"{name}: Dimension size must be non-negative.")
        low = next(n for n in size if n < 0)
        raise RuntimeError(f"Trying to create tensor with negative dimension {low}: {list(size)}")


def new_or_out(size: tuple[int, ...], kind: Any, where: DeviceLike, out: Tensor | None, name: str) -> Tensor:
    """An uninitialised row-major tensor, or `out` given that size (silently, as PyTorch's factories do)."""
    if out is not None:
        check_out(out, kind, where, name)
        written = out._version
        resize_(out, size)
        if out._version != written:  # the whole call counts as one write, noted when the numbers are there
            out._counter[0] = written  # type: ignore[index]
        return out
    chosen = dtypes.get_default_dtype() if kind is None else as_dtype(kind, name)
    here = CPU if where is None and not default_chosen.once else resolve(where)
    check_bytes(size, chosen.itemsize)
    if here is CPU:
        return fresh(_memory(size, chosen), chosen)
    return _allocate(size, contiguous_stride(size), chosen, here)


def check_out(out: Any, kind: Any, where: DeviceLike, name: str) -> None:
    """Refuse what is no tensor, or has another dtype or another device than the call names."""
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type_name(out)}")
    asked = None if kind is None else as_dtype(kind, name)
    if asked is not None and asked is not out._dtype:
        raise RuntimeError(f"dtype {asked.label} does not match dtype of out parameter ({out._dtype.label})")
    if where is not None and resolve(where).type != out._device.type:
        raise RuntimeError(
            f"device type {resolve(where).type} does not match device type of out parameter ({out._device.type})"
        )


def _memory(size: tuple[int, ...], kind: dtype) -> Array:
    try:
        return numpy.empty(size, kind.numpy)
    except (MemoryError, ValueError):
        raise no_room(math.prod(size) * kind.itemsize) from None


@op(
    samples=(sample("tk.empty(2, 3).size()"), sample("tk.empty((0, 3)).stride()"), sample("tk.empty(-1)")),
    kind="create",
    methods=(),
)
def empty(
    *size: Any,
    out: Tensor | None = None,
    dtype: Any = None,
    device: DeviceLike = None,
    memory_format: Any = None,
    **keyword: Any,
) -> Tensor:
    """A tensor whose elements are whatever the memory held before.

    >>> import tensorkit as tk
    >>> tk.empty(2, 3).size()
    tensorkit.Size([2, 3])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.empty.html
    """
    if out is None and device is None and memory_format is None and not keyword and not default_chosen.once:
        quick = _quickly(size, dtype, None)
        if quick is not None:
            return whole_filled(quick) if chosen.enabled else quick
    sizes = _size(size, "empty", _named_size(keyword, "empty"))
    _check_size(sizes, "empty")
    if memory_format is not None:
        made = _empty_in_format(sizes, dtype, device, out, memory_format)
    else:
        made = new_or_out(sizes, dtype, device, out, "empty")
    return whole_filled(made, view=out is not None) if chosen.enabled else made


def _empty_in_format(size: tuple[int, ...], kind: Any, where: DeviceLike, out: Any, wanted: Any) -> Tensor:
    check_format("empty", wanted)
    if out is not None:
        raise RuntimeError("'memory_format' argument is incompatible with 'out' tensor argument")
    if wanted is preserve_format:
        raise RuntimeError("unsupported memory format Preserve")
    strides = formatted_strides(layouts.contiguous(size), wanted)
    chosen = dtypes.get_default_dtype() if kind is None else as_dtype(kind, "empty")
    return _allocate(size, strides, chosen, resolve(where))


def _named_size(keyword: dict[str, Any], name: str) -> Any:
    """The size, where it was given by name."""
    for key in keyword:
        if key != "size":
            raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
    return keyword.get("size")


def quick_size(size: tuple[Any, ...]) -> tuple[int, ...] | None:
    """The size where it is plainly given, as most are; None where it has to be looked at."""
    sizes = size[0] if len(size) == 1 and size[0].__class__ is tuple else size
    for length in sizes:
        if length.__class__ is not int or length < 0:
            return None
    return sizes if size else None


#: Up to so many elements a call is short enough for its way to matter.
SMALL = 2**20


def _quickly(size: tuple[Any, ...], kind: Any, value: int | None) -> Tensor | None:
    """A small CPU tensor of a plain size, filled: what nearly every call of `zeros` and `ones` asks for."""
    sizes = quick_size(size)
    if sizes is None:
        return None
    if kind is None:
        kind = dtypes.get_default_dtype()
    elif type(kind) is not dtypes.dtype:
        return None
    if math.prod(sizes) > SMALL:
        return None
    if value == 0:
        return fresh(numpy.zeros(sizes, kind.numpy), kind)
    made = numpy.empty(sizes, kind.numpy)
    if value is not None:
        made.fill(value)
    return fresh(made, kind)


def _filled(name: str, value: int) -> Callable[..., Tensor]:
    def create(
        *size: Any, out: Tensor | None = None, dtype: Any = None, device: DeviceLike = None, **keyword: Any
    ) -> Tensor:
        if out is None and device is None and not keyword and not default_chosen.once:
            quick = _quickly(size, dtype, value)
            if quick is not None:
                return quick
        sizes = _size(size, name, _named_size(keyword, name))
        _check_size(sizes, name)
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

    >>> import tensorkit as tk
    >>> tk.{name}(2)
    tensor([{text}, {text}])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.{name}.html
    """
    return create


zeros = op(
    samples=(sample("tk.zeros(2, 3)"), sample("tk.zeros((2, 0), dtype=tk.int8)"), sample("tk.zeros(2, -1)")),
    kind="create",
    methods=(),
)(_filled("zeros", 0))
ones = op(
    samples=(sample("tk.ones(2, 3)"), sample("tk.ones([2], dtype=tk.bool)"), sample("tk.ones('a')")),
    kind="create",
    methods=(),
)(_filled("ones", 1))


@op(
    samples=(
        sample("tk.full((2, 3), 7)"),
        sample("tk.full((2,), True)"),
        sample("tk.full((2,), 2.5, dtype=tk.int64)"),
        sample("tk.full(2, 3)"),
    ),
    kind="create",
    methods=(),
)
def full(
    size: Sequence[int],
    fill_value: Number,
    *,
    out: Tensor | None = None,
    dtype: Any = None,
    device: DeviceLike = None,
) -> Tensor:
    """A tensor filled with one number, of the number's own dtype unless told otherwise.

    >>> import tensorkit as tk
    >>> tk.full((2, 2), 3.5)
    tensor([[3.5000, 3.5000],
            [3.5000, 3.5000]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.full.html
    """
    if out is None and dtype is None and device is None and not default_chosen.once:
        chosen = _PLAIN.get(type(fill_value)) or (
            dtypes.get_default_dtype() if type(fill_value) is float else None
        )
        quick = None if chosen is None or type(size) is not tuple else _quickly((size,), chosen, 0)
        if quick is not None and (chosen is not dtypes.int64 or -(2**63) <= fill_value < 2**63):  # type: ignore[operator]
            write_number(quick, fill_value)
            return quick
    if not isinstance(size, (tuple, list)):
        raise TypeError(f"full(): argument 'size' (position 1) must be tuple of ints, not {type_name(size)}")
    sizes = as_ints((size,), "full")
    _check_size(sizes, "full")
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


@op(samples=(sample("tk.scalar_tensor(2)"),), kind="create", methods=())
def scalar_tensor(s: Number, *, dtype: Any = None, device: DeviceLike = None) -> Tensor:
    """A 0-d tensor of the default dtype.

    >>> import tensorkit as tk
    >>> tk.scalar_tensor(2)
    tensor(2.)
    """
    kind = dtypes.get_default_dtype() if dtype is None else as_dtype(dtype, "scalar_tensor")
    if not isinstance(plain_number(s), NUMBERS):
        raise TypeError(f"scalar_tensor(): argument 's' (position 1) must be Number, not {type_name(s)}")
    return full((), s, dtype=kind, device=device)


@op(
    samples=(
        sample("tk.empty_strided((2, 2), (1, 2)).stride()"),
        sample("tk.empty_strided((2, 3), (0, 1)).untyped_storage().nbytes()"),
    ),
    kind="create",
    methods=(),
)
def empty_strided(
    size: Sequence[int], stride: Sequence[int], *, dtype: Any = None, device: DeviceLike = None
) -> Tensor:
    """An uninitialised tensor with strides of your own, on a storage that just holds it.

    >>> import tensorkit as tk
    >>> tk.empty_strided((2, 3), (1, 2)).stride()
    (1, 2)
    """
    for place, (label, given) in enumerate((("size", size), ("stride", stride))):
        if not isinstance(given, (tuple, list)):
            raise TypeError(
                f"empty_strided(): argument '{label}' (position {place + 1}) must be tuple of ints, "
                f"not {type_name(given)}"
            )
    sizes = as_ints((size,), "empty_strided")
    strides = as_ints((stride,), "empty_strided", "stride", 2)
    if len(sizes) != len(strides):
        raise RuntimeError(
            f"dimensionality of sizes ({len(sizes)}) must match dimensionality of strides ({len(strides)})"
        )
    _check_size(sizes, "empty_strided")
    kind = dtypes.get_default_dtype() if dtype is None else as_dtype(dtype, "empty_strided")
    where = resolve(device)
    far = 0 not in sizes and 1 + sum((n - 1) * step for n, step in zip(sizes, strides, strict=True))
    if any(step < 0 for step in strides) or (where != META and far * kind.itemsize > INT64_MAX):
        raise overflowed(sizes, strides)
    made = _allocate(sizes, strides, kind, where)
    return whole_filled(made) if chosen.enabled else made


@op(
    samples=(
        sample("tk.empty_permuted((2, 3, 4), (0, 2, 1)).stride()"),
        sample("tk.empty_permuted((2, 3), (1, 0), dtype=tk.int8).dtype"),
        sample("tk.empty_permuted((2, 3), (0, 0))"),
        sample("tk.empty_permuted((2, 3), (0,))"),
        sample("tk.empty_permuted((2, 3), (0, 2))"),
        sample("tk.empty_permuted((2, -3), (0, 1))"),
    ),
    kind="create",
    methods=(),
)
def empty_permuted(
    size: Sequence[int], physical_layout: Sequence[int], *, dtype: Any = None, device: DeviceLike = None
) -> Tensor:
    """An uninitialised tensor whose dimensions lie in memory in an order of your own, the slowest first.

    >>> import tensorkit as tk
    >>> tk.empty_permuted((2, 3), (1, 0)).stride()
    (1, 2)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.empty_permuted.html
    """
    size = listed_ints(size, "empty_permuted", "size", 1)
    physical_layout = listed_ints(physical_layout, "empty_permuted", "physical_layout", 2)
    if len(physical_layout) != len(size):
        raise RuntimeError(
            "Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = "
            f"{len(size)} is not equal to len(physical_layout) = {len(physical_layout)}"
        )
    seen: list[int] = []
    for dim in physical_layout:
        if not 0 <= dim < len(size):
            raise RuntimeError(
                f"Dimension out of range (expected to be between 0 and {len(size) - 1}, but got {dim} at index "
                f"{len(seen)}).  NB: negative dims not currently supported; file an issue if you want it."
            )
        if dim in seen:
            raise RuntimeError("Duplicate dim not allowed")
        seen.append(dim)
    ordered = [size[dim] for dim in seen]
    _check_size(tuple(ordered), "empty_permuted")
    steps = contiguous_stride(ordered)
    stride = tuple([steps[seen.index(dim)] for dim in range(len(size))])
    return empty_strided(tuple(size), stride, dtype=dtype, device=device)


@op(
    strict=True,
    samples=(
        sample("tk.eye(3)"),
        sample("tk.eye(2, 3, dtype=tk.int32)"),
        sample("tk.eye(0)"),
        sample("tk.eye(-1)"),
    ),
    kind="create",
    methods=(),
)
@takes(f"(int n, *, Tensor out = None, {FACTORY})", f"(int n, int m, *, Tensor out = None, {FACTORY})")
def eye(
    n: int, m: int | None = None, *, out: Tensor | None = None, dtype: Any = None, device: DeviceLike = None
) -> Tensor:
    """The identity matrix: ones on the diagonal, zeros elsewhere.

    >>> import tensorkit as tk
    >>> tk.eye(2)
    tensor([[1., 0.],
            [0., 1.]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.eye.html
    """
    if type(n) is int and (m is None or type(m) is int) and out is None and device is None:
        quick = _quick_eye(n, n if m is None else m, dtype)
        if quick is not None:
            return quick
    for label, count in (("n", n), ("m", n if m is None else m)):
        if isinstance(count, float) or not hasattr(count, "__index__"):
            raise TypeError(f"eye(): argument '{label}' (position 1) must be int, not {type_name(count)}")
        if count < 0:
            raise RuntimeError(f"{label} must be greater or equal to 0, got {count}")
    rows = int(n.__index__())
    size = checked_size((rows, rows if m is None else int(m.__index__())))
    made = new_or_out(size, dtype, device, out, "eye")
    if made._dtype in LIMITED:
        raise missing_kernel("eye", made._dtype.label)
    write_number(made, 0)
    if made.numel():
        write_number(made._view(made._lay().diagonal()), 1)
    if out is not None:
        out._bump()
    return made


def _quick_eye(rows: int, columns: int, asked: Any) -> Tensor | None:
    """A small CPU tensor; None where there is more to look at."""
    kind = dtypes.get_default_dtype() if asked is None else asked
    if type(kind) is not dtypes.dtype or kind in LIMITED or default_chosen.once:
        return None
    if rows < 0 or columns < 0 or rows * columns > SMALL:
        return None
    made = numpy.zeros((rows, columns), kind.numpy)
    made.reshape(-1)[: columns * columns : columns + 1] = 1
    return fresh(made, kind)


def _quickly_like(input: Tensor, kind: Any, where: Any, memory_format: Any, value: int) -> Tensor | None:
    """A small row-major CPU tensor like another such, filled; None where that is not plainly asked for."""
    if where is not None or memory_format is not None or type(input) is not Tensor:
        return None
    if kind is None:
        kind = input._dtype
    elif type(kind) is not dtypes.dtype:
        return None
    if input._array is None or not input._solid or input._array.size > SMALL:
        return None
    if value == 0:
        return fresh(numpy.zeros(input._array.shape, kind.numpy), kind)
    made = numpy.empty(input._array.shape, kind.numpy)
    made.fill(value)
    return fresh(made, kind)


def _like(input: Tensor, kind: Any, where: DeviceLike, memory_format: Any, name: str) -> Tensor:
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type_name(input)}")
    check_format(name, memory_format)
    lay = input._lay()
    stride = formatted_strides(lay, memory_format)
    chosen = input._dtype if kind is None else as_dtype(kind, name)
    return _allocate(lay.size, stride, chosen, input._device if where is None else resolve(where))


@op(samples=(sample("tk.empty_like(a).stride()", a=(2, 3)),), kind="create", methods=())
def empty_like(
    input: Tensor, *, dtype: Any = None, device: DeviceLike = None, memory_format: Any = None
) -> Tensor:
    """An uninitialised tensor of the size, dtype, device and order of dimensions of another.

    >>> import tensorkit as tk
    >>> tk.empty_like(tk.zeros(2, 3).t()).stride()
    (1, 3)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.empty_like.html
    """
    made = _like(input, dtype, device, memory_format, "empty_like")
    return whole_filled(made) if chosen.enabled else made


@op(
    samples=(sample("tk.zeros_like(a)", a=(2, 3)), sample("tk.zeros_like(a, dtype=tk.int64)", a=(2, 3))),
    kind="create",
    methods=(),
)
def zeros_like(
    input: Tensor, *, dtype: Any = None, device: DeviceLike = None, memory_format: Any = None
) -> Tensor:
    """Zeros, of the size, dtype, device and order of dimensions of another tensor.

    >>> import tensorkit as tk
    >>> tk.zeros_like(tk.tensor([1, 2]))
    tensor([0, 0])
    """
    quick = _quickly_like(input, dtype, device, memory_format, 0)
    if quick is not None:
        return quick
    out = _like(input, dtype, device, memory_format, "zeros_like")
    write_number(out, 0)
    return out


@op(
    samples=(sample("tk.ones_like(a)", a=(2, 3)), sample("tk.ones_like(a, dtype=tk.bool)", a=(2, 3))),
    kind="create",
    methods=(),
)
def ones_like(
    input: Tensor, *, dtype: Any = None, device: DeviceLike = None, memory_format: Any = None
) -> Tensor:
    """Ones, of the size, dtype, device and order of dimensions of another tensor.

    >>> import tensorkit as tk
    >>> tk.ones_like(tk.zeros(2))
    tensor([1., 1.])
    """
    quick = _quickly_like(input, dtype, device, memory_format, 1)
    if quick is not None:
        return quick
    out = _like(input, dtype, device, memory_format, "ones_like")
    write_number(out, 1)
    return out


@op(strict=True, samples=(sample("tk.full_like(a, 7)", a=(2, 3)),), kind="create", methods=())
@takes(f"(Tensor input, Number fill_value, *, {MEMORY_FORMAT}, {FACTORY})")
def full_like(
    input: Tensor, fill_value: Any, *, dtype: Any = None, device: DeviceLike = None, memory_format: Any = None
) -> Tensor:
    """One number, in the size, dtype, device and order of dimensions of another tensor.

    >>> import tensorkit as tk
    >>> tk.full_like(tk.zeros(2), 7)
    tensor([7., 7.])
    """
    out = _like(input, dtype, device, memory_format, "full_like")
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
            _check_size(_size(args, f"new_{name}", kwargs.get("size")), f"new_{name}")
        raise known

    name = create.__name__
    method.__name__ = f"new_{create.__name__}"
    method.__doc__ = f"``{create.__name__}`` with this tensor's dtype and device unless told otherwise."
    return method


def _attach_new_forms() -> None:
    for create in (empty, empty_strided, zeros, ones, full, tensor):
        attach(f"new_{create.__name__}", _new_form(create))


_attach_new_forms()
