"""`func` gives PyTorch's numbers, structures and sentences."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

import pytest

import tensorkit as tk
from tests.torch_oracle import require_torch, sentence

Pair = namedtuple("Pair", "left right")


def plain(value: Any) -> Any:
    """A result without its library: numbers, with what history each tensor has."""
    if hasattr(value, "detach"):
        return ("tensor", value.tolist(), str(value.dtype).split(".")[1], value.requires_grad)
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, (tuple, list)):
        return [type(value).__name__, *map(plain, value)]
    return value


def seen(do: Callable[[Any], Any], lib: Any) -> Any:
    try:
        return plain(do(lib))
    except Exception as error:
        return type(error).__name__, sentence(error).replace("\n  ", "\n")


def line(lib: Any) -> Any:
    class Line(lib.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.weight = lib.nn.Parameter(lib.tensor([1.0, 2.0]))
            self.tied = self.weight
            self.inner = lib.nn.Module()
            self.inner.register_buffer("shift", lib.tensor([0.5]))

        def forward(self, x: Any) -> Any:
            self.inner.shift = self.inner.shift + 1
            return x * self.weight + self.tied + self.inner.shift

    return Line()


def call(lib: Any, given: Any, **how: Any) -> Any:
    model = line(lib)
    out = lib.func.functional_call(model, given, (lib.ones(2),), **how)
    return out, given, model.inner.shift, model.weight


def vjp_of(lib: Any) -> Any:
    value, pulled = lib.func.vjp(lambda x, y: {"a": x * y, "b": x.sum()}, lib.arange(2.0), lib.ones(2))
    return value, pulled({"a": lib.ones(2), "b": lib.tensor(2.0)})


def ensemble(lib: Any) -> Any:
    params, buffers = lib.func.stack_module_state([line(lib), line(lib)])
    return params, buffers


CASES: dict[str, Callable[[Any], Any]] = {
    "grad": lambda t: t.func.grad(lambda x: (x**3).sum())(t.arange(3.0)),
    "grad of grad": lambda t: t.func.grad(t.func.grad(lambda x: x**3))(t.tensor(2.0)),
    "grad by two": lambda t: t.func.grad(lambda x, y: (x * y).sum(), argnums=(1, 0))(
        t.ones(2), t.arange(2.0)
    ),
    "grad by a dict": lambda t: t.func.grad(lambda p: (p["a"] * p["b"][0]).sum())(
        {"a": t.ones(2), "b": [t.arange(2.0)]}
    ),
    "grad with aux": lambda t: t.func.grad(lambda x: (x.sum(), x * 2), has_aux=True)(t.ones(2)),
    "grad and value": lambda t: t.func.grad_and_value(lambda x: (x * x).sum())(t.ones(2)),
    "unused": lambda t: t.func.grad(lambda x, y: (y * 2).sum())(t.ones(2), t.ones(2)),
    "history of the argument": lambda t: t.func.grad(lambda x: (x * x).sum())(t.ones(2, requires_grad=True)),
    "history of a weight": lambda t: (lambda w: t.func.grad(lambda x: (x * w).sum())(t.ones(2)))(
        t.ones(2, requires_grad=True)
    ),
    "no history": lambda t: t.func.grad(lambda x: (x * x).sum())(t.ones(2)),
    "grad of many": lambda t: t.func.grad(lambda x: x)(t.ones(2)),
    "grad of a float": lambda t: t.func.grad(lambda x: 3.0)(t.ones(2)),
    "grad by an int": lambda t: t.func.grad(lambda x: x)(3),
    "grad by argument 2": lambda t: t.func.grad(lambda x: x, argnums=2)(t.ones(2)),
    "grad by one twice": lambda t: t.func.grad(lambda x: x, argnums=(0, 0))(t.ones(2)),
    "grad without aux": lambda t: t.func.grad(lambda x: x.sum(), has_aux=True)(t.ones(2)),
    "grad of integers": lambda t: t.func.grad(lambda x: x.sum())(t.ones(2, dtype=t.int64)),
    "jacrev": lambda t: t.func.jacrev(lambda x: (x * x, x.sum()))(t.arange(3.0)),
    "jacrev of two": lambda t: t.func.jacrev(lambda x, y: x[:, None] * y, argnums=(0, 1))(
        t.ones(2), t.arange(3.0)
    ),
    "jacrev of a dict": lambda t: t.func.jacrev(lambda p: p["a"] * 2)({"a": t.ones(2)}),
    "jacrev of an int": lambda t: t.func.jacrev(lambda x: 3)(t.ones(2)),
    "jacrev of complex": lambda t: t.func.jacrev(lambda x: x)(t.ones(2, dtype=t.complex64)),
    "jacfwd": lambda t: t.func.jacfwd(lambda x: x * x.sum())(t.arange(3.0)),
    "hessian": lambda t: t.func.hessian(lambda x: (x**3).sum() * x[0])(t.arange(1.0, 3.0)),
    "vjp": vjp_of,
    "vjp of another form": lambda t: t.func.vjp(lambda x: x * 2, t.ones(2))[1](t.ones(3)),
    "jvp": lambda t: t.func.jvp(lambda x, y: x * y, (t.ones(2), t.arange(2.0)), (t.ones(2), t.ones(2))),
    "jvp of no tuple": lambda t: t.func.jvp(lambda x: x, t.ones(2), t.ones(2)),
    "linearize": lambda t: t.func.linearize(lambda x: x * x, t.arange(2.0))[1](t.ones(2)),
    "vmap": lambda t: t.vmap(lambda x: x.sum())(t.arange(6.0).view(2, 3)),
    "vmap of dot": lambda t: t.vmap(t.dot, in_dims=(0, None))(t.arange(6.0).view(2, 3), t.ones(3)),
    "vmap in and out": lambda t: t.vmap(lambda x: (x, x * 2), in_dims=1, out_dims=(0, -1))(
        t.arange(6.0).view(2, 3)
    ),
    "vmap of a dict": lambda t: t.vmap(lambda p: {"s": p["a"] + 1}, in_dims=({"a": -1},))(
        {"a": t.ones(2, 3)}
    ),
    "vmap of a pair": lambda t: t.vmap(lambda x: Pair(x, x + 1))(t.ones(2)),
    "vmap of grad": lambda t: t.vmap(t.func.grad(lambda x: x**2))(t.arange(3.0)),
    "vmap of a history": lambda t: t.vmap(lambda x: x * 2)(t.ones(2, requires_grad=True)),
    "vmap of vmap": lambda t: t.vmap(t.vmap(lambda x, y: x * y, in_dims=(None, 0)), in_dims=(0, None))(
        t.arange(2.0), t.arange(3.0)
    ),
    "vmap of no samples": lambda t: t.vmap(lambda x: x.sum())(t.ones(0, 2)),
    "vmap in chunks": lambda t: t.vmap(lambda x: x + 1, chunk_size=2)(t.ones(3)),
    "vmap same random": lambda t: (lambda out: out[0] == out[1])(
        t.vmap(lambda x: x + t.rand(1), randomness="same")(t.zeros(2))
    ),
    "vmap random": lambda t: t.vmap(lambda x: x + t.rand(1))(t.ones(2)),
    "vmap in_dims": lambda t: t.vmap(lambda x: x, in_dims=(0, 0))(t.ones(2)),
    "vmap in_dim 2": lambda t: t.vmap(lambda x: x, in_dims=2)(t.ones(2, 3)),
    "vmap in_dim None": lambda t: t.vmap(lambda x: x, in_dims=None)(t.ones(2)),
    "vmap in_dim text": lambda t: t.vmap(lambda x: x, in_dims="a")(t.ones(2)),
    "vmap sizes": lambda t: t.vmap(lambda x, y: x)(t.ones(2), t.ones(3)),
    "vmap a number": lambda t: t.vmap(lambda x, y: x)(t.ones(2), 3),
    "vmap to a number": lambda t: t.vmap(lambda x: 3)(t.ones(2)),
    "vmap out_dims": lambda t: t.vmap(lambda x: x, out_dims=(0, 1))(t.ones(2)),
    "vmap out_dim None": lambda t: t.vmap(lambda x: x, out_dims=None)(t.ones(2)),
    "vmap of nothing": lambda t: t.vmap(lambda x: x)(),
    "vmap of 0-d": lambda t: t.vmap(lambda x: x)(t.ones(())),
    "vmap randomness": lambda t: t.vmap(lambda x: x, randomness="q")(t.ones(2)),
    "call": lambda t: call(t, {"weight": t.tensor([3.0, 4.0]), "inner.shift": t.zeros(1)}),
    "call with two": lambda t: call(t, ({"weight": t.ones(2)}, {"inner.shift": t.zeros(1)}))[0],
    "call untied": lambda t: call(t, {"weight": t.zeros(2)}, tie_weights=False)[0],
    "call strict": lambda t: call(t, {"weight": t.zeros(2), "b": t.ones(1)}, strict=True),
    "call of one twice": lambda t: call(t, ({"weight": t.ones(2)}, {"weight": t.ones(2)})),
    "call of tied": lambda t: call(t, {"weight": t.ones(2), "tied": t.ones(2)}),
    "call of a number": lambda t: t.func.functional_call(line(t), 3, t.ones(1)),
    "ensemble": ensemble,
    "no ensemble": lambda t: t.func.stack_module_state([]),
}


@pytest.mark.parity
@pytest.mark.parametrize("name", CASES)
def test_numbers_structures_and_sentences_are_pytorchs(name: str) -> None:
    assert seen(CASES[name], tk) == seen(CASES[name], require_torch())


def test_a_batch_of_random_numbers_differs() -> None:
    out = tk.vmap(lambda x: x + tk.rand(1), randomness="different")(tk.zeros(2))
    assert out[0] != out[1]


def test_gradients_reach_what_was_given() -> None:
    weight = tk.ones(2, requires_grad=True)
    model = line(tk)
    tk.func.functional_call(model, {"weight": weight}, tk.ones(2)).sum().backward()
    assert weight.grad.tolist() == [2.0, 2.0]
    assert model.weight.grad is None
