"""Transforms, grids and files: values by hand or by PyTorch's own functions, text as torchvision prints it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy
import pytest
from PIL import Image

import tensorkit as tk
from tensorkit.vision import io, transforms, utils
from tensorkit.vision.transforms import InterpolationMode
from tensorkit.vision.transforms import functional as F
from tests.torch_oracle import require_torch

COLOURS = numpy.random.default_rng(0).integers(0, 256, (6, 8, 3), numpy.uint8)
PICTURE = Image.fromarray(COLOURS)
TENSOR: Any = tk.from_numpy(COLOURS.transpose(2, 0, 1).copy())
GRID = tk.arange(12.0).view(1, 3, 4)

REPRS = {
    "Compose(\n    ToTensor()\n)": lambda t: t.Compose([t.ToTensor()]),
    "Normalize(mean=[0.5], std=(1, 2))": lambda t: t.Normalize([0.5], (1, 2)),
    "Resize(size=32, interpolation=bilinear, max_size=None, antialias=True)": lambda t: t.Resize(32),
    "Resize(size=(3, 4), interpolation=nearest, max_size=None, antialias=None)": lambda t: t.Resize(
        (3, 4), t.InterpolationMode.NEAREST, antialias=None
    ),
    "CenterCrop(size=(4, 4))": lambda t: t.CenterCrop(4),
    "RandomCrop(size=(32, 32), padding=4)": lambda t: t.RandomCrop(32, padding=4),
    "RandomHorizontalFlip(p=0.5)": lambda t: t.RandomHorizontalFlip(),
    "RandomVerticalFlip(p=0.1)": lambda t: t.RandomVerticalFlip(0.1),
    "RandomResizedCrop(size=(8, 8), scale=(0.08, 1.0), ratio=(0.75, 1.3333), interpolation=bilinear, antialias=True)": (
        lambda t: t.RandomResizedCrop(8)
    ),
    "Pad(padding=2, fill=0, padding_mode=constant)": lambda t: t.Pad(2),
    "Lambda()": lambda t: t.Lambda(len),
    "ToPILImage()": lambda t: t.ToPILImage(),
    "ToPILImage(mode=RGB)": lambda t: t.ToPILImage("RGB"),
    "Grayscale(num_output_channels=3)": lambda t: t.Grayscale(3),
    "RandomGrayscale(p=0.1)": lambda t: t.RandomGrayscale(),
    "ColorJitter(brightness=(0.5, 1.5), contrast=None, saturation=(0.0, 3.0), hue=(-0.1, 0.1))": (
        lambda t: t.ColorJitter(brightness=0.5, saturation=2, hue=0.1)
    ),
    "RandomApply(\n    p=0.3\n    ToTensor()\n)": lambda t: t.RandomApply([t.ToTensor()], p=0.3),
}


@pytest.mark.parametrize("text", REPRS)
def test_text(text: str) -> None:
    assert repr(REPRS[text](transforms)) == text


def test_to_tensor_and_back() -> None:
    made = F.to_tensor(PICTURE)
    assert (made.dtype, made.shape, made.is_contiguous()) == (tk.float32, (3, 6, 8), True)
    assert tk.equal(made, TENSOR.to(tk.float32).div(255))
    assert tk.equal(F.pil_to_tensor(PICTURE), TENSOR)
    assert tk.equal(F.to_tensor(COLOURS), made)
    assert (numpy.asarray(F.to_pil_image(made)) == COLOURS).all()
    assert (numpy.asarray(F.to_pil_image(COLOURS)) == COLOURS).all()
    assert F.to_tensor(Image.new("1", (2, 1), 1)).tolist() == [[[1.0, 1.0]]]
    assert F.to_tensor(Image.new("I", (1, 1), 70000)).dtype is tk.int32
    assert F.to_tensor(numpy.ones((2, 3), numpy.float64)).dtype is tk.float64
    modes = {
        (1, tk.uint8): "L",
        (1, tk.int16): "I;16",
        (1, tk.int32): "I",
        (2, tk.uint8): "LA",
        (4, tk.uint8): "RGBA",
    }
    for (channels, kind), mode in modes.items():
        assert F.to_pil_image(tk.ones(channels, 2, 2, dtype=kind)).mode == mode
    assert F.to_pil_image(tk.ones(2, 2), "F").mode == "F"
    assert F.to_pil_image(tk.ones(3, 2, 2), "HSV").mode == "HSV"


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: F.to_tensor(3), TypeError, "pic should be PIL Image or ndarray. Got <class 'int'>"),
        (lambda: F.to_tensor(numpy.ones(3)), ValueError, "pic should be 2/3 dimensional. Got 1 dimensions."),
        (lambda: F.to_pil_image(3), TypeError, "pic should be Tensor or ndarray. Got <class 'int'>."),
        (
            lambda: F.to_pil_image(tk.ones(5, 2, 2)),
            ValueError,
            "pic should not have > 4 channels. Got 5 channels.",
        ),
        (
            lambda: F.to_pil_image(tk.ones(1, 2, 2), "RGB"),
            ValueError,
            "Incorrect mode (RGB) supplied for input type ",
        ),
        (lambda: F.normalize(TENSOR, [0.5], [0.5]), TypeError, "Input tensor should be a float tensor. Got "),
        (
            lambda: F.normalize(GRID, [0.5], [0.0]),
            ValueError,
            "std evaluated to zero after conversion to tensorkit.f",
        ),
        (
            lambda: F.resize(GRID, (1, 2, 3)),
            ValueError,
            "Size must be an int or a 1 or 2 element tuple/list, not a 3 ",
        ),
        (
            lambda: F.resize(GRID, 4, max_size=4),
            ValueError,
            "max_size = 4 must be strictly greater than the requested ",
        ),
        (
            lambda: F.pad(GRID, (1, 2, 3)),
            ValueError,
            "Padding must be an int or a 1, 2, or 4 element tuple, not a 3 ",
        ),
        (lambda: F.adjust_hue(GRID, 1), ValueError, "hue_factor (1) is not in [-0.5, 0.5]."),
        (lambda: F.adjust_contrast(GRID, -1), ValueError, "contrast_factor (-1) is not non-negative."),
        (lambda: transforms.Lambda(3), TypeError, "Argument lambd should be callable, got 'int'"),
        (
            lambda: transforms.RandomCrop(9)(GRID),
            ValueError,
            "Required crop size (9, 9) is larger than input image ",
        ),
        (
            lambda: transforms.ColorJitter(hue=1),
            ValueError,
            "hue values should be between (-0.5, 0.5), but got [",
        ),
    ],
)
def test_what_is_refused(call: Callable[[], Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=r"^" + re.escape(said)):
        call()


def test_normalize_and_dtypes() -> None:
    assert F.normalize(GRID, [2.0], [2.0])[0, 0].tolist() == [-1.0, -0.5, 0.0, 0.5]
    assert F.normalize(GRID, 2.0, 2.0)[0, 1, 0].item() == 1  # type: ignore[arg-type]
    image = GRID.clone()
    assert F.normalize(image, [0.0], [2.0], inplace=True) is image
    assert F.convert_image_dtype(tk.tensor([0, 255], dtype=tk.uint8)).tolist() == [0, 1]
    assert F.convert_image_dtype(tk.tensor([0.0, 0.5, 1.0]), tk.uint8).tolist() == [0, 127, 255]
    assert F.convert_image_dtype(tk.tensor([255], dtype=tk.uint8), tk.int16).tolist() == [255 * 128]
    assert F.convert_image_dtype(tk.tensor([32767], dtype=tk.int16), tk.uint8).tolist() == [255]


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric"])
def test_borders_of_tensors_and_pictures(mode: str) -> None:
    made = F.pad(TENSOR, [1, 2, 3, 2], padding_mode=mode)
    assert made.shape == (3, 10, 12)
    assert tk.equal(F.pil_to_tensor(F.pad(PICTURE, [1, 2, 3, 2], padding_mode=mode)), made)
    widths = ((0, 0), (2, 2), (1, 3))
    assert (made.numpy() == numpy.pad(TENSOR.numpy(), widths, mode=mode)).all()  # type: ignore[call-overload]


def test_parts() -> None:
    def same(change: Callable[[Any], Any]) -> Any:
        made = change(TENSOR)
        assert tk.equal(F.pil_to_tensor(change(PICTURE)), made)
        return made

    assert tk.equal(same(lambda x: F.crop(x, 1, 2, 3, 4)), TENSOR[:, 1:4, 2:6])
    outside = same(lambda x: F.crop(x, -1, 6, 4, 4))
    assert tk.equal(outside[:, 1:, :2], TENSOR[:, :3, 6:])
    assert (outside[:, 0].sum() + outside[:, :, 2:].sum()).item() == 0
    assert tk.equal(same(lambda x: F.center_crop(x, 3)), TENSOR[:, 2:5, 2:5])
    assert same(lambda x: F.center_crop(x, (8, 4))).shape == (3, 8, 4)
    assert tk.equal(same(F.hflip), TENSOR.flip(-1))
    assert tk.equal(same(F.vflip), TENSOR.flip(-2))
    assert same(lambda x: F.pad(x, 1, fill=(9, 8, 7)))[:, 0, 0].tolist() == [9, 8, 7]


def test_sizes() -> None:
    assert F.resize(TENSOR, 3).shape == (3, 3, 4)
    assert F.resize(PICTURE, 3).size == (4, 3)
    assert F.resize(TENSOR, (5, 2)).shape == (3, 5, 2)
    assert F.resize(TENSOR, 12, max_size=14).shape == (3, 10, 14)
    assert F.resize(TENSOR, 6) is TENSOR
    for mode in (InterpolationMode.BILINEAR, InterpolationMode.BICUBIC):
        of_pil = F.pil_to_tensor(F.resize(PICTURE, (4, 5), mode)).float()
        assert (F.resize(TENSOR, (4, 5), mode).float() - of_pil).abs().max().item() <= 1
    x = GRID.clone().requires_grad_()
    F.resize(x, (2, 2)).sum().backward()
    assert x.grad.sum().item() == pytest.approx(4)  # type: ignore[attr-defined]


@pytest.mark.parity
@pytest.mark.parametrize("size", [(2, 3), (9, 5), (6, 16)])
@pytest.mark.parametrize("antialias", [False, True])
@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "bilinear", "bicubic"])
def test_sizes_are_pytorchs(mode: str, antialias: bool, size: tuple[int, int]) -> None:
    torch = require_torch()
    smooth = mode.startswith("bi")
    image = TENSOR.float()
    expected = torch.nn.functional.interpolate(
        torch.from_numpy(image.numpy())[None],
        size,
        mode=mode,
        align_corners=False if smooth else None,
        antialias=antialias and smooth,
    )[0]
    made = F.resize(image, size, InterpolationMode(mode), antialias=antialias)
    numpy.testing.assert_allclose(made.numpy(), expected.numpy(), rtol=1e-5, atol=1e-3)


def test_colours() -> None:
    grey = F.rgb_to_grayscale(TENSOR)
    assert grey.shape == (1, 6, 8)
    assert (grey.float() - F.pil_to_tensor(F.rgb_to_grayscale(PICTURE)).float()).abs().max().item() <= 1
    assert F.rgb_to_grayscale(TENSOR, 3).shape == (3, 6, 8)
    for change in (F.adjust_brightness, F.adjust_contrast, F.adjust_saturation):
        assert tk.equal(change(TENSOR, 1.0), TENSOR)
        for factor in (0.3, 1.7):
            of_pil = F.pil_to_tensor(change(PICTURE, factor)).float()
            assert (change(TENSOR, factor).float() - of_pil).abs().max().item() <= 2
    share = TENSOR.float() / 255
    assert (F.adjust_hue(share, 0.0) - share).abs().max().item() < 1e-5
    red = tk.tensor([1.0, 0.0, 0.0]).view(3, 1, 1)
    assert F.adjust_hue(red, 1 / 3).flatten().tolist() == pytest.approx([0, 1, 0], abs=1e-5)
    assert F.adjust_hue(PICTURE, 0.25).size == PICTURE.size


@pytest.mark.parity
def test_draws_are_pytorchs() -> None:
    """The generator of the kit, asked as torchvision asks PyTorch's."""
    torch = require_torch()
    torch.manual_seed(3)
    tk.manual_seed(3)
    crop = transforms.RandomCrop(3, padding=1)
    assert tk.equal(
        crop(TENSOR),
        F.crop(F.pad(TENSOR, 1), torch.randint(0, 6, (1,)).item(), torch.randint(0, 8, (1,)).item(), 3, 3),
    )
    flips = [bool(torch.rand(1) < 0.5) for _ in range(6)]
    flip = transforms.RandomHorizontalFlip()
    assert [not tk.equal(flip(GRID), GRID) for _ in range(6)] == flips
    area = 48 * torch.empty(1).uniform_(0.3, 0.5).item()
    low, high = torch.log(torch.tensor([0.75, 4 / 3]))
    wide = torch.exp(torch.empty(1).uniform_(low, high)).item()
    width, height = round((area * wide) ** 0.5), round((area / wide) ** 0.5)
    top, left = torch.randint(0, 7 - height, (1,)).item(), torch.randint(0, 9 - width, (1,)).item()
    drawn = transforms.RandomResizedCrop.get_params(TENSOR, (0.3, 0.5), (0.75, 4 / 3))
    assert drawn == (top, left, height, width)
    order, factor = torch.randperm(4).tolist(), float(torch.empty(1).uniform_(0.5, 1.5))
    jitter = transforms.ColorJitter.get_params((0.5, 1.5), None, None, None)
    assert (jitter[0].tolist(), *jitter[1:]) == (order, factor, None, None, None)


