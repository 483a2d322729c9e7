"""Spellings of earlier years: typed constructors, storages, memory formats; question by question as in PyTorch."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import pytest

import tensorkit as tk
from tests.parity.questions import disagreement, lines
from tests.support.warnings import recorded
from tests.torch_oracle import require_torch


@pytest.fixture
def torch() -> Iterator[Any]:
    library = require_torch()
    before = library.is_warn_always_enabled()
    library.set_warn_always(True)
    yield library
    library.set_warn_always(before)


@pytest.mark.parity
@pytest.mark.parametrize("question", [*lines("legacy"), *lines("storages")])
def test_the_answer_is_pytorchs(torch: Any, question: str) -> None:
    assert disagreement(torch, tk, question) is None


@pytest.mark.parity
def test_the_default_type_is_chosen_by_class_and_by_name(torch: Any) -> None:
    try:
        for given in ("lib.DoubleTensor", "'torch.DoubleTensor'"):
            said = []
            for lib in (tk, torch):
                with recorded() as caught:
                    lib.set_default_tensor_type(eval(given, {"lib": lib}))
                text = str(caught[0].message).split(" (Triggered")[0].replace("tensorkit", "torch")
                said.append((str(lib.tensor(1.5).dtype).split(".")[1], text))
                lib.set_default_dtype(lib.float32)
            assert said[0] == said[1]
            assert said[0][0] == "float64"
    finally:
        for lib in (tk, torch):
            lib.set_default_dtype(lib.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(TypeError, match="only floating-point types"):
            tk.set_default_tensor_type(tk.LongTensor)


def test_the_classes_of_cuda_wait_for_a_device() -> None:
    with pytest.raises(TypeError, match=r"type tensorkit\.cuda\.FloatTensor not available"):
        tk.cuda.FloatTensor(2, 3)
    with tk.cuda.emulate():
        t = tk.cuda.FloatTensor([1, 2])
        assert (str(t.device), isinstance(t, tk.cuda.FloatTensor)) == ("cuda:0", True)
        assert not isinstance(t, tk.FloatTensor)
        assert t.type() == "tensorkit.cuda.FloatTensor"
        assert t.type("torch.LongTensor").dtype is tk.int64
        assert tk.ones(1).type("torch.cuda.HalfTensor").type() == "tensorkit.cuda.HalfTensor"


def test_a_storage_is_written_and_changed_in_place() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        s = tk.FloatStorage([1, 2, 3])
        t = tk.FloatTensor(s)
        s[0:2] = 7
        assert t.tolist() == [7, 7, 3]
        s.fill_(2)
        assert s.long().tolist() == [2, 2, 2]
        assert s.type("torch.IntStorage").type() == "tensorkit.IntStorage"
        assert tk.ByteStorage.from_buffer(b"ab").tolist() == [97, 98]
        part = s.untyped()[0:4]
        part.fill_(0)
        assert t.tolist() == [0, 2, 2]
