"""DLPack as code of earlier years spells it: a capsule, and the tensor on its memory.

>>> tk.utils.dlpack.from_dlpack(tk.utils.dlpack.to_dlpack(tk.arange(3)))
tensor([0, 1, 2])

Source: https://docs.pytorch.org/docs/stable/dlpack.html
"""

from __future__ import annotations

from typing import Any

from tensorkit.dispatch.call_errors import unmatched
from tensorkit.dispatch.signatures import refusal
from tensorkit.ops.tensor.python_protocols import DLDeviceType, from_dlpack

__all__ = ["DLDeviceType", "from_dlpack", "to_dlpack"]


def __dir__() -> list[str]:
    return __all__


def to_dlpack(*args: Any, **kwargs: Any) -> Any:
    """A capsule with a tensor's memory, for any library that speaks DLPack; it can be opened once.

    Unlike ``__dlpack__`` it asks for no `detach`, and looks past a conjugation that is still to be done.

    Raises:
        TypeError: for anything but a tensor. BufferError: for a meta tensor, which has no memory.

    >>> repr(to_dlpack(tk.ones(2, requires_grad=True)))[:27]
    '<capsule object "dltensor" '

    Source: https://docs.pytorch.org/docs/stable/dlpack.html#torch.utils.dlpack.to_dlpack
    """
    __tracebackhide__ = True
    if (sentence := refusal("_to_dlpack", ("(Tensor data)",), args, kwargs, unmatched)) is not None:
        raise TypeError(sentence)
    data = (args[0] if args else kwargs["data"]).detach()
    return (data.conj() if data.is_conj() else data).__dlpack__()
