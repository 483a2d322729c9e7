"""``fx``: programs as graphs, which other programs change. Python's own text is the only form that they have here.

Source: https://docs.pytorch.org/docs/stable/fx.html
"""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["symbolic_trace"]


def __dir__() -> list[str]:
    return __all__


def symbolic_trace(root: Any, concrete_args: Any = None) -> NoReturn:
    """Refuse: no graph is made.

    Raises:
        RuntimeError: always, with what to do.

    >>> symbolic_trace(len)
    Traceback (most recent call last):
    RuntimeError: tensorkit makes no graphs of programs: tensorkit.tracing.record() lists the operations of a call, ...
    """
    raise RuntimeError(
        "tensorkit makes no graphs of programs: tensorkit.tracing.record() lists the operations of a call, and the "
        "grad_fn of its result leads back through them"
    )
