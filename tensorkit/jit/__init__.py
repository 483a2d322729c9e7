"""``jit``: TorchScript, a language that PyTorch compiles functions to; here they stay Python.

>>> @tk.jit.script
... def double(x):
...     return x + x
>>> double(tk.ones(2))
tensor([2., 2.])

What `script` and `trace` give computes the same. It cannot be saved as a program: save the parameters instead.

Source: https://docs.pytorch.org/docs/stable/jit.html
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from tensorkit.nn.module import Module

__all__ = [
    "ScriptModule",
    "export",
    "freeze",
    "ignore",
    "is_scripting",
    "is_tracing",
    "load",
    "optimize_for_inference",
    "save",
    "script",
    "trace",
    "unused",
]

F = TypeVar("F")


def __dir__() -> list[str]:
    return __all__


class ScriptModule(Module):
    """A module whose methods PyTorch compiles: here a module like others."""


def script(
    obj: F, optimize: Any = None, _frames_up: int = 0, _rcb: Any = None, example_inputs: Any = None
) -> F:
    """Give back the function, class or module itself.

    >>> script(len) is len
    True
    """
    return obj


def trace(func: F, example_inputs: Any = None, *options: Any, **named: Any) -> F:
    """Give back the function or module itself; its example is not computed.

    A traced module of PyTorch repeats what the example did; this one goes on to decide for each input.
    """
    return func


def export(fn: F) -> F:
    """Give back the method."""
    return fn


def ignore(drop: Any = False, **options: Any) -> Any:
    """Give back the function, or a decorator that does."""
    return drop if callable(drop) else (lambda function: function)


def unused(fn: F) -> F:
    """Give back the function."""
    return fn


def freeze(mod: Module, preserved_attrs: Any = None, optimize_numerics: bool = True) -> Module:
    """Give back the module, which has to be in evaluation mode.

    Raises:
        RuntimeError: when it is in training mode.
    """
    if mod.training:
        raise RuntimeError(
            "Freezing is currently only implemented for modules in eval mode. "
            "Please call .eval() on your module before freezing."
        )
    return mod


def optimize_for_inference(mod: Module, other_methods: Any = None) -> Module:
    """Give back the module, in evaluation mode."""
    return mod.eval()


def is_scripting() -> bool:
    """Whether this line runs as TorchScript: never."""
    return False


def is_tracing() -> bool:
    """Whether this line runs while a function is traced: never."""
    return False


def save(m: Callable[..., Any], f: Any, _extra_files: Any = None) -> NoReturn:
    """Refuse: a program of TorchScript cannot be written.

    Raises:
        RuntimeError: always, with what to do.

    >>> save(len, "model.pt")
    Traceback (most recent call last):
    RuntimeError: tensorkit writes no TorchScript: save the parameters with tensorkit.save(model.state_dict(), ...)
    """
    raise RuntimeError(
        "tensorkit writes no TorchScript: save the parameters with tensorkit.save(model.state_dict(), ...)"
    )


def load(
    f: Any, map_location: Any = None, _extra_files: Any = None, _restore_shapes: bool = False
) -> NoReturn:
    """Refuse: a program of TorchScript cannot be read.

    Raises:
        RuntimeError: always, with what to do.
    """
    raise RuntimeError(
        "tensorkit reads no TorchScript: make the model by its class, and read its parameters with "
        "model.load_state_dict(tensorkit.load(...)), saved by PyTorch with torch.save(model.state_dict(), ...)"
    )
