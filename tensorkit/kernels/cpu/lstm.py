"""A layer of long short-term memory over time, on the CPU: all steps, and their derivative, in one call each.

Each step is a product of matrices; what the input gives to the gates is one product for all steps.
"""

from __future__ import annotations

from typing import Any

import numpy

__all__ = ["lstm_backward", "lstm_forward"]

Array = numpy.ndarray[Any, Any]


def lstm_forward(
    gates: Array, output: Array, cells: Array, hidden: Array, cell: Array, weight: Array
) -> None:
    """Run all steps.

    Args:
        gates: what the input gives, (time, batch, 4 * hidden); becomes the gates: put, keep, new, out.
        output, cells: filled with the hidden states and the cells: (time, batch, hidden).
        hidden, cell: to begin with. weight: of the hidden state, (4 * hidden, hidden).
    """
    size = cell.shape[-1]
    turned = numpy.ascontiguousarray(weight.T)
    new = slice(2 * size, 3 * size)
    for step, all_four in enumerate(gates):
        all_four += hidden @ turned
        # A logistic function is a tangent, moved: (tanh(x / 2) + 1) / 2. So one call does for all gates.
        all_four *= 0.5
        all_four[:, new] *= 2
        numpy.tanh(all_four, out=all_four)
        kept = all_four[:, new].copy()
        all_four += 1
        all_four *= 0.5
        all_four[:, new] = kept
        put, keep, _, out = (all_four[:, n * size : (n + 1) * size] for n in range(4))
        cell = numpy.multiply(keep, cell, out=cells[step])
        cell += put * kept
        hidden = numpy.multiply(out, numpy.tanh(cell), out=output[step])


def lstm_backward(
    slopes: Array,
    gates: Array,
    cells: Array,
    cell: Array,
    output: Array,
    hidden: Array,
    last: Array,
    weight: Array,
) -> tuple[Array, Array]:
    """Walk back through all steps.

    Args:
        slopes: filled with the gradient of what goes into the gates: (time, batch, 4 * hidden).
        gates, cells: of `lstm_forward`. cell: the first.
        output, hidden, last: the gradients of the results, of the last hidden state and of the last cell.
        weight: as above.

    Returns:
        The gradients of the first hidden state and the first cell.
    """
    size = cell.shape[-1]
    parts = [slice(n * size, (n + 1) * size) for n in range(4)]
    for step in range(len(gates) - 1, -1, -1):
        hidden = hidden + output[step]
        put, keep, new, out = (gates[step, :, part] for part in parts)
        bent = numpy.tanh(cells[step])
        last = last + hidden * out * (1 - bent * bent)
        before = cells[step - 1] if step else cell
        to_put, to_keep, to_new, to_out = (slopes[step, :, part] for part in parts)
        to_put[:] = last * new * put * (1 - put)
        to_keep[:] = last * before * keep * (1 - keep)
        to_new[:] = last * put * (1 - new * new)
        to_out[:] = hidden * bent * out * (1 - out)
        last = last * keep
        hidden = slopes[step] @ weight
    return hidden, last
