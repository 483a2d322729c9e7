"""Whether the same program has to give the same numbers twice: what PyTorch promises then, and where it refuses.

On the CPU that is little. What is computed here does not depend on threads or on luck; only the memory of a new tensor
does, which is filled, and ``put_`` without ``accumulate``, which is refused, because the order of its writes is not
promised.

>>> tk.use_deterministic_algorithms(True)
>>> tk.empty(2), tk.empty(2, dtype=tk.int8)
(tensor([nan, nan]), tensor([127, 127], dtype=tensorkit.int8))
>>> tk.use_deterministic_algorithms(False)

Source: https://docs.pytorch.org/docs/stable/notes/randomness.html
"""

from __future__ import annotations

from typing import Any

from tensorkit.dispatch.registry import offers
from tensorkit.errors import warn
from tensorkit.finfo import iinfo
from tensorkit.ops.shared.fill import write_number
from tensorkit.strides.layout import Layout
from tensorkit.tensor import Tensor, on_storage


class _Chosen:
    """The settings, which all threads share."""

    enabled = False
    warn_only = False
    fill = True  # uninitialised memory


chosen = _Chosen()


@offers
def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Demand that a program gives the same numbers whenever it runs.

    New memory is then filled (see ``tk.utils.deterministic``), and an operation that cannot promise it is refused.

    Args:
        mode: whether to demand it.
        warn_only: whether to warn of such an operation instead of refusing it.

    Raises:
        TypeError: for anything but a bool.

    >>> tk.use_deterministic_algorithms(True)
    >>> tk.zeros(2).put_(tk.tensor([0]), tk.ones(1))
    Traceback (most recent call last):
    RuntimeError: put_ does not have a deterministic implementation, but you set ...
    >>> tk.use_deterministic_algorithms(False)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.use_deterministic_algorithms.html
    """
    for value, place in ((mode, "'mode' (position 1)"), (warn_only, "'warn_only'")):
        if not isinstance(value, bool):
            raise TypeError(
                f"_set_deterministic_algorithms(): argument {place} must be bool, not {type(value).__name__}"
            )
    chosen.enabled, chosen.warn_only = mode, warn_only


@offers
def are_deterministic_algorithms_enabled() -> bool:
    """Whether `use_deterministic_algorithms` is on.

    >>> tk.are_deterministic_algorithms_enabled()
    False

    Source: https://docs.pytorch.org/docs/stable/generated/torch.are_deterministic_algorithms_enabled.html
    """
    return chosen.enabled


@offers
def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Whether it only warns.

    >>> tk.is_deterministic_algorithms_warn_only_enabled()
    False

    Source: https://docs.pytorch.org/docs/stable/generated/torch.is_deterministic_algorithms_warn_only_enabled.html
    """
    return chosen.warn_only


_MODES = ("default", "warn", "error")


@offers
def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """Say the same by a number or a word: "default" (0), "warn" (1), "error" (2).

    Raises:
        TypeError, RuntimeError: for anything else.

    >>> tk.set_deterministic_debug_mode("warn")
    >>> tk.get_deterministic_debug_mode()
    1
    >>> tk.set_deterministic_debug_mode(0)

    Source: https://docs.pytorch.org/docs/stable/generated/torch.set_deterministic_debug_mode.html
    """
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    if isinstance(debug_mode, str):
        if debug_mode not in _MODES:
            raise RuntimeError(
                "invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got "
                + debug_mode
            )
        debug_mode = _MODES.index(debug_mode)
    if debug_mode not in (0, 1, 2):
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    chosen.enabled, chosen.warn_only = debug_mode > 0, debug_mode == 1


@offers
def get_deterministic_debug_mode() -> int:
    """What `set_deterministic_debug_mode` or `use_deterministic_algorithms` said, as a number.

    >>> tk.get_deterministic_debug_mode()
    0

    Source: https://docs.pytorch.org/docs/stable/generated/torch.get_deterministic_debug_mode.html
    """
    return 0 if not chosen.enabled else 1 if chosen.warn_only else 2


# -- what follows of it -------------------------------------------------------------------------------------------


def alert(name: str) -> None:
    """Refuse an operation that cannot promise the same numbers, or warn of it; does nothing when determinism is off.

    Raises:
        RuntimeError: where determinism is on, and not only as a warning.
    """
    if not chosen.enabled:
        return
    begun = f"{name} does not have a deterministic implementation, but you set 'tensorkit.use_deterministic_algorithms"
    ended = (
        "at https://github.com/pytorch/pytorch/issues to help us prioritize adding deterministic support for this "
        "operation."
    )
    if chosen.warn_only:
        warn(f"{begun}(True, warn_only=True)'. You can file an issue {ended}")
        return
    raise RuntimeError(
        f"{begun}(True)'. You can turn off determinism just for this operation, or you can use the 'warn_only=True' "
        f"option, if that's acceptable for your application. You can also file an issue {ended}"
    )


def whole_filled(tensor: Tensor, start: int = 0, *, view: bool = False) -> Tensor:
    """The tensor, filled with nan or the greatest integer of its dtype where new memory has to be.

    Args:
        start: the element of its storage with which the new memory begins.
        view: whether the tensor alone is meant, not all of its storage.
    """
    if not chosen.fill or tensor._device.type == "meta":
        return tensor
    kind = tensor._dtype
    value: Any = float("nan")
    if kind.category < 2:
        value = iinfo(kind).max if kind.category else True
    count = tensor._store().nbytes() // kind.itemsize - start
    if view:
        write_number(tensor, value)
    elif count > 0:
        write_number(on_storage(tensor._store(), Layout((count,), (1,), start), kind), value)
    return tensor
