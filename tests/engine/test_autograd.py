"""Autograd case by case: deep graphs, nothing kept alive, one switch a thread, errors that leave no trace."""

from __future__ import annotations

import gc
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import tensorkit as tk
from tensorkit.autograd.graph import Node

DEEP = 100_000


# -- deep graphs --------------------------------------------------------------------------------------------------


def _chain(length: int, step: Callable[[Any], Any]) -> tuple[Any, Any]:
    x = tk.ones(1, requires_grad=True)
    y: Any = x
    for _ in range(length):
        y = step(y)
    return x, y


def test_a_hundred_thousand_operations_are_walked_back_without_recursion() -> None:
    x, y = _chain(DEEP, lambda y: y + 1)
    y.backward()
    assert x.grad.tolist() == [1.0]


def test_a_hundred_thousand_operations_are_let_go_without_recursion() -> None:
    # Freeing follows the edges too: a destructor for each level would end the interpreter.
    _, y = _chain(DEEP, lambda y: y * 1.0)
    first = weakref.ref(_root(y))
    del y
    gc.collect()
    assert first() is None


def _root(tensor: Any) -> Node:
    node = tensor.grad_fn
    assert isinstance(node, Node)
    return node


def test_a_hundred_thousand_views_and_writes() -> None:
    x = tk.ones(4, requires_grad=True)
    y: Any = x * 1
    part = y[1:3]
    for _ in range(DEEP // 50):
        part.mul_(1.0)
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0, 1.0, 1.0]


def test_a_wide_graph_adds_all_its_branches() -> None:
    x = tk.ones(1, requires_grad=True)
    total: Any = x * 0
    for _ in range(2000):
        total = total + x
    total.backward()
    assert x.grad.tolist() == [2000.0]


# -- nothing keeps a graph alive ----------------------------------------------------------------------------------


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Without the collector only reference counts free: a cycle stays."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


MAKERS: dict[str, Callable[[Any], Any]] = {
    "a chain": lambda x: (x * 2 + 1).sum(),
    "an operation that saves its own result": lambda x: (2**x).sum(),
    "a reciprocal, which saves its result too": lambda x: (1 / x).sum(),
    "an extreme with indices": lambda x: x.max(0)[0],
    "views": lambda x: (x * 1).view(2, 2).t()[0].sum(),
    "a write through a view": lambda x: _written(x).sum(),
    "a write that saves what was there": lambda x: (x * 1).pow_(2).sum(),
    "several views": lambda x: (x * 1).unbind()[0].sum(),
    "a hook": lambda x: _hooked(x),
    "a retained gradient": lambda x: _retained(x),
}


def _written(x: Any) -> Any:
    y = x * 1
    y[1:3].mul_(x[:2])
    return y


def _hooked(x: Any) -> Any:
    y = x * 2
    y.register_hook(lambda g: g * 2)
    return y.sum()


def _retained(x: Any) -> Any:
    y = x * 2
    y.retain_grad()
    return y.sum()


@pytest.mark.parametrize("walked", [False, True], ids=["never walked", "walked back"])
@pytest.mark.parametrize("name", MAKERS)
def test_no_cycle_keeps_a_graph_alive(name: str, walked: bool, no_collector: None) -> None:
    x = tk.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    loss = MAKERS[name](x)
    node = weakref.ref(_root(loss))
    behind = weakref.ref(_root(loss).next_functions[0][0])
    if walked:
        loss.backward(retain_graph=True)
    del loss
    assert node() is None
    assert behind() is None


def test_the_leaf_does_not_keep_its_graph_and_the_graph_keeps_the_leaf(no_collector: None) -> None:
    x = tk.ones(2, requires_grad=True)
    leaf = weakref.ref(x)
    y = (x * 2).sum()
    del x
    assert leaf() is not None  # its gradient has to go somewhere
    del y
    assert leaf() is None


def test_the_walk_back_lets_go_of_what_was_saved(no_collector: None) -> None:
    x = tk.ones(2, requires_grad=True)
    middle = x * 2
    kept = weakref.ref(middle)
    loss = (middle * middle).sum()
    del middle
    assert kept() is not None
    loss.backward()
    assert kept() is None
    assert loss.grad_fn is not None


def test_a_gradient_recorded_by_autograd_grad_leaves_no_cycle(no_collector: None) -> None:
    x = tk.ones(2, requires_grad=True)
    (first,) = tk.autograd.grad((x**3).sum(), x, create_graph=True)
    node = weakref.ref(_root(first))
    del first
    assert node() is None


# -- switches -----------------------------------------------------------------------------------------------------


def test_each_thread_has_its_own_switch() -> None:
    inside, done = threading.Event(), threading.Event()
    seen: list[bool] = []

    def other() -> None:
        inside.wait(10)
        seen.append(tk.is_grad_enabled())
        seen.append((tk.ones(1, requires_grad=True) * 2).requires_grad)
        done.set()

    thread = threading.Thread(target=other)
    thread.start()
    with tk.no_grad():
        inside.set()
        assert done.wait(10)
        assert not tk.is_grad_enabled()
    thread.join()
    assert seen == [True, True]


