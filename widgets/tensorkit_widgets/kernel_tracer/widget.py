"""`KernelTracer`: a CUDA kernel step by step, with the threads that touch each slot, and what is wrong with it.

>>> import numpy
>>> from numba import cuda
>>> @cuda.jit
... def add(a, b, out):
...     i = cuda.grid(1)
...     if i < out.size:
...         out[i] = a[i] + b[i]
>>> w = KernelTracer(add, 2, 4, numpy.arange(6.0), numpy.ones(6), numpy.zeros(6))
>>> w.steps, w.trace.findings
(6, ())
>>> w.goto(3).alt().partition(". ")[2]
'In block 0, threads 0 to 3 write out in line 5: 32 bytes, moved in 1 sector of 32 bytes.'
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import tensorkit as tk
from tensorkit.kernels.cuda.traced import KernelTrace
from tensorkit.kernels.cuda.traced.play import plain
from tensorkit_widgets.drawing.sheet import Sheet
from tensorkit_widgets.kernel_tracer.model import Launch
from tensorkit_widgets.kernel_tracer.scene import Moment, compose_kernel
from tensorkit_widgets.kernel_tracer.words import story
from tensorkit_widgets.snapshot.number_text import whole_number
from tensorkit_widgets.widget.board import Board, Control, State


@dataclass(frozen=True)
class _State(State):
    chosen: int | None = None


class KernelTracer(Board):
    """A kernel's launch, traced: its threads, the memory that they touch, barriers, and what is wrong.

    The kernel runs once, in Python, when the widget is made, and the arrays hold the result afterwards, as after a
    launch. What is shown is what was noted then, whatever happens to the arrays later.

    Args:
        kernel: a function that uses ``numba.cuda``, plain or decorated with ``cuda.jit``.
        grid, block: how many blocks, and threads of each: a number, or up to three.
        args: what the kernel is called with: NumPy arrays, tensors on a CUDA device (an emulated one, too), numbers.
        sharedmem: bytes of shared memory for ``cuda.shared.array(0, …)``.

    Raises:
        TypeError: for something that is no kernel, a tensor on the CPU, or an unknown keyword.
        RuntimeError: for a grid or block that no device has, and for a launch that is too large to keep notes of.
    """

    kind = "kernel-tracer"

    def __init__(
        self,
        kernel: Any,
        grid: int | Sequence[int],
        block: int | Sequence[int],
        *args: Any,
        sharedmem: int = 0,
        **unknown: Any,
    ) -> None:
        if unknown:
            raise TypeError(
                f"KernelTracer has no option {', '.join(sorted(unknown))}: it takes kernel, grid, block, the "
                "kernel's arguments and sharedmem"
            )
        names = tuple(inspect.signature(plain(kernel)).parameters)[: len(args)]
        self._trace: KernelTrace = tk.cuda.trace(kernel, grid, block, *args, sharedmem=sharedmem)
        self._launch = Launch(self._trace)
        self._arguments = tuple(
            name
            if isinstance(value, tk.Tensor) or hasattr(value, "__array_interface__")
            else repr(value)[:20]
            for name, value in zip(names, args, strict=False)
        )
        self._begin(_State())

    # ---- what Python sees

    @property
    def trace(self) -> KernelTrace:
        """All that was noted: `print` it for a summary, or ask it for its ``accesses`` and ``findings``."""
        return self._trace

    @property
    def status(self) -> str:
        """``ok``, or ``wrong`` where something was found that makes a result wrong."""
        return "wrong" if any(found.grave for found in self._trace.findings) else "ok"

    def show(self, finding: int) -> KernelTracer:
        """Go to where a finding happens, by its place in ``trace.findings``.

        Raises:
            IndexError: when there are not so many.
        """
        if not -len(self._trace.findings) <= finding < len(self._trace.findings):
            raise IndexError(
                f"there are {len(self._trace.findings)} findings, and none has the number {finding}"
            )
        with self._guard:
            self._found(finding % len(self._trace.findings))
            self._paint()
        return self

    # ---- the board

    def _steps(self) -> int:
        return self._launch.steps

    def _sheet(self, at: int) -> Sheet:
        chosen = self._state.chosen
        found = self._trace.findings
        if chosen is not None and found[chosen].step + 1 != at:
            chosen = None
        return compose_kernel(Moment(self._launch, at, self._arguments, chosen, self._width))

    def _controls(self) -> Sequence[Control]:
        launch, at = self._launch, self._clamped(self._state.at)
        later = any(k > at for k in self._barriers())
        out = []
        if self._barriers():
            out.append(
                Control("barrier", "button", "next barrier", enabled=later, title="run to the next barrier")
            )
        if self._trace.blocks > 1:
            last = self._trace.blocks - 1
            out.append(Control("block", "range", "block", launch.block(at), low=0, high=last))
        if self._trace.findings:
            out.append(Control("next", "button", "next finding", title="go to what else is wrong"))
        return out

    def _barriers(self) -> list[int]:
        return [k for k, step in enumerate(self._trace.steps, 1) if step.kind == "barrier"]

    def _do(self, kind: str, message: Mapping[str, Any]) -> None:
        key, value = message.get("key"), message.get("value")
        number = _number(key) if isinstance(key, str) else value if type(value) is int else None
        if kind == "barrier":
            self._to(next((k for k in self._barriers() if k > self.at), self.at))
        elif kind == "next" and self._trace.findings:
            chosen = self._state.chosen
            self._found(0 if chosen is None else (chosen + 1) % len(self._trace.findings))
        elif number is None:
            return
        elif kind == "tick":
            self._to(number)
        elif kind == "block":
            steps = self._launch.steps_of(number)
            self._to(steps.start if steps else self.at)
        elif kind == "line":
            self._next(lambda k: self._trace.steps[k - 1].line == number)
        elif kind == "thread":
            block = self._launch.block(self.at)
            self._next(
                lambda k: (
                    self._trace.steps[k - 1].block == block and number in self._trace.steps[k - 1].threads
                )
            )
        elif kind == "found" and 0 <= number < len(self._trace.findings):
            self._found(number)

    def _to(self, at: int) -> None:
        if self._clamped(at) != self.at:
            self._change(at=self._clamped(at), chosen=None)

    def _next(self, wanted: Any) -> None:
        """To the next step like that, or to the first where there is none later."""
        order = [*range(self.at + 1, self._steps() + 1), *range(1, self.at + 1)]
        self._to(next((k for k in order if wanted(k)), self.at))

    def _found(self, number: int) -> None:
        self._change(at=self._clamped(self._trace.findings[number].step + 1), chosen=number)

    def _go(self, at: int) -> None:
        self._state = replace(self._state, at=self._clamped(at))

    def _facts(self) -> Mapping[str, str]:
        step = self._launch.step(self.at)
        return {
            "blocks": str(self._trace.blocks), "threads": str(self._trace.threads),
            "block": str(self._launch.block(self.at)), "doing": step.kind if step else "",
            "line": str(step.line) if step else "", "array": step.array if step else "",
            "found": str(len(self._trace.findings)),
            "chosen": "" if self._state.chosen is None else str(self._state.chosen),
        }  # fmt: skip

    def alt(self) -> str:
        """One sentence for those who do not see the picture."""
        with self._guard:
            return f"KernelTracer: {self._sheet(self.at).title}. {story(self._launch, self.at)}"


def _number(key: str) -> int | None:
    return whole_number(key.rpartition(":")[2])
