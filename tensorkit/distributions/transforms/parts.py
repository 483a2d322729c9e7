"""Transforms of the parts of a tensor along a dimension, each by its own.

Source: https://docs.pytorch.org/docs/stable/distributions.html#module-torch.distributions.transforms
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorkit.distributions import constraints
from tensorkit.distributions.transforms.base import Transform
from tensorkit.distributions.utils import lazy_property, sum_rightmost
from tensorkit.ops.joining.cat import cat
from tensorkit.ops.joining.stack import stack


class _Parts(Transform):
    """What the two have alike: a transform for each part."""

    transforms: list[Any]
    dim: int

    def __init__(self, tseq: Sequence[Any], dim: int, cache_size: int) -> None:
        if not all(isinstance(one, Transform) for one in tseq):
            raise AssertionError("All elements of tseq must be Transform instances")
        super().__init__(cache_size=cache_size)
        self.transforms = [one.with_cache(cache_size) if cache_size else one for one in tseq]
        self.dim = dim

    @property
    def bijective(self) -> Any:
        """Whether all of them are."""
        return all(one.bijective for one in self.transforms)

    def _check(self, x: Any, length: int, name: str, what: str, own: str = "tensor") -> None:
        if not -x.dim() <= self.dim < x.dim():
            raise AssertionError(f"dim {self.dim} out of range for {own} with {x.dim()} dimensions")
        if x.size(self.dim) != length:
            raise AssertionError(f"{name}.size({self.dim}) = {x.size(self.dim)} must equal {what} {length}")


class CatTransform(_Parts):
    """Transforms parts of `lengths` along `dim`, and joins the results as ``cat`` does.

    Args:
        tseq: the transforms. dim: the dimension. lengths: how long each part is; 1 if not given.

    Source: https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.transforms.CatTransform
    """

    def __init__(
        self, tseq: Sequence[Any], dim: int = 0, lengths: Sequence[int] | None = None, cache_size: int = 0
    ) -> None:
        super().__init__(tseq, dim, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(
                f"lengths ({len(self.lengths)}) must match transforms ({len(self.transforms)})"
            )

    @lazy_property
    def event_dim(self) -> Any:
        """The most that one of them has."""
        return max(one.event_dim for one in self.transforms)

    @lazy_property
    def length(self) -> Any:
        """The length of all parts together."""
        return sum(self.lengths)

    def with_cache(self, cache_size: int = 1) -> Any:
        """The same transform with another cache."""
        if self._cache_size == cache_size:
            return self
        return CatTransform(self.transforms, self.dim, self.lengths, cache_size)

    def _parts(self, x: Any) -> Any:
        return zip(self.transforms, x.split(self.lengths, self.dim), strict=True)

    def _call(self, x: Any) -> Any:
        self._check(x, self.length, "x", "length")
        return cat([one(part) for one, part in self._parts(x)], dim=self.dim)

    def _inverse(self, y: Any) -> Any:
        self._check(y, self.length, "y", "length")
        return cat([one.inv(part) for one, part in self._parts(y)], dim=self.dim)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """The terms of the parts, concatenated; summed where the dimension belongs to an event."""
        self._check(x, self.length, "x", "length", "x")
        self._check(y, self.length, "y", "length", "y")
        terms = []
        for (one, before), (_, after) in zip(self._parts(x), self._parts(y), strict=True):
            term = one.log_abs_det_jacobian(before, after)
            terms.append(sum_rightmost(term, max(self.event_dim - one.event_dim, 0)))
        dim = (self.dim - x.dim() if self.dim >= 0 else self.dim) + self.event_dim
        return cat(terms, dim=dim) if dim < 0 else sum(terms)

    @constraints.dependent_property
    def domain(self) -> Any:
        """Theirs, part for part."""
        return constraints.cat([one.domain for one in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self) -> Any:
        """Theirs, part for part."""
        return constraints.cat([one.codomain for one in self.transforms], self.dim, self.lengths)


class StackTransform(_Parts):
    """Transforms layer for layer along `dim`, and joins the results as ``stack`` does.

    Args:
        tseq: the transforms, one a layer. dim: the dimension.

    Source: https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.transforms.StackTransform
    """

    def __init__(self, tseq: Sequence[Any], dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(tseq, dim, cache_size)

    def with_cache(self, cache_size: int = 1) -> Any:
        """The same transform with another cache."""
        if self._cache_size == cache_size:
            return self
        return StackTransform(self.transforms, self.dim, cache_size)

    def _layers(self, apply: Callable[..., Any], *stacked: Any) -> Any:
        layers = [one.unbind(self.dim) for one in stacked]
        return stack([apply(*given) for given in zip(self.transforms, *layers, strict=True)], dim=self.dim)

    def _call(self, x: Any) -> Any:
        self._check(x, len(self.transforms), "x", "len(transforms)")
        return self._layers(lambda one, layer: one(layer), x)

    def _inverse(self, y: Any) -> Any:
        self._check(y, len(self.transforms), "y", "len(transforms)")
        return self._layers(lambda one, layer: one.inv(layer), y)

    def log_abs_det_jacobian(self, x: Any, y: Any) -> Any:
        """The terms of the layers, stacked."""
        self._check(x, len(self.transforms), "x", "len(transforms)", "x")
        self._check(y, len(self.transforms), "y", "len(transforms)", "y")
        return self._layers(lambda one, before, after: one.log_abs_det_jacobian(before, after), x, y)

    @constraints.dependent_property
    def domain(self) -> Any:
        """Theirs, layer for layer."""
        return constraints.stack([one.domain for one in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self) -> Any:
        """Theirs, layer for layer."""
        return constraints.stack([one.codomain for one in self.transforms], self.dim)