def test_a_view_made_while_another_thread_does_not_record_is_a_plain_view() -> None:
    inside, done = threading.Event(), threading.Event()

    def other() -> None:
        with tk.no_grad():
            inside.set()
            done.wait(10)

    thread = threading.Thread(target=other)
    thread.start()
    assert inside.wait(10)
    x = tk.ones(4, requires_grad=True)
    base = tk.zeros(4)
    view = base.view(2, 2)
    recorded = (x * 1).view(2, 2)
    done.set()
    thread.join()
    view.mul_(x.view(2, 2))  # refused for a view that was made without recording
    recorded.mul_(2)
    assert base.requires_grad
    assert recorded.grad_fn is not None


def test_threads_that_walk_their_own_graphs_share_a_leaf() -> None:
    x = tk.ones(8, requires_grad=True)
    gradients: list[Any] = []

    def walk(factor: int) -> None:
        for _ in range(50):
            gradients.append((factor, tk.autograd.grad((x * factor).sum(), x)[0].tolist()))

    threads = [threading.Thread(target=walk, args=(n,)) for n in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(gradients) == 200
    assert all(found == [float(factor)] * 8 for factor, found in gradients)


def test_a_generator_runs_without_recording_and_its_caller_records() -> None:
    x = tk.ones(1, requires_grad=True)

    @tk.no_grad()
    def pieces() -> Iterator[bool]:
        for _ in range(2):
            yield (x * 2).requires_grad

    found = []
    for inside in pieces():
        found.append((inside, tk.is_grad_enabled(), (x * 2).requires_grad))
    assert found == [(False, True, True)] * 2


def test_a_generator_gets_what_is_sent_thrown_and_returned() -> None:
    log: list[Any] = []

    @tk.no_grad()
    def echo() -> Any:
        try:
            got = yield "first"
            log.append((got, tk.is_grad_enabled()))
            yield "second"
        except ValueError:
            log.append(("caught", tk.is_grad_enabled()))
            yield "third"
        finally:
            log.append(("closed", tk.is_grad_enabled()))
        return "end"

    running = echo()
    assert next(running) == "first"
    assert running.send("hello") == "second"
    assert running.throw(ValueError()) == "third"
    assert tk.is_grad_enabled()
    with pytest.raises(StopIteration) as end:
        next(running)
    assert end.value.value == "end"
    other = echo()
    next(other)
    other.close()
    assert log == [("hello", False), ("caught", False), ("closed", False), ("closed", False)]


def test_an_exception_switches_recording_on_again() -> None:
    with pytest.raises(ZeroDivisionError), tk.no_grad():
        raise ZeroDivisionError
    assert tk.is_grad_enabled()


@tk.no_grad()
def _countdown(n: int) -> list[bool]:
    return [tk.is_grad_enabled(), *(_countdown(n - 1) if n else [])]


def test_a_decorated_function_may_call_itself() -> None:
    assert _countdown(3) == [False] * 4
    assert tk.is_grad_enabled()


# -- inference tensors --------------------------------------------------------------------------------------------


def test_inference_tensors_are_never_recorded() -> None:
    with tk.inference_mode():
        y = tk.ones(2) * 2
        assert y.is_inference()
        y.add_(1)
    x = tk.ones(2, requires_grad=True)
    assert (y + 1).tolist() == [4.0, 4.0]
    for wrong, sentence in (
        (lambda: x * y, "Inference tensors cannot be saved for backward."),
        (lambda: y.add_(1), "Inplace update to inference tensor outside InferenceMode is not allowed."),
        (lambda: y.requires_grad_(), "Setting requires_grad=True on inference tensor outside InferenceMode"),
        (lambda: y._version, "Inference tensors do not track version counter."),
    ):
        with pytest.raises(RuntimeError) as error:
            wrong()
        assert str(error.value).startswith(sentence)
    assert (x * y.clone()).requires_grad


# -- anomalies ----------------------------------------------------------------------------------------------------


def test_an_anomaly_names_the_line_of_the_forward_pass() -> None:
    x = tk.zeros(1, requires_grad=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with tk.autograd.detect_anomaly():
            y = x * 0 / x  # this very line
            with pytest.raises(RuntimeError) as error:
                y.sum().backward()
    assert str(error.value) == "Function 'DivBackward0' returned nan values in its 1th output."
    told = [str(w.message) for w in caught]
    assert told[0].startswith("Anomaly Detection has been enabled.")
    assert "Error detected in DivBackward0. Traceback of forward call that caused the error:" in told[1]
    assert "y = x * 0 / x  # this very line" in told[1]
    assert x.grad is None


def test_an_anomaly_in_a_walk_that_fails_names_the_line_too() -> None:
    x = tk.ones(1, requires_grad=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with tk.autograd.set_detect_anomaly(True):
            middle = x * 2
            y = middle * middle  # saved here
            middle.add_(1)
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                y.backward()
    assert any("y = middle * middle  # saved here" in str(w.message) for w in caught)


def test_without_a_check_for_nan_the_walk_goes_on() -> None:
    x = tk.zeros(1, requires_grad=True)
    with tk.autograd.set_detect_anomaly(True, check_nan=False):
        (x * 0 / x).sum().backward()
    assert x.grad.isnan().all() if hasattr(x.grad, "isnan") else x.grad.ne(x.grad).tolist() == [True]
