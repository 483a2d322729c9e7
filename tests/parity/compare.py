"""Run one expression under tensorkit and under PyTorch, and say where the two differ.

A case is text, so the same characters run under both. Operands are described (`Operand`), then built in each library
by the same steps, so that their size, strides, offset and storage agree before the call.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import CodeType
from typing import Any

import ml_dtypes
import numpy as np

import tensorkit
from tests.support.warnings import recorded

#: How a tensor of a wanted size is cut out of a larger one, so that its memory is anything but plain.
#: "turned" is a view that stands for the conjugates of what is stored, or for the negatives.
LAYOUTS = ("plain", "transposed", "sliced", "offset", "expanded", "overlapping", "turned")


@dataclass(frozen=True)
class Operand:
    """A tensor to build in both libraries: its size, dtype, memory layout, the seed and the kind of its values.

    `values` is "small" for a few small numbers of both signs, "telling" for those on which arithmetic trips.
    """

    size: tuple[int, ...]
    dtype: str
    layout: str = "plain"
    seed: int = 0
    values: str = "small"


# -- operands -----------------------------------------------------------------------------------------------------

_TELLING = np.array(
    (0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 1e30, -1e-40, 65504.0, 0.1, 2.5, -7.0)
)
_QUARTERS = np.array((0.0, 0.25, 0.5))


def _telling(rng: np.random.Generator, count: int, dtype: str) -> Any:
    """Signed zeros, infinities, not-a-number, tiny and huge numbers; of integers the largest, the smallest but one."""
    if "float" in dtype:
        return _TELLING[rng.integers(0, _TELLING.size, count)]
    if "complex" in dtype:
        return _TELLING[rng.integers(0, _TELLING.size, 2 * count)].view(np.complex128)
    info = np.iinfo(dtype)
    # The very smallest is left out: divided by -1 it ends a PyTorch process.
    most = min(info.max, 2**63 - 1)  # more than that no Python list can put into a tensor, in either library
    edges = [n for n in (0, 1, 2, 3, -1, -5, most, most - 1, info.min + 1) if info.min <= n <= info.max]
    return np.array(edges, dtype)[rng.integers(0, len(edges), count)]


def _small(rng: np.random.Generator, count: int, dtype: str) -> Any:
    """Small numbers of both signs (without negatives for unsigned types), some repeated, none that overflow."""
    if dtype == "bool":
        return rng.integers(0, 2, count)
    whole = rng.integers(1 if dtype.startswith("uint") else -4, 6, count)
    if "float" not in dtype and "complex" not in dtype:
        return whole
    parts = whole + _QUARTERS[rng.integers(0, _QUARTERS.size, count)]
    return parts if "float" in dtype else parts + 1j * (parts // 2)


@functools.lru_cache(maxsize=256)
def _values(count: int, operand: Operand) -> np.ndarray[Any, Any]:
    """The numbers, one array for both libraries: nobody may write to it."""
    rng = np.random.default_rng(operand.seed)
    telling = operand.values == "telling" and operand.dtype != "bool"
    drawn = (_telling if telling else _small)(rng, count, operand.dtype)
    kind = ml_dtypes.bfloat16 if operand.dtype == "bfloat16" else operand.dtype
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(drawn).astype(kind)


def _tensor(lib: Any, numbers: np.ndarray[Any, Any]) -> Any:
    """A tensor of one dimension with memory of its own."""
    if numbers.dtype == ml_dtypes.bfloat16:
        return lib.from_numpy(numbers.view(np.int16)).view(lib.bfloat16).clone()
    return lib.from_numpy(numbers).clone()


def build(lib: Any, operand: Operand) -> Any:
    """The operand as a tensor of `lib` (tensorkit or torch)."""
    size = operand.size

    def filled(*shape: int) -> Any:
        return _tensor(lib, _values(math.prod(shape), operand)).view(shape)

    ndim = len(size)
    if operand.layout == "transposed" and ndim >= 2:
        return filled(*reversed(size)).permute(*reversed(range(ndim)))
    if operand.layout in ("sliced", "turned") and ndim:
        sliced = filled(*[2 * n + 1 for n in size])[tuple(slice(1, 2 * n + 1, 2) for n in size)]
        return sliced if operand.layout == "sliced" else _turned(lib, sliced)
    if operand.layout == "offset":
        return filled(math.prod(size) + 3)[3:].view(size)
    if operand.layout == "expanded" and ndim and size[0] > 0:
        return filled(*size[1:]).unsqueeze(0).expand(size)
    if operand.layout == "overlapping" and ndim and math.prod(size):
        return filled(sum(n - 1 for n in size) + 1).as_strided(size, (1,) * ndim)
    return filled(*size)


def _turned(lib: Any, stored: Any) -> Any:
    """A view that stands for the conjugates of what is stored; of real numbers, for the negatives."""
    if stored.is_complex():
        return stored.conj()
    return lib._neg_view(stored) if stored.is_floating_point() else stored


# -- running ------------------------------------------------------------------------------------------------------


@dataclass
class Outcome:
    """What a call did: a value or an exception, the warnings, and the operands afterwards."""

    value: Any
    error: BaseException | None
    warned: list[tuple[str, str]]
    operands: dict[str, Any]


@functools.cache
def compiled(call: str) -> CodeType:
    """The code of a call, which many cases run."""
    return compile(call, "<case>", "eval")


def run(lib: Any, call: str, operands: Mapping[str, Operand]) -> Outcome:
    """Evaluate a call with freshly built operands."""
    names: dict[str, Any] = {name: build(lib, operand) for name, operand in operands.items()}
    value: Any = None
    error: BaseException | None = None
    with recorded() as caught:
        try:
            value = eval(compiled(call), {"tk": lib, **names})
        except Exception as problem:
            error = problem
    warned = [(w.category.__name__, _first(str(w.message))) for w in caught]
    return Outcome(value, error, warned, names)


# -- comparing ----------------------------------------------------------------------------------------------------

_NAMES = re.compile(r"\btensorkit\b(?=\.)")
_INTERNAL = re.compile(r" \(Triggered internally at [^)]*\)")


def plain_text(text: str) -> str:
    """Text with PyTorch's name for ours, and without PyTorch's notes about its own sources."""
    return _NAMES.sub("torch", _INTERNAL.sub("", text)).strip()


def _first(text: str) -> str:
    # Which sign "not a number" has is the processor's. Of builds it speaks by other names.
    line = plain_text(text).split("\n")[0].replace("-nan", "nan")
    return re.sub(r"\b(tensorkit|Torch|PyTorch)( not| was) compiled", r"torch\2 compiled", line)


def same_error(ours: BaseException | None, theirs: BaseException | None) -> str | None:
    """None when both or neither failed, with one class and PyTorch's sentence first; else what differs."""
    if ours is None or theirs is None:
        said = [f"raised {error!r}" if error else "returned" for error in (ours, theirs)]
        return None if ours is theirs else f"tensorkit {said[0]}, PyTorch {said[1]}"
    known = [kind.__name__ for kind in type(ours).__mro__]
    if not isinstance(ours, type(theirs)) and type(theirs).__name__.lstrip("_") not in known:
        return f"class {type(ours).__name__} against {type(theirs).__name__} ({ours!s:.80} / {theirs!s:.80})"
    if "INTERNAL ASSERT FAILED" in str(theirs):
        return None  # an accident, and PyTorch says so: there is no sentence to agree with
    if _first(str(ours)) != _first(str(theirs)):
        return f"sentence {_first(str(ours))!r} against {_first(str(theirs))!r}"
    return None


