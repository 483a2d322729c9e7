"""Dimensions in another order, as views: transposed, permuted, moved."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from tensorkit.autograd.graph import Rule
from tensorkit.dispatch.call import traced_method
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.recording import recorded_call, wants_grad
from tensorkit.dispatch.registry import registry
from tensorkit.dispatch.view_call import by_layout, view_method
from tensorkit.errors import warn
from tensorkit.ops.shared.int_args import Dims, as_ints, counted, listed_ints
from tensorkit.ops.views.view_reshape import alias, new_layout
from tensorkit.strides.layout import Layout
from tensorkit.tensor import Tensor, attach


def _inverse(dims: Any, ndim: int) -> list[int]:
    """The order that undoes a permutation."""
    places = [d % ndim for d in dims]
    return sorted(range(ndim), key=places.__getitem__)


@op(derivative=Rule("TBackward0", input=lambda g, c: g.t()))
@by_layout
def t(input: Tensor) -> Tensor:
    """Transpose a matrix by swapping its two sizes and its two strides; a vector stays as it is.

    Returns:
        A view of size ``(columns, rows)``.

    Raises:
        RuntimeError: for more than two dimensions.

    >>> m = tk.arange(6).view(2, 3)
    >>> m.stride(), m.t().stride()
    ((3, 1), (1, 3))
    """
    return input._view(input._lay().t())


@op(
    aliases=("swapaxes", "swapdims"),
    inplace=True,
    derivative=Rule("TransposeBackward0", input=lambda g, c: g.transpose(c.dim0, c.dim1)),
)
@takes(names={"swapaxes": ("(Tensor input, int axis0, int axis1)",)})
@by_layout
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Swap two dimensions: their sizes and their strides. No element moves.

    >>> t = tk.arange(6).view(2, 3)
    >>> t.stride(), t.transpose(0, 1).stride()
    ((3, 1), (1, 3))
    >>> tk.zeros(1, 2, 3).transpose(0, 1).stride()
    (3, 6, 1)
    """
    return input._view(input._lay().transpose(dim0, dim1))


@op(methods=(), derivative=Rule("PermuteBackward0", input=lambda g, c: g.permute(_inverse(c.dims, g.dim()))))
@by_layout
def permute(input: Tensor, dims: Sequence[int]) -> Tensor:
    """Put the dimensions in another order. No element moves.

    >>> tk.permute(tk.arange(24).view(2, 3, 4), (2, 0, 1)).size()
    tensorkit.Size([4, 2, 3])
    """
    return input._view(input._lay().permute(listed_ints(dims, "permute", "dims", 2)))


def _method_permute(input: Tensor, *places: Any, dims: Any = None) -> Tensor:
    """Put the dimensions in another order. No element moves."""
    if dims is not None and not places:
        places = (dims,)
    if not places:
        raise TypeError('permute() missing 1 required positional arguments: "dims"')
    order = as_ints(places, "permute", "dims")
    return permute(input, order) if wants_grad(input) else input._view(input._lay().permute(order))


@op(strict=True, aliases=("moveaxis",))
@takes(
    "(Tensor input, int source, int destination)",
    "(Tensor input, tuple of ints source, tuple of ints destination)",
    methods={
        "moveaxis": ("(int source, int destination)", "(tuple of ints source, tuple of ints destination)")
    },
)
@by_layout
def movedim(input: Tensor, source: Dims, destination: Dims) -> Tensor:
    """Move dimensions to other places; the rest keep their order.

    >>> tk.zeros(2, 3, 4).movedim(0, -1).size()
    tensorkit.Size([3, 4, 2])
    """
    source, destination = counted(source), counted(destination)
    layout = input._lay().movedim(source, destination)
    if wants_grad(input):
        ndim = input.dim()
        if not ndim:
            return alias(input)
        return permute(input, Layout(tuple(range(ndim)), (0,) * ndim).movedim(source, destination).size)
    return input._view(layout)


def _reversed(input: Tensor) -> Tensor:
    """All dimensions in reverse order; a matrix transposed."""
    lay = input._lay()
    if not lay.size:
        _warn_0d("T")
    elif len(lay.size) != 2:
        _warn_T()
    return permute(input, list(range(len(lay.size)))[::-1]) if wants_grad(input) else input._view(lay.T)


def _warn_0d(name: str) -> None:
    why = "Consider using x.conj()." if "H" in name else "This function is the identity in these cases."
    warnings.warn(f"Tensor.{name} is deprecated on 0-D tensors. {why}", UserWarning, stacklevel=4)


def _warn_T() -> None:
    warnings.warn(
        "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw "
        "an error in a future release. Consider `x.mT` to transpose batches of matrices or "
        "`x.permute(*torch.arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.",
        UserWarning,
        stacklevel=4,
    )


def _t_inplace(input: Tensor) -> Tensor:
    """In-place form of ``t``: this tensor itself gets the new layout."""

    def body() -> Tensor:
        if input.dim() > 2:
            raise RuntimeError(f"t_() expects a tensor with <= 2 dimensions, but self is {input.dim()}D")
        return new_layout(input, input._lay().t())

    if not wants_grad(input):
        return body()
    rule = registry["t"].derivative.inplace()
    return recorded_call(rule, "t_", {"input": input}, body, "inplace")  # type: ignore[no-any-return]


def _matrices_transposed(input: Tensor) -> Tensor:
    """The last two dimensions swapped; a 0-d tensor is given back itself, as in PyTorch."""
    layout = input._lay().mT
    if not layout.size:
        _warn_0d("mT")
        return input
    return transpose(input, -2, -1) if wants_grad(input) else input._view(layout)


def _adjoint(name: str) -> Any:
    """``H`` and ``mH``: the last two dimensions swapped, and complex numbers conjugated."""

    def adjoint(input: Tensor) -> Tensor:
        layout = getattr(input._lay(), name)
        if not layout.size:
            _warn_0d(name)
            return input.conj()
        turned = transpose(input, -2, -1) if wants_grad(input) else input._view(layout)
        return turned.conj() if input._dtype.is_complex else turned

    return adjoint


@op()
def adjoint(input: Tensor) -> Tensor:
    """The conjugate transpose of every matrix of a batch.

    >>> tk.adjoint(tk.tensor([[1j, 2]])).size()
    tensorkit.Size([2, 1])
    """
    lay = input._lay()
    if len(lay.size) == 1:
        raise RuntimeError(
            "tensor.adjoint() is only supported on matrices or batches of matrices. Got 1-D tensor."
        )
    if not lay.size:
        warn("adjoint() is deprecated on 0-D tensors. Consider using x.conj().")
        return input.conj()
    turned: Any = transpose(input, -2, -1)
    return turned.conj() if input._dtype.is_complex else turned  # type: ignore[no-any-return]


attach("permute", view_method("permute", _method_permute, _method_permute))
attach("t_", traced_method("t_", _t_inplace))
attach("T", property(traced_method("numpy_T", _reversed)))
attach("mT", property(traced_method("mT", _matrices_transposed)))
attach("H", property(traced_method("H", _adjoint("H"))))
attach("mH", property(traced_method("mH", _adjoint("mH"))))
