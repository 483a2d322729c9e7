"""The text of tensors, character for character PyTorch's: generated tensors under generated print options."""

from __future__ import annotations

import itertools
import math
import random
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorkit as tk
from tensorkit import dtypes
from tests.torch_oracle import exhaust, require_torch

pytestmark = pytest.mark.parity

KINDS = tuple(kind.name for kind in dtypes.ALL)
SIZES: tuple[tuple[int, ...], ...] = (
    *(
        (),
        (0,),
        (1,),
        (3,),
        (7,),
        (23,),
        (1001,),
        (0, 3),
        (3, 0),
        (2, 3),
        (4, 30),
        (50, 30),
        (1200, 1),
        (7, 7),
    ),
    *(
        (2, 0, 3),
        (2, 2, 2),
        (3, 1, 4),
        (12, 11, 10),
        (2, 2, 2, 2),
        (1, 2, 1, 2, 3),
        (5, 4, 5, 3, 5),
        (2, 3, 0, 1, 2),
    ),
)
SPECIAL = (
    *(
        math.nan,
        math.inf,
        -math.inf,
        0.0,
        -0.0,
        1e-45,
        1e-20,
        3e38,
        -1e30,
        1e10,
        0.1,
        1 / 3,
        123456.789,
        1e-4,
    ),
    *(9.9999e-5, 1e8, 99999999.0, 0.99999, 0.00005, 1000.5, -7.25, 2.5, 12345678.0),
)
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"precision": 1},
    {"precision": 8, "linewidth": 120},
    {"precision": 0},
    {"threshold": 5},
    {"threshold": 5, "edgeitems": 1},
    {"threshold": 0, "edgeitems": 2, "linewidth": 30},
    {"edgeitems": 5, "threshold": 10},
    {"linewidth": 20},
    {"linewidth": 1},
    {"sci_mode": True},
    {"sci_mode": False, "precision": 2},
    {"profile": "short"},
    {"profile": "full", "linewidth": 200},
    {"profile": "default", "precision": 6, "sci_mode": True},
    {"edgeitems": 0, "threshold": 3},
)
WAYS = ("plain", "transposed", "sliced", "expanded", "requires_grad", "grad_fn", "view", "meta")


@pytest.fixture(autouse=True)
def usual_options() -> Iterator[None]:
    yield
    for lib in (tk, require_torch()):
        lib.set_printoptions(profile="default")


