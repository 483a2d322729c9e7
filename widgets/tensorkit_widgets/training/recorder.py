"""Reads a model in the middle of a loop: a part of every parameter and gradient, and a few examples of the batch."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy

from tensorkit import tracing
from tensorkit_widgets.drawing.pixels import as_bytes
from tensorkit_widgets.snapshot.adapter import Meta, describe, quietly
from tensorkit_widgets.snapshot.number_text import short, size_text
from tensorkit_widgets.snapshot.window import Window
from tensorkit_widgets.training.model import Batch, Example, Moment, Part, Seen
from tensorkit_widgets.training.words import NOT_ASKED, NOT_REACHED, answer

MOST_PARAMETERS = 64
MOST_NUMBERS = 10_000_000
"""Of a tensor with more numbers no norm is computed, and of a batch with more scores nobody counts what is right."""

ROWS, COLUMNS, DEEP = 5, 6, 2
SHOTS, SIDE = 12, 32
"""Pictures of one parameter, and the most pixels along the side of any picture."""

EXAMPLES, FEW, FEATURES = 8, 5, 4
"""Examples that are pictures, examples that are numbers, and how many numbers of each."""

_EXACT = ("float32", "float64", "complex64", "complex128")


class Recorder:
    """Makes a `Moment` of what a loop has at hand. It holds no tensor between two calls."""

    def __init__(self) -> None:
        self._metas: dict[tuple[str, bool], tuple[Any, Meta]] = {}

    def moment(self, number: int, model: Any, loss: Any, given: Mapping[str, Any]) -> Moment:
        """What is there now; to read it is neither traced nor recorded for derivatives.

        Raises:
            TypeError: for a loss that is not one number, or a batch that is no tensor.
        """
        with tracing.silence():
            batch = _batch(**given)
            kinds = {path: type(module).__name__ for path, module in model.named_modules()}
            found = list(model.named_parameters())
            shape = _shape(given["inputs"]) if given["inputs"] is not None else None
            parts = [
                self._part(path, kinds.get(path.rpartition(".")[0], ""), tensor, shape)
                for path, tensor in found[:MOST_PARAMETERS]
            ]
            return Moment(number, _loss(loss), tuple(parts), batch, len(found) - len(parts))

    def _part(self, path: str, kind: str, tensor: Any, shape: tuple[int, ...] | None) -> Part:
        gradient = tensor.grad
        why = NOT_REACHED if tensor.requires_grad else NOT_ASKED
        slope = why if gradient is None else self._seen(path, gradient, True, shape)
        return Part(path, kind, self._seen(path, tensor, False, shape), slope)

    def _seen(self, path: str, tensor: Any, slope: bool, shape: tuple[int, ...] | None) -> Seen | str:
        """The window of one tensor; or a sentence, for it may have no numbers yet, or be of another layout."""
        try:
            meta = self._meta(path, tensor, slope)
            if meta.fault:
                return meta.fault
            take, norm = _reader(tensor, meta)
            window = _window(meta.size)
            values = take(tuple(slice(0, n) for n in window.count)).copy()
            shots, scale = _shots(take, meta.size, shape)
            return Seen(meta, window, values, norm, shots, scale)
        except Exception as error:  # a loop that trains does not stop because of its picture
            return f"it cannot be read: {' '.join(str(error).split())}"

    def _meta(self, path: str, tensor: Any, slope: bool) -> Meta:
        """Size, strides and dtype, read again only when they differ from those of the last moment."""
        now = (tuple(tensor.shape), tuple(tensor.stride()), tensor.dtype, str(tensor.device))
        known = self._metas.get((path, slope))
        if known is None or known[0] != now:
            known = self._metas[path, slope] = (now, describe(tensor))
        return known[1]


def _loss(loss: Any) -> float:
    if isinstance(loss, int | float):
        return float(loss)
    if math.prod(getattr(loss, "shape", (0,))) != 1:
        size = f" of size {size_text(tuple(loss.shape))}" if hasattr(loss, "shape") else ""
        raise TypeError(f"record() takes the loss as one number, not {type(loss).__name__}{size}")
    return float(loss.item())


def _window(size: tuple[int, ...]) -> Window:
    most = (*[1] * max(len(size) - 3, 0), *(DEEP, ROWS, COLUMNS)[max(0, 3 - len(size)) :])
    return Window((0,) * len(size), tuple(map(min, size, most)))


def _array(tensor: Any) -> Any:
    """The numbers of a tensor as an array: without a copy where they lie in the memory of the host."""
    if isinstance(tensor, numpy.ndarray):
        return tensor
    tensor = tensor.detach()
    tensor = tensor if tensor.device.type == "cpu" else tensor.cpu()
    return (tensor.float() if _dtype(tensor) == "bfloat16" else tensor).numpy()


def _reader(tensor: Any, meta: Meta) -> tuple[Any, float | None]:
    """What takes a part of a tensor as an array, and the tensor's norm."""
    large = math.prod(meta.size) > MOST_NUMBERS
    if meta.device == "cpu" and meta.dtype != "bfloat16":
        whole = _array(tensor)
        return whole.__getitem__, None if large else _norm(whole)
    with quietly(meta.library):
        norm = None if large else float(tensor.detach().float().norm())
    return lambda key: _array(tensor.detach()[key]), norm


