"""The Kullback–Leibler divergence of two distributions: which formula is for which two classes.

The formulas themselves are in `kl_formulas`.

Source: https://docs.pytorch.org/docs/stable/distributions.html#module-torch.distributions.kl
"""

from __future__ import annotations

from collections.abc import Callable
from functools import total_ordering
from typing import Any, TypeVar

from tensorkit.distributions.distribution import Distribution
from tensorkit.errors import warn
from tensorkit.tensor import Tensor

Formula = TypeVar("Formula", bound=Callable[..., Any])

_KL_REGISTRY: dict[tuple[type, type], Callable[..., Any]] = {}
_KL_MEMOIZE: dict[tuple[type, type], Any] = {}


def register_kl(type_p: Any, type_q: Any) -> Callable[[Formula], Formula]:
    """Have `kl_divergence` use the decorated function for two classes, and for subclasses that have no other.

    >>> D = tk.distributions
    >>> class Sure(D.Normal):
    ...     pass
    >>> @D.register_kl(Sure, D.Normal)
    ... def kl_sure(p, q):
    ...     return tk.zeros(())
    >>> D.kl_divergence(Sure(0.0, 1.0), D.Normal(0.0, 2.0))
    tensor(0.)

    Source: https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.kl.register_kl
    """
    for name, given in ("type_p", type_p), ("type_q", type_q):
        if not isinstance(given, type) and issubclass(given, Distribution):
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {given}")

    def decorate(formula: Formula) -> Formula:
        _KL_REGISTRY[type_p, type_q] = formula
        _KL_MEMOIZE.clear()  # a class may have another formula now
        return formula

    return decorate


@total_ordering
class _Match:
    """Classes in the order of how close they are: the subclass first."""

    __slots__ = ["types"]

    def __init__(self, *types: type) -> None:
        self.types = types

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Match) and self.types == other.types

    def __le__(self, other: _Match) -> bool:
        for x, y in zip(self.types, other.types, strict=True):
            if not issubclass(x, y):
                return False
            if x is not y:
                break
        return True


def _dispatch_kl(type_p: type, type_q: type) -> Any:
    """The formula for the closest classes, with a warning where two of them are as close."""
    matches = [(p, q) for p, q in _KL_REGISTRY if issubclass(type_p, p) and issubclass(type_q, q)]
    if not matches:
        return NotImplemented
    left_p, left_q = min(_Match(*match) for match in matches).types
    right_q, right_p = min(_Match(*reversed(match)) for match in matches).types
    left = _KL_REGISTRY[left_p, left_q]
    if left is not _KL_REGISTRY[right_p, right_q]:
        warn(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). "
            f"Please register_kl({left_p.__name__}, {right_q.__name__})",
            RuntimeWarning,
        )
    return left


def kl_divergence(p: Any, q: Any) -> Tensor:
    """How much is lost where `q` stands for `p`: the mean, over samples of `p`, of log p - log q.

    Args:
        p, q: two distributions; one result for each of their batch.

    Raises:
        NotImplementedError: for two classes that have no formula.

    >>> D = tk.distributions
    >>> D.kl_divergence(D.Normal(0.0, 1.0), D.Normal(1.0, 1.0))
    tensor(0.5000)

    Source: https://docs.pytorch.org/docs/stable/distributions.html#torch.distributions.kl.kl_divergence
    """
    pair = type(p), type(q)
    if pair not in _KL_MEMOIZE:
        _KL_MEMOIZE[pair] = _dispatch_kl(*pair)
    formula = _KL_MEMOIZE[pair]
    if formula is NotImplemented:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {p.__class__.__name__} and q type {q.__class__.__name__}"
        )
    result: Tensor = formula(p, q)
    return result
