"""The Fourier transforms of ``fft``: of real, complex and mirrored input, over one dimension, two, or several.

Source: https://docs.pytorch.org/docs/stable/fft.html
"""

from __future__ import annotations

from typing import Any

from tensorkit.ops.fft.calls import (
    check_out,
    complex_n,
    either,
    hfftn_of,
    ihfftn_of,
    irfftn_of,
    mirrored,
    real,
    real_n,
)
from tensorkit.ops.kit import Dims, Tensor, op


@op(namespace="fft", rounded=8, kind="reduce")
def fft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Any:
    """The discrete Fourier transform: which frequencies a signal is made of.

    Args:
        input: numbers of any kind; whole ones count as the default dtype.
        n: how many elements are transformed, the rest cut off or filled with zeros; all if not given.
        dim: the dimension.
        norm: "backward" (the default) divides by the number of elements on the way back, "forward" on the way
            forward, and "ortho" by its root on both.
        out: a tensor to write into.

    >>> tk.fft.fft(tk.tensor([1.0, 0.0, -1.0, 0.0]))
    tensor([0.+0.j, 2.+0.j, 0.+0.j, 2.+0.j])
    """
    check_out(out, input, "fft")
    return either("fft", input, n, dim, norm, True)


@op(namespace="fft", rounded=8, kind="reduce")
def ifft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Any:
    """The inverse of `fft`: a signal from its frequencies.

    Args:
        input: numbers of any kind; whole ones count as the default dtype.
        n: how many elements are transformed, the rest cut off or filled with zeros; all if not given.
        dim: the dimension.
        norm: "backward" (the default) divides by the number of elements on the way back, "forward" on the way
            forward, and "ortho" by its root on both.
        out: a tensor to write into.

    >>> tk.fft.ifft(tk.tensor([0.0, 2.0, 0.0, 2.0]))
    tensor([ 1.-0.j,  0.-0.j, -1.-0.j,  0.-0.j])
    """
    check_out(out, input, "ifft")
    return either("ifft", input, n, dim, norm, False)


@op(namespace="fft", rounded=8, kind="reduce")
def rfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Any:
    """`fft` of a real signal: the first half of the result, of which the other is the mirror image.

    Args:
        input: real numbers; whole ones count as the default dtype.
        n: how many elements are transformed, the rest cut off or filled with zeros; all if not given.
        dim: the dimension.
        norm: "backward" (the default) divides by the number of elements on the way back, "forward" on the way
            forward, and "ortho" by its root on both.
        out: a tensor to write into.

    >>> tk.fft.rfft(tk.tensor([1.0, 0.0, -1.0, 0.0]))
    tensor([0.+0.j, 2.+0.j, 0.+0.j])
    """
    check_out(out, input, "rfft", "_fft_r2c")
    return real("rfft", input, n, dim, norm, True, half=True)


@op(namespace="fft", rounded=8, kind="reduce")
def irfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Any:
    """The inverse of `rfft`: a real signal from half of its frequencies.

    Args:
        input: half of a signal that mirrors itself, conjugated: as many elements as its real transform has.
        n: the length of the result; twice that of `input` less 2 if not given.
        dim: the dimension.
        norm: "backward" (the default) divides by the number of elements on the way back, "forward" on the way
            forward, and "ortho" by its root on both.
        out: a tensor to write into.

    >>> tk.fft.irfft(tk.tensor([0.0, 2.0, 0.0]))
    tensor([ 1.,  0., -1.,  0.])
    """
    check_out(out, input, "irfft", "_fft_c2r")
    return mirrored(input, n, dim, norm, False)


@op(namespace="fft", rounded=8, kind="reduce")
def hfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Any:
    """`fft` of a signal that mirrors itself, of which half is given: its frequencies are real.

    Args:
        input: half of a signal that mirrors itself, conjugated: as many elements as its real transform has.
        n: the length of the result; twice that of `input` less 2 if not given.
        dim: the dimension.
        norm: "backward" (the default) divides by the number of elements on the way back, "forward" on the way
            forward, and "ortho" by its root on both.
        out: a tensor to write into.

    >>> tk.fft.hfft(tk.tensor([1.0, 0.0, -1.0]))
    tensor([0., 2., 0., 2.])
    """
    check_out(out, input, "hfft", "_fft_c2r")
    return mirrored(input, n, dim, norm, True)


