"""Python's `multiprocessing`, with what PyTorch adds to it.

A tensor that is sent to another process arrives as a copy: what is written to it there is not seen here, while
PyTorch's processes share its memory. `SimpleQueue`, `Queue` and pipes carry tensors so, and `Pool` returns them.

>>> tk.multiprocessing.get_sharing_strategy()
'file_system'

Source: https://docs.pytorch.org/docs/stable/multiprocessing.html
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import pickle
import signal
import traceback
from collections.abc import Callable, Sequence
from multiprocessing import (
    Array,
    AuthenticationError,
    Barrier,
    BoundedSemaphore,
    BufferTooShort,
    Condition,
    Event,
    JoinableQueue,
    Lock,
    Manager,
    Pipe,
    Pool,
    Process,
    ProcessError,
    Queue,
    RawArray,
    RawValue,
    RLock,
    Semaphore,
    SimpleQueue,
    TimeoutError,
    Value,
    active_children,
    allow_connection_pickling,
    cpu_count,
    current_process,
    freeze_support,
    get_all_start_methods,
    get_context,
    get_logger,
    get_start_method,
    log_to_stderr,
    parent_process,
    reducer,
    set_executable,
    set_forkserver_preload,
    set_start_method,
)
from typing import Any

__all__ = [
    "Array",
    "AuthenticationError",
    "Barrier",
    "BoundedSemaphore",
    "BufferTooShort",
    "Condition",
    "Event",
    "JoinableQueue",
    "Lock",
    "Manager",
    "Pipe",
    "Pool",
    "Process",
    "ProcessContext",
    "ProcessError",
    "ProcessException",
    "ProcessExitedException",
    "ProcessRaisedException",
    "Queue",
    "RLock",
    "RawArray",
    "RawValue",
    "Semaphore",
    "SimpleQueue",
    "SpawnContext",
    "TimeoutError",
    "Value",
    "active_children",
    "allow_connection_pickling",
    "cpu_count",
    "current_process",
    "freeze_support",
    "get_all_sharing_strategies",
    "get_all_start_methods",
    "get_context",
    "get_logger",
    "get_sharing_strategy",
    "get_start_method",
    "log_to_stderr",
    "parent_process",
    "reducer",
    "set_executable",
    "set_forkserver_preload",
    "set_sharing_strategy",
    "set_start_method",
    "spawn",
    "start_processes",
]

_STRATEGIES = {"file_descriptor", "file_system"}
_strategy = ["file_system"]


def __dir__() -> list[str]:
    return __all__


def get_all_sharing_strategies() -> set[str]:
    """The names that `set_sharing_strategy` takes."""
    return _STRATEGIES


def get_sharing_strategy() -> str:
    """What was set; tensors are copied in any case."""
    return _strategy[0]


def set_sharing_strategy(new_strategy: str) -> None:
    """Set how memory would be shared; without effect.

    Raises:
        AssertionError: for a name that is not a strategy.
    """
    if new_strategy not in _STRATEGIES:
        raise AssertionError(f"invalid sharing strategy {new_strategy!r}, expected one of {_STRATEGIES}")
    _strategy[0] = new_strategy


class ProcessException(Exception):
    """A process failed: its number, and the system's."""

    def __init__(self, msg: str, error_index: int, error_pid: int) -> None:
        super().__init__(msg)
        self.msg, self.error_index, self.error_pid = msg, error_index, error_pid

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.msg, self.error_index, self.error_pid)


class ProcessRaisedException(ProcessException):
    """A process raised an exception; its traceback is in the text."""


class ProcessExitedException(ProcessException):
    """A process ended by a signal, or with an exit status that is not 0."""

    def __init__(
        self, msg: str, error_index: int, error_pid: int, exit_code: int, signal_name: str | None = None
    ) -> None:
        super().__init__(msg, error_index, error_pid)
        self.exit_code, self.signal_name = exit_code, signal_name

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.msg, self.error_index, self.error_pid, self.exit_code, self.signal_name)


def _called(fn: Callable[..., Any], number: int, args: tuple[Any, ...], complaint: Any) -> None:
    """What a process of `start_processes` does."""
    try:
        fn(number, *args)
    except KeyboardInterrupt:
        pass  # the parent gets the interrupt too
    except Exception:
        complaint.send_bytes(pickle.dumps(traceback.format_exc()))
        raise SystemExit(1) from None


class ProcessContext:
    """The processes of `start_processes`."""

    def __init__(self, processes: Sequence[Any], complaints: Sequence[Any]) -> None:
        self.processes, self._complaints = list(processes), list(complaints)
        self.sentinels = {process.sentinel: number for number, process in enumerate(processes)}

    def pids(self) -> list[int]:
        """The system's numbers of the processes."""
        return [int(process.pid) for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Wait until a process ends; when one failed, end the others and raise what it said.

        Args:
            timeout: how long, in seconds.
            grace_period: how long the others may go on when one failed, in seconds.

        Returns:
            Whether all have ended.

        Raises:
            ProcessException: when one failed.
        """
        if not self.sentinels:
            return True
        for sentinel in multiprocessing.connection.wait(list(self.sentinels), timeout=timeout):
            number = self.sentinels.pop(sentinel)
            self.processes[number].join()
            if self.processes[number].exitcode:
                self._end(grace_period)
                raise self._failure(number)
        return not self.sentinels

    def _end(self, grace_period: float | None) -> None:
        for process in self.processes if grace_period is not None else ():
            process.join(grace_period)
        for process in self.processes:
            if process.is_alive():
                process.terminate()
            process.join(30 if grace_period is None else grace_period)
            if process.is_alive():
                process.kill()
            process.join()

    def _failure(self, number: int) -> ProcessException:
        process, complaint = self.processes[number], self._complaints[number]
        if complaint.poll():
            said = pickle.loads(complaint.recv_bytes())
            text = f"\n\n-- Process {number} terminated with the following error:\n{said}"
            return ProcessRaisedException(text, number, process.pid)
        code = process.exitcode
        if code >= 0:
            text = f"process {number} terminated with exit code {code}"
            return ProcessExitedException(text, number, process.pid, code)
        name = signal.Signals(-code).name
        text = f"process {number} terminated with signal {name}"
        return ProcessExitedException(text, number, process.pid, code, name)


SpawnContext = ProcessContext


def start_processes(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Call a function in several processes, each with its own number first.

    Args:
        fn: the function; of a module, so that another process finds it.
        args: what comes behind the number.
        nprocs: how many processes.
        join: whether to wait for all of them.
        daemon: whether they end with this one.
        start_method: how Python starts them: ``"spawn"``, ``"fork"`` or ``"forkserver"``.

    Returns:
        The processes when `join` is False.

    Raises:
        ProcessException: when one failed.
    """
    context: Any = multiprocessing.get_context(start_method)
    processes, complaints = [], []
    for number in range(nprocs):
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=_called, args=(fn, number, args, sender), daemon=daemon)
        process.start()
        sender.close()
        processes.append(process)
        complaints.append(receiver)
    begun = ProcessContext(processes, complaints)
    if not join:
        return begun
    while not begun.join():
        pass
    return None


def spawn(
    fn: Callable[..., Any],
    args: tuple[Any, ...] = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """`start_processes` with fresh Pythons.

    A process group of `tensorkit.distributed` has one process, so ``nprocs=1`` is what a program that trains asks for.

    Source: https://docs.pytorch.org/docs/stable/multiprocessing.html#spawning-subprocesses
    """
    return start_processes(fn, args, nprocs, join, daemon, "spawn")
