"""Which operations sharded tensors have, as methods and as functions; all others are refused by name."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tensorkit.dispatch.registry import registry
from tensorkit.distributed.tensor import elementwise, linalg, products, reductions, shapes, tasks
from tensorkit.distributed.tensor.dtensor import DTensor, attach
from tensorkit.distributed.tensor.strategy import mesh_of
from tensorkit.elementwise.block import NUMBERS
from tensorkit.ops.shared.tensor_data import tensor
from tensorkit.tensor import Tensor

Rule = Callable[..., Any]


def _equal(input: DTensor, other: DTensor) -> bool:
    """Whether both have the same size and elements."""
    if input.shape != other.shape:
        return False
    return not elementwise.pointwise("ne", input, other).sum().item()  # type: ignore[attr-defined]


def _where(condition: DTensor, *others: Any, **kwargs: Any) -> Any:
    """One of two where a condition holds. The places alone, of one argument, are of no size that is known before."""
    if not others and not kwargs:
        return _unknown("where")
    others, kwargs = tasks.within(
        (others, kwargs), lambda one: tensor(one) if isinstance(one, NUMBERS) else one
    )
    return elementwise.pointwise("where", condition, *others, **kwargs)


def _unknown(name: str) -> Any:
    raise NotImplementedError(
        f"Operator aten.{name} does not have a sharding strategy registered. full_tensor() brings the tensor here, "
        "where every operation is."
    )


RULES: dict[str, Rule] = {
    **{name: functools.partial(elementwise.pointwise, name) for name in elementwise.NAMES},
    **{name: functools.partial(reductions.reduced, name) for name in reductions.NAMES},
    **{name: functools.partial(reductions.softmax, name) for name in reductions.SOFTMAX},
    **{name: functools.partial(products.product, name) for name in products.NAMES},
    **{name: functools.partial(shapes.reordered, name) for name in shapes.REORDERED},
    **{name: functools.partial(shapes.viewed, name) for name in shapes.VIEWED},
    **{name: functools.partial(shapes.joined, name) for name in shapes.JOINED},
    "var": reductions.var,
    "std": lambda *args, **kwargs: elementwise.pointwise("sqrt", reductions.var(*args, **kwargs)),
    **{name: functools.partial(reductions.extreme, name) for name in ("max", "min")},
    **{f"linalg_{rule.__name__}": rule for rule in (linalg.qr, linalg.lstsq, linalg.solve)},
    "equal": _equal,
    "where": _where,
}
"""By the name of the operation."""

_OPERATORS = {
    "add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "floordiv": "floor_divide", "mod": "remainder",
    "pow": "pow", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift", "eq": "eq", "ne": "ne", "lt": "lt", "le": "le", "gt": "gt", "ge": "ge",
    "matmul": "matmul",
}  # fmt: skip
_TURNED = ("add", "mul", "and", "or", "xor")
_ALONE = {"neg": "neg", "abs": "abs", "invert": "bitwise_not"}


def call(name: str, *args: Any, **kwargs: Any) -> Any:
    """An operation on sharded tensors, by its name.

    Raises:
        NotImplementedError: where there is no rule for it.
    """
    mesh_of(name, args, kwargs)
    rule = RULES.get(name)
    if rule is None and name.endswith("_"):
        raise NotImplementedError(
            f"A sharded tensor is never changed in place, and {name} would: write t = t.{name[:-1]}(...)."
        )
    return _unknown(name) if rule is None else rule(*args, **kwargs)


def _method(name: str) -> Any:
    def method(self: DTensor, *args: Any, **kwargs: Any) -> Any:
        return call(name, self, *args, **kwargs)

    method.__name__ = method.__qualname__ = name
    method.__doc__ = f"``{name}`` of all of it: see `tensorkit.Tensor.{name}`."
    return method


def _refused(self: DTensor, name: str) -> Any:
    """Any other method of tensors is refused where it is called for, by its name."""
    if hasattr(Tensor, name) and not name.startswith("_"):
        return functools.partial(call, name, self)
    raise AttributeError(f"'DTensor' object has no attribute '{name}'")


def _function(
    cls: Any,
    func: Callable[..., Any],
    types: Any,
    args: tuple[Any, ...] = (),
    kwargs: dict[str, Any] | None = None,
) -> Any:
    """What a function of tensors makes of sharded ones."""
    name = next((name for name, one in registry.items() if one.function is func), func.__name__)
    named = dict(kwargs or {})
    if "input" in named:
        args = (named.pop("input"), *args)
    return call(name, *args, **named)


def install() -> None:
    """Give `DTensor` its methods and operators."""
    attach("__torch_function__", classmethod(_function))
    for name in RULES:
        if hasattr(Tensor, name) and name not in vars(DTensor):
            attach(name, _method(name))
    for dunder, name in {**_OPERATORS, **_ALONE}.items():
        attach(f"__{dunder}__", _method(name))
    for name in _TURNED:
        attach(f"__r{name}__", _method(_OPERATORS[name]))
    attach("where", lambda self, condition, other: call("where", condition, self, other))
    attach("__rsub__", lambda self, other: call("rsub", self, other))
    attach("__rtruediv__", lambda self, other: call("mul", call("reciprocal", self), other))
    attach("__rpow__", lambda self, other: call("pow", other, self))
    attach("__rmod__", lambda self, other: call("remainder", other, self))
    attach("__rfloordiv__", lambda self, other: call("floor_divide", other, self))
    attach("__hash__", object.__hash__)
    attach("__getitem__", shapes.getitem)
    attach("__getattr__", _refused)
    for name in ("T", "mT"):
        attach(name, property(lambda self: call("transpose", self, -2, -1) if self.ndim > 1 else self))