def _norm(whole: Any) -> float:
    flat = whole.ravel()
    flat = flat if flat.dtype.name in _EXACT else flat.astype(numpy.float64)
    with numpy.errstate(all="ignore"):
        square = float(numpy.vdot(flat, flat).real)
        # Squares of large numbers leave float32 long before the norm does.
        return (
            math.sqrt(square)
            if math.isfinite(square)
            else float(numpy.linalg.norm(flat.astype("complex128")))
        )


def _shots(take: Any, size: tuple[int, ...], shape: tuple[int, ...] | None) -> tuple[Any, float]:
    """Filters of a convolution as pictures, or rows that have a number for each pixel of an example."""
    first = slice(0, SHOTS)
    if 0 in size:
        return None, 0.0
    if len(size) == 4 and all(3 <= n <= SIDE for n in size[2:]):
        found = take((first,)).transpose(0, 2, 3, 1) if size[1] == 3 else take((first, 0))
    elif len(size) == 2 and shape is not None and math.prod(shape) == size[1]:
        step = -(-max(shape[1:]) // SIDE)
        found = take((first,)).reshape(-1, *shape)[:, :, ::step, ::step]
        found = found[:, 0] if shape[0] == 1 else found.transpose(0, 2, 3, 1)
    else:
        return None, 0.0
    numbers = numpy.nan_to_num(found.astype(numpy.float64), nan=0.0, posinf=0.0, neginf=0.0)
    scale = float(numpy.abs(numbers).max())
    return (numbers / (scale or 1.0) * 127).round().astype(numpy.int8), scale


# ---- the batch


def _shape(inputs: Any) -> tuple[int, ...] | None:
    """Channels, rows and columns of one example, where it is a picture."""
    size = tuple(inputs.shape)[1:]
    size = (1, *size) if len(size) == 2 else size
    return size if len(size) == 3 and size[0] in (1, 3) and min(size[1:]) >= 4 else None


def _batch(inputs: Any, output: Any, targets: Any) -> Batch | None:
    for name, value in (("inputs", inputs), ("output", output), ("targets", targets)):
        if value is not None and not hasattr(value, "shape"):
            raise TypeError(f"{name} must be a tensor or an array, not {type(value).__name__}")
    if inputs is None or not len(inputs.shape):
        return None
    try:
        return _examples(inputs, output, targets)
    except Exception:  # as above: what cannot be read is not drawn
        return Batch(tuple(inputs.shape), _dtype(inputs), ())


def _examples(inputs: Any, output: Any, targets: Any) -> Batch:
    size, shape = tuple(inputs.shape), _shape(inputs)
    many = (
        0
        if 0 in size or str(getattr(inputs, "device", "")) == "meta"
        else min(size[0], EXAMPLES if shape else FEW)
    )
    verdicts, right = _verdicts(output, targets, size[0], many)
    pixels, numbers = [None] * many, [()] * many
    if many and shape:
        step = -(-max(shape[1:]) // SIDE)
        shown = _array(inputs[:many, ..., ::step, ::step]).reshape(many, shape[0], -(-shape[1] // step), -1)
        pixels = list(as_bytes(shown.copy())[0].transpose(0, 2, 3, 1))
    elif many:
        rest = (*[0] * (len(size) - 2), slice(0, FEATURES)) if len(size) > 1 else ()
        numbers = _array(inputs[(slice(0, many), *rest)]).reshape(many, -1).tolist()
    examples = [Example(pixels[k], tuple(numbers[k]), *verdicts[k]) for k in range(many)]
    return Batch(size, _dtype(inputs), tuple(examples), right)


def _dtype(tensor: Any) -> str:
    return str(tensor.dtype).rpartition(".")[2]


Verdict = tuple[str, str, bool | None]


def _verdicts(output: Any, targets: Any, examples: int, many: int) -> tuple[list[Verdict], int | None]:
    """What the net says of the first examples, and how many of all are right."""
    size = () if output is None else tuple(output.shape)
    kind = _dtype(output) if size else ""
    if not many or size[:1] != (examples,) or len(size) > 2 or 0 in size or kind.startswith("complex"):
        return [("", f"example {k} of the batch", None) for k in range(many)], None
    part = slice(None) if math.prod(size) <= MOST_NUMBERS else slice(0, many)
    scores, truths = _array(output[part]), None
    if targets is not None and tuple(targets.shape) in ((examples,), (examples, 1)):
        truths = _array(targets[part]).reshape(-1)
    classes = (
        math.prod(size[1:]) > 1
    )  # otherwise a number for each example: there is more than right and wrong
    if not classes:
        told = [("" if truths is None else short(truths[k].item(), kind)) for k in range(many)]
        return [answer(k, short(scores[k].item(), kind), "", told[k], False) for k in range(many)], None
    truths = truths if truths is not None and truths.dtype.kind in "iub" else None
    says, best = scores.argmax(1), scores.max(1)
    sure = best == best  # the largest of scores among which is a nan is nan
    found = [
        answer(k, str(says[k]) if sure[k] else "nan", short(best[k].item(), kind), "" if truths is None else
               str(int(truths[k])), True)
        for k in range(many)
    ]  # fmt: skip
    whole = truths is not None and len(scores) == examples
    return found, int(((says == truths) & sure).sum()) if whole else None
