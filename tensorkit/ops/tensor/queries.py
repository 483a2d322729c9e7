"""Questions about tensors and dtypes, and a switch that changes no result: nothing here computes.

>>> tk.result_type(tk.tensor([1, 2]), 1.5)
tensorkit.float32
"""

from __future__ import annotations

import inspect
import itertools
import types
from collections.abc import Callable
from typing import Any

from tensorkit.dispatch.call_errors import unmatched
from tensorkit.dispatch.lazy_signature import later
from tensorkit.dispatch.overrides import overridden
from tensorkit.dispatch.registry import offers, unlisted
from tensorkit.dispatch.signatures import refusal
from tensorkit.dtypes import dtype
from tensorkit.elementwise.block import NUMBERS
from tensorkit.elementwise.promotion import result_dtype
from tensorkit.memory_format import has_format, memory_format
from tensorkit.ops.tensor.typed_constructors import tensortype
from tensorkit.storage import TypedStorage, UntypedStorage
from tensorkit.strides.output import dim_order
from tensorkit.tensor import Tensor, attach

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

    >>> tk.result_type(tk.tensor([1, 2], dtype=tk.uint8), 3), tk.result_type(1, 2.5)
    (tensorkit.uint8, tensorkit.float32)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.result_type.html
    """
    operands = [*args, *kwargs.values()]
    named = not kwargs or len(args) == 1 or any(set(kwargs) == names for names in _NAMES)
    known = all(isinstance(value, (Tensor, *NUMBERS)) for value in operands)
    if len(operands) != 2 or not named or not known:
        answer = overridden("result_type", args, kwargs)
        if answer is not NotImplemented:
            return answer  # type: ignore[no-any-return]
        raise unmatched("result_type", args, kwargs, _PAIRS)
    return result_dtype(operands[0], operands[1])


def _only(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor:
    """What a function of one tensor was given, by its place or by one of its names."""
    __tracebackhide__ = True
    if (sentence := refusal(name, ("(Tensor input)",), args, kwargs, unmatched)) is not None:
        raise TypeError(sentence)
    return args[0] if args else next(iter(kwargs.values()))  # type: ignore[no-any-return]


def _of_tensor(name: str, answer: Callable[[Tensor], Any], doc: str) -> Any:
    def ask(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if len(args) == 1 and not kwargs and isinstance(args[0], Tensor):
            return answer(args[0])
        found = overridden(name, args, kwargs)
        if found is not NotImplemented:
            return found
        return answer(_only(name, args, kwargs))

    ask.__name__ = name
    ask.__doc__ = f"""{doc}

    Source: https://docs.pytorch.org/docs/stable/generated/torch.{name}.html
    """
    ask.__signature__ = later(lambda: inspect.signature(_shown))  # type: ignore[attr-defined]
    return offers(ask)


def _shown(input: Tensor) -> Any: ...


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

    >>> tk.get_device(tk.ones(1))
    -1""",
)


is_inference = _of_tensor(
    "is_inference",
    lambda input: bool(input.is_inference()),
    """Whether a tensor was made in inference mode.

    >>> tk.is_inference(tk.ones(1))
    False""",
)


@offers
def is_tensor(obj: Any) -> bool:
    """Whether an object is a tensor.

    >>> tk.is_tensor(tk.ones(1)), tk.is_tensor([1.0])
    (True, False)
    """
    return isinstance(obj, Tensor)


numel = _of_tensor(
    "numel",
    Tensor.numel,
    """The number of elements.

    >>> tk.numel(tk.zeros(2, 3))
    6""",
)


@offers
def is_storage(obj: Any) -> bool:
    """Whether an object is a storage.

    >>> tk.is_storage(tk.ones(1).untyped_storage()), tk.is_storage(tk.ones(1))
    (True, False)
    """
    return type(obj) in (TypedStorage, UntypedStorage)


@offers
def typename(obj: Any) -> str:
    """The name of a tensor's type, as code of earlier years knows it; of anything else the name of its class.

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


def _listed(input: Tensor) -> list[str]:
    """The names that ``dir(t)`` and a notebook's completion show."""
    return [name for name in object.__dir__(input) if name not in unlisted]


attach("__dir__", _listed)


# -- warnings -----------------------------------------------------------------------------------------------------

_always = False


@offers
def set_warn_always(b: bool, /) -> None:
    """Accepted for PyTorch's sake: what PyTorch warns of once a session, tensorkit leaves to Python's filters.

    >>> tk.set_warn_always(False)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.set_warn_always.html
    """
    if not isinstance(b, bool):
        raise RuntimeError(f"setWarnOnlyOnce expects a bool, but got {type(b).__name__}")
    global _always  # a setting of the process that nothing reads but the next function
    _always = b


@offers
def is_warn_always_enabled() -> bool:
    """What `set_warn_always` was last told.

    >>> tk.is_warn_always_enabled()
    False
    """
    return _always
