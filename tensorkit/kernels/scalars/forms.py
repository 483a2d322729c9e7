"""`Scalar`: an operation on single elements, in the forms that classes of numbers need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy

from tensorkit.dtypes import dtype

Function = Callable[..., Any]
CLASSES = ("truth", "whole", "real", "complex")

#: Stand for the type of the numbers that are computed with; a kernel is compiled with theirs.
real: Any = numpy.float64
whole: Any = numpy.int64


class Scalar:
    """A function of one element, for each class of numbers.

    Args:
        name: the kernels compiled from it carry this name.
        every: the function for all classes that are not named.
        truth, whole, real, complex: those for bool, integers, floating point and complex numbers.
        wide: the class of numbers whose form computes in double precision, whatever they are stored in.
        named: those for a dtype of that name, where the form of its class will not do; ``float16`` is given float32.

    >>> from tensorkit import dtypes
    >>> twice = Scalar("twice", lambda a: a + a, truth=lambda a: a)
    >>> twice.of(dtypes.int16)(3), twice.of(dtypes.bool)(True)
    (6, True)
    """

    __slots__ = ("_forms", "_named", "_wide", "name")

    def __init__(
        self,
        name: str,
        every: Function | None = None,
        *,
        truth: Function | None = None,
        whole: Function | None = None,
        real: Function | None = None,
        complex: Function | None = None,
        wide: str = "",
        **named: Function,
    ) -> None:
        self.name = name
        self._named = named
        self._wide = CLASSES.index(wide) if wide else -1
        self._forms = tuple(form or every for form in (truth, whole, real, complex))

    def __repr__(self) -> str:
        return f"Scalar({self.name!r})"

    def takes(self, kind: dtype) -> bool:
        """Whether there is a form for such numbers."""
        return self._forms[kind.category] is not None

    def is_wide(self, kind: dtype) -> bool:
        """Whether numbers of a dtype are computed in double precision anyhow."""
        return kind.category == self._wide and kind.name not in self._named

    def of(self, kind: dtype) -> Function:
        """The function for numbers of a dtype.

        Raises:
            NotImplementedError: when the operation has none.
        """
        form = self._named.get(kind.name) or self._forms[kind.category]
        if form is None:
            raise NotImplementedError(f'"{self.name}" has no kernel for {kind.label}')
        return form


def of_order(name: str, function: Function) -> Scalar:
    """What compares by size, and so takes no complex numbers."""
    return Scalar(name, truth=function, whole=function, real=function)
