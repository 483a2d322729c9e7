"""Checkpoints against PyTorch: gradients, random numbers, how often a function is called, sentences."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable
from typing import Any

import pytest

import tensorkit
from tests.training.data.both import Program, assert_same

pytestmark = pytest.mark.parity
importlib.import_module("tensorkit.utils.checkpoint")


def leaves(lib: Any) -> Any:
    return lib.tensor([0.5, 1.5], requires_grad=True), lib.tensor([2.0, -1.0], requires_grad=True)


def noisy(lib: Any, calls: list[Any]) -> Callable[[Any, Any], Any]:
    """A function that draws random numbers and notes that it was called, and how far it came."""

    def function(x: Any, w: Any) -> Any:
        calls.append("begins")
        y = (x * w).exp() * lib.rand(2)
        calls.append("goes on")
        y = y.sin() * lib.rand(2)
        calls.append("ends")
        return y + 1

    return function


def grads(back: Callable[[Any, Any, Any], Any], **options: Any) -> Program:
    """Call under a checkpoint, go back in some way: the gradients, what was called, the next random number."""

    def program(lib: Any) -> Any:
        calls: list[Any] = []
        x, w = leaves(lib)
        given = {name: value(lib) if callable(value) else value for name, value in options.items()}
        y = lib.utils.checkpoint.checkpoint(noisy(lib, calls), x, w, **given)
        drawn = lib.rand(1)
        found = back(lib, y, (x, w))
        return y.detach(), y.requires_grad, drawn, found, x.grad, w.grad, calls, lib.rand(1)

    return program


def ordinary(lib: Any, y: Any, given: Any) -> None:
    y.sum().backward()


def twice(lib: Any, y: Any, given: Any) -> None:
    y.sum().backward(retain_graph=True)
    y.prod().backward()


def of_one(lib: Any, y: Any, given: Any) -> Any:
    return lib.autograd.grad(y.sum(), given[1])


def second(lib: Any, y: Any, given: Any) -> Any:
    first = lib.autograd.grad(y.sum(), given, create_graph=True)
    return lib.autograd.grad(first[0].sum(), given)


def inputs(lib: Any, y: Any, given: Any) -> None:
    y.sum().backward(inputs=given[:1])


def looked_at(lib: Any, y: Any, given: Any) -> Any:
    node = y.grad_fn.next_functions[0][0]
    return node._saved_other, node._saved_other


def changed(lib: Any, y: Any, given: Any) -> None:
    with lib.no_grad():
        given[0].mul_(2)
    y.sum().backward()


def contexts(lib: Any) -> Any:
    return lambda: (contextlib.nullcontext(), lib.no_grad())


def told(program: Program) -> Program:
    """The class and the words of a CheckpointError, without the advice that PyTorch adds."""

    def shortened(lib: Any) -> Any:
        try:
            return program(lib)
        except lib.utils.checkpoint.CheckpointError as error:
            return type(error).__name__, str(error).partition("\nTip: ")[0].replace(
                "torch.", "tensorkit."
            ).replace("tensorkit.utils.tensorkit.", "tensorkit.")

    return shortened


def other(before: Callable[[Any], Any], after: Callable[[Any], Any], **options: Any) -> Program:
    """A function that does something else when it is called again."""

    @told
    def program(lib: Any) -> Any:
        x, _ = leaves(lib)
        ways = iter([before, after, after])
        y = lib.utils.checkpoint.checkpoint(lambda x: next(ways)(x), x, use_reentrant=False, **options)
        y.sum().backward()
        return x.grad

    return program


def used_twice(lib: Any) -> Any:
    """A function of one's own that looks at its saved tensors twice."""

    class Twice(lib.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * ctx.saved_tensors[0] * ctx.saved_tensors[0]

    x, _ = leaves(lib)
    lib.utils.checkpoint.checkpoint(lambda x: Twice.apply(x * 1), x, use_reentrant=False).sum().backward()
    return x.grad


def nested(reentrant: bool) -> Program:
    def program(lib: Any) -> Any:
        x, w = leaves(lib)
        calls: list[Any] = []
        inner = noisy(lib, calls)

        def function(x: Any, w: Any) -> Any:
            return lib.utils.checkpoint.checkpoint(inner, x.sin(), w, use_reentrant=reentrant).cos()

        lib.utils.checkpoint.checkpoint(function, x, w, use_reentrant=reentrant).sum().backward()
        return x.grad, w.grad, calls

    return program


def within(lib: Any) -> Any:
    """The function goes back itself, before it ends."""
    x, w = leaves(lib)

    def function(x: Any) -> Any:
        y = (x * w).exp()
        (found,) = lib.autograd.grad(y.sum(), w, retain_graph=True)
        return y.sin() * found

    lib.utils.checkpoint.checkpoint(function, x, use_reentrant=False, early_stop=False).sum().backward()
    return x.grad, w.grad


def sequential(segments: int, **options: Any) -> Program:
    def program(lib: Any) -> Any:
        x, _ = leaves(lib)
        calls: list[int] = []

        def step(number: int) -> Any:
            def function(x: Any) -> Any:
                calls.append(number)
                return (x * number).sin()

            return function

        steps = [step(number) for number in range(1, 6)]
        y = lib.utils.checkpoint.checkpoint_sequential(steps, segments, x, **options)
        y.sum().backward()
        return y.detach(), x.grad, calls

    return program


def calls(function: Callable[[Any, Any], Any], **options: Any) -> Program:
    """Call a function of the library and two leaves under a checkpoint."""

    def program(lib: Any) -> Any:
        x, w = leaves(lib)
        y = lib.utils.checkpoint.checkpoint(lambda *args: function(lib, args), x, w, **options)
        y[0].sum().backward()
        return x.grad, w.grad

    return program


def fail(lib: Any, given: Any) -> Any:
    raise KeyError("bad")


ONE, OTHER = {"use_reentrant": False}, {"use_reentrant": True}
PROGRAMS: dict[str, Program] = {
    "recorded": grads(ordinary, **ONE),
    "reentrant": grads(ordinary, **OTHER),
    "neither said": grads(ordinary),
    "recorded, twice": grads(twice, **ONE),
    "reentrant, twice": grads(twice, **OTHER),
    "recorded, of one": grads(of_one, **ONE),
    "reentrant, of one": grads(of_one, **OTHER),
    "recorded, inputs": grads(inputs, **ONE),
    "reentrant, inputs": grads(inputs, **OTHER),
    "recorded, second": grads(second, **ONE),
    "recorded, looked at": grads(looked_at, **ONE),
    "recorded, changed": grads(changed, **ONE),
    "reentrant, changed": grads(changed, **OTHER),
    "recorded, other random numbers": grads(ordinary, preserve_rng_state=False, **ONE),
    "reentrant, other random numbers": grads(ordinary, preserve_rng_state=False, **OTHER),
    "to the end": grads(ordinary, early_stop=False, **ONE),
    "unchecked": grads(ordinary, determinism_check="none", **ONE),
    "checked otherwise": grads(ordinary, determinism_check="all", **ONE),
    "contexts": told(grads(ordinary, context_fn=contexts, **ONE)),
    "contexts, reentrant": grads(ordinary, context_fn=contexts, **OTHER),
    "contexts and debug": grads(ordinary, context_fn=contexts, debug=True, **ONE),
    "debug, reentrant": grads(ordinary, debug=True, **OTHER),
    "keywords, reentrant": grads(ordinary, some=1, more=2, **OTHER),
    "keywords": lambda lib: lib.utils.checkpoint.checkpoint(
        lambda x, more: x * more, leaves(lib)[0], more=3, **ONE
    ),
    "nothing requires a gradient": lambda lib: lib.utils.checkpoint.checkpoint(lib.exp, lib.ones(2), **OTHER),
    "no result requires a gradient": calls(lambda lib, given: (given[0].detach() + 1, 3), **OTHER),
    "two results": calls(lambda lib, given: (given[0] * given[1], given[0] + 1, None), **OTHER),
    "two results, recorded": calls(lambda lib, given: (given[0] * given[1], given[0] + 1, None), **ONE),
    "an error": calls(fail, **OTHER),
    "an error, recorded": calls(fail, **ONE),
    "fewer tensors": other(lambda x: (x * x).exp().sin(), lambda x: x * x),
    "more tensors": other(lambda x: x * x, lambda x: (x * x).exp().sin(), early_stop=False),
    "more tensors, stopped early": other(lambda x: x * x, lambda x: (x * x).exp().sin()),
    "tensors of another shape": other(lambda x: x.exp(), lambda x: x[:1].exp()),
    "tensors of another dtype": other(lambda x: x.exp(), lambda x: x.double().exp()),
    "tensors of another shape, unchecked": other(
        lambda x: x.exp(), lambda x: x[:1].exp(), determinism_check="none"
    ),
    "used twice": told(used_twice),
    "nested": nested(False),
    "nested, reentrant": nested(True),
    "back within": within,
    "sequential": sequential(2, **ONE),
    "sequential, reentrant": sequential(3, **OTHER),
    "sequential, neither said": sequential(2),
    "sequential in one": sequential(1, **ONE),
    "sequential, other keywords": sequential(1, some=1, **ONE),
    "detached": lambda lib: [
        one.requires_grad for one in lib.utils.checkpoint.detach_variable((*leaves(lib), lib.ones(1)))
    ],
    "detached, no tuple": lambda lib: lib.utils.checkpoint.detach_variable([]),
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_a_checkpoint_is_pytorchs(program: Program) -> None:
    assert_same(program)


def test_early_stop_is_said_for_a_block() -> None:
    def program(lib: Any) -> Any:
        counted: list[Any] = []
        x, w = leaves(lib)
        with lib.utils.checkpoint.set_checkpoint_early_stop(False):
            y = lib.utils.checkpoint.checkpoint(noisy(lib, counted), x, w, use_reentrant=False)
        y.sum().backward()
        return counted

    assert_same(program)


def test_without_a_graph_nothing_is_kept() -> None:
    def program(lib: Any) -> Any:
        counted: list[Any] = []
        with lib.no_grad():
            y = lib.utils.checkpoint.checkpoint(noisy(lib, counted), *leaves(lib), use_reentrant=False)
        return y, y.requires_grad, counted

    assert_same(program)


def test_random_numbers_of_a_device_come_again() -> None:
    checkpoint = importlib.import_module("tensorkit.utils.checkpoint").checkpoint
    with tensorkit.cuda.emulate():
        for reentrant in (False, True):
            drawn: list[Any] = []

            def function(x: Any, drawn: list[Any] = drawn) -> Any:
                drawn.append(tensorkit.rand(2, device="cuda").tolist())
                return x.exp().sin()

            x = tensorkit.ones(2, device="cuda", requires_grad=True)
            checkpoint(function, x, use_reentrant=reentrant).sum().backward()
            assert drawn[0] == drawn[1]
