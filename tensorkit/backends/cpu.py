"""The processor.

Source: https://docs.pytorch.org/docs/stable/backends.html#module-torch.backends.cpu
"""

from __future__ import annotations

import platform
from typing import Any

import numpy

__all__ = ["get_cpu_capability"]


def __dir__() -> list[str]:
    return __all__


#: PyTorch's word, and what NumPy of this or of an earlier year calls the instructions; the best comes first.
_KINDS = (
    ("AVX512", {"X86_V4", "AVX512_SKX"}),
    ("AVX2", {"X86_V3", "AVX2"}),
    ("VSX", {"VSX", "VSX2", "VSX3", "VSX4"}),
    ("Z VECTOR", {"VX", "VXE", "VXE2"}),
)


def get_cpu_capability() -> str:
    """The best instructions of this processor that NumPy, which computes here, has loops for, in PyTorch's words.

    >>> get_cpu_capability() in ("DEFAULT", "VSX", "Z VECTOR", "NO AVX", "AVX2", "AVX512")
    True
    """
    built: Any = numpy.show_config(mode="dicts")
    has = built.get("SIMD Extensions", {})
    return _best({*has.get("baseline", ()), *has.get("found", ())}, platform.machine())


def _best(found: set[str], machine: str) -> str:
    """PyTorch's word for the best of the instructions that were found."""
    for word, names in _KINDS:
        if names & found:
            return word
    return "NO AVX" if machine.lower() in ("x86_64", "amd64", "i386", "i686") else "DEFAULT"
