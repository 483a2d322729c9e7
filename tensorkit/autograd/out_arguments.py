"""Tensors given as ``out=``: nothing is recorded through them, so none of them may want a gradient.

>>> tk.exp(tk.zeros(2), out=tk.zeros(2, requires_grad=True))
Traceback (most recent call last):
    ...
RuntimeError: exp(): functions with out=... arguments don't support automatic differentiation, but one of the \
arguments requires grad.
"""

from __future__ import annotations

from typing import Any

from tensorkit.autograd.grad_mode import state
from tensorkit.autograd.history import requires_grad
from tensorkit.dispatch.registry import registry
from tensorkit.tensor import Tensor


def not_recorded(name: str, *tensors: Tensor) -> RuntimeError:
    """PyTorch's error for ``out=`` where an argument requires grad.

    Args:
        name: of the function.
        tensors: that it was called with: with some, a function comes down to one operation or to another.
    """
    told = registry[name].out_error if name in registry else ""
    shown = told if isinstance(told, str) else told(*tensors)
    return RuntimeError(
        f"{shown or name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
        "arguments requires grad."
    )


def check_outs(name: str, args: tuple[Any, ...], out: Any) -> RuntimeError | None:
    """PyTorch's refusal of tensors to write a result into that want a gradient; None where none does."""
    recording = registry[name].out_recording
    if not state.grad or recording == "silent":
        return None
    given = out if isinstance(out, (tuple, list)) else (out,)
    wanting = [one for one in given if isinstance(one, Tensor) and requires_grad(one)]
    if not wanting:
        return None
    if recording == "in place" and any(one.is_leaf for one in wanting):
        return RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    return not_recorded(name, *(value for value in args if isinstance(value, Tensor)))
