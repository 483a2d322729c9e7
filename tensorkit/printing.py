"""The text of a tensor, character for character PyTorch's.

>>> tk.tensor([[1.0, 2.5], [float("nan"), -0.0]])
tensor([[1.0000, 2.5000],
        [   nan, -0.0000]])
>>> tk.arange(2000).view(2, 1000)
tensor([[   0,    1,    2,  ...,  997,  998,  999],
        [1000, 1001, 1002,  ..., 1997, 1998, 1999]])

Three steps: copy the elements that will be seen into one NumPy array (`_window`: the corners alone, when
there are more than `threshold` elements), choose one width and one notation for all of them
(`element_texts`), and set them in brackets and lines (`_brackets`). What the numbers do not say (device,
dtype, size of an empty tensor, gradient) follows them.

Source: the rules were measured on PyTorch 2.13, the odd ones too: an all-zero tensor counts its elements one
character narrower than it writes them, and an empty tensor tells its size unless it has one dimension.
"""

from __future__ import annotations

import itertools
import math
from time import perf_counter_ns
from typing import Any, NamedTuple

import numpy

from tensorkit import tracing
from tensorkit.dtypes import bool as bool_dtype
from tensorkit.dtypes import get_default_dtype, int64
from tensorkit.tensor import Array, Tensor, attach


