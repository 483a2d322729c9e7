"""Normally distributed vectors: `MultivariateNormal`.

Source: https://docs.pytorch.org/docs/stable/distributions.html#multivariatenormal
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar

from tensorkit.distributions import constraints
from tensorkit.distributions.distribution import Distribution
from tensorkit.distributions.utils import lazy_property, standard_normal
from tensorkit.linalg import cholesky, solve_triangular
from tensorkit.ops.creation.eye import eye
from tensorkit.ops.linalg.cholesky_solve_lu_solve import cholesky_inverse
from tensorkit.ops.rearranging.unravel_index import broadcast_shapes
from tensorkit.size import Size
from tensorkit.tensor import Tensor

_FORMS = ("scale_tril", "covariance_matrix", "precision_matrix")


class MultivariateNormal(Distribution):
    """Vectors that are normally distributed, with a covariance.

    Args:
        loc: the mean. covariance_matrix: positive definite.
        precision_matrix, scale_tril: the inverse of it, or its Cholesky factor, instead.

    >>> tk.distributions.MultivariateNormal(tk.zeros(2), tk.eye(2)).log_prob(tk.zeros(2))
    tensor(-1.8379)

    Source: https://docs.pytorch.org/docs/stable/distributions.html#multivariatenormal
    """

    arg_constraints: ClassVar[Any] = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        forms = {
            "scale_tril": scale_tril,
            "covariance_matrix": covariance_matrix,
            "precision_matrix": precision_matrix,
        }
        given = [(name, matrix) for name, matrix in forms.items() if matrix is not None]
        if len(given) != 1:
            raise ValueError(
                "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified."
            )
        name, matrix = given[0]
        if matrix.dim() < 2:
            what = "scale_tril matrix" if name == "scale_tril" else name
            raise ValueError(
                f"{what} must be at least two-dimensional, with optional leading batch dimensions"
            )
        batch_shape = broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        setattr(self, name, matrix.expand((*batch_shape, -1, -1)))
        self.loc = loc.expand((*batch_shape, -1))
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        if name != "scale_tril":
            matrix = cholesky(matrix) if name == "covariance_matrix" else _factor_of_inverse(matrix)
        self._unbroadcasted_scale_tril = matrix

    def expand(self, batch_shape: Sequence[int], _instance: Any = None) -> Any:
        """The same distribution for a larger batch."""
        new = self._expanded(MultivariateNormal, batch_shape, _instance, ("loc",), self.event_shape)
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril
        for name in _FORMS:
            if name in self.__dict__:
                setattr(new, name, self.__dict__[name].expand(new._matrix_shape()))
        return new

    def _matrix_shape(self) -> Size:
        return self._batch_shape + self._event_shape + self._event_shape  # type: ignore[no-any-return]

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The Cholesky factor of the covariance."""
        return self._unbroadcasted_scale_tril.expand(self._matrix_shape())

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance."""
        factor = self._unbroadcasted_scale_tril
        return (factor @ factor.mT).expand(self._matrix_shape())

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """Its inverse."""
        return cholesky_inverse(self._unbroadcasted_scale_tril).expand(self._matrix_shape())

    @property
    def mean(self) -> Tensor:
        """`loc`."""
        return self.loc

    @property
    def mode(self) -> Tensor:
        """`loc`."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """The diagonal of the covariance."""
        squares = self._unbroadcasted_scale_tril.pow(2).sum(-1)
        return squares.expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Sequence[int] = Size()) -> Tensor:
        """Standard normal vectors, times the Cholesky factor, moved."""
        eps = standard_normal(self._extended_shape(sample_shape), self.loc.dtype, self.loc.device)
        return self.loc + (self._unbroadcasted_scale_tril @ eps.unsqueeze(-1)).squeeze(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density."""
        self._checked(value)
        factor = self._unbroadcasted_scale_tril
        squares = mahalanobis(factor, value - self.loc)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + squares) - half_log_det(factor)  # type: ignore[no-any-return]

    def entropy(self) -> Tensor:
        """By the determinant of the covariance."""
        size = self._event_shape[0]
        entropy = 0.5 * size * (1.0 + math.log(2 * math.pi)) + half_log_det(self._unbroadcasted_scale_tril)
        return entropy.expand(self._batch_shape) if len(self._batch_shape) else entropy  # type: ignore[no-any-return]


def half_log_det(factor: Tensor) -> Tensor:
    """Half the logarithm of the determinant of a matrix, by its Cholesky factor."""
    return factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def mahalanobis(factor: Tensor, x: Tensor) -> Tensor:
    """The squared lengths of vectors, measured by covariances whose Cholesky factors are given.

    Vectors and factors are broadcast, but no factor is repeated: its vectors are solved for together.

    Args:
        factor: (…, n, n), lower triangular. x: (…, n), with at least as many batch dimensions.
    """
    n, batch = x.size(-1), x.shape[:-1]
    outer = len(batch) - (factor.dim() - 2)
    parts = [(size // own, own) for own, size in zip(factor.shape[:-2], batch[outer:], strict=True)]
    split = x.reshape((*batch[:outer], *(length for pair in parts for length in pair), n))
    repeats = [outer + 2 * place for place in range(len(parts))]
    order = [*range(outer), *repeats, *(place + 1 for place in repeats)]
    x = split.permute([*order, split.dim() - 1])
    flat = factor.reshape(-1, n, n)
    vectors = x.reshape(-1, flat.size(0), n).permute(1, 2, 0)
    squares = solve_triangular(flat, vectors, upper=False).pow(2).sum(-2).t().reshape(x.shape[:-1])
    back = sorted(range(len(order)), key=order.__getitem__)
    return squares.permute(back).reshape(batch)


def _factor_of_inverse(precision: Tensor) -> Tensor:
    """The Cholesky factor of the inverse of a matrix, without the inverse itself."""
    factor = cholesky(precision.flip((-2, -1))).flip((-2, -1)).mT
    identity = eye(precision.shape[-1], dtype=precision.dtype, device=precision.device)
    return solve_triangular(factor, identity, upper=False)
