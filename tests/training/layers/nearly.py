"""Layers made and called in both libraries from one line of source: text, signature, values, gradients, warnings."""

from __future__ import annotations

import inspect
import re
import warnings
from collections.abc import Iterator
from typing import Any

import numpy

import tensorkit
from tests.torch_oracle import require_torch


def _tensors(lib: Any, layer: Any, given: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    yield from given.items()
    if isinstance(layer, lib.nn.Module):
        yield from layer.named_parameters()


def _told(lib: Any, made: str, called: str, operands: dict[str, Any]) -> dict[str, Any]:
    """What is compared: `made` is a layer, `called` what becomes of it, `operands` numbers by their names."""
    told: dict[str, Any] = {}
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            names = {"tk": lib, "nn": lib.nn, "F": lib.nn.functional}
            given = {name: lib.tensor(value) for name, value in operands.items()}
            given = {n: t.requires_grad_() if t.is_floating_point() else t for n, t in given.items()}
            lib.manual_seed(5)
            layer = eval(made, names)
            told["text"] = repr(layer)
            if isinstance(layer, lib.nn.Module):
                parameters = inspect.signature(type(layer)).parameters.values()
                told["signature"] = [(one.name, str(one.kind), one.default) for one in parameters]
                told["home"] = type(layer).__module__.split(".", 1)[1]
                told["state"] = [(n, tuple(t.shape), t.tolist()) for n, t in layer.state_dict().items()]
            result = eval(called, {**names, "layer": layer, **given})
            told["result"] = (str(result.dtype), tuple(result.shape), result.stride())
            told["node"] = result.grad_fn and result.grad_fn.name()
            told["values"] = result.detach().tolist()
            if result.requires_grad:
                (result * lib.arange(1, result.numel() + 1).view(result.shape)).sum().backward()
            told["gradients"] = [
                (n, t.grad if t.grad is None else t.grad.tolist()) for n, t in _tensors(lib, layer, given)
            ]
        except Exception as error:
            kind = next(one for one in type(error).__mro__ if one.__module__ == "builtins")
            told["error"] = (kind.__name__, str(error))
    told["warnings"] = [(one.category.__name__, str(one.message)) for one in seen]
    return told


def _flat(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return [leaf for part in value for leaf in _flat(part)]
    return [value]


def _same(one: Any, other: Any) -> bool:
    ours, theirs = _flat(one), _flat(other)
    if len(ours) != len(theirs):
        return False
    for a, b in zip(ours, theirs, strict=True):
        if isinstance(a, float) and isinstance(b, float):
            if not numpy.isclose(a, b, rtol=1e-5, atol=1e-6, equal_nan=True):
                return False
        elif isinstance(a, str) and isinstance(b, str):
            if a != re.sub(r"(?<![\w.#])torch\.", "tensorkit.", b):
                return False
        elif a != b:
            return False
    return True


def differing(made: str, called: str, **operands: Any) -> list[str]:
    """What the two libraries say differently."""
    ours = _told(tensorkit, made, called, operands)
    theirs = _told(require_torch(), made, called, operands)
    keys = dict.fromkeys((*theirs, *ours))
    return [
        f"{made}: {called}: {key}: {ours.get(key)!r}\n    PyTorch: {theirs.get(key)!r}"
        for key in keys
        if not _same(ours.get(key), theirs.get(key))
    ]
