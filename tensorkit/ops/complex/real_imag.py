"""Complex numbers as pairs of real ones, and their real and imaginary parts: all views."""

from __future__ import annotations

from typing import Any

from tensorkit import dtypes
from tensorkit.autograd.graph import Rule
from tensorkit.autograd.inplace_views import in_pairs, register_pairs
from tensorkit.conj_bit import CONJ
from tensorkit.dispatch.op import op
from tensorkit.ops.complex.conj import _neg_view
from tensorkit.strides.layout import Layout
from tensorkit.tensor import Tensor, attach


def _complex_again(g: Any) -> Tensor:
    return view_as_complex(g.contiguous())


def _as_real(input: Tensor) -> Tensor:
    out = input._view(in_pairs(input._lay()))
    out._dtype = input._dtype.to_real()
    return out


@op(methods=(), derivative=Rule("ViewAsRealBackward0", input=lambda g, c: _complex_again(g)))
def view_as_real(input: Tensor) -> Tensor:
    """Complex numbers as pairs of real ones: a new last dimension of size 2.

    >>> tk.view_as_real(tk.zeros(3, dtype=tk.cfloat)).size()
    tensorkit.Size([3, 2])
    """
    if not input._dtype.is_complex:
        raise RuntimeError("view_as_real is only supported for complex tensors")
    if input._bits & CONJ:
        raise RuntimeError(
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so you can "
            "view it as real, use self.resolve_conj(); however, be warned that the resulting tensor will NOT alias the "
            "original."
        )
    return _as_real(input)


@op(methods=(), derivative=Rule("ViewAsComplexBackward0", input=lambda g, c: view_as_real(g.resolve_conj())))
def view_as_complex(input: Tensor) -> Tensor:
    """Pairs of real numbers, in the last dimension, as complex ones.

    >>> tk.view_as_complex(tk.ones(3, 2)).dtype
    tensorkit.complex64
    """
    if input._dtype not in (dtypes.float32, dtypes.float64, dtypes.float16):
        raise RuntimeError(
            "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: "
            f"{input._dtype.label}"
        )
    if input._dtype is dtypes.float16:
        raise RuntimeError(
            "view_as_complex: tensorkit has no complex32 to read half tensors as; call .float() first"
        )
    lay = input._lay()
    if not lay.size:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if lay.size[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if lay.stride[-1] != 1:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    for step in lay.stride[:-1]:
        if step % 2:
            raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    if lay.offset % 2:
        raise RuntimeError("Tensor must have a storage_offset divisible by 2")
    out = input._view(Layout(lay.size[:-1], tuple([s // 2 for s in lay.stride[:-1]]), lay.offset // 2))
    out._dtype = input._dtype.to_complex()
    return out


@op(methods=())
def real(input: Tensor) -> Tensor:
    """The real parts, as a view; a tensor of real numbers is its own.

    >>> tk.real(tk.zeros(3, dtype=tk.cfloat)).stride()
    (2,)
    """
    if input._bits & CONJ:
        return real(input.conj())
    return view_as_real(input).select(-1, 0) if input._dtype.is_complex else input


@op(methods=())
def imag(input: Tensor) -> Tensor:
    """The imaginary parts, as a view; of a view of conjugates, one that stands for the negatives (see `is_neg`).

    Raises:
        RuntimeError: for a tensor of real numbers.

    >>> tk.imag(tk.zeros(3, dtype=tk.cfloat)).storage_offset()
    1
    """
    if not input._dtype.is_complex:
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    if input._bits & CONJ:
        return _neg_view(view_as_real(input.conj())).select(-1, 1)
    return view_as_real(input).select(-1, 1)


def _write_real(input: Tensor, value: Any) -> None:
    real(input).copy_(value)


def _write_imag(input: Tensor, value: Any) -> None:
    imag(input).copy_(value)


# Late: `autograd` records what it computes with these two, and they are operations, built on it.
register_pairs(view_as_real, view_as_complex)
attach("real", property(real, _write_real))
attach("imag", property(imag, _write_imag))