class _Options(NamedTuple):
    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_PROFILES = {
    "default": _Options(),
    "short": _Options(precision=2, edgeitems=2),
    "full": _Options(threshold=math.inf),
}
_options = _Options()


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Choose how tensors are printed. What is not given stays; only `sci_mode` goes back to automatic.

    Args:
        precision: digits after the point (4).
        threshold: how many elements are printed before the middle is left out (1000).
        edgeitems: how many are then shown at each end of a dimension (3).
        linewidth: characters in a line (80).
        profile: ``"default"``, ``"short"`` or ``"full"``: start from these, then apply the others.
        sci_mode: scientific notation always, never, or (``None``) where the numbers ask for it.

    >>> tk.set_printoptions(precision=2)
    >>> tk.tensor(3.14159)
    tensor(3.14)
    >>> tk.set_printoptions(profile="default")
    """
    global _options  # replaced as a whole: a thread that prints meanwhile goes on with the old ones
    base = _PROFILES.get(profile.lower(), _options) if profile is not None else _options
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    changes: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    _options = base._replace(sci_mode=sci_mode, **changes)


def tensor_text(tensor: Tensor, *, tensor_contents: str | None = None) -> str:
    """What ``repr(tensor)`` is. `tensor_contents` takes the place of the numbers.

    However large the tensor, only the elements that are shown are read (and, from a CUDA device, copied).

    >>> tensor_text(tk.zeros(2, dtype=tk.float64))
    'tensor([0., 0.], dtype=tensorkit.float64)'
    """
    plain = type(tensor) is Tensor or "_is_param" in vars(type(tensor))
    prefix = "tensor(" if plain else f"{type(tensor).__name__}("
    contents = tensor_contents
    if contents is None:
        contents = _contents(tensor, len(prefix))
        _tell(tensor)
    text = _with_notes(prefix + contents, _notes(tensor), len(prefix))
    return text if plain or not getattr(tensor, "_is_param", False) else f"Parameter({text})"


def format_text(tensor: Tensor, format_spec: str) -> str:
    """What an f-string makes of a tensor: a 0-d tensor is formatted as its number, all others as their text.

    Raises:
        TypeError: for a format specification on a tensor with dimensions.

    >>> f"{tk.tensor(3.14159):.2f}"
    '3.14'
    """
    if tensor.dim() == 0 and not tensor.is_meta and type(tensor) is Tensor:
        text = format(_on_host(tensor).tolist(), format_spec)
        _tell(tensor)
        return text
    return object.__format__(tensor, format_spec)


def _tell(tensor: Tensor) -> None:
    """Tell the listeners that pinned memory was read: a queued copy into it may not have come."""
    if not tracing.active or not tensor.is_cpu or not tensor.is_pinned():
        return
    start, now = tensor.data_ptr(), perf_counter_ns()
    reach = sum((n - 1) * step for n, step in zip(tensor.shape, tensor.stride(), strict=True))
    stop = start + (reach + 1) * tensor.element_size() if tensor.numel() else start
    event = tracing.QueueEvent(
        "read", "print", "cpu", None, tracing.numbered(), now, perf_counter_ns(), host=(start, stop)
    )
    tracing.emit(event)


def element_texts(values: Array) -> tuple[list[str], int]:
    """The text of each element of an array, all in one notation and padded to one width; and that width.

    >>> element_texts(numpy.array([1.0, 250.0]))
    (['  1.', '250.'], 4)
    """
    flat = values.reshape(-1)
    if flat.dtype.kind == "c":
        return _complex_texts(flat)
    if flat.dtype.kind in "biu":
        texts = [str(value) for value in flat.tolist()]
        width = max(map(len, texts), default=1)
    else:
        texts, width = _float_texts(flat.astype(numpy.float64))
    return [text.rjust(width) for text in texts], width


# -- the numbers --------------------------------------------------------------------------------------------


def _float_texts(flat: Array) -> tuple[list[str], int]:
    """Unpadded texts, and the width of the widest number that is finite and not zero."""
    telling = numpy.isfinite(flat) & (flat != 0)
    chosen = flat[telling]
    whole = bool((chosen == numpy.floor(chosen)).all())
    scientific = _is_scientific(numpy.abs(chosen))
    digits = _options.precision
    spec = f".{digits}e" if scientific else ".0f" if whole else f".{digits}f"
    texts = [format(value, spec) for value in flat.tolist()]
    if whole and not scientific:  # the point alone says that these are floating point numbers
        texts = [text + "." if text[-1].isdigit() else text for text in texts]
    return texts, max((len(text) for text, counts in zip(texts, telling, strict=True) if counts), default=1)


def _is_scientific(magnitudes: Array) -> bool:
    if not magnitudes.size:
        return False
    if _options.sci_mode is not None:
        return _options.sci_mode
    least, most = float(magnitudes.min()), float(magnitudes.max())
    return most / least > 1000.0 or most > 1.0e8 or least < 1.0e-4


def _complex_texts(flat: Array) -> tuple[list[str], int]:
    """Real and imaginary parts each choose their own notation."""
    reals, real_width = element_texts(flat.real)
    imaginaries, imaginary_width = element_texts(flat.imag)
    texts = []
    for real, imaginary in zip(reals, imaginaries, strict=True):
        part = imaginary.lstrip() + "j"
        texts.append(real + part if part[0] in "+-" else f"{real}+{part}")
    return texts, real_width + imaginary_width + 1


# -- the brackets -------------------------------------------------------------------------------------------


def _contents(tensor: Tensor, indent: int) -> str:
    if tensor.is_meta:
        return "..."
    if tensor.numel() == 0:
        return "[]"
    window, cut = _window(tensor)
    texts, width = element_texts(window)
    if not window.ndim:
        return texts[0]
    return _brackets(texts, window.shape, cut, indent, width)


def _window(tensor: Tensor) -> tuple[Array, tuple[bool, ...]]:
    """The elements that are shown, and which dimensions have lost their middle."""
    size, edge = tensor.shape, _options.edgeitems
    cut = tuple(length > 2 * edge for length in size)
    if tensor.numel() <= _options.threshold or not any(cut):
        return _on_host(tensor), (False,) * len(size)
    shown = tuple(2 * edge if lost else length for length, lost in zip(size, cut, strict=True))
    window = numpy.empty(shown, tensor.dtype.numpy)
    # Both ends of every dimension that is cut: the corners of the tensor, copied one by one.
    here = [(slice(edge), slice(edge, None)) if lost else (slice(None),) for lost in cut]
    there = [
        (slice(edge), slice(length - edge, None)) if lost else (slice(None),)
        for length, lost in zip(size, cut, strict=True)
    ]
    everything: Any = tensor._nd() if tensor.is_cpu else tensor
    for target, source in zip(itertools.product(*here), itertools.product(*there), strict=True):
        corner = everything[source]
        window[target] = corner if tensor.is_cpu else _on_host(corner)
    return window, cut


def _on_host(tensor: Any) -> Array:
    array: Array = tensor._nd() if tensor.is_cpu else tensor.cpu()._nd()
    return array


def _brackets(texts: list[str], size: tuple[int, ...], cut: tuple[bool, ...], indent: int, width: int) -> str:
    """Texts in row-major order, in nested brackets; `indent` is the column of the opening bracket."""
    if len(size) == 1:
        return _row(texts, cut[0], indent, width)
    step = math.prod(size[1:])
    parts = [
        _brackets(texts[start : start + step], size[1:], cut[1:], indent + 1, width)
        for start in range(0, size[0] * step, step or 1)
    ]
    if cut[0]:
        parts.insert(len(parts) // 2, "...")
    return "[" + ("," + "\n" * (len(size) - 1) + " " * (indent + 1)).join(parts) + "]"


def _row(texts: list[str], cut: bool, indent: int, width: int) -> str:
    """The innermost dimension, broken into lines of as many elements as fit."""
    if cut:
        half = len(texts) // 2
        texts = [*texts[:half], " ..." if half else "...", *texts[half:]]
    each = max(1, (_options.linewidth - indent) // (width + 2))
    lines = [", ".join(texts[start : start + each]) for start in range(0, len(texts), each)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


# -- what follows the numbers -------------------------------------------------------------------------------


def _notes(tensor: Tensor) -> list[str]:
    """What the numbers do not say: only what differs from the default."""
    notes = [] if tensor.is_cpu else [f"device='{tensor.device}'"]
    size, kind, default = f"size={tuple(tensor.shape)}", tensor.dtype, get_default_dtype()
    if tensor.is_meta or not tensor.numel():
        if tensor.is_meta or tensor.dim() != 1:
            notes.append(size)
        usual = kind is default  # there is no number to show that they are integers
    else:
        if not _options.edgeitems:
            notes.append(size)
        usual = kind in (default, default.to_complex(), int64, bool_dtype)
    if not usual:
        notes.append(f"dtype={kind}")
    try:
        grad_fn = getattr(tensor, "grad_fn", None)
        name = None if grad_fn is None else type(grad_fn).__name__
    except RuntimeError:  # a view that cannot tell its history since its base was written to
        name = "Invalid"
    if name is not None:
        notes.append(f"grad_fn=<{name}>")
    elif getattr(tensor, "requires_grad", False):
        notes.append("requires_grad=True")
    return notes


def _with_notes(text: str, notes: list[str], indent: int) -> str:
    """Each note on the last line where it fits there, on a line of its own where it does not.

    `tensorkit.float64` counts as long as `torch.float64`: the two texts break in the same places.
    """
    column = len(text) - text.rfind("\n") + 1
    for note in notes:
        length = len(note.replace("tensorkit.", "torch."))
        if column + length + 2 > _options.linewidth:
            text += ",\n" + " " * indent + note
            column = indent + length
        else:
            text += ", " + note
            column += length + 2
    return text + ")"


attach("__repr__", tensor_text)
attach("__format__", format_text)
