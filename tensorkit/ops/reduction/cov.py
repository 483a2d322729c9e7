"""How variables vary together: `cov`, `corrcoef`."""

from __future__ import annotations

from typing import Any

from tensorkit import dtypes
from tensorkit.dispatch.op import op
from tensorkit.errors import warn
from tensorkit.ops.pointwise.polar import complex as complex_of
from tensorkit.tensor import Tensor


def _check_weights(name: str, weights: Any, many: int, category: int) -> Tensor:
    if not isinstance(weights, Tensor):
        raise TypeError
    if weights.dim() > 1:
        raise RuntimeError(
            f"cov(): expected {name} to have one or fewer dimensions but got {name} with {weights.dim()} dimensions"
        )
    if weights._dtype.category != category:
        wanted = "integral" if category == 1 else "floating point"
        raise RuntimeError(
            f"cov(): expected {name} to have {wanted} dtype but got {name} with {weights._dtype.label} dtype"
        )
    if weights.numel() != many:
        raise RuntimeError(
            f"cov(): expected {name} to have the same numel as there are observations in the input but got "
            f"{weights.numel()} != {many}"
        )
    if many and bool((weights.detach() < 0).any()):
        raise RuntimeError(f"cov(): {name} cannot be negative")
    return weights


def _freedom(weights: Any, shares: Any, added: Any, correction: int) -> Any:
    """What the sum of products is divided by; 0, with a warning, where no freedom is left."""
    factor = added - correction
    if weights is not None and shares is not None and correction:
        factor = added - correction * (weights * shares).sum() / added
    if (factor.item() if isinstance(factor, Tensor) else factor) <= 0:
        warn(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations."
        )
        factor = factor * 0
    return factor


@op(strict=True, kind="reduce", rounded=4)
def cov(
    input: Tensor, *, correction: int = 1, fweights: Tensor | None = None, aweights: Tensor | None = None
) -> Tensor:
    """The covariance matrix of variables, one a row, from their observations, one a column.

    Args:
        correction: taken from the count before dividing: 1 for a sample, 0 for a whole population.
        fweights: how often each observation was made, as integers. aweights: how much each counts.

    Raises:
        RuntimeError: for bools, more than two dimensions, or weights that do not fit.

    >>> tk.tensor([[1.0, 2, 3], [3, 2, 1]]).cov()
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    if isinstance(correction, bool) or not hasattr(correction, "__index__"):
        raise TypeError
    _two_dimensions("cov", input)
    if input._dtype is dtypes.bool:
        raise RuntimeError("cov(): bool dtype is not supported for input")
    rows = input.view(1, -1) if input.dim() < 2 else input
    many = rows.size(1)
    weights = None if fweights is None else _check_weights("fweights", fweights, many, 1)
    if aweights is not None:
        shares = _check_weights("aweights", aweights, many, 2)
        weights = shares if weights is None else weights * shares
    added: Any = many if weights is None else weights.sum()
    if weights is not None and added.item() == 0:
        raise RuntimeError("cov(): weights sum to zero, can't be normalized")
    # As PyTorch, divided by a tensor: no observations give nan, not an error.
    centre = (rows if weights is None else rows * weights).sum(1) / added
    factor = _freedom(weights, aweights, added, correction)
    apart = rows - centre.unsqueeze(1)
    beside = (apart if weights is None else apart * weights).t()
    return (apart.mm(beside.conj() if apart.is_complex() else beside) / factor).squeeze()  # type: ignore[no-any-return]


def _two_dimensions(name: str, input: Tensor) -> None:
    if input.dim() > 2:
        raise RuntimeError(
            f"{name}(): expected input to have two or fewer dimensions but got an input with {input.dim()} dimensions"
        )


@op(kind="reduce", rounded=4)
def corrcoef(input: Tensor) -> Tensor:
    """Pearson's correlation of variables, one a row, from their observations, one a column.

    Returns:
        A matrix of numbers from -1 to 1; nan for a variable that does not vary.

    >>> tk.tensor([[1.0, 2, 3], [3, 2, 1]]).corrcoef()
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    _two_dimensions("corrcoef", input)
    found = cov(input)
    if not found.dim():
        return found / found
    spread = found.diagonal()
    deviation = (spread.real if found.is_complex() else spread).sqrt()
    found = found / deviation.view(-1, 1) / deviation.view(1, -1)
    if found.is_complex():
        return complex_of(found.real.clamp(-1, 1), found.imag.clamp(-1, 1))
    return found.clamp(-1, 1)
