"""Anomaly detection: remember where each operation was called, and stop at the first derivative that gives nan."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Sequence
from types import TracebackType
from typing import Any

import numpy

from tensorkit.autograd.node import Node
from tensorkit.process import forks
from tensorkit.tensor import Tensor

on = False
#: Whether a node that was just recorded is looked at: for this, or by hooks that pack what it saved.
watched = False
_check = True
_packers = 0


def expect(more: int) -> None:
    """Add to the number of blocks that pack what nodes save; 0 when only anomaly detection changed."""
    global watched, _packers  # `watched` is read whenever a node is recorded
    with _counting:
        _packers += more
        watched = on or _packers > 0


_counting = forks.lock()


def enabled() -> bool:
    """Whether anomaly detection is on."""
    return on


def checks_nan() -> bool:
    """Whether a derivative that gives nan is an error, where detection is on."""
    return _check


def _switch(detect: bool, check_nan: bool) -> None:
    global on, _check  # `on` is read in each backward pass
    on, _check = detect, check_nan
    expect(0)


class set_detect_anomaly:
    """Switch anomaly detection on or off, at once; as a context manager, until the end of the block.

    Args:
        mode: on or off. check_nan: whether a derivative that gives nan is an error.
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._before = (on, _check)
        _switch(mode, check_nan)

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        _switch(*self._before)


class detect_anomaly(set_detect_anomaly):
    """Within the block, an error in the backward pass names the line of the forward pass that it comes from.

    >>> x = tk.zeros(1, requires_grad=True)
    >>> import warnings; warnings.simplefilter("ignore")
    >>> with tk.autograd.detect_anomaly():
    ...     (x * 0 / x).sum().backward()
    Traceback (most recent call last):
    RuntimeError: Function 'DivBackward0' returned nan values in its 1th output.
    """

    def __init__(self, check_nan: bool = True) -> None:
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging.",
            UserWarning,
            stacklevel=2,
        )
        super().__init__(True, check_nan)


def remember(node: Node) -> None:
    """Note where the operation of a node is called, if anomaly detection is on."""
    if on:
        frames = [f for f in traceback.extract_stack() if "/tensorkit/" not in f.filename.replace("\\", "/")]
        node.trace = "".join(traceback.format_list(frames))


def tell(node: Node) -> None:
    """Warn with the forward call that a failing node stands for."""
    where = node.trace or "No forward pass information available. Enable detect anomaly during forward pass."
    head = f"Error detected in {node.name()}. "
    middle = "Traceback of forward call that caused the error:\n" if node.trace else ""
    warnings.warn(head + middle + where, UserWarning, stacklevel=6)


def check_nan(node: Node, results: Sequence[Tensor | None]) -> None:
    """Stop at the first derivative that gives nan.

    Raises:
        RuntimeError: which names the node and the number of the gradient.
    """
    if not _check:
        return
    for i, result in enumerate(results):
        if result is None or result._dtype.category < 2 or not result.is_cpu:
            continue
        values: Any = result._nd()
        if numpy.isnan(values).any():
            tell(node)
            raise RuntimeError(f"Function '{node.name()}' returned nan values in its {i}th output.")
