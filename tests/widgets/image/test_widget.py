"""ImageView shows the pixels that are there, in every order and dtype, and where each number lives."""

from __future__ import annotations

from io import BytesIO
from math import prod
from typing import Any

import numpy
import pytest

import tensorkit as tk
from tensorkit_widgets import ImageView
from tensorkit_widgets.drawing.page_width import WIDTHS
from tensorkit_widgets.drawing.pixels import png
from tensorkit_widgets.drawing.sheet import READABLE


def pixels(widget: ImageView, shot: int = 0) -> Any:
    """The picture as it is drawn, (H, W, 3)."""
    from matplotlib.image import imread

    sheet = widget._sheet(0)
    return (imread(BytesIO(sheet.photos[shot].png))[..., :3] * 255).round().astype(int)


def tiles(widget: ImageView) -> dict[str, Any]:
    return {tile.key: tile for table in widget._sheet(0).tables for tile in table.tiles}


def hear(widget: ImageView, kind: str, value: Any = None, key: str = "") -> ImageView:
    widget._heard(None, {"kind": kind, "value": value, "key": key}, [])
    return widget


COLOURS = tk.arange(5 * 7 * 3, dtype=tk.uint8).view(5, 7, 3)


def test_both_orders_show_the_same_picture_from_other_slots() -> None:
    last, first = ImageView(COLOURS), ImageView(COLOURS.permute(2, 0, 1).contiguous())
    assert (last.order, first.order, last.size, first.size) == ("HWC", "CHW", (5, 7), (5, 7))
    assert pixels(last).tolist() == pixels(first).tolist() == COLOURS.tolist()
    for w, apart in ((last, 1), (first, 35)):
        hear(w, "pixel", key="v:2,3,0")
        slots = [tiles(w)[f"v:2,3,{c}"].slot for c in range(3)]
        assert slots[1] - slots[0] == slots[2] - slots[1] == apart
        lit = sorted(t.slot for key, t in tiles(w).items() if key.startswith("s:") and "lit" in t.kinds)
        assert lit == slots
        w.close()


def test_a_permuted_view_keeps_its_slots() -> None:
    w = ImageView(COLOURS.permute(2, 0, 1))
    assert pixels(w).tolist() == COLOURS.tolist()
    assert tiles(w)["v:0,0,1"].slot == 1
    w.close()


def test_view_in_place_of_permute_mixes_the_colours() -> None:
    mixed = ImageView(COLOURS.view(3, 5, 7))
    assert pixels(mixed).tolist() != COLOURS.tolist()
    mixed.close()


def test_channels_are_separated() -> None:
    w = hear(ImageView(COLOURS), "apart", True)
    assert [photo.label for photo in w._sheet(0).photos] == ["all channels", "red", "green", "blue"]
    red = pixels(w, 1)
    assert red[..., 0].tolist() == COLOURS[..., 0].tolist()
    assert not red[..., 1:].any()
    w.close()


@pytest.mark.parametrize(
    ("numbers", "told"),
    [
        (tk.linspace(0, 1, 12).view(3, 4), ""),
        (tk.linspace(-2, 3, 12).view(3, 4), "run from -2 to 3"),
        (tk.arange(12).view(3, 4), "run from 0 to 11"),
        (tk.tensor([[True, False], [False, True]]), ""),
        (tk.tensor([[float("nan"), float("inf")], [0.0, 1.0]]), ""),
        (tk.linspace(0, 1, 12, dtype=tk.bfloat16).view(3, 4), ""),
        (tk.zeros(3, 4), ""),
    ],
)
def test_every_kind_of_number(numbers: Any, told: str) -> None:
    w = ImageView(numbers)
    assert w.order == "HW"
    assert told in w.text()
    assert w.frame["reason"] == ""
    shown = pixels(w)
    assert (shown[..., 0] == shown[..., 1]).all()
    w.close()


def test_a_batch_is_chosen_by_its_sliders() -> None:
    batch = tk.stack([COLOURS, 255 - COLOURS])
    w = ImageView(batch)
    assert pixels(hear(w, "lead-0", 1)).tolist() == (255 - COLOURS).tolist()
    hear(w, "lead-0", 10**6)
    assert pixels(w).tolist() == (255 - COLOURS).tolist()
    assert tiles(w)["v:0,0,0"].slot == 105
    w.close()


def test_a_large_image_is_thinned_out_and_its_numbers_are_not() -> None:
    w = ImageView(tk.zeros(1, dtype=tk.uint8).expand(30_000, 20_000, 3))
    assert max(pixels(w).shape) <= 160
    hear(hear(w, "row", 29_999), "column", 19_999)
    assert w.frame["facts"]["data"]["pixel"] == "29999,19999"
    assert "v:29999,19999,2" in tiles(w)
    w.close()


def test_a_write_shows_after_the_cell() -> None:
    numbers = numpy.zeros((4, 4, 3), numpy.uint8)
    w = ImageView(numbers)
    numbers[0, 0, 0] = 200
    assert w.refresh()
    assert pixels(w)[0, 0].tolist() == [200, 0, 0]
    w.close()


def test_what_is_no_image_is_refused() -> None:
    for wrong, error, told in (
        (tk.ones(3), ValueError, "a height and a width"),
        (tk.ones(2, 2, dtype=tk.complex64), TypeError, "real numbers"),
        ("text", TypeError, "cannot draw"),
    ):
        with pytest.raises(error, match=told):
            ImageView(wrong)
    with pytest.raises(ValueError, match="'CHW', 'HWC' or 'HW'"):
        ImageView(tk.ones(2, 2), "NCHW")
    for empty in (tk.ones(0, 3), tk.ones(3, 0, 3), tk.ones(2, 2, 0).permute(2, 0, 1)):
        w = ImageView(empty, "HW" if empty.dim() == 2 else "CHW" if empty.size(0) == 0 else "HWC")
        assert w._sheet(0).status == "empty"
        w.close()


@pytest.mark.parity
def test_a_torch_image_that_requires_grad() -> None:
    torch = pytest.importorskip("torch")
    w = ImageView(torch.rand(3, 4, 4, requires_grad=True))
    assert w.frame["reason"] == ""
    w.close()


def test_the_same_pixels_are_the_same_bytes() -> None:
    one = numpy.arange(48, dtype=numpy.uint8).reshape(4, 4, 3)
    assert png(one) == png(one.copy())


@pytest.mark.parametrize("size", [(3, 24, 24), (24, 24, 3), (24, 24)])
@pytest.mark.parametrize("width", WIDTHS)
def test_long_numbers_can_be_read_from_the_back_row(size: tuple[int, ...], width: float) -> None:
    w = ImageView(tk.arange(float(prod(size))).view(*size) * -0.00056789)
    w._heard(None, {"kind": "room", "value": width}, [])
    w._heard(None, {"kind": "pixel", "key": "v:11,9,0"}, [])
    sheet = w._sheet(0)
    told = [tile for table in sheet.tables for tile in table.tiles if tile.text]
    assert max(len(tile.text) for tile in told) == 7
    assert min(tile.font for tile in told) >= READABLE
    [strip] = [table for table in sheet.tables if table.key == "s"]
    lit = [tile.slot for tile in strip.tiles if "lit" in tile.kinds]
    assert len(lit) == (3 if len(size) == 3 else 1), "every channel of the pixel stays in the picture"
    assert all(mark.x + mark.width <= sheet.width - 20 for mark in (*strip.tiles, *strip.gaps))
    w.close()
