"""One step of a recurrent layer as a layer: `RNNCell`, `LSTMCell`, `GRUCell`.

Source: https://docs.pytorch.org/docs/stable/nn.html#recurrent-layers
"""

from __future__ import annotations

import math
from typing import Any

from tensorkit.nn import init
from tensorkit.nn.module import Module
from tensorkit.nn.parameter import Parameter
from tensorkit.ops.creation.empty import empty
from tensorkit.ops.creation.full import zeros
from tensorkit.ops.nn.recurrent import gru_cell, lstm_cell, rnn_relu_cell, rnn_tanh_cell
from tensorkit.tensor import Tensor

__all__ = ["GRUCell", "LSTMCell", "RNNCell", "RNNCellBase"]


def __dir__() -> list[str]:
    return __all__


class RNNCellBase(Module):
    """What the three cells share: their parameters, ``weight_ih``, ``weight_hh``, ``bias_ih`` and ``bias_hh``.

    Args:
        input_size, hidden_size: how many features the input has, and the state.
        bias: whether there are biases.
        num_chunks: how many gates there are: the rows of the weights are as many times `hidden_size`.
        device, dtype: of the parameters.

    Source: https://docs.pytorch.org/docs/stable/nn.html#recurrent-layers
    """

    input_size: int
    hidden_size: int
    bias: bool
    weight_ih: Tensor
    weight_hh: Tensor
    bias_ih: Tensor | None
    bias_hh: Tensor | None

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size
        sizes: dict[str, Any] = {"weight_ih": (rows, input_size), "weight_hh": (rows, hidden_size)}
        for name in ("bias_ih", "bias_hh"):
            sizes[name] = rows if bias else None
        for name, size in sizes.items():
            made = None if size is None else Parameter(empty(size, device=device, dtype=dtype))
            self.register_parameter(name, made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the parameters at random: uniform numbers between ``-k`` and ``k``, ``k = 1 / sqrt(hidden_size)``."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def extra_repr(self) -> str:
        """The sizes, and what is not as usual."""
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        nonlinearity = self.__dict__.get("nonlinearity", "tanh")
        return text if nonlinearity == "tanh" else f"{text}, nonlinearity={nonlinearity}"

    def _checked(self, input: Tensor, states: dict[str, Tensor]) -> bool:
        """Whether there is a batch; input and states with more dimensions are refused."""
        for name, one in {"input": input, **states}.items():
            if one.dim() not in (1, 2):
                raise ValueError(
                    f"{type(self).__name__}: Expected {name} to be 1D or 2D, got {one.dim()}D instead"
                )
        return input.dim() == 2

    def _zeros(self, input: Tensor) -> Tensor:
        rows = input.size(0) if input.dim() == 2 else 1
        return zeros(rows, self.hidden_size, dtype=input.dtype, device=input.device)

    def _step(self, cell: Any, input: Tensor, hx: Tensor | None) -> Tensor:
        """The next hidden state: (batch, hidden_size), or (hidden_size) of an input without a batch."""
        batched = self._checked(input, {} if hx is None else {"hidden": hx})
        if hx is None:
            hx = self._zeros(input)
        elif not batched:
            hx = hx.unsqueeze(0)
        weights = self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh
        made: Tensor = cell(input if batched else input.unsqueeze(0), hx, *weights)
        return made if batched else made.squeeze(0)


class RNNCell(RNNCellBase):
    """One step of `RNN`: ``tanh(x @ weight_ih.T + bias_ih + h @ weight_hh.T + bias_hh)``.

    Args:
        input_size, hidden_size, bias, device, dtype: see `RNNCellBase`.
        nonlinearity: "tanh" or "relu".

    >>> tk.nn.RNNCell(10, 20)(tk.randn(3, 10), tk.zeros(3, 20)).shape
    tensorkit.Size([3, 20])
    """

    nonlinearity: str

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, num_chunks=1, device=device, dtype=dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """The next hidden state."""
        cells = {"tanh": rnn_tanh_cell, "relu": rnn_relu_cell}
        if self.nonlinearity not in cells:
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._step(cells[self.nonlinearity], input, hx)


class GRUCell(RNNCellBase):
    """One step of `GRU`.

    Args:
        input_size, hidden_size, bias, device, dtype: see `RNNCellBase`.

    >>> tk.nn.GRUCell(10, 20)(tk.randn(3, 10)).shape
    tensorkit.Size([3, 20])
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, num_chunks=3, device=device, dtype=dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """The next hidden state."""
        return self._step(gru_cell, input, hx)


class LSTMCell(RNNCellBase):
    """One step of `LSTM`.

    Args:
        input_size, hidden_size, bias, device, dtype: see `RNNCellBase`.

    >>> hidden, cell = tk.nn.LSTMCell(10, 20)(tk.randn(3, 10))
    >>> hidden.shape, cell.shape
    (tensorkit.Size([3, 20]), tensorkit.Size([3, 20]))
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, num_chunks=4, device=device, dtype=dtype)

    def forward(self, input: Tensor, hx: Any = None) -> tuple[Tensor, Tensor]:
        """The next hidden state and cell, from both of the last step: zeros, if they are left out."""
        batched = self._checked(
            input, {f"hx[{place}]": one for place, one in enumerate(() if hx is None else hx)}
        )
        if hx is None:
            hx = (self._zeros(input),) * 2
        elif not batched:
            hx = hx[0].unsqueeze(0), hx[1].unsqueeze(0)
        weights = self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh
        hidden, cell = lstm_cell(input if batched else input.unsqueeze(0), hx, *weights)
        return (hidden, cell) if batched else (hidden.squeeze(0), cell.squeeze(0))
