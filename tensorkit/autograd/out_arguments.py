"""Tensors given as ``out=``: nothing is recorded through them, so none of them may want a gradient.

>>> import tensorkit as tk
>>> tk.exp(tk.zeros(2), out=tk.zeros(2, requires_grad=True))
Traceback (most recent call last):
    ...
RuntimeError: exp(): functions with out=... arguments don't support automatic differentiation, but one of the \
arguments requires grad.
"""

from __future__ import annotations

from typing import Any

from tensorkit.autograd.grad_mode import state
from tensorkit.autograd.history import requires_grad
from tensorkit.dispatch import out_and_inplace
from tensorkit.tensor import Tensor

__all__ = ["check_outs", "not_recorded"]

#: The operation of PyTorch's that a function comes down to, and that its error names.
_NAMES = {
    "column_stack": "cat",
    "diff": "sub",
    "dstack": "cat",
    "float_power": "pow",
    "hstack": "cat",
    "kron": "mul",
    "linalg_cholesky": "linalg_cholesky_ex",
    "linalg_det": "_linalg_det",
    "linalg_eigh": "_linalg_eigh",
    "linalg_eigvalsh": "_linalg_eigh",
    "linalg_inv": "linalg_inv_ex",
    "linalg_ldl_factor": "aten::linalg_ldl_factor_ex",
    "linalg_lu_factor": "linalg_lu_factor_ex",
    "linalg_multi_dot": "mm",
    "linalg_slogdet": "_linalg_slogdet",
    "linalg_solve": "_linalg_solve_ex",
    "linalg_solve_ex": "_linalg_solve_ex",
    "linalg_svd": "_linalg_svd",
    "linalg_svdvals": "_linalg_svd",
    "linalg_vecdot": "vdot",
    "lu_solve": "linalg_lu_solve",
    "msort": "sort",
    "nanmean": "nansum",
    "norm": "linalg_vector_norm",
    "outer": "mul",
    "qr": "linalg_qr",
    "square": "pow",
    "take_along_dim": "gather",
    "true_divide": "div",
    "vstack": "cat",
}
#: Those that PyTorch has no formula for by that name.
_PLAIN = frozenset((
    "alias_copy", "arange", "as_strided_copy", "bernoulli", "conj_physical", "diagonal_copy", "expand_copy", "eye",
    "floor_divide", "full", "heaviside", "histogram", "linalg_ldl_factor_ex", "linalg_ldl_solve", "linspace",
    "log_softmax", "logspace", "ones", "permute_copy", "softmax", "squeeze_copy", "t_copy", "transpose_copy",
    "unfold_copy", "unsqueeze_copy", "view_copy", "zeros",
))  # fmt: skip
#: Those whose result PyTorch writes in place: a leaf is refused for that.
_IN_PLACE = frozenset((
    "linalg_cond", "linalg_matrix_norm", "linalg_norm", "linalg_tensorinv", "linalg_tensorsolve", "nanquantile",
    "quantile", "special_ndtr", "svd", "tensordot",
))  # fmt: skip
#: Those of which PyTorch keeps no record at all, besides the orthogonal polynomials.
_SILENT = frozenset((
    "eq", "ge", "gt", "histc", "le", "logical_and", "logical_or", "logical_xor", "lt", "multinomial", "ne",
    "special_airy_ai", "special_scaled_modified_bessel_k0", "special_scaled_modified_bessel_k1",
    "special_spherical_bessel_j0", "split_with_sizes_copy",
))  # fmt: skip


def not_recorded(name: str, *tensors: Tensor) -> RuntimeError:
    """PyTorch's refusal of ``out=`` where somebody wants a gradient.

    Args:
        name: of the function.
        tensors: that it was called with: with some, a function comes down to one operation or to another.
    """
    if name in ("max", "min") and len(tensors) == 2:
        name = f"{name}imum"
    elif name == "diag" and tensors:
        name = "aten::diag_embed" if tensors[0].dim() == 1 else "aten::diagonal_copy"
    shown = f"aten::{name}" if name in _PLAIN else _NAMES.get(name, name)
    return RuntimeError(
        f"{shown}(): functions with out=... arguments don't support automatic differentiation, but one of the "
        "arguments requires grad."
    )


def check_outs(name: str, args: tuple[Any, ...], out: Any) -> RuntimeError | None:
    """PyTorch's refusal of tensors to write a result into that want a gradient; None where none does."""
    if not state.grad or name in _SILENT or "_polynomial_" in name:
        return None
    given = out if isinstance(out, (tuple, list)) else (out,)
    wanting = [one for one in given if isinstance(one, Tensor) and requires_grad(one)]
    if not wanting:
        return None
    if name in _IN_PLACE and any(one.is_leaf for one in wanting):
        return RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    return not_recorded(name, *(value for value in args if isinstance(value, Tensor)))


out_and_inplace.register_out_check(check_outs)
