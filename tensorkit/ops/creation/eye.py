"""The identity: `eye`."""

from __future__ import annotations

from typing import Any

from tensorkit.device import DeviceLike
from tensorkit.dispatch.call_errors import missing_kernel, takes
from tensorkit.dispatch.op import op
from tensorkit.dispatch.shortcut import shortened
from tensorkit.dispatch.signatures import type_name
from tensorkit.dtypes import LIMITED
from tensorkit.ops.creation.empty import new_or_out
from tensorkit.ops.shared.fill import write_number
from tensorkit.ops.shared.signature_parts import FACTORY
from tensorkit.strides.sizes import checked_size
from tensorkit.tensor import Tensor


@op(strict=True, kind="create", methods=(), out_error="aten::eye", out_overlap="allowed")
@takes(f"(int n, *, Tensor out = None, {FACTORY})", f"(int n, int m, *, Tensor out = None, {FACTORY})")
@shortened("eye")
def eye(
    n: int, m: int | None = None, *, out: Tensor | None = None, dtype: Any = None, device: DeviceLike = None
) -> Tensor:
    """The identity matrix: ones on the diagonal, zeros elsewhere.

    >>> tk.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
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
