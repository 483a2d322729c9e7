"""An interrupt at any point of an operation leaves tensors, modes, streams and locks as PyTorch would."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from typing import Any

import pytest

import tensorkit as tk
from tensorkit.process import interrupts
from tests.engine.interrupts.interrupt_points import tried
from tests.engine.interrupts.interrupted_programs import CONTEXTS, ON_DEVICES, OPERATIONS, WIDGETS, given_to

MOST = 2000 if os.environ.get("TENSORKIT_FUZZ_SECONDS") else 10  # points of each program
ALL = {**OPERATIONS, **CONTEXTS, **ON_DEVICES, **WIDGETS}


@pytest.fixture
def devices() -> Iterator[None]:
    with tk.cuda.emulate():
        yield


@pytest.fixture
def handled() -> Iterator[None]:
    """SIGINT comes to the kit's handler, whatever this process was started with."""
    before = signal.signal(signal.SIGINT, interrupts.handle)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.fuzz
@pytest.mark.usefixtures("devices")
@pytest.mark.parametrize("name", ALL)
def test_an_interrupt_leaves_all_as_it_was_or_as_it_should_be(name: str) -> None:
    found = tried(name, given_to(name), ALL[name], MOST)
    print(found)
    assert found.tried
    assert not found.wrong, str(found)


def test_the_harness_sees_what_an_interrupt_leaves_that_nobody_handles() -> None:
    found = tried("add_", given_to("add_"), OPERATIONS["add_"], 100, raw=True)
    assert "tensor 0 was written to, and that is not counted" in found.wrong


def _press() -> None:
    os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.usefixtures("handled")
def test_what_the_user_wrote_is_interrupted_at_once() -> None:
    x, seen = tk.ones(3, requires_grad=True), []
    y = x * 2

    def hook(grad: tk.Tensor) -> None:
        _press()
        seen.append(grad)  # pragma: no cover - not reached

    y.register_hook(hook)
    with pytest.raises(KeyboardInterrupt):
        y.sum().backward()
    assert not seen


def _add_for_ever(x: tk.Tensor, killer: threading.Timer) -> None:
    killer.start()
    while True:
        x.add_(1)


@pytest.mark.usefixtures("handled")
def test_a_large_operation_is_done_whole_or_not_at_all() -> None:
    x = tk.empty(2_000_000)
    for turn in range(20):
        x.zero_()
        version, killer = x._version, threading.Timer(0.0005 * turn, _press)
        with pytest.raises(KeyboardInterrupt):
            _add_for_ever(x, killer)
        killer.join()
        assert x._version - version == x[0].item()
        assert tk.equal(x, tk.full_like(x, x[0].item()))


@pytest.mark.usefixtures("handled")
@pytest.mark.parametrize("wait", [lambda x, event: x.cpu(), lambda x, event: event.synchronize()])
def test_a_wait_for_a_device_is_interrupted_at_once(wait: Any) -> None:
    with tk.cuda.emulate() as emulation:
        x, event, ends = tk.ones(3, device="cuda"), tk.cuda.Event(), threading.Event()
        emulation.memory.streams[0].current().put(lambda: ends.wait(60), small=False)
        x.add_(1)
        event.record()
        threading.Timer(0.1, _press).start()
        with pytest.raises(KeyboardInterrupt):
            wait(x, event)
        assert not event.query()
        ends.set()
        tk.cuda.synchronize()
        assert x.tolist() == [2, 2, 2]


# -- functions as the kit has them ------------------------------------------------------------------------------


def _interrupt() -> None:
    interrupts.handle(signal.SIGINT, sys._getframe(1))


def _of_the_kit(text: str, **names: Any) -> tuple[dict[str, Any], list[str]]:
    """What a piece of the kit's code defines, and the list `done`; it is interrupted where it calls `interrupt`."""
    done: list[str] = []
    space = {"__name__": "tensorkit.made_for_a_test", "interrupt": _interrupt, "done": done, **names}
    exec(textwrap.dedent(text), space)
    return space, done


def test_an_operation_ends_before_the_interrupt_is_raised() -> None:
    made, done = _of_the_kit(
        """
        def operation():
            interrupt()
            inner()
            done.append("whole")
        def inner():
            done.append("inner")
        """
    )
    with pytest.raises(KeyboardInterrupt):
        made["operation"]()
    assert done == ["inner", "whole"]
    assert sys.getprofile() is None


def test_a_second_interrupt_does_not_wait() -> None:
    made, done = _of_the_kit(
        """
        def operation():
            interrupt()
            done.append("begun")
            interrupt()
            done.append("whole")
        """
    )
    with pytest.raises(KeyboardInterrupt):
        made["operation"]()
    assert done == ["begun"]
    assert sys.getprofile() is None


def test_an_interrupt_that_came_before_is_seen_at_a_wait() -> None:
    made, _ = _of_the_kit(
        """
        def operation():
            interrupt()
            wait_for(never)
        """,
        wait_for=interrupts.wait_for,
        never=lambda: pytest.fail("it waited"),
    )
    with pytest.raises(KeyboardInterrupt):
        made["operation"]()


def test_a_finaliser_does_not_swallow_an_interrupt() -> None:
    made, done = _of_the_kit(
        """
        class Held:
            def __del__(self):
                interrupt()
                done.append("freed")
        def operation():
            done.append("whole")
        """
    )

    def program() -> None:
        made["Held"]()
        made["operation"]()

    with pytest.raises(KeyboardInterrupt):
        program()
    assert done[0] == "freed"


@pytest.mark.usefixtures("handled")
def test_a_program_that_is_profiled_is_interrupted_at_once() -> None:
    made, done = _of_the_kit(
        """
        def operation():
            interrupt()
            done.append("whole")
        """
    )
    watch = lambda frame, event, argument: None  # noqa: E731
    sys.setprofile(watch)
    try:
        with pytest.raises(KeyboardInterrupt):
            made["operation"]()
        assert sys.getprofile() is watch
    finally:
        sys.setprofile(None)
    assert not done


# -- who handles the signal ---------------------------------------------------------------------------------------


def _in_a_process(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True, timeout=120
    ).stdout


def test_the_handler_of_a_program_stays() -> None:
    said = _in_a_process(
        """
        import signal
        mine = lambda number, frame: None
        signal.signal(signal.SIGINT, mine)
        import tensorkit
        print(signal.getsignal(signal.SIGINT) is mine)
        """
    )
    assert said == "True\n"


def test_each_cell_of_a_notebook_is_handled() -> None:
    """A kernel puts Python's own handler back for each cell."""
    said = _in_a_process(
        """
        import signal
        from IPython.core.interactiveshell import InteractiveShell
        shell = InteractiveShell.instance()
        for cell in ("import tensorkit", "pass"):
            signal.signal(signal.SIGINT, signal.default_int_handler)
            shell.run_cell(cell)
            print(signal.getsignal(signal.SIGINT).__module__)
        """
    )
    assert said == "tensorkit.process.interrupts\n" * 2
