"""`use_deterministic_algorithms`: new memory is filled, and what PyTorch refuses then is refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import tensorkit as tk
from tensorkit.ops.shared import uninitialized
from tests.parity.questions import disagreement, lines
from tests.torch_oracle import require_torch


@pytest.fixture
def torch() -> Iterator[Any]:
    library = require_torch()
    warned = library.is_warn_always_enabled()
    library.set_warn_always(True)
    for lib in (tk, library):
        lib.use_deterministic_algorithms(True)
    yield library
    for lib in (tk, library):
        lib.use_deterministic_algorithms(False)
    library.set_warn_always(warned)


@pytest.mark.parity
@pytest.mark.parametrize("question", lines("determinism"))
def test_the_answer_is_pytorchs(torch: Any, question: str) -> None:
    assert disagreement(torch, tk, question) is None


def test_memory_is_left_alone_where_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[Any] = []
    monkeypatch.setattr(uninitialized, "write_number", lambda tensor, number: written.append(number))
    tk.use_deterministic_algorithms(True)
    try:
        tk.empty(2, dtype=tk.int8), tk.ones(2).resize_(4), tk.empty_like(tk.ones(2)), tk.LongTensor(1)
        assert str(written) == f"[127, nan, nan, {2**63 - 1}]"
        tk.utils.deterministic.fill_uninitialized_memory = False
        tk.empty(2, dtype=tk.int8), tk.ones(2).resize_(4), tk.empty_like(tk.ones(2)), tk.LongTensor(1)
        assert len(written) == 4
    finally:
        tk.utils.deterministic.fill_uninitialized_memory = True
        tk.use_deterministic_algorithms(False)


def test_emulated_devices_are_filled_too() -> None:
    tk.use_deterministic_algorithms(True)
    try:
        with tk.cuda.emulate():
            assert tk.empty(2, device="cuda").isnan().tolist() == [True, True]
            with pytest.raises(RuntimeError, match="put_ does not have a deterministic"):
                tk.zeros(2, device="cuda").put_(
                    tk.tensor([0], device="cuda"), tk.ones(1, device="cuda"), accumulate=True
                )
    finally:
        tk.use_deterministic_algorithms(False)
