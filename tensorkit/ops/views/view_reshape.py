"""Views of another size or dtype: another layout on the same storage, of the same elements in the same order.

No number is ever copied here, but by `reshape` where it must. Each block asks `Layout` for new integers and puts a
tensor on the same storage; so do those of `transpose_permute`, `expand_squeeze`, `slicing` and `split`. Semantics,
sentences and the rule of view or copy are PyTorch 2.13's (https://docs.pytorch.org/docs/stable/tensor_view.html).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.conj_bit import CONJ
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import differentiable, wants_grad
from tensorkit.dispatch.signatures import Inner, type_name
from tensorkit.dispatch.view_call import by_layout, view_method
from tensorkit.dtypes import dtype
from tensorkit.memory_format import strided
from tensorkit.ops.shared.copy import contiguous
from tensorkit.ops.shared.int_args import as_ints, listed_ints
from tensorkit.ops.shared.to import as_dtype
from tensorkit.strides.layout import Layout
from tensorkit.strides.sizes import normalise_dim
from tensorkit.tensor import Tensor, attach, on_storage

# -- one size for another --------------------------------------------------------------------------------------------


def _no_dtype(arguments: dict[str, Any]) -> bool:
    """``view(dtype)`` reads other numbers: nothing differentiable."""
    size = arguments.get("size", ())
    return arguments.get("dtype") is None and not (len(size) == 1 and _names_dtype(size[0]))


def _names_dtype(value: Any) -> bool:
    """Whether a value is a dtype, or a type of Python's that stands for one."""
    return isinstance(value, (dtypes.dtype, type))


_AS_BEFORE = Rule("ViewBackward0", applies=_no_dtype, input=lambda g, c: g.reshape(c.input_face.size))


@op(function=False, derivative=_AS_BEFORE)
@takes(method=("(tensorkit.dtype dtype)", "(tuple of ints size)"))
@by_layout
def view(input: Tensor, *size: Any, dtype: dtype | None = None, **named: Any) -> Tensor:
    """The same elements, read with another size, when strides can express it; or the same bytes as another dtype.

    Args:
        size: the size wanted, with at most one -1 to be worked out; or a dtype.

    Returns:
        A view on the same storage, of the size asked for.

    Raises:
        ViewError: (a RuntimeError) when dimensions would have to merge that do not lie in line; it names them.
        RuntimeError: when the number of elements differs, or more than one -1 is given.

    >>> t = tk.arange(6).view(2, 3)
    >>> t.view(3, -1).stride(), t.view(3, -1).data_ptr() == t.data_ptr()
    ((2, 1), True)
    """
    if size and dtype is None and not named and not _names_dtype(size[0]):
        return input._view(input._lay().view(_view_size(size)))
    if named:
        if size or dtype is not None or list(named) != ["size"]:
            raise TypeError  # the caller says it in PyTorch's words
        size = (named["size"],)
    if not size and dtype is not None:
        return _view_dtype(input, dtype)
    if len(size) == 1 and _names_dtype(size[0]) and dtype is None:
        return _view_dtype(input, size[0])
    if dtype is not None:
        raise TypeError(
            f"view() received an invalid combination of arguments - got ({type_name(size[0])}, "
            "dtype=tensorkit.dtype), but expected one of:\n * (tensorkit.dtype dtype)\n * (tuple of ints size)\n"
        )
    if not size:
        raise TypeError(
            "view() received an invalid combination of arguments - got (), but expected one of:\n"
            " * (tensorkit.dtype dtype)\n * (tuple of ints size)\n"
        )
    return input._view(input._lay().view(_view_size(size)))


def _view_size(size: tuple[Any, ...]) -> tuple[int, ...]:
    try:
        return as_ints(size, "view")
    except TypeError:
        names = ", ".join(type_name(s) for s in size)
        raise TypeError(
            f"view() received an invalid combination of arguments - got ({names}), but expected one of:\n"
            " * (tensorkit.dtype dtype)\n * (tuple of ints size)\n"
        ) from None


def _view_dtype(input: Tensor, given: Any) -> Tensor:
    lay, old, kind = input._lay(), input._dtype, as_dtype(given, "view")
    if input._bits:
        what = "conjugate view tensors" if input._bits & CONJ else "tensors with negative bit set"
        raise RuntimeError(
            f"tensorkit.Tensor.view is not supported for {what} when converting to a different dtype."
        )
    out = input._view(_layout_for(lay, old, kind))
    out._dtype = kind
    out._base = None  # other bytes for autograd: PyTorch does not call it a view either
    return out


