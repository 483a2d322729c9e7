"""What multiplies matrices and sorts on a CUDA device: a library, or the kit's own kernels.

Where nothing was said, a library does it, as in PyTorch, if there is one that can work in the device's memory; if there
is none, the kit's own kernels do. They can be chosen too (see ``tk.backends.cuda``), to be looked at.

>>> with own_chosen():
...     dict(chosen)
{'products': 'tensorkit', 'sorting': 'tensorkit'}
>>> dict(chosen)
{'products': 'default', 'sorting': 'default'}
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tensorkit.kernels.cuda.library import works_in

OWN = "tensorkit"
#: By family of operations: "default", `OWN`, or the name of a library.
chosen = {"products": "default", "sorting": "default"}


def is_own(family: str, buffer: Any) -> bool:
    """Whether the kit's own kernels are to do an operation of a family on what lies in `buffer`."""
    return chosen[family] == OWN or not works_in(buffer)


@contextmanager
def own_chosen() -> Iterator[None]:
    """While the block runs, the kit's own kernels do all that they can."""
    before = dict(chosen)
    chosen.update(dict.fromkeys(chosen, OWN))
    try:
        yield
    finally:
        chosen.update(before)
