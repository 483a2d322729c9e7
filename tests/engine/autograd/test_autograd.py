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
from tests.parity.questions import programs
from tests.support.garbage import collect
from tests.support.same_program import differing
from tests.support.warnings import recorded
from tests.torch_oracle import require_torch

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
    collect()
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
    collect()
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
    with recorded() as caught, tk.autograd.detect_anomaly():
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
    with recorded() as caught, tk.autograd.set_detect_anomaly(True):
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


# -- bad input, and what it leaves behind ---------------------------------------------------------------------------

#: Before each case, in both libraries.
_SETTING = """
x = tk.tensor([1.0, 2.0, 3.0], requires_grad=True)
w = tk.tensor([2.0, 0.5, -1.0], requires_grad=True)
n = tk.tensor([1, 2, 3])
p = tk.tensor([1.0, 2.0, 3.0])
y = x * w
z = (y * y).sum()
class Wrong(tk.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        return a * b
    @staticmethod
    def backward(ctx, g):
        return g
class Shapeless(Wrong):
    @staticmethod
    def backward(ctx, g):
        return g[:2], None
class Raises(Wrong):
    @staticmethod
    def backward(ctx, g):
        raise KeyError("mine")
def angry(g):
    raise ValueError("a hook that raises")
"""

#: What is done wrong, and why PyTorch refuses it.
BAD: dict[str, str] = {
    "a non-scalar without a gradient": "y.backward()",
    "a tensor without grad": "p.backward(p)",
    "a scalar without grad": "p.sum().backward()",
    "integers": "n.sum().backward()",
    "integers that should require grad": "n.requires_grad_()",
    "a factory of integers that should require grad": "tk.tensor([1, 2], requires_grad=True)",
    "a gradient of another size": "y.backward(tk.ones(2))",
    "a gradient that would broadcast": "y.backward(tk.ones(()))",
    "a gradient that is a number": "z.backward(1.0)",
    "a complex gradient": "y.backward(tk.ones(3, dtype=tk.complex64))",
    "too few gradients": "tk.autograd.backward([z, z], [None])",
    "too few gradients to grad": "tk.autograd.grad([z, z], x, [tk.ones(())])",
    "a node's hook that returns no tuple": "y.grad_fn.register_hook(lambda new, old: 3); z.backward()",
    "a node's prehook that returns too many": "y.grad_fn.register_prehook(lambda g: g * 2); z.backward()",
    "one of two without grad": "tk.autograd.backward([z, p.sum()])",
    "a second walk": "z.backward(); z.backward()",
    "a second autograd.grad": "tk.autograd.grad(z, x); tk.autograd.grad(z, w)",
    "no inputs": "z.backward(inputs=[])",
    "no inputs to grad": "tk.autograd.grad(z, [])",
    "an input without grad": "z.backward(inputs=[p])",
    "an input of grad without grad": "tk.autograd.grad(z, [x, p])",
    "an unused input": "tk.autograd.grad(z, tk.ones(1, requires_grad=True))",
    "zeros for the unused, which is not allowed": (
        "tk.autograd.grad(z, x, allow_unused=False, materialize_grads=True)"
    ),
    "a saved tensor modified": "y.add_(1); z.backward()",
    "a saved tensor modified, and anomalies looked for": (
        "with tk.autograd.set_detect_anomaly(True):\n    q = y * y; y.add_(1); q.sum().backward()"
    ),
    "a saved leaf modified": "with tk.no_grad(): w.add_(1)\nz.backward()",
    "a saved tensor modified through a view": "y[1:].mul_(2); z.backward()",
    "a saved result modified": "q = 2 ** x; q.add_(1); q.sum().backward()",
    "a saved tensor detached in place": "y.detach_(); z.backward()",
    "a write to a leaf": "x.add_(1)",
    "a write to a view of a leaf": "x[0] = 5",
    "an operator that writes to a leaf": "x *= 2",
    "a write to one of several views": "y.unbind()[0].mul_(2)",
    "a write to a view made without recording": "with tk.no_grad(): v = y[:2]\nv.mul_(2)",
    "a view of several, after its base was written to": "v = y.split(1)[0]; y.mul_(2); v.grad_fn",
    "a squeeze of a view made without recording, after its base was written to": (
        "with tk.no_grad(): v = y.view(1, 3)\nu = v[:]; y.mul_(w); u.squeeze()"
    ),
    "a write to an expanded tensor": "x.expand(2, 3).add_(1)",
    "a write to an expanded result": "y.expand(2, 3).mul_(2)",
    "out= with a tensor that requires grad": "tk.add(x, w, out=tk.empty(3))",
    "detach_ of a view": "y[0].detach_()",
    "requires_grad = False of a result": "y.requires_grad_(False)",
    "requires_grad assigned to a result": "y.requires_grad = True",
    "retain_grad without grad": "p.retain_grad()",
    "a hook without grad": "p.register_hook(print)",
    "an accumulation hook on a result": "y.register_post_accumulate_grad_hook(print)",
    "a hook that raises": "y.register_hook(angry); z.backward()",
    "a hook of a leaf that raises": "w.register_hook(angry); z.backward()",
    "a hook of a node that raises": "y.grad_fn.register_hook(lambda new, old: angry(new)); z.backward()",
    "a hook after accumulation that raises": "w.register_post_accumulate_grad_hook(angry); z.backward()",
    "a hook that changes the size": "y.register_hook(lambda g: g[:2]); z.backward()",
    "a hook that changes the dtype": "y.register_hook(lambda g: g.double()); z.backward()",
    "a hook that returns no tensor": "y.register_hook(lambda g: 3); z.backward()",
    "a node's hook that returns too few": "y.grad_fn.register_hook(lambda new, old: new[:1]); z.backward()",
    "too few gradients from a Function": "Wrong.apply(x, w).sum().backward()",
    "a gradient of the wrong size from a Function": "Shapeless.apply(x, w).sum().backward()",
    "a Function that raises": "Raises.apply(x, w).sum().backward()",
    "a grad of another size": "x.grad = tk.ones(2)",
    "a grad of another dtype": "x.grad = tk.ones(3, dtype=tk.float64)",
    "a grad that is no tensor": "x.grad = 3",
    "a grad that is the tensor": "x.grad = x",
    "numbers of a tensor that requires grad": "x.numpy()",
    "a leaf inside its own graph": ("q = x * 2; x.requires_grad_(False); x.mul_(w); q.sum().backward()"),
}

