"""One element in, one element out: the arithmetic of the pointwise operations, as plain functions of numbers.

A kernel is compiled from them, for a GPU or for this computer, and Python can run them too. Each function
computes one element of one class of numbers; a `Scalar` (in `forms`) holds the functions for all classes that an
operation takes. They know no array, no tensor and no dtype. What reaches them is a bool, an int64 (uint64 for uint64),
a float32 (for the half precisions too), a float64, or a complex number of two of either.

Rules, since one text has to mean the same on all sides:

    * Functions of real numbers are called by NumPy's bare names, which the module imports (``exp``, not ``numpy.exp``):
      where a GPU has another name for one, ``kernels.cuda.families`` puts that in its place.
    * ``real(0.5)`` is a number of the precision computed in; a bare ``0.5`` would make float64 of all it touches.
    * Integers are not mixed with literals by ``+ - *``: ``whole(1)`` is one of their type.
    * No exceptions, no strings, no loops without an end.
"""

from __future__ import annotations
