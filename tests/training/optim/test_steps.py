"""Steps of every optimizer with every option: the numbers are PyTorch's."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

import tensorkit
from tests.structure.source import ROOT
from tests.torch_oracle import sentence
from tests.training.optim.training import (
    CASES,
    KINDS,
    STEPS,
    arrays,
    distance,
    flat,
    make,
    number,
    tensor,
    train,
    trained,
)

pytestmark = pytest.mark.parity

#: How many roundings may be between the two after twenty steps; see `exact` for why there are any.
APART = 16

ALL = [(name, options) for name, cases in CASES.items() for options in cases]


def named(case: Any) -> str:
    return " ".join(map(str, case)) if isinstance(case, tuple) else ""


@pytest.mark.parametrize("case", ALL, ids=named)
def test_steps_are_pytorchs(torch: Any, case: tuple[str, dict[str, Any]]) -> None:
    for kind in KINDS:
        steps = STEPS if kind == "float32" else STEPS // 4
        own, theirs = (trained(lib, *case, kind, steps) for lib in (tensorkit, torch))
        assert distance(own, theirs, kind) < APART, kind


def test_every_bit_is_pytorchs_where_it_rounds_as_numpy_does(torch: Any) -> None:
    environment = {**os.environ, "ATEN_CPU_CAPABILITY": "default", "TENSORKIT_COMPILED": "0"}
    found = subprocess.run(
        [sys.executable, "-m", "tests.training.optim.exact"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert (found.stdout, found.returncode) == ("", 0), found.stderr


@pytest.mark.parametrize("name", CASES)
def test_lists_of_tensors_make_no_difference(torch: Any, name: str) -> None:
    options = CASES[name][1] | {"foreach": True}
    own, theirs = (trained(lib, name, options, "float32") for lib in (tensorkit, torch))
    assert distance(own, theirs, "float32") < APART


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "Adagrad"])
def test_one_loop_for_a_step_makes_no_difference(torch: Any, name: str) -> None:
    """PyTorch's own takes no strides into account: only parameters that lie as their gradients do."""

    def run(lib: Any) -> Any:
        params = [
            tensor(lib, "float64", (5, 7), 1).requires_grad_(),
            tensor(lib, "float64", (2,), 2).requires_grad_(),
        ]
        optimizer = getattr(lib.optim, name)(params, **CASES[name][1], fused=True)
        train(lib, optimizer, params, "float64")
        return flat(arrays([params, optimizer.state_dict()["state"]]))

    assert distance(run(tensorkit), run(torch), "float64") < APART


#: What is a tensor of one element here is a number elsewhere.
TENSORS: list[tuple[str, dict[str, float], dict[str, Any]]] = [
    ("SGD", {"lr": 0.1}, {"momentum": 0.9}),
    ("SGD", {"lr": 0.1, "weight_decay": 0.1}, {}),
    ("Adam", {"lr": 0.1}, {"amsgrad": True, "weight_decay": 0.1}),
    ("AdamW", {"lr": 0.1}, {}),
    ("RMSprop", {"lr": 0.1}, {"momentum": 0.5}),
    ("Adagrad", {"lr": 0.1}, {}),
    ("Adadelta", {"lr": 0.1}, {}),
    ("Adamax", {"lr": 0.1}, {}),
    ("NAdam", {"lr": 0.1}, {}),
    ("RAdam", {"lr": 0.1}, {"betas": (0.8, 0.9)}),
    ("Rprop", {"lr": 0.1}, {}),
    ("ASGD", {"lr": 0.1}, {"t0": 3}),
]


@pytest.mark.parametrize(("name", "tensors", "options"), TENSORS, ids=[named(case[:2]) for case in TENSORS])
def test_options_may_be_tensors(
    torch: Any, name: str, tensors: dict[str, float], options: dict[str, Any]
) -> None:
    def run(lib: Any) -> Any:
        given = {name: lib.tensor([value] if name == "lr" else value) for name, value in tensors.items()}
        return trained(lib, name, given | options, "float64", 6)

    assert distance(run(tensorkit), run(torch), "float64") < APART


@pytest.mark.parametrize("kind", ["float64", "float32"])
def test_betas_may_be_tensors(torch: Any, kind: str) -> None:
    """Their powers are of their dtype; the last digit is the processor's."""

    def run(lib: Any) -> Any:
        dtype = getattr(lib, kind)
        betas = (lib.tensor(0.8, dtype=dtype), lib.tensor([0.9], dtype=dtype))
        return trained(lib, "Adam", {"betas": betas}, "float64", 6)

    assert distance(run(tensorkit), run(torch), kind) < APART


