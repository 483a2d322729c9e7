"""The same few steps of an optimizer in either library: parameters of many layouts, and gradients that are drawn once.

A parameter is a strided view of a seeded array, so that both libraries begin with the same bits.
"""

from __future__ import annotations

from typing import Any

import numpy

STEPS = 20
KINDS = ("float32", "float64", "bfloat16", "complex64")

#: Options of each optimizer; every option but `maximize`, `foreach` and `fused` changes the formula itself.
CASES: dict[str, list[dict[str, Any]]] = {
    "SGD": [
        {"lr": 0.05},
        {"lr": 0.05, "weight_decay": 0.1},
        {"lr": 0.05, "momentum": 0.9},
        {"lr": 0.05, "momentum": 0.9, "dampening": 0.3, "weight_decay": 0.01},
        {"lr": 0.05, "momentum": 0.9, "nesterov": True, "maximize": True},
    ],
    "Adam": [
        {},
        {"lr": 0.03, "betas": (0.8, 0.95), "eps": 1e-5, "weight_decay": 0.1},
        {"lr": 0.03, "amsgrad": True, "maximize": True},
        {"lr": 0.03, "weight_decay": 0.1, "decoupled_weight_decay": True},
        {"lr": 0.03, "betas": (0.3, 0.5)},
    ],
    "AdamW": [{}, {"lr": 0.03, "weight_decay": 0.3, "amsgrad": True}, {"maximize": True}],
    "RMSprop": [
        {},
        {"alpha": 0.6, "eps": 1e-4, "weight_decay": 0.1},
        {"momentum": 0.9, "maximize": True},
        {"centered": True},
        {"centered": True, "momentum": 0.5},
    ],
    "Adagrad": [
        {},
        {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.1},
        {"initial_accumulator_value": 0.5, "eps": 1e-4, "maximize": True},
    ],
    "Adadelta": [{}, {"lr": 0.5, "rho": 0.7, "eps": 1e-4, "weight_decay": 0.1}, {"maximize": True}],
    "Adamax": [{}, {"lr": 0.1, "betas": (0.8, 0.95), "eps": 1e-4, "weight_decay": 0.1}, {"maximize": True}],
    "NAdam": [
        {},
        {"lr": 0.1, "betas": (0.8, 0.95), "momentum_decay": 0.1, "weight_decay": 0.1},
        {"weight_decay": 0.1, "decoupled_weight_decay": True, "maximize": True},
    ],
    "RAdam": [
        {},
        {"lr": 0.1, "betas": (0.8, 0.95), "weight_decay": 0.1},
        {"weight_decay": 0.1, "decoupled_weight_decay": True, "maximize": True},
    ],
    "Rprop": [{}, {"lr": 0.1, "etas": (0.3, 1.5), "step_sizes": (1e-3, 0.2)}, {"maximize": True}],
    "ASGD": [{}, {"lr": 0.1, "lambd": 0.01, "alpha": 0.5, "t0": 5, "weight_decay": 0.1}, {"maximize": True}],
}


def number(kind: str, size: tuple[int, ...], seed: int) -> numpy.ndarray[Any, Any]:
    """Seeded numbers of a dtype that NumPy has; for bfloat16 of float32."""
    draw = numpy.random.default_rng(seed).standard_normal
    if kind.startswith("complex"):
        return numpy.asarray(draw(size) + 1j * draw(size), kind)
    return numpy.asarray(draw(size), "float32" if kind == "bfloat16" else kind)


def tensor(lib: Any, kind: str, size: tuple[int, ...], seed: int) -> Any:
    """The numbers as a tensor of either library."""
    return lib.from_numpy(number(kind, size, seed)).to(getattr(lib, kind))


def make(lib: Any, kind: str) -> list[Any]:
    """Leaf tensors: dense, transposed, with gaps, without dimensions, empty; the last one never has a gradient."""
    t = [
        tensor(lib, kind, size, seed) for seed, size in enumerate([(5, 7), (4, 3), (6, 8), (), (0, 3), (2,)])
    ]
    t[1] = t[1].t()
    t[2] = t[2][::2, 1::3]
    return [one.requires_grad_() for one in t]


def train(lib: Any, optimizer: Any, params: list[Any], kind: str, steps: int = STEPS, first: int = 0) -> None:
    """Take steps along gradients that are drawn from seeds; the second parameter has none at every third step."""
    for count in range(first, first + steps):
        for place, param in enumerate(params[:-1]):
            given = tensor(lib, kind, tuple(param.shape), 1000 + 10 * count + place).to(param.device)
            param.grad = None if place == 1 and count % 3 == 2 else given
        optimizer.step()


def arrays(value: Any) -> Any:
    """Tensors in lists and dicts as arrays, of bfloat16 as float32, and what else there is as it is."""
    if isinstance(value, dict):
        return {name: arrays(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [arrays(one) for one in value]
    if hasattr(value, "detach"):
        plain = value.detach().cpu().clone()
        return (plain.float() if str(plain.dtype).endswith("bfloat16") else plain).numpy()
    return value


def flat(value: Any, name: str = "") -> dict[str, Any]:
    """What is in nested lists and dicts, by the way to it."""
    if isinstance(value, dict):
        parts = [(f"{name}.{key}", one) for key, one in value.items()]
    elif isinstance(value, list):
        parts = [(f"{name}[{place}]", one) for place, one in enumerate(value)]
    else:
        return {name: value}
    return {inner: leaf for way, one in parts for inner, leaf in flat(one, way).items()}


def trained(lib: Any, name: str, options: dict[str, Any], kind: str, steps: int = STEPS) -> dict[str, Any]:
    """The parameters and the state after some steps, each an array or a number, by its name."""
    params = make(lib, kind)
    optimizer = getattr(lib.optim, name)(params, **options)
    train(lib, optimizer, params, kind, steps)
    return flat(arrays([params, optimizer.state_dict()["state"]]))


def distance(own: dict[str, Any], other: dict[str, Any], kind: str) -> float:
    """How far apart the numbers are: in roundings of the largest number of a tensor. All else has to be equal."""
    assert list(own) == list(other)
    rounding = 2.0**-8 if kind == "bfloat16" else float(numpy.finfo(kind).eps)
    worst = 0.0
    for name, value in own.items():
        expected = other[name]
        if not isinstance(value, numpy.ndarray):
            assert type(value) is type(expected), name
            assert value == expected, name
            continue
        assert (value.dtype, value.shape, value.strides) == (
            expected.dtype,
            expected.shape,
            expected.strides,
        ), name
        if value.size and not numpy.array_equal(value, expected):
            apart = numpy.abs(value - expected).max() / numpy.abs(expected).max()
            worst = max(worst, float(apart) / rounding)
    return worst
