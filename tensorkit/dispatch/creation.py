"""The flags that every operation takes that creates a tensor: ``requires_grad=``, ``layout=``, ``pin_memory=``."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, cast

from tensorkit.device import device
from tensorkit.dispatch.lazy_signature import later
from tensorkit.dispatch.recording import after_call
from tensorkit.dispatch.registry import P, R
from tensorkit.storage.memory import pinned


def _check_memory(name: str, layout: Any, pin_memory: Any, where: Any) -> None:
    """Refuse what ``layout=`` and ``pin_memory=`` cannot be: all tensors are strided, and only the CPU's are pinned."""
    if layout is not None and type(layout).__name__ != "layout":
        raise TypeError(f"{name}(): argument 'layout' must be tensorkit.layout, not {type(layout).__name__}")
    if pin_memory is not None and not isinstance(pin_memory, bool):
        raise TypeError(f"{name}(): argument 'pin_memory' must be bool, not {type(pin_memory).__name__}")
    if not pin_memory:
        return
    if where is not None and device(where).type != "cpu":
        if device(where).type == "cuda":
            raise RuntimeError("Only dense CPU tensors can be pinned")
    elif pinned(0) is None:
        raise RuntimeError(
            "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is available on "
            "this system."
        )


def may_require_grad(body: Callable[P, R]) -> Callable[P, R]:
    """A factory that also takes ``requires_grad=``, as PyTorch's do."""

    @functools.wraps(body)
    def create(
        *args: Any, requires_grad: bool = False, layout: Any = None, pin_memory: Any = None, **kwargs: Any
    ) -> Any:
        __tracebackhide__ = True
        if layout is not None or pin_memory is not None:
            _check_memory(body.__name__, layout, pin_memory, kwargs.get("device"))
        made: Any = body(*args, **kwargs)
        if pin_memory and made.is_cpu:
            made = made.pin_memory()
        if requires_grad:
            if requires_grad is not True:
                raise TypeError("requires_grad must be bool")  # the caller says it in PyTorch's words
            if made.dtype.category < 2:
                raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
            after_call((*args, *kwargs.values()), made)
            made.requires_grad_()
        return made

    create.__signature__ = later(lambda: _with_flags(inspect.signature(body)))  # type: ignore[attr-defined]
    return cast(Callable[P, R], create)


def _with_flags(signature: inspect.Signature) -> inspect.Signature:
    flags = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, default, kind in (
            ("layout", None, "Any"),
            ("pin_memory", False, "bool"),
            ("requires_grad", False, "bool"),
        )
    ]
    given = list(signature.parameters.values())
    last = given[-1:] if given and given[-1].kind is inspect.Parameter.VAR_KEYWORD else []
    return signature.replace(parameters=[*given[: len(given) - len(last)], *flags, *last])