def _layout_for(lay: Layout, old: dtype, new: dtype) -> Layout:
    """The layout, counted in elements of another size, for the same bytes."""
    if old.itemsize == new.itemsize:
        return lay
    why = f"to view {old.label} as {new.label} (different element sizes), but got"
    if not lay.size:
        raise RuntimeError(f"self.dim() cannot be 0 {why[: -len(', but got')]}")
    times = new.itemsize // old.itemsize
    if times and lay.size[-1] % times:
        raise RuntimeError(f"self.size(-1) must be divisible by {times} {why} {lay.size[-1]}")
    if times and lay.offset % times:
        raise RuntimeError(f"self.storage_offset() must be divisible by {times} {why} {lay.offset}")
    if lay.stride[-1] != 1:
        raise RuntimeError(f"self.stride(-1) must be 1 {why} {lay.stride[-1]}")
    if old.itemsize > new.itemsize:
        times = old.itemsize // new.itemsize
        stride = (*[s * times for s in lay.stride[:-1]], 1)
        return Layout((*lay.size[:-1], lay.size[-1] * times), stride, lay.offset * times)
    for dim, step in enumerate(lay.stride[:-1]):
        if step % times:
            raise RuntimeError(f"self.stride({dim}) must be divisible by {times} {why} {step}")
    stride = (*[s // times for s in lay.stride[:-1]], 1)
    return Layout((*lay.size[:-1], lay.size[-1] // times), stride, lay.offset // times)


@op(methods=())
@by_layout
def reshape(input: Tensor, shape: Sequence[int]) -> Tensor:
    """The same elements with another size: a view when strides can express it, otherwise a copy.

    Args:
        shape: the size wanted, with at most one -1 to be worked out.

    >>> t = tk.arange(6).view(2, 3)
    >>> tk.reshape(t.t(), (6,))
    tensor([0, 3, 1, 4, 2, 5])
    """
    return _reshaped(input, listed_ints(shape, "reshape", "shape", 2))


def _reshaped(input: Tensor, size: tuple[int, ...]) -> Tensor:
    recorded = wants_grad(input)
    lay = input._lay()
    if recorded and lay.is_contiguous():
        return input.view(size)
    layout = lay.reshape(size)
    if layout is not None:
        return _reshape_alias(input, layout) if recorded else input._view(layout)
    # The copy has no other reference: the result is a tensor of its own, not a view.
    return unsafe_view(contiguous(input), size)  # type: ignore[no-any-return]


def _unsafe_view_body(input: Tensor, size: Sequence[int]) -> Tensor:
    """`view` of a copy without other references: a tensor of its own, not a view."""
    made = on_storage(input._store(), input._lay().view(size), input._dtype)
    if input._bits:
        made._bits = input._bits
    return made


_reshape_alias: Callable[[Tensor, Layout], Tensor] = differentiable(
    lambda input, layout: input._view(layout),
    Rule("ReshapeAliasBackward0", input=lambda g, c: g.reshape(c.input_face.size)),
    "_reshape_alias",
    "view",
)
unsafe_view = differentiable(
    _unsafe_view_body,
    Rule("UnsafeViewBackward0", input=lambda g, c: g.reshape(c.input_face.size)),
    "_unsafe_view",
    "copy",
)


def _method_reshape(input: Tensor, *sizes: Any, shape: Any = None) -> Tensor:
    """The same elements with another size: a view when strides can express it, otherwise a copy."""
    if shape is not None and not sizes:
        sizes = (shape,)
    if not sizes:
        raise TypeError('reshape() missing 1 required positional arguments: "shape"')
    return _reshaped(input, as_ints(sizes, "reshape", "shape"))


@op(function=False, derivative=_AS_BEFORE)
def view_as(input: Tensor, other: Tensor) -> Tensor:
    """`view` with the size of another tensor.

    >>> tk.arange(6).view_as(tk.zeros(2, 3)).size()
    tensorkit.Size([2, 3])
    """
    return input._view(input._lay().view(other._lay().size))


@op(function=False)
def reshape_as(input: Tensor, other: Tensor) -> Tensor:
    """`reshape` with the size of another tensor.

    >>> tk.arange(6).reshape_as(tk.zeros(2, 3)).size()
    tensorkit.Size([2, 3])
    """
    return _reshaped(input, other._lay().size)


@op()
@by_layout
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Merge the dimensions from `start_dim` to `end_dim` into one: a view if they lie in line, else a copy.

    >>> tk.zeros(2, 3, 4).flatten(1).size()
    tensorkit.Size([2, 12])
    """
    lay = input._lay()
    if lay.size and normalise_dim(start_dim, len(lay.size)) == normalise_dim(end_dim, len(lay.size)):
        return input
    return _reshaped(input, lay.flattened_size(start_dim, end_dim))


@op()
@by_layout
def ravel(input: Tensor) -> Tensor:
    """All elements in one row: a view if they lie in order, else a copy.

    >>> tk.ravel(tk.arange(6).view(2, 3)).size()
    tensorkit.Size([6])
    """
    return contiguous(input).view(-1)


def _unflatten_method(self: Any, dim: Any, sizes: Any) -> Inner:
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    return "unflatten", (dim, sizes), {}


@op(strict=True, derivative=_AS_BEFORE)
@takes(method=("(int dim, tuple of ints sizes)",), python_method=_unflatten_method)
def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """Split one dimension into several.

    >>> tk.zeros(2, 6).unflatten(1, (3, -1)).size()
    tensorkit.Size([2, 3, 2])
    """
    return input._view(input._lay().unflatten(dim, listed_ints(sizes, "unflatten", "sizes", 3)))


# -- the same tensor again -------------------------------------------------------------------------------------------


def new_layout(input: Tensor, layout: Layout) -> Tensor:
    """The tensor itself, read from now on with another layout."""
    input._adopt_geometry(input._store(), layout)
    input._bump()
    return input


def _alias_body(input: Tensor) -> Tensor:
    return input._view(input._lay())


# The same size, strides and storage, as another tensor.
alias: Callable[[Tensor], Tensor] = differentiable(
    _alias_body, Rule("AliasBackward0", input=lambda g, c: g), "alias", "view"
)


@op(methods=("positive", "__pos__"))
def positive(input: Tensor) -> Tensor:
    """The tensor itself (``+t``); refused for bool.

    >>> t = tk.ones(2)
    >>> +t is t
    True
    """
    if input._dtype is dtypes.bool:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


@op()
def detach(input: Tensor) -> Tensor:
    """A tensor on the same storage that autograd does not follow.

    >>> t = tk.ones(2)
    >>> t.detach().data_ptr() == t.data_ptr()
    True

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.detach.html
    """
    out = input._view(input._lay())
    out._base = None
    return out


def _set_data(input: Tensor, value: Any) -> None:
    if not isinstance(value, Tensor):
        raise TypeError(f"Variable data has to be a tensor, but got {type(value).__name__}")
    if (value._device.type == "meta") != (input._device.type == "meta"):
        raise RuntimeError(
            "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor type."
        )
    if value._dtype.category < 2 and wants_grad(input) and input.requires_grad:
        raise RuntimeError(
            "data set to a tensor that requires gradients must be floating point or complex dtype"
        )
    input._adopt_geometry(value._store(), value._lay(), value._dtype)
    input._device = value._device
    if input._bits != value._bits:
        input._bits = value._bits


def _delete_data(input: Tensor) -> None:
    raise RuntimeError("Deleting tensor data is not allowed. Delete tensor instead!")


def _data(input: Tensor) -> Tensor:
    """The same storage without autograd's knowledge: writes through it are not counted."""
    out = detach(input)
    out._counter = None
    return out


#: Kinds of devices that PyTorch knows and tensorkit does not have.
_ELSEWHERE = ("is_ipu", "is_maia", "is_mps", "is_mtia", "is_vulkan", "is_xla", "is_xpu")


def _attach_forms() -> None:
    """The method whose arguments differ from the function's, and the properties."""
    attach("reshape", view_method("reshape", _method_reshape, _method_reshape))
    attach("data", property(_data, _set_data, _delete_data))
    attach("layout", property(lambda self: strided))
    for name in ("is_sparse", "is_quantized", "is_mkldnn", "is_nested", "is_sparse_csr", *_ELSEWHERE):
        attach(name, property(lambda self: False))


_attach_forms()
