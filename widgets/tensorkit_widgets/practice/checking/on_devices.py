"""Checks that need CUDA devices: played by the CPU for as long as the check runs, where none are there.

>>> with cuda_devices(2):
...     tk.ones(2, device="cuda:1")
tensor([1., 1.], device='cuda:1')
>>> tk.cuda.is_available()
False
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import tensorkit
from tensorkit import tracing
from tensorkit_widgets.practice.checking.checks import Checker
from tensorkit_widgets.practice.facts import Answer, Verdict


@contextlib.contextmanager
def cuda_devices(count: int = 1) -> Iterator[None]:
    """Have so many CUDA devices in the block: those that are there, real or emulated, or else emulated ones.

    What is drawn at random in the block is not missed after it: the CPU's generator goes on where it was.
    """
    with contextlib.ExitStack() as stack:
        if tensorkit.cuda.device_count() < count:
            stack.enter_context(tensorkit.cuda.emulate(devices=count))
        state = tensorkit.get_rng_state()
        stack.callback(lambda: tensorkit.set_rng_state(state))
        yield


def on_devices(checker: Checker, count: int = 1) -> Checker:
    """The same checker, with so many CUDA devices while it judges.

    >>> check = on_devices(Checker(lambda answer: Verdict(tensorkit.cuda.device_count() >= 2)), 2)
    >>> check(Answer(3))
    Right.
    """

    def judge(answer: Answer) -> Verdict:
        with cuda_devices(count):
            return checker(answer)

    return Checker(judge, checker.slips)


@contextlib.contextmanager
def trips() -> Iterator[list[tuple[str, str]]]:
    """Collect, as pairs of devices, each time that numbers cross from one memory to another.

    >>> with cuda_devices(), trips() as crossed:
    ...     _ = tensorkit.ones(3).to("cuda").sum().item()
    >>> crossed
    [('cpu', 'cuda:0'), ('cuda:0', 'cpu')]
    """
    crossed: list[tuple[str, str]] = []

    def hear(event: tracing.Event) -> None:
        if isinstance(event, tracing.CopyEvent) and event.source != event.target:
            crossed.append((event.source, event.target))

    with tracing.listen(hear):
        yield crossed
