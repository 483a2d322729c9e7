"""PyTorch as the oracle: asked for every value, size, stride, exception class and sentence.

Nothing in `tensorkit/` imports it. Tests that ask it carry ``@pytest.mark.parity`` and take it from
`require_torch`. `exhaust` runs a generated test once, or for as long as ``make fuzz`` was told.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import os
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn, TypeVar

import pytest

VERSION = "2.13"
One = TypeVar("One")


@functools.cache
def require_torch() -> Any:
    """The torch module. Without it the test is skipped with the reason, or fails where ``CI`` is set."""
    try:
        torch = importlib.import_module("torch")
    except ImportError as error:
        _no_oracle(f"PyTorch is not installed (PARITY=1 make test installs it): {error}")
    if not torch.__version__.startswith(VERSION + "."):
        _no_oracle(f"the oracle is PyTorch {VERSION}, but {torch.__version__} is installed")
    return torch


def fused() -> bool:
    """Whether PyTorch's loops on this processor are those whose last digits tensorkit has.

    They take vectors, and multiply and add in one rounding. Elsewhere (``ATEN_CPU_CAPABILITY=default`` too) PyTorch's
    own digits are others: of such loops, and of nothing else, the last ones are noise there.
    """
    return require_torch().backends.cpu.get_cpu_capability() in ("AVX2", "AVX512")


def _no_oracle(reason: str) -> NoReturn:
    if os.environ.get("CI", "").lower() in ("1", "true"):
        pytest.fail(f"in CI the oracle must be there: {reason}")
    pytest.skip(reason)


def sentence(error: BaseException) -> str:
    """What PyTorch says, in our names and without the C++ frames that it appends here and there."""
    return str(error).split("\nException raised from")[0].replace("torch.", "tensorkit.")


def fuzz_seconds() -> float:
    """For how long ``make fuzz`` was told to go on; 0 in an ordinary run."""
    return float(os.environ.get("TENSORKIT_FUZZ_SECONDS") or 0)


#: What part of the time each generated test is given: together all of it.
SHARES = {
    "autograd": 0.2,
    "chains of views": 0.1,
    "distributions": 0.02,
    "files": 0.02,
    "gradients of samples": 0.05,
    "indexing": 0.1,
    "printing": 0.02,
    "programs that write": 0.26,
    "random": 0.01,
    "samples": 0.07,
    "second derivatives of samples": 0.05,
    "moves of views": 0.05,
    "strides of results": 0.02,
    "text": 0.03,
}


def exhaust(generated: Callable[[], None], share: str, parts: int = 1) -> None:
    """Run a generated test once, and when fuzzing again and again for its share of the time allowed.

    Args:
        share: one of `SHARES`.
        parts: of how many tests that divide the share between them this is one.
    """
    end = time.monotonic() + fuzz_seconds() * SHARES[share] / parts
    generated()
    while time.monotonic() < end:
        generated()


def every_other(drawn: Iterable[One], turn: int) -> Iterator[One]:
    """Every second one, the others at the next turn, so that an ordinary run meets each; all of them when fuzzing."""
    return itertools.islice(drawn, 0 if fuzz_seconds() else turn % 2, None, 1 if fuzz_seconds() else 2)
