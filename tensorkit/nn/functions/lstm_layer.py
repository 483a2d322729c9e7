"""One layer of an LSTM over time as one operation, where PyTorch has it as one: float32 on the CPU.

The other cases take it step by step, and so does a derivative that is to be differentiated again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.autograd.api import grad
from tensorkit.autograd.function import Function, FunctionNode
from tensorkit.autograd.grad_mode import enable_grad, state
from tensorkit.autograd.node import Node
from tensorkit.kernels.cpu.elementwise import quiet
from tensorkit.kernels.cpu.nn import lstm_compiled
from tensorkit.kernels.cpu.parallel import found
from tensorkit.ops.creation.empty import empty
from tensorkit.ops.nn.recurrent import State, Weights
from tensorkit.tensor import Array, Tensor

Run = Callable[..., tuple[Tensor, State]]


def is_one_operation(input: Tensor, state: State, weights: Weights) -> bool:
    """Whether PyTorch has one operation for the layer."""
    given = (input, *state, weights.ih, weights.hh)
    return weights.hr is None and all(
        one.dtype is dtypes.float32 and one.device.type == "cpu" and one.numel() for one in given
    )


class _Layer(Function):
    """(time, batch, inputs), the parameters, and the first state give the results, the last hidden state and cell."""

    @staticmethod
    def forward(ctx: Any, input: Tensor, *rest: Any) -> Any:
        ih, hh, bias_ih, bias_hh, hidden, cell, ctx.back, ctx.run = rest
        ctx.save_for_backward(input, *rest[:6])
        steps = input.flip(0) if ctx.back else input
        gates = steps.reshape(-1, steps.size(2)) @ ih.t()
        if bias_ih is not None:
            gates += bias_ih + bias_hh
        ctx.gates = gates.view(*steps.shape[:2], -1)
        output, ctx.cells = (empty(*steps.shape[:2], cell.size(1)) for _ in range(2))
        arrays = (one._nd() for one in (ctx.gates, output, ctx.cells, hidden, cell, hh))
        quiet(_forward, *arrays)
        last = output[-1].clone(), ctx.cells[-1].clone()
        ctx.output = output.clone()  # the result may be written to
        return (output.flip(0) if ctx.back else output), *last

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        input, ih, hh, bias_ih, _, hidden, cell = ctx.saved_tensors
        if state.grad:  # this derivative is to be differentiated: so it is made of operations
            return *_recorded(ctx, grads), None, None
        output, *last = grads
        if ctx.back:
            input, output = input.flip(0), output.flip(0)
        slopes = empty(ctx.gates.shape)
        arrays = (one._nd() for one in (slopes, ctx.gates, ctx.cells, cell, output, *last, hh))
        to_hidden, to_cell = (_tensor(one) for one in quiet(_backward, *arrays))
        flat = slopes.view(-1, slopes.size(2))
        before = empty(ctx.output.shape)
        before[0], before[1:] = hidden, ctx.output[:-1]
        to_input = (flat @ ih).view(input.shape)
        to_bias = None if bias_ih is None else flat.sum(0)
        return (
            to_input.flip(0) if ctx.back else to_input,
            flat.t() @ input.reshape(-1, input.size(2)),
            flat.t() @ before.view(-1, before.size(2)),
            to_bias,
            None if to_bias is None else to_bias.clone(),
            to_hidden,
            to_cell,
            None,
            None,
        )


def _tensor(array: Any) -> Tensor:
    made = empty(array.shape)
    made._nd()[...] = array
    return made


def _recorded(ctx: Any, grads: Any) -> list[Tensor | None]:
    """The gradients through the steps, which are recorded."""
    with enable_grad():
        given: list[Any] = [None if one is None else one.view_as(one) for one in ctx.saved_tensors]
        input, ih, hh, bias_ih, bias_hh, hidden, cell = given
        output, last = ctx.run(Weights(ih, hh, bias_ih, bias_hh), input, (hidden, cell), ctx.back)
        wanted = [one for one in given if one is not None and one.requires_grad]
        found = iter(grad((output, *last), wanted, grads, create_graph=True, allow_unused=True))
        return [next(found) if one is not None and one.requires_grad else None for one in given]


# The node has the name that PyTorch's has, which is written in C++.
_Layer._node_class = type(
    "MkldnnRnnLayerBackward0",
    (FunctionNode,),
    {"__slots__": (), "__module__": "builtins", "__repr__": Node.__repr__},
)


def lstm_layer(run: Run, weights: Weights, input: Tensor, begin: State, back: bool) -> tuple[Tensor, State]:
    """One layer in one direction.

    Args:
        run: the same, step by step: ``run(weights, input, begin, back)``.
        weights: the parameters.
        input: (time, batch, inputs).
        begin: the first hidden state and cell.
        back: whether it is read from the end.
    """
    parameters = weights.ih, weights.hh, weights.bias_ih, weights.bias_hh
    output, *last = _Layer.apply(input, *parameters, *begin, back, run)
    return output, tuple(last)


# -- on arrays ------------------------------------------------------------------------------------------------------


def _forward(gates: Array, output: Array, cells: Array, hidden: Array, cell: Array, weight: Array) -> None:
    """Run all steps.

    Args:
        gates: what the input gives, (time, batch, 4 * hidden); becomes the gates: put, keep, new, out.
        output, cells: filled with the hidden states and the cells: (time, batch, hidden).
        hidden, cell: to begin with. weight: of the hidden state, (4 * hidden, hidden).
    """
    size = cell.shape[-1]
    # Logistic functions are made of tangents of halves: so one call does for all gates.
    halves = numpy.full(4 * size, 0.5, numpy.float32)
    halves[2 * size : 3 * size] = 1
    gates *= halves
    turned = numpy.ascontiguousarray(weight.T) * halves
    run = found(lstm_compiled.step, gates.size) or lstm_compiled.step
    for all_four, now, made in zip(gates, cells, output, strict=True):
        all_four += hidden @ turned
        numpy.tanh(all_four, out=all_four)
        run(all_four, cell, now)
        cell = now
        hidden = numpy.multiply(all_four[:, 3 * size :], numpy.tanh(cell), out=made)


def _backward(
    slopes: Array,
    gates: Array,
    cells: Array,
    cell: Array,
    output: Array,
    hidden: Array,
    last: Array,
    weight: Array,
) -> tuple[Array, Array]:
    """The backward pass through all steps.

    Args:
        slopes: filled with the gradient of what goes into the gates: (time, batch, 4 * hidden).
        gates, cells: of `_forward`. cell: the first.
        output, hidden, last: the gradients of the results, of the last hidden state and of the last cell.
        weight: as above.

    Returns:
        The gradients of the first hidden state and the first cell.
    """
    bent, last = numpy.tanh(cells), last.copy()
    run = found(lstm_compiled.step_back, gates.size) or lstm_compiled.step_back
    for step in range(len(gates) - 1, -1, -1):
        before = cells[step - 1] if step else cell
        run(slopes[step], gates[step], bent[step], before, hidden + output[step], last)
        hidden = slopes[step] @ weight
    return hidden, last
