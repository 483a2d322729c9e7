"""A recurrent network run over time: step after step, in both directions, layer upon layer.

Nothing here is public in PyTorch but under ``torch.lstm`` and the like; `nn.RNN`, `nn.LSTM` and `nn.GRU` call it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from tensorkit.nn.functions.lstm_layer import is_one_operation, lstm_layer
from tensorkit.ops.joining.cat import cat
from tensorkit.ops.joining.stack import stack
from tensorkit.ops.nn.dropout import dropout as dropped
from tensorkit.ops.nn.recurrent import State, Step, Weights, lstm_step
from tensorkit.tensor import Tensor


def _over_time(step: Step, weights: Weights, input: Tensor, state: State, back: bool) -> tuple[Tensor, State]:
    """One layer in one direction over (time, batch, inputs)."""
    gates = list(weights.of_input(input).unbind(0))
    if not gates:
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
    outputs = []
    for one in reversed(gates) if back else gates:
        state = step(one, weights.of_hidden(state[0]), state, weights)
        outputs.append(state[0])
    return stack(outputs[::-1] if back else outputs), state


def _joined(states: Sequence[State]) -> State:
    return tuple(cat(several) for several in zip(*states, strict=True)) if len(states) > 1 else states[0]


def _part(state: State, first: int, size: int) -> State:
    return tuple(one.narrow(0, first, size) for one in state)


def _over_packed(
    step: Step, weights: Weights, data: Tensor, sizes: list[int], state: State
) -> tuple[Tensor, State]:
    """`_over_time` where ever fewer sequences go on, longest first: (all steps, inputs)."""
    gates = weights.of_input(data)
    outputs, ended, first, going = [], [], 0, sizes[0]
    for size in sizes:
        if size < going:
            ended.append(_part(state, size, going - size))
            state = _part(state, 0, size)
        state = step(gates.narrow(0, first, size), weights.of_hidden(state[0]), state, weights)
        outputs.append(state[0])
        first, going = first + size, size
    return cat(outputs), _joined([state, *reversed(ended)])


def _over_packed_back(
    step: Step, weights: Weights, data: Tensor, sizes: list[int], state: State
) -> tuple[Tensor, State]:
    """`_over_packed` from the last step to the first: ever more sequences have begun."""
    gates = weights.of_input(data)
    outputs, first, begin, going = [], gates.size(0), state, sizes[-1]
    state = _part(begin, 0, going)
    for size in reversed(sizes):
        if size > going:
            state = _joined([state, _part(begin, going, size - going)])
        first, going = first - size, size
        state = step(gates.narrow(0, first, size), weights.of_hidden(state[0]), state, weights)
        outputs.append(state[0])
    return cat(outputs[::-1]), state


def _one_layer(
    step: Step, weights: Weights, input: Tensor, sizes: list[int] | None, state: State, back: bool
) -> tuple[Tensor, State]:
    if sizes is None:
        if step is lstm_step and input.size(0) and is_one_operation(input, state, weights):
            return lstm_layer(partial(_over_time, step), weights, input, state, back)
        return _over_time(step, weights, input, state, back)
    return (_over_packed_back if back else _over_packed)(step, weights, input, sizes, state)


def over_layers(
    step: Step,
    input: Tensor,
    sizes: list[int] | None,
    states: list[State],
    weights: list[Weights],
    directions: int,
    dropout: float,
) -> tuple[Tensor, State]:
    """Run a network of several layers.

    Args:
        step: what one step does.
        input: (time, batch, inputs); or (all steps, inputs) with the `sizes` of the batch at each step.
        states, weights: for each layer, and in it for each direction.
        directions: 1, or 2 for a network that runs back too: the results of both are joined.
        dropout: the share of the results of a layer that the next does not get.

    Returns:
        The results of the last layer for each step, and the last states: (layers * directions, batch, hidden).
    """
    last: list[State] = []
    for first in range(0, len(weights), directions):
        if first and dropout:
            input = dropped(input, dropout, True)
        both = [
            _one_layer(step, weights[first + back], input, sizes, states[first + back], bool(back))
            for back in range(directions)
        ]
        input = both[0][0] if directions == 1 else cat([output for output, _ in both], -1)
        last += [state for _, state in both]
    return input, tuple(stack(several) for several in zip(*last, strict=True))
