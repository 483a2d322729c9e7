"""Launch plans: what was worked out for operands of some dtypes and layouts, for the next that lie in the same way.

To find the kernel, its special case and its grid takes ten times as long as to launch it. In a loop the same question
comes again and again, with other buffers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorkit.dtypes import dtype
from tensorkit.kernels.cuda.compile import Kernel
from tensorkit.kernels.cuda.emulator import runner_for
from tensorkit.kernels.cuda.families import scalar_values
from tensorkit.kernels.cuda.launch import Function, Number, specified
from tensorkit.kernels.cuda.plan import Operand, Piece, extent
from tensorkit.kernels.cuda.runners import EmulatedRunner, Runner, flat
from tensorkit.kernels.cuda.work import is_staged, prepare
from tensorkit.kernels.scalars.forms import Scalar

Ints = tuple[int, ...]

LaunchPlan = Callable[[Sequence[Any], Sequence[int], Sequence[Number]], bool]
"""Launches what was planned: it is given the buffers, the offsets in elements (the output's first), and the numbers.

False says that nothing was done: these operands, or who runs kernels now, are not those of the plan."""


def plan_zip(
    body: Function | Scalar,
    out: Operand,
    inputs: tuple[Operand | Number, ...],
    size: Ints,
    compute: tuple[dtype, ...],
    result: dtype | None,
) -> LaunchPlan | None:
    """What `launch_zip` would do with operands like these; None where that takes more than one launch."""
    operands = (out, *(a for a in inputs if isinstance(a, Operand)))
    runner = runner_for(out.buffer)
    spec = specified(body, operands, inputs, 0, compute, result)
    if isinstance(runner, EmulatedRunner) and is_staged(spec, operands, size, runner):
        return None
    launches = prepare(spec, size, tuple(one.stride for one in operands), runner.native_half)
    if len(launches) != 1:
        return None
    ((piece, kernel),) = launches
    start = runner.ready(kernel, piece.elements, out.buffer.index)
    if start is None:
        return None
    values = scalar_values((0,) * spec.scalars, spec.number or spec.main)
    return _launching(runner, start, operands, size, _template(runner, kernel, piece, values), _numbers(spec))


def _template(runner: Runner, kernel: Kernel, piece: Piece, values: tuple[int | float, ...]) -> list[Any]:
    """The kernel's arguments, with zeros for the pointers and numbers."""
    pointers = (0,) * len(piece.strides)
    return flat(runner.typed(kernel, (piece.elements, *pointers, piece.size, *piece.strides, values)))


def _numbers(spec: Any) -> Callable[[Sequence[Number]], tuple[Any, ...]] | None:
    kind = spec.number or spec.main
    return (lambda numbers: scalar_values(tuple(numbers), kind)) if spec.scalars else None


def _launching(
    runner: Runner,
    start: Callable[[list[Any], Sequence[Any]], None],
    operands: tuple[Operand, ...],
    size: Ints,
    template: list[Any],
    converted: Callable[[Sequence[Number]], tuple[Any, ...]] | None,
) -> LaunchPlan:
    index = operands[0].buffer.index
    reaches = []
    for place, one in enumerate(operands, 1):
        low, high = extent(size, one.stride)
        item = one.dtype.itemsize
        reaches.append((place, item, low * item, (high + 1) * item))

    def launch(buffers: Sequence[Any], offsets: Sequence[int], numbers: Sequence[Number]) -> bool:
        if runner_for(buffers[0]) is not runner:
            return False
        values = template.copy()
        for (place, item, low, end), buffer, offset in zip(reaches, buffers, offsets, strict=True):
            first = offset * item
            if first + end > buffer.nbytes or first + low < 0 or buffer.device.index != index:
                return False
            values[place] = buffer.address + first
        if converted is not None:
            found = converted(numbers)
            at = len(values) - len(found)
            values[at:] = [type(kept)(new) for kept, new in zip(values[at:], found, strict=True)]
        start(values, buffers)
        return True

    return launch
