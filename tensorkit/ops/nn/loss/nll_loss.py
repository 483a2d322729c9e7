"""The negative log likelihood loss: minus the element at the right class, for each row."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.device import CPU
from tensorkit.dispatch.call_errors import missing_kernel
from tensorkit.ops.kit import BUT_FLOATS, INNER, Array, Plan, Result, Rule, Tensor, not_differentiable, op
from tensorkit.ops.nn.loss.losses import MEAN, NONE, reduced


def class_axis(input: Tensor) -> int:
    """The dimension of classes."""
    return 0 if input.ndim == 1 else 1


def shares_of(
    input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int
) -> tuple[Tensor, Tensor, int]:
    """The index of each target's class, the weight of its loss, and the dimension of classes."""
    axis = class_axis(input)
    kept = target.ne(ignore_index)
    places = target.to(dtypes.int64).where(kept, 0)
    share = kept.to(input.dtype) if weight is None else weight[places].where(kept, 0)
    return places.unsqueeze(axis), share, axis


def _no_weight(input: Tensor) -> Any:
    return not_differentiable(f"nll_loss{'' if input.ndim <= 2 else '2d'}_forward", "weight")


# -- on the CPU ------------------------------------------------------------------------------------------------------


def _picks(rows: Array, target: Array, weight: Array | None, ignore_index: int) -> tuple[Any, Array]:
    """Where each target's class is in (n, classes, ...), and how much its loss counts."""
    kept = target != ignore_index
    places = numpy.where(kept, target, 0)
    if weight is None:
        share = kept.astype(rows.dtype)
    else:
        share = numpy.where(kept, weight[places], 0)
    first, *rest = (numpy.arange(n) for n in target.shape) if rows.ndim == 2 else numpy.ogrid[_slices(target)]
    return (first, places, *rest), share


def _slices(array: Array) -> tuple[slice, ...]:
    return tuple(slice(n) for n in array.shape)


def _rows_of(input: Array, target: Array) -> tuple[Array, Array]:
    """A single row as the only one of several."""
    return (input[None], target.reshape(1)) if input.ndim == 1 else (input, target)


def _nll_on_cpu(
    out: Array, input: Array, target: Array, weight: Array | None, *, reduction: int, ignore_index: int
) -> None:
    rows, target = _rows_of(input, target)
    at, share = _picks(rows, target, weight, ignore_index)
    losses = numpy.where(target != ignore_index, -rows[at] * share, 0)
    if reduction == NONE:
        out[...] = losses.reshape(out.shape)
    else:
        out[...] = losses.sum() / (share.sum() if reduction == MEAN else 1)


def _nll_back_on_cpu(
    out: Array, g: Array, target: Array, weight: Array | None, *, reduction: int, ignore_index: int
) -> None:
    rows, target = _rows_of(out, target)
    at, share = _picks(rows, target, weight, ignore_index)
    if reduction == MEAN:
        share = share / share.sum()
    out[...] = 0
    rows[at] = numpy.where(target != ignore_index, -g.reshape(share.shape if g.ndim else ()) * share, 0)


def _nll_again(g: Any, c: Any) -> Any:
    return nll_loss_nd(g, c.target, c.weight, c.reduction, c.ignore_index)


@op({"cpu": _nll_back_on_cpu}, derivative=Rule("NllLossBackwardBackward0", g=_nll_again))
def _nll_back(
    g: Tensor, size: tuple[int, ...], target: Tensor, weight: Tensor | None, reduction: int, ignore_index: int
) -> Plan | Tensor:
    """The gradient of `nll_loss_nd`: 0 except at the right classes."""
    if len(size) == 1 and target.ndim and tuple(target.shape) != size:
        raise RuntimeError(f"size mismatch (got input: {list(size)}, target: {list(target.shape)})")
    if g.device.type != "cuda":
        settings = {"reduction": reduction, "ignore_index": ignore_index}
        return Plan((Result(size, g.dtype),), (g, target, weight), settings)
    rows = g.new_zeros(size)
    target = _aligned(rows, target)
    places, share, axis = shares_of(rows, target, weight, ignore_index)
    if reduction == MEAN:
        share = share / share.sum()
    steep = -g.reshape(share.shape if reduction == NONE else ()) * share
    return rows.scatter(axis, places, steep.where(target.ne(ignore_index), 0).unsqueeze(axis))


