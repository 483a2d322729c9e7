"""Fourier transforms: values, dtypes, sizes, strides, nodes, gradients and refusals; the same on a device."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy
import pytest

import tensorkit
from tensorkit import cuda
from tests.torch_oracle import sentence

ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
MANY = tuple(f"{name}{end}" for name in ONE for end in ("2", "n"))
INPUTS = {
    "a": (2, 3),
    "a.t()": (2, 3),
    "a.double()": (4, 5),
    "a.bool()": (2, 3),
    "a.int()": (2, 3),
    "a.half()": (2, 3),
    "a.permute(2, 0, 1)": (2, 3, 4),
    "a.to(lib.complex64) * (1 + 2j)": (3, 4),
    "(a.to(lib.complex128) * (1 - 2j)).permute(2, 0, 1)": (2, 3, 4),
    "(a.to(lib.complex64) * 1j).conj()": (2, 4),
    "a[0, 0]": (2, 3),
    "a[:0]": (2, 3),
    "a[:, :0]": (2, 3),
}
OPTIONS = (
    "",
    "n=5",
    "n=2",
    "n=1",
    "n=0",
    "dim=0",
    "dim=1, norm='ortho'",
    "dim=-3",
    "norm='forward'",
    "norm='x'",
    "dim=5",
)
OPTIONS_N = (
    "",
    "s=(4, 3)",
    "s=(2, 5), dim=(-1, 0)",
    "dim=(0,)",
    "dim=0",
    "dim=()",
    "dim=(0, -1), norm='ortho'",
    "dim=(0, 0)",
    "s=(-1, 2)",
    "s=(3,), dim=(0, 1)",
    "s=(1, 2, 3, 4)",
    "s=(0, 2)",
    "norm='forward'",
)
OTHERS = (
    "F.fftfreq(5)",
    "F.fftfreq(4, 0.5)",
    "F.fftfreq(4, d=2, dtype=lib.float64)",
    "F.fftfreq(0)",
    "F.fftfreq(-1)",
    "F.fftfreq(5, 0.0)",
    "F.fftfreq(5, dtype=lib.int64)",
    "F.fftfreq(5.0)",
    "F.fftfreq(4, 'x')",
    "F.fftfreq(4, requires_grad=True)",
    "F.fftfreq(4, out=lib.zeros(4))",
    "F.rfftfreq(5)",
    "F.rfftfreq(4, 0.3, dtype=lib.float64)",
    "F.rfftfreq(4, dtype=lib.int64)",
    "F.fftshift(a)",
    "F.fftshift(a, dim=1)",
    "F.fftshift(a, dim=(0,))",
    "F.fftshift(a, 2)",
    "F.ifftshift(a)",
    "F.ifftshift(a, (0, 1))",
    "F.ifftshift(a, -1)",
    "F.fft(3)",
    "F.fft(a, 'x')",
    "F.fft(a, 1.5)",
    "F.fft(a, dim='x')",
    "F.fft(a, dim=None)",
    "F.fft(a, nn=3)",
    "F.fftn(a, s=1.5)",
    "F.fft2(a, dim=None)",
    *(f"F.{name}(a, out=lib.zeros(2, {width}, dtype=lib.{kind}))" for name, (width, kind) in itertools.product(
        ONE + MANY, ((3, "complex64"), (2, "complex64"), (4, "float32"), (3, "complex128"), (2, "float64"))
    )),
    "F.fft(a.requires_grad_(), out=lib.zeros(2, 3, dtype=lib.complex64))",
    "F.irfft2(a.requires_grad_(), out=lib.zeros(2, 4))",
    "F.fft(a.to('meta'))",
)  # fmt: skip


def drawn(size: tuple[int, ...]) -> Any:
    return numpy.random.default_rng(3).normal(size=size).astype(numpy.float32)


def calls() -> Iterator[tuple[str, tuple[int, ...]]]:
    for names, options in ((ONE, OPTIONS), (MANY, OPTIONS_N)):
        for name, given in itertools.product(names, options):
            inputs = INPUTS if given == "" else ("a", list(INPUTS)[8])
            yield from ((f"F.{name}({text}, {given})", INPUTS[text]) for text in inputs)
    yield from ((text, (2, 3)) for text in OTHERS)


def answer(lib: Any, text: str, size: tuple[int, ...], device: str = "cpu") -> dict[str, Any]:
    """Everything about a call, and the gradient of its input."""
    a = lib.tensor(drawn(size), device=device)
    wanting = not text.startswith(("F.fftf", "F.rfftf")) and "out=" not in text
    if wanting:
        a = a.requires_grad_()
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        try:
            made = eval(text, {"lib": lib, "F": lib.fft, "a": a})
        except Exception as error:
            return {"error": f"{type(error).__name__}: {sentence(error)}"}
    result: dict[str, Any] = {
        "kind": str(made.dtype).replace("torch", "tensorkit"),
        "size": tuple(made.shape),
        "stride": made.stride(),
        "node": type(made.grad_fn).__name__,
    }
    if "meta" not in text:
        result["value"] = made.detach().cpu().resolve_conj().numpy()
    if wanting and made.requires_grad and "meta" not in text:
        parts = made.real * 0.5 + made.imag.cos() if made.is_complex() else made.cos()
        parts.sum().backward()
        result["slope"] = a.grad.cpu().numpy()
    return result


def same(own: dict[str, Any], expected: dict[str, Any]) -> bool:
    """Values within the rounding of the sums that they are; all else to the letter."""
    return own.keys() == expected.keys() and all(
        numpy.allclose(own[name], expected[name], rtol=2e-5, atol=2e-5, equal_nan=True) if name in ("value", "slope")
        else own[name] == expected[name]
        for name in own
    )  # fmt: skip


def differing(ask: Callable[[str, tuple[int, ...]], tuple[Any, Any]]) -> list[str]:
    found = []
    for text, size in calls():
        own, expected = ask(text, size)
        if not same(own, expected):
            found.append(f"{text}: {own} for {expected}")
    return found


@pytest.mark.parity
def test_fourier_transforms_are_pytorchs(torch: Any) -> None:
    assert differing(lambda text, size: (answer(tensorkit, text, size), answer(torch, text, size))) == []


def test_a_wrong_scale_would_be_seen() -> None:
    own, other = (answer(tensorkit, f"F.fft(a, norm='{norm}')", (2, 3)) for norm in ("ortho", "forward"))
    assert not same(own, other)


def test_a_device_gives_the_same() -> None:
    texts = [f"F.{name}(a{given})" for name in ONE + MANY for given in ("", ", norm='ortho'", ", dim=0")]
    texts += ["F.irfft(a, n=5)", "F.fftfreq(5)", "F.fftshift(a)", "F.fft(a.to(lib.complex64) * 1j, n=2)"]
    with cuda.emulate():
        found = [
            text
            for text in texts
            if not same(answer(tensorkit, text, (3, 4), "cuda"), answer(tensorkit, text, (3, 4)))
        ]
    assert found == []
