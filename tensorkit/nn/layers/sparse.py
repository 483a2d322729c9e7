"""Layers that turn indices into vectors.

Source: https://docs.pytorch.org/docs/stable/nn.html#sparse-layers
"""

from __future__ import annotations

from typing import Any

from tensorkit.nn import functional as F
from tensorkit.nn import init
from tensorkit.nn.module import Module
from tensorkit.nn.parameter import Parameter
from tensorkit.ops.creation.empty import empty
from tensorkit.tensor import Tensor

__all__ = ["Embedding"]


def __dir__() -> list[str]:
    return __all__


class Embedding(Module):
    """A table of learned vectors, of which indices name the rows: (...) gives (..., embedding_dim).

    Args:
        num_embeddings: how many rows there are. embedding_dim: how long they are.
        padding_idx: a row that is 0 at first and gets no gradient.
        max_norm: rows that are longer, by the norm of `norm_type`, are shortened when they are used.
        scale_grad_by_freq: whether each gradient is divided by how often its index occurs.
        sparse: is refused in `forward` if True: there are no sparse tensors here.

    Raises:
        AssertionError: for a `padding_idx` out of range, and for a table of another size.

    >>> table = tk.nn.Embedding(10, 3, padding_idx=0)
    >>> table, table(tk.tensor([[1, 0, 4, 2]])).shape
    (Embedding(10, 3, padding_idx=0), tensorkit.Size([1, 4, 3]))
    """

    __constants__ = [  # noqa: RUF012 - the form that PyTorch's scripts read
        "num_embeddings",
        "embedding_dim",
        "padding_idx",
        "max_norm",
        "norm_type",
        "scale_grad_by_freq",
        "sparse",
    ]
    num_embeddings: int
    embedding_dim: int
    padding_idx: int | None
    max_norm: float | None
    norm_type: float
    scale_grad_by_freq: bool
    weight: Tensor
    freeze: bool
    sparse: bool

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.padding_idx = _row(padding_idx, num_embeddings, "Padding_idx")
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        if _weight is None:
            new = empty((num_embeddings, embedding_dim), device=device, dtype=dtype)
            self.weight = Parameter(new, requires_grad=not _freeze)
            self.reset_parameters()
        else:
            _check_table(_weight, num_embeddings, embedding_dim)
            self.weight = Parameter(_weight, requires_grad=not _freeze)
        self.sparse = sparse

    def reset_parameters(self) -> None:
        """Normal numbers, and 0 in the row of the padding."""
        init.normal_(self.weight)
        self._fill_padding_idx_with_zero()

    def _fill_padding_idx_with_zero(self) -> None:
        if self.padding_idx is not None:
            self.weight.detach()[self.padding_idx].fill_(0)

    def forward(self, input: Tensor) -> Tensor:
        """The rows that the indices name."""
        return F.embedding(
            input,
            self.weight,
            self.padding_idx,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.sparse,
        )

    def extra_repr(self) -> str:
        """The size, and of the other arguments those that are not as usual."""
        told = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.padding_idx is not None:
            told += f", padding_idx={self.padding_idx}"
        if self.max_norm is not None:
            told += f", max_norm={self.max_norm}"
        if self.norm_type != 2:
            told += f", norm_type={self.norm_type}"
        if self.scale_grad_by_freq is not False:
            told += f", scale_grad_by_freq={self.scale_grad_by_freq}"
        if self.sparse is not False:
            told += ", sparse=True"
        return told

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:
        """A layer with a given table: (rows, columns); it is not trained where `freeze` is True."""
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        return cls(
            num_embeddings=rows,
            embedding_dim=columns,
            _weight=embeddings,
            _freeze=freeze,
            padding_idx=padding_idx,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            sparse=sparse,
        )


def _row(place: int | None, rows: int, called: str) -> int | None:
    """A row of the table, counted from its begin."""
    if place is None:
        return None
    if not -rows <= place < max(rows, 1):
        raise AssertionError(f"{called} must be within num_embeddings")
    return place + rows if place < 0 else place


def _check_table(weight: Tensor, rows: int, columns: int) -> None:
    if list(weight.shape) != [rows, columns]:
        raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