def _same_bits(ours: Any, theirs: Any) -> bool:
    """Whether two tensors are the same bytes, where NumPy has a word for them; asked first, being quick."""
    if theirs.requires_grad or theirs.is_conj() or theirs.is_neg() or "bfloat16" in str(theirs.dtype):
        return False
    # Of a copy, for what PyTorch's `numpy` has been asked of can no longer be resized.
    a, b = ours._nd(), theirs.clone().numpy()
    return bool(a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes())


_TOLERANCE = {"float64": 1e-13, "complex128": 1e-13, "float16": 2e-3, "bfloat16": 2e-2}


def _same_numbers(ours: Any, theirs: Any, rtol: float, signs: bool = True) -> bool:
    """Whether nested lists of numbers agree: to the last bit when `rtol` is 0; and in the signs of their zeros."""
    a, b = np.asarray(ours), np.asarray(theirs)
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.dtype.kind not in "fc":
        return bool(np.array_equal(a, b))
    if a.dtype.kind == "c" and rtol:
        # Which part of a complex result is infinite and which is no number is chance, even within PyTorch.
        both = ~(np.isfinite(a) | np.isfinite(b))
        # And a real or imaginary part that is a difference is right to the size of what it is a difference of.
        return bool(np.allclose(a[~both], b[~both], rtol=rtol, atol=rtol))
    real = a.dtype.kind == "f"
    a, b = a.reshape(-1).view(np.float64), b.reshape(-1).view(np.float64)
    if rtol:
        zeros = (a == 0) & (b == 0) & (real and signs)
        with np.errstate(all="ignore"):
            near = np.allclose(a, b, rtol=rtol, atol=rtol, equal_nan=True)
        return bool(near and np.array_equal(np.signbit(a[zeros]), np.signbit(b[zeros])))
    # The sign of a complex zero is chance too: PyTorch's vectorised negation and its plain one differ in it.
    signed = ~np.isnan(b) & (np.asarray(theirs).dtype.kind == "f")
    return bool(
        np.array_equal(a, b, equal_nan=True) and np.array_equal(np.signbit(a[signed]), np.signbit(b[signed]))
    )


