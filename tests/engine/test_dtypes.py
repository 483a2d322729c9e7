"""Which dtype a result has: every pair of dtypes, as tensors with dimensions, without, and as Python numbers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

import tensorkit as tk
from tensorkit import dtypes
from tests.torch_oracle import require_torch, sentence

pytestmark = pytest.mark.parity

NAMES = tuple(kind.name for kind in dtypes.ALL)
NUMBERS = (True, 2, 2.5, 2 + 1j)
FLOATS = ("float16", "bfloat16", "float32", "float64")


def agree(ask: Any) -> str | None:
    """What differs between the answers; complex32, which PyTorch alone has, is left out of account."""
    ours, theirs = outcome(tk, ask), outcome(require_torch(), ask)
    return (
        None
        if ours == theirs or "complex32" in theirs or "ComplexHalf" in theirs
        else f"{ours}, not {theirs}"
    )


def outcome(lib: Any, ask: Any) -> str:
    """The dtype that a question ends in, or the error."""
    try:
        answer = ask(lib)
    except Exception as error:
        return f"{isinstance(error, RuntimeError)} {sentence(error)}"
    return str(getattr(answer, "dtype", answer)).split(".")[-1]


@pytest.fixture(autouse=True)
def float32_again() -> Iterator[None]:
    yield
    tk.set_default_dtype(tk.float32)
    require_torch().set_default_dtype(require_torch().float32)


@pytest.mark.parametrize("first", NAMES)
def test_promotion_and_casting_of_every_pair(first: str) -> None:
    for second in NAMES:
        for question in ("promote_types", "can_cast"):

            def ask(lib: Any, question: str = question, second: str = second) -> Any:
                return getattr(lib, question)(getattr(lib, first), getattr(lib, second))

            assert agree(ask) is None, (question, second)


@pytest.mark.parametrize("size", [(2,), ()], ids=["with dimensions", "0-d"])
@pytest.mark.parametrize("first", NAMES)
def test_the_dtype_of_a_sum(first: str, size: tuple[int, ...]) -> None:
    for second, other in product(NAMES, ((2,), ())):

        def add(lib: Any, second: str = second, other: tuple[int, ...] = other) -> Any:
            a = lib.ones(size, dtype=getattr(lib, first))
            return a + lib.ones(other, dtype=getattr(lib, second))

        assert agree(add) is None, (second, other)


def test_the_dtype_of_a_tensor_and_a_number() -> None:
    for first, size, number in product(NAMES, ((2,), ()), NUMBERS):

        def add(lib: Any, first: str = first, size: tuple[int, ...] = size, number: complex = number) -> Any:
            return lib.ones(size, dtype=getattr(lib, first)) + number

        assert agree(add) is None, (first, size, number)


@pytest.mark.parametrize("default", FLOATS)
def test_the_default_dtype_decides_what_numbers_become(default: str) -> None:
    torch = require_torch()
    questions = ("tensor(1.5)", "tensor(1)", "zeros(2)", "arange(0, 1, 0.5)", "ones(2, dtype=lib.int8) / 2")
    for lib in (tk, torch):
        lib.set_default_dtype(getattr(lib, default))
    assert tk.get_default_dtype() is getattr(tk, default)
    for text in questions:

        def ask(lib: Any, text: str = text) -> Any:
            return eval(f"lib.{text}", {"lib": lib})

        assert agree(ask) is None, text
    if default in ("float32", "float64"):  # the others have no complex partner
        assert agree(lambda lib: lib.tensor(1j)) is None
    assert repr(tk.tensor(1.5)) == repr(torch.tensor(1.5)) == "tensor(1.5000)"


@pytest.mark.parametrize("wrong", ["int64", "complex64", "bool"])
def test_only_floating_point_can_be_the_default(wrong: str) -> None:
    def ask(lib: Any) -> Any:
        return lib.set_default_dtype(getattr(lib, wrong))

    assert agree(ask) is None
    assert tk.get_default_dtype() is tk.float32


def test_the_limits_of_a_dtype_are_its_own() -> None:
    torch = require_torch()
    for name in NAMES:
        ours, theirs = getattr(tk, name), getattr(torch, name)
        facts = ("itemsize", "is_floating_point", "is_complex", "is_signed")
        assert [getattr(ours, fact) for fact in facts] == [getattr(theirs, fact) for fact in facts], name
        assert agree(lambda lib, name=name: getattr(lib, name).to_real()) is None, name
