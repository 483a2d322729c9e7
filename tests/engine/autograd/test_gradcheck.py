"""`gradcheck` and `gradgradcheck`: they pass what is right, and say of what is wrong what PyTorch says."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit.autograd import GradcheckError, gradcheck, gradgradcheck
from tests.support.same_program import differing, run
from tests.torch_oracle import require_torch

PROGRAMS: list[Callable[[Any], Any]] = []


def program(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    PROGRAMS.append(function)
    return function


def point(lib: Any, *numbers: Any) -> Any:
    kind = lib.complex128 if any(isinstance(n, complex) for n in numbers) else lib.float64
    return lib.tensor(list(numbers) or [1.0, 2.0], dtype=kind, requires_grad=True)


def wrong(lib: Any, forward: Any, backward: Any) -> Any:
    body = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("Wrong", (lib.autograd.Function,), body).apply


def thrice(lib: Any) -> Any:
    """Says 3 where 2 is right."""
    return wrong(lib, lambda ctx, x: x * 2, lambda ctx, g: g * 3)


# -- what is right ------------------------------------------------------------------------------------------------

RIGHT: dict[str, Callable[[Any], bool]] = {
    "one input, bare": lambda lib: lib.autograd.gradcheck(lambda x: x * x, point(lib)),
    "a tuple": lambda lib: lib.autograd.gradcheck(lambda x: x * x, (point(lib),)),
    "a list of two": lambda lib: lib.autograd.gradcheck(lambda x, y: x * y, [point(lib), point(lib)]),
    "two outputs": lambda lib: lib.autograd.gradcheck(
        lambda x, y: (x * y, y.sum()), (point(lib), point(lib))
    ),
    "one that needs none": lambda lib: lib.autograd.gradcheck(lambda x, y: x * y, (point(lib), lib.ones(2))),
    "a number beside it": lambda lib: lib.autograd.gradcheck(lambda x, k: x * k, (point(lib), 3)),
    "complex": lambda lib: lib.autograd.gradcheck(lambda x: x * x.abs(), point(lib, 1 + 2j, 3 - 1j)),
    "complex to real": lambda lib: lib.autograd.gradcheck(lambda x: x.abs(), point(lib, 1 + 2j, 3 - 1j)),
    "real to complex": lambda lib: lib.autograd.gradcheck(lambda x: x * (1 + 2j), point(lib)),
    "no elements": lambda lib: lib.autograd.gradcheck(
        lambda x: x * 2, point(lib)[:0].detach().requires_grad_()
    ),
    "no results": lambda lib: lib.autograd.gradcheck(lambda x: (x * 2)[:0], point(lib)),
    "no dimensions": lambda lib: lib.autograd.gradcheck(
        lambda x: x * x, lib.tensor(2.0).double().requires_grad_()
    ),
    "transposed": lambda lib: lib.autograd.gradcheck(
        lambda x: x * x, lib.arange(6.0, dtype=lib.float64).view(2, 3).t().requires_grad_()
    ),
    "not a leaf": lambda lib: lib.autograd.gradcheck(lambda x: x * x, point(lib) * 2),
    "in place within": lambda lib: lib.autograd.gradcheck(lambda x: x.clone().mul_(x), point(lib)),
    "at a kink that has a slope on average": lambda lib: lib.autograd.gradcheck(
        lambda x: x.abs(), point(lib, 0.0)
    ),
    "within the tolerance asked for": lambda lib: lib.autograd.gradcheck(thrice(lib), point(lib), atol=2.0),
    "second": lambda lib: lib.autograd.gradgradcheck(lambda x: x * x * x, point(lib)),
    "second, complex": lambda lib: lib.autograd.gradgradcheck(lambda x: x * x * x, point(lib, 1 + 2j)),
    "second, of something linear": lambda lib: lib.autograd.gradgradcheck(lambda x: x * 2, point(lib)),
    "second, starts given": lambda lib: lib.autograd.gradgradcheck(
        lambda x: x * x * x, point(lib), point(lib)
    ),
    "second, starts apart": lambda lib: lib.autograd.gradgradcheck(
        lambda x: (x * x * x, x.sum()), point(lib), gen_non_contig_grad_outputs=True
    ),
}


@pytest.mark.parity
@pytest.mark.parametrize("case", RIGHT)
def test_what_is_right_passes(case: str) -> None:
    assert RIGHT[case](tk) is True
    assert differing(RIGHT[case], require_torch()) is None


# -- what is wrong ------------------------------------------------------------------------------------------------


@program
def a_wrong_factor(lib: Any) -> Any:
    return lib.autograd.gradcheck(thrice(lib), point(lib))


@program
def only_told(lib: Any) -> Any:
    return lib.autograd.gradcheck(thrice(lib), point(lib), raise_exception=False)


@program
def the_second_of_two(lib: Any) -> Any:
    return lib.autograd.gradcheck(lambda x, y: (x * y, thrice(lib)(y)), (point(lib), point(lib)))


@program
def no_derivative_at_all(lib: Any) -> Any:
    return lib.autograd.gradcheck(wrong(lib, lambda ctx, x: x * 2, lambda ctx, g: None), point(lib))


@program
def complex_and_wrong(lib: Any) -> Any:
    return lib.autograd.gradcheck(wrong(lib, lambda ctx, x: x * x, lambda ctx, g: g * 3), point(lib, 1 + 2j))


@program
def too_few_digits(lib: Any) -> Any:
    return lib.autograd.gradcheck(lambda x: x * x, lib.ones(2, requires_grad=True))


@program
def cut_off(lib: Any) -> Any:
    return lib.autograd.gradcheck(lambda x: x.detach() * 2, point(lib))


@program
def nothing_to_check(lib: Any) -> Any:
    return lib.autograd.gradcheck(lambda x: x * x, lib.ones(2))


@program
def an_expanded_input(lib: Any) -> Any:
    return lib.autograd.gradcheck(lambda x: x * x, lib.ones(1).double().expand(3).requires_grad_())


@program
def a_function_that_raises(lib: Any) -> Any:
    return lib.autograd.gradcheck(lambda x: 1 / 0, point(lib), raise_exception=False)


@program
def another_result_each_time(lib: Any) -> Any:
    count = itertools.count()
    shifting = wrong(lib, lambda ctx, x: x * 2, lambda ctx, g: g * 2 + g * 1e-9 * next(count))
    assert lib.autograd.gradcheck(shifting, point(lib), nondet_tol=1e-3)
    return lib.autograd.gradcheck(shifting, point(lib))


@program
def the_second_derivative_is_missing(lib: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x

    cut = wrong(lib, forward, lambda ctx, g: g * 2 * ctx.saved_tensors[0].detach())
    assert lib.autograd.gradcheck(cut, point(lib))
    return lib.autograd.gradgradcheck(cut, point(lib))


@program
def a_gradient_from_nothing(lib: Any) -> Any:
    """Right for every gradient but the one that is not there."""

    def forward(ctx: Any, x: Any) -> Any:
        ctx.set_materialize_grads(False)
        return x * 2

    stubborn = wrong(lib, forward, lambda ctx, g: lib.ones(2).double() if g is None else g * 2)
    assert lib.autograd.gradcheck(stubborn, point(lib), check_undefined_grad=False)
    return lib.autograd.gradcheck(stubborn, point(lib))


@program
def an_error_without_a_gradient(lib: Any) -> Any:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.set_materialize_grads(False)
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        if g is None:
            raise RuntimeError("no gradient")
        return g * 2

    return lib.autograd.gradcheck(wrong(lib, forward, backward), point(lib))


@pytest.mark.parity
@pytest.mark.parametrize("one", PROGRAMS, ids=lambda one: one.__name__)
def test_what_is_wrong_is_told_as_pytorch_tells_it(one: Callable[[Any], Any]) -> None:
    assert differing(one, require_torch()) is None
    told = run(one, tk)
    assert told.error is not None or told.value is False


@pytest.mark.parity
@pytest.mark.parametrize("one", [a_wrong_factor, the_second_of_two, no_derivative_at_all, complex_and_wrong])
def test_both_matrices_are_shown(one: Callable[[Any], Any]) -> None:
    """The whole text, not just its first sentence."""
    texts = []
    for lib in (tk, require_torch()):
        with pytest.raises(lib.autograd.gradcheck.__globals__["GradcheckError"]) as caught:
            one(lib)
        texts.append(str(caught.value).replace("torch.", "tensorkit."))
    assert texts[0] == texts[1]


# -- what only we promise -----------------------------------------------------------------------------------------


def test_the_error_is_a_runtime_error() -> None:
    assert issubclass(GradcheckError, RuntimeError)


@pytest.mark.parametrize("name", ["fast_mode", "check_batched_grad", "check_forward_ad"])
def test_what_is_not_there_is_refused_with_a_sentence(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name}=True is not there"):
        gradcheck(lambda x: x * x, point(tk), **{name: True})


def test_the_inputs_come_back_as_they_were() -> None:
    x = point(tk, 1.0, 2.0, 3.0)
    base = x.detach().clone()
    gradcheck(lambda t: t * t, x)
    gradgradcheck(lambda t: t * t, x)

    def failing(t: Any) -> Any:
        if t.detach().sum().item() != 6.0:
            raise ValueError("moved")
        return t * t

    with pytest.raises(ValueError, match="moved"):
        gradcheck(failing, x)
    assert x.detach().equal(base)
    assert (x.grad, x._version, x.is_leaf) == (None, 0, True)


def test_a_failure_can_be_looked_at_again() -> None:
    """The starts are the same in every run, and no random number of anyone else's is used up."""
    starts: list[Any] = []

    def squares(x: Any) -> Any:
        return wrong(tk, lambda ctx, x: x * x, lambda ctx, g: starts.append(g.tolist()) or g * 2)(x)

    tk.manual_seed(3)
    expected = tk.rand(3).tolist()
    tk.manual_seed(3)
    runs = []
    for _ in range(2):
        starts.clear()
        gradgradcheck(squares, point(tk), raise_exception=False)
        runs.append(list(starts))
    assert runs[0] == runs[1]
    assert tk.rand(3).tolist() == expected


def test_every_part_of_a_complex_input_is_moved() -> None:
    """A derivative that is right along the real axis alone is found out."""
    only_real = wrong(tk, lambda ctx, x: x.real * 1, lambda ctx, g: g * (1 + 1j))
    with pytest.raises(GradcheckError, match="Jacobian mismatch"):
        gradcheck(only_real, point(tk, 1 + 2j))
    assert gradcheck(lambda x: x.real, point(tk, 1 + 2j))


def test_not_a_number_is_never_right() -> None:
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2

    with pytest.raises(GradcheckError):
        gradcheck(
            wrong(tk, forward, lambda ctx, g: g * numpy.nan),
            point(tk),
            check_undefined_grad=False,
            nondet_tol=1,
        )