def _facts(tensor: Any) -> dict[str, Any]:
    return {
        "dtype": str(tensor.dtype).split(".")[1],
        "size": tuple(tensor.size()),
        "stride": tensor.stride(),
        "offset": tensor.storage_offset(),
        "contiguous": tensor.is_contiguous(),
        "view": tensor._is_view(),
        "version": tensor._version,
        "storage bytes": tensor.untyped_storage().nbytes(),
    }


def same_tensor(
    ours: Any, theirs: Any, *, tolerance: float = 0, text: bool = False, signs: bool = True
) -> str | None:
    """None when dtype, size, stride, offset, contiguity, version, values (and text) agree; else what differs."""
    facts, reference = _facts(ours), _facts(theirs)
    for fact, expected in reference.items():
        if facts[fact] != expected:
            return f"{fact} {facts[fact]} against {expected}"
    if _misplaced(ours):
        return f"stride {ours.stride()} against an array with the steps {ours._nd(physical=True).strides} in bytes"
    rtol = tolerance * _TOLERANCE.get(facts["dtype"], 2e-6)
    if not _same_bits(ours, theirs) and not _same_numbers(ours.tolist(), theirs.tolist(), rtol, signs):
        return f"values {ours.tolist()} against {theirs.tolist()}"
    if text and _shown(ours) != _shown(theirs):
        return f"text {ours!r} against {theirs!r}"
    return None


def _misplaced(tensor: Any) -> bool:
    """Whether a tensor of ours has its elements elsewhere in memory than its strides say, or in none."""
    if tensor.device.type != "cpu" or not tensor.numel():
        return False
    array = tensor._nd(physical=True)
    steps = (
        (size, stride * tensor.itemsize, step)
        for size, stride, step in zip(tensor.size(), tensor.stride(), array.strides, strict=True)
    )
    return not isinstance(array, np.ndarray) or any(size > 1 and told != step for size, told, step in steps)


