"""One step of a recurrent network: `rnn_tanh_cell`, `rnn_relu_cell`, `lstm_cell`, `gru_cell`.

A step is given what the weights make of the input and of the hidden state. Networks run it over time:
``nn.functions.recurrent`` has that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tensorkit.ops.kit import Tensor, op
from tensorkit.ops.nn.linear import linear

State = tuple[Tensor, ...]
"""What a network remembers from step to step: (hidden,), or (hidden, cell) of an LSTM."""


@dataclass(slots=True, frozen=True)
class Weights:
    """The parameters of one layer in one direction: of the input, of the hidden state, and of its projection."""

    ih: Tensor
    hh: Tensor
    bias_ih: Tensor | None = None
    bias_hh: Tensor | None = None
    hr: Tensor | None = None

    def of_input(self, input: Tensor) -> Tensor:
        """What the gates get from the input."""
        return linear(input, self.ih, self.bias_ih)

    def of_hidden(self, hidden: Tensor) -> Tensor:
        """What the gates get from the hidden state."""
        return linear(hidden, self.hh, self.bias_hh)


Step = Callable[[Tensor, Tensor, State, Weights], State]
"""From what the gates get from the input and from the hidden state, and the state, to the next state."""


def rnn_tanh_step(theirs: Tensor, ours: Tensor, state: State, weights: Weights) -> State:
    """The next state of an Elman network."""
    return (ours.add_(theirs).tanh(),)


def rnn_relu_step(theirs: Tensor, ours: Tensor, state: State, weights: Weights) -> State:
    """The next state of an Elman network with rectifiers."""
    return (ours.add_(theirs).relu(),)


def gru_step(theirs: Tensor, ours: Tensor, state: State, weights: Weights) -> State:
    """The next state of a gated recurrent unit."""
    parts, (reset, update, new) = ours.unsafe_chunk(3, 1), theirs.unsafe_chunk(3, 1)
    reset = parts[0].add_(reset).sigmoid_()
    update = parts[1].add_(update).sigmoid_()
    new = new.add(parts[2].mul(reset)).tanh_()
    return ((state[0] - new).mul_(update).add_(new),)


def lstm_step(theirs: Tensor, ours: Tensor, state: State, weights: Weights) -> State:
    """The next hidden state and cell of a long short-term memory."""
    put, keep, new, out = ours.add_(theirs).unsafe_chunk(4, 1)
    cell = keep.sigmoid_().mul(state[1]).add_(put.sigmoid_().mul(new.tanh_()))
    hidden = out.sigmoid_().mul(cell.tanh())
    return (hidden if weights.hr is None else hidden.matmul(weights.hr.t())), cell


# -- as functions ---------------------------------------------------------------------------------------------------


def _cell(step: Step, gates: int, input: Tensor, state: State, weights: Weights) -> State:
    hidden_size = weights.hh.size(1)
    for name, weight in (("weight_ih", weights.ih), ("weight_hh", weights.hh)):
        if weight.size(0) != gates * hidden_size:
            raise RuntimeError(
                f"{name} first dim must be {gates} * hidden_size = {gates * hidden_size}, but got {weight.size(0)}"
            )
    if input.size(1) != weights.ih.size(1):
        raise RuntimeError(
            f"input has inconsistent input_size: got {input.size(1)} expected {weights.ih.size(1)}"
        )
    for place, one in enumerate(state):
        if input.size(0) != one.size(0):
            raise RuntimeError(
                f"Input batch size {input.size(0)} doesn't match hidden{place} batch size {one.size(0)}"
            )
        if one.size(1) != hidden_size:
            raise RuntimeError(
                f"hidden{place} has inconsistent hidden_size: got {one.size(1)}, expected {hidden_size}"
            )
    if gates == 3:
        theirs = weights.of_input(input)
        return step(theirs, weights.of_hidden(state[0]), state, weights)
    ours = weights.of_hidden(state[0])  # this order, which decides the error for wrong dtypes
    return step(weights.of_input(input), ours, state, weights)


@op(rounded=8)
def rnn_tanh_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> Tensor:
    """The next hidden state of an Elman network: ``tanh(input @ w_ih.T + b_ih + hx @ w_hh.T + b_hh)``.

    Args:
        input: (batch, inputs). hx: (batch, hidden).
        w_ih, w_hh, b_ih, b_hh: (hidden, inputs), (hidden, hidden), (hidden), (hidden).

    Raises:
        RuntimeError: for sizes that do not fit.

    >>> tk.rnn_tanh_cell(tk.ones(1, 1), tk.zeros(1, 2), tk.tensor([[1.0], [-1.0]]), tk.eye(2))
    tensor([[ 0.7616, -0.7616]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.RNNCell.html
    """
    return _cell(rnn_tanh_step, 1, input, (hx,), Weights(w_ih, w_hh, b_ih, b_hh))[0]


@op(rounded=8)
def rnn_relu_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> Tensor:
    """`rnn_tanh_cell` with a rectifier for the tangent.

    >>> tk.rnn_relu_cell(tk.ones(1, 1), tk.zeros(1, 2), tk.tensor([[1.0], [-1.0]]), tk.eye(2))
    tensor([[1., 0.]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.RNNCell.html
    """
    return _cell(rnn_relu_step, 1, input, (hx,), Weights(w_ih, w_hh, b_ih, b_hh))[0]


@op(rounded=8)
def gru_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> Tensor:
    """The next hidden state of a gated recurrent unit; three gates are in the rows of the weights.

    Args:
        input: (batch, inputs). hx: (batch, hidden).
        w_ih, w_hh, b_ih, b_hh: (3 * hidden, inputs), (3 * hidden, hidden), (3 * hidden), (3 * hidden).

    Raises:
        RuntimeError: for sizes that do not fit.

    >>> tk.gru_cell(tk.ones(1, 1), tk.ones(1, 1), tk.zeros(3, 1), tk.zeros(3, 1))
    tensor([[0.5000]])

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.GRUCell.html
    """
    return _cell(gru_step, 3, input, (hx,), Weights(w_ih, w_hh, b_ih, b_hh))[0]


@op(rounded=8)
def lstm_cell(
    input: Tensor,
    hx: Sequence[Tensor],
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """The next hidden state and cell of a long short-term memory; four gates are in the rows of the weights.

    Args:
        input: (batch, inputs). hx: hidden state and cell, (batch, hidden) each.
        w_ih, w_hh, b_ih, b_hh: (4 * hidden, inputs), (4 * hidden, hidden), (4 * hidden), (4 * hidden).

    Raises:
        RuntimeError: for sizes that do not fit.

    >>> tk.lstm_cell(tk.ones(1, 1), (tk.ones(1, 1), tk.ones(1, 1)), tk.zeros(4, 1), tk.zeros(4, 1))
    (tensor([[0.2311]]), tensor([[0.5000]]))

    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.LSTMCell.html
    """
    if not isinstance(hx, (tuple, list)):
        raise TypeError(
            f"lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not {type(hx).__name__}"
        )
    if len(hx) != 2:
        raise RuntimeError("lstm_cell expects two hidden states")
    hidden, cell = _cell(lstm_step, 4, input, tuple(hx), Weights(w_ih, w_hh, b_ih, b_hh))
    return hidden, cell
