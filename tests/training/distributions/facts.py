"""What can be asked of a distribution, for tensorkit and for PyTorch: text, sizes, values, and what is refused."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy

from tests.torch_oracle import sentence


def made(lib: Any, text: str) -> Any:
    """What an expression gives: `D` is the namespace, `t` makes a tensor, `p` one that wants a gradient."""
    names = {
        "D": lib.distributions,
        "T": lib.distributions.transforms,
        "C": lib.distributions.constraints,
        "lib": lib,
        "inf": math.inf,
        "nan": math.nan,
        "t": lib.tensor,
        "p": lambda data, **kind: lib.tensor(data, requires_grad=True, **kind),
    }
    return eval(text, names)


def told(ask: Callable[[], Any]) -> Any:
    """What a question gives, with dtype and node; or the error, with its words; and the warnings."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            value = ask()
            value = value if hasattr(value, "grad_fn") or isinstance(value, list) else str(value)
        except Exception as error:
            value = f"{type(error).__name__}: {sentence(error)}"
    said = [f"{one.category.__name__}: {one.message}".replace("torch", "tensorkit") for one in heard]
    if hasattr(value, "grad_fn"):
        node = type(value.grad_fn).__name__ if value.grad_fn is not None else None
        kind = str(value.dtype).replace("torch", "tensorkit")
        return numpy.asarray(value.detach().numpy()), (kind, node, *said)
    if isinstance(value, list):
        return numpy.asarray([number for one in value for number in one.reshape(-1)]), (len(value), *said)
    return None, (value.replace("torch", "tensorkit"), *said)


def facts(lib: Any, text: str) -> dict[str, Any]:
    """Everything about one distribution."""
    lib.manual_seed(7)
    result = {"made": told(lambda: made(lib, text))}
    if isinstance(result["made"][1][0], str) and "Error" in result["made"][1][0]:
        return result
    own = made(lib, text)
    for name in (
        "batch_shape",
        "event_shape",
        "mean",
        "mode",
        "variance",
        "stddev",
        "support",
        "arg_constraints",
    ):
        result[name] = told(lambda name=name: getattr(own, name))
    result |= {
        name: told(lambda name=name: getattr(own, name)) for name in ("has_rsample", "has_enumerate_support")
    }
    result["entropy"] = told(lambda: own.entropy())
    result["perplexity"] = told(lambda: own.perplexity())
    result["all"] = told(lambda: own.enumerate_support())
    result["all, not expanded"] = told(lambda: own.enumerate_support(expand=False))
    result["sample"] = told(lambda: own.sample())
    result["samples"] = told(lambda: own.sample((3, 2)))
    result["sample_n"] = told(lambda: own.sample_n(2))
    result["rsample"] = told(lambda: own.rsample((20,)))
    result |= _scored(lib, own)
    result["expanded"] = told(lambda: own.expand((2, *own.batch_shape)))
    result["expanded sample"] = told(lambda: own.expand((2, *own.batch_shape)).sample())
    result["slopes"] = told(lambda: _slopes(own))
    return result


def _scored(lib: Any, own: Any) -> dict[str, Any]:
    lib.manual_seed(3)
    value = own.sample((2,))
    result = {"log_prob": told(lambda: own.log_prob(value)), "cdf": told(lambda: own.cdf(value))}
    result["icdf"] = told(lambda: own.icdf(lib.tensor(0.3, dtype=value.dtype)))
    wrong = [lib.tensor(-1.5), lib.tensor(math.nan), 3, lib.ones(7, 5)]
    return result | {
        f"log_prob {place}": told(lambda one=one: own.log_prob(one)) for place, one in enumerate(wrong)
    }


def _slopes(own: Any) -> Any:
    value = own.rsample((4,))
    given = [one for one in vars(own).values() if getattr(one, "requires_grad", False) and one.is_leaf]
    (value.sum() + own.log_prob(value.detach()).sum()).backward()
    return [numpy.asarray(one.grad.numpy()) for one in given]


NEAR = 6e-6


def apart(
    text: str,
    own: dict[str, Any],
    expected: dict[str, Any],
    slopes: float = NEAR,
    samples: float = 0.0,
    near: float = NEAR,
) -> list[str]:
    """The differences, in words: samples to the last bit, other values within the rounding of what they are made of."""
    assert own.keys() == expected.keys()
    return [
        f"{text} {name}: {own[name]} for {expected[name]}"
        for name in own
        if own[name][1] != expected[name][1]
        or not _alike(
            own[name][0],
            expected[name][0],
            samples if "sample" in name else slopes if name == "slopes" else NEAR,
        )
    ]


def _alike(own: Any, expected: Any, near: float) -> bool:
    if own is None or expected is None:
        return own is expected
    if own.shape != expected.shape:
        return False
    return bool(numpy.allclose(own, expected, rtol=near, atol=near, equal_nan=True))
