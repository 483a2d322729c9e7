"""CUDA: whether it could be used, and how precisely its libraries may multiply.

>>> tk.backends.cuda.matmul.allow_tf32 = True
>>> tk.get_float32_matmul_precision()
'high'
>>> tk.backends.cuda.matmul.allow_tf32 = False

Who multiplies and sorts can be chosen: a library (cuBLAS on a GPU, NumPy on an emulated one), or kernels of the kit's
own, which can be read and traced. A GPU without a library has these.

>>> from tensorkit import tracing
>>> with tk.cuda.emulate(), tk.backends.cuda.own_kernels(), tracing.record() as events:
...     a = tk.ones(2, 2, device="cuda") @ tk.ones(2, 2, device="cuda")
>>> [event.kernel for event in events if isinstance(event, tracing.LaunchEvent)][-1]
'matmul_tiles_float32'

Source: https://docs.pytorch.org/docs/stable/backends.html#module-torch.backends.cuda
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from enum import Enum
from typing import Any

from tensorkit import version
from tensorkit.backends.matmul_precision import allow_tf32_in_products, is_tf32_allowed_in_products, look, put
from tensorkit.backends.settings import need_bool
from tensorkit.kernels import cuda as kernels
from tensorkit.kernels.cuda import choice

__all__ = [
    "BlasBackend",
    "SortBackend",
    "cuBLASModule",
    "is_built",
    "matmul",
    "own_kernels",
    "preferred_blas_library",
    "preferred_sort_library",
]


def __dir__() -> list[str]:
    return __all__


def is_built() -> bool:
    """Whether the engine could compute on a GPU if there was one, or does on an emulated one.

    >>> with tk.cuda.emulate():
    ...     is_built()
    True
    """
    return kernels.is_available() or version.cuda is not None


_REDUCED = ("allow_fp16_reduced_precision_reduction", "allow_bf16_reduced_precision_reduction")
_SPLIT = "_split_k"


class cuBLASModule:
    """How cuBLAS, which tensorkit does not use, may multiply matrices: kept, and without effect.

    Attributes:
        allow_tf32: whether by the first 19 bits of float32.
        fp32_precision: the newer way of saying it: "ieee", "tf32" or "none".
        allow_fp16_accumulation: whether float16 may be added up in float16.
        allow_fp16_reduced_precision_reduction: whether parts of a sum may; also a pair, whose second number says
            whether the sum may be split (then found in ``allow_fp16_reduced_precision_reduction_split_k``).
        allow_bf16_reduced_precision_reduction: the same of bfloat16.
    """

    def __init__(self) -> None:
        self.__dict__["_kept"] = dict.fromkeys(_REDUCED, (True, True)) | {"allow_fp16_accumulation": False}

    def __getattr__(self, name: str) -> Any:
        if name == "allow_tf32":
            return is_tf32_allowed_in_products()
        if name == "fp32_precision":
            return look("cuda", "matmul")
        if name in _REDUCED or name.removesuffix(_SPLIT) in _REDUCED:
            return self._kept[name.removesuffix(_SPLIT)][name.endswith(_SPLIT)]
        if name == "allow_fp16_accumulation":
            return self._kept[name]
        raise AttributeError("Unknown attribute " + name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "allow_tf32":
            need_bool(value, "set_allow_tf32_cublas")
            allow_tf32_in_products(value)
        elif name == "fp32_precision":
            put("cuda", "matmul", value)
        elif name in _REDUCED:
            self._kept[name] = _reduction(value, name)
        elif name == "allow_fp16_accumulation":
            need_bool(value, "set_allow_fp16_accumulation_cublas")
            self._kept[name] = value
        else:
            raise AttributeError("Unknown attribute " + name)


def _reduction(value: Any, name: str) -> tuple[bool, bool]:
    """Whether less precise sums are allowed, and whether they may be split."""
    if isinstance(value, bool):
        return value, True
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"{name} expects a bool or a tuple/list of bools, but got {type(value)!r}")
    if not value:
        raise TypeError(f"{name} expects at least one boolean argument")
    if len(value) > 2:
        raise TypeError(f"{name} expects at most two boolean arguments")
    for one, which in zip(value, ("allow_reduced_precision", "allow_splitk"), strict=False):
        if not isinstance(one, bool):
            raise TypeError(f"{name} expects a bool for {which}, but got {type(one)!r}")
    less, split = value[0], len(value) == 1 or value[1]
    if less and not split:
        raise RuntimeError(
            "allow_splitk=False is not supported when reduced precision reductions are enabled"
        )
    return less, split


matmul = cuBLASModule()


# -- who multiplies and sorts -------------------------------------------------------------------------------------


class BlasBackend(Enum):
    """What `preferred_blas_library` answers: PyTorch's names, and the kit's own kernels."""

    Default, Cublas, Cublaslt, Ck, Tensorkit = range(5)


class SortBackend(Enum):
    """What `preferred_sort_library` answers."""

    Default, Cub, Tensorkit = range(3)


def _preferred(family: str, kinds: type[Enum], spelled: dict[str, Enum], backend: Any) -> Any:
    """Choose the implementation of a family of operations, if one is given; returns the choice."""
    if isinstance(backend, str):
        if backend not in spelled:
            raise RuntimeError(f"Unknown input value. Choose from: {', '.join(spelled)}.")
        backend = spelled[backend]
    if isinstance(backend, kinds):
        choice.chosen[family] = backend.name.lower()
    elif backend is not None:
        raise RuntimeError("Unknown input value type.")
    return kinds[choice.chosen[family].capitalize()]


_BLAS: dict[str, Enum] = {
    "default": BlasBackend.Default,
    "cublas": BlasBackend.Cublas,
    "hipblas": BlasBackend.Cublas,
    "cublaslt": BlasBackend.Cublaslt,
    "hipblaslt": BlasBackend.Cublaslt,
    "ck": BlasBackend.Ck,
    "tensorkit": BlasBackend.Tensorkit,
}
_SORT: dict[str, Enum] = {
    "default": SortBackend.Default,
    "cub": SortBackend.Cub,
    "tensorkit": SortBackend.Tensorkit,
}


def preferred_blas_library(backend: str | BlasBackend | None = None) -> BlasBackend:
    """Choose who multiplies matrices on CUDA devices; without an argument, say who does.

    Args:
        backend: ``"tensorkit"`` for the kit's own kernels. Any other of PyTorch's names means the library that there
            is: cuBLAS on a GPU, NumPy on an emulated one.

    Raises:
        RuntimeError: for another name, or for what is not a name.

    >>> tk.backends.cuda.preferred_blas_library("tensorkit")
    <BlasBackend.Tensorkit: 4>
    >>> tk.backends.cuda.preferred_blas_library("default")
    <BlasBackend.Default: 0>

    Source: https://docs.pytorch.org/docs/stable/backends.html#torch.backends.cuda.preferred_blas_library
    """
    found: BlasBackend = _preferred("products", BlasBackend, _BLAS, backend)
    return found


def preferred_sort_library(backend: str | SortBackend | None = None) -> SortBackend:
    """Choose who sorts, searches and counts on CUDA devices, as `preferred_blas_library` chooses who multiplies.

    PyTorch has no such question: there CUB sorts. The kit's own kernels keep the order of equal elements.

    Args:
        backend: ``"tensorkit"`` for the kit's own kernels; ``"cub"`` or ``"default"`` for the library that there is.

    Raises:
        RuntimeError: for another name, or for what is not a name.

    >>> tk.backends.cuda.preferred_sort_library()
    <SortBackend.Default: 0>
    """
    found: SortBackend = _preferred("sorting", SortBackend, _SORT, backend)
    return found


def own_kernels() -> AbstractContextManager[None]:
    """A context manager: while its block runs, the kit's own kernels multiply and sort on CUDA devices.

    >>> with own_kernels():
    ...     tk.backends.cuda.preferred_sort_library()
    <SortBackend.Tensorkit: 2>
    """
    return choice.own_chosen()