def _aligned(input: Tensor, target: Tensor) -> Tensor:
    """The target of a single row, without dimensions."""
    return target.reshape(()) if input.ndim == 1 else target


def _check_targets(input: Tensor, target: Tensor, weight: Tensor | None, ignore_index: int) -> None:
    classes = input.shape[class_axis(input)]
    if input.ndim <= 2 and target.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if target.dtype not in (dtypes.int64, dtypes.uint8):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {target.dtype.label}")
    if input.ndim not in (1, 2, 4) and tuple(target.shape[1:]) != tuple(input.shape[2:]):
        wanted = [*input.shape[:1], *input.shape[2:]]
        raise RuntimeError(f"Expected target size {wanted}, got {list(target.shape)}")
    if input.ndim > 2 and tuple(target.shape) != (*input.shape[:1], *input.shape[2:]):
        if target.ndim != input.ndim - 1:
            raise RuntimeError(
                "only batches of spatial targets supported (3D tensors) but got targets of dimension: "
                f"{target.ndim}"
            )
        raise RuntimeError(f"size mismatch (got input: {list(input.shape)} , target: {list(target.shape)}")
    if weight is not None and (weight.ndim != 1 or weight.numel() != classes):
        raise RuntimeError(
            f"weight tensor should be defined either for all {classes} classes or no classes but got weight tensor "
            f"of shape: {list(weight.shape)}"
        )
    if input.dtype in BUT_FLOATS:
        kernel = "nll_loss_out_frame" if input.ndim <= 2 else "nll_loss2d_forward_out_frame"
        raise missing_kernel(kernel, input.dtype.label)
    if weight is not None and weight.dtype is not input.dtype:
        raise RuntimeError(f"expected scalar type {input.dtype.label} but found {weight.dtype.label}")
    if target.device == CPU and target.numel():
        array = target._nd()
        if array.min() >= 0 and array.max() < classes:
            return
        wrong = array[(array != ignore_index) & ((array < 0) | (array >= classes))]
        if wrong.size:
            raise IndexError(f"Target {wrong.flat[0]} is out of bounds.")


@op(
    {"cpu": _nll_on_cpu},
    namespace=INNER,
    rounded=2,
    derivative=Rule(
        lambda call: "NllLossBackward0" if call["input"].ndim <= 2 else "NllLoss2DBackward0",
        applies=lambda call: _no_weight(call["input"])(call),
        input=lambda g, c: _nll_back(g, c.input_face.size, c.target, c.weight, c.reduction, c.ignore_index),
    ),
)
def nll_loss_nd(
    input: Tensor, target: Tensor, weight: Tensor | None = None, reduction: int = 0, ignore_index: int = -100
) -> Plan | Tensor:
    """What `input` has at the right class, with the other sign: (n, classes, ...) and (n, ...) give () or (n, ...).

    Args:
        input: logarithms of chances. target: a class for each row, int64.
        weight: how much each class counts: (classes).
        ignore_index: rows of this class do not count.

    Raises:
        IndexError: for a class out of range.

    >>> tk.nn.functional.nll_loss(tk.tensor([[-0.5, -1.0], [-2.0, -0.25]]), tk.tensor([0, 1]))
    tensor(0.3750)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.nll_loss.html
    """
    if not input.ndim:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    if input.ndim != 1 and (not target.ndim or input.shape[0] != target.shape[0]):
        found = target.shape[0] if target.ndim else 0
        raise ValueError(
            f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({found})."
        )
    _check_targets(input, target, weight, ignore_index)
    if input.device.type != "cuda":
        size = _aligned(input, target).shape if reduction == NONE else ()
        settings = {"reduction": reduction, "ignore_index": ignore_index}
        return Plan((Result(tuple(size), input.dtype),), (input, target, weight), settings)
    target = _aligned(input, target)
    places, share, axis = shares_of(input, target, weight, ignore_index)
    losses = (-input.gather(axis, places).squeeze(axis) * share).where(target.ne(ignore_index), 0)
    return losses.sum() / share.sum() if reduction == MEAN else reduced(losses, reduction)
