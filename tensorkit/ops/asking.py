"""Questions about tensors and dtypes, and the switch for warnings: nothing here computes.

>>> import tensorkit as tk
>>> tk.result_type(tk.tensor([1, 2]), 1.5)
tensorkit.float32
"""

from __future__ import annotations

import types
from typing import Any

from tensorkit.dispatch import offers, unmatched
from tensorkit.dtypes import dtype
from tensorkit.elementwise import NUMBERS, result_dtype
from tensorkit.ops.legacy import tensortype
from tensorkit.storage import TypedStorage, UntypedStorage
from tensorkit.tensor import Tensor

__all__ = [
    "is_complex",
    "is_floating_point",
    "is_inference",
    "is_signed",
    "is_storage",
    "is_tensor",
    "is_warn_always_enabled",
    "numel",
    "result_type",
    "set_warn_always",
    "typename",
]

_PAIRS = (
    "Tensor tensor, Tensor other",
    "Number scalar, Tensor tensor",
    "Tensor tensor, Number other",
    "Number scalar1, Number scalar2",
)
_NAMES = ({"tensor", "other"}, {"scalar", "tensor"}, {"scalar1", "scalar2"})


@offers
def result_type(*args: Any, **kwargs: Any) -> dtype:
    """The dtype of the sum of two operands, tensors or Python numbers.

    A tensor with dimensions decides before one without, that before a number, unless the other is of a higher
    category: bool, integer, floating point, complex.

    Raises:
        TypeError: when the operands are not two. RuntimeError: where PyTorch has no common dtype.

    >>> import tensorkit as tk
    >>> tk.result_type(tk.tensor([1, 2], dtype=tk.uint8), 3), tk.result_type(1, 2.5)
    (tensorkit.uint8, tensorkit.float32)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.result_type.html
    """
    operands = [*args, *kwargs.values()]
    named = not kwargs or len(args) == 1 or any(set(kwargs) == names for names in _NAMES)
    known = all(isinstance(value, (Tensor, *NUMBERS)) for value in operands)
    if len(operands) != 2 or not named or not known:
        raise unmatched("result_type", args, kwargs, _PAIRS)
    return result_dtype(operands[0], operands[1])


def _of_dtype(name: str, doc: str) -> Any:
    def ask(input: Tensor) -> bool:
        if not isinstance(input, Tensor):
            raise TypeError(
                f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}"
            )
        return bool(getattr(input._dtype, name))

    def asked(*args: Any, **kwargs: Any) -> bool:
        __tracebackhide__ = True
        if not args and not kwargs:
            raise TypeError(f'{name}() missing 1 required positional arguments: "input"')
        return ask(*args, **kwargs)

    asked.__name__ = name
    asked.__doc__ = f"""{doc}

    Source: https://docs.pytorch.org/docs/stable/generated/torch.{name}.html
    """
    return offers(asked)


is_floating_point = _of_dtype(
    "is_floating_point", "Whether a tensor's elements are floating point numbers (complex ones do not count)."
)
is_complex = _of_dtype("is_complex", "Whether a tensor's elements are complex numbers.")
is_signed = _of_dtype("is_signed", "Whether a tensor's elements can be negative.")


@offers
def is_inference(input: Tensor) -> bool:
    """Whether a tensor was made in inference mode.

    >>> import tensorkit as tk
    >>> tk.is_inference(tk.ones(1))
    False
    """
    if not isinstance(input, Tensor):
        raise TypeError(
            f"is_inference(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}"
        )
    return bool(input.is_inference())


@offers
def is_tensor(obj: Any) -> bool:
    """Whether an object is a tensor.

    >>> import tensorkit as tk
    >>> tk.is_tensor(tk.ones(1)), tk.is_tensor([1.0])
    (True, False)
    """
    return isinstance(obj, Tensor)


@offers
def numel(input: Tensor) -> int:
    """The number of elements.

    >>> import tensorkit as tk
    >>> tk.numel(tk.zeros(2, 3))
    6
    """
    if not isinstance(input, Tensor):
        raise TypeError(f"numel(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    return input.numel()


@offers
def is_storage(obj: Any) -> bool:
    """Whether an object is a storage.

    >>> import tensorkit as tk
    >>> tk.is_storage(tk.ones(1).untyped_storage()), tk.is_storage(tk.ones(1))
    (True, False)
    """
    return type(obj) in (TypedStorage, UntypedStorage)


@offers
def typename(obj: Any) -> str:
    """The name of a tensor's type, as code of earlier years knows it; of anything else the name of its class.

    >>> import tensorkit as tk
    >>> tk.typename(tk.ones(1)), tk.typename(tk.Size([2])), tk.typename(3)
    ('tensorkit.FloatTensor', 'tensorkit.Size', 'int')
    """
    if isinstance(obj, Tensor):
        return str(obj.type())
    if isinstance(obj, types.ModuleType):
        return obj.__name__
    named = obj if hasattr(obj, "__qualname__") else type(obj)
    place = getattr(named, "__module__", None) or ""
    if isinstance(obj, tensortype) or place not in ("", "builtins"):
        return f"{place}.{named.__qualname__}"
    return str(named.__qualname__)


# -- warnings -----------------------------------------------------------------------------------------------------

_always = False


@offers
def set_warn_always(b: bool, /) -> None:
    """Accepted for PyTorch's sake: what PyTorch warns of once a session, tensorkit leaves to Python's filters.

    >>> import tensorkit as tk
    >>> tk.set_warn_always(False)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.set_warn_always.html
    """
    if not isinstance(b, bool):
        raise RuntimeError(f"setWarnOnlyOnce expects a bool, but got {type(b).__name__}")
    global _always
    _always = b


@offers
def is_warn_always_enabled() -> bool:
    """What `set_warn_always` was last told.

    >>> import tensorkit as tk
    >>> tk.is_warn_always_enabled()
    False
    """
    return _always
