"""`Variable`, which every tutorial until 2018 wraps around its tensors: since then a tensor is one already."""

from __future__ import annotations

from typing import Any

from tensorkit.errors import warn
from tensorkit.tensor import Tensor


class _AnyTensor(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=_AnyTensor):
    """A tensor on the memory of another, without its history: ``x.detach().requires_grad_(requires_grad)``.

    Raises:
        TypeError: for data that are not a tensor.

    >>> from tensorkit.autograd import Variable
    >>> Variable(tk.ones(2), requires_grad=True)
    tensor([1., 1.], requires_grad=True)
    >>> isinstance(tk.ones(2), Variable)
    True

    Source: https://docs.pytorch.org/docs/stable/autograd.html#variable-deprecated
    """

    def __new__(cls, data: Any = None, requires_grad: bool = False, volatile: bool = False) -> Tensor:  # type: ignore[misc]
        if volatile:
            warn("volatile was removed and now has no effect. Use `with tensorkit.no_grad():` instead.")
            if requires_grad:
                raise ValueError("Variable can't be volatile and require_grad at the same time!")
        if data is None:
            data = Tensor()
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        if requires_grad and data.dtype.category < 2:
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        return data.data.requires_grad_(bool(requires_grad))
