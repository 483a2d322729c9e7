"""ConvExplorer against the convolution of its library: windows, sums, im2col, and refusals."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit_widgets import ConvExplorer

LAPLACE = [[0.0, 1.0, 0.0], [1.0, -4.0, 1.0], [0.0, 1.0, 0.0]]


@pytest.fixture(params=["tensorkit", pytest.param("torch", marks=pytest.mark.parity)])
def lib(request: pytest.FixtureRequest) -> Any:
    return tk if request.param == "tensorkit" else pytest.importorskip(request.param)


def lit(w: ConvExplorer, key: str) -> list[str]:
    """The texts of a table's elements that are looked at."""
    tables = {table.key: table for table in w._sheet(w.at).tables}
    return [tile.text for tile in tables[key].tiles if "lit" in tile.kinds]


def test_a_window_is_a_view_and_its_sum_an_element(lib: Any) -> None:
    x, k = lib.arange(25.0).view(5, 5), lib.tensor(LAPLACE)
    w = ConvExplorer(x, k, im2col=True)
    assert w.steps == 9
    assert "windows = x.as_strided((3, 3, 3, 3), (5, 1, 5, 1))" in w.text()
    w.step(5)
    assert lit(w, "x") == ["6.", "7.", "8.", "11.", "12.", "13.", "16.", "17.", "18."] == lit(w, "r")
    assert "windows[1, 1] begins at slot 6 and has strides (5, 1)" in w.text()
    assert "6·0 + 7·1 + 8·0 + 11·1 + 12·-4 + 13·1 + 16·0 + 17·1 + 18·0 = 0" in w.text()
    assert "81 numbers are copied from 25" in w.text()
    x[2, 2] = 13.0
    assert "12·" not in w.text(), "it looks at the live tensor"
    assert "13·-4" in w.text()
    w.close()


@pytest.mark.parametrize(
    "settings", [{}, {"stride": 2}, {"padding": (0, 2)}, {"dilation": 2}, {"padding": "same"}]
)
def test_every_element_is_the_librarys(lib: Any, settings: dict[str, Any]) -> None:
    x, k = lib.arange(30.0).view(5, 6) - 9, lib.arange(9.0).view(3, 3)
    whole = lib.nn.functional.conv2d(x[None, None], k[None, None], **settings)[0, 0]
    w = ConvExplorer(x, k, **settings)
    assert w.steps == whole.numel()
    for step, number in enumerate(whole.flatten().tolist(), 1):
        i, j = divmod(step - 1, whole.shape[1])
        assert float(w.tile(step, f"y:{i},{j}")) == number
        window = map(float, lit(w.goto(step), "x"))
        assert sum(a * b for a, b in zip(window, k.flatten().tolist(), strict=True)) == number
    w.close()


def test_the_other_channels_have_their_share_and_image_channel_and_kernel_are_chosen(lib: Any) -> None:
    x, k = lib.arange(216.0).view(2, 3, 6, 6), lib.ones(4, 3, 3, 3)
    w = ConvExplorer(x, k, 2, padding=1).step(4)
    assert "+ 291 (channel 1) + 507 (channel 2) = 873" in w.text()
    assert "x is padding" not in w.text()
    assert "(x) is padding" in w.text()
    for kind in ("image", "channel", "kernel"):
        w._heard(None, {"kind": kind, "value": 1}, [])
        w._heard(None, {"kind": kind, "value": "no"}, [])
    whole = lib.nn.functional.conv2d(x, k, None, 2, 1)
    assert float(w.tile(4, "y:1,0")) == whole[1, 1, 1, 0].item()
    w.close()


def test_what_the_library_refuses_is_said(lib: Any) -> None:
    w = ConvExplorer(lib.ones(5, 5), lib.ones(3, 3), stride=0)
    assert (w.status, w.steps) == ("refused", 0)
    assert "RuntimeError: non-positive stride is not supported" in w.text()
    w.close()
    w = ConvExplorer(lib.ones(2, 2), lib.ones(3, 3))
    assert "Kernel size can't be greater than actual input size" in w.text()
    w.close()


def test_what_is_too_large_or_empty_is_said(lib: Any) -> None:
    w = ConvExplorer(lib.ones(600, 600), lib.ones(9, 9))
    assert "products are too many for a picture: slice the image first" in w.text()
    w.close()
    w = ConvExplorer(lib.ones(1200, 900), lib.ones(1, 2), im2col=True).step()
    assert "It is too large to be shown." in w.text()
    w.close()
    w = ConvExplorer(lib.ones(0, 1, 3, 3), lib.ones(1, 1, 2, 2))
    assert "there is nothing to show" in w.text()
    w.close()


def test_what_has_no_convolution_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="NumPy has no conv2d"):
        ConvExplorer(numpy.ones((3, 3)), numpy.ones((2, 2)))
    with pytest.raises(TypeError, match="x must have 2, 3 or 4 dimensions, not 1"):
        ConvExplorer(tk.ones(3), tk.ones(2, 2))
    with pytest.raises(TypeError, match="stride must be a number or two"):
        ConvExplorer(tk.ones(3, 3), tk.ones(2, 2), stride=(1, 2, 3))
    with pytest.raises(TypeError, match="no option groups"):
        ConvExplorer(tk.ones(3, 3), tk.ones(2, 2), groups=1)
