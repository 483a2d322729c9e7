"""Operations that ``tensorkit.special`` has in fewer forms than the namespace itself.

There PyTorch takes a dimension, but not its name, and the digits of `round` by keyword alone; other calls are refused.
"""

from __future__ import annotations

from tensorkit.dispatch.op import op
from tensorkit.dtypes import dtype
from tensorkit.ops.pointwise import rounding
from tensorkit.ops.reduction import softmax
from tensorkit.ops.shared.int_args import Dims
from tensorkit.tensor import Tensor


@op(kind="copy", namespace="special", name="softmax", rounded=2)
def special_softmax(input: Tensor, dim: int, dtype: dtype | None = None) -> Tensor:
    """`softmax` along a dimension, which is recorded as such.

    >>> tk.special.softmax(tk.tensor([1000.0, 1000.0]), 0)
    tensor([0.5000, 0.5000])
    """
    return softmax.softmax(input, dim, dtype)


@op(kind="copy", namespace="special", name="log_softmax", rounded=2)
def special_log_softmax(input: Tensor, dim: int, *, dtype: dtype | None = None) -> Tensor:
    """`log_softmax` along a dimension, which is recorded as such.

    >>> tk.special.log_softmax(tk.tensor([1000.0, 1000.0]), 0)
    tensor([-0.6931, -0.6931])
    """
    return softmax.log_softmax(input, dim, dtype)


@op(kind="copy", namespace="special", name="logsumexp", rounded=2)
def special_logsumexp(
    input: Tensor, dim: Dims, keepdim: bool = False, *, out: Tensor | None = None
) -> Tensor:
    """`logsumexp` along the dimensions named, which is recorded as such.

    >>> tk.special.logsumexp(tk.tensor([1000.0, 1000.0]), 0)
    tensor(1000.6932)
    """
    return softmax.logsumexp(input, dim, keepdim, out=out)


@op(kind="copy", namespace="special", name="round", strict=True, out_overlap="before resizing")
def special_round(input: Tensor, *, decimals: int = 0, out: Tensor | None = None) -> Tensor:
    """`round` to a number of decimals, which is recorded as such.

    >>> tk.special.round(tk.tensor([0.5, 1.5, 2.5]))
    tensor([0., 2., 2.])
    """
    return rounding.round(input, decimals=decimals, out=out)
