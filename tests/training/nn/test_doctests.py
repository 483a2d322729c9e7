"""The examples of classes whose ``__module__`` is PyTorch's name for their file: pytest does not look for those."""

from __future__ import annotations

import doctest

import pytest

import tensorkit
from tensorkit import nn

CLASSES = [
    name
    for name in nn.__all__
    if getattr(getattr(nn, name), "__module__", "").startswith("tensorkit.nn.modules.")
]


@pytest.mark.parametrize("name", CLASSES)
def test_examples_of_classes_run(name: str) -> None:
    found = doctest.DocTestFinder().find(getattr(nn, name), name, module=False, globs={"tk": tensorkit})
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    assert name in ("Container", "Module", "RNNBase", "RNNCellBase") or any(one.examples for one in found)
    for one in found:
        runner.run(one)
    assert runner.failures == 0


def test_there_are_such_classes() -> None:
    assert {"Module", "Sequential", "ParameterDict", "Flatten"} <= set(CLASSES)
