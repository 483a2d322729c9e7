"""How precisely a device may multiply float32: PyTorch's settings, stored and returned.

Nothing here multiplies less precisely than float32: the settings only allow it. They are stored as PyTorch
stores them. A setting for one operation of a backend (`put`) overrides the one for the backend, which
overrides the one for all. The two older settings write into the same table and remember their own value too;
reading one warns when the two no longer agree.

>>> put("generic", "all", "ieee")
'ieee'
>>> look("mkldnn", "conv")
'ieee'
>>> put("generic", "all", "none"), look("mkldnn", "conv")
('none', 'none')

Source: `at::Context` of PyTorch 2.13, asked through ``torch.backends``.
"""

from __future__ import annotations

from tensorkit.dispatch.registry import offers
from tensorkit.errors import warn

_ALL = {"none", "ieee", "tf32", "bf16"}
_KNOWN = {"generic": _ALL, "mkldnn": _ALL, "cuda": _ALL - {"bf16"}}
#: By backend and operation; None is not set yet, where the default is not "none".
_said: dict[tuple[str, str], str | None] = {
    ("generic", "all"): "none",
    **{("mkldnn", operation): "none" for operation in ("all", "conv", "rnn", "matmul")},
    ("cuda", "all"): "none",
    ("cuda", "matmul"): "none",
    ("cuda", "conv"): None,
    ("cuda", "rnn"): None,
}
_UNSAID = "tf32"
_SEE = (
    "See also: https://pytorch.org/docs/main/notes/cuda.html#tensorfloat-32-tf32-on-ampere-and-later-devices"
)


def put(backend: str, operation: str, precision: str) -> str:
    """Say what holds for one operation of a backend, or for ``"all"`` of them; what was said comes back.

    Raises:
        TypeError: for anything but a string.
        RuntimeError: for a precision that is unknown, or not one of this backend's.
    """
    if not isinstance(precision, str):
        raise TypeError(
            "_set_fp32_precision_setter(): incompatible function arguments. The following argument types are "
            "supported:\n    1. (arg0: str, arg1: str, arg2: str) -> str\n\n"
            f"Invoked with: {backend!r}, {operation!r}, {precision!r}"
        )
    if precision not in _ALL:
        raise RuntimeError(f"Unknown precision: {precision}")
    if precision not in _KNOWN[backend]:
        raise RuntimeError(f"backend '{backend}' does not support precision '{precision}'")
    _said[backend, operation] = precision
    return precision


def look(backend: str, operation: str) -> str:
    """What holds for one operation of a backend."""
    own = _said[backend, operation]
    if own not in (None, "none"):
        return own or "none"
    for wider in ((backend, "all"), ("generic", "all")):
        said = _said[wider] or "none"
        if said != "none":
            return said if said in _KNOWN[backend] else "none"
    return _UNSAID if own is None else "none"


# -- products of matrices -----------------------------------------------------------------------------------------


class _Told:
    """What the older functions were last told."""

    precision = "highest"
    in_convolutions = True


#: By what `set_float32_matmul_precision` says: what then holds for the products of a GPU and for those of the CPU.
_MEANT = {"highest": ("ieee", "ieee"), "high": ("tf32", "tf32"), "medium": ("tf32", "bf16")}


@offers
def set_float32_matmul_precision(precision: str) -> None:
    """Accepted for PyTorch's sake: float32 matrices are multiplied in float32 here, whatever was said.

    Args:
        precision: "highest", "high" or "medium".

    Raises:
        RuntimeError: for anything but a string. (Another text is warned of.)

    >>> tk.set_float32_matmul_precision("highest")

    Source: https://docs.pytorch.org/docs/stable/generated/torch.set_float32_matmul_precision.html
    """
    if not isinstance(precision, str):
        raise RuntimeError(f"set_float32_matmul_precision expects a str, but got {type(precision).__name__}")
    if precision not in _MEANT:
        warn(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the currentsetFloat32MatmulPrecision call has "
            "no effect."
        )
        return
    _Told.precision = precision
    _said["cuda", "matmul"], _said["mkldnn", "matmul"] = _MEANT[precision]


@offers
def get_float32_matmul_precision() -> str:
    """The last argument of `set_float32_matmul_precision`.

    Raises:
        RuntimeError: when a setting in ``tk.backends`` contradicts it since.

    >>> tk.get_float32_matmul_precision()
    'highest'

    Source: https://docs.pytorch.org/docs/stable/generated/torch.get_float32_matmul_precision.html
    """
    gpu, cpu = look("cuda", "matmul"), look("mkldnn", "matmul")
    if (
        (gpu == "tf32" and _Told.precision == "highest")
        or (cpu == "bf16" and _Told.precision != "medium")
        or (cpu == "tf32" and _Told.precision != "high")
    ):
        raise RuntimeError(
            "PyTorch is checking the matmul precision without a specific backend name,Current status indicate that "
            "you have used mix of the legacy and new APIs to set the matmul precision. We suggest only using the new "
            f"API for matmul precision. {_SEE}"
        )
    return _Told.precision


def allow_tf32_in_products(allowed: bool) -> None:
    """Say whether a GPU may multiply float32 matrices by their first 19 bits: ``backends.cuda.matmul.allow_tf32``."""
    _Told.precision = "high" if allowed else "highest"
    _said["cuda", "matmul"] = "tf32" if allowed else "ieee"


def is_tf32_allowed_in_products() -> bool:
    """What `allow_tf32_in_products`, or the precision of products, was last told."""
    told = _Told.precision != "highest"
    if told != (look("cuda", "matmul") == "tf32"):
        raise RuntimeError(
            "PyTorch is checking whether allow_tf32_new is enabled for cuBlas matmul,Current status indicate that you "
            "have used mix of the legacy and new APIs to set the TF32 status for cublas matmul. We suggest only using "
            f"the new API to set the TF32 flag. {_SEE}"
        )
    return told


# -- convolutions -------------------------------------------------------------------------------------------------


def allow_tf32_in_convolutions(allowed: bool) -> None:
    """Say whether cuDNN, which tensorkit does not use, may use TF32: ``backends.cudnn.allow_tf32``."""
    _Told.in_convolutions = allowed
    _said["cuda", "conv"] = _said["cuda", "rnn"] = "tf32" if allowed else "none"


def is_tf32_allowed_in_convolutions() -> bool:
    """What `allow_tf32_in_convolutions` was last told."""
    ways = {look("cuda", operation) == "tf32" for operation in ("rnn", "conv")}
    if ways != {_Told.in_convolutions}:
        raise RuntimeError(
            "PyTorch is checking whether allow_tf32 is enabled for cuDNN without a specific operator name,but the "
            "current flag(s) indicate that cuDNN conv and cuDNN RNN have different TF32 flags.This combination "
            "indicates that you have used a mix of the legacy and new APIs to set the TF32 flags. We suggest only "
            f"using the new API to set the TF32 flag(s). {_SEE}"
        )
    return _Told.in_convolutions
