"""Embeddings: what `padding_idx` and `max_norm` mean, before the rows are taken."""

from __future__ import annotations

from tensorkit.ops.nn import embedding as _ops
from tensorkit.ops.nn.embedding import one_hot
from tensorkit.tensor import Tensor

__all__ = ["embedding", "one_hot"]


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of a table that indices name: (...) and (rows, columns) give (..., columns).

    Args:
        input: the indices, int64 or int32. padding_idx: a row that gets no gradient.
        max_norm: rows that are longer, by the norm of `norm_type`, are shortened in the table itself.
        scale_grad_by_freq: whether each gradient is divided by how often its index occurs.
        sparse: is refused if True: there are no sparse tensors here.

    Raises:
        IndexError: for a row out of range.

    >>> tk.nn.functional.embedding(tk.tensor([1]), tk.tensor([[0.0, 1.0], [2.0, 3.0]]))
    tensor([[2., 3.]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.embedding.html
    """
    if padding_idx is None:
        padding_idx = -1
    elif padding_idx:
        rows = weight.size(0)
        if not -rows <= padding_idx < rows:
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding_idx %= rows
    if max_norm is not None:
        _ops.embedding_renorm_(weight.detach(), input.contiguous(), max_norm, norm_type)
    return _ops.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)
