"""The graphs of recorded gradients: node for node PyTorch's, but for those that are named here.

The cases are the operations' own samples. Of each gradient computed with ``create_graph=True`` the names of its
nodes are compared four nodes deep, edge by edge, edges to nowhere included.
"""

from __future__ import annotations

import random
import warnings
import zlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

import tensorkit
from tensorkit.dispatch.registry import Op
from tests.engine.autograd.test_derivatives import OPS, Case, called, leaves_of, pattern, plain_case
from tests.torch_oracle import require_torch

pytestmark = pytest.mark.parity

DEEP = 4
_FORMULA = "the derivative is computed by another formula, of the same value"
_NUMBERS = "a number has an edge where PyTorch's formula calls the form for numbers"
_ADDED = "where elements of the result share memory, their gradients are added up by other operations"
_SINGLE = "of a tensor without dimensions or elements PyTorch's formula makes more operations than are needed"
_FREEDOM = "where no freedom is left, PyTorch computes in double precision and converts"
_COMPOSED = "its gradient is made of other operations, where PyTorch has one operation for it"
#: What networks are made of, and Fourier transforms.
_OF_NETWORKS = """
    adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d
    adaptive_max_pool3d affine_grid_generator avg_pool1d avg_pool2d avg_pool3d batch_norm bilinear
    binary_cross_entropy binary_cross_entropy_with_logits celu celu_ conv1d conv2d conv3d conv_transpose1d
    conv_transpose2d conv_transpose3d convolution cosine_embedding_loss cross_entropy_loss ctc_loss elu fft_fft
    fft_fft2 fft_fftn fft_hfft fft_hfft2 fft_hfftn fft_ifft fft_ifft2 fft_ifftn fft_ihfft fft_ihfft2 fft_ihfftn
    fft_irfft fft_irfft2 fft_irfftn fft_rfft fft_rfft2 fft_rfftn gelu glu grid_sampler group_norm hardshrink
    hardswish hardtanh huber_loss instance_norm interpolate kl_div layer_norm leaky_relu logsigmoid max_pool1d
    max_pool1d_with_indices max_pool2d max_pool2d_with_indices max_pool3d max_pool3d_with_indices mse_loss
    native_layer_norm nll_loss_nd pad poisson_nll_loss prelu rrelu rrelu_ scaled_dot_product_attention selu
    selu_ silu smooth_l1_loss soft_margin_loss softplus softshrink threshold threshold_
"""
#: The operations some of whose recorded gradients have other nodes, and why.
DIFFERENT = {
    **dict.fromkeys(("addcdiv", "addcmul", "lerp"), _NUMBERS),
    **dict.fromkeys(("as_strided", "as_strided_", "as_strided_copy", "as_strided_scatter"), _ADDED),
    **dict.fromkeys(
        ("amax", "amin", "aminmax", "cummax", "cummin", "index_add", "index_copy", "linalg_det"), _SINGLE
    ),
    **dict.fromkeys(("std", "var"), _FREEDOM),
    **dict.fromkeys(_OF_NETWORKS.split(), _COMPOSED),
    **dict.fromkeys(
        (
            *("__setitem__", "block_diag", "clamp", "clamp_", "clip_", "gradient"),
            *("index_reduce", "index_reduce_", "linalg_eig", "linalg_householder_product", "linalg_lstsq"),
            *(
                "linalg_lu",
                "linalg_lu_factor",
                "linalg_lu_factor_ex",
                "linalg_lu_solve",
                "linalg_matrix_norm",
            ),
            *("linalg_pinv", "linalg_qr", "linalg_svd", "lu", "lu_solve", "lu_unpack", "masked_scatter"),
            *("masked_scatter_", "orgqr", "ormqr", "pinverse", "qr", "svd", "triangular_solve"),
        ),
        _FORMULA,
    ),
    "remainder": "PyTorch has no derivative of a number's remainder by a tensor",
}


