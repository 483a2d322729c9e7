"""The operations, one block each: importing this package attaches all of them to `Tensor`."""

# ruff: noqa: F401 -- imported for the operations that they register
from __future__ import annotations

from tensorkit.backends import anomaly_switch, matmul_precision
from tensorkit.ops import aten
from tensorkit.ops.complex import (
    conj,
    real_imag,
)
from tensorkit.ops.creation import (
    empty,
    eye,
    full,
    ranges,
    tril_triu,
    windows,
)
from tensorkit.ops.indexing import (
    advanced_index,
    gather,
    getitem_setitem,
    index_plan,
    index_reduce,
    index_select,
    masked,
    scatter,
    scatter_reduce,
    take_put,
)
from tensorkit.ops.joining import (
    atleast_nd,
    cat,
    stack,
)
from tensorkit.ops.linalg import (
    cdist,
    checks,
    cholesky_lu,
    cholesky_solve_lu_solve,
    deprecated,
    det_matrix_exp,
    ldl,
    lowrank,
    lstsq,
    matrix_power,
    norms,
    qr,
    renorm,
    solve_inv,
    svd_eig,
    trace,
)
from tensorkit.ops.matrix_products import (
    addbmm,
    addmm,
    addmm_arguments,
    addmv,
    cross,
    einsum,
    matmul,
    mm,
    multi_dot,
    mv,
    product,
    tensordot,
    vecdot,
)
from tensorkit.ops.pointwise import (
    addcmul,
    arithmetic,
    binary,
    bitwise_logical,
    clamp,
    classification,
    comparison,
    exp_log,
    float_power,
    held_numbers,
    lerp,
    logaddexp,
    polar,
    power,
    rounding,
    trigonometric,
    where,
)
from tensorkit.ops.random import (
    bernoulli,
    draw,
    gamma,
    inplace_distributions,
    rand,
    randint,
    randperm,
    sampling,
)
from tensorkit.ops.rearranging import (
    block_diag,
    combinations,
    diag,
    flip,
    meshgrid,
    repeat,
    repeat_interleave,
    roll,
    unravel_index,
    vander,
)
from tensorkit.ops.reduction import (
    amax,
    any_all,
    argmax,
    arguments,
    cov,
    cummax,
    cumsum,
    diff,
    gradient,
    min_max,
    norm,
    prod,
    softmax,
    sum_mean,
    trapezoid,
    var_std,
)
from tensorkit.ops.shared import (
    copy,
    fill,
    int_args,
    item,
    out_and_inplace,
    resize,
    scalar_arithmetic,
    tensor_data,
    to,
    type_names,
    uninitialized,
)
from tensorkit.ops.sorting import (
    bin_edges,
    histc_bincount,
    histogramdd,
    kthvalue_median,
    nonzero,
    quantile,
    searchsorted,
    sort,
    topk,
    unique,
    values_and_indices,
)
from tensorkit.ops.special import (
    aliases,
    bessel,
    erf_gamma,
    igamma_zeta,
    normal_distribution,
    orthogonal_polynomials,
)
from tensorkit.ops.tensor import (
    inplace_functions,
    python_protocols,
    queries,
    typed_constructors,
)
from tensorkit.ops.views import (
    expand_squeeze,
    slicing,
    split,
    transpose_permute,
    view_copies,
    view_reshape,
)

__all__ = [
    "aten",
    "complex",
    "creation",
    "indexing",
    "joining",
    "linalg",
    "pointwise",
    "random",
    "rearranging",
    "reduction",
    "shared",
    "sorting",
    "special",
    "tensor",
    "views",
]