@op(namespace="fft", rounded=8, kind="reduce")
def ihfft(
    input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None
) -> Any:
    """The inverse of `hfft`: half of a signal that mirrors itself.

    Args:
        input: real numbers; whole ones count as the default dtype.
        n: how many elements are transformed, the rest cut off or filled with zeros; all if not given.
        dim: the dimension.
        norm: "backward" (the default) divides by the number of elements on the way back, "forward" on the way
            forward, and "ortho" by its root on both.
        out: a tensor to write into.

    >>> tk.fft.ihfft(tk.tensor([0.0, 4.0, 0.0, 4.0]))
    tensor([ 2.-0.j,  0.-0.j, -2.-0.j])
    """
    check_out(out, input, "ihfft", "_fft_r2c")
    return real("ihfft", input, n, dim, norm, False, half=True)


@op(namespace="fft", rounded=8, kind="reduce")
def fftn(
    input: Tensor,
    s: Dims | None = None,
    dim: Dims | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Any:
    """`fft` over several dimensions.

    Args:
        input: numbers of any kind; whole ones count as the default dtype.
        s: how many elements of each dimension are transformed; all if not given, or -1.
        dim: the dimensions; all if not given, or the last ones that `s` is for.
        norm: "backward" (the default) divides by the number of elements on the way back, "forward" on the way
            forward, and "ortho" by its root on both.
        out: a tensor to write into.

    >>> tk.fft.fftn(tk.tensor([[1.0, 0.0], [0.0, 1.0]]))
    tensor([[2.+0.j, 0.+0.j],
            [0.+0.j, 2.+0.j]])
    """
    check_out(out, input, "fftn", "_fft_c2c")
    return complex_n(input, s, dim, norm, True)


@op(namespace="fft", rounded=8, kind="reduce")
def fft2(
    input: Tensor,
    s: Dims | None = None,
    dim: Dims = (-2, -1),
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Any:
    """`fftn` over the last two dimensions.

    Args:
        input: numbers of any kind; whole ones count as the default dtype.
        s: how many elements of each dimension are transformed; all if not given, or -1.
        dim: two dimensions.
        norm: "backward" (the default) divides by the number of elements on the way back, "forward" on the way
            forward, and "ortho" by its root on both.
        out: a tensor to write into.

    >>> tk.fft.fft2(tk.tensor([[1.0, 0.0], [0.0, 1.0]]))
    tensor([[2.+0.j, 0.+0.j],
            [0.+0.j, 2.+0.j]])
    """
    check_out(out, input, "fftn", "_fft_c2c")
    return complex_n(input, s, dim, norm, True)


@op(namespace="fft", rounded=8, kind="reduce")
def ifftn(
    input: Tensor,
    s: Dims | None = None,
    dim: Dims | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Any:
    """The inverse of `fftn`.

    Args:
        input: numbers of any kind; whole ones count as the default dtype.
        s: how many elements of each dimension are transformed; all if not given, or -1.
        dim: the dimensions; all if not given, or the last ones that `s` is for.
        norm: "backward" (the default) divides by the number of elements on the way back, "forward" on the way
            forward, and "ortho" by its root on both.
        out: a tensor to write into.

    >>> tk.fft.ifftn(tk.tensor([[2.0, 0.0], [0.0, 2.0]]))
    tensor([[1.+0.j, 0.+0.j],
            [0.+0.j, 1.+0.j]])
    """
    check_out(out, input, "fftn", "_fft_c2c")
    return complex_n(input, s, dim, norm, False)


@op(namespace="fft", rounded=8, kind="reduce")
def ifft2(
    input: Tensor,
    s: Dims | None = None,
    dim: Dims = (-2, -1),
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Any:
    """`ifftn` over the last two dimensions.

    Args:
        input: numbers of any kind; whole ones count as the default dtype.
        s: how many elements of each dimension are transformed; all if not given, or -1.
        dim: two dimensions.
        norm: "backward" (the default) divides by the number of elements on the way back, "forward" on the way
            forward, and "ortho" by its root on both.
        out: a tensor to write into.

    >>> tk.fft.ifft2(tk.tensor([[2.0, 0.0], [0.0, 2.0]]))
    tensor([[1.+0.j, 0.+0.j],
            [0.+0.j, 1.+0.j]])
    """
    check_out(out, input, "fftn", "_fft_c2c")
    return complex_n(input, s, dim, norm, False)


@op(namespace="fft", rounded=8, kind="reduce")
def rfftn(
    input: Tensor,
    s: Dims | None = None,
    dim: Dims | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Any:
    """`fftn` of real input: of the last dimension half of the result, which says all.

    Args:
        input: real numbers; whole ones count as the default dtype.
        s: how many elements of each dimension are transformed; all if not given, or -1.
        dim: the dimensions; all if not given, or the last ones that `s` is for.
        norm: "backward" (the default) divides by the number of elements on the way back, "forward" on the way
            forward, and "ortho" by its root on both.
        out: a tensor to write into.

    >>> tk.fft.rfftn(tk.tensor([[1.0, 0.0], [0.0, 1.0]]))
    tensor([[2.+0.j, 0.+0.j],
            [0.+0.j, 2.+0.j]])
    """
    check_out(out, input, "rfftn", "_fft_r2c")
    return real_n(input, s, dim, norm)


@op(namespace="fft", rounded=8, kind="reduce")
def rfft2(
    input: Tensor,
    s: Dims | None = None,
    dim: Dims = (-2, -1),
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Any:
    """`rfftn` over the last two dimensions.

    Args:
        input: real numbers; whole ones count as the default dtype.
        s: how many elements of each dimension are transformed; all if not given, or -1.
        dim: two dimensions.
        norm: "backward" (the default) divides by the number of elements on the way back, "forward" on the way
            forward, and "ortho" by its root on both.
        out: a tensor to write into.

    >>> tk.fft.rfft2(tk.tensor([[1.0, 0.0], [0.0, 1.0]]))
    tensor([[2.+0.j, 0.+0.j],
            [0.+0.j, 2.+0.j]])
    """
    check_out(out, input, "rfftn", "_fft_r2c")
    return real_n(input, s, dim, norm)


@op(namespace="fft", rounded=8, kind="reduce")
def irfftn(
    input: Tensor,
    s: Dims | None = None,
    dim: Dims | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Any:
    """The inverse of `rfftn`.

    Args:
        input: half of a signal that mirrors itself, conjugated: as many elements as its real transform has.
        s: the lengths of the result; the last is twice that of `input` less 2 if not given, or -1.
        dim: the dimensions; all if not given, or the last ones that `s` is for.
        norm: "backward" (the default) divides by the number of elements on the way back, "forward" on the way
            forward, and "ortho" by its root on both.
        out: a tensor to write into.

    >>> tk.fft.irfftn(tk.tensor([[2.0, 0.0], [0.0, 2.0]]))
    tensor([[1., 0.],
            [0., 1.]])
    """
    check_out(out, input, "irfftn", "_fft_c2r")
    return irfftn_of(input, s, dim, norm)


@op(namespace="fft", rounded=8, kind="reduce")
def irfft2(
    input: Tensor,
    s: Dims | None = None,
    dim: Dims = (-2, -1),
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Any:
    """`irfftn` over the last two dimensions.

    Args:
        input: half of a signal that mirrors itself, conjugated: as many elements as its real transform has.
        s: the lengths of the result; the last is twice that of `input` less 2 if not given, or -1.
        dim: two dimensions.
        norm: "backward" (the default) divides by the number of elements on the way back, "forward" on the way
            forward, and "ortho" by its root on both.
        out: a tensor to write into.

    >>> tk.fft.irfft2(tk.tensor([[2.0, 0.0], [0.0, 2.0]]))
    tensor([[1., 0.],
            [0., 1.]])
    """
    check_out(out, input, "irfftn", "_fft_c2r")
    return irfftn_of(input, s, dim, norm)


@op(namespace="fft", rounded=8, kind="reduce")
def hfftn(
    input: Tensor,
    s: Dims | None = None,
    dim: Dims | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Any:
    """`hfft` along the last of several dimensions, `fftn` along the others.

    Args:
        input: half of a signal that mirrors itself, conjugated: as many elements as its real transform has.
        s: the lengths of the result; the last is twice that of `input` less 2 if not given, or -1.
        dim: the dimensions; all if not given, or the last ones that `s` is for.
        norm: "backward" (the default) divides by the number of elements on the way back, "forward" on the way
            forward, and "ortho" by its root on both.
        out: a tensor to write into.

    >>> tk.fft.hfftn(tk.tensor([[2.0, 0.0], [0.0, 2.0]]))
    tensor([[4., 0.],
            [0., 4.]])
    """
    check_out(out, input, "hfftn", "_fft_c2r")
    return hfftn_of(input, s, dim, norm)


@op(namespace="fft", rounded=8, kind="reduce")
def hfft2(
    input: Tensor,
    s: Dims | None = None,
    dim: Dims = (-2, -1),
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Any:
    """`hfftn` over the last two dimensions.

    Args:
        input: half of a signal that mirrors itself, conjugated: as many elements as its real transform has.
        s: the lengths of the result; the last is twice that of `input` less 2 if not given, or -1.
        dim: two dimensions.
        norm: "backward" (the default) divides by the number of elements on the way back, "forward" on the way
            forward, and "ortho" by its root on both.
        out: a tensor to write into.

    >>> tk.fft.hfft2(tk.tensor([[2.0, 0.0], [0.0, 2.0]]))
    tensor([[4., 0.],
            [0., 4.]])
    """
    check_out(out, input, "hfftn", "_fft_c2r")
    return hfftn_of(input, s, dim, norm)


@op(namespace="fft", rounded=8, kind="reduce")
def ihfftn(
    input: Tensor,
    s: Dims | None = None,
    dim: Dims | None = None,
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Any:
    """The inverse of `hfftn`.

    Args:
        input: real numbers; whole ones count as the default dtype.
        s: how many elements of each dimension are transformed; all if not given, or -1.
        dim: the dimensions; all if not given, or the last ones that `s` is for.
        norm: "backward" (the default) divides by the number of elements on the way back, "forward" on the way
            forward, and "ortho" by its root on both.
        out: a tensor to write into.

    >>> tk.fft.ihfftn(tk.tensor([[2.0, 0.0], [0.0, 2.0]]))
    tensor([[1.-0.j, 0.-0.j],
            [0.+0.j, 1.+0.j]])
    """
    check_out(out, input, "ihfftn", "_fft_c2c")
    return ihfftn_of(input, s, dim, norm)


@op(namespace="fft", rounded=8, kind="reduce")
def ihfft2(
    input: Tensor,
    s: Dims | None = None,
    dim: Dims = (-2, -1),
    norm: str | None = None,
    *,
    out: Tensor | None = None,
) -> Any:
    """`ihfftn` over the last two dimensions.

    Args:
        input: real numbers; whole ones count as the default dtype.
        s: how many elements of each dimension are transformed; all if not given, or -1.
        dim: two dimensions.
        norm: "backward" (the default) divides by the number of elements on the way back, "forward" on the way
            forward, and "ortho" by its root on both.
        out: a tensor to write into.

    >>> tk.fft.ihfft2(tk.tensor([[2.0, 0.0], [0.0, 2.0]]))
    tensor([[1.-0.j, 0.-0.j],
            [0.+0.j, 1.+0.j]])
    """
    check_out(out, input, "ihfftn", "_fft_c2c")
    return ihfftn_of(input, s, dim, norm)
