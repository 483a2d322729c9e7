"""oneDNN, which PyTorch still calls MKL-DNN: not used. What may be said to it is kept.

Source: https://docs.pytorch.org/docs/stable/backends.html#module-torch.backends.mkldnn
"""

from __future__ import annotations

import sys
import types

from tensorkit.backends.matmul_precision import look, put
from tensorkit.backends.settings import Precision, Switch

__all__ = ["conv", "is_acl_available", "is_available", "matmul", "rnn"]


def __dir__() -> list[str]:
    return [*__all__, *(name for name in vars(_Mkldnn) if not name.startswith("_"))]


def is_available() -> bool:
    """Whether the engine computes with oneDNN.

    >>> is_available()
    False
    """
    return False


def is_acl_available() -> bool:
    """Whether it computes with oneDNN and Arm's Compute Library."""
    return False


conv, matmul, rnn = (Precision("mkldnn", operation) for operation in ("conv", "matmul", "rnn"))


class _Mkldnn(types.ModuleType):
    """The module, with what can be said to oneDNN."""

    enabled = Switch(True, "set_enabled_mkldnn")
    deterministic = Switch(False, "set_deterministic_mkldnn")

    @property
    def fp32_precision(self) -> str:
        """How precisely oneDNN may compute with float32; what is written here holds for all backends, as in PyTorch."""
        return look("mkldnn", "all")

    @fp32_precision.setter
    def fp32_precision(self, precision: str) -> None:
        put("generic", "all", precision)


sys.modules[__name__].__class__ = _Mkldnn
