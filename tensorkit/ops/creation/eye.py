"""The identity: `eye`."""

from __future__ import annotations

from typing import Any

import numpy

from tensorkit import dtypes
from tensorkit.device import DeviceLike, default_chosen
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import LIMITED
from tensorkit.kernels.sizes import NEW_AT_ONCE
from tensorkit.ops.creation.empty import new_or_out
from tensorkit.ops.shared.fill import write_number
from tensorkit.ops.shared.signature_parts import FACTORY
from tensorkit.strides.sizes import checked_size
from tensorkit.tensor import Tensor, fresh


@op(strict=True, kind="create", methods=(), out_error="aten::eye", out_overlap="allowed")
@takes(f"(int n, *, Tensor out = None, {FACTORY})", f"(int n, int m, *, Tensor out = None, {FACTORY})")
def eye(
    n: int, m: int | None = None, *, out: Tensor | None = None, dtype: Any = None, device: DeviceLike = None
) -> Tensor:
    """The identity matrix: ones on the diagonal, zeros elsewhere.

    >>> tk.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    if type(n) is int and (m is None or type(m) is int) and out is None and device is None:
        quick = _quick_eye(n, n if m is None else m, dtype)
        if quick is not None:
            return quick
    for label, count in (("n", n), ("m", n if m is None else m)):
        if isinstance(count, float) or not hasattr(count, "__index__"):
            raise TypeError(f"eye(): argument '{label}' (position 1) must be int, not {type_name(count)}")
        if count < 0:
            raise RuntimeError(f"{label} must be greater or equal to 0, got {count}")
    rows = int(n.__index__())
    size = checked_size((rows, rows if m is None else int(m.__index__())))
    made = new_or_out(size, dtype, device, out, "eye")
    if made._dtype in LIMITED:
        raise missing_kernel("eye", made._dtype.label)
    write_number(made, 0)
    if made.numel():
        write_number(made._view(made._lay().diagonal()), 1)
    if out is not None:
        out._bump()
    return made


def _quick_eye(rows: int, columns: int, asked: Any) -> Tensor | None:
    """A small CPU tensor; None where there is more to look at."""
    kind = dtypes.get_default_dtype() if asked is None else asked
    if type(kind) is not dtypes.dtype or kind in LIMITED or default_chosen.once:
        return None
    if rows < 0 or columns < 0 or rows * columns > NEW_AT_ONCE:
        return None
    made = numpy.zeros((rows, columns), kind.numpy)
    made.reshape(-1)[: columns * columns : columns + 1] = 1
    return fresh(made, kind)
