"""What recurrent layers share: `RNNBase`.

Source: https://docs.pytorch.org/docs/stable/nn.html#recurrent-layers
"""

from __future__ import annotations

import math
import numbers
from typing import Any, ClassVar

from tensorkit.dispatch.autocasting import cast_for, state
from tensorkit.errors import warn
from tensorkit.nn import init
from tensorkit.nn.functions.recurrent import over_layers
from tensorkit.nn.module import Module
from tensorkit.nn.parameter import Parameter
from tensorkit.nn.utils.packed_sequence import PackedSequence
from tensorkit.ops.creation.empty import empty
from tensorkit.ops.creation.full import zeros
from tensorkit.ops.nn.recurrent import State, Step, Weights, gru_step, lstm_step, rnn_relu_step, rnn_tanh_step
from tensorkit.tensor import Tensor

__all__ = ["RNNBase"]


def __dir__() -> list[str]:
    return __all__


_USUAL = {
    "proj_size": 0,
    "num_layers": 1,
    "bias": True,
    "batch_first": False,
    "dropout": 0,
    "bidirectional": False,
}
_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}
_STEPS: dict[str, Step] = {
    "LSTM": lstm_step,
    "GRU": gru_step,
    "RNN_TANH": rnn_tanh_step,
    "RNN_RELU": rnn_relu_step,
}


