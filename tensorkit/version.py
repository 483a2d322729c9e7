"""Which tensorkit this is, and what it was made with.

>>> tk.version.__version__ == tk.__version__, tk.version.hip, tk.version.debug
(True, None, False)

Source: names follow ``torch.version``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["TensorkitVersion", "__version__", "cuda", "debug", "git_version", "hip", "rocm", "xpu"]


def __dir__() -> list[str]:
    return __all__


__version__ = "0.1.0"
debug = False
#: A wheel does not know the commit that it was made of; PyTorch's word for that.
git_version = "Unknown"
hip: str | None = None
rocm: str | None = None
xpu: str | None = None
cuda: str | None  # found on first use


def __getattr__(name: str) -> Any:
    """``cuda``: the version of the CUDA libraries that the kernels are compiled with; None where there are none."""
    if name != "cuda":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import PackageNotFoundError, version

    try:
        for needed in ("cuda-core", "numba-cuda"):
            version(needed)
        return ".".join(version("cuda-bindings").split(".")[:2])
    except PackageNotFoundError:
        return None


class TensorkitVersion(str):
    """A version: text that compares with text and with tuples of numbers, number by number.

    >>> TensorkitVersion("1.10.0") > "1.9", TensorkitVersion("1.10.0") >= (1, 10), TensorkitVersion("1.10.0") < "2"
    (True, True, True)

    Source: ``torch.torch_version.TorchVersion``.
    """

    __slots__ = ()

    def _than(self, other: Any, method: str) -> Any:
        from packaging.version import InvalidVersion, Version

        try:
            if isinstance(other, str):
                there = Version(other)
            elif isinstance(other, Iterable):
                there = Version(".".join(str(part) for part in other))
            elif isinstance(other, Version):
                there = other
            else:
                return getattr(str, method)(self, other)
            return getattr(Version(self), method)(there)
        except InvalidVersion:  # compared as text: 'parrot'
            return getattr(str, method)(self, other)

    def __eq__(self, other: object) -> Any:
        return self._than(other, "__eq__")

    def __lt__(self, other: Any) -> Any:
        return self._than(other, "__lt__")

    def __le__(self, other: Any) -> Any:
        return self._than(other, "__le__")

    def __gt__(self, other: Any) -> Any:
        return self._than(other, "__gt__")

    def __ge__(self, other: Any) -> Any:
        return self._than(other, "__ge__")

    __ne__ = str.__ne__
    __hash__ = str.__hash__
