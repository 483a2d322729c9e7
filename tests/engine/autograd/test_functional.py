"""`autograd.functional`: each function, at each kind of point, in each mode, under PyTorch too."""

from __future__ import annotations

import gc
import itertools
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import tensorkit as tk
from tensorkit.autograd.functional import hessian, hvp, jacobian, jvp, vhp, vjp
from tests.support.same_program import differing
from tests.torch_oracle import require_torch

Point = Callable[[Any], Any]


def x(lib: Any) -> Any:
    return lib.tensor([1.0, 2.0])


def y(lib: Any) -> Any:
    return lib.tensor([3.0, 4.0, 5.0])


def both(lib: Any) -> Any:
    return x(lib), y(lib)


def squares(a: Any) -> Any:
    return a * a


def cubes(a: Any, *unused: Any) -> Any:
    return (a * a * a).sum()


def mixed(a: Any, b: Any) -> Any:
    return (a * a).sum() * (b * b * b).sum()


def two(a: Any, b: Any) -> Any:
    return a.sum() * b, (a * a).sum()


def first(a: Any, b: Any) -> Any:
    return a * 2


def constant(lib: Any) -> Any:
    return lambda a: x(lib)


def given(function: Any) -> Any:
    return lambda lib: function


# For each name: the function (given the library), the point, and the vector where one is given.
MATRICES: dict[str, list[tuple[Any, Point]]] = {
    "jacobian": [
        (given(squares), x),
        (given(squares), lambda lib: (x(lib),)),
        (given(two), both),
        (given(lambda a: a.sum()), x),
        (given(lambda a: (a * a,)), x),
        (given(lambda a: 3), x),
        (given(lambda a: [a]), x),
        (given(lambda a: (a, 2)), x),
        (given(squares), lambda lib: 3),
        (given(squares), lambda lib: (x(lib), 3)),
        (given(squares), lambda lib: [x(lib)]),
        (constant, x),
        (given(squares), lambda lib: lib.zeros(0)),
        (given(lambda a: a.view(2, 1) * a), x),
        (given(squares), lambda lib: lib.tensor([1, 2])),
        (given(squares), lambda lib: lib.tensor([1 + 1j])),
        (given(first), both),
    ],
    "hessian": [
        (given(cubes), x),
        (given(cubes), lambda lib: (x(lib),)),
        (given(mixed), both),
        (given(cubes), both),
        (given(squares), x),
        (given(lambda a: a.sum()), x),
        (given(lambda a: (a * a).sum()), x),
        (given(lambda a: (cubes(a),)), x),
        (given(lambda a: cubes(a).view(1, 1)), x),
        (constant, lambda lib: lib.ones(())),
        (given(lambda a: 3), x),
        (given(cubes), lambda lib: 3),
    ],
}
PRODUCTS: dict[str, list[tuple[Any, Point, Point | None]]] = {
    "vjp": [
        (given(squares), x, x),
        (given(squares), x, None),
        (given(cubes), x, None),
        (given(two), both, lambda lib: (y(lib), lib.tensor(2.0))),
        (given(two), both, lambda lib: (y(lib),)),
        (given(two), both, lambda lib: (y(lib), y(lib))),
        (given(squares), x, y),
        (given(squares), x, lambda lib: 3),
        (given(squares), x, both),
        (given(squares), x, lambda lib: (x(lib),)),
        (given(first), both, x),
        (constant, x, x),
    ],
    "jvp": [
        (given(squares), x, x),
        (given(squares), x, None),
        (given(squares), lambda lib: lib.tensor(2.0), None),
        (given(two), both, both),
        (given(two), both, lambda lib: (x(lib),)),
        (given(squares), x, y),
        (given(first), both, both),
        (given(lambda a: a * 2), x, x),
        (constant, x, x),
    ],
    "vhp": [
        (given(cubes), x, x),
        (given(cubes), x, None),
        (given(cubes), lambda lib: lib.tensor([2.0]), None),
        (given(mixed), both, both),
        (given(cubes), both, both),
        (given(squares), x, x),
        (given(lambda a: a.sum()), x, x),
        (given(lambda a: (a * a).sum()), x, x),
        (given(lambda a: (cubes(a), cubes(a))), x, x),
        (given(lambda a: cubes(a).view(1, 1)), x, x),
        (given(cubes), x, y),
        (lambda lib: lambda a: x(lib).sum(), x, x),
    ],
}
PRODUCTS["hvp"] = PRODUCTS["vhp"]
CASES = [(name, *case, None) for name, cases in MATRICES.items() for case in cases]
CASES += [(name, *case) for name, cases in PRODUCTS.items() for case in cases]  # type: ignore[misc]