def _tree(node: Any, depth: int) -> str:
    """A node and what lies behind it, such as ``MulBackward0(ExpBackward0(...), None)``."""
    if node is None or not depth:
        return "None" if node is None else "..."
    name = node.name().split("::")[-1]
    behind = [_tree(one, depth - 1) + (f"[{nr}]" if nr else "") for one, nr in node.next_functions]
    return f"{name}({', '.join(behind)})" if behind else str(name)


def _graphs(lib: Any, case: Case) -> Any:
    """The graph of each gradient; None where there is nothing to differentiate, or the call is refused."""
    try:
        given = leaves_of(lib, case)
        paths = [out for out in called(lib, case, given) if out.requires_grad]
        starts = [pattern(lib, out, i).requires_grad_() for i, out in enumerate(paths)]
        wanted = [leaf for leaf in given if leaf.requires_grad]
        found = (
            lib.autograd.grad(paths, wanted, starts, create_graph=True, allow_unused=True) if paths else ()
        )
    except Exception:
        return None  # both refuse it alike: `test_gradients` sees to that
    return [None if grad is None else _tree(grad.grad_fn, DEEP) for grad in found]


def _cases(op: Op) -> Iterator[Case]:
    rng = random.Random(zlib.crc32(op.name.encode()))
    for sample in op.samples:
        if not sample.sizes:
            continue
        case = plain_case(sample, rng)
        yield case
        yield replace(case, dtype="complex128")
        count = len(case.sizes)
        for chosen in range(count if count > 1 else 0):
            yield replace(case, wants=tuple(place == chosen for place in range(count)), values="mixed")


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_the_graph_of_a_recorded_gradient_is_pytorchs(op: Op) -> None:
    torch = require_torch()
    wrong = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in _cases(op):
            ours, theirs = _graphs(tensorkit, case), _graphs(torch, case)
            if ours != theirs:
                wrong.append(f"{case.call} {case.dtype} {case.wants}:\n    {ours}\n    PyTorch: {theirs}")
    if op.name in DIFFERENT:
        assert wrong, f"{op.name} does not differ any more ({DIFFERENT[op.name]}): strike it from the list"
    else:
        assert not wrong, "\n".join(wrong[:6])


def test_every_difference_is_of_an_operation_that_there_is() -> None:
    assert set(DIFFERENT) <= {op.name for op in OPS}


VIEWS = {
    "x[1:3]": (4, 3),
    "x[::2, 1]": (4, 3),
    "x[5:]": (3, 2),
    "x.select(-1, -1)": (2, 3),
    "x.diagonal(-1, 1, 0)": (2, 3, 4),
    "x.narrow(-1, 1, 0)": (4, 3),
    "x.unfold(0, 3, 2)": (7,),
    "x.unfold(-2, 3, 1)": (4, 7),
    "x.unfold(0, 0, 1)": (3,),
    "x.unfold(0, 1, 1)": (),
    "x.split(2)[1]": (5, 2),
    "x.split([1, 3], -1)": (2, 4),
    "x.chunk(3)[2]": (5, 2),
    "x.unbind(-1)[0]": (3, 2),
}


@pytest.mark.parametrize("dtype", ["float64", "bfloat16", "complex64"])
@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("call", VIEWS)
def test_the_gradient_of_a_view_lies_and_counts_as_pytorchs(call: str, recorded: bool, dtype: str) -> None:
    facts = []
    for lib in (tensorkit, require_torch()):
        x = lib.zeros(VIEWS[call], dtype=getattr(lib, dtype), requires_grad=True)
        found = eval(call, {"x": x})
        parts = found if isinstance(found, tuple) else (found,)
        starts = [(lib.arange(part.numel()).view(part.size()) + 1).to(part.dtype) for part in parts]
        [grad] = lib.autograd.grad(parts, x, starts, create_graph=recorded)
        numbers = grad.to(lib.complex128).tolist()
        facts.append((grad.size(), grad.stride(), grad._version, grad._is_view(), numbers))
    assert facts[0] == facts[1]
