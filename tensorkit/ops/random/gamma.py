"""Draws from gamma, Dirichlet and binomial distributions, whose parameters are tensors.

On the CPU numbers are proposed one after the other, as PyTorch does (`tensorkit.random.rejection`). On a device they
are proposed for all elements at once, and those that were not accepted again: the distributions are the same, the
numbers are not.

Source: https://docs.pytorch.org/docs/stable/torch.html#random-sampling
"""

from __future__ import annotations

from typing import Any

from tensorkit import dtypes
from tensorkit.autograd.grad_mode import no_grad
from tensorkit.autograd.rule import not_implemented
from tensorkit.device import META
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.errors import MissingKernelError
from tensorkit.finfo import finfo
from tensorkit.ops.creation.full import zeros_like
from tensorkit.ops.kit import Rule, Tensor, op
from tensorkit.ops.pointwise.where import where
from tensorkit.ops.random.bernoulli import check_tensor, plain_like
from tensorkit.ops.random.draw import Drawing, draw
from tensorkit.ops.random.gamma_slopes import dirichlet_slope, gamma_slope
from tensorkit.ops.random.inplace_distributions import check_generator
from tensorkit.ops.random.rand import rand_like, randn_like
from tensorkit.ops.shared.on_device import is_on_device
from tensorkit.ops.shared.to import host_array
from tensorkit.random import Generator
from tensorkit.random.rejection import fill_binomial, fill_gamma
from tensorkit.strides.sizes import broadcast_sizes

_DRAWN = dtypes.float32, dtypes.float64


@op(derivative=not_implemented("_standard_gamma_grad", "input", "output"))
def _standard_gamma_grad(input: Tensor, output: Tensor) -> Any:
    return gamma_slope(input, output).to(input.dtype)


_slope: Any = _standard_gamma_grad


@op(derivative=Rule("StandardGammaBackward0", input=lambda g, c: g * _slope(c.input, c.out)))
def _standard_gamma(input: Tensor, generator: Generator | None = None) -> Tensor:
    if input._dtype not in _DRAWN:
        raise missing_kernel("gamma_cpu", input._dtype.label)
    made, shapes = plain_like(input), input.detach()
    if is_on_device(input):
        return made.copy_(_proposed_gamma(shapes, generator).clamp(min=finfo(input.dtype).tiny))
    return draw(made, generator, Drawing(fill_gamma, host_array(shapes)))


