"""What `autocast` does to the arguments of an operation: which are computed in 16 bits, and which must not be.

The lists are PyTorch's, under the names of the registry. An operation in none of them is computed in the dtype of what
it is given, as outside. Operations that another one calls are left alone: what they are given was cast already.

Source: https://docs.pytorch.org/docs/stable/amp.html#autocast-op-reference
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import numpy

from tensorkit.autograd import is_grad_enabled
from tensorkit.dispatch.autocasting import DTYPES, register_cast, state
from tensorkit.dtypes import dtype, float32, float64
from tensorkit.tensor import Tensor

_PRODUCTS = """
    mm matmul bmm addmm addbmm baddbmm linear linalg_matmul linalg_vecdot linalg_multi_dot chain_matmul einsum
    matrix_power linalg_matrix_power conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d prelu
    rnn_tanh rnn_relu rnn_tanh_cell rnn_relu_cell scaled_dot_product_attention
"""
_LOSSES = """
    cosine_embedding_loss nll_loss_nd hinge_embedding_loss poisson_nll_loss smooth_l1_loss cross_entropy_loss l1_loss
    huber_loss mse_loss margin_ranking_loss soft_margin_loss triplet_margin_loss multi_margin_loss kl_div
    multilabel_margin_loss binary_cross_entropy_with_logits
"""
_IN_16_BITS = {
    "cpu": f"{_PRODUCTS} tensordot lstm",
    "cuda": f"{_PRODUCTS} mv addmv addr lstm lstm_packed gru lstm_cell gru_cell",
}
_IN_FLOAT32 = {
    "cpu": f"""{_LOSSES} ctc_loss binary_cross_entropy
        avg_pool3d grid_sampler polar prod quantile nanquantile cdist trace view_as_complex cholesky cholesky_inverse
        cholesky_solve inverse lu_solve orgqr ormqr pinverse max_pool3d max_unpool2d max_unpool3d adaptive_avg_pool3d
        adaptive_max_pool3d pad
        fft_fft fft_ifft fft_fft2 fft_ifft2 fft_fftn fft_ifftn fft_rfft fft_irfft fft_rfft2 fft_irfft2 fft_rfftn
        fft_irfftn fft_hfft fft_ihfft linalg_cond linalg_matrix_rank linalg_solve linalg_cholesky linalg_cholesky_ex
        linalg_svd linalg_svdvals linalg_eig linalg_eigvals linalg_eigh linalg_eigvalsh linalg_inv linalg_inv_ex
        linalg_householder_product linalg_tensorinv linalg_tensorsolve linalg_qr linalg_lstsq geqrf qr svd
        triangular_solve""",
    "cuda": f"""{_LOSSES}
        acos asin cosh erfinv exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan pow softplus layer_norm
        native_layer_norm group_norm cosine_similarity dist pdist cdist renorm logsumexp interpolate
        prod softmax log_softmax cumprod cumsum linalg_vector_norm linalg_matrix_norm linalg_norm sum norm""",
}
_IN_THE_WIDEST = {
    "cpu": "stack cat index_copy",
    "cuda": "addcdiv addcmul atan2 bilinear cross dot vdot grid_sampler index_put tensordot scatter_add",
}
_LIKE_ITS_STATE = {"cpu": "gru lstm_packed lstm_cell gru_cell", "cuda": ""}
_UNSAFE = (
    "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.\n"
    "Many models use a sigmoid layer right before the binary cross entropy layer.\n"
    "In this case, combine the two layers using torch.nn.functional.binary_cross_entropy_with_logits\n"
    "or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are\n"
    "safe to autocast."
).replace("torch.", "tensorkit.")

_Rules = dict[str, Callable[[str, Any], dtype]]


def _low(kind: str, values: Any) -> dtype:
    return state.dtypes[kind]


def _full(kind: str, values: Any) -> dtype:
    return float32


def _widest(kind: str, values: Any) -> dtype:
    widest = state.dtypes[kind]
    for one in _tensors(values, kind):
        if one.dtype is not float32 and one.dtype is not state.dtypes[kind]:
            raise RuntimeError("Unexpected floating ScalarType in at::autocast::prioritize")
        if one.dtype is float32:
            widest = float32
    return widest


def _like_its_state(kind: str, values: Any) -> dtype:
    return (
        state.dtypes[kind] if all(one.dtype is not float32 for one in _tensors(values[1], kind)) else float32
    )


def _refused(kind: str, values: Any) -> dtype:
    raise RuntimeError(_UNSAFE)


def _rules(kind: str) -> _Rules:
    lists = (
        (_IN_16_BITS, _low),
        (_IN_FLOAT32, _full),
        (_IN_THE_WIDEST, _widest),
        (_LIKE_ITS_STATE, _like_its_state),
    )
    return {name: rule for listed, rule in lists for name in listed[kind].split()}


_RULES: dict[str, _Rules] = {kind: _rules(kind) for kind in DTYPES}
_RULES["cuda"]["binary_cross_entropy"] = _refused


def _suits(value: Any, kind: str) -> bool:
    return (
        isinstance(value, Tensor)
        and value.is_floating_point()
        and value.device.type == kind
        and value.dtype is not float64
    )


def _tensors(value: Any, kind: str) -> list[Tensor]:
    if isinstance(value, (list, tuple)):
        return [one for part in value for one in _tensors(part, kind)]
    return [value] if _suits(value, kind) else []


def in_each(value: Any, kind: str, change: Callable[[Tensor], Any]) -> Any:
    """Change every floating tensor in a value; those of float64, and of other devices, stay as they are."""
    if isinstance(value, Tensor):
        return change(value) if _suits(value, kind) else value
    if isinstance(value, (str, bytes, numpy.ndarray)):
        return value
    if isinstance(value, Mapping):
        return {in_each(k, kind, change): in_each(v, kind, change) for k, v in value.items()}
    if isinstance(value, Iterable):
        parts = (in_each(one, kind, change) for one in value)
        return type(value)(parts) if isinstance(value, (list, tuple)) else parts
    return value


def _cast(value: Any, to: dtype) -> Any:
    """A tensor in another dtype; of a weight in the one that was made before in this region."""
    weight = value.requires_grad and value.is_leaf and value._base is None and value.dtype is float32
    if not (weight and to is not float32 and state.cached and is_grad_enabled()):
        return value.to(to)
    key = id(value), to
    if key not in state.kept:
        state.kept[key] = value, value.to(to)  # with the weight, so that no other tensor gets its number
    return state.kept[key][1]


def _cast_arguments(
    name: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments of an operation as it is to be called; of one that is not listed, as they are."""
    for kind, enabled in state.enabled.items():
        rule = _RULES[kind].get(name) if enabled else None
        values = [*args, *kwargs.values()]
        if rule is None or kwargs.get("out") is not None or not _tensors(values, kind):
            continue
        if any(isinstance(one, dtype) for one in values):
            continue  # the program says itself in which
        if name == "pad" and "reflect" not in values and "replicate" not in values:
            continue
        change = partial(_cast, to=rule(kind, values))
        args = tuple(in_each(one, kind, change) for one in args)
        kwargs = {key: in_each(one, kind, change) for key, one in kwargs.items()}
    return args, kwargs


# Late: `dispatch` casts by these lists, whose names are those of operations, which are built on it.
register_cast(_cast_arguments)
