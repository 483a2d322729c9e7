"""Areas under points, by the trapezoidal rule: `trapezoid`, `trapz`, `cumulative_trapezoid`."""

from __future__ import annotations

from typing import Any

from tensorkit import dtypes
from tensorkit.dispatch.call_errors import takes
from tensorkit.dispatch.op import op
from tensorkit.elementwise.block import NUMBERS
from tensorkit.ops.reduction.arguments import one_axis
from tensorkit.ops.reduction.cumsum import ABSENT
from tensorkit.ops.shared.scalar_arithmetic import over, times
from tensorkit.ops.shared.tensor_data import plain_number
from tensorkit.tensor import Tensor


def _beside(name: str, y: Tensor, x: Any, dim: int) -> Tensor:
    """The steps between the sample points, so that they broadcast against `y`."""
    if x.dim() == 1:
        if x.size(0) != y.size(dim):
            raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
        x = x.view([-1 if d == dim else 1 for d in range(y.dim())])
    elif x.dim() < y.dim():
        x = x.view([1] * (y.dim() - x.dim()) + list(x.size()))
    first, second = _neighbours(x, dim)
    return second - first  # type: ignore[no-any-return]


def _refuse_bools(name: str, y: Tensor, x: Any) -> None:
    if y._dtype is dtypes.bool or x._dtype is dtypes.bool:
        raise RuntimeError(f"{name}: received a bool input for `x` or `y`, but bool is not supported")


def _neighbours(y: Any, dim: int) -> tuple[Any, Any]:
    many = max(0, y.size(dim) - 1)
    return y.narrow(dim, 0, many), y.narrow(dim, y.size(dim) - many, many)


def _check_step(name: str, y: Tensor, dx: Any) -> float:
    if y._dtype is dtypes.bool:
        raise RuntimeError(f"{name}: received a bool input for `y`, but bool is not supported")
    dx = plain_number(dx)
    if isinstance(dx, (bool, complex)):
        raise RuntimeError(f"{name}: Currently, we only support dx as a real number.")
    return float(dx)


def _is_number(value: Any) -> bool:
    """Whether PyTorch takes a value for a number: of tensors those of no dimension that want no gradient."""
    return (
        value.dim() == 0 and not value.requires_grad
        if isinstance(value, Tensor)
        else isinstance(value, NUMBERS)
    )


def _check_areas(y: Any, x: Any, dx: Any, dim: Any) -> None:
    """Refuse what fits none of the forms (the caller adds the sentence)."""
    if not isinstance(y, Tensor) or not (x is ABSENT or isinstance(x, Tensor)):
        raise TypeError
    if dx is not ABSENT and (x is not ABSENT or not _is_number(dx)):
        raise TypeError
    if isinstance(dim, bool) or not hasattr(dim, "__index__"):
        raise TypeError


def _trapezoid(y: Tensor, x: Any, dx: Any, dim: Any) -> Tensor:
    _check_areas(y, x, dx, dim)
    if not y.dim():
        shown = one_axis(dim, 0) if x is not ABSENT else int(dim)
        raise IndexError(f"Dimension specified as {shown} but tensor has no dimensions")
    axis = one_axis(dim, y.dim())
    if y.size(axis) == 0:
        return y.new_zeros([n for d, n in enumerate(y.size()) if d != axis]).zero_()
    if x is not ABSENT:
        _refuse_bools("trapezoid", y, x)
        steps = _beside("trapezoid", y, x, axis)
        left, right = _neighbours(y, axis)
        return over(((left + right) * steps).sum(axis), 2.0)  # type: ignore[no-any-return]
    step = _check_step("trapezoid", y, 1 if dx is ABSENT else dx)
    ends = y.select(axis, 0) + y.select(axis, -1)
    return times(y.sum(axis) - times(ends, 0.5), step)  # type: ignore[no-any-return]


_AREA_FORMS = ("(Tensor y, Tensor x, *, int dim = -1)", "(Tensor y, *, Number dx = 1, int dim = -1)")


@op(kind="reduce", methods=(), rounded=1)
@takes(*_AREA_FORMS)
def trapezoid(y: Tensor, x: Any = ABSENT, *, dx: Any = ABSENT, dim: int = -1) -> Tensor:
    """The area under points along a dimension, by the trapezoidal rule.

    Args:
        y: the heights. x: where they were taken, or dx: the distance from each to the next (1).
        dim: the dimension.

    Raises:
        RuntimeError: for bools, and when there are not as many points as heights.

    >>> tk.trapezoid(tk.tensor([1.0, 3, 2])), tk.trapezoid(tk.tensor([1.0, 3, 2]), tk.tensor([0, 1, 3]))
    (tensor(4.5000), tensor(7.))
    """
    return _trapezoid(y, x, dx, dim)


@op(strict=True, kind="reduce", methods=(), rounded=1)
@takes("(Tensor y, *, float dx = 1, int dim = -1)", "(Tensor y, Tensor x, *, int dim = -1)")
def trapz(y: Tensor, x: Any = ABSENT, *, dx: Any = ABSENT, dim: int = -1) -> Tensor:
    """An old name of `trapezoid`.

    >>> tk.trapz(tk.tensor([1.0, 3, 2]))
    tensor(4.5000)
    """
    if dx is not ABSENT:
        dx = plain_number(dx)
        if isinstance(dx, (complex, Tensor)):
            raise TypeError
        dx = float(dx)
    return _trapezoid(y, x, dx, dim)


@op(kind="scan", methods=(), rounded=1)
@takes(*_AREA_FORMS)
def cumulative_trapezoid(y: Tensor, x: Any = ABSENT, *, dx: Any = ABSENT, dim: int = -1) -> Tensor:
    """The areas so far under points along a dimension, by the trapezoidal rule.

    Args:
        y, x, dx, dim: as in `trapezoid`.

    Returns:
        A tensor that is one smaller in that dimension.

    >>> tk.cumulative_trapezoid(tk.tensor([1.0, 3, 2]))
    tensor([2.0000, 4.5000])
    """
    _check_areas(y, x, dx, dim)
    name = "cumulative_trapezoid"
    if x is ABSENT:
        step = _check_step(name, y, 1 if dx is ABSENT else dx)
    else:
        one_axis(dim, y.dim())
        _refuse_bools(name, y, x)
    if not y.dim():
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    axis = one_axis(dim, y.dim())
    left, right = _neighbours(y, axis)
    if x is ABSENT:
        return times(right + left, step / 2).cumsum(axis)  # type: ignore[no-any-return]
    steps = _beside(name, y, x, axis)
    return over(((left + right) * steps).cumsum(axis), 2.0)  # type: ignore[no-any-return]
