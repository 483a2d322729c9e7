"""What stands above the picture of bits: the number, what is explained, the cast, the dtypes, the index."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorkit_widgets.bits.formats import FORMATS
from tensorkit_widgets.snapshot.geometry import Ints
from tensorkit_widgets.widget.board import Control

OFFERED = tuple(list(FORMATS)[:10])
"""The dtypes that the controls offer; the wider unsigned ones are drawn when they are asked for."""


def bit_controls(
    number: str, shown: Sequence[str], focus: str, target: str, size: Ints, index: Ints
) -> list[Control]:
    """The controls of a `BitView`; ``size`` is empty for a Python number."""
    offered = tuple(dict.fromkeys((*OFFERED, *shown)))
    targets = (("", "nothing"), *((name, name) for name in offered))
    out = [
        Control("value", "text", "number", number, wide=True, group="a", title="such as 0.1, 300, nan, 0x7f"),
        Control(
            "explain", "choice", "explain", focus, tuple((n, n) for n in shown), group="a",
            enabled=bool(shown) and not target,
        ),
        Control("cast", "choice", "cast to", target, targets, group="a"),
    ]  # fmt: skip
    for name in offered:
        # A cast draws two dtypes, whatever has a row without it: no button looks pressed for what is not there.
        drawn, title = name in shown and not target, f"a row for {name}"
        out.append(
            Control(
                f"show-{name}", "toggle", name, drawn, group="b", enabled=not target,
                title="choose “nothing” to cast to, for the rows" if target else title,
            )
        )  # fmt: skip
    for d, n in enumerate(size):
        if n > 1:
            out.append(Control(f"index-{d}", "number", f"index {d}", index[d], low=0, high=n - 1, group="c"))
    return out


def rank(name: str) -> int:
    """Floats before integers, wide before narrow: neighbours in the picture can be compared."""
    format = FORMATS[name]
    return -({"float": 1000, "int": 500, "uint": 400, "bool": 0}[format.kind] + format.width)


def dtype_name(given: Any) -> str:
    """The name of a dtype, given as text, or as the dtype of a library.

    >>> dtype_name("int8"), dtype_name(tk.half)
    ('int8', 'float16')
    """
    name = given if isinstance(given, str) else str(getattr(given, "name", given)).rpartition(".")[2]
    if name not in FORMATS:
        raise ValueError(f"{name[:40]!r} is no dtype that BitView shows; choose from {', '.join(FORMATS)}")
    return name


def dtype_names(given: Any) -> tuple[str, ...]:
    """One dtype or several, each once."""
    single = isinstance(given, str) or not hasattr(given, "__iter__")
    return tuple(dict.fromkeys(map(dtype_name, [given] if single else given)))
