"""Constraints: where parameters and samples may lie, each with a `check` of tensors.

>>> from tensorkit.distributions import constraints
>>> constraints.positive.check(tk.tensor([-1.0, 0.0, 2.0])), constraints.positive
(tensor([False, False,  True]), GreaterThan(lower_bound=0.0))

Source: https://docs.pytorch.org/docs/stable/distributions.html#module-torch.distributions.constraints
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorkit import dtypes
from tensorkit.finfo import finfo
from tensorkit.linalg import cholesky_ex, eigvalsh, norm
from tensorkit.ops.creation.full import full
from tensorkit.ops.joining.cat import cat as joined
from tensorkit.ops.joining.stack import stack as stacked
from tensorkit.tensor import Tensor

__all__ = [
    "Constraint",
    "MixtureSameFamilyConstraint",
    "boolean",
    "cat",
    "corr_cholesky",
    "dependent",
    "dependent_property",
    "greater_than",
    "greater_than_eq",
    "half_open_interval",
    "independent",
    "integer_interval",
    "interval",
    "is_dependent",
    "less_than",
    "lower_cholesky",
    "lower_triangular",
    "multinomial",
    "nonnegative",
    "nonnegative_integer",
    "one_hot",
    "positive",
    "positive_definite",
    "positive_integer",
    "positive_semidefinite",
    "real",
    "real_vector",
    "simplex",
    "square",
    "stack",
    "symmetric",
    "unit_interval",
]


def __dir__() -> list[str]:
    return __all__


class Constraint:
    """The base class of constraints.

    Attributes:
        is_discrete: whether only single values satisfy it.
        event_dim: how many of the last dimensions make one value; `check` gives one answer for each of them.

    Source: https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.constraints.Constraint
    """

    is_discrete: Any = False
    event_dim: Any = 0
    _bounds: tuple[str, ...] = ()

    def check(self, value: Any) -> Any:
        """Which of the values satisfy the constraint."""
        raise NotImplementedError

    def __repr__(self) -> str:
        bounds = ", ".join(f"{name}={getattr(self, name)}" for name in self._bounds)
        return f"{self.__class__.__name__[1:]}({bounds})"


class _Dependent(Constraint):
    """Stands for a constraint that follows from other parameters, and cannot be checked without them."""

    def __init__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> None:
        self._is_discrete = is_discrete
        self._event_dim = event_dim
        super().__init__()

    @property
    def is_discrete(self) -> Any:
        """As it was said, if it was."""
        if self._is_discrete is NotImplemented:
            raise NotImplementedError(".is_discrete cannot be determined statically")
        return self._is_discrete

    @property
    def event_dim(self) -> Any:
        """As it was said, if it was."""
        if self._event_dim is NotImplemented:
            raise NotImplementedError(".event_dim cannot be determined statically")
        return self._event_dim

    def __call__(self, *, is_discrete: Any = NotImplemented, event_dim: Any = NotImplemented) -> Any:
        return _Dependent(
            is_discrete=self._is_discrete if is_discrete is NotImplemented else is_discrete,
            event_dim=self._event_dim if event_dim is NotImplemented else event_dim,
        )

    def check(self, x: Any) -> Any:
        """Refused: there is nothing to check by."""
        raise ValueError("Cannot determine validity of dependent constraint")


def is_dependent(constraint: Any) -> bool:
    """Whether a constraint follows from other parameters."""
    return isinstance(constraint, _Dependent)


class _DependentProperty(property, _Dependent):
    """A property of distributions that is a dependent constraint on the class."""

    def __init__(
        self,
        fn: Callable[..., Any] | None = None,
        *,
        is_discrete: Any = NotImplemented,
        event_dim: Any = NotImplemented,
    ) -> None:
        super().__init__(fn)
        self._is_discrete = is_discrete
        self._event_dim = event_dim

    def __call__(self, fn: Callable[..., Any]) -> _DependentProperty:  # type: ignore[override]
        return _DependentProperty(fn, is_discrete=self._is_discrete, event_dim=self._event_dim)


def _wrapped(constraint: Any) -> Constraint:
    if not isinstance(constraint, Constraint):
        raise AssertionError(f"base_constraint must be a Constraint, got {type(constraint).__name__}")
    return constraint


class _IndependentConstraint(Constraint):
    """A constraint whose last batch dimensions count as one event: all of it must satisfy the constraint."""

    def __init__(self, base_constraint: Any, reinterpreted_batch_ndims: Any) -> None:
        self.base_constraint = _wrapped(base_constraint)
        if not isinstance(reinterpreted_batch_ndims, int):
            raise AssertionError(
                f"reinterpreted_batch_ndims must be an int, got {type(reinterpreted_batch_ndims).__name__}"
            )
        if reinterpreted_batch_ndims < 0:
            raise AssertionError(f"reinterpreted_batch_ndims must be >= 0, got {reinterpreted_batch_ndims}")
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        super().__init__()

    @property
    def is_discrete(self) -> Any:
        """As the constraint inside."""
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> Any:
        """The dimensions of the constraint inside, and those that were added."""
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value: Tensor) -> Tensor:
        """Which events satisfy the constraint as a whole."""
        result = self.base_constraint.check(value)
        if result.dim() < self.reinterpreted_batch_ndims:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        kept = result.dim() - self.reinterpreted_batch_ndims
        return result.reshape((*result.shape[:kept], -1)).all(-1)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"{self.__class__.__name__[1:]}({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(Constraint):
    """The constraint of a mixture: the value satisfies that of every component.

    Source: https://docs.pytorch.org/docs/stable/distributions.html#module-torch.distributions.constraints
    """

    def __init__(self, base_constraint: Any) -> None:
        self.base_constraint = _wrapped(base_constraint)
        super().__init__()

    @property
    def is_discrete(self) -> Any:
        """As the components."""
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> Any:
        """As the components."""
        return self.base_constraint.event_dim

    def check(self, value: Tensor) -> Tensor:
        """Which events satisfy the constraints of all components."""
        result = self.base_constraint.check(value.unsqueeze(-1 - self.event_dim))
        if value.dim() < self.event_dim:
            raise ValueError(f"Expected value.dim() >= {self.event_dim} but got {value.dim()}")
        return result.reshape((*result.shape[: value.dim() - self.event_dim], -1)).all(-1)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self.base_constraint!r})"


class _Lower(Constraint):
    _bounds = ("lower_bound",)

    def __init__(self, lower_bound: Any) -> None:
        self.lower_bound = lower_bound
        super().__init__()


class _Upper(Constraint):
    _bounds = ("upper_bound",)

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound
        super().__init__()


class _Both(Constraint):
    _bounds = ("lower_bound", "upper_bound")

    def __init__(self, lower_bound: Any, upper_bound: Any) -> None:
        self.lower_bound, self.upper_bound = lower_bound, upper_bound
        super().__init__()


class _GreaterThan(_Lower):
    def check(self, value: Any) -> Any:
        """Above the bound."""
        return self.lower_bound < value


class _GreaterThanEq(_Lower):
    def check(self, value: Any) -> Any:
        """Not below the bound."""
        return self.lower_bound <= value


class _IntegerGreaterThan(_Lower):
    is_discrete = True

    def check(self, value: Any) -> Any:
        """A whole number that is not below the bound."""
        return (value % 1 == 0) & (value >= self.lower_bound)


class _LessThan(_Upper):
    def check(self, value: Any) -> Any:
        """Below the bound."""
        return value < self.upper_bound


class _IntegerLessThan(_Upper):
    is_discrete = True

    def check(self, value: Any) -> Any:
        """A whole number that is not above the bound."""
        return (value % 1 == 0) & (value <= self.upper_bound)


class _Interval(_Both):
    def check(self, value: Any) -> Any:
        """Between the bounds, or on one of them."""
        return (self.lower_bound <= value) & (value <= self.upper_bound)


class _HalfOpenInterval(_Both):
    def check(self, value: Any) -> Any:
        """Between the bounds, or on the lower one."""
        return (self.lower_bound <= value) & (value < self.upper_bound)


class _IntegerInterval(_Both):
    is_discrete = True

    def check(self, value: Any) -> Any:
        """A whole number between the bounds, or on one of them."""
        return (value % 1 == 0) & (self.lower_bound <= value) & (value <= self.upper_bound)


class _Real(Constraint):
    def check(self, value: Any) -> Any:
        """Anything that is not nan."""
        return value == value


class _Boolean(Constraint):
    is_discrete = True

    def check(self, value: Any) -> Any:
        """0 or 1."""
        return (value == 0) | (value == 1)


class _OneHot(Constraint):
    is_discrete = True
    event_dim = 1

    def check(self, value: Any) -> Any:
        """Vectors of zeros with a single 1."""
        return ((value == 0) | (value == 1)).all(-1) & value.sum(-1).eq(1)


class _Simplex(Constraint):
    event_dim = 1

    def check(self, value: Any) -> Any:
        """Vectors that are not negative, and whose sum is 1 within 1e-6."""
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)


class _Multinomial(Constraint):
    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def check(self, x: Any) -> Any:
        """Vectors that are not negative, and whose sum is not above the bound."""
        return (x >= 0).all(-1) & (x.sum(-1) <= self.upper_bound)


class _LowerTriangular(Constraint):
    event_dim = 2

    def check(self, value: Any) -> Any:
        """Matrices with zeros above the diagonal."""
        return (value.tril() == value).view((*value.shape[:-2], -1)).min(-1)[0]


class _LowerCholesky(_LowerTriangular):
    def check(self, value: Any) -> Any:
        """Lower triangular matrices with a positive diagonal."""
        return super().check(value) & (value.diagonal(dim1=-2, dim2=-1) > 0).min(-1)[0]


class _CorrCholesky(_LowerCholesky):
    def check(self, value: Any) -> Any:
        """Lower triangular matrices with a positive diagonal and rows of length 1."""
        near = finfo(value.dtype).eps * value.size(-1) * 10
        return super().check(value) & (norm(value.detach(), dim=-1) - 1.0).abs().le(near).all(-1)


class _Square(Constraint):
    event_dim = 2

    def check(self, value: Any) -> Any:
        """Matrices with as many rows as columns."""
        rows, columns = value.shape[-2:]
        return full(value.shape[:-2], rows == columns, dtype=dtypes.bool, device=value.device)


class _Symmetric(_Square):
    def check(self, value: Any) -> Any:
        """Square matrices that are their transpose within 1e-6."""
        square = super().check(value)
        return value.isclose(value.mT, atol=1e-6).all(-2).all(-1) if square.all() else square


class _PositiveSemidefinite(_Symmetric):
    def check(self, value: Any) -> Any:
        """Symmetric matrices without a negative eigenvalue."""
        symmetric = super().check(value)
        return eigvalsh(value).ge(0).all(-1) if symmetric.all() else symmetric


class _PositiveDefinite(_Symmetric):
    def check(self, value: Any) -> Any:
        """Symmetric matrices that have a Cholesky factor."""
        symmetric = super().check(value)
        return cholesky_ex(value).info.eq(0) if symmetric.all() else symmetric


class _Parts(Constraint):
    """Constraints for the parts of a tensor along a dimension."""

    cseq: list[Any]

    def __init__(self, cseq: Sequence[Any], dim: int) -> None:
        if not all(isinstance(one, Constraint) for one in cseq):
            raise AssertionError("All elements of cseq must be Constraint instances")
        self.cseq = list(cseq)
        self.dim = dim
        super().__init__()

    @property
    def is_discrete(self) -> bool:
        """Whether one of the constraints is."""
        return any(one.is_discrete for one in self.cseq)

    @property
    def event_dim(self) -> int:
        """The most that one of the constraints has."""
        return max(one.event_dim for one in self.cseq)  # type: ignore[no-any-return]


class _Cat(_Parts):
    def __init__(self, cseq: Sequence[Any], dim: int = 0, lengths: Sequence[int] | None = None) -> None:
        super().__init__(cseq, dim)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise AssertionError(f"lengths ({len(self.lengths)}) must match cseq ({len(self.cseq)})")

    def check(self, value: Any) -> Any:
        """Part for part, of `lengths`, by the constraint of each."""
        if not (-value.dim() <= self.dim < value.dim()):
            raise AssertionError(f"dim {self.dim} out of range for value with {value.dim()} dimensions")
        checks, start = [], 0
        for one, length in zip(self.cseq, self.lengths, strict=True):
            checks.append(one.check(value.narrow(self.dim, start, length)))
            start += length
        return joined(checks, self.dim)


class _Stack(_Parts):
    def __init__(self, cseq: Sequence[Any], dim: int = 0) -> None:
        super().__init__(cseq, dim)

    @property
    def event_dim(self) -> int:
        """The most that one of the constraints has, and the stacked dimension where it lies among them."""
        most = super().event_dim
        return most + 1 if self.dim + most < 0 else most

    def check(self, value: Any) -> Any:
        """Layer for layer, by the constraint of each."""
        if not (-value.dim() <= self.dim < value.dim()):
            raise AssertionError(f"dim {self.dim} out of range for value with {value.dim()} dimensions")
        layers = zip(value.unbind(self.dim), self.cseq, strict=False)
        return stacked([one.check(layer) for layer, one in layers], self.dim)


dependent = _Dependent()
dependent_property = _DependentProperty
independent = _IndependentConstraint
boolean = _Boolean()
one_hot = _OneHot()
nonnegative_integer = _IntegerGreaterThan(0)
positive_integer = _IntegerGreaterThan(1)
integer_interval = _IntegerInterval
real = _Real()
real_vector = independent(real, 1)
positive = _GreaterThan(0.0)
nonnegative = _GreaterThanEq(0.0)
greater_than = _GreaterThan
greater_than_eq = _GreaterThanEq
less_than = _LessThan
multinomial = _Multinomial
unit_interval = _Interval(0.0, 1.0)
interval = _Interval
half_open_interval = _HalfOpenInterval
simplex = _Simplex()
lower_triangular = _LowerTriangular()
lower_cholesky = _LowerCholesky()
corr_cholesky = _CorrCholesky()
square = _Square()
symmetric = _Symmetric()
positive_semidefinite = _PositiveSemidefinite()
positive_definite = _PositiveDefinite()
cat = _Cat
stack = _Stack
