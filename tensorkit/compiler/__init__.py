"""``compile`` and what programs ask beside it: there is no compiler of models here, and none is needed.

tensorkit computes each operation when it is called. `compile` gives back the function or module that it gets, so that a
program that speeds itself up under PyTorch runs here as it would without the call, with the same numbers.

>>> @tk.compile(mode="max-autotune")
... def double(x):
...     return x + x
>>> double(tk.ones(2))
tensor([2., 2.])

Source: https://docs.pytorch.org/docs/stable/torch.compiler_api.html
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "compile",
    "cudagraph_mark_step_begin",
    "disable",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "list_backends",
    "reset",
]

Model = TypeVar("Model", bound=Callable[..., Any])


def __dir__() -> list[str]:
    return __all__


def compile(
    model: Any = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: str | Callable[..., Any] | None = None,
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    name: str | None = None,
    disable: bool = False,
    recompile_limit: int | None = None,
    isolate_recompiles: bool = False,
    shapes_spec: Any = None,
) -> Any:
    """Give back the function or module itself; without one, a decorator that does.

    Args:
        model: a function or `nn.Module`. PyTorch wraps a module, and ``_orig_mod.`` begins the names of its state; here
            it stays what it is.
        fullgraph, dynamic, backend, name, disable, recompile_limit, isolate_recompiles, shapes_spec: how PyTorch
            compiles; without effect.
        mode, options: how hard it tries; without effect.

    Raises:
        RuntimeError: when both `mode` and `options` are given.
        AssertionError: for what cannot be called.

    >>> model = tk.nn.Identity()
    >>> tk.compile(model, backend="inductor") is model
    True

    Source: https://docs.pytorch.org/docs/stable/generated/torch.compile.html
    """
    if model is None:
        return partial(_unchanged, mode, options)
    return _unchanged(mode, options, model)


def _unchanged(mode: str | None, options: dict[str, Any] | None, model: Any) -> Any:
    if model is None:
        raise RuntimeError("Model can't be None")
    if mode is not None and options is not None:
        raise RuntimeError(
            "Either mode or options can be specified, but both can't be specified at the same time."
        )
    if not callable(model):
        raise AssertionError(f"A callable function is expected, but {type(model)} is provided.")
    return model


def disable(fn: Any = None, recursive: bool = True, *, reason: str | None = None) -> Any:
    """Give back the function, or a decorator that does: nothing is compiled in any case.

    >>> disable(len) is len, disable()(len) is len
    (True, True)
    """
    return (lambda function: function) if fn is None else fn


def allow_in_graph(fn: Any) -> Any:
    """Give back the function, or the list of functions."""
    return fn


def assume_constant_result(fn: Model) -> Model:
    """Give back the function."""
    return fn


def reset() -> None:
    """Forget what was compiled: nothing."""


def cudagraph_mark_step_begin() -> None:
    """Mark the beginning of a step for CUDA graphs, which are not recorded here."""


def list_backends(exclude_tags: tuple[str, ...] | None = ("debug", "experimental")) -> list[str]:
    """The available compilers: none.

    >>> list_backends()
    []
    """
    return []


def is_compiling() -> bool:
    """Whether this line runs while a model is compiled: never."""
    return False


def is_dynamo_compiling() -> bool:
    """Whether this line runs while a model is traced for compiling: never."""
    return False


def is_exporting() -> bool:
    """Whether this line runs while a model is exported: never."""
    return False
