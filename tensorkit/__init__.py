"""tensorkit: a real strided tensor engine whose every part can be looked at.

The names, arguments, results and messages are PyTorch's: a lesson that says ``import tensorkit as tk`` runs with
``torch`` instead of ``tensorkit``, and prints the same.

>>> t = tk.arange(10.0).view(2, 5)
>>> t.t().stride()
(1, 5)
"""

from __future__ import annotations

import importlib as _importlib
import typing as _typing
from math import e, inf, nan, pi

from tensorkit import (
    autograd,
    backends,
    errors,
    linalg,
    random,
    return_types,
    special,
    storage,
    testing,
    tracing,
    utils,
    version,
)
from tensorkit.autograd import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from tensorkit.backends.anomaly_switch import (
    is_anomaly_check_nan_enabled,
    is_anomaly_enabled,
    set_anomaly_enabled,
)
from tensorkit.backends.matmul_precision import get_float32_matmul_precision, set_float32_matmul_precision
from tensorkit.device import device, get_default_device, set_default_device
from tensorkit.dispatch.call import respelled as _respelled
from tensorkit.dtypes import (
    bfloat16,
    bool,
    can_cast,
    cdouble,
    cfloat,
    complex64,
    complex128,
    double,
    dtype,
    float,
    float16,
    float32,
    float64,
    get_default_dtype,
    half,
    int,
    int8,
    int16,
    int32,
    int64,
    long,
    promote_types,
    set_default_dtype,
    short,
    uint8,
    uint16,
    uint32,
    uint64,
)
from tensorkit.finfo import finfo, iinfo
from tensorkit.kernels.jit.threads import (
    get_num_interop_threads,
    get_num_threads,
    set_num_interop_threads,
    set_num_threads,
)
from tensorkit.memory_format import (
    channels_last,
    channels_last_3d,
    contiguous_format,
    layout,
    memory_format,
    preserve_format,
    strided,
)
from tensorkit.ops.complex.conj import (
    _neg_view,
    angle,
    conj,
    conj_physical,
    is_conj,
    is_neg,
    resolve_conj,
    resolve_neg,
    sgn,
    sign,
)
from tensorkit.ops.complex.real_imag import imag, real, view_as_complex, view_as_real
from tensorkit.ops.creation.empty import empty, empty_like, empty_permuted, empty_strided
from tensorkit.ops.creation.eye import eye
from tensorkit.ops.creation.full import full, full_like, ones, ones_like, scalar_tensor, zeros, zeros_like
from tensorkit.ops.creation.ranges import arange, linspace, logspace
from tensorkit.ops.creation.tril_triu import tril, tril_indices, triu, triu_indices
from tensorkit.ops.creation.windows import (
    bartlett_window,
    blackman_window,
    hamming_window,
    hann_window,
    kaiser_window,
)
from tensorkit.ops.indexing.advanced_index import index_put
from tensorkit.ops.indexing.gather import gather
from tensorkit.ops.indexing.index_reduce import index_reduce
from tensorkit.ops.indexing.index_select import index_add, index_copy, index_fill, index_select
from tensorkit.ops.indexing.masked import (
    as_strided_scatter,
    diagonal_scatter,
    masked_fill,
    masked_scatter,
    masked_select,
    select_scatter,
    slice_scatter,
)
from tensorkit.ops.indexing.scatter import scatter, scatter_add
from tensorkit.ops.indexing.scatter_reduce import scatter_reduce
from tensorkit.ops.indexing.take_put import put, take, take_along_dim
from tensorkit.ops.joining.atleast_nd import atleast_1d, atleast_2d, atleast_3d
from tensorkit.ops.joining.cat import cat
from tensorkit.ops.joining.stack import column_stack, dstack, hstack, stack, vstack
from tensorkit.ops.linalg.cdist import cdist, pdist
from tensorkit.ops.linalg.cholesky_lu import cholesky, lu
from tensorkit.ops.linalg.cholesky_solve_lu_solve import (
    cholesky_inverse,
    cholesky_solve,
    lu_solve,
    lu_unpack,
    triangular_solve,
)
from tensorkit.ops.linalg.deprecated import eig, lstsq, matrix_rank, solve, symeig
from tensorkit.ops.linalg.deprecated import gels as gels
from tensorkit.ops.linalg.deprecated import gesv as gesv
from tensorkit.ops.linalg.deprecated import potrf as potrf
from tensorkit.ops.linalg.deprecated import potri as potri
from tensorkit.ops.linalg.deprecated import potrs as potrs
from tensorkit.ops.linalg.deprecated import trtrs as trtrs
from tensorkit.ops.linalg.det_matrix_exp import det, logdet, matrix_exp, slogdet
from tensorkit.ops.linalg.lowrank import pca_lowrank, svd_lowrank
from tensorkit.ops.linalg.lstsq import pinverse
from tensorkit.ops.linalg.matrix_power import matrix_power
from tensorkit.ops.linalg.norms import frobenius_norm, nuclear_norm
from tensorkit.ops.linalg.qr import geqrf, orgqr, ormqr, qr
from tensorkit.ops.linalg.renorm import renorm
from tensorkit.ops.linalg.solve_inv import inverse
from tensorkit.ops.linalg.svd_eig import svd
from tensorkit.ops.linalg.trace import trace
from tensorkit.ops.matrix_products.addbmm import addbmm, baddbmm
from tensorkit.ops.matrix_products.addmm import addmm
from tensorkit.ops.matrix_products.addmv import addmv, addr
from tensorkit.ops.matrix_products.cross import cross
from tensorkit.ops.matrix_products.einsum import einsum
from tensorkit.ops.matrix_products.matmul import matmul
from tensorkit.ops.matrix_products.mm import bmm, mm
from tensorkit.ops.matrix_products.multi_dot import chain_matmul
from tensorkit.ops.matrix_products.mv import dot, ger, mv, outer, vdot
from tensorkit.ops.matrix_products.tensordot import inner, kron, tensordot
from tensorkit.ops.nn.activation.activations import hardshrink, prelu, threshold, threshold_
from tensorkit.ops.nn.activation.rrelu import rrelu, rrelu_
from tensorkit.ops.nn.activation.smooth_activations import celu, celu_, selu, selu_
from tensorkit.ops.nn.adaptive_pooling import adaptive_avg_pool1d, adaptive_max_pool1d
from tensorkit.ops.nn.batch_norm import batch_norm, instance_norm
from tensorkit.ops.nn.conv import conv1d, conv2d, conv3d, conv_transpose1d, conv_transpose2d, conv_transpose3d
from tensorkit.ops.nn.convolution import convolution
from tensorkit.ops.nn.dropout import (
    alpha_dropout,
    alpha_dropout_,
    dropout,
    dropout_,
    feature_alpha_dropout,
    feature_alpha_dropout_,
    feature_dropout,
    feature_dropout_,
)
from tensorkit.ops.nn.embedding import embedding, embedding_renorm_
from tensorkit.ops.nn.grid_sampling import affine_grid_generator, grid_sampler
from tensorkit.ops.nn.group_norm import group_norm
from tensorkit.ops.nn.layer_norm import layer_norm, native_layer_norm, rms_norm
from tensorkit.ops.nn.linear import bilinear
from tensorkit.ops.nn.loss.classification_losses import binary_cross_entropy_with_logits
from tensorkit.ops.nn.loss.ctc_loss import ctc_loss
from tensorkit.ops.nn.loss.distance_losses import (
    cosine_embedding_loss,
    hinge_embedding_loss,
    margin_ranking_loss,
    triplet_margin_loss,
)
from tensorkit.ops.nn.loss.distribution_losses import kl_div, poisson_nll_loss
from tensorkit.ops.nn.padding import constant_pad_nd
from tensorkit.ops.nn.pooling import avg_pool1d, max_pool1d, max_pool1d_with_indices, max_pool2d, max_pool3d
from tensorkit.ops.nn.recurrent import gru_cell, lstm_cell, rnn_relu_cell, rnn_tanh_cell
from tensorkit.ops.nn.shuffling import channel_shuffle, pixel_shuffle, pixel_unshuffle
from tensorkit.ops.nn.similarity import cosine_similarity, pairwise_distance
from tensorkit.ops.pointwise.addcmul import addcdiv, addcmul
from tensorkit.ops.pointwise.arithmetic import (
    absolute,
    add,
    div,
    floor_divide,
    mul,
    neg,
    remainder,
    sub,
    true_divide,
)
from tensorkit.ops.pointwise.binary import (
    atan2,
    copysign,
    fmax,
    fmin,
    fmod,
    gcd,
    heaviside,
    hypot,
    lcm,
    nextafter,
    rsub,
)
from tensorkit.ops.pointwise.bitwise_logical import (
    allclose,
    bitwise_and,
    bitwise_left_shift,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    is_nonzero,
    is_same_size,
    isclose,
    isin,
    logical_and,
    logical_or,
    logical_xor,
)
from tensorkit.ops.pointwise.clamp import clamp, clamp_max, clamp_min
from tensorkit.ops.pointwise.classification import (
    bitwise_not,
    isfinite,
    isinf,
    isnan,
    isneginf,
    isposinf,
    isreal,
    logical_not,
    nan_to_num,
    relu,
    signbit,
)
from tensorkit.ops.pointwise.comparison import eq, equal, ge, gt, le, lt, maximum, minimum, ne
from tensorkit.ops.pointwise.exp_log import (
    exp,
    exp2,
    expm1,
    log,
    log1p,
    log2,
    log10,
    reciprocal,
    rsqrt,
    sigmoid,
    sqrt,
    square,
)
from tensorkit.ops.pointwise.float_power import float_power, ldexp
from tensorkit.ops.pointwise.lerp import lerp
from tensorkit.ops.pointwise.logaddexp import logaddexp, logaddexp2, xlogy
from tensorkit.ops.pointwise.polar import complex, polar
from tensorkit.ops.pointwise.power import pow
from tensorkit.ops.pointwise.rounding import ceil, floor, frac, frexp, round, trunc
from tensorkit.ops.pointwise.trigonometric import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atanh,
    cos,
    cosh,
    deg2rad,
    rad2deg,
    sin,
    sinc,
    sinh,
    tan,
    tanh,
)
from tensorkit.ops.pointwise.where import where
from tensorkit.ops.random.bernoulli import bernoulli
from tensorkit.ops.random.gamma import binomial
from tensorkit.ops.random.rand import rand, rand_like, randn, randn_like
from tensorkit.ops.random.randint import randint, randint_like
from tensorkit.ops.random.randperm import randperm
from tensorkit.ops.random.sampling import multinomial, normal, poisson
from tensorkit.ops.rearranging.block_diag import block_diag
from tensorkit.ops.rearranging.combinations import cartesian_prod, combinations
from tensorkit.ops.rearranging.diag import diag, diag_embed, diagflat
from tensorkit.ops.rearranging.flip import flip, fliplr, flipud, rot90
from tensorkit.ops.rearranging.meshgrid import meshgrid
from tensorkit.ops.rearranging.repeat import tile
from tensorkit.ops.rearranging.repeat_interleave import repeat_interleave
from tensorkit.ops.rearranging.roll import roll
from tensorkit.ops.rearranging.unravel_index import broadcast_shapes, unravel_index
from tensorkit.ops.rearranging.vander import vander
from tensorkit.ops.reduction.amax import amax, amin, aminmax
from tensorkit.ops.reduction.any_all import all, any, count_nonzero
from tensorkit.ops.reduction.argmax import argmax, argmin
from tensorkit.ops.reduction.cov import corrcoef, cov
from tensorkit.ops.reduction.cummax import cummax, cummin
from tensorkit.ops.reduction.cumsum import cumprod, cumsum, logcumsumexp
from tensorkit.ops.reduction.diff import diff
from tensorkit.ops.reduction.gradient import gradient
from tensorkit.ops.reduction.min_max import max, min
from tensorkit.ops.reduction.norm import dist, norm
from tensorkit.ops.reduction.prod import prod
from tensorkit.ops.reduction.softmax import log_softmax, logsumexp, softmax
from tensorkit.ops.reduction.sum_mean import mean, nanmean, nansum, sum
from tensorkit.ops.reduction.trapezoid import cumulative_trapezoid, trapezoid, trapz
from tensorkit.ops.reduction.var_std import std, std_mean, var, var_mean
from tensorkit.ops.shared.copy import clone
from tensorkit.ops.shared.fill import fill
from tensorkit.ops.shared.tensor_data import as_tensor, asarray, from_numpy, frombuffer, tensor
from tensorkit.ops.shared.uninitialized import (
    are_deterministic_algorithms_enabled,
    get_deterministic_debug_mode,
    is_deterministic_algorithms_warn_only_enabled,
    set_deterministic_debug_mode,
    use_deterministic_algorithms,
)
from tensorkit.ops.sorting.histc_bincount import bincount, histc, histogram
from tensorkit.ops.sorting.histogramdd import histogramdd
from tensorkit.ops.sorting.kthvalue_median import kthvalue, median, mode, nanmedian
from tensorkit.ops.sorting.nonzero import argwhere, nonzero, nonzero_static
from tensorkit.ops.sorting.quantile import nanquantile, quantile
from tensorkit.ops.sorting.searchsorted import bucketize, searchsorted
from tensorkit.ops.sorting.sort import argsort, msort, sort
from tensorkit.ops.sorting.topk import topk
from tensorkit.ops.sorting.unique import unique, unique_consecutive
from tensorkit.ops.special.bessel import i0
from tensorkit.ops.special.erf_gamma import digamma, erf, erfc, erfinv, lgamma, logit, mvlgamma, polygamma
from tensorkit.ops.special.igamma_zeta import igamma, igammac
from tensorkit.ops.tensor.inplace_functions import (
    abs_,
    acos_,
    acosh_,
    addmv_,
    as_strided_,
    asin_,
    asinh_,
    atan_,
    atanh_,
    ceil_,
    clamp_,
    clamp_max_,
    clamp_min_,
    clip_,
    conj_physical_,
    cos_,
    cosh_,
    deg2rad_,
    detach_,
    erf_,
    erfc_,
    exp2_,
    exp_,
    expm1_,
    fill_,
    floor_,
    frac_,
    gcd_,
    i0_,
    index_put_,
    lcm_,
    ldexp_,
    log1p_,
    log2_,
    log10_,
    log_,
    logit_,
    nan_to_num_,
    neg_,
    rad2deg_,
    reciprocal_,
    relu_,
    resize_as_,
    round_,
    rsqrt_,
    sigmoid_,
    sin_,
    sinc_,
    sinh_,
    sqrt_,
    square_,
    tan_,
    tanh_,
    trunc_,
    xlogy_,
    zero_,
)
from tensorkit.ops.tensor.python_protocols import from_dlpack
from tensorkit.ops.tensor.queries import (
    get_device,
    is_complex,
    is_floating_point,
    is_inference,
    is_signed,
    is_storage,
    is_tensor,
    is_warn_always_enabled,
    numel,
    result_type,
    set_warn_always,
    typename,
)
from tensorkit.ops.tensor.typed_constructors import (
    BFloat16Tensor,
    BoolTensor,
    ByteTensor,
    CharTensor,
    DoubleTensor,
    FloatTensor,
    HalfTensor,
    IntTensor,
    LongTensor,
    ShortTensor,
    range,
    set_default_tensor_type,
)
from tensorkit.ops.views.expand_squeeze import broadcast_tensors, broadcast_to, squeeze, unsqueeze
from tensorkit.ops.views.slicing import as_strided, diagonal, narrow, narrow_copy, select
from tensorkit.ops.views.split import (
    chunk,
    dsplit,
    hsplit,
    split,
    split_with_sizes,
    tensor_split,
    unbind,
    unsafe_chunk,
    unsafe_split,
    unsafe_split_with_sizes,
    vsplit,
)
from tensorkit.ops.views.transpose_permute import adjoint, movedim, permute, t, transpose
from tensorkit.ops.views.view_copies import (
    alias_copy,
    as_strided_copy,
    detach_copy,
    diagonal_copy,
    expand_copy,
    permute_copy,
    select_copy,
    slice_copy,
    split_copy,
    split_with_sizes_copy,
    squeeze_copy,
    t_copy,
    transpose_copy,
    unbind_copy,
    unfold_copy,
    unsqueeze_copy,
    view_as_complex_copy,
    view_as_real_copy,
    view_copy,
)
from tensorkit.ops.views.view_reshape import detach, flatten, positive, ravel, reshape, unflatten
from tensorkit.printing import set_printoptions
from tensorkit.process.interrupts import install as _handle_interrupts
from tensorkit.random import (
    Generator,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from tensorkit.shortcuts import fill as _fill_shortcuts
from tensorkit.size import Size
from tensorkit.storage import (
    BFloat16Storage,
    BoolStorage,
    ByteStorage,
    CharStorage,
    ComplexDoubleStorage,
    ComplexFloatStorage,
    DoubleStorage,
    FloatStorage,
    HalfStorage,
    IntStorage,
    LongStorage,
    ShortStorage,
    Storage,
    TypedStorage,
    UntypedStorage,
)
from tensorkit.tensor import Tensor
from tensorkit.version import TensorkitVersion as _Version
from tensorkit.version import __version__ as _version_text

__version__ = _Version(_version_text)

if _typing.TYPE_CHECKING:
    from tensorkit import (
        accelerator,
        amp,
        compiler,
        cuda,
        distributed,
        distributions,
        fft,
        func,
        fx,
        hub,
        jit,
        multiprocessing,
        nn,
        onnx,
        optim,
        profiler,
        serialization,
        vision,
    )
    from tensorkit.amp.autocast_mode import (
        autocast,
        clear_autocast_cache,
        get_autocast_dtype,
        is_autocast_cache_enabled,
        is_autocast_enabled,
        set_autocast_cache_enabled,
        set_autocast_dtype,
        set_autocast_enabled,
    )
    from tensorkit.compiler import compile
    from tensorkit.func import vmap
    from tensorkit.serialization import load, save
else:
    # Modules that not every program needs: loaded on first use, so that `import tensorkit` is fast.
    _LATER = {
        "accelerator": None,
        "amp": None,
        "autocast": "amp.autocast_mode",
        "clear_autocast_cache": "amp.autocast_mode",
        "compile": "compiler",
        "compiler": None,
        "cuda": None,
        "distributed": None,
        "distributions": None,
        "fft": None,
        "func": None,
        "fx": None,
        "get_autocast_dtype": "amp.autocast_mode",
        "hub": None,
        "is_autocast_cache_enabled": "amp.autocast_mode",
        "is_autocast_enabled": "amp.autocast_mode",
        "jit": None,
        "load": "serialization",
        "multiprocessing": None,
        "nn": None,
        "onnx": None,
        "optim": None,
        "profiler": None,
        "save": "serialization",
        "serialization": None,
        "set_autocast_cache_enabled": "amp.autocast_mode",
        "set_autocast_dtype": "amp.autocast_mode",
        "set_autocast_enabled": "amp.autocast_mode",
        "vision": None,
        "vmap": "func",
    }

    def __getattr__(name: str) -> _typing.Any:
        """A module by its name, or what is in one."""
        if name not in _LATER:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        home = _LATER[name]
        module = _importlib.import_module(f"{__name__}.{home or name}")
        return module if home is None else getattr(module, name)

    def __dir__() -> list[str]:
        return __all__


newaxis = None


def __dir__() -> list[str]:
    return __all__


# ``print(type(t))`` names the place where a user finds it, as PyTorch's does.
Tensor.__module__ = Size.__module__ = dtype.__module__ = device.__module__ = __name__
finfo.__module__ = iinfo.__module__ = memory_format.__module__ = layout.__module__ = __name__

_handle_interrupts()
_fill_shortcuts()
# -- other spellings of operations, written by `make stubs` --
abs = absolute
arccos = _respelled(acos, "acos", "arccos")
arccos_ = _respelled(acos_, "acos_", "arccos_")
arccosh = _respelled(acosh, "acosh", "arccosh")
arccosh_ = _respelled(acosh_, "acosh_", "arccosh_")
arcsin = _respelled(asin, "asin", "arcsin")
arcsin_ = _respelled(asin_, "asin_", "arcsin_")
arcsinh = _respelled(asinh, "asinh", "arcsinh")
arcsinh_ = _respelled(asinh_, "asinh_", "arcsinh_")
arctan = _respelled(atan, "atan", "arctan")
arctan2 = _respelled(atan2, "atan2", "arctan2")
arctan_ = _respelled(atan_, "atan_", "arctan_")
arctanh = _respelled(atanh, "atanh", "arctanh")
arctanh_ = _respelled(atanh_, "atanh_", "arctanh_")
clip = _respelled(clamp, "clamp", "clip")
concat = _respelled(cat, "cat", "concat")
concatenate = _respelled(cat, "cat", "concatenate")
divide = _respelled(div, "div", "divide")
fix = _respelled(trunc, "trunc", "fix")
fix_ = _respelled(trunc_, "trunc_", "fix_")
greater = _respelled(gt, "gt", "greater")
greater_equal = _respelled(ge, "ge", "greater_equal")
less = _respelled(lt, "lt", "less")
less_equal = _respelled(le, "le", "less_equal")
moveaxis = _respelled(movedim, "movedim", "moveaxis")
multiply = _respelled(mul, "mul", "multiply")
negative = _respelled(neg, "neg", "negative")
negative_ = _respelled(neg_, "neg_", "negative_")
not_equal = _respelled(ne, "ne", "not_equal")
row_stack = _respelled(vstack, "vstack", "row_stack")
subtract = _respelled(sub, "sub", "subtract")
swapaxes = _respelled(transpose, "transpose", "swapaxes")
swapdims = _respelled(transpose, "transpose", "swapdims")
# -- the end of what `make stubs` writes --

__all__ = [
    "BFloat16Storage",
    "BFloat16Tensor",
    "BoolStorage",
    "BoolTensor",
    "ByteStorage",
    "ByteTensor",
    "CharStorage",
    "CharTensor",
    "ComplexDoubleStorage",
    "ComplexFloatStorage",
    "DoubleStorage",
    "DoubleTensor",
    "FloatStorage",
    "FloatTensor",
    "Generator",
    "HalfStorage",
    "HalfTensor",
    "IntStorage",
    "IntTensor",
    "LongStorage",
    "LongTensor",
    "ShortStorage",
    "ShortTensor",
    "Size",
    "Storage",
    "Tensor",
    "TypedStorage",
    "UntypedStorage",
    "__version__",
    "_neg_view",
    "abs",
    "abs_",
    "absolute",
    "accelerator",
    "acos",
    "acos_",
    "acosh",
    "acosh_",
    "adaptive_avg_pool1d",
    "adaptive_max_pool1d",
    "add",
    "addbmm",
    "addcdiv",
    "addcmul",
    "addmm",
    "addmv",
    "addmv_",
    "addr",
    "adjoint",
    "affine_grid_generator",
    "alias_copy",
    "all",
    "allclose",
    "alpha_dropout",
    "alpha_dropout_",
    "amax",
    "amin",
    "aminmax",
    "amp",
    "angle",
    "any",
    "arange",
    "arccos",
    "arccos_",
    "arccosh",
    "arccosh_",
    "arcsin",
    "arcsin_",
    "arcsinh",
    "arcsinh_",
    "arctan",
    "arctan2",
    "arctan_",
    "arctanh",
    "arctanh_",
    "are_deterministic_algorithms_enabled",
    "argmax",
    "argmin",
    "argsort",
    "argwhere",
    "as_strided",
    "as_strided_",
    "as_strided_copy",
    "as_strided_scatter",
    "as_tensor",
    "asarray",
    "asin",
    "asin_",
    "asinh",
    "asinh_",
    "atan",
    "atan2",
    "atan_",
    "atanh",
    "atanh_",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "autocast",
    "autograd",
    "avg_pool1d",
    "backends",
    "baddbmm",
    "bartlett_window",
    "batch_norm",
    "bernoulli",
    "bfloat16",
    "bilinear",
    "binary_cross_entropy_with_logits",
    "bincount",
    "binomial",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "blackman_window",
    "block_diag",
    "bmm",
    "bool",
    "broadcast_shapes",
    "broadcast_tensors",
    "broadcast_to",
    "bucketize",
    "can_cast",
    "cartesian_prod",
    "cat",
    "cdist",
    "cdouble",
    "ceil",
    "ceil_",
    "celu",
    "celu_",
    "cfloat",
    "chain_matmul",
    "channel_shuffle",
    "channels_last",
    "channels_last_3d",
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
    "chunk",
    "clamp",
    "clamp_",
    "clamp_max",
    "clamp_max_",
    "clamp_min",
    "clamp_min_",
    "clear_autocast_cache",
    "clip",
    "clip_",
    "clone",
    "column_stack",
    "combinations",
    "compile",
    "compiler",
    "complex",
    "complex128",
    "complex64",
    "concat",
    "concatenate",
    "conj",
    "conj_physical",
    "conj_physical_",
    "constant_pad_nd",
    "contiguous_format",
    "conv1d",
    "conv2d",
    "conv3d",
    "conv_transpose1d",
    "conv_transpose2d",
    "conv_transpose3d",
    "convolution",
    "copysign",
    "corrcoef",
    "cos",
    "cos_",
    "cosh",
    "cosh_",
    "cosine_embedding_loss",
    "cosine_similarity",
    "count_nonzero",
    "cov",
    "cross",
    "ctc_loss",
    "cuda",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "cumulative_trapezoid",
    "default_generator",
    "deg2rad",
    "deg2rad_",
    "det",
    "detach",
    "detach_",
    "detach_copy",
    "device",
    "diag",
    "diag_embed",
    "diagflat",
    "diagonal",
    "diagonal_copy",
    "diagonal_scatter",
    "diff",
    "digamma",
    "dist",
    "distributed",
    "distributions",
    "div",
    "divide",
    "dot",
    "double",
    "dropout",
    "dropout_",
    "dsplit",
    "dstack",
    "dtype",
    "e",
    "eig",
    "einsum",
    "embedding",
    "embedding_renorm_",
    "empty",
    "empty_like",
    "empty_permuted",
    "empty_strided",
    "enable_grad",
    "eq",
    "equal",
    "erf",
    "erf_",
    "erfc",
    "erfc_",
    "erfinv",
    "errors",
    "exp",
    "exp2",
    "exp2_",
    "exp_",
    "expand_copy",
    "expm1",
    "expm1_",
    "eye",
    "feature_alpha_dropout",
    "feature_alpha_dropout_",
    "feature_dropout",
    "feature_dropout_",
    "fft",
    "fill",
    "fill_",
    "finfo",
    "fix",
    "fix_",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "float",
    "float16",
    "float32",
    "float64",
    "float_power",
    "floor",
    "floor_",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "frac",
    "frac_",
    "frexp",
    "frobenius_norm",
    "from_dlpack",
    "from_numpy",
    "frombuffer",
    "full",
    "full_like",
    "func",
    "fx",
    "gather",
    "gcd",
    "gcd_",
    "ge",
    "geqrf",
    "ger",
    "get_autocast_dtype",
    "get_default_device",
    "get_default_dtype",
    "get_deterministic_debug_mode",
    "get_device",
    "get_float32_matmul_precision",
    "get_num_interop_threads",
    "get_num_threads",
    "get_rng_state",
    "gradient",
    "greater",
    "greater_equal",
    "grid_sampler",
    "group_norm",
    "gru_cell",
    "gt",
    "half",
    "hamming_window",
    "hann_window",
    "hardshrink",
    "heaviside",
    "hinge_embedding_loss",
    "histc",
    "histogram",
    "histogramdd",
    "hsplit",
    "hstack",
    "hub",
    "hypot",
    "i0",
    "i0_",
    "igamma",
    "igammac",
    "iinfo",
    "imag",
    "index_add",
    "index_copy",
    "index_fill",
    "index_put",
    "index_put_",
    "index_reduce",
    "index_select",
    "inf",
    "inference_mode",
    "initial_seed",
    "inner",
    "instance_norm",
    "int",
    "int16",
    "int32",
    "int64",
    "int8",
    "inverse",
    "is_anomaly_check_nan_enabled",
    "is_anomaly_enabled",
    "is_autocast_cache_enabled",
    "is_autocast_enabled",
    "is_complex",
    "is_conj",
    "is_deterministic_algorithms_warn_only_enabled",
    "is_floating_point",
    "is_grad_enabled",
    "is_inference",
    "is_inference_mode_enabled",
    "is_neg",
    "is_nonzero",
    "is_same_size",
    "is_signed",
    "is_storage",
    "is_tensor",
    "is_warn_always_enabled",
    "isclose",
    "isfinite",
    "isin",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "jit",
    "kaiser_window",
    "kl_div",
    "kron",
    "kthvalue",
    "layer_norm",
    "layout",
    "lcm",
    "lcm_",
    "ldexp",
    "ldexp_",
    "le",
    "lerp",
    "less",
    "less_equal",
    "lgamma",
    "linalg",
    "linspace",
    "load",
    "log",
    "log10",
    "log10_",
    "log1p",
    "log1p_",
    "log2",
    "log2_",
    "log_",
    "log_softmax",
    "logaddexp",
    "logaddexp2",
    "logcumsumexp",
    "logdet",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logit",
    "logit_",
    "logspace",
    "logsumexp",
    "long",
    "lstm_cell",
    "lstsq",
    "lt",
    "lu",
    "lu_solve",
    "lu_unpack",
    "manual_seed",
    "margin_ranking_loss",
    "masked_fill",
    "masked_scatter",
    "masked_select",
    "matmul",
    "matrix_exp",
    "matrix_power",
    "matrix_rank",
    "max",
    "max_pool1d",
    "max_pool1d_with_indices",
    "max_pool2d",
    "max_pool3d",
    "maximum",
    "mean",
    "median",
    "memory_format",
    "meshgrid",
    "min",
    "minimum",
    "mm",
    "mode",
    "moveaxis",
    "movedim",
    "msort",
    "mul",
    "multinomial",
    "multiply",
    "multiprocessing",
    "mv",
    "mvlgamma",
    "nan",
    "nan_to_num",
    "nan_to_num_",
    "nanmean",
    "nanmedian",
    "nanquantile",
    "nansum",
    "narrow",
    "narrow_copy",
    "native_layer_norm",
    "ne",
    "neg",
    "neg_",
    "negative",
    "negative_",
    "newaxis",
    "nextafter",
    "nn",
    "no_grad",
    "nonzero",
    "nonzero_static",
    "norm",
    "normal",
    "not_equal",
    "nuclear_norm",
    "numel",
    "ones",
    "ones_like",
    "onnx",
    "optim",
    "orgqr",
    "ormqr",
    "outer",
    "pairwise_distance",
    "pca_lowrank",
    "pdist",
    "permute",
    "permute_copy",
    "pi",
    "pinverse",
    "pixel_shuffle",
    "pixel_unshuffle",
    "poisson",
    "poisson_nll_loss",
    "polar",
    "polygamma",
    "positive",
    "pow",
    "prelu",
    "preserve_format",
    "prod",
    "profiler",
    "promote_types",
    "put",
    "qr",
    "quantile",
    "rad2deg",
    "rad2deg_",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "random",
    "randperm",
    "range",
    "ravel",
    "real",
    "reciprocal",
    "reciprocal_",
    "relu",
    "relu_",
    "remainder",
    "renorm",
    "repeat_interleave",
    "reshape",
    "resize_as_",
    "resolve_conj",
    "resolve_neg",
    "result_type",
    "return_types",
    "rms_norm",
    "rnn_relu_cell",
    "rnn_tanh_cell",
    "roll",
    "rot90",
    "round",
    "round_",
    "row_stack",
    "rrelu",
    "rrelu_",
    "rsqrt",
    "rsqrt_",
    "rsub",
    "save",
    "scalar_tensor",
    "scatter",
    "scatter_add",
    "scatter_reduce",
    "searchsorted",
    "seed",
    "select",
    "select_copy",
    "select_scatter",
    "selu",
    "selu_",
    "serialization",
    "set_anomaly_enabled",
    "set_autocast_cache_enabled",
    "set_autocast_dtype",
    "set_autocast_enabled",
    "set_default_device",
    "set_default_dtype",
    "set_default_tensor_type",
    "set_deterministic_debug_mode",
    "set_float32_matmul_precision",
    "set_grad_enabled",
    "set_num_interop_threads",
    "set_num_threads",
    "set_printoptions",
    "set_rng_state",
    "set_warn_always",
    "sgn",
    "short",
    "sigmoid",
    "sigmoid_",
    "sign",
    "signbit",
    "sin",
    "sin_",
    "sinc",
    "sinc_",
    "sinh",
    "sinh_",
    "slice_copy",
    "slice_scatter",
    "slogdet",
    "softmax",
    "solve",
    "sort",
    "special",
    "split",
    "split_copy",
    "split_with_sizes",
    "split_with_sizes_copy",
    "sqrt",
    "sqrt_",
    "square",
    "square_",
    "squeeze",
    "squeeze_copy",
    "stack",
    "std",
    "std_mean",
    "storage",
    "strided",
    "sub",
    "subtract",
    "sum",
    "svd",
    "svd_lowrank",
    "swapaxes",
    "swapdims",
    "symeig",
    "t",
    "t_copy",
    "take",
    "take_along_dim",
    "tan",
    "tan_",
    "tanh",
    "tanh_",
    "tensor",
    "tensor_split",
    "tensordot",
    "testing",
    "threshold",
    "threshold_",
    "tile",
    "topk",
    "trace",
    "tracing",
    "transpose",
    "transpose_copy",
    "trapezoid",
    "trapz",
    "triangular_solve",
    "tril",
    "tril_indices",
    "triplet_margin_loss",
    "triu",
    "triu_indices",
    "true_divide",
    "trunc",
    "trunc_",
    "typename",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "unbind",
    "unbind_copy",
    "unflatten",
    "unfold_copy",
    "unique",
    "unique_consecutive",
    "unravel_index",
    "unsafe_chunk",
    "unsafe_split",
    "unsafe_split_with_sizes",
    "unsqueeze",
    "unsqueeze_copy",
    "use_deterministic_algorithms",
    "utils",
    "vander",
    "var",
    "var_mean",
    "vdot",
    "version",
    "view_as_complex",
    "view_as_complex_copy",
    "view_as_real",
    "view_as_real_copy",
    "view_copy",
    "vision",
    "vmap",
    "vsplit",
    "vstack",
    "where",
    "xlogy",
    "xlogy_",
    "zero_",
    "zeros",
    "zeros_like",
]
