"""Where a program that writes ends otherwise than in PyTorch, on purpose: each difference with its reason."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from tests.parity.differences import factorises
from tests.parity.programs.writing import Step

_UNSUPPORTED = "unsupported operation: "


@dataclass(frozen=True)
class Last:
    """The last step of a program, and what was there before it.

    Attributes:
        error: how PyTorch refused it.
        bits: whether a view with bits was to be written into.
        unsigned: whether it met negatives, float16 and float32.
        meets: whether something that it reads lies in what it writes.
        twice: whether two things that it writes lie in the same memory.
        shared: whether elements of what it writes share a slot.
        fits: whether all that it writes had the result's size, and the dtype of what it reads.
        resized: whether PyTorch gave a member another size.
    """

    step: Step
    error: BaseException | None
    bits: bool = False
    unsigned: bool = False
    meets: bool = False
    twice: bool = False
    shared: bool = False
    fits: bool = True
    resized: bool = False

    def factorised(self) -> bool:
        """Whether it was a function of linear algebra whose results LAPACK decides."""
        return bool(self.step.op) and factorises(self.step.op)

    def refused(self) -> bool:
        """Whether PyTorch refused a call with ``out=``."""
        return self.error is not None and self.step.kind.startswith("out=")


#: Where tensorkit does otherwise on purpose: why, and of which last step and which difference.
DELIBERATE: dict[str, Callable[[Last, str], bool]] = {
    "PyTorch fails in its own checks where some of its functions are given a view of conjugates or negatives as out=; "
    "tensorkit writes what they stand for": lambda last, found: (
        last.bits and last.refused() and found.startswith("tensorkit returned")
    ),
    "some mixtures of dtypes PyTorch refuses by an assertion of its own; tensorkit computes them": (
        lambda last, found: (
            found.startswith("tensorkit returned") and "INTERNAL ASSERT FAILED" in str(last.error)
        )
    ),
    "before a call is refused, some of what was given as out= may have been resized or counted as written; which it is "
    "depends on PyTorch's way around, and tensorkit mostly leaves all as it was": (
        lambda last, found: (
            last.refused()
            and re.match(r"m\d+: (size|stride|storage|contiguous|offset|version)", found) is not None
        )
    ),
    "of what is given as out=, kron counts no write, nanmean two, and diff and the factorisations up to three where "
    "PyTorch takes a way around": (
        lambda last, found: (
            "version" in found
            and (
                last.step.op in ("kron", "nanmean", "svd")
                or ((last.resized or not last.fits) and (last.step.op == "diff" or last.factorised()))
            )
        )
    ),
    "addbmm into a tensor of another dtype or size loses some of the products in PyTorch; tensorkit adds them": (
        lambda last, found: (
            last.step.op == "addbmm"
            and (not last.fits or last.resized or ": size" in found)
            and (re.search(": (values|size|stride|storage)", found) is not None or "can't be cast" in found)
        )
    ),
    "where elements of out= share memory, with each other or with what is read, some of PyTorch's functions refuse and "
    "others write in whatever order; tensorkit refuses some of these and writes some of those, once all is read": (
        lambda last, found: (
            last.step.kind.startswith("out=")
            and (last.meets or last.shared)
            and re.match(rf"tensorkit (raised|returned, PyTorch raised) RuntimeError\('{_UNSUPPORTED}", found)
            is not None
        )
    ),
    "where a tensor is written into itself with one dimension more, PyTorch may take that for a part of its memory and "
    "refuse; tensorkit writes": lambda last, found: (
        last.step.kind == "t[...] = x"
        and last.meets
        and found.startswith(f"tensorkit returned, PyTorch raised RuntimeError('{_UNSUPPORTED}")
    ),
    "with an exponent in a tensor without dimensions PyTorch computes powers of complex numbers by logarithms, so that "
    "0 to the 0 is no number, and of -0.0 and -inf no roots; tensorkit takes it for the number that it is": (
        lambda last, found: (
            last.step.op in ("pow", "float_power")
            and re.search(r": values .*(j\)|-0\.0|inf)", found, re.DOTALL) is not None
        )
    ),
    "addmv without columns gives in PyTorch what is added to in its own size; tensorkit broadcasts it": (
        lambda last, found: last.step.op == "addmv" and "size" in found
    ),
    "the product of two vectors that stand for conjugates is a view of a conjugate in PyTorch; tensorkit computes it": (
        lambda last, found: (
            last.step.op in ("dot", "inner", "matmul", "tensordot", "vdot") and ": conjugate" in found
        )
    ),
    "PyTorch fails where it would take memory of out= beyond its end by columns; tensorkit resizes it": (
        lambda last, found: last.factorised() and "PyTorch raised RuntimeError('setStorage" in found
    ),
    "there is no complex32, of which PyTorch speaks where a complex number meets float16": (
        lambda last, found: "ComplexHalf" in found
    ),
    "where a divisor lies in what is divided, PyTorch may meet a zero that it has just written": (
        lambda last, found: last.meets and "ZeroDivisionError" in found
    ),
    "what is given twice as out= of several is refused, or written for the one result or the other": (
        lambda last, found: last.step.kind == "out= of several" and last.twice
    ),
    "from or into a view of negatives PyTorch copies float16 as float32, and back, without the sign": (
        lambda last, found: (
            last.unsigned
            and (last.step.kind == "t[...] = x" or "copy" in last.step.op)
            and ": values" in found
        )
    ),
    "solve_triangular writes into another dtype in PyTorch where out= lies in the order of neither rows nor columns; "
    "tensorkit refuses all other dtypes": lambda last, found: (
        last.step.op == "linalg_solve_triangular"
        and not last.fits
        and found.startswith("tensorkit raised RuntimeError('expected scalar type")
    ),
    "some functions of linear algebra lay out= of another dtype, or without elements, by columns in PyTorch": (
        lambda last, found: (
            last.factorised()
            and (not last.fits or ": conjugate" in found)
            and re.match(r"(m\d+|result): (stride|storage|contiguous|conjugate)", found) is not None
        )
    ),
}
