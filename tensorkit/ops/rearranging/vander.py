"""Powers of elements side by side: `vander`."""

from __future__ import annotations

from typing import Any

from tensorkit import dtypes
from tensorkit.dispatch.op import op
from tensorkit.ops.rearranging.diag import whole
from tensorkit.tensor import Tensor


@op(strict=True, kind="copy", methods=(), rounded=1)
def vander(x: Tensor, N: int | None = None, increasing: bool = False) -> Tensor:
    """The powers of a vector's elements, one row each: from the highest down to 0, or the other way round.

    Args:
        N: how many powers; by default as many as there are elements.

    >>> tk.vander(tk.tensor([2, 3]), 3)
    tensor([[4, 2, 1],
            [9, 3, 1]])
    """
    if x.dim() != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    count = x.numel() if N is None else whole(N, "vander", "N", 2)
    if count < 0:
        raise RuntimeError("N must be non-negative.")
    vector: Any = x
    kind = dtypes.promote_types(x._dtype, dtypes.int64) if x._dtype.category < 2 else x._dtype
    powers: Any = vector.new_empty((x.numel(), count), dtype=kind)
    if count > 0:
        powers[:, 0] = 1
    if count > 1:
        powers[:, 1:] = vector.unsqueeze(-1)
        powers[:, 1:] = powers[:, 1:].clone().cumprod(1)
    return powers if increasing else powers.flip(1)  # type: ignore[no-any-return]
