"""``out=`` and the forms that write in place, derived from the body of an operation."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, cast

from tensorkit.conj_bit import resolved
from tensorkit.device import META
from tensorkit.dispatch.lazy_signature import later
from tensorkit.dispatch.recording import check_outs, differentiable
from tensorkit.dispatch.registry import registry
from tensorkit.errors import SHARED_SLOTS, two_devices
from tensorkit.strides.layout import Layout
from tensorkit.tensor import Tensor


def as_method(body: Callable[..., Any]) -> Callable[..., Any]:
    """The method form of a function: ``out=`` is the function's alone, as in PyTorch."""
    innermost = body
    while hasattr(
        innermost, "__wrapped__"
    ):  # `inspect.unwrap` takes a tenth of the time of importing the engine
        innermost = innermost.__wrapped__
    if "out" not in (innermost.__kwdefaults__ or {}):
        return body

    @functools.wraps(body)
    def method(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if "out" in kwargs:
            raise TypeError  # the caller says it in PyTorch's words
        return body(*args, **kwargs)

    method.__dict__["__positional__"] = body  # what runs where there are no keywords

    method.__signature__ = later(lambda: _without_out(inspect.signature(body)))  # type: ignore[attr-defined]
    return method


def _without_out(signature: inspect.Signature) -> inspect.Signature:
    return signature.replace(parameters=[p for p in signature.parameters.values() if p.name != "out"])


#: Given as ``out=`` to the body of a pointwise operation: write the result into the first operand.
IN_PLACE: Any = type("IN_PLACE", (), {"__repr__": lambda self: "IN_PLACE"})()
_write_back: Callable[[Tensor, Tensor], Tensor] | None = None
_deliver: Callable[[Tensor, Tensor, Any], Any] = lambda out, result, stride: out  # noqa: E731 - given by ``ops``


def register_writer(
    write_back: Callable[[Tensor, Tensor], Tensor], deliver: Callable[[Tensor, Tensor, Any], Any]
) -> None:
    """``ops`` registers how a result is written into the tensor of an in-place form, or into ``out``."""
    global _write_back, _deliver  # set once, while the package is imported
    _write_back, _deliver = write_back, deliver


def out_refused(name: str, args: tuple[Any, ...], out: Any) -> Exception | None:
    """Why the results of a function cannot be written into what was given as ``out=``; None when they can."""
    return _elsewhere(args, out) or check_outs(name, args, out)


def _elsewhere(args: tuple[Any, ...], out: Any) -> Exception | None:
    """What is wrong where operands and results are on two devices: said before anything is resized or written.

    A CPU tensor without dimensions is a number, and the meta device has no data.
    """
    given = [tensor for value in args for tensor in _tensors(value)]
    places = {tensor._device for tensor in given if tensor._device.type == "cuda" or tensor._lay().size}
    if not places:
        return None
    places |= {tensor._device for tensor in _tensors(out)}
    return two_devices(*sorted(places, key=str)[-2:]) if len(places) > 1 and META not in places else None


def _tensors(value: Any) -> list[Tensor]:
    parts = value if isinstance(value, (tuple, list)) else (value,)
    return [part for part in parts if isinstance(part, Tensor)]


def through_bits(body: Callable[..., Any]) -> Callable[..., Any]:
    """A body that writes into its tensor: through a copy where that stands for conjugates or negatives."""

    @functools.wraps(body)
    def written(self: Any, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if not getattr(self, "_bits", 0):
            return body(self, *args, **kwargs)
        plain = self.clone()
        result = body(plain, *args, **kwargs)
        self.copy_(plain)
        return self if result is plain else result

    return written


def _is_shared(out: Any) -> bool:
    """Whether some elements of a tensor share a slot, for all that its strides tell."""
    if not isinstance(out, Tensor) or (out._array is not None and out._solid):
        return False
    return out._lay().has_internal_overlap() == "yes"


def needs_others(name: str, out: Any) -> bool:
    """Whether a result would be written into a view that stands for conjugates or negatives, or into shared slots."""
    given, overlap = out if isinstance(out, (tuple, list)) else (out,), registry[name].out_overlap
    return any(getattr(one, "_bits", 0) or (overlap != "allowed" and _is_shared(one)) for one in given)


def into_others(name: str, body: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run an operation that writes its results into others than these, and write those into these.

    Raises:
        RuntimeError: when one whose elements share slots has the result's size already.
    """
    __tracebackhide__ = True
    given = kwargs["out"]
    alone = isinstance(given, Tensor)
    outs = (given,) if alone else tuple(given)
    shared = any(map(_is_shared, outs))
    if shared and registry[name].out_overlap == "before resizing":
        raise RuntimeError(SHARED_SLOTS)
    # With one that may have to be refused, nothing is written into the others before that is known.
    plain = tuple(one.detach().clone() if shared else resolved(one) for one in outs)
    counts = [one._version for one in outs]
    try:
        result = body(*args, **{**kwargs, "out": plain[0] if alone else plain})
    except Exception:
        for one, count in zip(outs, counts, strict=True):
            if one._counter is not None:  # of a way around PyTorch counts only what has succeeded
                one._counter[0] = count
        raise
    pairs = [(one, other) for one, other in zip(outs, plain, strict=True) if one is not other]
    if any(_is_shared(one) and one._lay().size == other._lay().size for one, other in pairs):
        raise RuntimeError(SHARED_SLOTS)
    for one, other in pairs:
        if shared and one._lay().size != other._lay().size:  # of which the warning has been given
            one._adopt_geometry(one._store(), Layout((0,), (1,), one._lay().offset))
        _deliver(one, other, other._lay().stride if shared else None)
        if kwargs.get("requires_grad"):
            one.requires_grad_()
    if alone or result is None:
        return given if result is plain[0] else result
    own = {id(other): one for one, other in zip(outs, plain, strict=True)}
    return type(result)(own.get(id(part), part) for part in result)


def inplace_values(
    body: Callable[..., Any], rule: Any, name: str, kind: str
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The form ``name_``, which writes its result into its tensor; and what of it runs where no gradient is wanted."""

    @functools.wraps(body)
    def inplace(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        __tracebackhide__ = True
        if kind in ("pointwise", "scan"):
            return cast(Tensor, body(self, *args, out=IN_PLACE, **kwargs))
        assert _write_back is not None
        return _write_back(self, body(self, *args, **kwargs))

    asking = differentiable(inplace, rule, name + "_", "inplace")
    asking.__doc__ = f"In-place form of ``{name}``: the result is written into this tensor."
    return asking, inplace


def inplace_view(body: Callable[..., Any], rule: Any) -> Callable[..., Any]:
    """The form of a view operation that changes the tensor's own layout, such as ``t_``."""

    @functools.wraps(body)
    def inplace(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        layout = body(self, *args, **kwargs)._lay()
        self._adopt_geometry(self._store(), layout)
        self._bump()
        return self

    asking = differentiable(inplace, rule, body.__name__ + "_", "inplace")
    asking.__doc__ = f"In-place form of ``{body.__name__}``: this tensor itself gets the new layout."
    return asking
