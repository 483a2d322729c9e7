"""Numbers as pictures print them, a few of a tensor, held against the tensor itself."""

from __future__ import annotations

import math
import re
from typing import Any

_TOKEN = re.compile(r"\s*([\[\],…]|[^\[\],…\s]+)")


class Cut(ValueError):
    """A text that is no tensor's: a number cut off in its middle, or brackets that do not close."""


def _parsed(text: str) -> Any:
    """Nested lists of number texts; `...` where numbers are left out."""
    tokens = _TOKEN.findall(text)

    def one(at: int) -> tuple[Any, int]:
        if tokens[at] != "[":
            return (... if tokens[at] == "…" else tokens[at]), at + 1
        out: list[Any] = []
        at += 1
        while tokens[at] != "]":
            item, at = one(at)
            out.append(item)
            if tokens[at] == ",":
                at += 1
            elif tokens[at] != "]":
                raise Cut(text)
        return out, at + 1

    try:
        found, end = one(0)
    except IndexError:
        raise Cut(text) from None
    if end != len(tokens):
        raise Cut(text)
    return found


def _number(text: str, value: Any) -> bool:
    """Whether a number of a few digits is this value, rounded."""
    if isinstance(value, bool):
        return text == str(value)
    if isinstance(value, complex):
        return abs(complex(text.replace(".j", ".0j")) - value) <= 1e-2 * max(1.0, abs(value))
    try:
        read = float(text)
    except ValueError:
        return False
    if not math.isfinite(value):
        return str(read) == str(float(value))
    if math.copysign(1, read) != math.copysign(1, value):
        return False
    if "e" in text:
        return abs(read - value) <= 0.00501 * 10.0 ** int(text.partition("e")[2])
    return abs(read - value) <= (0.0000501 if abs(value) < 10 else 0.00501)


def _same(found: Any, values: Any) -> bool:
    if found is ...:
        return True
    if not isinstance(found, list) or not isinstance(values, list):
        return (
            not isinstance(found, list | type(...))
            and not isinstance(values, list)
            and _number(found, values)
        )
    left_out = bool(found) and found[-1] is ...
    shown = found[:-1] if left_out else found
    if len(shown) > len(values) or (not left_out and len(shown) < len(values)):
        return False
    return all(map(_same, shown, values))


def shows(text: str, tensor: Any) -> bool:
    """Whether a text with a few of its numbers is this tensor's.

    >>> import numpy
    >>> t = numpy.array([[1.0, 2.5], [3.0, 4.0]])
    >>> shows("[[1., …], …]", t), shows("[[1., 2.], …]", t), shows("[1., 2.5]", t)
    (True, False, False)
    """
    if text == "[]":
        return 0 in tuple(tensor.shape)
    values = tensor.detach().tolist() if hasattr(tensor, "detach") else tensor.tolist()
    return _same(_parsed(text), values)


def sized(text: str, tensor: Any) -> bool:
    """`shows`, of a text that may begin with the tensor's size: ``(9, 9) [[1., …], …]``."""
    found = re.match(r"\(([\d, ]*)\) (?=\S)", text)
    if found is None:
        return shows(text, tensor)
    size = tuple(int(n) for n in re.findall(r"\d+", found[1]))
    return size == tuple(tensor.shape) and shows(text[found.end() :], tensor)
