"""From a constraint to a transform that leads there from all real numbers: `biject_to` and `transform_to`.

Source: https://docs.pytorch.org/docs/stable/distributions.html#module-torch.distributions.constraint_registry
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorkit.distributions import constraints, transforms
from tensorkit.distributions.utils import is_number

Factory = Callable[[Any], Any]


class ConstraintRegistry:
    """Which transform leads to a constraint, by the class of the constraint.

    Source: https://docs.pytorch.org/docs/stable/distributions.html#module-torch.distributions.constraint_registry
    """

    def __init__(self) -> None:
        self._registry: dict[type, Factory] = {}
        super().__init__()

    def register(self, constraint: Any, factory: Factory | None = None) -> Any:
        """Have `factory(constraint)` make the transforms for a class of constraints; it may be a decorator.

        Raises:
            TypeError: for what is neither a constraint nor a class of them.
        """
        if factory is None:
            return lambda factory: self.register(constraint, factory)
        if isinstance(constraint, constraints.Constraint):
            constraint = type(constraint)
        if not isinstance(constraint, type) or not issubclass(constraint, constraints.Constraint):
            raise TypeError(
                f"Expected constraint to be either a Constraint subclass or instance, but got {constraint}"
            )
        self._registry[constraint] = factory
        return factory

    def __call__(self, constraint: Any) -> Any:
        try:
            factory = self._registry[type(constraint)]
        except KeyError:
            raise NotImplementedError(f"Cannot transform {type(constraint).__name__} constraints") from None
        return factory(constraint)


biject_to = ConstraintRegistry()
transform_to = ConstraintRegistry()


def _to(
    *wanted: Any, by: tuple[ConstraintRegistry, ...] = (biject_to, transform_to)
) -> Callable[[Factory], Factory]:
    """Register for constraints, by both registries if not said."""

    def decorate(factory: Factory) -> Factory:
        for constraint in wanted:
            for registry in by:
                registry.register(constraint, factory)
        return factory

    return decorate


@_to(constraints.real)
def _to_real(constraint: Any) -> Any:
    return transforms.identity_transform


@_to(constraints.positive, constraints.nonnegative)
def _to_positive(constraint: Any) -> Any:
    return transforms.ExpTransform()


@_to(constraints.greater_than, constraints.greater_than_eq)
def _to_greater_than(constraint: Any) -> Any:
    return transforms.ComposeTransform(
        [transforms.ExpTransform(), transforms.AffineTransform(constraint.lower_bound, 1)]
    )


@_to(constraints.less_than)
def _to_less_than(constraint: Any) -> Any:
    return transforms.ComposeTransform(
        [transforms.ExpTransform(), transforms.AffineTransform(constraint.upper_bound, -1)]
    )


@_to(constraints.interval, constraints.half_open_interval)
def _to_interval(constraint: Any) -> Any:
    low, high = constraint.lower_bound, constraint.upper_bound
    if is_number(low, high) and low == 0 and high == 1:
        return transforms.SigmoidTransform()
    return transforms.ComposeTransform(
        [transforms.SigmoidTransform(), transforms.AffineTransform(low, high - low)]
    )


@_to(constraints.corr_cholesky)
def _to_corr_cholesky(constraint: Any) -> Any:
    return transforms.CorrCholeskyTransform()


@_to(constraints.simplex, by=(biject_to,))
def _biject_to_simplex(constraint: Any) -> Any:
    return transforms.StickBreakingTransform()


@_to(constraints.simplex, by=(transform_to,))
def _transform_to_simplex(constraint: Any) -> Any:
    return transforms.SoftmaxTransform()


@_to(constraints.lower_cholesky, by=(transform_to,))
def _to_lower_cholesky(constraint: Any) -> Any:
    return transforms.LowerCholeskyTransform()


@_to(constraints.positive_definite, constraints.positive_semidefinite, by=(transform_to,))
def _to_positive_definite(constraint: Any) -> Any:
    return transforms.PositiveDefiniteTransform()


def _of_parts(registry: ConstraintRegistry) -> None:
    """Constraints that are made of others: each part by its own transform."""

    @_to(constraints.independent, by=(registry,))
    def to_independent(constraint: Any) -> Any:
        base = registry(constraint.base_constraint)
        return transforms.IndependentTransform(base, constraint.reinterpreted_batch_ndims)

    @_to(constraints.cat, by=(registry,))
    def to_cat(constraint: Any) -> Any:
        parts = [registry(one) for one in constraint.cseq]
        return transforms.CatTransform(parts, constraint.dim, constraint.lengths)

    @_to(constraints.stack, by=(registry,))
    def to_stack(constraint: Any) -> Any:
        return transforms.StackTransform([registry(one) for one in constraint.cseq], constraint.dim)


_of_parts(biject_to)
_of_parts(transform_to)
