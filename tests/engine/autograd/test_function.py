"""`Function`: every small program here is run under PyTorch too, and must give the same there."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import tensorkit as tk
from tests.support.same_program import differing, run
from tests.torch_oracle import require_torch

PROGRAMS: list[Callable[[Any], Any]] = []


def program(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    PROGRAMS.append(function)
    return function


def leaf(lib: Any) -> Any:
    return lib.tensor([1.0, 2.0], requires_grad=True)


def make(lib: Any, forward: Any, backward: Any = lambda ctx, g: g * 2) -> Any:
    """A `Function` of these two."""
    body = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("MyFn", (lib.autograd.Function,), body)


def double(ctx: Any, x: Any) -> Any:
    return x * 2


def in_place(ctx: Any, x: Any) -> Any:
    x.mul_(2)
    ctx.mark_dirty(x)
    return x


def keeping(ctx: Any, x: Any) -> Any:
    ctx.save_for_backward(x)
    return x * x


def by_kept(ctx: Any, g: Any) -> Any:
    return 2 * g * ctx.saved_tensors[0]


# -- the graph ----------------------------------------------------------------------------------------------------


@program
def names_and_neighbours(lib: Any) -> Any:
    y = make(lib, double).apply(leaf(lib) * 1)
    return y, y.grad_fn, y.grad_fn.name(), repr(y.grad_fn), repr(y), type(y.grad_fn).__name__


@program
def arguments_that_are_no_tensors(lib: Any) -> Any:
    seen: list[Any] = []

    def forward(ctx: Any, x: Any, k: Any, z: Any, n: Any) -> Any:
        seen.append(ctx.needs_input_grad)
        return x * k

    fn = make(lib, forward, lambda ctx, g: seen.append(ctx.needs_input_grad) or (g * 3, None, None, None))
    x = leaf(lib)
    y = fn.apply(x, 3, lib.ones(2), None)
    y.sum().backward()
    return x.grad, seen, y, y.grad_fn.needs_input_grad


@program
def named_arguments(lib: Any) -> Any:
    a, b, c = leaf(lib), leaf(lib), leaf(lib)
    fn = make(lib, lambda ctx, a, b, c=1: a * b * c, lambda ctx, g: (g * 2, g * 3, g * 5))
    fn.apply(a, c=c, b=b).sum().backward()
    return a.grad, b.grad, c.grad


@program
def a_wrong_name(lib: Any) -> Any:
    return make(lib, double).apply(leaf(lib), y=1)


@program
def attributes_of_the_ctx(lib: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.edges, ctx.faces, ctx.factor = 5, 6, 7
        return x * 7

    x = leaf(lib)
    y = make(lib, forward, lambda ctx, g: g * (ctx.factor + ctx.edges + ctx.faces)).apply(x)
    y.sum().backward()
    return x.grad, y.grad_fn.factor


@program
def an_attribute_that_is_not_there(lib: Any) -> Any:
    make(lib, double, lambda ctx, g: ctx.nothing).apply(leaf(lib)).sum().backward()


@program
def nothing_is_recorded_within(lib: Any) -> Any:
    seen: list[Any] = []

    def forward(ctx: Any, x: Any) -> Any:
        seen.append((lib.is_grad_enabled(), (x * 2).requires_grad, x.requires_grad))
        return x * 2

    x = leaf(lib)
    fn = make(lib, forward, lambda ctx, g: seen.append(lib.is_grad_enabled()) or g * 2)
    fn.apply(x).sum().backward()
    lib.autograd.grad(fn.apply(x).sum(), x, create_graph=True)
    return seen


@program
def without_recording(lib: Any) -> Any:
    fn = make(lib, lambda ctx, x: (x * 2, ctx.needs_input_grad))
    with lib.no_grad():
        off = fn.apply(leaf(lib))
    return off, fn.apply(lib.ones(2)), make(lib, keeping, by_kept).apply(lib.ones(2))


@program
def hooks_of_the_node(lib: Any) -> Any:
    seen: list[Any] = []
    x = leaf(lib)
    y = make(lib, double).apply(x)
    y.grad_fn.register_hook(lambda grads, given: seen.append((grads, given)))
    y.register_hook(lambda g: g * 10)
    y.sum().backward()
    return seen, x.grad.tolist()


# -- what forward returns -----------------------------------------------------------------------------------------


@program
def several_results(lib: Any) -> Any:
    seen: list[Any] = []
    fn = make(
        lib,
        lambda ctx, x: (x * 2, 5, None, "a", x > 1, (x * 3).int(), x * 4),
        lambda ctx, *gs: seen.append(gs) or gs[0],
    )
    x = leaf(lib)
    results = fn.apply(x)
    results[0].sum().backward()
    return results, x.grad, seen


@pytest.mark.parametrize("result", [None, 3.0, (), {"a": 1}, "text"], ids=repr)
def test_what_is_no_tensor_is_handed_on(result: Any) -> None:
    assert make(tk, lambda ctx, x: result).apply(leaf(tk)) == result


@program
def a_list_is_no_tuple(lib: Any) -> Any:
    return make(lib, lambda ctx, x: [x * 2]).apply(leaf(lib))


@program
def a_tuple_of_one(lib: Any) -> Any:
    return make(lib, lambda ctx, x: (x * 2,)).apply(leaf(lib))


@program
def an_integer_result(lib: Any) -> Any:
    return make(lib, lambda ctx, x: (x * 2).int()).apply(leaf(lib))


@program
def one_result_twice(lib: Any) -> Any:
    seen: list[Any] = []

    def forward(ctx: Any, x: Any) -> Any:
        y = x * 2
        return y, y

    x = leaf(lib)
    results = make(lib, forward, lambda ctx, g, h: seen.append((g, h)) or g * 2).apply(x)
    results[0].sum().backward()
    return results, seen, x.grad


@program
def the_input_as_it_came(lib: Any) -> Any:
    x = leaf(lib)
    y = make(lib, lambda ctx, x: x).apply(x)
    y.sum().backward()
    plain = lib.ones(2)
    same = make(lib, lambda ctx, x: x).apply(plain)
    return y is x, y, y._is_view(), y._base is x, x.grad, same is plain, same._is_view()


@program
def the_input_without_its_history(lib: Any) -> Any:
    x = leaf(lib)
    y = make(lib, lambda ctx, x: x.detach(), lambda ctx, g: g * 3).apply(x)
    y.sum().backward()
    y.mul_(2)
    return y._is_view(), y, x, x.grad


@program
def a_tensor_from_elsewhere(lib: Any) -> Any:
    other = leaf(lib) * 1
    y = make(lib, lambda ctx, x: other).apply(leaf(lib))
    return y is other, y


@program
def writing_to_the_input_returned(lib: Any) -> Any:
    return make(lib, lambda ctx, x: x).apply(leaf(lib) * 1).mul_(2)


@program
def writing_to_a_view_returned(lib: Any) -> Any:
    y = make(lib, lambda ctx, x: x.view(-1)).apply(leaf(lib) * 1)
    assert y._is_view()
    return y.mul_(2)


@program
def writing_to_one_of_two_views(lib: Any) -> Any:
    fn = make(lib, lambda ctx, x: (x.view(-1), x[:1]), lambda ctx, g, h: g)
    return fn.apply(leaf(lib) * 1)[0].mul_(2)


@program
def a_view_whose_base_was_written_to(lib: Any) -> Any:
    x = leaf(lib) * 1
    y = make(lib, lambda ctx, x: x[:1], lambda ctx, g: g.expand(2)).apply(x)
    x.mul_(3)
    return y.grad_fn


# -- marks --------------------------------------------------------------------------------------------------------


@program
def written_to_in_place(lib: Any) -> Any:
    a = leaf(lib)
    x = a * 1
    y = make(lib, in_place).apply(x)
    y.sum().backward()
    return y is x, y, a.grad


@program
def written_to_without_history(lib: Any) -> Any:
    def forward(ctx: Any, x: Any, z: Any) -> Any:
        x.mul_(z)
        ctx.mark_dirty(x)
        return x

    a, b = leaf(lib), lib.ones(2)
    y = make(lib, forward, lambda ctx, g: (None, g * 2)).apply(b, a)
    b.sum().backward()
    return y is b, b, a.grad


@program
def two_inputs_written_to(lib: Any) -> Any:
    def forward(ctx: Any, x: Any, z: Any) -> Any:
        ctx.mark_dirty(x.mul_(2), z.mul_(3))
        return x, z

    a, b = leaf(lib), leaf(lib)
    p, q = make(lib, forward, lambda ctx, g, h: (g * 2, h * 3)).apply(a * 1, b * 1)
    (p.sum() + q.sum()).backward()
    return p, q, a.grad, b.grad


@program
def a_view_written_to(lib: Any) -> Any:
    a = leaf(lib)
    base = a * 1
    view = base[:1]
    y = make(lib, in_place).apply(view)
    before = (y is view, base, view)
    (base.sum() + 10 * view.sum()).backward()
    return before, a.grad


def test_a_view_written_to_need_not_be_the_first_argument() -> None:
    """PyTorch adds both gradients to the first argument here, and gives the other none."""

    def forward(ctx: Any, z: Any, x: Any) -> Any:
        ctx.mark_dirty(x.mul_(2))
        return x

    a, b = leaf(tk), leaf(tk)
    base = b * 1
    make(tk, forward, lambda ctx, g: (g * 7, g * 2)).apply(a[:1], base[:1])
    base.sum().backward()
    assert (a.grad.tolist(), b.grad.tolist()) == ([7.0, 0.0], [2.0, 1.0])


@program
def a_view_and_another_result(lib: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(x.mul_(2))
        return x, x * 1

    return make(lib, forward, lambda ctx, g, h: g).apply((leaf(lib) * 1)[:1])


@program
def a_leaf_written_to(lib: Any) -> Any:
    return make(lib, in_place).apply(leaf(lib))


@program
def a_view_of_a_leaf_written_to(lib: Any) -> Any:
    return make(lib, in_place).apply(leaf(lib)[:1])


@program
def a_view_made_without_recording_written_to(lib: Any) -> Any:
    base = leaf(lib) * 1
    with lib.no_grad():
        view = base[:1]
    return make(lib, in_place).apply(view)


@program
def one_of_several_views_written_to(lib: Any) -> Any:
    return make(lib, in_place).apply((leaf(lib) * 1).unbind()[0])


@program
def a_leaf_written_to_without_recording(lib: Any) -> Any:
    x = leaf(lib)
    with lib.no_grad():
        y = make(lib, in_place).apply(x)
    return y is x, y, x


@program
def dirty_but_not_returned(lib: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(x.mul_(2))
        return x * 2

    return make(lib, forward).apply(leaf(lib) * 1)


@program
def dirty_but_no_input(lib: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        y = x * 2
        ctx.mark_dirty(y)
        return y

    return make(lib, forward).apply(leaf(lib))


@program
def dirty_but_no_tensor(lib: Any) -> Any:
    return make(lib, lambda ctx, x: ctx.mark_dirty(3) or x * 2).apply(leaf(lib))


@program
def without_derivative(lib: Any) -> Any:
    seen: list[Any] = []

    def forward(ctx: Any, x: Any) -> Any:
        a, b = x * 2, x * 3
        ctx.mark_non_differentiable(b)
        return a, b

    x = leaf(lib)
    a, b = make(lib, forward, lambda ctx, g, h: seen.append(h) or g * 2).apply(x)
    a.sum().backward()
    return a, b, seen, x.grad


@program
def without_derivative_and_written_to(lib: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(x.mul_(2))
        ctx.mark_non_differentiable(x)
        return x

    x = leaf(lib) * 1
    y = make(lib, forward).apply(x)
    return y is x, y, x


@program
def without_derivative_as_it_came(lib: Any) -> Any:
    x = leaf(lib)
    y = make(lib, lambda ctx, x: ctx.mark_non_differentiable(x) or x).apply(x)
    return y is x, y, y._is_view(), x


@program
def without_derivative_but_no_tensor(lib: Any) -> Any:
    return make(lib, lambda ctx, x: ctx.mark_non_differentiable(3) or x * 2).apply(leaf(lib))


@program
def zeros_for_what_nobody_used(lib: Any) -> Any:
    seen: list[Any] = []
    for wanted in (True, False):

        def forward(ctx: Any, x: Any, wanted: bool = wanted) -> Any:
            ctx.set_materialize_grads(wanted)
            return x * 2, (x * 3).view(2, 1)

        x = leaf(lib)
        results = make(lib, forward, lambda ctx, g, h: seen.append((g, h)) or g * 2).apply(x)
        results[0].sum().backward()
    return seen


# -- saved tensors ------------------------------------------------------------------------------------------------


@program
def saved_and_read(lib: Any) -> Any:
    seen: list[Any] = []

    def forward(ctx: Any, x: Any) -> Any:
        y = x * x
        ctx.save_for_backward(x * 9, y, None)
        ctx.save_for_backward(x, y, None)
        seen.append(ctx.saved_tensors)
        return y

    def backward(ctx: Any, g: Any) -> Any:
        x, y, nothing = ctx.saved_tensors
        seen.append((x, y, nothing))
        return 2 * g * x

    x = leaf(lib)
    y = make(lib, forward, backward).apply(x)
    seen.append(y.grad_fn.saved_tensors)
    y.sum().backward()
    return seen, x.grad


@program
def saved_and_freed(lib: Any) -> Any:
    y = make(lib, keeping, by_kept).apply(leaf(lib)).sum()
    y.backward()
    y.backward()


@program
def read_after_they_were_freed(lib: Any) -> Any:
    y = make(lib, keeping, by_kept).apply(leaf(lib))
    y.sum().backward()
    return y.grad_fn.saved_tensors


@program
def backward_twice_without_saved_tensors(lib: Any) -> Any:
    x = leaf(lib)
    y = make(lib, double).apply(x)
    y.sum().backward()
    y.sum().backward()
    return x.grad


@program
def a_saved_input_written_to(lib: Any) -> Any:
    x = leaf(lib) * 1
    y = make(lib, keeping, by_kept).apply(x)
    x.add_(1)
    y.sum().backward()


@program
def a_saved_result_written_to(lib: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        y = x * 2
        ctx.save_for_backward(y)
        return y

    y = make(lib, forward, by_kept).apply(leaf(lib))
    y.add_(1)
    y.sum().backward()


@program
def saving_what_is_no_tensor(lib: Any) -> Any:
    return make(lib, lambda ctx, x: ctx.save_for_backward(x, 3) or x * 2).apply(leaf(lib))


@program
def differentiated_twice(lib: Any) -> Any:
    x = leaf(lib)
    (g,) = lib.autograd.grad(make(lib, keeping, by_kept).apply(x).sum(), x, create_graph=True)
    g.sum().backward()
    return g, x.grad


# -- what backward returns ----------------------------------------------------------------------------------------

RETURNED: dict[str, tuple[int, Callable[[Any, Any], Any]]] = {
    "too few": (2, lambda lib, g: g),
    "too many": (1, lambda lib, g: (g, g)),
    "too many, but None": (1, lambda lib, g: (g, None, None)),
    "a number": (1, lambda lib, g: 3.0),
    "a list": (1, lambda lib, g: [g]),
    "None": (1, lambda lib, g: None),
    "another size": (1, lambda lib, g: lib.ones(3)),
    "no dimensions": (1, lambda lib, g: lib.ones(())),
    "more to add up": (1, lambda lib, g: lib.ones(3, 2)),
    "double": (1, lambda lib, g: g.double()),
    "integers": (1, lambda lib, g: g.int()),
}


@pytest.mark.parity
@pytest.mark.parametrize("case", RETURNED)
def test_backward_returns(case: str) -> None:
    count, result = RETURNED[case]

    def backward_of_it(lib: Any) -> Any:
        x = leaf(lib)
        fn = make(lib, lambda ctx, *xs: xs[0] * 2, lambda ctx, g: result(lib, g))
        fn.apply(*[x] * count).sum().backward()
        return x.grad

    assert differing(backward_of_it, require_torch()) is None


@program
def a_gradient_for_a_number(lib: Any) -> Any:
    make(lib, lambda ctx, x, k: x * k, lambda ctx, g: (g, g)).apply(leaf(lib), 3).sum().backward()


@program
def a_gradient_that_nobody_needs(lib: Any) -> Any:
    x = leaf(lib)
    y = make(lib, lambda ctx, x, k: x * k, lambda ctx, g: (g, g)).apply(x, lib.ones(2))
    y.sum().backward()
    return x.grad, y


@program
def backward_that_raises(lib: Any) -> Any:
    x = leaf(lib)
    y = make(lib, keeping, lambda ctx, g: 1 / 0).apply(x)
    with pytest.raises(ZeroDivisionError):
        y.sum().backward()
    return x.grad, y.grad_fn.saved_tensors


# -- other ways to write one --------------------------------------------------------------------------------------


@program
def context_set_up_apart(lib: Any) -> Any:
    seen: list[Any] = []

    class Scale(lib.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(x: Any, k: Any = 3) -> Any:
            return x * k, x + k

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> Any:
            seen.append((inputs, output, ctx.needs_input_grad, lib.is_grad_enabled()))
            ctx.k = inputs[1]
            ctx.save_for_backward(inputs[0])

        @staticmethod
        def backward(ctx: Any, g: Any, h: Any) -> Any:
            return g * ctx.k + h, None

    x = leaf(lib)
    y, z = Scale.apply(x)
    (y.sum() + z.sum()).backward()
    return y, z, x.grad, seen


@program
def context_set_up_apart_with_an_argument_missing(lib: Any) -> Any:
    class Scale(lib.autograd.Function):  # type: ignore[misc]
        @staticmethod
        def forward(x: Any, k: Any) -> Any:
            return x * k

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> Any:
            return None

    return Scale.apply(leaf(lib))


@program
def vjp_is_another_name_of_backward(lib: Any) -> Any:
    body = {"forward": staticmethod(double), "vjp": staticmethod(lambda ctx, g: g * 2)}
    x = leaf(lib)
    type("V", (lib.autograd.Function,), body).apply(x).sum().backward()
    return x.grad


@program
def both_vjp_and_backward(lib: Any) -> Any:
    body = {name: staticmethod(lambda ctx, g: g * 2) for name in ("forward", "vjp", "backward")}
    type("V", (lib.autograd.Function,), body).apply(leaf(lib)).sum().backward()


@program
def no_forward(lib: Any) -> Any:
    return type("V", (lib.autograd.Function,), {}).apply(leaf(lib))


@program
def no_backward(lib: Any) -> Any:
    type("V", (lib.autograd.Function,), {"forward": staticmethod(double)}).apply(leaf(lib)).sum().backward()


@program
def forward_that_is_not_static(lib: Any) -> Any:
    return type("V", (lib.autograd.Function,), {"forward": lambda self, x: x * 2}).apply(leaf(lib))


@program
def an_instance(lib: Any) -> Any:
    class Old(lib.autograd.Function):  # type: ignore[misc]
        def forward(self, x: Any) -> Any:
            return x

    return Old()(leaf(lib))


def test_an_instance_is_warned_of() -> None:
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        tk.autograd.Function()


# -- once ---------------------------------------------------------------------------------------------------------


def once(lib: Any, backward: Any = lambda ctx, g: g * 2) -> Any:
    return make(lib, lambda ctx, x, *more: x * 2, lib.autograd.function.once_differentiable(backward))


@program
def once_is_enough(lib: Any) -> Any:
    seen: list[Any] = []
    x = leaf(lib)
    fn = once(lib, lambda ctx, g: seen.append(lib.is_grad_enabled()) or g * 2)
    (g,) = lib.autograd.grad(fn.apply(x * x).sum(), x, create_graph=True)
    g.sum().backward()
    return seen, g, x.grad.tolist()


@program
def once_but_asked_twice(lib: Any) -> Any:
    x = leaf(lib)
    start = lib.ones(2, requires_grad=True)
    (g,) = lib.autograd.grad(once(lib).apply(x), x, start, create_graph=True)
    g.sum().backward()


@program
def what_once_leaves_behind(lib: Any) -> Any:
    x = leaf(lib)
    start = lib.ones(2, requires_grad=True)
    fn = once(lib, lambda ctx, g: (g * 2, None))
    (g,) = lib.autograd.grad(fn.apply(x, 3), x, start, create_graph=True)
    return g.tolist(), g.requires_grad, repr(g)


# -- the comparison -----------------------------------------------------------------------------------------------


@pytest.mark.parity
@pytest.mark.parametrize("one", PROGRAMS, ids=lambda one: one.__name__)
def test_as_under_pytorch(one: Callable[[Any], Any]) -> None:
    assert differing(one, require_torch()) is None


def test_a_difference_would_be_seen() -> None:
    """The comparison itself: of numbers, of names in the graph, of errors and of warnings."""
    torch = require_torch()
    assert differing(lambda lib: lib.ones(2) * (1 if lib is torch else 2), torch) is not None
    assert differing(
        lambda lib: make(lib, double).apply(leaf(lib) * (1 if lib is torch else leaf(lib))), torch
    )
    assert differing(lambda lib: [][lib is torch], torch) is None
    assert differing(lambda lib: [][0] if lib is torch else {}[0], torch) is not None
    assert run(no_forward, tk).error is not None


def test_a_graph_goes_when_its_result_goes() -> None:
    """No circle keeps a ctx alive, though it keeps the result."""

    def forward(ctx: Any, x: Any) -> Any:
        y = x * x
        ctx.save_for_backward(x, y)
        return y

    gc.disable()
    try:
        y = make(tk, forward, by_kept).apply(leaf(tk))
        there = weakref.ref(y.grad_fn)
        y.sum().backward()
        del y
        assert there() is None
        y = make(tk, forward, by_kept).apply(leaf(tk))
        there = weakref.ref(y.grad_fn)
        del y
        assert there() is None
    finally:
        gc.enable()


def test_a_warning_names_the_line_that_called() -> None:
    with pytest.warns(UserWarning, match="received a tensor that was not an input") as caught:
        dirty_but_no_input(tk)
    assert caught[0].filename == __file__


def test_functions_may_be_as_deep_as_other_operations() -> None:
    fn = make(tk, lambda ctx, x: x * 1, lambda ctx, g: g)
    x = leaf(tk)
    y = x
    for _ in range(3 * sys.getrecursionlimit()):
        y = fn.apply(y)
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]
