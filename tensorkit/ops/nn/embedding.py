"""Rows of a table, one for each index: words as vectors.

Source: https://docs.pytorch.org/docs/stable/nn.functional.html#sparse-functions
"""

from __future__ import annotations

from typing import Any

from tensorkit import dtypes
from tensorkit.ops.indexing.index_select import index_select
from tensorkit.ops.kit import FUNCTIONAL, Rule, Tensor, op
from tensorkit.ops.shared.type_names import backend_name


def check_indices(name: str, indices: Tensor, place: int = 1) -> None:
    """Refuse indices that are neither int64 nor int32."""
    if indices.dtype not in (dtypes.int64, dtypes.int32):
        raise RuntimeError(
            f"Expected tensor for argument #{place} 'indices' to have one of the following scalar types: Long, Int; "
            f"but got {backend_name(indices)} instead (while checking arguments for {name})"
        )


def refuse_sparse(sparse: bool) -> None:
    """Refuse ``sparse=True``: gradients with only the rows that were looked up."""
    if sparse:
        raise NotImplementedError("tensorkit has no sparse tensors: call it with sparse=False")


# -- rows -----------------------------------------------------------------------------------------------------------


def _gathered(g: Any, c: Any) -> Any:
    """The gradient of the gradient of the results: rows again, without those of the padding."""
    rows = g.index_select(0, c.index.reshape(-1)).view(c.grad_output_face.size)
    return rows.masked_fill(c.index.eq(c.padding_idx).unsqueeze(-1), 0)


@op(derivative=Rule("EmbeddingDenseBackwardBackward0", grad_output=_gathered))
def _rows_added(
    grad_output: Tensor, index: Tensor, num_weights: int, padding_idx: int, scale_grad_by_freq: bool
) -> Tensor:
    """The gradient of the table: to each row is added what belongs to it."""
    places = index.reshape(-1)
    rows = grad_output.reshape(places.numel(), -1)
    if scale_grad_by_freq:
        often = places.bincount(minlength=num_weights).to(rows.dtype)
        rows = rows * often.reciprocal()[places].unsqueeze(1)
    table = rows.new_zeros((num_weights, rows.shape[1])).index_add_(0, places, rows)
    if 0 <= padding_idx < num_weights:
        table[padding_idx] = 0
    return table


def _embedding_back(g: Any, c: Any) -> Any:
    return _rows_added(g, c.indices, c.weight_face.size[0], c.padding_idx, c.scale_grad_by_freq)


def _check(weight: Tensor, indices: Tensor) -> None:
    if weight.ndim != 2:
        raise RuntimeError("'weight' must be 2-D")
    check_indices("embedding", indices)


def _is_real(call: dict[str, Any]) -> bool:
    if call["weight"].is_complex() and call["weight"].requires_grad:
        _check(call["weight"], call["indices"])
        index_select(call["weight"].detach(), 0, call["indices"].reshape(-1))  # what it refuses comes first
        raise RuntimeError(
            "embedding does not support automatic differentiation for outputs with complex dtype."
        )
    return True


@op(derivative=Rule("EmbeddingBackward0", applies=_is_real, weight=_embedding_back))
def embedding(
    weight: Tensor,
    indices: Tensor,
    padding_idx: int = -1,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The rows of a table that indices name: (rows, columns) and (...) give (..., columns).

    Args:
        indices: int64 or int32. padding_idx: a row that gets no gradient.
        scale_grad_by_freq: whether each gradient is divided by how often its index occurs.
        sparse: is refused if True: there are no sparse tensors here.

    Raises:
        IndexError: for a row out of range.

    >>> tk.embedding(tk.tensor([[0.0, 1.0], [2.0, 3.0]]), tk.tensor([1, 0, 1]))
    tensor([[2., 3.],
            [0., 1.],
            [2., 3.]])
    """
    _check(weight, indices)
    refuse_sparse(sparse)
    if indices.ndim == 1:
        return weight.index_select(0, indices)
    made = weight.new_empty((*indices.shape, weight.shape[1]))
    index_select(weight, 0, indices.reshape(-1), out=made.view(indices.numel(), weight.shape[1]))
    return made


def _no_derivative(g: Any, c: Any) -> Any:
    raise NotImplementedError("the derivative for 'embedding_renorm' is not implemented.")


@op(kind="inplace", rounded=1, derivative=Rule("EmbeddingRenormBackward0", input=_no_derivative))
def embedding_renorm_(input: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> Tensor:
    """Make the rows of a table that indices name no longer than `max_norm`: (rows, columns) and (...).

    Args:
        norm_type: the p of the norm.

    >>> tk.embedding_renorm_(tk.tensor([[3.0, 4.0], [6.0, 8.0]]), tk.tensor([1]), 1.0, 2.0)
    tensor([[3.0000, 4.0000],
            [0.6000, 0.8000]])
    """
    if input.ndim != 2:
        raise RuntimeError(
            f"Expected 2-dimensional tensor, but got {input.ndim}-dimensional tensor for argument #1 'self' "
            "(while checking arguments for embedding_renorm_)"
        )
    check_indices("embedding_renorm_", indices, 2)
    before = 0 if input._counter is None else input._counter[0]
    for place in indices.reshape(-1).unique().tolist():
        row = input.select(0, place)
        if row.dtype.category < 2:
            raise RuntimeError(
                f"norm(): input dtype should be either floating point or complex. Got {row.dtype.label} instead."
            )
        length = float(row.norm(norm_type))
        if length > max_norm:
            row.mul_(max_norm / (length + 1e-7))
    input._counter = input._counter or [0]
    input._counter[0] = before + 1  # which counts one write, however many rows there were
    return input


# -- ones among zeros -----------------------------------------------------------------------------------------------


@op(namespace=FUNCTIONAL)
def one_hot(input: Tensor, num_classes: int = -1) -> Tensor:
    """A row for each class number, with a 1 at its place and zeros elsewhere: (...) gives (..., classes), int64.

    Args:
        input: class numbers, int64. num_classes: how many there are; one more than the largest, if it is -1.

    Raises:
        RuntimeError: for another dtype, and for a class out of range.

    >>> tk.nn.functional.one_hot(tk.tensor([0, 2]), num_classes=3)
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    if input.dtype is not dtypes.int64:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if not input.numel():
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return input.new_empty((*input.shape, num_classes))
    if input.device.type != "meta":
        if int(input.min()) < 0:
            raise RuntimeError("Class values must be non-negative.")
        most = int(input.max())
        if num_classes == -1:
            num_classes = most + 1
        elif num_classes <= most:
            raise RuntimeError("Class values must be smaller than num_classes.")
    return input.new_empty((*input.shape, num_classes)).zero_().scatter_(-1, input.unsqueeze(-1), 1)
