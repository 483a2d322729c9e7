"""Transforms of vectors and matrices: onto simplices, and onto factors of matrices.

Source: https://docs.pytorch.org/docs/stable/distributions.html#module-torch.distributions.transforms
"""

from __future__ import annotations

import math
from typing import Any

from tensorkit.distributions import constraints
from tensorkit.distributions.transforms.base import Transform
from tensorkit.distributions.transforms.elementwise import clipped_sigmoid
from tensorkit.distributions.utils import tril_matrix_to_vec, vec_to_tril_matrix
from tensorkit.finfo import finfo
from tensorkit.linalg import cholesky
from tensorkit.nn.functional import logsigmoid, softplus
from tensorkit.ops.creation.eye import eye
from tensorkit.ops.joining.cat import cat
from tensorkit.ops.rearranging.diag import diag_embed
from tensorkit.tensor import Tensor


def _check_dims(shape: Any, least: int) -> Any:
    if len(shape) < least:
        raise ValueError("Too few dimensions on input")
    return shape


def _after_one(x: Tensor) -> Tensor:
    """The tensor with a 1 before each of its last rows."""
    return cat((x.new_ones((*x.shape[:-1], 1)), x), -1)


class CorrCholeskyTransform(Transform):
    """Vectors of length D (D - 1) / 2 to Cholesky factors of D x D correlation matrices.

    Source: https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.transforms.CorrCholeskyTransform
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x: Any) -> Any:
        x = x.tanh()
        eps = finfo(x.dtype).eps
        r = vec_to_tril_matrix(x.clamp(min=-1 + eps, max=1 - eps), diag=-1)
        left = (1 - r**2).sqrt().cumprod(-1)
        r = r + eye(r.shape[-1], dtype=r.dtype, device=r.device)
        return r * _after_one(left[..., :-1])

    def _inverse(self, y: Any) -> Any:
        left = 1 - (y * y).cumsum(dim=-1)
        left = tril_matrix_to_vec(_after_one(left[..., :-1]), diag=-1)
        t = tril_matrix_to_vec(y, diag=-1) / left.sqrt()
        return (t.log1p() - t.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x: Any, y: Any, intermediates: Any = None) -> Any:
        """The term of stick breaking plus the term of tanh."""
        left = tril_matrix_to_vec(1 - (y * y).cumsum(dim=-1), diag=-2)
        return 0.5 * left.log().sum(-1) + -2 * (x + softplus(-2 * x) - math.log(2.0)).sum(dim=-1)

    def forward_shape(self, shape: Any) -> Any:
        """The vector's dimension becomes the two of a matrix."""
        n = _check_dims(shape, 1)[-1]
        d = round((0.25 + 2 * n) ** 0.5 + 0.5)
        if d * (d - 1) // 2 != n:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return shape[:-1] + (d, d)  # noqa: RUF005 -- which keeps its class

    def inverse_shape(self, shape: Any) -> Any:
        """The two dimensions of the matrix become one of a vector."""
        if _check_dims(shape, 2)[-2] != shape[-1]:
            raise ValueError("Input is not square")
        return shape[:-2] + (shape[-1] * (shape[-1] - 1) // 2,)  # noqa: RUF005


class _Vectors(Transform):
    """A transform without parameters: two of a class are equal."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    __hash__ = None


class SoftmaxTransform(_Vectors):
    """y = exp(x), divided by its sum: not one to one.

    Source: https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.transforms.SoftmaxTransform
    """

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x: Any) -> Any:
        probs = (x - x.max(-1, True)[0]).exp()
        return probs / probs.sum(-1, True)

    def _inverse(self, y: Any) -> Any:
        return y.log()

    def forward_shape(self, shape: Any) -> Any:
        """The same."""
        return _check_dims(shape, 1)

    def inverse_shape(self, shape: Any) -> Any:
        """The same."""
        return _check_dims(shape, 1)


class StickBreakingTransform(_Vectors):
    """Vectors onto a simplex with one element more: each breaks a part off what the earlier ones left.

    Source: https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.transforms.StickBreakingTransform
    """

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    def _call(self, x: Any) -> Any:
        z = clipped_sigmoid(x - _left(x, x.shape[-1] + 1).log())
        last = z.new_ones((*z.shape[:-1], 1))
        return cat((z, last), -1) * _after_one((1 - z).cumprod(-1))

    def _inverse(self, y: Any) -> Any:
        parts = y[..., :-1]
        rest = (1 - parts.cumsum(-1)).clamp(min=finfo(y.dtype).tiny)
        return parts.log() - rest.log() + _left(parts, y.shape[-1]).log()

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """The sum over the parts that are broken off."""
        x = x - _left(x, x.shape[-1] + 1).log()
        return (-x + logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape: Any) -> Any:
        """One element more."""
        return _check_dims(shape, 1)[:-1] + (shape[-1] + 1,)  # noqa: RUF005

    def inverse_shape(self, shape: Any) -> Any:
        """One element less."""
        return _check_dims(shape, 1)[:-1] + (shape[-1] - 1,)  # noqa: RUF005


def _left(x: Tensor, parts: int) -> Tensor:
    """How many of the parts come after each."""
    return parts - x.new_ones(x.shape[-1]).cumsum(-1)


class LowerCholeskyTransform(_Vectors):
    """Square matrices to lower triangular ones with a positive diagonal.

    Source: https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.transforms.LowerCholeskyTransform
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x: Any) -> Any:
        return x.tril(-1) + diag_embed(x.diagonal(dim1=-2, dim2=-1).exp())

    def _inverse(self, y: Any) -> Any:
        return y.tril(-1) + diag_embed(y.diagonal(dim1=-2, dim2=-1).log())


class PositiveDefiniteTransform(_Vectors):
    """Square matrices to positive definite ones, by their Cholesky factors.

    Source: https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.transforms.PositiveDefiniteTransform
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x: Any) -> Any:
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y: Any) -> Any:
        return LowerCholeskyTransform().inv(cholesky(y))