def test_jitter_and_chance() -> None:
    tk.manual_seed(0)
    changed = transforms.ColorJitter(0.4, 0.4, 0.4, 0.2)
    assert changed(PICTURE).size == PICTURE.size
    assert changed(TENSOR).shape == TENSOR.shape
    assert transforms.RandomApply([transforms.ToTensor()], p=0.0)(PICTURE) is PICTURE
    assert transforms.RandomGrayscale(p=1.0)(TENSOR).shape == TENSOR.shape
    assert transforms.RandomResizedCrop(4)(PICTURE).size == (4, 4)
    assert transforms.RandomCrop(10, pad_if_needed=True)(TENSOR).shape == (3, 10, 10)


# -- grids and files ------------------------------------------------------------------------------------------------


def test_a_grid() -> None:
    images = tk.arange(5.0).view(5, 1, 1, 1).expand(5, 1, 2, 2)
    grid = utils.make_grid(images, nrow=3, padding=1, pad_value=9)
    assert grid.shape == (3, 7, 10)
    assert grid[0, 1].tolist() == [9, 0, 0, 9, 1, 1, 9, 2, 2, 9]
    assert grid[2, 4].tolist() == [9, 3, 3, 9, 4, 4, 9, 9, 9, 9]
    assert utils.make_grid(images[:1]).shape == (3, 2, 2)
    scaled = utils.make_grid(list(images), nrow=5, padding=0, normalize=True)
    assert scaled[0, 0, ::2].tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert images.max().item() == 4
    with pytest.raises(TypeError, match=r"^tensor or list of tensors expected, got <class 'int'>$"):
        utils.make_grid(3)


def test_files(tmp_path: Path) -> None:
    utils.save_image(TENSOR.float() / 255, tmp_path / "a.png")
    assert tk.equal(io.read_image(tmp_path / "a.png"), TENSOR)
    assert io.read_image(str(tmp_path / "a.png"), io.ImageReadMode.GRAY).shape == (1, 6, 8)
    assert io.decode_image(tmp_path / "a.png", "RGBA").shape == (4, 6, 8)
    io.write_png(TENSOR[:1], tmp_path / "b.png")
    assert tk.equal(io.read_image(tmp_path / "b.png"), TENSOR[:1])
    io.write_jpeg(TENSOR, tmp_path / "c.jpg", quality=100)
    assert io.read_image(tmp_path / "c.jpg").shape == (3, 6, 8)
    with pytest.raises(RuntimeError, match="Input tensor dtype should be uint8"):
        io.write_png(GRID, tmp_path / "d.png")
    with pytest.raises(RuntimeError, match="Unsupported image file"):
        io.decode_image(tk.zeros(4, dtype=tk.uint8))