def numbers(draw: random.Random, kind: str, size: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Numbers of one sort, so that every notation is met: whole, small, wide apart, with and without the special."""
    count = math.prod(size)
    rng = np.random.default_rng(draw.getrandbits(32))
    if kind in ("bool", *(k for k in KINDS if "int" in k)):
        high = draw.choice([2, 10, 128])
        low = 0 if kind == "bool" or kind.startswith("u") else draw.choice([0, -high])
        return rng.integers(low, high, count).reshape(size)
    sort = draw.randrange(6)
    values = [
        rng.normal(size=count),
        rng.integers(-5, 1000, count).astype(float),
        rng.normal(size=count) * 10.0 ** rng.integers(-6, 7, count),
        rng.choice(SPECIAL, count),
        np.full(count, draw.choice(SPECIAL)),
        rng.normal(size=count) * 1e5,
    ][sort]
    if draw.random() < 0.3:
        values[rng.random(count) < 0.2] = draw.choice([math.nan, math.inf, -math.inf, -0.0])
    if "complex" in kind:
        other = rng.choice(SPECIAL, count) if draw.random() < 0.4 else rng.normal(size=count)
        values = values + 0j
        values.imag = other
    return values.reshape(size)


def made(lib: Any, kind: str, values: np.ndarray[Any, Any], way: str) -> Any:
    """The same tensor in either library."""
    dtype = getattr(lib, kind)
    with np.errstate(all="ignore"):
        base = {"bool": "bool"}.get(
            kind, "complex128" if "complex" in kind else "float64" if "float" in kind else "int64"
        )
        t = lib.tensor(values.astype(base).tolist(), dtype=getattr(lib, base)).reshape(values.shape).to(dtype)
    if way == "meta":
        return t.to("meta")
    if way == "transposed":
        return t.permute(tuple(reversed(range(t.dim()))))
    if way == "sliced":
        return t[::2] if t.dim() else t
    if way == "expanded":
        return t.expand(2, *t.shape)
    if way in ("requires_grad", "grad_fn", "view") and (dtype.is_floating_point or dtype.is_complex):
        t.requires_grad_()
        return t if way == "requires_grad" else t * 1 if way == "grad_fn" else t.view(-1)
    return t


def texts(lib: Any, t: Any, options: dict[str, Any]) -> list[str]:
    """All that is said of a tensor."""
    lib.set_printoptions(profile="default")
    lib.set_printoptions(**options)
    return [
        text.replace("tensorkit", "torch")
        for text in (repr(t), str(t), f"{t}", t.__repr__(tensor_contents="…"))
    ]


def _where(ours: str, theirs: str) -> str:
    """The first line in which two texts part."""
    lines = itertools.zip_longest(ours.split("\n"), theirs.split("\n"))
    return next(f"{a!r} against {b!r}" for a, b in lines if a != b)


@pytest.mark.parametrize("kind", KINDS)
def test_generated_tensors_read_the_same(kind: str) -> None:
    torch = require_torch()
    draw = random.Random(kind)

    def generated() -> None:
        for size, options in itertools.product(SIZES, OPTIONS):
            if draw.random() < 0.5:
                continue
            values, way = numbers(draw, kind, size), draw.choice(WAYS)
            ours, theirs = (texts(lib, made(lib, kind, values, way), options) for lib in (tk, torch))
            parted = next((pair for pair in zip(ours, theirs, strict=True) if pair[0] != pair[1]), None)
            if parted is not None:  # no assert on the texts: pytest would show all of them
                pytest.fail(f"{kind} {size} {way} {options}: {_where(*parted)}")

    exhaust(generated, "text", len(KINDS))


@pytest.mark.parametrize("default", ["float64", "float16", "bfloat16"])
def test_the_default_dtype_need_not_be_said(default: str) -> None:
    torch = require_torch()
    try:
        for lib in (tk, torch):
            lib.set_default_dtype(getattr(lib, default))
        for kind in KINDS:
            said = [
                repr(lib.ones(2, dtype=getattr(lib, kind))).replace("tensorkit", "torch")
                for lib in (tk, torch)
            ]
            assert said[0] == said[1]
    finally:
        for lib in (tk, torch):
            lib.set_default_dtype(lib.float32)


@pytest.mark.parametrize("spec", ["", ".3f", ">12", "e", "08.2f", "+", ",.1f", "g", "%"])
def test_a_number_in_an_f_string(spec: str) -> None:
    torch = require_torch()
    for kind, value in itertools.product(KINDS, (0, 1, 2.5, -3, 1e10, math.nan, math.inf)):
        said = []
        for lib in (tk, torch):
            try:
                t = (
                    lib.tensor(value, dtype=lib.float64).to(getattr(lib, kind))
                    if value == value
                    else lib.tensor(value)
                )
                said.append(format(t, spec))
            except (TypeError, ValueError) as error:
                said.append(f"{type(error).__name__} {error}")
        assert said[0] == said[1], (kind, value)


@pytest.mark.parametrize(
    "thing",
    [
        *(
            "lib.Size([2, 3])",
            "lib.Size([])",
            "lib.float32",
            "lib.bool",
            "lib.device('cpu')",
            "lib.device('cuda:1')",
        ),
        *(
            "str(lib.device('meta'))",
            "lib.finfo(lib.float16)",
            "lib.iinfo(lib.uint8)",
            "lib.strided",
            "lib.channels_last",
        ),
        *("lib.ones(3).storage()", "lib.ones(2).untyped_storage()", "lib.ones(2, device='meta').storage()"),
        *("lib.arange(3).sort()", "lib.ones(2, 2).max(0)", "lib.tensor(3.0).frexp()"),
        *(
            "lib.linalg.slogdet(lib.eye(2))",
            "lib.arange(4).topk(2)",
            "lib.arange(3).mode()",
            "lib.ones(2).aminmax()",
        ),
        *("[lib.ones(2), lib.zeros(1)]", "{'a': lib.tensor(1)}", "lib.set_printoptions", "lib.ones(2).grad"),
    ],
)
def test_other_things_read_the_same(thing: str) -> None:
    torch = require_torch()
    said = []
    for lib in (tk, torch):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # typed storages are old
            text = repr(eval(thing, {"lib": lib})).replace("tensorkit", "torch")
        said.append(text.split(" at 0x")[0])
    assert said[0] == said[1]


def test_a_wrong_character_would_be_seen() -> None:
    torch = require_torch()
    values = np.array([1.0, 2.0])
    assert texts(tk, made(tk, "float32", values, "plain"), {}) != texts(
        torch, made(torch, "float32", values + 1, "plain"), {}
    )
    assert texts(tk, made(tk, "float32", values, "plain"), {}) != texts(
        torch, made(torch, "float64", values, "plain"), {}
    )
