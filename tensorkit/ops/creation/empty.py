"""New tensors, not filled: `empty`, `empty_strided`, `empty_permuted`, `empty_like`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorkit import dtypes
from tensorkit.device import CPU, META, DeviceLike, default_chosen, resolve
from tensorkit.dispatch.op import op
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dispatch.signatures import type_name
from tensorkit.elementwise.output import empty_strided as _allocate
from tensorkit.memory_format import check_format, formatted_strides, preserve_format
from tensorkit.ops.shared.int_args import as_ints, listed_ints
from tensorkit.ops.shared.resize import resize_
from tensorkit.ops.shared.to import as_dtype
from tensorkit.ops.shared.uninitialized import chosen, whole_filled
from tensorkit.strides import layout as layouts
from tensorkit.strides.sizes import INT64_MAX, check_bytes, contiguous_stride, overflowed
from tensorkit.tensor import Tensor


def as_size(size: tuple[Any, ...], name: str, keyword: Any = None) -> tuple[int, ...]:
    if keyword is not None:
        size = (keyword,)
    if not size:
        raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
    return as_ints(size, name)


def check_size(size: tuple[int, ...], name: str) -> None:
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
    return _allocate(size, contiguous_stride(size), chosen, here)


def check_out(out: Any, kind: Any, where: DeviceLike, name: str) -> None:
    """Refuse anything but a tensor of the dtype and device that the call names."""
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type_name(out)}")
    asked = None if kind is None else as_dtype(kind, name)
    if asked is not None and asked is not out._dtype:
        raise RuntimeError(f"dtype {asked.label} does not match dtype of out parameter ({out._dtype.label})")
    if where is not None and resolve(where).type != out._device.type:
        raise RuntimeError(
            f"device type {resolve(where).type} does not match device type of out parameter ({out._device.type})"
        )


@op(kind="create", methods=(), out_overlap="allowed")
@shortened("empty")
def empty(
    *size: Any,
    out: Tensor | None = None,
    dtype: Any = None,
    device: DeviceLike = None,
    memory_format: Any = None,
    **keyword: Any,
) -> Tensor:
    """A tensor whose elements are whatever the memory held before.

    >>> tk.empty(2, 3).size()
    tensorkit.Size([2, 3])
    """
    sizes = as_size(size, "empty", named_size(keyword, "empty"))
    check_size(sizes, "empty")
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


def named_size(keyword: dict[str, Any], name: str) -> Any:
    """The size, where it was given by name."""
    for key in keyword:
        if key != "size":
            raise TypeError(f"{name}() got an unexpected keyword argument '{key}'")
    return keyword.get("size")


@op(kind="create", methods=())
def empty_strided(
    size: Sequence[int], stride: Sequence[int], *, dtype: Any = None, device: DeviceLike = None
) -> Tensor:
    """An uninitialised tensor with strides of your own, on a storage that just holds it.

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
    check_size(sizes, "empty_strided")
    kind = dtypes.get_default_dtype() if dtype is None else as_dtype(dtype, "empty_strided")
    where = resolve(device)
    far = 0 not in sizes and 1 + sum((n - 1) * step for n, step in zip(sizes, strides, strict=True))
    if any(step < 0 for step in strides) or (where != META and far * kind.itemsize > INT64_MAX):
        raise overflowed(sizes, strides)
    made = _allocate(sizes, strides, kind, where)
    return whole_filled(made) if chosen.enabled else made


@op(kind="create", methods=())
def empty_permuted(
    size: Sequence[int], physical_layout: Sequence[int], *, dtype: Any = None, device: DeviceLike = None
) -> Tensor:
    """An uninitialised tensor whose dimensions lie in memory in an order of your own, the slowest first.

    >>> tk.empty_permuted((2, 3), (1, 0)).stride()
    (1, 2)
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
    check_size(tuple(ordered), "empty_permuted")
    steps = contiguous_stride(ordered)
    stride = tuple([steps[seen.index(dim)] for dim in range(len(size))])
    return empty_strided(tuple(size), stride, dtype=dtype, device=device)


def like(input: Tensor, kind: Any, where: DeviceLike, memory_format: Any, name: str) -> Tensor:
    if not isinstance(input, Tensor):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type_name(input)}")
    check_format(name, memory_format)
    lay = input._lay()
    stride = formatted_strides(lay, memory_format)
    chosen = input._dtype if kind is None else as_dtype(kind, name)
    return _allocate(lay.size, stride, chosen, input._device if where is None else resolve(where))


@op(kind="create", methods=())
def empty_like(
    input: Tensor, *, dtype: Any = None, device: DeviceLike = None, memory_format: Any = None
) -> Tensor:
    """An uninitialised tensor of the size, dtype, device and order of dimensions of another.

    >>> tk.empty_like(tk.zeros(2, 3).t()).stride()
    (1, 3)
    """
    made = like(input, dtype, device, memory_format, "empty_like")
    return whole_filled(made) if chosen.enabled else made