def wanting(point: Any) -> Any:
    """The point, its tensors asking for gradients where they can."""
    if isinstance(point, tuple):
        return tuple(map(wanting, point))
    floating = hasattr(point, "is_floating_point") and (point.is_floating_point() or point.is_complex())
    return point.requires_grad_() if floating else point


def told(value: Any) -> Any:
    """What is compared: numbers, sizes, and whether there is a history, but not which nodes it is made of."""
    if isinstance(value, tuple):
        return tuple(map(told, value))
    return value.tolist(), tuple(value.size()), value.requires_grad, value.grad_fn is None


@pytest.mark.parity
@pytest.mark.parametrize("name", ["jacobian", "hessian", "vjp", "jvp", "vhp", "hvp"])
def test_as_under_pytorch(name: str) -> None:
    torch = require_torch()
    wrong, count = [], 0
    modes = list(itertools.product((False, True), repeat=3))
    for number, (_, function, point, vector) in enumerate(case for case in CASES if case[0] == name):
        for create_graph, strict, wants in modes:

            def program(
                lib: Any,
                function: Any = function,
                point: Point = point,
                vector: Point | None = vector,
                how: dict[str, bool] = {"create_graph": create_graph, "strict": strict},  # noqa: B006
                wants: bool = wants,
            ) -> Any:
                where = wanting(point(lib)) if wants else point(lib)
                more = () if vector is None else (vector(lib),)
                return told(getattr(lib.autograd.functional, name)(function(lib), where, *more, **how))

            count += 1
            found = differing(program, torch)
            if found is not None:
                wrong.append(
                    f"case {number}, create_graph={create_graph}, strict={strict}, {wants=}: {found}"
                )
    assert wrong == []
    assert count >= 9 * len(modes)


@pytest.mark.parity
@pytest.mark.parametrize(
    "how", [{"strategy": "sideways"}, {"strict": True, "vectorize": True}, {"vectorize": True}]
)
def test_the_other_ways_to_a_jacobian(how: dict[str, Any]) -> None:
    def program(lib: Any) -> Any:
        return told(lib.autograd.functional.jacobian(squares, x(lib), **how))

    assert differing(program, require_torch()) is None


def test_the_forward_mode_is_refused_with_a_sentence() -> None:
    with pytest.raises(NotImplementedError, match='take "reverse-mode", the numbers are the same'):
        jacobian(squares, x(tk), strategy="forward-mode")


def test_what_is_made_can_be_differentiated_again() -> None:
    point = tk.tensor([1.0, 2.0], dtype=tk.float64, requires_grad=True)
    vector = tk.tensor([0.5, -1.0], dtype=tk.float64, requires_grad=True)

    def cubed(a: Any) -> Any:
        return a * a * a * a.sum()

    for function in (
        lambda a, v: jacobian(cubed, a, create_graph=True),
        lambda a, v: hessian(lambda b: cubed(b).sum(), a, create_graph=True),
        lambda a, v: vjp(cubed, a, v, create_graph=True)[1],
        lambda a, v: jvp(cubed, a, v, create_graph=True)[1],
        lambda a, v: vhp(lambda b: cubed(b).sum(), a, v, create_graph=True)[1],
        lambda a, v: hvp(lambda b: cubed(b).sum(), a, v, create_graph=True)[1],
    ):
        assert tk.autograd.gradcheck(function, (point, vector))


def test_neither_the_point_nor_its_grad_changes() -> None:
    point = x(tk).requires_grad_()
    for create_graph in (False, True):
        jacobian(squares, point, create_graph=create_graph)
        hessian(cubes, point, create_graph=create_graph)
        jvp(squares, point, x(tk), create_graph=create_graph)
    assert point.grad is None
    assert point.is_leaf
    assert point._version == 0


def test_they_work_without_recording() -> None:
    with tk.no_grad():
        assert jacobian(squares, x(tk)).tolist() == [[2.0, 0.0], [0.0, 4.0]]
        assert hessian(cubes, x(tk)).tolist() == [[6.0, 0.0], [0.0, 12.0]]
        assert [part.tolist() for part in jvp(squares, x(tk), x(tk))] == [[1.0, 4.0], [2.0, 8.0]]


def test_no_graph_stays_behind() -> None:
    seen: list[Any] = []

    def watched(a: Any) -> Any:
        out = a * a
        seen.append(weakref.ref(out.grad_fn))
        return out

    gc.disable()
    try:
        jacobian(watched, x(tk))
        vjp(watched, x(tk), x(tk))
        assert [node() for node in seen] == [None, None]
    finally:
        gc.enable()
