"""cuDNN: not used, with a GPU or without one. What may be said to it is kept, as where PyTorch was built without it.

>>> tk.backends.cudnn.deterministic = True
>>> tk.backends.cudnn.version()
>>> with tk.backends.cudnn.flags(enabled=False):
...     tk.backends.cudnn.enabled
False

Source: https://docs.pytorch.org/docs/stable/backends.html#module-torch.backends.cudnn
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tensorkit import dtypes
from tensorkit.backends.matmul_precision import (
    allow_tf32_in_convolutions,
    is_tf32_allowed_in_convolutions,
    look,
    put,
)
from tensorkit.backends.settings import Precision, Switch, need_bool
from tensorkit.errors import warn
from tensorkit.tensor import Tensor

__all__ = [
    "CUDNN_TENSOR_DTYPES",
    "benchmark_limit",
    "conv",
    "flags",
    "is_acceptable",
    "is_available",
    "rnn",
    "set_flags",
    "version",
]


def __dir__() -> list[str]:
    return [*__all__, *(name for name in vars(_Cudnn) if not name.startswith("_"))]


CUDNN_TENSOR_DTYPES = {dtypes.float16, dtypes.float32, dtypes.float64}
#: How many algorithms a benchmark may try: nothing, where there is no cuDNN.
benchmark_limit: Any = None
conv, rnn = Precision("cuda", "conv"), Precision("cuda", "rnn")


def version() -> int | None:
    """The version of cuDNN: None."""
    return None


def is_available() -> bool:
    """Whether the engine computes with cuDNN.

    >>> is_available()
    False
    """
    return False


def is_acceptable(tensor: Tensor) -> bool:
    """Whether cuDNN would compute with a tensor: it would not, and says so of one that it could take.

    >>> is_acceptable(tk.ones(2))
    False
    """
    if not _Cudnn.enabled or tensor.device.type != "cuda" or tensor.dtype not in CUDNN_TENSOR_DTYPES:
        return False
    warn(
        "tensorkit was compiled without cuDNN/MIOpen support. To use cuDNN/MIOpen, rebuild tensorkit making sure the "
        "library is visible to the build system."
    )
    return False


class _Kernel:
    """Which kernels are to convolve depth by depth: kept."""

    value = "auto"

    def __get__(self, owner: Any, kind: Any = None) -> str:
        return self.value

    def __set__(self, owner: Any, value: str) -> None:
        if not isinstance(value, str):
            raise RuntimeError(f"set_cudnn_depthwise_kernel expects a string, but got {type(value).__name__}")
        if value not in ("auto", "cudnn", "native"):
            raise RuntimeError(
                f"Unknown cuDNN depthwise kernel mode: {value}. Expected one of: auto, cudnn, native"
            )
        self.value = value


class _Cudnn(types.ModuleType):
    """The module, with what can be said to cuDNN."""

    enabled = Switch(True, "set_enabled_cudnn")
    deterministic = Switch(False, "set_deterministic_cudnn")
    benchmark = Switch(False, "set_benchmark_cudnn")
    depthwise_kernel = _Kernel()

    @property
    def allow_tf32(self) -> bool:
        """Whether cuDNN may use the first 19 bits of float32."""
        return is_tf32_allowed_in_convolutions()

    @allow_tf32.setter
    def allow_tf32(self, allowed: bool) -> None:
        need_bool(allowed, "set_allow_tf32_cublas")  # PyTorch names the other library
        allow_tf32_in_convolutions(allowed)

    @property
    def fp32_precision(self) -> str:
        """How precisely CUDA's libraries may compute with float32."""
        return look("cuda", "all")

    @fp32_precision.setter
    def fp32_precision(self, precision: str) -> None:
        put("cuda", "all", precision)


_here: Any = sys.modules[__name__]
_here.__class__ = _Cudnn


def set_flags(
    _enabled: bool | None = None,
    _benchmark: bool | None = None,
    _benchmark_limit: int | None = None,
    _deterministic: bool | None = None,
    _allow_tf32: bool | None = None,
    _fp32_precision: str | None = "none",
    _depthwise_kernel: str | None = None,
) -> tuple[bool, bool, None, bool, bool, str, str]:
    """Set what is not None, and give back what was set before."""
    before = (
        _here.enabled,
        _here.benchmark,
        None,
        _here.deterministic,
        _here.allow_tf32,
        _here.fp32_precision,
        _here.depthwise_kernel,
    )
    for name, value in (
        ("enabled", _enabled),
        ("benchmark", _benchmark),
        ("deterministic", _deterministic),
        ("allow_tf32", _allow_tf32),
        ("fp32_precision", _fp32_precision),
        ("depthwise_kernel", _depthwise_kernel),
    ):
        if value is not None:
            setattr(_here, name, value)
    return before


@contextmanager
def flags(
    enabled: bool = False,
    benchmark: bool = False,
    benchmark_limit: int | None = 10,
    deterministic: bool = False,
    allow_tf32: bool = True,
    fp32_precision: str = "none",
    depthwise_kernel: str = "auto",
) -> Iterator[None]:
    """A context manager that sets all of cuDNN's settings, and what was set before when it ends.

    >>> with flags(benchmark=True):
    ...     tk.backends.cudnn.enabled, tk.backends.cudnn.benchmark
    (False, True)
    """
    before = set_flags(
        enabled, benchmark, benchmark_limit, deterministic, allow_tf32, fp32_precision, depthwise_kernel
    )
    try:
        yield
    finally:
        set_flags(*before)