class RNNBase(Module):
    """What `RNN`, `LSTM` and `GRU` share: their parameters, and the run over layers and time.

    Args:
        mode: "RNN_TANH", "RNN_RELU", "LSTM" or "GRU".
        input_size, hidden_size: how many features an element of the sequence has, and the state.
        num_layers: each layer but the first reads the results of the one below it.
        bias: whether there are biases.
        batch_first: whether input and results are (batch, time, features), or (time, batch, features).
        dropout: the share of its input that each layer but the first does not get.
        bidirectional: whether each layer reads the sequence from its end too; the results are joined.
        proj_size: the features of the hidden state of an LSTM, if it is to be made smaller by one more matrix.
        device, dtype: of the parameters.

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.RNNBase.html
    """

    mode: str
    input_size: int
    hidden_size: int
    num_layers: int
    bias: bool
    batch_first: bool
    dropout: float
    bidirectional: bool
    proj_size: int
    _all_weights: list[list[str]]

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._check_arguments(dropout)
        self._all_weights = []
        for layer in range(num_layers):
            for back in range(self._directions):
                self._add_weights(layer, f"_l{layer}{'_reverse' if back else ''}", device, dtype)
        self.reset_parameters()

    @property
    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    def _check_arguments(self, dropout: Any) -> None:
        if not isinstance(dropout, numbers.Number) or not 0 <= dropout <= 1 or isinstance(dropout, bool):  # type: ignore[operator]
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed"
            )
        if dropout > 0 and self.num_layers == 1:  # type: ignore[operator]
            warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                f"num_layers greater than 1, but got dropout={dropout} and num_layers={self.num_layers}"
            )
        for name, kind in (("bias", bool), ("batch_first", bool), ("input_size", int), ("hidden_size", int)):
            value = getattr(self, name)
            if not isinstance(value, kind):
                raise TypeError(f"{name} should be of type {kind.__name__}, got: {type(value).__name__}")
            if kind is int and value <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if self.num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if self.proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if self.proj_size >= self.hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        if self.mode not in _GATES:
            raise ValueError("Unrecognized RNN mode: " + self.mode)

    def _add_weights(self, layer: int, suffix: str, device: Any, dtype: Any) -> None:
        """The parameters of one layer in one direction, with the names and in the order of PyTorch's."""
        rows = _GATES[self.mode] * self.hidden_size
        hidden = self.proj_size or self.hidden_size
        inputs = hidden * self._directions if layer else self.input_size
        sizes: dict[str, tuple[int, ...]] = {"weight_ih": (rows, inputs), "weight_hh": (rows, hidden)}
        if self.bias:
            sizes.update(bias_ih=(rows,), bias_hh=(rows,))
        if self.proj_size:
            sizes["weight_hr"] = (self.proj_size, self.hidden_size)
        for name, size in sizes.items():
            setattr(self, name + suffix, Parameter(empty(size, device=device, dtype=dtype)))
        self._all_weights.append([name + suffix for name in sizes])

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    @property
    def _flat_weights(self) -> list[Parameter]:
        return [one for weights in self.all_weights for one in weights]

    def _weights(self, layers: list[list[Tensor]]) -> list[Weights]:
        """The parameters of each layer, as a step wants them."""
        made = []
        for several in layers:
            ih, hh, *biases = several
            hr = biases.pop() if self.proj_size else None
            bias_ih, bias_hh = biases or (None, None)
            made.append(Weights(ih, hh, bias_ih, bias_hh, hr))
        return made

    def flatten_parameters(self) -> None:
        """Does nothing: for a library of CUDA's it would put all parameters into one piece of memory."""

    def reset_parameters(self) -> None:
        """Draw the parameters at random: uniform numbers between ``-k`` and ``k``, ``k = 1 / sqrt(hidden_size)``."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    # -- the state ----------------------------------------------------------------------------------------------

    def check_input(self, input: Tensor, batch_sizes: Tensor | None) -> None:
        """Refuse an input of another dtype or size."""
        kind = self._flat_weights[0].dtype
        if input.dtype != kind and not state.any():
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({kind}). "
                f"Convert input: input.to({kind}), or convert model: model.to({input.dtype})"
            )
        expected = 2 if batch_sizes is not None else 3
        if input.dim() != expected:
            raise RuntimeError(f"input must have {expected} dimensions, got {input.dim()}")
        if self.input_size != input.size(-1):
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}"
            )

    def _batch(self, input: Tensor, batch_sizes: Tensor | None) -> int:
        if batch_sizes is not None:
            return int(batch_sizes[0])
        batch: int = input.size(0 if self.batch_first else 1)
        return batch

    def get_expected_hidden_size(self, input: Tensor, batch_sizes: Tensor | None) -> tuple[int, int, int]:
        """(layers * directions, batch, features of the hidden state)."""
        hidden = self.proj_size or self.hidden_size
        return self.num_layers * self._directions, self._batch(input, batch_sizes), hidden

    def check_hidden_size(
        self,
        hx: Tensor,
        expected_hidden_size: tuple[int, int, int],
        msg: str = "Expected hidden size {}, got {}",
    ) -> None:
        """Refuse a state of another size."""
        if hx.size() != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor | None) -> None:
        """Refuse an input or a state that does not fit."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx: Any, permutation: Tensor | None) -> Any:
        """The state with the sequences of the batch in another order."""
        return hx if permutation is None else hx.index_select(1, permutation)

    def _begin(self, input: Tensor, batch_sizes: Tensor | None) -> Any:
        size = self.get_expected_hidden_size(input, batch_sizes)
        return zeros(size, dtype=input.dtype, device=input.device)

    def _with_batch(self, hx: Any, batched: bool) -> Any:
        """A given state with a dimension for the batch."""
        dims = 3 if batched else 2
        if hx.dim() != dims:
            kind = "batched" if batched else "unbatched"
            raise RuntimeError(
                f"For {kind} {dims}-D input, hx should also be {dims}-D but got {hx.dim()}-D tensor"
            )
        return hx if batched else hx.unsqueeze(1)

    _said_of_dims: ClassVar[str] = "D"

    def forward(self, input: Any, hx: Any = None) -> Any:
        """Read sequences.

        Args:
            input: (time, batch, input_size), (batch, time, input_size) with `batch_first`, or (time, input_size); or
                a `PackedSequence`.
            hx: the state to begin with: (layers * directions, batch, hidden_size), without batch where `input` has
                none; zeros, if it is left out. An LSTM has two, in a tuple.

        Returns:
            The results of the last layer for each step, and the last state.
        """
        if isinstance(input, PackedSequence):
            return self._read_packed(input, hx)
        if input.dim() not in (2, 3):
            name = self.__class__.__name__ if self.mode in ("LSTM", "GRU") else "RNN"
            raise ValueError(
                f"{name}: Expected input to be 2D or 3D, got {input.dim()}{self._said_of_dims} instead"
            )
        batched, batch_dim = input.dim() == 3, 0 if self.batch_first else 1
        if not batched:
            input = input.unsqueeze(batch_dim)
        hx = self._begin(input, None) if hx is None else self._with_batch(hx, batched)
        self.check_forward_args(input, hx, None)
        output, hidden = self._run(input.transpose(0, 1) if self.batch_first else input, None, hx)
        if self.batch_first:
            output = (
                output.transpose(0, 1) if self.mode == "LSTM" else output.transpose_(0, 1)
            )  # graphs show it
        if batched:
            return output, self._state(hidden)
        return output.squeeze(batch_dim), self._state(tuple(one.squeeze(1) for one in hidden))

    def _read_packed(self, packed: PackedSequence, hx: Any) -> tuple[PackedSequence, Any]:
        data, sizes, order, back = packed
        hx = self._begin(data, sizes) if hx is None else self.permute_hidden(hx, order)
        self.check_forward_args(data, hx, sizes)
        output, hidden = self._run(data, sizes.tolist(), hx)
        return PackedSequence(output, sizes, order, back), self.permute_hidden(self._state(hidden), back)

    def _run(self, input: Tensor, sizes: list[int] | None, hx: Any) -> tuple[Tensor, State]:
        name = self.mode.lower() if sizes is None or self.mode != "LSTM" else "lstm_packed"
        (input, hx, layers), _ = cast_for(name, (input, hx, self.all_weights), {})
        several = hx if isinstance(hx, tuple) else (hx,)
        states = list(zip(*(one.unbind(0) for one in several), strict=True))
        share = self.dropout if self.training else 0.0
        return over_layers(
            _STEPS[self.mode], input, sizes, states, self._weights(layers), self._directions, share
        )

    def _state(self, hidden: State) -> Any:
        return hidden[0]

    def extra_repr(self) -> str:
        """The sizes, and what is not as usual."""
        unusual = [
            f"{name}={getattr(self, name)}" for name, value in _USUAL.items() if getattr(self, name) != value
        ]
        return ", ".join([f"{self.input_size}, {self.hidden_size}", *unusual])
