"""What goes wrong on a device, when the program hears of it, and what makes a program wait.

A kernel runs after the call that launched it has returned, so its error cannot be raised there. It is raised
at the next call that waits for the device, as on a GPU, and at every call after that one.
"""

from __future__ import annotations

from tensorkit.errors import AcceleratorError, warn

_ADVICE = (
    "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be "
    "incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1"
)
_SYNCHRONIZING = "called a synchronizing CUDA operation"


class Fault(Exception):
    """What a kernel did that ends all work on its device. Queued work raises it, where no caller can catch it.

    Args:
        what: CUDA's name for it, such as ``device-side assert triggered``.
        detail: what happened.

    >>> print(refusal(Fault("device-side assert triggered", "index 7 is out of bounds for 3 rows")))
    CUDA error: device-side assert triggered
    index 7 is out of bounds for 3 rows
    CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be \
incorrect.
    For debugging consider passing CUDA_LAUNCH_BLOCKING=1
    """

    def __init__(self, what: str, detail: str = "") -> None:
        super().__init__(what, detail)
        self.what = what
        self.detail = detail


def refusal(problem: BaseException) -> AcceleratorError:
    """The error that a program gets when a device's work has failed."""
    if isinstance(problem, Fault):
        what, detail = problem.what, problem.detail
    else:
        what, detail = "unspecified launch failure", f"{type(problem).__name__}: {problem}"
    told = AcceleratorError("\n".join(line for line in (f"CUDA error: {what}", detail, _ADVICE) if line))
    told.__cause__ = None if isinstance(problem, Fault) else problem
    return told


class SyncDebug:
    """What happens at a call that makes the program wait for a device.

    Attributes:
        mode: 0 nothing, 1 a warning, 2 an error.
        count: how many such calls there were.
    """

    __slots__ = ("count", "mode")

    def __init__(self) -> None:
        self.mode = 0
        self.count = 0


sync_debug = SyncDebug()


def held_up() -> None:
    """The program is about to wait for a device without having said so (``.item()``, a copy to the host).

    Raises:
        RuntimeError: when ``set_sync_debug_mode("error")`` was called.
    """
    sync_debug.count += 1
    if sync_debug.mode == 2:
        raise RuntimeError(_SYNCHRONIZING)
    if sync_debug.mode == 1:
        warn(_SYNCHRONIZING)
