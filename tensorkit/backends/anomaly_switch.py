"""Anomaly detection, asked for and asked about as the backends do: ``autograd.detect_anomaly`` is what people use.

Source: https://docs.pytorch.org/docs/stable/autograd.html#anomaly-detection
"""

from __future__ import annotations

from typing import Any

from tensorkit.autograd import anomaly_mode
from tensorkit.dispatch.call_errors import unmatched
from tensorkit.dispatch.registry import offers
from tensorkit.dispatch.signatures import refusal

_FORM = ("(bool enabled, bool check_nan = True)",)


def _takes_nothing(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    if args or kwargs:
        given = f"no arguments ({len(args)} given)" if args and not kwargs else "no keyword arguments"
        raise TypeError(f"tensorkit.{name}() takes {given}")


@offers
def is_anomaly_enabled(*args: Any, **kwargs: Any) -> bool:
    """Whether anomaly detection is on.

    >>> with tk.autograd.set_detect_anomaly(True):
    ...     tk.is_anomaly_enabled()
    True

    Source: https://docs.pytorch.org/docs/stable/autograd.html#anomaly-detection
    """
    _takes_nothing("is_anomaly_enabled", args, kwargs)
    return anomaly_mode.enabled()


@offers
def is_anomaly_check_nan_enabled(*args: Any, **kwargs: Any) -> bool:
    """Whether anomaly detection, where it is on, stops at the first derivative that gives nan.

    >>> tk.is_anomaly_check_nan_enabled()
    True

    Source: https://docs.pytorch.org/docs/stable/autograd.html#anomaly-detection
    """
    _takes_nothing("is_anomaly_check_nan_enabled", args, kwargs)
    return anomaly_mode.checks_nan()


@offers
def set_anomaly_enabled(*args: Any, **kwargs: Any) -> None:
    """Switch anomaly detection on or off for good.

    Args:
        enabled (bool): whether it is on.
        check_nan (bool): whether a derivative that gives nan is an error then.

    Raises:
        TypeError: for anything but a bool.

    >>> tk.set_anomaly_enabled(True, check_nan=False)
    >>> tk.is_anomaly_enabled(), tk.is_anomaly_check_nan_enabled()
    (True, False)
    >>> tk.set_anomaly_enabled(False)

    Source: https://docs.pytorch.org/docs/stable/autograd.html#anomaly-detection
    """
    if (sentence := refusal("set_anomaly_enabled", _FORM, args, kwargs, unmatched)) is not None:
        raise TypeError(sentence)
    given = dict(zip(("enabled", "check_nan"), args, strict=False)) | kwargs
    anomaly_mode.set_detect_anomaly(given["enabled"], given.get("check_nan", True))
