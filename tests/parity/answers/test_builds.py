"""PyTorch's builds: without a GPU the CUDA build says other things than the CPU build, whose tensorkit says."""

from __future__ import annotations

from typing import Any

import pytest

import tensorkit as tk
from tests.parity.questions import cpu_build, disagreement, told

pytestmark = pytest.mark.parity


@pytest.mark.parametrize("question", cpu_build())
def test_what_the_cpu_build_says_is_written_down_and_is_what_tensorkit_says(
    torch: Any, question: str
) -> None:
    if torch.cuda.is_available() or tk.cuda.is_available():
        pytest.skip("this machine has a GPU")
    # On a CUDA build: a line whose answer is the same is not needed.
    assert (told(torch, question) == cpu_build()[question]) is not torch.backends.cuda.is_built()
    assert disagreement(torch, tk, question) is None
