"""CUDA: whether it could be used, and how precisely its libraries may multiply.

>>> import tensorkit as tk
>>> tk.backends.cuda.matmul.allow_tf32 = True
>>> tk.get_float32_matmul_precision()
'high'
>>> tk.backends.cuda.matmul.allow_tf32 = False

Source: https://docs.pytorch.org/docs/stable/backends.html#module-torch.backends.cuda
"""

from __future__ import annotations

from typing import Any

from tensorkit import version
from tensorkit.backends.matmul_precision import (
    allow_tf32_in_products,
    is_tf32_allowed_in_products,
    look,
    put,
)
from tensorkit.backends.settings import need_bool
from tensorkit.kernels import cuda as kernels

__all__ = ["cuBLASModule", "is_built", "matmul"]


def is_built() -> bool:
    """Whether the engine could compute on a GPU if there was one, or does on an emulated one.

    >>> import tensorkit as tk
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
