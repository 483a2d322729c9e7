"""The examples of classes whose ``__module__`` is PyTorch's name for their file: pytest does not look for those."""

from __future__ import annotations

import doctest

import pytest

import tensorkit
from tensorkit import distributions

NAMES = [name for name in distributions.__all__ if isinstance(getattr(distributions, name), type)]


@pytest.mark.parametrize("name", NAMES)
def test_examples_of_classes_run(name: str) -> None:
    runner = doctest.DocTestRunner()
    for one in doctest.DocTestFinder(recurse=False).find(
        getattr(distributions, name), name, module=False, globs={"tk": tensorkit}
    ):
        runner.run(one)
    assert runner.failures == 0


def test_files_are_found_under_pytorchs_names() -> None:
    from_file = __import__("tensorkit.distributions.one_hot_categorical", fromlist=["OneHotCategorical"])
    assert from_file.OneHotCategorical is distributions.OneHotCategorical
    assert distributions.Normal.__module__ == "tensorkit.distributions.normal"
