"""Run one expression under tensorkit and under PyTorch, and say where the two differ.

A case is text, so the same characters run under both. Operands are described (`Operand`), then built in each library
by the same steps, so that their size, strides, offset and storage agree before the call.
"""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

import tensorkit

#: How a tensor of a wanted size is cut out of a larger one, so that its memory is anything but plain.
LAYOUTS = ("plain", "transposed", "sliced", "offset", "expanded", "overlapping")


@dataclass(frozen=True)
class Operand:
    """A tensor to build in both libraries: its size, dtype, memory layout, and the seed of its values."""

    size: tuple[int, ...]
    dtype: str
    layout: str
    seed: int


@dataclass(frozen=True)
class Difference:
    """What differs, as text that names the case."""

    text: str


def _values(count: int, dtype: str, seed: int) -> np.ndarray:
    """Small numbers of both signs (without negatives for unsigned types), some repeated, none that overflow."""
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.integers(0, 2, count).astype(np.float64)
    low = 1 if dtype.startswith("uint") else -4
    numbers = rng.integers(low, 6, count).astype(np.float64)
    if "float" in dtype or "complex" in dtype:
        numbers = numbers + rng.choice([0.0, 0.25, 0.5], count)
    return numbers


def build(lib: Any, operand: Operand) -> Any:
    """The operand as a tensor of `lib` (tensorkit or torch)."""
    size, kind = operand.size, getattr(lib, operand.dtype)

    def filled(*shape: int) -> Any:
        flat = _values(math.prod(shape), operand.dtype, operand.seed)
        return lib.tensor(flat.tolist(), dtype=lib.float64).to(kind).view(shape)

    ndim = len(size)
    if operand.layout == "transposed" and ndim >= 2:
        return filled(*reversed(size)).permute(*reversed(range(ndim)))
    if operand.layout == "sliced" and ndim:
        return filled(*[2 * n + 1 for n in size])[tuple(slice(1, 2 * n + 1, 2) for n in size)]
    if operand.layout == "offset":
        return filled(math.prod(size) + 3)[3:].view(size)
    if operand.layout == "expanded" and ndim and size[0] > 0:
        return filled(*size[1:]).unsqueeze(0).expand(size)
    if operand.layout == "overlapping" and ndim and math.prod(size):
        return filled(sum(n - 1 for n in size) + 1).as_strided(size, (1,) * ndim)
    return filled(*size)


@dataclass
class Outcome:
    """What a call did: a value or an exception, the warnings, and the operands afterwards."""

    value: Any
    error: BaseException | None
    warned: list[str]
    operands: dict[str, Any]


def run(lib: Any, call: str, operands: dict[str, Operand]) -> Outcome:
    """Evaluate a call with freshly built operands."""
    names: dict[str, Any] = {name: build(lib, operand) for name, operand in operands.items()}
    value: Any = None
    error: BaseException | None = None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = eval(call, {"tk": lib, **names})
        except Exception as problem:
            error = problem
    return Outcome(value, error, [w.category.__name__ for w in caught], names)


_NAMES = re.compile(r"\btensorkit\b(?=\.)")


def _plain_text(text: str) -> str:
    """Text with the library's name and PyTorch's notes about its own sources taken out."""
    text = re.sub(r" \(Triggered internally at [^)]*\)", "", text)
    return _NAMES.sub("torch", text).strip()


def _first(text: str) -> str:
    return _plain_text(text).split("\n")[0]


def same_error(ours: BaseException | None, theirs: BaseException | None) -> str | None:
    """None when both or neither failed, with one class and PyTorch's sentence first; else what differs."""
    if ours is None and theirs is None:
        return None
    if ours is None or theirs is None:
        return f"tensorkit {'raised ' + repr(ours) if ours else 'returned'}, PyTorch {'raised ' + repr(theirs) if theirs else 'returned'}"
    if not isinstance(ours, type(theirs)):
        return f"class {type(ours).__name__} against {type(theirs).__name__} ({ours!s:.80} / {theirs!s:.80})"
    if _first(str(ours)) != _first(str(theirs)):
        return f"sentence {_first(str(ours))!r} against {_first(str(theirs))!r}"
    return None


