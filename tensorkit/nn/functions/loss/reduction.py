"""What `reduction` and its older spellings mean."""

from __future__ import annotations

from tensorkit.errors import warn

_REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}


def legacy_reduction(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """The reduction; the two older arguments win, with a warning."""
    if size_average is None and reduce is None:
        return reduction
    average, one = size_average is not False, reduce is not False
    reduction = "mean" if average and one else "sum" if one else "none"
    warn(f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.")
    return reduction


def reduction_number(size_average: bool | None, reduce: bool | None, reduction: str) -> int:
    """The number that operations know a reduction by."""
    reduction = legacy_reduction(size_average, reduce, reduction)
    if reduction == "elementwise_mean":
        warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.")
        reduction = "mean"
    if reduction not in _REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return _REDUCTIONS[reduction]
