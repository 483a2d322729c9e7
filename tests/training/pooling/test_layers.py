"""Layers of padding, pooling and resizing, as in PyTorch: text, values, sizes, state, refusals."""

from __future__ import annotations

import pytest

from tests.training.programs import differing

PROGRAMS = {
    "padding": """
x = torch.arange(1.0, 61.0).reshape(1, 2, 2, 3, 5)
for kind in ("Constant", "Zero", "Reflection", "Replication", "Circular"):
    for dims in (1, 2, 3):
        layer = getattr(nn, f"{kind}Pad{dims}d")
        more = (2.5,) if kind == "Constant" else ()
        inner = x[(0,) * (3 - dims)]
        for size in (1, (1, 0) * dims, [1, -1] + [0, 1] * (dims - 1)):
            m = layer(size, *more)
            say(m, m.padding, layer.__module__, m(inner), m(inner[0]))
            say(m.state_dict(), m.training, isinstance(m, nn.ConstantPad2d))
        fails(lambda: layer(*(1,) * (3 + (kind == "Constant"))))
        fails(lambda: layer(1, *more)(x[0, 0, 0, 0]))
        fails(lambda: layer((1, 1, 1), *more)(inner))
say(nn.ConstantPad1d(1, 3), nn.ConstantPad2d(padding=(1, 2, 3, 4), value=-1.5), nn.ZeroPad2d((1, 2)))
""",
    "windows": """
x = torch.tensor([[[5.0, 1.0, 2.0, 7.0, 3.0, 6.0], [0.5, 4.0, 9.0, 2.5, 8.0, 1.5]]]).reshape(1, 2, 6)
inputs = x, torch.stack([x, -x, x.flip(2)], 2), torch.stack([torch.stack([x, -x], 2), torch.stack([-x, x], 2)], 2)
for dims, x in enumerate(inputs, 1):
    for layer in (getattr(nn, f"MaxPool{dims}d"), getattr(nn, f"AvgPool{dims}d")):
        m = layer(2)
        say(m, layer(2, 1), layer((2,) * dims, 1, padding=1), m(x), m(x[0]), layer(2, 1, 1)(x), layer.__module__)
        say(layer(2, stride=2, padding=1, ceil_mode=True)(x), m.training, m.state_dict(), m.stride, m.padding)
        fails(lambda: layer())
        fails(lambda: layer(2)(x[0, 0, 0] if dims == 3 else x[0, 0]))
        fails(lambda: layer(9)(x))
    say(getattr(nn, f"MaxPool{dims}d")(2, 1, dilation=(1,) * dims))
    say(getattr(nn, f"AvgPool{dims}d")(2, 1, 1, False, False)(x))
    values, places = getattr(nn, f"MaxPool{dims}d")(2, return_indices=True)(x)
    back = getattr(nn, f"MaxUnpool{dims}d")(2)
    say(values, places, back, back(values, places), back(values, places, x.size()))
    fails(lambda: back(values, places, (1,) * dims))
    fails(lambda: back(values, places, (1, 1, 1, 1, 1, 1)))
    norm = getattr(nn, f"LPPool{dims}d")
    say(norm(2, 2), norm(1, 2, stride=1, ceil_mode=True), norm(1, 2)(x.abs()), (norm(2, 2)(x) * 1000).round())
    say(norm(float("inf"), 2)(x), norm(-float("inf"), 2, 1)(x))
    for layer in (getattr(nn, f"AdaptiveMaxPool{dims}d"), getattr(nn, f"AdaptiveAvgPool{dims}d")):
        say(layer(2), layer((1,) * dims), layer(1)(x), layer(2)(x), layer(2)(x[0]))
        if dims > 1:
            say(layer((None,) * (dims - 1) + (3,)), layer((None,) * (dims - 1) + (3,))(x))
            fails(lambda: layer((1,) * (dims + 3))(x))
    say(getattr(nn, f"AdaptiveMaxPool{dims}d")(2, return_indices=True)(x))
say(nn.AvgPool2d(2, divisor_override=3)(inputs[1]), nn.AvgPool3d(2, divisor_override=3), nn.AvgPool1d(2).kernel_size)
""",
    "resizing": """
x = torch.arange(32.0).reshape(1, 8, 2, 2)
for m in (nn.PixelShuffle(2), nn.ChannelShuffle(4), nn.Upsample(scale_factor=2), nn.Upsample((3, 4), mode="bilinear"),
    nn.Upsample(scale_factor=(2, 1.5)), nn.UpsamplingNearest2d(3), nn.UpsamplingBilinear2d(scale_factor=2),
    nn.PixelUnshuffle(2),
    nn.Upsample(4, mode="nearest-exact"), nn.Upsample(scale_factor=1.5, mode="bicubic", align_corners=True)):
    y = m(x)
    say(m, y.shape, (y * 256).round(), m.__module__, m.state_dict(), m.training)
F = nn.functional
for call in (F.upsample, F.upsample_nearest, F.upsample_bilinear):
    say(call(x, 3).shape)
fails(lambda: nn.Upsample()(x))
fails(lambda: nn.Upsample(2, mode="other")(x))
fails(lambda: nn.Upsample(2, mode="linear")(x))
fails(lambda: nn.PixelShuffle())
fails(lambda: nn.UpsamplingNearest2d(2, mode="nearest"))
theta = torch.tensor([[[1.0, 0.5, 0.0], [-0.25, 1.0, 0.125]]])
grid = F.affine_grid(theta, (1, 8, 2, 2))
say((grid * 256).round())
for mode in ("bilinear", "nearest", "bicubic"):
    for padding in ("zeros", "border", "reflection"):
        for corners in (True, False):
            say((F.grid_sample(x, grid, mode, padding, corners) * 256).round())
say(F.grid_sample(x, grid).shape)
fails(lambda: F.grid_sample(x, grid, "other"))
fails(lambda: F.grid_sample(x, grid, padding_mode="other"))
for bad in ((1, 2, 3), (1, 1, 0, 2), (1, 1, 2, 2, 2)):
    fails(lambda: F.affine_grid(theta, bad, True))
fails(lambda: F.affine_grid(theta.long(), (1, 1, 2, 2), True))
say(F.affine_grid(theta, (1, 1, 1, 2), True).shape)
""",
    "formats": """
def shape(y):
    y = y[0] if isinstance(y, tuple) else y
    return y, y.stride()
x = torch.arange(96.0).reshape(2, 3, 4, 4).contiguous(memory_format=torch.channels_last)
z = torch.arange(192.0).reshape(2, 3, 2, 4, 4).contiguous(memory_format=torch.channels_last_3d)
F = nn.functional
for x, dims in ((x, 2), (z, 3)):
    say(*shape(getattr(F, f"max_pool{dims}d")(x, 2)), *shape(getattr(F, f"avg_pool{dims}d")(x, 2)))
    for size in (1, 2):
        say(*shape(getattr(F, f"adaptive_max_pool{dims}d")(x, size)))
        say(*shape(getattr(F, f"adaptive_avg_pool{dims}d")(x, size)))
    values, places = getattr(F, f"max_pool{dims}d")(x, 2, return_indices=True)
    say(*shape(getattr(F, f"max_unpool{dims}d")(values, places, 2)), places, places.stride())
    for mode in ("constant", "reflect", "replicate", "circular"):
        say(*shape(F.pad(x, (1,) * 2 * dims, mode)))
    x = x.clone().requires_grad_()
    for pool in ("max_pool", "avg_pool", "adaptive_avg_pool"):
        x.grad = None
        y = getattr(F, f"{pool}{dims}d")(x, 2)
        (y * y).sum().backward()
        say(x.grad)
""",
}


@pytest.mark.parity
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_say_what_pytorchs_do(name: str) -> None:
    assert differing(PROGRAMS[name]) == []