def _close(ours: Any, theirs: Any, dtype: str, rtol: float) -> bool:
    a, b = np.asarray(ours), np.asarray(theirs)
    if a.dtype.kind in "biu":
        return bool(np.array_equal(a, b))
    with np.errstate(all="ignore"):
        return bool(np.allclose(a, b, rtol=rtol, atol=rtol, equal_nan=True))


_TOLERANCE = {"float64": 1e-13, "complex128": 1e-13, "float16": 2e-3, "bfloat16": 2e-2}


def same_tensor(ours: Any, theirs: Any, *, exact: bool = False) -> str | None:
    """None when dtype, size, stride, offset, contiguity, values and text agree; else the first difference."""
    facts = {
        "dtype": (str(ours.dtype).split(".")[1], str(theirs.dtype).split(".")[1]),
        "size": (tuple(ours.size()), tuple(theirs.size())),
        "stride": (ours.stride(), theirs.stride()),
        "offset": (ours.storage_offset(), theirs.storage_offset()),
        "contiguous": (ours.is_contiguous(), theirs.is_contiguous()),
        "view": (ours._is_view(), theirs._is_view()),
    }
    for fact, (mine, reference) in facts.items():
        if mine != reference:
            return f"{fact} {mine} against {reference}"
    rtol = 0.0 if exact else _TOLERANCE.get(facts["dtype"][0], 2e-6)
    if not _close(ours.tolist(), theirs.tolist(), facts["dtype"][0], rtol):
        return f"values {ours.tolist()} against {theirs.tolist()}"
    if exact and _plain_text(repr(ours)) != _plain_text(repr(theirs)):
        return f"text {ours!r} against {theirs!r}"
    return None


def same_value(ours: Any, theirs: Any) -> str | None:
    """None when two results agree, tensors or not; else what differs."""
    if isinstance(ours, tensorkit.Tensor):
        return same_tensor(ours, theirs) if hasattr(theirs, "stride") else f"{ours!r} against {theirs!r}"
    if isinstance(ours, (tuple, list)) and not all(isinstance(x, (int, float)) for x in ours):
        if len(ours) != len(theirs):
            return f"{len(ours)} parts against {len(theirs)}"
        return next(filter(None, map(same_value, ours, theirs)), None)
    if isinstance(ours, np.ndarray):
        return (
            None
            if ours.dtype == theirs.dtype and np.array_equal(ours, theirs, equal_nan=True)
            else f"{ours} against {theirs}"
        )
    if isinstance(ours, float) and isinstance(theirs, float):
        return (
            None
            if math.isclose(ours, theirs, rel_tol=2e-6, abs_tol=2e-6) or ours != ours
            else f"{ours} against {theirs}"
        )
    same = _plain_text(repr(ours)) == _plain_text(repr(theirs))
    return None if same else f"{ours!r} against {theirs!r}"


def _aliases(outcome: Outcome) -> list[tuple[str, bool]]:
    """For each operand, whether the result lies in its storage."""
    value = outcome.value
    if not hasattr(value, "untyped_storage"):
        return []
    start = value.untyped_storage().data_ptr()
    return [
        (name, start != 0 and t.untyped_storage().data_ptr() == start) for name, t in outcome.operands.items()
    ]


def _half_written(error: BaseException | None) -> bool:
    """PyTorch stops an integer division by zero in the middle of an in-place write; tensorkit before it starts."""
    return error is not None and "ZeroDivisionError" in str(error)


def compare(torch: Any, call: str, operands: dict[str, Operand]) -> str | None:
    """None when tensorkit does what PyTorch does, down to aliasing and what the operands hold afterwards."""
    ours, theirs = run(tensorkit, call, operands), run(torch, call, operands)
    found = same_error(ours.error, theirs.error)
    if found is None and ours.error is None:
        found = same_value(ours.value, theirs.value)
        if found is None and _aliases(ours) != _aliases(theirs):
            found = f"aliasing {_aliases(ours)} against {_aliases(theirs)}"
    for name in operands:
        if found is None and not _half_written(theirs.error):
            found = same_tensor(ours.operands[name], theirs.operands[name])
            if found is None and ours.operands[name]._version != theirs.operands[name]._version:
                found = f"version {ours.operands[name]._version} against {theirs.operands[name]._version}"
            found = None if found is None else f"afterwards {name}: {found}"
    return None if found is None else f"{call} with {operands}: {found}"
