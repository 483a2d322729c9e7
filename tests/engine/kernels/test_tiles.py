"""Convolution added up in registers: the numbers are those that columns give in double precision."""

from __future__ import annotations

import numpy as np
import pytest

from tensorkit.kernels.cpu.nn import tiles, windows
from tensorkit.kernels.jit import compiler
from tensorkit.kernels.windows import Window

# (images, channels, *size), (out, channels, *kernel), padding and dilation.
CASES = {
    "a row": ((2, 20, 70), (9, 20, 3), (1,), (1,)),
    "a volume": ((1, 3, 6, 7, 9), (17, 3, 2, 1, 3), (0, 0, 2), (1, 1, 2)),
    "an image": ((3, 5, 17, 13), (40, 5, 3, 5), (1, 2), (1, 1)),
    "more frame than windows reach": ((2, 16, 3, 4), (8, 16, 2, 2), (1, 1), (1, 1)),
    "of one channel, far apart": ((2, 1, 30, 31), (1, 1, 5, 4), (3, 0), (2, 3)),
}


@pytest.mark.parametrize("case", CASES)
def test_the_three_maps_are_those_by_columns(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    size, of, padding, dilation = CASES[case]
    window = Window((1,) * len(padding), padding, dilation)
    places = window.places(size[2:], of[2:])
    draw = np.random.default_rng(0)
    image, weight, bias, result = (
        draw.standard_normal(one) for one in (size, of, of[:1], (size[0], of[0], *places))
    )
    maps = (
        ("convolve", result.shape, (image, weight, bias)),
        ("spread", size, (result, weight, image[0].reshape(size[1], -1)[:, 0])),
        ("weigh", of, (image, result)),
    )
    monkeypatch.setattr(tiles, "LARGE", 1)
    with compiler.at_once():
        for name, shape, given in maps:
            expected, found = np.zeros(shape), np.full(shape, np.nan, np.float32)
            getattr(windows, name)(expected, *given, window)
            singles = [one.astype(np.float32) for one in given]
            assert getattr(tiles, name)(found, *singles, window) is (compiler._MODE != "0")
            getattr(windows, name)(found, *singles, window)
            np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


def test_what_does_not_fit_is_left_to_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiles, "LARGE", 1)
    image, weight, out = np.ones((1, 2, 8)), np.ones((2, 2, 3)), np.empty((1, 2, 6))
    plain = Window((1,), (0,), (1,))
    with compiler.at_once():
        assert not tiles.convolve(out, image, weight, None, plain)  # float64
        made, a, w = (one.astype(np.float32) for one in (out, image, weight))
        assert not tiles.convolve(made, a, w, None, plain._replace(stride=(2,)))
        assert not tiles.convolve(made, a, w, None, plain._replace(groups=2))
        assert not tiles.spread(a, made, w, None, plain._replace(padding=(3,)))
