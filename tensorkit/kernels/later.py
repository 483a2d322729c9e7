"""Loops that no array operation can say, compiled by Numba while Python or NumPy already answers.

A decorated function is plain Python. `compiled` gives its fast twin once that is ready, and None until then: the
first question starts the compiler on a thread of its own, and nobody waits for it. What it made is kept on the disk,
so that the next process only has to load it.

>>> @later("i8(i8)")
... def double(n):
...     return 2 * n
>>> double(4)
8
"""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable
from typing import Any

__all__ = ["Later", "later"]

# One at a time: the compiler is not made for several threads.
_compiling = threading.Lock()


class Later:
    """A Python function, and the one that Numba makes of it in the background.

    Args:
        function: of numbers and arrays, in the Python that Numba knows.
        signatures: the types of its arguments and of its result, in Numba's words.
    """

    def __init__(self, function: Callable[..., Any], signatures: tuple[str, ...]) -> None:
        functools.update_wrapper(self, function)
        self.function = function
        self.signatures = list(signatures)
        self._compiled: Callable[..., Any] | None = None
        self._asked_in = 0  # the process that started the compiler: a fork has no such thread

    def __call__(self, *args: Any) -> Any:
        return self.function(*args)

    def compiled(self) -> Callable[..., Any] | None:
        """The compiled function; None while there is none, or where Numba is not installed."""
        if self._compiled is None and self._asked_in != os.getpid():
            self._asked_in = os.getpid()
            # No daemon: a process must not end in the middle of the compiler's work.
            threading.Thread(target=self.compile, name=f"compiling {self.function.__name__}").start()
        return self._compiled

    def compile(self) -> None:
        """Compile now, or load what an earlier process compiled; a failure leaves the Python function."""
        try:
            import numba
        except ImportError:
            return
        with _compiling:
            if self._compiled is None:
                self._compiled = numba.njit(self.signatures, cache=True, nogil=True)(self.function)


def later(*signatures: str) -> Callable[[Callable[..., Any]], Later]:
    """Decorate a function that Numba is to compile when it is first wanted fast; see `Later`."""
    return lambda function: Later(function, signatures)