def standard_gamma(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Gamma distributed numbers of rate 1, through which gradients go back to their shapes.

    Args:
        input: shapes, above 0; float32 or float64. generator: where the numbers come from.

    >>> from tensorkit.ops.random.gamma import standard_gamma
    >>> _ = tk.manual_seed(0)
    >>> standard_gamma(tk.tensor([0.5, 5.0]))
    tensor([7.8936e-04, 2.7153e+00])

    Source: https://docs.pytorch.org/docs/stable/distributions.html#gamma
    """
    made: Tensor = _standard_gamma(input, generator)
    return made


def _proposed_gamma(shapes: Tensor, generator: Generator | None) -> Any:
    """Cubes of normal numbers for all elements at once, until each was accepted; in double precision."""
    a = shapes.to(dtypes.float64)
    d = where(a < 1, a + 1, a) - 1 / 3
    steep = (9 * d).rsqrt()
    found, waiting = zeros_like(a), (d > 0) & (a != 0)
    while waiting.any():
        x = _like(randn_like, a, generator)
        v = (1 + steep * x).pow(3)
        low = _like(rand_like, a, generator).log() < 0.5 * x * x + d * (1 - v + v.log())
        accepted = waiting & (v > 0) & low
        found = where(accepted, d * v, found)
        waiting = waiting & ~accepted
    return where(a < 1, found * (1 - _like(rand_like, a, generator)).pow(1 / a), found)


def _like(drawn: Any, a: Tensor, generator: Generator | None) -> Any:
    return drawn(a) if generator is None else drawn(a, generator=generator)


def sample_dirichlet(input: Tensor, generator: Generator | None = None) -> Tensor:
    """Vectors along the last dimension that sum to 1: gamma distributed numbers, divided by their sum.

    Args:
        input: concentrations, above 0; float32 or float64. generator: where the numbers come from.

    Source: https://docs.pytorch.org/docs/stable/distributions.html#dirichlet
    """
    if input._dtype not in _DRAWN:
        raise missing_kernel("dirichlet", input._dtype.label)
    with no_grad():
        drawn = standard_gamma(input.detach().to(dtypes.float64), generator)
        limits = finfo(input.dtype)
        return (drawn / drawn.sum(-1, True)).to(input.dtype).clamp(min=limits.tiny, max=1 - limits.eps / 2)


def dirichlet_grad(x: Tensor, alpha: Tensor, total: Tensor) -> Tensor:
    """How elements of such vectors change with their own concentrations, divided by 1 - x.

    Args:
        x: vectors. alpha: their concentrations. total: the sums of these, of the same size.

    Source: https://docs.pytorch.org/docs/stable/distributions.html#dirichlet
    """
    return dirichlet_slope(x, alpha, total).to(x.dtype)  # type: ignore[no-any-return]


@op(derivative=not_implemented("binomial", "count", "prob"))
@takes("(Tensor count, Tensor prob, tensorkit.Generator generator = None)")
def binomial(count: Tensor, prob: Tensor, generator: Generator | None = None) -> Tensor:
    """Numbers of successes in `count` independent tries, each with the chance `prob`.

    Args:
        count: how many tries; float32 or float64. prob: the chance of a success, of the same dtype.
        generator: where the numbers come from; the default generator if not given.

    Raises:
        ValueError: for counts that are not of a floating point dtype. RuntimeError: for two dtypes.

    >>> _ = tk.manual_seed(0)
    >>> tk.binomial(tk.tensor([10.0, 100.0]), tk.tensor([0.5, 0.5]))
    tensor([ 7., 51.])
    """
    check_tensor("binomial", count)
    if generator is not None:
        check_generator("binomial", generator, 3)
    if count._device == META:
        raise MissingKernelError("Could not run 'aten::binomial' with arguments from the 'META' backend.")
    for name, given in ("count", count), ("prob", prob):
        if not given.is_floating_point():
            raise ValueError(
                f"binomial only supports floating-point dtypes for {name}, got: {given._dtype.label}"
            )
    if prob._dtype != count._dtype:
        raise RuntimeError(f"Found dtype {prob._dtype.label} but expected {count._dtype.label}")
    if count._dtype not in _DRAWN:
        raise missing_kernel("binomial_cpu", count._dtype.label)
    size = broadcast_sizes(count.size(), prob.size())
    counts, chances = count.detach().expand(size), prob.detach().expand(size)
    made = plain_like(counts)
    if is_on_device(count):
        return made.copy_(_by_halves(counts, chances, generator))
    return draw(made, generator, Drawing(fill_binomial, host_array(counts), host_array(chances)))


def _by_halves(counts: Tensor, chances: Tensor, generator: Generator | None) -> Any:
    """How many of n random numbers are below p: the middle one tells it of one half, and the other goes on.

    Source: L. Devroye, "Non-uniform random variate generation" (1986), chapter X.4: the recursive beta method.
    """
    n, p = counts.to(dtypes.float64).floor(), chances.to(dtypes.float64)
    found = zeros_like(n)
    while (n > 0).any():
        middle = 1 + (n / 2).floor()
        low, high = (_proposed_gamma(one, generator) for one in (middle, n + 1 - middle))
        x = low / (low + high)
        below = (n > 0) & (x <= p)
        found = where(below, found + middle, found)
        p = where(below, (p - x) / (1 - x), p / x)
        n = where(below, n - middle, middle - 1)
    sure = where(chances >= 1, counts, where(chances <= 0, 0.0, chances))
    return where((chances > 0) & (chances < 1), found, sure)
