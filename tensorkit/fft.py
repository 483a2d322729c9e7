"""Discrete Fourier transforms: what PyTorch offers as ``torch.fft``.

>>> tk.fft.rfft(tk.tensor([1.0, 0.0, -1.0, 0.0])).abs()
tensor([0., 2., 0.])
"""

from __future__ import annotations

from tensorkit.ops.fft.frequencies import fftfreq, fftshift, ifftshift, rfftfreq
from tensorkit.ops.fft.transforms import (
    fft,
    fft2,
    fftn,
    hfft,
    hfft2,
    hfftn,
    ifft,
    ifft2,
    ifftn,
    ihfft,
    ihfft2,
    ihfftn,
    irfft,
    irfft2,
    irfftn,
    rfft,
    rfft2,
    rfftn,
)

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "hfft2",
    "hfftn",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]


def __dir__() -> list[str]:
    return __all__