def _shown(tensor: Any) -> str:
    """A tensor's text in PyTorch's names; of complex numbers without the signs of zeros."""
    text = plain_text(repr(tensor))
    return re.sub(r"[-+](0\.0*(?:e\+00)?j?\b)", r" \1", text) if "complex" in str(tensor.dtype) else text


def same_value(ours: Any, theirs: Any, *, tolerance: float, text: bool, signs: bool = True) -> str | None:
    """None when two results agree, tensors or not; else what differs."""
    if isinstance(ours, tensorkit.Tensor):
        if not hasattr(theirs, "stride"):
            return f"{ours!r} against {theirs!r}"
        return same_tensor(ours, theirs, tolerance=tolerance, text=text, signs=signs)
    if isinstance(ours, (tuple, list)) and any(isinstance(part, tensorkit.Tensor) for part in ours):
        if len(ours) != len(theirs):
            return f"{len(ours)} parts against {len(theirs)}"
        pairs = zip(ours, theirs, strict=True)
        found = (same_value(a, b, tolerance=tolerance, text=text, signs=signs) for a, b in pairs)
        return next(filter(None, found), None)
    if isinstance(ours, np.ndarray):
        same = ours.dtype == theirs.dtype and ours.strides == theirs.strides
        return (
            None if same and _same_numbers(ours.tolist(), theirs.tolist(), 0) else f"{ours} against {theirs}"
        )
    same = plain_text(repr(ours)) == plain_text(repr(theirs))
    return None if same else f"{ours!r} against {theirs!r}"


def _tensors(value: Any) -> Iterator[Any]:
    if hasattr(value, "untyped_storage"):
        yield value
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from _tensors(part)


def _aliases(outcome: Outcome) -> list[tuple[str, bool, bool]]:
    """For each tensor in the result and each operand: whether it is that object, whether it lies in its storage."""
    found = []
    for part in _tensors(outcome.value):
        start = part.untyped_storage().data_ptr()
        for name, operand in outcome.operands.items():
            shared = start != 0 and operand.untyped_storage().data_ptr() == start
            found.append((name, part is operand, shared))
    return found


@dataclass(frozen=True)
class Difference:
    """Where the two libraries part: in which respect, what each did, and PyTorch's outcome."""

    respect: str
    text: str
    theirs: Outcome


def compare(
    torch: Any,
    call: str,
    operands: Mapping[str, Operand],
    *,
    tolerance: float = 0,
    text: bool = False,
    signs: bool = True,
    told: Callable[[Outcome], None] = lambda outcome: None,
) -> Difference | None:
    """None when tensorkit does what PyTorch does, down to warnings, aliasing and what the operands hold afterwards.

    Args:
        tolerance: 0 when values must agree to the last bit; else how many times the usual tolerance of their dtype
            (some units in the last place) they may be off.
        text: `repr` must agree too.
        signs: zeros must have the same sign, also where other numbers may be off.
        told: is given PyTorch's outcome.
    """
    ours, theirs = run(tensorkit, call, operands), run(torch, call, operands)
    told(theirs)
    for respect, found in _differences(ours, theirs, tolerance, text, signs):
        if found is not None:
            return Difference(respect, f"{call} with {dict(operands)}: {respect}: {found}", theirs)
    return None


def _differences(
    ours: Outcome, theirs: Outcome, tolerance: float, text: bool, signs: bool
) -> Iterator[tuple[str, str | None]]:
    yield "error", same_error(ours.error, theirs.error)
    if ours.warned != theirs.warned:
        yield "warnings", f"{ours.warned} against {theirs.warned}"
    if ours.error is None:
        yield "value", same_value(ours.value, theirs.value, tolerance=tolerance, text=text, signs=signs)
        if _aliases(ours) != _aliases(theirs):
            yield "aliasing", f"{_aliases(ours)} against {_aliases(theirs)}"
    for name, operand in theirs.operands.items():
        yield (
            f"{name} afterwards",
            same_tensor(ours.operands[name], operand, tolerance=tolerance, signs=signs),
        )
