"""Steps in one pass over memory: the bits of the formulas, and only where nothing else has to be looked at."""

from __future__ import annotations

from typing import Any

import pytest

import tensorkit
from tensorkit.kernels.cpu import optim_compiled
from tensorkit.kernels.jit import compiler
from tensorkit.optim import one_pass
from tests.training.optim.training import arrays, flat, tensor, train

CASES: dict[str, list[dict[str, Any]]] = {
    "SGD": [
        {"lr": 0.05},
        {"lr": 0.05, "weight_decay": 0.1, "maximize": True},
        {"lr": 0.05, "momentum": 0.9, "dampening": 0.3, "weight_decay": 0.01},
        {"lr": 0.05, "momentum": 0.9, "nesterov": True},
    ],
    "Adam": [{}, {"betas": (0.3, 0.5), "weight_decay": 0.1, "maximize": True}, {"amsgrad": True}],
    "AdamW": [{"lr": 0.03, "weight_decay": 0.3}],
    "Adamax": [{}, {"betas": (0.3, 0.5), "weight_decay": 0.1, "maximize": True}],
    "NAdam": [
        {},
        {"betas": (0.3, 0.5), "weight_decay": 0.1},
        {"weight_decay": 0.1, "decoupled_weight_decay": True, "momentum_decay": 0.3},
    ],
    "Adadelta": [{}, {"rho": 0.6, "eps": 1e-3, "weight_decay": 0.1}],
    "ASGD": [{}, {"t0": 1, "lambd": 0.1, "weight_decay": 0.1}],
    "RMSprop": [
        {},
        {"alpha": 0.6, "eps": 1e-4, "weight_decay": 0.1},
        {"momentum": 0.9, "weight_decay": 0.1},
    ],
    "Adagrad": [{}, {"lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.5}],
}


def steps(name: str, options: dict[str, Any], kind: str) -> Any:
    """Numbers that are normal and ones that are none, in tensors that lie in rows and one that does not."""
    params = [
        tensor(tensorkit, kind, size, 3 + place)
        for place, size in enumerate([(40, 50), (7,), (), (0,), (5, 4)])
    ]
    params[0][0, :4] = tensorkit.tensor([float("inf"), float("nan"), 0.0, -0.0])
    params = [*params[:-1], params[-1].t(), tensorkit.zeros(1)]
    for param in params:
        param.requires_grad_()
    optimizer = getattr(tensorkit.optim, name)(params, **options)
    train(tensorkit, optimizer, params, kind, 4)
    versions = [param._version for param in params]
    return flat(arrays([params, optimizer.state_dict()["state"]])), versions


@pytest.mark.parametrize("kind", ["float32", "float64"])
@pytest.mark.parametrize("name", CASES)
def test_the_bits_are_those_of_the_formulas(name: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with compiler.at_once():
        quick = [steps(name, options, kind) for options in CASES[name]]
    monkeypatch.setattr(one_pass, "_run", lambda *given: False)
    for options, (own, versions) in zip(CASES[name], quick, strict=True):
        expected, written = steps(name, options, kind)
        assert all(
            first.tobytes() == expected[where].tobytes()
            if hasattr(first, "tobytes")
            else first == expected[where]
            for where, first in own.items()
        ), options
        assert [bool(count) for count in versions] == [bool(count) for count in written]


def test_it_is_refused_where_more_has_to_be_looked_at() -> None:
    group = {"lr": 0.1, "weight_decay": 0, "momentum": 0}
    p = tensorkit.ones(3)

    def done(param: Any, grad: Any, **options: Any) -> bool:
        with tensorkit.no_grad():
            return one_pass.sgd(param, grad, {}, group | options)

    pytest.importorskip("numba")
    with compiler.at_once():
        optim_compiled.descent.compiled()
        assert done(p, tensorkit.ones(3)) is (optim_compiled.descent.ready is not None)
        assert not one_pass.sgd(p, tensorkit.ones(3), {}, group)  # it might be recorded
        assert not done(p, tensorkit.ones(3), lr=tensorkit.tensor(0.1))
        assert not done(p, tensorkit.ones(3).double())
        assert not done(p, p)
        assert not done(p, tensorkit.ones(6)[::2])
        assert not done(tensorkit.ones(3).long(), tensorkit.ones(3).long())
        with tensorkit.tracing.record() as events:
            assert not done(p, tensorkit.ones(3))
        assert events


def test_another_bit_would_be_seen() -> None:
    one, other = (steps("SGD", {"lr": lr}, "float64")[0] for lr in (0.05, 0.05000000000000001))
    assert any(one[where].tobytes() != other[where].tobytes() for where in one)
