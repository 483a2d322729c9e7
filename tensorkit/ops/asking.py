"""Questions about tensors and dtypes, and switches that change no result: nothing here computes.

>>> import tensorkit as tk
>>> tk.result_type(tk.tensor([1, 2]), 1.5)
tensorkit.float32
"""

from __future__ import annotations

import itertools
import types
from collections.abc import Callable
from typing import Any

from tensorkit.dispatch import offers, unmatched
from tensorkit.dtypes import dtype
from tensorkit.elementwise import NUMBERS, result_dtype
from tensorkit.errors import warn
from tensorkit.formats import has_format, memory_format
from tensorkit.memory_order import dim_order
from tensorkit.ops.legacy import tensortype
from tensorkit.storage import TypedStorage, UntypedStorage
from tensorkit.tensor import Tensor, attach

__all__ = [
    "get_device",
    "get_float32_matmul_precision",
    "is_complex",
    "is_floating_point",
    "is_inference",
    "is_signed",
    "is_storage",
    "is_tensor",
    "is_warn_always_enabled",
    "numel",
    "result_type",
    "set_float32_matmul_precision",
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


def _of_tensor(name: str, answer: Callable[[Tensor], Any], doc: str) -> Any:
    def ask(input: Tensor) -> Any:
        if not isinstance(input, Tensor):
            raise TypeError(
                f"{name}(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}"
            )
        return answer(input)

    def asked(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if not args and not kwargs:
            raise TypeError(f'{name}() missing 1 required positional arguments: "input"')
        return ask(*args, **kwargs)

    asked.__name__ = name
    asked.__doc__ = f"""{doc}

    Source: https://docs.pytorch.org/docs/stable/generated/torch.{name}.html
    """
    return offers(asked)


is_floating_point = _of_tensor(
    "is_floating_point",
    lambda input: input._dtype.is_floating_point,
    "Whether a tensor's elements are floating point numbers (complex ones do not count).",
)
is_complex = _of_tensor(
    "is_complex", lambda input: input._dtype.is_complex, "Whether a tensor's elements are complex numbers."
)
is_signed = _of_tensor(
    "is_signed", lambda input: input._dtype.is_signed, "Whether a tensor's elements can be negative."
)
get_device = _of_tensor(
    "get_device",
    Tensor.get_device,
    """The number of the accelerator that a tensor is on; -1 elsewhere.

    >>> import tensorkit as tk
    >>> tk.get_device(tk.ones(1))
    -1""",
)


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


# -- how a tensor lies --------------------------------------------------------------------------------------------

_CHECKS = "The ambiguity_check argument must be a bool or a list of memory formats."


def _dim_order(self: Tensor, *, ambiguity_check: bool | list[memory_format] = False) -> tuple[int, ...]:
    """The dimensions in the order in which they lie in memory: from the longest step to the shortest.

    Args:
        ambiguity_check: whether to refuse a tensor whose dimensions could be ordered in other ways; or memory formats,
            of which exactly one has to fit such a tensor.

    Raises:
        RuntimeError: for an order that is not the only one. TypeError: for a wrong `ambiguity_check`.

    >>> import tensorkit as tk
    >>> tk.zeros(2, 3).dim_order(), tk.zeros(2, 3).t().dim_order()
    ((0, 1), (1, 0))

    Source: https://docs.pytorch.org/docs/stable/generated/torch.Tensor.dim_order.html
    """
    formats = [] if isinstance(ambiguity_check, bool) else ambiguity_check
    if not isinstance(formats, list) or not all(isinstance(one, memory_format) for one in formats):
        raise TypeError(_CHECKS)
    lay = self._lay()
    if ambiguity_check is not False:
        same = 1 in lay.size or any(one == other for one, other in itertools.pairwise(lay.stride))
        if same and sum(has_format(lay, one) for one in formats) != 1:
            raise RuntimeError(
                "The tensor does not have unique dim order, or cannot map to exact one of the given memory formats."
            )
    order = dim_order(lay, bool(ambiguity_check))
    if order is None:
        raise RuntimeError("The tensor does not have unique dim order.")
    return order


attach("dim_order", _dim_order)

# -- how matrices are multiplied ----------------------------------------------------------------------------------

_precision = "highest"


@offers
def set_float32_matmul_precision(precision: str) -> None:
    """Accepted for PyTorch's sake: float32 matrices are multiplied in float32 here, whatever was said.

    Args:
        precision: "highest", "high" or "medium".

    Raises:
        RuntimeError: for what is no text. (Another text is warned of.)

    >>> import tensorkit as tk
    >>> tk.set_float32_matmul_precision("highest")

    Source: https://docs.pytorch.org/docs/stable/generated/torch.set_float32_matmul_precision.html
    """
    if not isinstance(precision, str):
        raise RuntimeError(f"set_float32_matmul_precision expects a str, but got {type(precision).__name__}")
    if precision not in ("highest", "high", "medium"):
        warn(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the currentsetFloat32MatmulPrecision call has "
            "no effect."
        )
        return
    global _precision
    _precision = precision


@offers
def get_float32_matmul_precision() -> str:
    """What `set_float32_matmul_precision` was last told.

    >>> import tensorkit as tk
    >>> tk.get_float32_matmul_precision()
    'highest'

    Source: https://docs.pytorch.org/docs/stable/generated/torch.get_float32_matmul_precision.html
    """
    return _precision


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
