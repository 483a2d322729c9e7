"""The whole story in a few seconds: what `make check` runs before every commit."""

from __future__ import annotations

import numpy
import pytest

import tensorkit as tk


def test_a_view_moves_no_data_and_says_where_it_reads() -> None:
    x = tk.arange(12).view(3, 4)
    y = x[1:, ::2].t()
    assert (y.size(), y.stride(), y.storage_offset()) == (tk.Size([2, 2]), (2, 4), 4)
    assert y.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    y[0, 1] = 100
    assert x.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [100, 9, 10, 11]]


def test_a_view_that_cannot_be_says_which_dimensions_are_in_the_way() -> None:
    with pytest.raises(
        RuntimeError, match="view size is not compatible with input tensor's size and stride"
    ) as no:
        tk.arange(6).view(2, 3).t().view(6)
    assert getattr(no.value, "conflicts") == ((0, 1),)  # noqa: B009 - a ViewError is promised, a RuntimeError caught


def test_arithmetic_promotes_broadcasts_and_reduces() -> None:
    total = (tk.arange(3).view(3, 1) + tk.ones(2)).sum(0)
    assert total.dtype is tk.float32
    assert total.tolist() == [6.0, 6.0]
    x = tk.zeros(2, dtype=tk.float64)
    assert x.add_(1.5) is x
    assert x.tolist() == [1.5, 1.5]


def test_a_tensor_prints_as_in_pytorch() -> None:
    assert (
        repr(tk.tensor([[1.0, -2.5], [3.0, 4.0]]))
        == "tensor([[ 1.0000, -2.5000],\n        [ 3.0000,  4.0000]])"
    )
    assert repr(tk.arange(3)) == "tensor([0, 1, 2])"


def test_a_seed_gives_pytorchs_numbers() -> None:
    tk.manual_seed(0)
    assert tk.rand(3).tolist() == pytest.approx(
        [0.49625658988952637, 0.7682217955589294, 0.08847743272781372]
    )


def test_numpy_shares_the_memory() -> None:
    array = numpy.zeros(3)
    tensor = tk.from_numpy(array)
    tensor[0] = 7
    assert array.tolist() == [7, 0, 0]
    assert numpy.shares_memory(array, tensor.numpy())


def test_an_emulated_device_has_a_memory_of_its_own() -> None:
    with tk.cuda.emulate(devices=1):
        here = tk.arange(4.0)
        there = here.to("cuda")
        here += 1
        assert (there + there).cpu().tolist() == [0, 2, 4, 6]
        with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
            here + there


def test_the_widgets_read_a_live_tensor() -> None:
    from tensorkit_widgets import StrideExplorer

    assert "stride" in str(StrideExplorer(tk.arange(6).view(2, 3)).text())
