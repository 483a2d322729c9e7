"""Recurrent layers, which read a sequence step by step: `RNN`, `LSTM`, `GRU`.

Source: https://docs.pytorch.org/docs/stable/nn.html#recurrent-layers
"""

from __future__ import annotations

from typing import Any

from tensorkit.nn.layers.recurrent.rnn_base import RNNBase
from tensorkit.ops.creation.full import zeros
from tensorkit.ops.nn.recurrent import State
from tensorkit.tensor import Tensor

__all__ = ["GRU", "LSTM", "RNN"]


def __dir__() -> list[str]:
    return __all__


class RNN(RNNBase):
    """Elman's network: each state is ``tanh(x @ weight_ih.T + bias_ih + h @ weight_hh.T + bias_hh)``.

    Args:
        args, kwargs: see `RNNBase`; after `num_layers` comes `nonlinearity`, which is "tanh" or "relu".

    Raises:
        ValueError: for another nonlinearity, and sizes that are not positive.

    >>> output, last = tk.nn.RNN(10, 20, num_layers=2)(tk.randn(5, 3, 10))
    >>> output.shape, last.shape
    (tensorkit.Size([5, 3, 20]), tensorkit.Size([2, 3, 20]))
    """

    _said_of_dims = "D tensor"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _check_projection(kwargs)
        if len(args) > 3:
            self.nonlinearity, args = args[3], args[:3] + args[4:]
        else:
            self.nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if self.nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{self.nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(f"RNN_{self.nonlinearity.upper()}", *args, **kwargs)


def _check_projection(kwargs: dict[str, Any]) -> None:
    if "proj_size" in kwargs:
        raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")


class LSTM(RNNBase):
    """Long short-term memory: besides the hidden state there is a cell, which gates write, keep and read.

    Args:
        args, kwargs: see `RNNBase`.

    >>> output, (hidden, cell) = tk.nn.LSTM(10, 20, batch_first=True)(tk.randn(3, 5, 10))
    >>> output.shape, hidden.shape, cell.shape
    (tensorkit.Size([3, 5, 20]), tensorkit.Size([1, 3, 20]), tensorkit.Size([1, 3, 20]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def get_expected_cell_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:
        """(layers * directions, batch, hidden_size)."""
        return self.num_layers * self._directions, self._batch(input, batch_sizes), self.hidden_size

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        """Refuse an input or a state that does not fit."""
        self.check_input(input, batch_sizes)
        sizes = (
            self.get_expected_hidden_size(input, batch_sizes),
            self.get_expected_cell_size(input, batch_sizes),
        )
        for place, size in enumerate(sizes):
            self.check_hidden_size(hidden[place], size, f"Expected hidden[{place}] size {{}}, got {{}}")

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """Both states with the sequences of the batch in another order."""
        return hx if permutation is None else tuple(one.index_select(1, permutation) for one in hx)

    def _begin(self, input: Tensor, batch_sizes: Tensor | None) -> Any:
        cell = self.get_expected_cell_size(input, batch_sizes)
        return super()._begin(input, batch_sizes), zeros(cell, dtype=input.dtype, device=input.device)

    def _with_batch(self, hx: Any, batched: bool) -> Any:
        dims = 3 if batched else 2
        found = hx[0].dim(), hx[1].dim()
        if found != (dims, dims):
            kind = "batched" if batched else "unbatched"
            raise RuntimeError(
                f"For {kind} {dims}-D input, hx and cx should also be {dims}-D but got "
                f"({found[0]}-D, {found[1]}-D) tensors"
            )
        return hx if batched else (hx[0].unsqueeze(1), hx[1].unsqueeze(1))

    def _state(self, hidden: State) -> Any:
        return hidden


class GRU(RNNBase):
    """Gated recurrent units: one gate says how much of the state is new, one how much of it the new part sees.

    Args:
        args, kwargs: see `RNNBase`.

    >>> output, last = tk.nn.GRU(10, 20, bidirectional=True)(tk.randn(5, 3, 10))
    >>> output.shape, last.shape
    (tensorkit.Size([5, 3, 40]), tensorkit.Size([2, 3, 20]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _check_projection(kwargs)
        super().__init__("GRU", *args, **kwargs)