@pytest.mark.parametrize("case", [case for case in ALL if case[0] != "LBFGS"], ids=named)
def test_steps_can_be_differentiated(torch: Any, case: tuple[str, dict[str, Any]]) -> None:
    """The gradient of a loss after three steps, by the parameters before the first; or the same refusal."""
    name, options = case

    def run(lib: Any) -> Any:
        lib.set_default_dtype(lib.float64)  # in which the count of steps is then, and powers of it
        try:
            return steps(lib)
        except RuntimeError as error:
            return {"refused": sentence(error)}
        finally:
            lib.set_default_dtype(lib.float32)

    def steps(lib: Any) -> Any:
        begin = tensor(lib, "float64", (2, 3), 5).requires_grad_()
        param = begin.clone()
        optimizer = getattr(lib.optim, name)([param], **options, differentiable=True)
        slopes = [tensor(lib, "float64", (2, 3), seed).requires_grad_() for seed in (6, 7, 8)]
        for slope in slopes:
            param.grad = slope * 1.0
            optimizer.step()
        (param**2).sum().backward()
        return flat(arrays([param, begin.grad, [slope.grad for slope in slopes]]))

    assert distance(run(tensorkit), run(torch), "float64") < 10 * APART


SEARCHES: list[dict[str, Any]] = [
    {},
    {"lr": 0.1},
    {"line_search_fn": "strong_wolfe"},
    {"history_size": 3, "max_iter": 7, "lr": 0.3},
    {"history_size": 3, "max_iter": 7, "line_search_fn": "strong_wolfe", "max_eval": 6},
    {"lr": 5, "line_search_fn": "strong_wolfe", "max_iter": 3},
]


@pytest.mark.parametrize("options", SEARCHES, ids=str)
@pytest.mark.parametrize("kind", ["float64", "complex"])
def test_newtons_steps_are_pytorchs(torch: Any, kind: str, options: dict[str, Any]) -> None:
    if kind == "complex":  # the last digit, which is the processor's, decides how long a line is searched
        kind = "complex128" if "line_search_fn" in options else "complex64"

    def run(lib: Any) -> tuple[list[float], Any]:
        params = [tensor(lib, kind, size, 7).requires_grad_() for size in ((3, 4), (2,), ())]
        optimizer, losses = lib.optim.LBFGS([*params, lib.zeros(2, requires_grad=True)], **options), []

        def closure() -> Any:
            optimizer.zero_grad()
            loss: Any = 0
            for shift, param in enumerate(params):
                real = lib.view_as_real(param) if param.is_complex() else param
                loss = (
                    loss
                    + ((real - 0.5 * shift) ** 4).sum()
                    + (shift + 1) * (real**2).sum()
                    + real.sin().sum()
                )
            loss.backward()
            losses.append(loss.item())
            return loss

        for _ in range(2):
            optimizer.step(closure)
        state = optimizer.state_dict()["state"]
        return losses, [arrays(params), {name: arrays(state[0][name]) for name in state[0]}]

    (losses, own), (expected, theirs) = run(tensorkit), run(torch)
    near = 1e-4 if kind == "complex64" else 1e-12
    assert losses == pytest.approx(expected, rel=near, abs=near)
    assert list(own[1]) == list(theirs[1])
    for one, other in zip(own[0], theirs[0], strict=True):
        assert one == pytest.approx(other, rel=near, abs=near)
    for name in ("func_evals", "n_iter"):
        assert own[1][name] == theirs[1][name]


def test_a_state_goes_on_in_the_other_library(torch: Any) -> None:
    """Through NumPy, both ways, after some steps: the rest is the same as without the change."""

    def moved(value: Any, lib: Any) -> Any:
        if isinstance(value, dict):
            return {name: moved(one, lib) for name, one in value.items()}
        if isinstance(value, list):
            return [moved(one, lib) for one in value]
        return lib.from_numpy(value.numpy().copy(order="K")) if hasattr(value, "numpy") else value

    def run(first: Any, second: Any, name: str, options: dict[str, Any]) -> Any:
        params, went_on = make(first, "float64"), make(second, "float64")
        optimizer = getattr(first.optim, name)(params, **options)
        train(first, optimizer, params, "float64", 4)
        for param, value in zip(went_on, params, strict=True):
            param.data.copy_(second.from_numpy(value.detach().numpy()))
        other = getattr(second.optim, name)(went_on)
        other.load_state_dict(moved(optimizer.state_dict(), second))
        train(second, other, went_on, "float64", 4, first=4)
        assert repr(other) == repr(optimizer)
        return flat(arrays([went_on, other.state_dict()["state"]]))

    for name, cases in CASES.items():
        whole = run(torch, torch, name, cases[1])
        for first, second in ((tensorkit, torch), (torch, tensorkit)):
            assert distance(run(first, second, name, cases[1]), whole, "float64") < APART, name


def test_a_wrong_digit_would_be_seen() -> None:
    own = trained(tensorkit, "SGD", {"lr": 0.05}, "float64")
    other = trained(tensorkit, "SGD", {"lr": 0.05 * (1 + 1e-12)}, "float64")
    assert distance(own, own, "float64") == 0
    assert distance(own, other, "float64") > APART
    assert number("complex64", (), 1).dtype == "complex64"