#: What is asked afterwards; each must be what it is in PyTorch, refusals included.
AFTERWARDS = (
    "x.grad if x.grad is None else x.grad.tolist()",
    "w.grad if w.grad is None else w.grad.tolist()",
    "(x._version, w._version, y._version, p._version)",
    "(x.requires_grad, p.requires_grad, n.requires_grad, y.requires_grad)",
    "[type(t.grad_fn).__name__ for t in (x, w, y, z, p)]",
    "(x.tolist(), y.tolist(), p.tolist())",
    "(y * 1).sum().backward()",
    "x.grad if x.grad is None else x.grad.tolist()",
    "z.backward()",
    "w.grad if w.grad is None else w.grad.tolist()",
)


def _said(lib: Any, text: str, names: dict[str, Any], mode: str) -> Any:
    try:
        return eval(compile(text, "<case>", mode), names)
    except Exception as error:
        return type(error).__name__, str(error).split("\n")[0].replace("torch.", "tensorkit.").replace(
            "torch::", "tensorkit::"
        )


@pytest.mark.parity
@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_and_leaves_what_pytorch_leaves(name: str) -> None:
    torch = require_torch()
    found = []
    for lib in (tk, torch):
        names: dict[str, Any] = {"tk": lib}
        exec(_SETTING, names)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            refused = _said(lib, BAD[name], names, "exec")
            found.append([refused, *(_said(lib, question, names, "eval") for question in AFTERWARDS)])
    ours, theirs = found
    assert theirs[0] is not None, "PyTorch refuses this"
    assert dict(zip(("the error", *AFTERWARDS), ours, strict=True)) == dict(
        zip(("the error", *AFTERWARDS), theirs, strict=True)
    )


def the_old_name_of_grad_tensors(tk: Any) -> list[Any]:
    x = tk.ones(2, requires_grad=True)
    with recorded() as caught:
        tk.autograd.backward(x * 2, grad_variables=tk.tensor([1.0, 3.0]))
    return [x.grad.tolist(), [(w.category.__name__, str(w.message)) for w in caught]]


def both_names_of_grad_tensors(tk: Any) -> None:
    x = tk.ones(2, requires_grad=True)
    tk.autograd.backward(x * 2, tk.ones(2), grad_variables=tk.ones(2))


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("told", [the_old_name_of_grad_tensors, both_names_of_grad_tensors])
def test_grad_variables_still_mean_grad_tensors(told: Any) -> None:
    assert differing(told, require_torch()) is None


#: Programs that say how often a gradient was written to.
WRITES = programs("writes")


@pytest.mark.parity
@pytest.mark.parametrize("program", WRITES, ids=lambda text: text.splitlines()[0])
def test_gradients_count_the_writes_that_pytorch_counts(program: str) -> None:
    told: list[list[Any]] = []
    for lib in (tk, require_torch()):
        said: list[Any] = []
        exec(program, {"lib": lib, "out": lambda *found, said=said: said.append(found)})
        told.append(said)
    assert told[0] == told[1]


def test_a_second_walk_is_refused_once_and_with_one_traceback() -> None:
    x = tk.tensor([2.0, 3.0], requires_grad=True)
    loss = (x * x).sum()
    loss.backward()
    with pytest.raises(RuntimeError, match="a second time") as refused:
        loss.backward()
    assert refused.value.__context__ is None
