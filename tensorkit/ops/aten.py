"""``ops.aten``: the operations under the names that PyTorch's compilers call them by.

>>> tk.ops.aten.add.Tensor(tk.ones(2), 1)
tensor([2., 2.])

The name of a form, such as ``Tensor`` or ``out``, changes nothing: the operation finds its form by what it is given.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from tensorkit.dispatch.registry import registry
from tensorkit.tensor import Tensor

_FORMS = """
    default Tensor Scalar Tensor_out Scalar_out out dim dim_out dims dims_out dtype dtype_out int int_out float
    float_out bool str complex t x x_scalar n_scalar generator generator_out correction correction_out values other
    value src reduce value_reduce two dim_IntList IntList_out int_list stable values_stable unary_out all_out
    Tensor_Tensor Tensor_Scalar Scalar_Tensor Scalar_Scalar ScalarTensor names dimname start Start_out step sizes
    vec memory_format device self_int dim_max dim_min padding array Dimname sections indices
"""


class _Operation:
    """``aten.add``, or a form of it, such as ``aten.add.Tensor``."""

    def __init__(self, name: str, call: Callable[..., Any], form: str = "") -> None:
        self.__name__ = f"{name}.{form}" if form else name
        self._name, self._call, self._form = name, call, form

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._call(*args, **kwargs)

    def __getattr__(self, form: str) -> _Operation:
        if self._form or form not in _FORMS.split():
            raise AttributeError(f"The underlying op of 'aten.{self._name}' has no overload name '{form}'")
        return _Operation(self._name, self._call, form)

    def __str__(self) -> str:
        return f"aten.{self.__name__}"

    def __repr__(self) -> str:
        if self._form:
            return f"<OpOverload(op='aten.{self._name}', overload='{self._form}')>"
        return f"<OpOverloadPacket(op='aten.{self._name}')>"


def __getattr__(name: str) -> _Operation:
    """An operation by PyTorch's name of it: ``add``, ``add_`` or ``linalg_norm``."""
    if not name.startswith("__"):
        for part in ("fft", "nn"):  # loaded late: `import tensorkit` need not wait for them
            importlib.import_module(f"tensorkit.ops.{part}")
        for one in registry.values():
            if one.function is not None and (name == one.name or name in one.functions):
                return _Operation(name, one.function)
            if name in one.methods:
                return _Operation(name, getattr(Tensor, name))
    raise AttributeError(f"'_OpNamespace' 'aten' object has no attribute '{name}'")
